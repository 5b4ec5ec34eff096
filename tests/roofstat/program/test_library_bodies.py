"""What library functions of the bundled headers do inside a kernel: their memory traffic and their work count."""

from __future__ import annotations

import pytest

from roofstat.program.code import Op, Space

HEADERS = """
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
"""


def moved(ran, op, space=Space.GLOBAL):
    """(threads, bytes of each) of all accesses in a space."""
    sites = ran.trace.sites
    found = {}
    for _, item in ran.code.instructions():
        if item.op is op and item.site in sites and sites[item.site].space is space:
            width = item.detail.access_bytes
            found[width] = found.get(width, 0) + sites[item.site].threads
    return found


@pytest.mark.parametrize(
    ("algorithm", "requests"),
    [
        ("DIRECT", {4: 512}),
        ("VECTORIZE", {16: 128}),
        ("STRIPED", {4: 512}),
        ("TRANSPOSE", {4: 512}),
    ],
)
def test_block_load_and_store_move_every_item(run, algorithm, requests):
    text = (
        HEADERS
        + f"""
    __global__ void k(const float *x, float *y) {{
      typedef cub::BlockLoad<float, 128, 4, cub::BLOCK_LOAD_{algorithm}> Load;
      typedef cub::BlockStore<float, 128, 4, cub::BLOCK_STORE_{algorithm}> Store;
      __shared__ union {{ typename Load::TempStorage load; typename Store::TempStorage store; }} t;
      float v[4];
      Load(t.load).Load(x, v);
      for (int i = 0; i < 4; i++) v[i] = v[i] * 2.0f;
      Store(t.store).Store(y, v);
    }}"""
    )
    ran = run(text, block=128, arguments={"x": 512, "y": 512})
    assert moved(ran, Op.LOAD) == requests
    assert moved(ran, Op.STORE) == requests
    assert bool(moved(ran, Op.STORE, Space.SHARED)) == (algorithm == "TRANSPOSE")


@pytest.mark.parametrize("call", ["ExclusiveSum(v, r)", "InclusiveScan(v, r, cub::Max())"])
@pytest.mark.parametrize(
    ("algorithm", "shuffling", "stored"),
    [
        ("", 32, 256 + 256),  # raking: one warp, through shared memory and back
        (", cub::BLOCK_SCAN_WARP_SCANS", 256, 8),  # all warps, one sum of each
    ],
)
def test_block_scans_shuffle_and_meet_in_shared_memory(run, call, algorithm, shuffling, stored):
    text = (
        HEADERS
        + f"""
    __global__ void k(const int *x, int *y) {{
      typedef cub::BlockScan<int, 256{algorithm}> Scan;
      __shared__ typename Scan::TempStorage t;
      int v = x[threadIdx.x], r;
      Scan(t).{call};
      y[threadIdx.x] = r;
    }}"""
    )
    ran = run(text, block=256, arguments={"x": 256, "y": 256})
    assert ran.executions(Op.SHUFFLE) == shuffling * 6
    assert moved(ran, Op.STORE, Space.SHARED) == {4: stored}
    assert ran.trace.code.assumptions == []


def test_block_radix_sort_works_digit_by_digit(run):
    text = (
        HEADERS
        + """
    __global__ void k(unsigned *x) {
      typedef cub::BlockRadixSort<unsigned, 128, 4> Sort;
      __shared__ typename Sort::TempStorage t;
      unsigned keys[4];
      for (int i = 0; i < 4; i++) keys[i] = x[threadIdx.x * 4 + i];
      Sort(t).Sort(keys);
      for (int i = 0; i < 4; i++) x[threadIdx.x * 4 + i] = keys[i];
    }"""
    )
    ran = run(text, block=128, arguments={"x": 512})
    passes = 8
    exchanged = moved(ran, Op.STORE, Space.SHARED)[4]
    assert exchanged >= passes * 128 * (4 + 8)  # keys and counters at least


@pytest.mark.parametrize("scope", ["", ", cuda::thread_scope_device"])
def test_atomic_references_are_atomics(run, scope):
    text = (
        HEADERS
        + f"""
    __global__ void k(int *c, unsigned long *d) {{
      cuda::atomic_ref<int{scope}> r(c[threadIdx.x]);
      r.fetch_add(1, cuda::memory_order_relaxed);
      cuda::atomic_ref<unsigned long{scope}> s(d[threadIdx.x]);
      s.fetch_max(5);
    }}"""
    )
    ran = run(text, arguments={"c": 32, "d": 32})
    assert moved(ran, Op.ATOMIC) == {4: 32, 8: 32}


def test_cooperative_reduction_is_a_butterfly(run):
    text = (
        HEADERS
        + """
    __global__ void k(const float *x, float *y) {
      auto tile = cg::tiled_partition<32>(cg::this_thread_block());
      float sum = cg::reduce(tile, x[threadIdx.x], cg::plus<float>());
      y[threadIdx.x] = sum + cg::inclusive_scan(tile, sum);
    }"""
    )
    ran = run(text, arguments={"x": 32, "y": 32})
    assert ran.executions(Op.SHUFFLE) == 32 * 10
    assert ran.float_executions(Op.ADD) == 32 * (5 + 1) + (31 + 30 + 28 + 24 + 16)


@pytest.mark.parametrize(
    ("type_", "use"),
    [
        ("__half2", "__half22float2(x[i]).x"),
        ("__half2", "__low2float(x[i]) + __high2float(x[i])"),
        ("__nv_bfloat162", "__bfloat1622float2(x[i]).y"),
        ("__half2", "__low2float(h2exp(x[i]))"),
    ],
)
def test_packed_conversions_read_their_operand(run, type_, use):
    text = (
        HEADERS
        + f"""
    __global__ void k(const {type_} *x, float *y) {{ int i = threadIdx.x; y[i] = {use}; }}"""
    )
    ran = run(text, arguments={"x": 32, "y": 32})
    assert set(moved(ran, Op.LOAD)) <= {2, 4}
    assert sum(moved(ran, Op.LOAD).values()) >= 32


def test_the_sum_of_halves_is_no_mean_of_integers(run):
    text = (
        HEADERS
        + """
    __global__ void k(__half *x, int *n) {
      x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x];
      n[threadIdx.x] = __hadd(n[threadIdx.x], 3);
    }"""
    )
    ran = run(text, arguments={"x": 32, "n": 32})
    names = {
        (item.detail, item.scalar.is_float) for item, _ in ran.instructions() if item.op is Op.MATH
    }
    assert names == {("__hadd", False)}
    assert ran.float_executions(Op.ADD) == 32


def test_a_record_for_an_unseen_function_is_loaded(run):
    text = """
    struct V { float a[4]; };
    __device__ float seen_by_nobody(V v);
    __global__ void k(const V *x, float *y) { y[threadIdx.x] = seen_by_nobody(x[threadIdx.x]); }
    """
    ran = run(text, arguments={"x": 32, "y": 32})
    assert sum(width * threads for width, threads in moved(ran, Op.LOAD).items()) == 32 * 16


@pytest.mark.parametrize(
    ("call", "doubtful"),
    [
        ("unseen(x + i)", True),
        ("unseen((float *)&x[i])", True),
        ("unseen(&own)", False),
        ("unseen(array)", False),
        ('printf("%f", x[i])', False),
    ],
)
def test_an_unseen_function_may_move_what_its_pointers_reach(run, call, doubtful):
    text = f"""
    #include <cstdio>
    __device__ void unseen(float *p);
    __global__ void k(float *x) {{
      int i = threadIdx.x;
      float own = x[i], array[4] = {{own, own, own, own}};
      {call};
      x[i] = own + array[i % 4];
    }}"""
    ran = run(text, arguments={"x": 32})
    assert ("library-memory" in {item.kind for item in ran.code.assumptions}) == doubtful


def test_members_of_atomic_objects_are_accesses(run):
    text = """
    #include <cuda/atomic>
    #include <cuda/std/atomic>
    __global__ void k(int *c, cuda::atomic<int> *d, cuda::std::atomic<unsigned> *e) {
      int i = threadIdx.x;
      cuda::std::atomic_ref<int> r(c[i]);
      r.fetch_add(1);
      r.store(3);
      d->fetch_max(3);
      (*e)++;
      int seen = r.load(), wanted = 3;
      while (!r.compare_exchange_weak(wanted, seen + 1)) {}
      c[i + 99] = *d;
    }"""
    ran = run(text, arguments={"c": 200, "d": 1, "e": 1})
    atomics = [item for item, threads in ran.instructions() if item.op is Op.ATOMIC and threads]
    # The return values of the first three are not used: they are reductions, not atomics with a result.
    assert [(item.detail.name, item.detail.result_used) for item in atomics] == [
        ("add", False),
        ("max", False),
        ("add", False),
        ("cas", True),
    ]
    assert moved(ran, Op.LOAD) == {4: 2 * 32}
    assert moved(ran, Op.STORE) == {4: 2 * 32}


def test_atomics_of_the_host_are_plain_reads_and_writes(host):
    text = """
    #include <atomic>
    __global__ void k(int n) {}
    int main() {
      std::atomic<int> blocks(2);
      blocks.fetch_add(3);
      blocks++;
      int expected = 6;
      if (blocks.compare_exchange_strong(expected, 7)) k<<<blocks.load(), 32>>>(1);
    }"""
    assert host(text).only().grid == (7, 1, 1)


@pytest.mark.parametrize(
    ("body", "loads", "stores", "through_shared"),
    [
        (
            (
                "typedef cub::WarpLoad<int, 4, cub::WARP_LOAD_VECTORIZE> Load;"
                "typedef cub::WarpStore<int, 4, cub::WARP_STORE_VECTORIZE> Store;"
                "Load().Load(x, v); Store().Store(y, v);"
            ),
            {16: 32},
            {16: 32},
            0,
        ),
        (
            (
                "typedef cub::WarpLoad<int, 4, cub::WARP_LOAD_TRANSPOSE> Load;"
                "__shared__ Load::TempStorage t; Load(t).Load(x, v);"
                "cub::StoreDirectStriped<32>(threadIdx.x, y, v);"
            ),
            {4: 128},
            {4: 128},
            128,
        ),
        (
            (
                "typedef cub::BlockExchange<int, 32, 4> Exchange;"
                "__shared__ Exchange::TempStorage t; cub::LoadDirectBlocked(threadIdx.x, x, v);"
                "Exchange(t).BlockedToStriped(v); cub::StoreDirectStriped<32>(threadIdx.x, y, v);"
            ),
            {4: 128},
            {4: 128},
            128,
        ),
        (
            (
                "typedef cub::BlockDiscontinuity<int, 32> Flags; int heads[4];"
                "__shared__ Flags::TempStorage t; cub::LoadDirectBlocked(threadIdx.x, x, v);"
                "Flags(t).FlagHeads(heads, v, cub::Inequality());"
                "cub::StoreDirectBlocked(threadIdx.x, y, heads);"
            ),
            {4: 128},
            {4: 128},
            32,
        ),
    ],
    ids=["vectors", "transposed", "exchange", "heads"],
)
def test_collectives_of_cub_move_every_item(run, body, loads, stores, through_shared):
    text = HEADERS + f"__global__ void k(int *x, int *y) {{ int v[4]; {body} }}"
    ran = run(text, arguments={"x": 128, "y": 128})
    assert moved(ran, Op.LOAD) == loads
    assert moved(ran, Op.STORE) == stores
    assert moved(ran, Op.STORE, Space.SHARED).get(4, 0) == through_shared
    assert ran.code.assumptions == []


@pytest.mark.parametrize(("algorithm", "passes"), [("", 2), (", cub::BLOCK_HISTO_ATOMIC", 0)])
def test_block_histograms_sort_unless_told_otherwise(run, algorithm, passes):
    text = (
        HEADERS
        + f"""
    __global__ void k(const unsigned char *x, unsigned *y) {{
      typedef cub::BlockHistogram<unsigned char, 128, 4, 256{algorithm}> Histogram;
      __shared__ typename Histogram::TempStorage t;
      __shared__ unsigned bins[256];
      unsigned char v[4];
      for (int i = 0; i < 4; i++) v[i] = x[threadIdx.x * 4 + i];
      Histogram(t).Histogram(v, bins);
      __syncthreads();
      y[threadIdx.x] = bins[threadIdx.x];
    }}"""
    )
    ran = run(text, block=128, arguments={"x": 512, "y": 128})
    assert moved(ran, Op.ATOMIC, Space.SHARED) == {4: 512}
    # A pass for each four bits of a byte puts the keys through shared memory.
    assert moved(ran, Op.STORE, Space.SHARED).get(1, 0) == passes * 512
