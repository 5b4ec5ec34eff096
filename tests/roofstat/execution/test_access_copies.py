"""Copies of large records and of memory: the bytes are counted, in the units that the alignment allows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofstat.execution.trace import LaunchTrace
from roofstat.memory.sites import collect_sites
from roofstat.program.implied_accesses import MAX_PIECES, pieces


def moved(trace: LaunchTrace, direction: str, base: str) -> tuple[float, set[int]]:
    """(bytes moved by all threads, widths) of the accesses to a buffer."""
    sites = [
        site
        for site in collect_sites(trace)[0]
        if site.buffer is not None
        and site.buffer.name == base
        and site.direction.value == direction
    ]
    return sum(site.threads * site.element_bytes for site in sites), {
        site.element_bytes for site in sites
    }


RECORDS = """
struct Large { float v[96]; };
struct Wide { float4 v[20]; };
struct Bytes { char v[70]; };
"""


@pytest.mark.parametrize(
    ("record", "size", "unit"), [("Large", 384, 8), ("Wide", 320, 16), ("Bytes", 70, 2)]
)
def test_large_records_are_copied_in_pieces(
    run: Callable, record: str, size: int, unit: int
) -> None:
    text = f"{RECORDS}__global__ void k({record}* o, const {record}* a) {{ int i = threadIdx.x; o[i] = a[i]; }}"
    ran = run(text, grid=4, arguments={"o": 128, "a": 128})
    for direction, name in (("write", "o"), ("read", "a")):
        total, widths = moved(ran.trace, direction, name)
        assert total == 4 * 32 * size
        # 96 words and 70 bytes are more than the pieces that are told apart.
        assert widths == {unit}
    assert "record-copy" not in ran.kinds


def test_pieces_cover_the_copy() -> None:
    for size in (1, 7, 64, 384, 1000, 65537):
        for unit in (1, 2, 4, 8, 16):
            found = pieces(size, unit)
            assert [start for start, _ in found] == [
                sum(n for _, n in found[:k]) for k in range(len(found))
            ]
            assert sum(length for _, length in found) == size
            assert len(found) <= MAX_PIECES


def test_a_small_memcpy_reinterprets_a_value(run: Callable) -> None:
    text = """__global__ void k(int* o, const float* a) {
      int i = threadIdx.x; float x = a[i]; int y; memcpy(&y, &x, sizeof(y)); o[i] = y; }"""
    ran = run(text, arguments={"o": 32, "a": 32})
    assert (ran.loads("a"), ran.stores("o")) == (32, 32)
    assert len(collect_sites(ran.trace)[0]) == 2


def test_memcpy_of_known_size(run: Callable) -> None:
    text = "__global__ void k(char* o, const char* a) { memcpy(o + 100 * threadIdx.x, a + 100 * threadIdx.x, 100); }"
    ran = run(text, arguments={"o": 3200, "a": 3200})
    assert moved(ran.trace, "read", "a")[0] == 3200
    assert moved(ran.trace, "write", "o")[0] == 3200


def test_memcpy_of_a_size_that_only_the_launch_knows(run: Callable) -> None:
    text = "__global__ void k(float* o, const float* a, int n) { memcpy(o + n * threadIdx.x, a + n * threadIdx.x, 4 * n); }"
    ran = run(text, arguments={"o": 320, "a": 320, "n": 10})
    # Byte by byte: 40 for each thread.
    assert moved(ran.trace, "read", "a") == (32 * 40, {1})
    assert moved(ran.trace, "write", "o") == (32 * 40, {1})


@pytest.mark.parametrize(
    ("size", "value"), [("64", 0), ("4 * n", 0), ("4 * n", 255), ("400", 0), ("400", 7)]
)
def test_memset(run: Callable, size: str, value: int) -> None:
    text = (
        f"__global__ void k(float* o, int n) {{ memset(o + 100 * threadIdx.x, {value}, {size}); }}"
    )
    ran = run(text, arguments={"o": 3200, "n": 16})
    count = {"64": 64, "4 * n": 64, "400": 400}[size]
    assert moved(ran.trace, "write", "o")[0] == 32 * count


def test_an_asynchronous_copy_is_one_access_on_each_side(run: Callable) -> None:
    text = """#include <cuda_pipeline.h>
    __global__ void k(float* o, const float4* a) {
      __shared__ float4 s[32]; int i = threadIdx.x;
      __pipeline_memcpy_async(&s[i], &a[i], sizeof(float4));
      __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads();
      o[i] = s[31 - i].x; }"""
    ran = run(text, arguments={"o": 32, "a": 32})
    assert moved(ran.trace, "read", "a") == (32 * 16, {16})
    assert moved(ran.trace, "write", "s") == (32 * 16, {16})
    # What waits for it is not modelled, which is said.
    assert [item.kind for item in ran.trace.code.assumptions] == ["async-copy"]


ASYNC_COPIES = {
    "cooperative group": (
        "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>",
        (
            "auto g = cooperative_groups::this_thread_block();"
            "cooperative_groups::memcpy_async(g, s, a, sizeof(float4) * 32); cooperative_groups::wait(g);"
        ),
    ),
    "pipeline": (
        "#include <cooperative_groups.h>\n#include <cuda/pipeline>",
        (
            "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;"
            "auto g = cooperative_groups::this_thread_block(); auto p = cuda::make_pipeline(g, &state);"
            "p.producer_acquire(); cuda::memcpy_async(g, s, a, sizeof(float4) * 32, p); p.producer_commit();"
            "p.consumer_wait(); p.consumer_release();"
        ),
    ),
    "barrier": (
        "#include <cooperative_groups.h>\n#include <cuda/barrier>",
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> b;"
            "auto g = cooperative_groups::this_thread_block(); if (i == 0) init(&b, 32); __syncthreads();"
            "cuda::memcpy_async(g, s, a, cuda::aligned_size_t<16>(512), b); b.arrive_and_wait();"
        ),
    ),
    "PTX": (
        "#include <cuda_runtime.h>",
        (
            "unsigned to = (unsigned)__cvta_generic_to_shared(s) + 16 * i;"
            'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(a + i));'
            'asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;"); __syncthreads();'
        ),
    ),
}


@pytest.mark.parametrize("form", ASYNC_COPIES)
def test_asynchronous_copies_move_what_plain_ones_do(run: Callable, form: str) -> None:
    # 32 threads, 16 bytes each, in the widest unit; nothing about the copy is unknown
    # but what waits for it.
    include, copy = ASYNC_COPIES[form]
    text = f"""{include}
    __global__ void k(float* o, const float4* a) {{
      __shared__ float4 s[32]; int i = threadIdx.x; {copy} o[i] = s[31 - i].x; }}"""
    ran = run(text, arguments={"o": 32, "a": 32})
    assert moved(ran.trace, "read", "a") == (32 * 16, {16})
    assert moved(ran.trace, "write", "s") == (32 * 16, {16})
    assert {item.kind for item in ran.trace.code.assumptions} == {"async-copy"}


def test_ldmatrix_reads_a_row_a_lane_from_shared_memory(run: Callable) -> None:
    # x4: four matrices of 8 rows of 16 bytes, a row from each lane's address: 512 bytes a warp; x2: half of it.
    text = """
    __global__ void k(unsigned* o) {
      __shared__ __align__(16) short s[32 * 8]; int i = threadIdx.x; unsigned a, b, c, d;
      unsigned from = (unsigned)__cvta_generic_to_shared(s + 8 * i);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(from));
      o[i] = a + b + c + d;
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(from));
      o[i + 32] = a + b; }"""
    ran = run(text, arguments={"o": 64})
    assert moved(ran.trace, "read", "s") == (512 + 256, {16, 8})


def test_a_matrix_operation_of_ptx_keeps_what_it_reads_and_gives_results(run: Callable) -> None:
    text = """
    __global__ void k(float* o, const unsigned* a, const unsigned* b) {
      int i = threadIdx.x; float c[4] = {};
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[i]), "r"(a[i + 32]), "r"(a[i + 64]), "r"(a[i + 96]), "r"(b[i]), "r"(b[i + 32]));
      for (int q = 0; q < 4; q++) o[4 * i + q] = c[q] * 2.f; }"""
    ran = run(text, arguments={"o": 128, "a": 128, "b": 64})
    assert moved(ran.trace, "read", "a")[0] == 32 * 16
    assert moved(ran.trace, "read", "b")[0] == 32 * 8
    assert moved(ran.trace, "write", "o")[0] == 32 * 16
    assert not ran.trace.code.assumptions


def test_lines_of_bundled_headers_are_those_of_the_call(run: Callable) -> None:
    text = """#include <cooperative_groups.h>
    #include <cooperative_groups/memcpy_async.h>
    __global__ void k(float* o, const float4* a) {
      __shared__ float4 s[32];
      auto g = cooperative_groups::this_thread_block();
      cooperative_groups::memcpy_async(g, s, a, 512);
      cooperative_groups::wait(g);
      o[threadIdx.x] = s[31 - threadIdx.x].x; }"""
    code = run(text, arguments={"o": 32, "a": 32}).trace.code
    lines = {item.position.line for _, item in code.instructions()}
    assert lines <= {3, 4, 5, 6, 7, 8}
