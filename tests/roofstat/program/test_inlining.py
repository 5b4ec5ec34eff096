"""Device calls: what is expanded, where its returns go, and what stays a call."""

from __future__ import annotations

import pytest

from roofstat.program.code import Op, Scope, Space, children


def operations(code):
    return [item.op for _, item in code.instructions()]


def scopes(regions):
    for region in regions:
        if isinstance(region, Scope):
            yield region
        for part in children(region):
            yield from scopes(part)


def test_a_device_function_is_expanded(code):
    built = code(
        "__device__ float twice(float x) { return 2.0f * x; }"
        "__global__ void k(float *a) { a[0] = twice(twice(a[0])); }"
    )
    assert operations(built).count(Op.MUL) == 2
    assert Op.CALL not in operations(built)


def test_a_single_return_at_the_end_needs_no_jump(code):
    built = code(
        "__device__ int one(int x) { return x + 1; } __global__ void k(int *a) { a[0] = one(a[0]); }"
    )
    assert [scope for scope in scopes(built.body) if scope.function == "one"] == []


def test_early_returns_leave_the_scope_of_the_function(code, run):
    text = """
    __device__ float root(float x, int i) {
      if (i < 10) return 0.0f;
      if (i % 2) return x * 3.0f;
      return x + 1.0f;
    }
    __global__ void k(float *a) { int i = threadIdx.x; a[i] = root(a[i], i) - 5.0f; }
    """
    built = code(text)
    assert [scope.function for scope in scopes(built.body) if scope.function == "root"] == ["root"]
    ran = run(text, block=64, arguments={"a": 64})
    # 64 subtractions; of the 54 lanes from 10 on, 27 odd ones multiply and 27 even ones add
    assert ran.float_executions(Op.SUB) == 64
    assert ran.float_executions(Op.MUL) == 27
    assert ran.float_executions(Op.ADD) == 27


def test_a_return_in_a_loop_of_a_callee_ends_the_callee_only(run):
    text = """
    __device__ int find(int i) {
      for (int j = 0; j < 100; j++) {
        if (j * 4 >= i) return j;
      }
      return -1;
    }
    __global__ void k(int *a) { int i = threadIdx.x; a[i] = find(i); }
    """
    ran = run(text, block=32, arguments={"a": 32})
    # lane i returns in iteration ceil(i / 4): 4 * (1 + ... + 7) + 7 * 0 spread over 32 lanes
    assert ran.stores("a") == 32
    assert ran.iterations(3) == sum(-(-i // 4) + 1 for i in range(32))


def test_arguments_by_value_do_not_change_the_callers(run):
    text = """
    __device__ int drop(int x) { x -= 5; return x; }
    __global__ void k(float *a, int n) {
      int i = threadIdx.x;
      int y = drop(n);
      if (i < n) a[i] = 1.0f;
      if (i < y) a[i] = 2.0f;
    }
    """
    ran = run(text, block=32, arguments={"a": 32, "n": 20})
    assert ran.stores("a") == 20 + 15


RECURSIVE = """
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void k(int *a, int n) { int i = threadIdx.x; if (i < fib(n)) a[i] = 1; }
"""


def test_recursion_stays_a_call_below_the_first_level(code):
    assert Op.CALL in operations(code(RECURSIVE))


def test_recursion_has_its_value(run):
    ran = run(RECURSIVE, block=32, arguments={"a": 32, "n": 7})
    assert ran.stores("a") == 13  # fib(7)


def test_endless_recursion_is_cut_off_and_said(run):
    text = """
    __device__ int down(int n) { return down(n + 1) + 1; }
    __global__ void k(int *a) { a[0] = down(0); }
    """
    assert "recursion-cut" in run(text, arguments={"a": 1}).kinds


def test_function_pointers_and_functors_are_followed(run):
    text = """
    struct Triple { __device__ float operator()(float x) const { return x * 3.0f; } };
    template <typename F> __device__ float apply(F f, float x) { return f(x); }
    __global__ void k(float *a) {
      int i = threadIdx.x;
      a[i] = apply(Triple{}, a[i]) + apply([](float x) { return x - 1.0f; }, a[i]);
    }
    """
    ran = run(text, arguments={"a": 32})
    assert (ran.float_executions(Op.MUL), ran.float_executions(Op.SUB)) == (32, 32)


@pytest.mark.parametrize(("value", "expected"), [(0, Op.ADD), (1, Op.MUL)], ids=["false", "true"])
def test_templates_with_constant_conditions_keep_one_arm(code, value, expected):
    built = code(
        "template <int M> __device__ float f(float x) { if constexpr (M) return x * 2.0f; else return x + 2.0f; }"
        f"__global__ void k(float *a) {{ a[0] = f<{value}>(a[0]); }}"
    )
    found = {item.op for _, item in built.instructions() if item.scalar.is_float} & {Op.ADD, Op.MUL}
    assert found == {expected}


def test_an_array_parameter_is_a_pointer(run):
    text = """
    __device__ float first(const float *p) { return *p; }
    __global__ void k(float a[], int n) { float *p = a + 1; p[threadIdx.x] = first(a + 2) + *(a + n); }
    """
    ran = run(text, arguments={"a": 64, "n": 3})
    assert sum(site.threads for site in ran.trace.sites.values()) == 3 * 32


def test_a_member_of_a_temporary_can_be_a_record(run):
    text = """
    struct P { int x, y; };
    struct Q { P p; int z; };
    __device__ Q make(int n) { Q q; q.p.x = n; q.p.y = n + 1; q.z = 0; return q; }
    __global__ void k(int *a, int n) { P p = make(n).p; if (threadIdx.x < p.y) a[threadIdx.x] = p.x; }
    """
    assert run(text, arguments={"a": 64, "n": 4}).stores("a") == 5


def test_a_function_of_records_is_not_the_mathematics_that_it_shares_a_name_with(code):
    # Its own calls, and those of numbers, mean the square root: one for each member, and one.
    built = code("""
    __device__ float2 sqrtf(float2 v) { return make_float2(sqrtf(v.x), sqrtf(v.y)); }
    __global__ void k(float2 *a, float *b) { a[0] = sqrtf(a[0]); b[0] = sqrtf(b[0]); }
    """)
    found = [item.detail for _, item in built.instructions() if item.op is Op.MATH]
    assert len(found) == 3
    assert not any(item.op is Op.CALL for _, item in built.instructions())


def test_a_shared_array_is_the_same_in_a_lambda(code):
    built = code("""
    template <class T> __global__ void k(T *a) {
      __shared__ T tile[64];
      { __shared__ T tile[16]; tile[threadIdx.x] = a[0]; }
      auto put = [&](int i) { tile[i] = a[i]; };
      put(threadIdx.x);
      a[threadIdx.x] = tile[63 - threadIdx.x];
    }
    int main() { k<<<1, 64>>>((float *)0); }
    """)
    assert sorted(slot.size_bytes for slot in built.slots if slot.space is Space.SHARED) == [
        64,
        256,
    ]
