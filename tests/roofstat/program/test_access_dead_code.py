"""What nothing needs is not loaded; what has an effect stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofstat.program.code import Code, If, MemoryAccess, Op, Region, children


def loads(code: Code) -> list[tuple[str, int]]:
    """(array, offset) of all loads."""
    return [
        (item.detail.array, item.detail.offset_bytes)
        for _, item in code.instructions()
        if item.op is Op.LOAD and isinstance(item.detail, MemoryAccess)
    ]


def branches(regions: list[Region]) -> int:
    """Number of two-way branches."""
    own = sum(isinstance(region, If) for region in regions)
    return own + sum(branches(part) for region in regions for part in children(region))


RECORD = "struct Particle { double x, y, z, mass; int id, kind; };"


def test_unused_members_of_a_copied_record_are_not_loaded(code: Callable[..., Code]) -> None:
    built = code(
        RECORD
        + """__global__ void k(double* o, const Particle* p) {
          int i = threadIdx.x; Particle q = p[i]; o[i] = q.y * q.mass; }"""
    )
    assert loads(built) == [("p", 8), ("p", 24)]


def test_a_branch_that_decides_nothing_disappears_with_its_condition(
    code: Callable[..., Code],
) -> None:
    built = code(
        """__global__ void k(float* o, const float* a, const int* flag) {
          int i = threadIdx.x; float unused = 0; if (flag[i] > 0) unused = a[i] * a[i + 1]; o[i] = 1; }"""
    )
    assert loads(built) == []
    assert branches(built.body) == 0


@pytest.mark.parametrize(
    "effect",
    ["o[i] = 2;", "atomicAdd(o, 1.0f);", "return;", "__syncthreads();", "while (o[i] > 0) { }"],
)
def test_a_branch_with_an_effect_keeps_its_condition(
    code: Callable[..., Code], effect: str
) -> None:
    built = code(
        f"""__global__ void k(float* o, const int* flag) {{
          int i = threadIdx.x; if (flag[i] > 0) {{ {effect} }} o[i] += 1; }}"""
    )
    assert ("flag", 0) in loads(built)


def test_values_that_reach_an_effect_through_variables_stay(code: Callable[..., Code]) -> None:
    built = code(
        """__global__ void k(float* o, const float* a, int n) {
          int i = threadIdx.x; float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j]; o[i] = s; }"""
    )
    assert loads(built) == [("a", 0)]


def test_accumulators_that_nobody_reads_are_not_fed(code: Callable[..., Code]) -> None:
    built = code(
        """__global__ void k(float* o, const float* a, int n) {
          int i = threadIdx.x; float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j]; o[i] = 0; }"""
    )
    assert loads(built) == []


def test_a_loop_bound_is_needed(code: Callable[..., Code]) -> None:
    built = code(
        """__global__ void k(float* o, const int* n) {
          int i = threadIdx.x; for (int j = 0; j < n[i]; j++) o[j] = 0; }"""
    )
    assert loads(built) == [("n", 0)]
