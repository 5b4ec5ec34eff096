"""Sessions of a real client with the server over standard input and output."""

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
STRIDED = SAXPY.replace("y[i] = a * x[i] + y[i]", "y[i * 32] = a * x[i] + y[i]")


def test_a_document_is_opened_edited_saved_and_closed(editing):
    async def session(editor):
        uri = editor.write_and_open("saxpy.cu", SAXPY)
        assert await editor.codes("saxpy.cu") == []
        # 12 bytes and 2 FLOP an element; of the two types the integers lie nearer to their ridge.
        assert await editor.hints("saxpy.cu") == [(0, "bandwidth-bound 0.99")]
        (lens,) = await editor.lenses("saxpy.cu")
        assert lens.startswith("bandwidth-bound on A100 SXM4 80GB · INT ")
        assert lens.endswith(" op/B · ridge 4.78")

        version = editor.edit("saxpy.cu", STRIDED)
        (found,) = await editor.diagnostics("saxpy.cu", version)
        assert (found.code, found.source, found.severity) == ("RS101", "roofstat", 2)
        line = STRIDED.splitlines()[3]
        begin, end = found.range.start, found.range.end
        assert line[begin.character : end.character] == "y[i * 32]"

        access = await editor.hover("saxpy.cu", 3, line.index("y["))
        assert "stride between threads: 128 B" in access
        assert "sectors a request: 32, where 4 hold its bytes (8×)" in access
        head = await editor.hover("saxpy.cu", 0, STRIDED.index("saxpy"))
        assert head.startswith("## `saxpy(int, float, const float *, float *)`")
        assert "of its ridge; time bound by DRAM bandwidth" in head
        assert await editor.hover("saxpy.cu", 8, 6) == head
        assert await editor.hover("saxpy.cu", 1, 0) == ""

        page = await editor.command("roofstat.showReport", uri, "saxpy")
        assert Path(page).as_uri() in editor.opened_pages
        assert "saxpy" in Path(page).read_text()

        editor.save("saxpy.cu")
        editor.close("saxpy.cu")
        await editor.until(lambda: editor.shown[uri].version is None)
        assert editor.shown[uri].diagnostics == ()
        assert [item.state for item in editor.status][:3] == ["idle", "busy", "idle"]
        assert editor.said == []

    editing(session)
