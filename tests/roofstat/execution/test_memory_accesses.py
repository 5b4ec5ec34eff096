"""Loads, stores and atomics: how many, how wide, in which memory, at which addresses."""

from __future__ import annotations

import numpy as np
import pytest

from roofstat.program.code import Op, Space


def accesses(ran, array):
    """(operation, bytes) of every access through a name that is an access of its own."""
    return [
        (item.op, item.detail.access_bytes)
        for _, item in ran.code.instructions()
        if item.op in (Op.LOAD, Op.STORE)
        and item.detail.array.split(".")[0] == array
        and item.detail.access_bytes
    ]


def spaces(ran):
    return {totals.space for totals in ran.trace.sites.values()}


@pytest.mark.parametrize(
    ("type_", "width"),
    [("float2", 8), ("float4", 16), ("int4", 16), ("double2", 16), ("uchar4", 4)],
)
def test_a_vector_moves_in_one_access(run, type_, width):
    text = f"__global__ void k({type_} *to, const {type_} *from) {{ to[threadIdx.x] = from[threadIdx.x]; }}"
    ran = run(text, arguments={"to": 32, "from": 32})
    assert accesses(ran, "from") == [(Op.LOAD, width)]
    assert accesses(ran, "to") == [(Op.STORE, width)]
    assert (ran.loads("from"), ran.stores("to")) == (32, 32)


def test_the_lanes_of_a_vector_access_are_its_width_apart(run):
    text = "__global__ void k(float4 *a) { float4 v = a[threadIdx.x]; v.y += 1.0f; a[threadIdx.x] = v; }"
    ran = run(text, arguments={"a": 32})
    for event in ran.trace.events:
        assert set(np.diff(event.address)) == {16}


def test_an_unaligned_record_moves_by_its_fields(run):
    text = """
    struct P { float x, y, z; };
    __global__ void k(P *to, const P *from) { to[threadIdx.x] = from[threadIdx.x]; }
    """
    ran = run(text, arguments={"to": 32, "from": 32})
    assert accesses(ran, "from") == [(Op.LOAD, 4)] * 3
    assert accesses(ran, "to") == [(Op.STORE, 4)] * 3


def test_one_field_of_a_vector_is_one_scalar(run):
    text = "__global__ void k(const float4 *a, float *b) { b[threadIdx.x] = a[threadIdx.x].z; }"
    ran = run(text, arguments={"a": 32, "b": 32})
    assert accesses(ran, "a") == [(Op.LOAD, 4)]


def test_only_real_threads_access(run):
    ran = run(
        "__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }", block=40, arguments={"a": 40}
    )
    assert (ran.stores("a"), ran.warps("a")) == (40, 2)


def test_shared_memory(run):
    text = """
    __global__ void k(const float *in, float *out) {
      __shared__ float tile[64];
      tile[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      out[threadIdx.x] = tile[63 - threadIdx.x];
    }
    """
    ran = run(text, block=64, arguments={"in": 64, "out": 64})
    assert (ran.stores("tile"), ran.loads("tile")) == (64, 64)
    assert spaces(ran) == {Space.GLOBAL, Space.SHARED}
    sizes = {item.name: item.size_bytes for item in ran.trace.buffers.values()}
    assert sizes["tile"] == 256


def test_dynamic_shared_memory_has_the_size_of_the_launch(run):
    text = """
    __global__ void k(float *a) {
      extern __shared__ float tile[];
      tile[threadIdx.x] = a[threadIdx.x];
      a[threadIdx.x] = tile[threadIdx.x ^ 1];
    }
    """
    ran = run(text, arguments={"a": 32}, shared_bytes=512)
    sizes = {item.space: item.size_bytes for item in ran.trace.buffers.values()}
    assert sizes[Space.SHARED] == 512


def test_constant_memory(run):
    text = """
    __constant__ float table[16];
    __global__ void k(float *a) { a[threadIdx.x] = table[threadIdx.x % 16]; }
    """
    ran = run(text, arguments={"a": 32})
    assert ran.loads("table") == 32
    assert spaces(ran) == {Space.GLOBAL, Space.CONSTANT}


def test_a_known_constant_decides(run):
    text = """
    __constant__ int limits[2] = {3, 5};
    __global__ void k(float *a) { if (threadIdx.x < limits[1]) a[threadIdx.x] = 1.0f; }
    """
    assert run(text, arguments={"a": 32}).stores("a") == 5


def test_device_globals(run):
    text = """
    __device__ float total[4];
    __global__ void k(float *a) { total[threadIdx.x % 4] = a[threadIdx.x]; }
    """
    ran = run(text, arguments={"a": 32})
    assert ran.stores("total") == 32
    assert spaces(ran) == {Space.GLOBAL}


def test_an_indexed_private_array_is_local_memory(run):
    text = """
    __global__ void k(float *a, int n) {
      float v[8];
      for (int j = 0; j < 8; j++) v[(j * n) % 8] = a[j];
      a[threadIdx.x] = v[n];
    }
    """
    ran = run(text, arguments={"a": 32, "n": 3})
    assert Space.LOCAL in spaces(ran)
    assert ran.stores("v") == 32 * 8


# Atomics


def test_atomics_are_counted_with_their_conflicts(run):
    text = """
    __global__ void k(int *bins, float *sum) {
      atomicAdd(&bins[threadIdx.x % 8], 1);
      atomicAdd(sum, 1.0f);
    }
    """
    ran = run(text, block=64, arguments={"bins": 8, "sum": 1})
    assert (ran.atomics("bins"), ran.atomics("sum")) == (64, 64)
    assert sorted(ran.trace.atomic_conflicts.values()) == [4, 32]  # 32 lanes on 8 and on 1 address
    assert set(ran.trace.atomic_warps.values()) == {1}  # the L2 takes global ones one by one


def test_warps_of_a_block_meet_at_shared_addresses(run):
    """Of 8 warps all meet at one address and at the 32 of their lanes, none where each thread has its own."""
    text = """
    __global__ void k(double *out) {
      __shared__ double one[1], lane[32], own[256];
      atomicAdd(one, 1.0);
      atomicAdd(lane + threadIdx.x % 32, 1.0);
      atomicAdd(own + threadIdx.x, 1.0);
      __syncthreads();
      out[threadIdx.x] = one[0] + lane[0] + own[0];
    }
    """
    ran = run(text, block=256, arguments={"out": 256})
    assert [ran.trace.atomic_warps[site] for site in sorted(ran.trace.atomic_warps)] == [8, 8, 1]


@pytest.mark.parametrize(
    ("call", "name", "used"),
    [
        ("atomicAdd(a, 1);", "add", False),
        ("a[1] = atomicAdd(a, 1);", "add", True),
        ("atomicSub(a, 1);", "sub", False),
        ("atomicMax(a, 1);", "max", False),
        ("atomicExch(a, 1);", "exch", False),
        ("atomicCAS(a, 1, 2);", "cas", False),
        ("atomicOr(a, 1);", "or", False),
    ],
)
def test_kinds_of_atomics(code, call, name, used):
    built = code(f"__global__ void k(int *a) {{ {call} }}")
    details = [item.detail for _, item in built.instructions() if item.op is Op.ATOMIC]
    assert [(item.name, item.access_bytes, item.result_used) for item in details] == [
        (name, 4, used)
    ]


def test_an_atomic_in_a_guard_counts_its_lanes(run):
    text = (
        "__global__ void k(int *a, int n) { if (threadIdx.x < n) atomicAdd(&a[threadIdx.x], 1); }"
    )
    assert run(text, arguments={"a": 32, "n": 7}).atomics("a") == 7


# Addresses


def test_addresses_lie_in_the_buffer_that_was_passed(run):
    text = (
        "__global__ void k(double *a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x + n] = 0; }"
    )
    ran = run(text, grid=2, block=64, arguments={"a": 200, "n": 7})
    (buffer,) = ran.trace.buffers.values()
    (event,) = ran.trace.events
    assert buffer.size_bytes == 1600
    assert list(event.address - buffer.base) == [8 * (7 + i) for i in range(128)]


def test_a_walking_pointer_and_an_index_meet(run):
    text = """
    __global__ void k(float *a, int n) {
      float *p = a + threadIdx.x;
      for (int j = 0; j < 3; j++) { *p = 1.0f; p += n; }
    }
    """
    ran = run(text, arguments={"a": 200, "n": 40})
    (buffer,) = ran.trace.buffers.values()
    starts = [int(event.address[0] - buffer.base) for event in ran.trace.events]
    assert starts == [0, 160, 320]


def test_lanes_that_are_switched_off_do_not_choose_the_buffer(run):
    # Most lanes are beyond the short buffer; those that read stay inside of it.
    text = """
    __global__ void k(const int *few, float *a) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < 2 && few[i] == 5) a[i] = 1.0f;
    }
    """
    ran = run(text, grid=16, block=64, arguments={"few": [5, 4], "a": 1024})
    assert ran.loads("few") == 2
    assert ran.stores("a") == 1


def test_rows_walked_by_what_they_hold_stay_in_their_buffer(run):
    # 4 of 32 threads walk a row of 512 words each, the next word of a pair by the bit of the last one. The rows of the
    # others would lie in the buffer behind.
    text = """
    __global__ void k(const unsigned *dec, const int *in, int *out, int n) {
      int f = threadIdx.x; if (f >= n) return;
      const unsigned *row = dec + f * 512; int s = 0;
      for (int t = 255; t >= 0; t--) { unsigned d = row[2 * t + (s >> 5)] & 1; s = ((s << 1) & 63) | d; }
      out[f] = s + in[f];
    }
    """
    ran = run(text, arguments={"dec": 2048, "in": 4096, "out": 4, "n": 4})
    assert ran.loads("row") == 4 * 256
    names = [ran.trace.buffers[event.buffer].name for event in ran.trace.events]
    assert names.count("in") == 1
    assert names.count("dec") == len(names) - 2


def test_a_gather_through_known_indices_goes_where_they_say(run):
    text = "__global__ void k(const int *at, float *a) { a[at[threadIdx.x]] = 1.0f; }"
    order = [(7 * i) % 32 for i in range(32)]
    ran = run(text, arguments={"at": order, "a": 32})
    event = next(item for item in ran.trace.events if not item.is_guess and item.order > 1)
    base = ran.trace.buffers[event.buffer].base
    assert list((event.address - base) // 4) == order
    assert "gather" not in ran.kinds


def test_a_gather_through_unknown_indices_is_stated(run):
    text = "__global__ void k(const int *at, float *a) { a[at[threadIdx.x]] = 1.0f; }"
    ran = run(text, arguments={"at": 32, "a": 1000})
    assert "gather" in ran.kinds
    event = next(item for item in ran.trace.events if item.is_guess)
    buffer = ran.trace.buffers[event.buffer]
    offsets = event.address - buffer.base
    assert offsets.min() >= 0
    assert offsets.max() < 4000


def test_stored_events_are_bounded_and_keep_their_sum(run):
    text = "__global__ void k(float *a, int n) { for (int j = 0; j * j < n; j++) a[j] += 1.0f; }"
    ran = run(text, arguments={"a": None, "n": 900_000})
    for site, totals in ran.trace.sites.items():
        kept = [event for event in ran.trace.events if event.site == site]
        assert len(kept) <= 96
        seen = sum(float(event.weight[event.active].sum()) for event in kept)
        assert seen == pytest.approx(totals.threads)
        assert totals.threads == pytest.approx(32 * 949, rel=1e-6)  # ceil(sqrt(900000)) = 949


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = rp[r]; j < rp[r + 1]; j++) s += v[j];",
        "int b = rp[r], e = rp[r + 1]; for (int j = b; j < e; j++) s += v[j];",
        "int j = rp[r]; const int e = rp[r + 1]; while (j < e) { s += v[j]; j++; }",
    ],
)
def test_unknown_data_at_two_places_is_not_the_same(run, body):
    text = f"""
    __global__ void k(const int *rp, const float *v, float *y) {{
      int r = threadIdx.x;
      float s = 0;
      {body}
      y[r] = s;
    }}"""
    ran = run(text, arguments={"rp": 33, "v": 330, "y": 32})
    assert ran.loads("v") > 0
    assert "trip-count" in ran.kinds


def test_unknown_pointers_lead_to_memory_of_their_own(run):
    text = """
    __global__ void k(float *const *rows, float *y) {
      int r = threadIdx.y, c = threadIdx.x;
      y[r * 32 + c] = rows[r][c];
    }"""
    ran = run(text, block=(32, 4), arguments={"rows": 4, "y": 128})
    [load] = [item for item, _ in ran.instructions() if item.op is Op.LOAD and item.scalar.is_float]
    [event] = [event for event in ran.trace.events if event.site == load.site]
    rows = event.address.reshape(4, 32)
    assert (np.diff(rows, axis=1) == 4).all()
    assert (np.diff(rows[:, 0]) >= 128).all()
    assert "gather" in ran.kinds


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        ("k", 1),  # all lanes agree on the index: one row of words, 4 sectors of 8 lanes
        ("k + threadIdx.x", 32),  # each lane has an index of its own, a row of words each
    ],
)
def test_lanes_that_agree_on_an_index_of_a_private_array_share_its_rows(run, step, rows):
    text = f"""
    __global__ void look(int *o, int k) {{
      int a[64];
      for (int i = 0; i < 64; i++) a[i] = o[i];
      int s = 0;
      for (int i = 0; i < 64; i++) s += a[(s + i * ({step})) & 63];
      o[blockIdx.x * blockDim.x + threadIdx.x] = s;
    }}"""
    ran = run(text, grid=4, block=64, arguments={"o": 256, "k": 3})
    site = next(
        item.site
        for item, _ in ran.instructions()
        if item.op is Op.LOAD and item.detail.array == "a"
    )
    warps = [
        event.address.reshape(-1, 32)[event.active.reshape(-1, 32).all(axis=1)]
        for event in ran.trace.events
        if event.site == site
    ]
    distinct = [len(np.unique(warp)) for rows_ in warps for warp in rows_]
    assert np.mean(distinct) == pytest.approx(rows, rel=0.5)


@pytest.mark.parametrize(
    "wrapped", ["(*first + threadIdx.x) % 1000u", "(*first + threadIdx.x) & 1023u"]
)
def test_lanes_stay_neighbours_where_an_unknown_start_wraps_around(run, wrapped):
    text = f"""
    __global__ void look(const float *x, float *y, const unsigned *first) {{
      y[threadIdx.x] = x[{wrapped}];
    }}"""
    ran = run(text, block=64, arguments={"x": 1024, "y": 64, "first": 1})
    site = next(
        item.site
        for item, _ in ran.instructions()
        if item.op is Op.LOAD and item.detail.array == "x"
    )
    (event,) = [event for event in ran.trace.events if event.site == site]
    assert (np.diff(event.address.reshape(-1, 32), axis=1) == 4).all()


def test_threads_that_allocate_have_memory_of_their_own(run):
    text = """
    __global__ void look(float *o) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      float *own = new float[16];
      for (int k = 0; k < 16; k++) own[k] = k * o[i];
      o[i] = own[(int)o[i] & 15];
      delete[] own;
    }"""
    ran = run(text, grid=4, block=64, arguments={"o": 256})
    heap = [buffer for buffer in ran.trace.buffers.values() if buffer.name == "heap"]
    assert [buffer.size_bytes for buffer in heap] == [4 * 64 * 16 * 4]
    first = next(event for event in ran.trace.events if event.buffer == heap[0].number)
    assert len(np.unique(first.address)) == first.address.size
    assert any("thread by thread" in item.text for item in ran.trace.assumptions)


def test_variables_that_each_thread_has_for_itself_hold_data_of_their_own(run):
    """One of two loaded keys by reference: each thread of the half that takes the branch does so for its own keys."""
    text = """
    __device__ bool is_end(const int &key) { return key < 0; }
    __global__ void k(float *out, const int *keys, int bit) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      int a = keys[i], b = keys[i ^ 1];
      bool is_first = (i & bit) == 0;
      if (is_end(is_first ? a : b)) out[i] = 1;
    }
    """
    ran = run(
        text,
        grid=(64, 1, 1),
        block=(256, 1, 1),
        arguments={"out": 1 << 14, "keys": 1 << 14, "bit": 64},
    )
    assert ran.stores("out") / (1 << 14) == pytest.approx(0.5, abs=0.1)
