"""What happens beside the straight way: crashes, hangs, headers, settings, folders, characters of all kinds."""

import asyncio
import json
import os
import signal
from pathlib import Path

SAXPY = """\
__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

void run(const float *x, float *y)
{
    saxpy<<<4096, 256>>>(4096 * 256, 2.0f, x, y);
}
"""
STRIDED = SAXPY.replace("y[i] = a", "y[i * 32] = a")
DOUBLE = """\
__global__ void relax(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float value = x[i];
    for (int k = 0; k < 64; k++) value = value * 0.9 + 0.1f;
    y[i] = value;
}

void run(const float *x, float *y) { relax<<<4096, 256>>>(x, y, 4096 * 256); }
"""


def children(process_id):
    """The processes that a process has started."""
    found = Path(f"/proc/{process_id}/task/{process_id}/children").read_text()
    return [int(word) for word in found.split()]


def is_gone(process_id):
    """Whether a process has ended with all its threads, so that its parent can tell."""
    folder = Path(f"/proc/{process_id}")
    state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
    return state == "Z" and len(list((folder / "task").iterdir())) == 1


def test_a_killed_worker_or_a_limit_costs_one_result_and_is_said_once(editing):
    async def session(editor):
        editor.write_and_open("a.cu", SAXPY)
        assert await editor.codes("a.cu") == []
        await editor.until(lambda: editor.status[-1].state == "idle")
        # Between two analyses nobody needs to know.
        (worker,) = children(editor.server_id)
        os.kill(worker, signal.SIGKILL)
        while not is_gone(worker):  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # nobody tells when it is gone
        version = editor.edit("a.cu", STRIDED)
        assert await editor.codes("a.cu", version) == ["RS101"]
        assert editor.said == []

        # No whole analysis takes less than a millisecond.
        editor.settings[None] = {"timeLimitS": 0.001}
        editor.configured()
        await editor.until(lambda: editor.settings_asked == 2)
        for text in (DOUBLE, SAXPY):
            version = editor.edit("a.cu", text)
            (found,) = await editor.diagnostics("a.cu", version)
            assert found.code == "not-analysed"
            assert found.message == "gave up after 0.001 s; raise roofstat.timeLimitS"
        await editor.until(lambda: editor.status[-1].state == "failed")
        (said,) = editor.said
        assert said.startswith("roofstat: a.cu: gave up after 0.001 s")
        assert await editor.lenses("a.cu") == []

        # A longer document may take longer: the limit is for every 1,000 lines, begun ones included.
        version = editor.edit("a.cu", SAXPY + "\n" * 2000)
        (found,) = await editor.diagnostics("a.cu", version)
        assert found.message == "gave up after 0.003 s; raise roofstat.timeLimitS"

        editor.settings[None] = {"timeLimitS": 20}
        editor.configured()
        await editor.until_shown("a.cu", lambda items: not items, empty=True)
        assert len(editor.said) == 1

    editing(session, settings={None: {"debounceMs": 0}})


def test_a_worker_that_dies_at_work_is_replaced(editing):
    async def session(editor):
        editor.write_and_open("a.cu", SAXPY)
        assert await editor.codes("a.cu") == []
        (worker,) = children(editor.server_id)
        os.kill(worker, signal.SIGSTOP)  # so that the next analysis is under way when it dies
        busy = len(editor.status)
        version = editor.edit("a.cu", STRIDED)
        await editor.until(lambda: any(each.state == "busy" for each in editor.status[busy:]))
        await asyncio.sleep(0.5)  # the server says so just before it hands the work over
        os.kill(worker, signal.SIGKILL)
        (found,) = await editor.diagnostics("a.cu", version)
        assert found.message == "the analysis process ended by SIGKILL"
        assert len(editor.said) == 1
        version = editor.edit("a.cu", DOUBLE)
        assert await editor.codes("a.cu", version) == ["RS201"]

    editing(session, settings={None: {"debounceMs": 0}})


def test_of_many_edits_the_last_one_is_shown(editing):
    async def session(editor):
        editor.write_and_open("a.cu", SAXPY)
        for number in range(30):
            editor.edit("a.cu", f"{STRIDED}// {number}\n")
        version = editor.edit("a.cu", DOUBLE)
        assert await editor.codes("a.cu", version) == ["RS201"]
        versions = [each.version for each in editor.published]
        assert versions == sorted(versions)
        assert len(versions) < 10

    editing(session)


def test_positions_count_as_the_client_does(editing):
    text = DOUBLE.replace("value = value", "/* 🚀é */ value = value")
    line = text.splitlines()[5]

    def lengths(encoding):
        async def session(editor):
            assert editor.answer.capabilities.position_encoding == encoding
            editor.write_and_open("a.cu", text)
            (found,) = await editor.diagnostics("a.cu")
            action = (await editor.actions("a.cu", 5))["write 0.9f"]
            (edit,) = next(iter(action.edit.changes.values()))
            return found.range.start.character, edit.range.start.character

        return editing(session, encodings=[encoding])

    at = line.index("0.9")
    # The rocket is 4 bytes, 2 units of UTF-16, and 1 character; é is 2 bytes and 1 of the others.
    assert lengths("utf-16") == (at + 1, at + 1 + 3)
    assert lengths("utf-8") == (at + 4, at + 4 + 3)


def test_an_edited_header_renews_what_includes_it(editing):
    header = "inline __device__ int place(int i) { return i; }\n"
    text = '#include "sub/../place.cuh"\n' + SAXPY.replace("y[i] = a", "y[place(i)] = a")

    async def session(editor):
        Path(editor.folder, "sub").mkdir()
        Path(editor.folder, "place.cuh").write_text(header)
        editor.write_and_open("a.cu", text)
        assert await editor.codes("a.cu") == []
        # An edit that is not saved.
        editor.open("place.cuh", header)
        editor.edit("place.cuh", header.replace("return i", "return 32 * i"))
        await editor.until_shown("a.cu", lambda items: [item.code for item in items] == ["RS101"])
        # Closed without saving: what is on disk counts again.
        editor.close("place.cuh")
        await editor.until_shown("a.cu", lambda items: not items, empty=True)
        # Changed on disk by somebody else.
        Path(editor.folder, "place.cuh").write_text(header.replace("return i", "return 16 * i"))
        editor.file_changed("place.cuh")
        await editor.until_shown("a.cu", lambda items: [item.code for item in items] == ["RS101"])

    editing(session)


def test_what_is_found_in_a_header_is_shown_there(editing):
    text = '#include "kernel.cuh"\n'

    async def session(editor):
        Path(editor.folder, "kernel.cuh").write_text(STRIDED)
        editor.write_and_open("a.cu", text)
        assert await editor.codes("a.cu") == []
        uri = editor.uri("kernel.cuh")
        found = (await editor.until(lambda: editor.shown.get(uri))).diagnostics
        assert [item.code for item in found] == ["RS101"]
        editor.open("kernel.cuh", STRIDED)
        await editor.until(lambda: editor.shown[uri].version == 1)
        assert [item.code for item in editor.shown[uri].diagnostics] == ["RS101"]
        assert len(await editor.lenses("kernel.cuh")) == 1
        editor.close("a.cu")
        await editor.until(lambda: editor.shown[editor.uri("a.cu")].version is None)
        # The header is analysed on its own now.
        editor.edit("kernel.cuh", DOUBLE)
        assert await editor.codes("kernel.cuh", 2) == ["RS201"]

    editing(session)


def test_folders_have_settings_of_their_own(editing, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    (two / "pyproject.toml").write_text('[tool.roofstat]\ngpu = "h100"\nignore = ["RS201"]\n')

    async def session(editor):
        for name in ("one/a.cu", "two/a.cu"):
            editor.write_and_open(name, DOUBLE)
        assert await editor.codes("one/a.cu") == ["RS201"]
        assert await editor.codes("two/a.cu") == []
        assert " on Tesla V100 " in (await editor.lenses("one/a.cu"))[0]
        assert " on H100 " in (await editor.lenses("two/a.cu"))[0]

        editor.settings[one.as_uri()] = {"gpu": "l4", "inlayHints": False, "select": "RS1"}
        editor.settings[two.as_uri()] = {"codeLens": False}
        editor.configured()
        await editor.until_shown("one/a.cu", lambda items: not items, empty=True)
        assert " on L4 " in (await editor.lenses("one/a.cu"))[0]
        assert await editor.hints("one/a.cu") == []
        assert await editor.lenses("two/a.cu") == []
        assert [line for line, _ in await editor.hints("two/a.cu")] == [0, 5]
        assert {each.gpu.name for each in editor.status} >= {"l4", "h100-sxm"}

        # A setting that makes no sense is said, and what held before holds on.
        editor.settings[one.as_uri()] = {"gpu": "abacus", "select": "RS1"}
        editor.configured()
        (said,) = await editor.until(lambda: editor.said)
        assert "abacus" in said
        assert " on L4 " in (await editor.lenses("one/a.cu"))[0]

        # So is a file; a document that is opened now is analysed without it.
        (one / "build").mkdir()
        (one / "build" / "compile_commands.json").write_text("{")
        (one / "roofstat.toml").write_text("gpu = ")
        editor.write_and_open("one/b.cu", DOUBLE)
        await editor.until(lambda: any("roofstat.toml" in each for each in editor.said))
        assert await editor.codes("one/b.cu") == []

        # A changed file of the folder is noticed with the next edit.
        (two / "pyproject.toml").write_text('[tool.roofstat]\ngpu = "h100"\n')
        version = editor.edit("two/a.cu", DOUBLE + "\n")
        assert await editor.codes("two/a.cu", version) == ["RS201"]

    settings = {one.as_uri(): {"gpu": "v100"}, two.as_uri(): None}
    editing(session, settings=settings, roots=[one, two])


def test_a_client_without_configuration_pushes_its_settings(editing, tmp_path):
    build = tmp_path / "out"
    build.mkdir()
    database = build / "compile_commands.json"
    text = SAXPY.replace("y[i] = a", "y[i * STEP] = a")

    def write_database(step):
        command = f"nvcc -DSTEP={step} -c ../a.cu"
        entry = {"directory": str(build), "file": "../a.cu", "command": command}
        database.write_text(json.dumps([entry]))

    async def session(editor):
        editor.write_and_open("a.cu", text)
        assert await editor.codes("a.cu") == []
        assert " on H100 " in (await editor.lenses("a.cu"))[0]
        # Another database; the macro's value decides the stride.
        write_database(32)
        editor.file_changed("out/compile_commands.json")
        await editor.until_shown("a.cu", lambda items: [item.code for item in items] == ["RS101"])
        editor.configured({"roofstat": {"gpu": "a100", "defines": ["STEP=1"]}})
        await editor.until_shown("a.cu", lambda items: not items, empty=True)
        assert " on A100 " in (await editor.lenses("a.cu"))[0]

    write_database(1)
    editing(session, initialization_options={"gpu": "h100", "buildDir": "out"})


def test_documents_without_kernels_outside_of_folders_and_without_files(editing, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "roofstat.toml").write_text('gpu = "l4"\n')

    async def session(editor):
        editor.open("root/host.cpp", "int main() { return 0; }\n", "cpp")
        editor.open("root/notes.txt", "no source", "plaintext")
        # Outside of the folder: the file above it holds.
        editor.write_and_open("outside.cu", DOUBLE)
        assert await editor.codes("outside.cu") == ["RS201"]
        assert " on L4 " in (await editor.lenses("outside.cu"))[0]
        # Never saved.
        new = editor.open("untitled:Untitled-1", DOUBLE)
        assert await editor.codes(new) == ["RS201"]
        assert len(await editor.lenses(new)) == 1
        # Text that becomes a kernel, and no kernel again.
        version = editor.edit("root/host.cpp", DOUBLE)
        assert await editor.codes("root/host.cpp", version) == ["RS201"]
        version = editor.edit("root/host.cpp", "int main() { return 0; }\n")
        assert await editor.codes("root/host.cpp", version) == []
        assert await editor.lenses("root/host.cpp") == []
        # Renamed: closed and opened under another name; deleted in between.
        editor.close("outside.cu")
        Path(editor.folder, "outside.cu").rename(Path(editor.folder, "renamed.cu"))
        editor.open("renamed.cu", DOUBLE)
        assert await editor.codes("renamed.cu") == ["RS201"]
        assert editor.shown[editor.uri("outside.cu")].diagnostics == ()
        Path(editor.folder, "renamed.cu").unlink()
        version = editor.edit("renamed.cu", SAXPY)
        assert await editor.codes("renamed.cu", version) == []
        assert editor.uri("root/notes.txt") not in editor.shown
        assert editor.said == []

    editing(session, settings={None: {"debounceMs": 0}}, roots=[root])


def test_edits_and_comments_are_offered_for_findings(editing):
    text = DOUBLE.replace("value * 0.9 + 0.1f;", "value * 0.9 + 0.1f;\n    value *= 0.5;")

    def applied(action, source):
        lines = source.split("\n")
        (edits,) = action.edit.changes.values()
        for edit in sorted(edits, key=lambda each: each.range.start, reverse=True):
            begin, end = edit.range.start, edit.range.end
            line = lines[begin.line]
            lines[begin.line] = line[: begin.character] + edit.new_text + line[end.character :]
        return "\n".join(lines)

    async def session(editor):
        editor.write_and_open("a.cu", text)
        assert await editor.codes("a.cu") == ["RS201", "RS201"]
        actions = await editor.actions("a.cu", 5)
        assert actions["write 0.9f"].is_preferred
        assert actions["write 0.9f"].diagnostics[0].code == "RS201"
        assert applied(actions["write 0.9f"], text) == text.replace("0.9", "0.9f")
        everywhere = text.replace("0.9", "0.9f").replace("0.5", "0.5f")
        assert applied(actions["fix every RS201 in this file"], text) == everywhere
        (whole,) = (await editor.actions("a.cu", 0, ["source.fixAll"])).values()
        assert whole.kind == "source.fixAll.roofstat"
        assert applied(whole, text) == everywhere

        ignored = applied(actions["ignore RS201 on this line"], text)
        assert ignored.split("\n")[5].endswith("0.1f;  // roofstat: ignore[RS201]")
        version = editor.edit("a.cu", ignored)
        assert await editor.codes("a.cu", version) == ["RS201"]

        # A comment that is there takes the code in.
        known = ignored.replace("ignore[RS201]", "ignore[RS104] given")
        version = editor.edit("a.cu", known)
        assert await editor.codes("a.cu", version) == ["RS201", "RS201", "RS903"]
        taken = applied((await editor.actions("a.cu", 5))["ignore RS201 on this line"], known)
        assert taken.split("\n")[5].endswith("// roofstat: ignore[RS104, RS201] given")

        with_fixes = await editor.command("roofstat.report", editor.uri("a.cu"))
        assert "RS201" in Path(with_fixes).read_text()
        cards = await editor.command("roofstat.gpus")
        assert {"name": "l4", "title": "L4"} in cards

    editing(session)


def test_the_rest_of_a_document_follows_an_edit_inside_of_a_kernel(editing):
    text = f"{SAXPY}\n{STRIDED.replace('saxpy', 'other').replace('run', 'more')}"

    async def session(editor):
        editor.write_and_open("a.cu", text)
        (found,) = await editor.diagnostics("a.cu")
        assert found.range.start.line == 14
        edited = text.replace(
            "    if (i < n) y[i] =", "    // one\n    // two\n    if (i < n) y[i] =", 1
        )
        version = editor.edit("a.cu", edited)
        (found,) = await editor.diagnostics("a.cu", version)
        assert found.range.start.line == 16
        assert [line for line, _ in await editor.hints("a.cu")] == [0, 13]
        hover = await editor.hover("a.cu", 13, edited.splitlines()[13].index("other"))
        assert "a.cu:14" in hover

    editing(session)


def test_kernels_are_seen_as_other_sources_of_the_program_launch_them(editing):
    kernel = SAXPY[: SAXPY.index("void run")]
    main = """\
__global__ void saxpy(int n, float a, const float *x, float *y);
int main()
{
    float *x, *y;
    cudaMalloc(&x, 4 << 20);
    cudaMalloc(&y, 4 << 20);
    saxpy<<<4096, 256>>>(1 << 20, 2.0f, x, y);
}
"""

    async def session(editor):
        Path(editor.folder, "main.cu").write_text(main)
        editor.write_and_open("kernel.cu", kernel)
        assert await editor.codes("kernel.cu") == []
        place = kernel.index("saxpy")
        hover = await editor.hover("kernel.cu", 0, place)
        assert "4,096 blocks of 256 threads, 1 launch, from the host code" in hover
        # What is found elsewhere is not said here, and an edit inside of the kernel is followed.
        version = editor.edit("kernel.cu", kernel.replace("y[i] = a", "y[i * 32] = a"))
        assert await editor.codes("kernel.cu", version) == ["RS101"]
        # The other source changes, in its editor.
        editor.open("main.cu", main)
        version = editor.edit("main.cu", main.replace("4096, 256", "2048, 512"))
        await editor.codes("main.cu", version)
        while "2,048 blocks of 512 threads" not in hover:
            hover = await editor.hover("kernel.cu", 0, place)

    editing(session)


def test_a_server_that_is_terminated_leaves_no_reports_and_no_processes(editing):
    async def session(editor):
        uri = editor.write_and_open("a.cu", SAXPY)
        page = await editor.command("roofstat.report", uri)
        server, (worker,) = editor.server_id, children(editor.server_id)
        os.kill(server, signal.SIGTERM)
        # Nobody tells when they are gone; the client collects its child.
        while any(Path(f"/proc/{each}").exists() for each in (server, worker)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert not Path(page).parent.exists()

    editing(session, settings={None: {"debounceMs": 0}})
