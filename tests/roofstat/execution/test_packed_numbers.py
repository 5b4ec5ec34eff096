"""Numbers packed into as many bits as they need: their widths, where their blocks begin, and when a reader needs the next word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware.catalogue import load_gpu

if TYPE_CHECKING:
    from pathlib import Path

    from roofstat.report.records import KernelReport

_FRAMES = 1 << 20


def kernels(path: Path, text: str) -> dict[str, KernelReport]:
    """The reports of a program by the names of its kernels."""
    path.write_text(text)
    found = analyze_program([path], AnalysisOptions(gpu=load_gpu("h100"))).kernels
    return {kernel.name: kernel for kernel in found}


@pytest.mark.parametrize("width", ["bits[f]", "bits[f] & 255", "(int)narrow[f]"])
def test_lanes_lie_as_many_bits_apart_as_words_are_shifted_by(tmp_path: Path, width: str) -> None:
    """32 lanes of up to 31 bits, 15.5 in the mean, lie in 15.5 words, so in 1 to 5 sectors: few blocks are run, none of 32 sectors."""
    text = f"""
    __global__ void unpack(const unsigned *packed, const int *bits, const unsigned char *narrow, unsigned *out) {{
      int f = blockIdx.x, w = {width}, at = threadIdx.x * w;
      out[f * 128 + threadIdx.x] = packed[f * 128 + (at >> 5)] >> (at & 31) & ((1u << w) - 1);
    }}
    int main() {{
      unsigned *packed, *out; int *bits; unsigned char *narrow;
      cudaMalloc(&packed, {512 * _FRAMES}); cudaMalloc(&out, {512 * _FRAMES});
      cudaMalloc(&bits, {4 * _FRAMES}); cudaMalloc(&narrow, {_FRAMES});
      unpack<<<{_FRAMES}, 128>>>(packed, bits, narrow, out);
    }}"""
    (access,) = [
        access
        for access in kernels(tmp_path / "widths.cu", text)["unpack"].accesses
        if access.array == "packed"
    ]
    assert access.sectors_per_request == pytest.approx(3.0, abs=1.0)


_SCANS = {
    "lanes": """
      int i = blockIdx.x * blockDim.x + threadIdx.x, sum = words[i];
      for (int o = 1; o < 32; o *= 2) {
        int below = __shfl_up_sync(~0u, sum, o);
        if (threadIdx.x % 32 >= o) sum += below;
      }
      start[i] = sum - words[i];""",
    "iterations": """
      int first = (blockIdx.x * blockDim.x + threadIdx.x) * 32, sum = 0;
      for (int i = first; i < first + 32; i++) { start[i] = sum; sum += words[i]; }""",
}


@pytest.mark.parametrize(("scan", "threads"), [("lanes", _FRAMES), ("iterations", _FRAMES // 32)])
def test_blocks_at_sums_of_lengths_lie_side_by_side(
    tmp_path: Path, scan: str, threads: int
) -> None:
    """2^20 blocks of 32 words follow each other in 134 MB; were they anywhere, 37 % would be missed and sectors be torn."""
    text = f"""
    __global__ void scan(const int *words, int *start) {{ {_SCANS[scan]} }}
    __global__ void add(int *start, const int *sums) {{
      start[blockIdx.x * blockDim.x + threadIdx.x] += sums[blockIdx.x];
    }}
    __global__ void unpack(const unsigned *stream, const int *start, unsigned *out) {{
      out[blockIdx.x * 32 + threadIdx.x] = stream[start[blockIdx.x] + threadIdx.x];
    }}
    int main() {{
      unsigned *stream, *out; int *words, *start, *sums;
      cudaMalloc(&stream, {128 * _FRAMES}); cudaMalloc(&out, {128 * _FRAMES});
      cudaMalloc(&words, {4 * _FRAMES}); cudaMalloc(&start, {4 * _FRAMES}); cudaMalloc(&sums, {_FRAMES // 64});
      scan<<<{threads // 256}, 256>>>(words, start);
      add<<<{_FRAMES // 256}, 256>>>(start, sums);
      unpack<<<{_FRAMES}, 32>>>(stream, start, out);
    }}"""
    kernel = kernels(tmp_path / "scan.cu", text)["unpack"]
    assert kernel.traffic.profiled.read_bytes == pytest.approx((128 + 4) * _FRAMES, rel=0.02)
    assert not [item for item in kernel.assumptions if "stream" in item.text]


@pytest.mark.parametrize(
    ("body", "share"),
    [
        # What nobody knows is a quarter of a word in the mean.
        ("held += bits[i]; if (held >= 32) { held -= 32; *to++ = i; }", 0.25),
        ("if (held < 1) { held += 32; *to++ = i; } held -= 1;", 1 / 32),
        ("if (8 <= held) { *to++ = i; held -= 8; } held += 2;", 2 / 8),
    ],
)
def test_a_word_is_filled_as_often_as_bits_are_put_into_it(
    tmp_path: Path, body: str, share: float
) -> None:
    text = f"""
    __global__ void pack(const int *bits, const int *left, int *out) {{
      int t = blockIdx.x * blockDim.x + threadIdx.x, held = left[t];
      int *to = out + (size_t)t * 1000;
      for (int i = 0; i < 1000; i++) {{ {body} }}
      out[t] = held;
    }}
    int main() {{
      int *bits, *left, *out;
      cudaMalloc(&bits, 4000); cudaMalloc(&left, {4 << 12}); cudaMalloc(&out, {4000 << 12});
      pack<<<32, 128>>>(bits, left, out);
    }}"""
    kernel = kernels(tmp_path / "pack.cu", text)["pack"]
    sectors = sum(
        access.requests * access.sectors_per_request
        for access in kernel.accesses
        if access.array == "to" and access.requests and access.sectors_per_request
    )
    assert sectors == pytest.approx(share * 1000 * (32 * 128), rel=0.15)


def test_variables_that_are_swapped_are_no_reservoir(tmp_path: Path) -> None:
    """Copies from one to the other go in a circle, which must not be followed for ever."""
    text = """
    __global__ void sift(int *a, int n) {
      int i = threadIdx.x, low = a[i], high = a[i + n];
      for (int k = 0; k < n; k++) {
        if (a[k] > high) { int other = low; low = high; high = other; }
      }
      a[i] = low + high;
    }
    int main() { int *a; cudaMalloc(&a, 4096); sift<<<1, 32>>>(a, 64); }"""
    assert kernels(tmp_path / "swap.cu", text)["sift"].counts.int_op > 32 * 64
