"""Sessions of a real client with the server over standard input and output."""

from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcInvalidParams

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
        version = editor.edit("saxpy.cu", STRIDED.replace("i * 32", "i * 8192"))
        await editor.diagnostics("saxpy.cu", version)
        far = await editor.hover("saxpy.cu", 3, line.index("y["))
        assert "stride between threads: 32,768 B" in far
        version = editor.edit("saxpy.cu", STRIDED)
        await editor.diagnostics("saxpy.cu", version)
        assert "sectors a request: 32, where 4 hold its bytes (8×)" in access
        head = await editor.hover("saxpy.cu", 0, STRIDED.index("saxpy"))
        assert head.startswith("## `saxpy(int, float, const float *, float *)`")
        assert "its ridge; time bound by DRAM bandwidth" in head
        assert await editor.hover("saxpy.cu", 8, 6) == head
        assert await editor.hover("saxpy.cu", 1, 0) == ""

        page = await editor.command("roofstat.showReport", uri, "saxpy")
        assert Path(page).as_uri() in editor.opened_pages
        assert "saxpy" in Path(page).read_text()
        with pytest.raises(JsonRpcInvalidParams, match="there is no kernel daxpy"):
            await editor.command("roofstat.report", uri, "daxpy")

        editor.save("saxpy.cu")
        editor.close("saxpy.cu")
        await editor.until(lambda: editor.shown[uri].version is None)
        assert editor.shown[uri].diagnostics == ()
        assert [item.state for item in editor.status][:3] == ["idle", "busy", "idle"]
        assert editor.said == []

    editing(session)


def test_target_regions_and_instances_are_shown_too(editing):
    region = """\
void scale(int n, float *x)
{
    #pragma omp target teams distribute parallel for map(tofrom: x[0:n])
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 8; k++)
            x[i] += 2.0f;
}
int main() { static float x[1 << 20]; scale(1 << 20, x); }
"""
    template = """\
template <typename T, int N>
__global__ void fill(T *p)
{
    for (int k = 0; k < N; k++)
        p[k * 1048576 + blockIdx.x * 256 + threadIdx.x] = 1;
}
void run(float *x, double *y)
{
    fill<float, 4><<<4096, 256>>>(x);
    fill<double, 8><<<4096, 256>>>(y);
}
"""

    async def session(editor):
        editor.write_and_open("scale.cpp", region)
        await editor.codes("scale.cpp")
        (lens,) = await editor.lenses("scale.cpp")
        assert " on A100 SXM4 80GB" in lens
        hints = dict(await editor.hints("scale.cpp"))
        assert hints[4] == "× 8"
        assert "omp target teams" in await editor.hover("scale.cpp", 2, 14)
        loop = await editor.hover("scale.cpp", 4, region.splitlines()[4].index("for"))
        assert "8 each time it is entered" in loop

        editor.write_and_open("fill.cu", template)
        await editor.codes("fill.cu")
        (lens,) = await editor.lenses("fill.cu")
        assert lens.endswith(" · 1 more instance")
        assert dict(await editor.hints("fill.cu"))[3] == "× 4 to 8"
        heads = await editor.hover("fill.cu", 1, template.splitlines()[1].index("fill"))
        assert "fill<float, 4>" in heads
        assert "fill<double, 8>" in heads
        access = await editor.hover("fill.cu", 4, 8)
        assert "in `fill<double, 8>`" in access

    editing(session)
