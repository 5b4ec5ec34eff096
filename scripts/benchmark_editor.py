"""Time from the end of the debounce to new diagnostics, over the protocol, for edits inside a kernel of a long file."""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

_HEAD = """\
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE 16
#define CHECK(call)                                                     \\
    do {                                                                \\
        cudaError_t status = (call);                                    \\
        if (status != cudaSuccess) {                                    \\
            std::fprintf(stderr, "%s\\n", cudaGetErrorString(status));   \\
            std::exit(1);                                               \\
        }                                                               \\
    } while (0)

struct Particle {
    float x, y, z;
    float mass;
    float vx, vy, vz;
    float charge;
};

__device__ __forceinline__ float clamp01(float value)
{
    return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
}

__device__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    return value;
}
"""

_PART = """
// Stage {n} of the pipeline: blend, filter, multiply, reduce, move.

__global__ void blend_{n}(int count, float alpha, const float *left, const float *right, float *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {{
        float mixed = alpha * left[i] + (1.0f - alpha) * right[i];
        out[i] = clamp01(mixed);
    }}
}}

__global__ void filter_{n}(int width, int height, const float *in, float *out)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) {{
        return;
    }}
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++) {{
        for (int dx = -1; dx <= 1; dx++) {{
            float weight = dx == 0 && dy == 0 ? 0.5f : 0.0625f;
            sum += weight * in[(y + dy) * width + x + dx];
        }}
    }}
    out[y * width + x] = sum;
}}

__global__ void multiply_{n}(int size, const float *a, const float *b, float *c)
{{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < size; start += TILE) {{
        tile_a[threadIdx.y][threadIdx.x] = a[row * size + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * size + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {{
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }}
        __syncthreads();
    }}
    c[row * size + column] = sum;
}}

__global__ void reduce_{n}(int count, const float *in, float *total)
{{
    __shared__ float parts[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {{
        sum += in[i] * 0.5;
    }}
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {{
        parts[threadIdx.x / 32] = sum;
    }}
    __syncthreads();
    if (threadIdx.x < 32) {{
        sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f;
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {{
            atomicAdd(total, sum);
        }}
    }}
}}

__global__ void move_{n}(int count, float step, Particle *particles)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {{
        return;
    }}
    float speed = sqrtf(particles[i].vx * particles[i].vx + particles[i].vy * particles[i].vy);
    float drag = expf(-speed * step);
    particles[i].x += step * drag * particles[i].vx;
    particles[i].y += step * drag * particles[i].vy;
    particles[i].z += step * drag * particles[i].vz;
}}

static float run_{n}(int size, const std::vector<float> &input, std::vector<float> &output)
{{
    int count = size * size;
    float *first, *second, *third, *total;
    Particle *particles;
    CHECK(cudaMalloc(&first, count * sizeof(float)));
    CHECK(cudaMalloc(&second, count * sizeof(float)));
    CHECK(cudaMalloc(&third, count * sizeof(float)));
    CHECK(cudaMalloc(&total, sizeof(float)));
    CHECK(cudaMalloc(&particles, count * sizeof(Particle)));
    CHECK(cudaMemcpy(first, input.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(second, 0, count * sizeof(float)));
    CHECK(cudaMemset(total, 0, sizeof(float)));
    CHECK(cudaMemset(particles, 0, count * sizeof(Particle)));
    blend_{n}<<<(count + 255) / 256, 256>>>(count, 0.25f, first, second, third);
    dim3 block(TILE, TILE);
    dim3 grid(size / TILE, size / TILE);
    filter_{n}<<<grid, block>>>(size, size, third, second);
    multiply_{n}<<<grid, block>>>(size, first, second, third);
    reduce_{n}<<<256, 256>>>(count, third, total);
    move_{n}<<<(count + 127) / 128, 128>>>(count, 0.01f, particles);
    CHECK(cudaMemcpy(output.data(), third, count * sizeof(float), cudaMemcpyDeviceToHost));
    float sum = 0.0f;
    CHECK(cudaMemcpy(&sum, total, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFree(third));
    CHECK(cudaFree(total));
    CHECK(cudaFree(particles));
    return sum;
}}
"""


def program(parts: int) -> str:
    """Return a file of so many stages, each five kernels and the host code that launches them."""
    calls = "".join(f"    sum += run_{n}({1024 + 16 * n}, input, output);\n" for n in range(parts))
    main = (
        "\nint main()\n{\n    std::vector<float> input(4096 * 4096, 1.0f), output(4096 * 4096);\n    float sum = 0.0f;\n"
        f'{calls}    std::printf("%f\\n", sum);\n    return 0;\n}}\n'
    )
    return _HEAD + "".join(_PART.format(n=n) for n in range(parts)) + main


_EDITS = (
    ("alpha * left[i]", "alpha * left[i + {number}]"),
    ("float weight = dx", "float weight = {number}.5f + dx"),
    ("sum += tile_a[threadIdx.y][k]", "sum += {number}.25f * tile_a[threadIdx.y][k]"),
    ("sum += in[i] * 0.5;", "sum += in[i] * {number}.5;"),
    ("    float drag = expf", "    // edit {number}\n    float drag = {number}.5f * expf"),
)
"""What is typed into each of the five kernels of a stage; one of them adds a line."""


_HOST_EDITS = (("(count, 0.25f,", "(count, {number}.25f,"),)
"""What is typed into host code."""


def edits(text: str, count: int, kinds: Sequence[tuple[str, str]] = _EDITS) -> Iterator[str]:
    """Yield versions of a text, each edited at one place and back at the next."""
    for number in range(count):
        old, new = kinds[number % len(kinds)]
        places = [match.start() for match in re.finditer(re.escape(old), text)]
        at = places[number % len(places)]
        yield text[:at] + new.format(number=number + 1) + text[at + len(old) :]


class _Client:
    """An editor that waits for the diagnostics of each version."""

    def __init__(self) -> None:
        self.client = LanguageClient("benchmark", "1")
        self.version = 0
        self.published: dict[int, float] = {}
        self.news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published.setdefault(params.version or 0, time.perf_counter())
            self.news.set()

        @self.client.feature("roofstat/status")  # type: ignore[untyped-decorator]
        def status(_params: object) -> None:
            pass

    async def open(self, uri: str, text: str) -> float:
        """Start a server without a debounce, open a document, and return the seconds until its diagnostics."""
        await self.client.start_io(sys.executable, "-m", "roofstat", "lsp")
        await self.client.initialize_async(
            types.InitializeParams(
                process_id=None,
                capabilities=types.ClientCapabilities(),
                initialization_options={"debounceMs": 0},
            )
        )
        self.client.initialized(types.InitializedParams())
        self.version = 1
        started = time.perf_counter()
        item = types.TextDocumentItem(uri, "cuda-cpp", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self._published() - started

    async def edit(self, uri: str, text: str) -> float:
        """Edit the document and return the seconds until its diagnostics."""
        self.version += 1
        started = time.perf_counter()
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return await self._published() - started

    async def close(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]

    async def _published(self) -> float:
        while self.version not in self.published:
            self.news.clear()
            await self.news.wait()
        return self.published[self.version]


async def measure(text: str, versions: Iterable[str], pause_s: float) -> tuple[float, list[float]]:
    """Return the seconds of the first analysis, and those of each edit.

    Args:
        text: The document.
        versions: What it is edited to.
        pause_s: Between diagnostics and the next edit.
    """
    with tempfile.TemporaryDirectory() as folder:
        uri = Path(folder, "pipeline.cu").as_uri()
        client = _Client()
        first = await client.open(uri, text)
        found = []
        for version in versions:
            await asyncio.sleep(pause_s)
            found.append(await client.edit(uri, version))
        await client.close()
    return first, found


def main() -> None:
    """Measure and print the figures of docs/editors.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--stages", type=int, default=9, help="of five kernels and their host code")
    parser.add_argument("--pause", type=float, default=0.3, metavar="S", help="between edits")
    parser.add_argument("--host", action="store_true", help="edit host code instead of kernels")
    parser.add_argument("--print", action="store_true", help="print the document instead")
    args = parser.parse_args()
    text = program(args.stages)
    if args.print:
        print(text, end="")
        return
    first, found = asyncio.run(
        measure(
            text,
            edits(text, args.edits, _HOST_EDITS if args.host else _EDITS),
            args.pause,
        )
    )
    found.sort()
    print(f"{len(text.splitlines()):,} lines, {5 * args.stages} kernels, {len(found)} edits")
    print(f"first analysis {first * 1e3:.0f} ms")
    print(
        f"edit to diagnostics: median {statistics.median(found) * 1e3:.0f} ms,"
        f" fastest {found[0] * 1e3:.0f} ms, 90 % within {found[int(0.9 * (len(found) - 1))] * 1e3:.0f} ms"
    )


if __name__ == "__main__":
    main()
