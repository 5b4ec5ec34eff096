"""Arms of branches that are computed in any case: PTX of own kernels (nvcc 13.0; clang 18.1.6, sm_90)."""

from __future__ import annotations

import pytest
from builder import PROLOGUE, count, kernel

from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import lowering_parameters
from roofstat.instructions.walker import Walker
from roofstat.program.code import Op

ARGUMENTS = "const {t} *a, {t} *o, {t} n, {t} m"
STEPS = ("* m", "^ n", "+ m", "& n", "* n", "| m", "+ v", "^ m", "* v", "- n")


def chain(length: int) -> str:
    """An expression of so many operations on v."""
    found = "v"
    for step in STEPS[:length]:
        found = f"({found} {step})"
    return found


def is_chosen(body: str, compiler: str, prologue: str = "", kind: str = "int") -> bool:
    """Whether the kernel has a choice and no branch left."""
    code = kernel(
        ARGUMENTS.format(t=kind),
        f"{kind} v = a[threadIdx.x]; {body}",
        prologue=f"{PROLOGUE}{prologue}",
    )
    walked = Walker(code, lowering_parameters(compiler, "sm_90"), fast_math=False)
    live = analyse(walked.run()).live
    return any(value.op is Op.SELECT for value in live) and not any(
        value.op is Pseudo.JOIN for value in live
    )


@pytest.mark.parametrize(("compiler", "longest"), [("clang", 7), ("nvcc", 5)])
def test_one_arm_is_computed_up_to_a_length(compiler, longest):
    def of(length: int) -> bool:
        return is_chosen(
            f"int r = v; if (v >= n) r = {chain(length)}; o[threadIdx.x] = r;", compiler
        )

    assert of(longest)
    assert not of(longest + 1)


@pytest.mark.parametrize(("compiler", "longest"), [("clang", 3), ("nvcc", 5)])
def test_of_two_arms_clang_takes_the_sum_and_nvcc_each(compiler, longest):
    """Beside an arm of one operation."""

    def of(length: int) -> bool:
        arms = f"if (v < n) r = v ^ 5; else r = {chain(length)};"
        return is_chosen(f"int r; {arms} o[threadIdx.x] = r;", compiler)

    assert of(longest)
    assert not of(longest + 1)


@pytest.mark.parametrize(("compiler", "longest"), [("clang", 6), ("nvcc", 3)])
def test_a_second_variable(compiler, longest):
    def of(length: int) -> bool:
        arm = f"r = {chain(length)}; q = v - 1;"
        text = f"int r = v, q = n; if (v >= n) {{ {arm} }} o[threadIdx.x] = r; o[threadIdx.x + 64] = q;"
        return is_chosen(text, compiler)

    assert of(longest)
    assert not of(longest + 1)


@pytest.mark.parametrize(("compiler", "longest"), [("clang", 4), ("nvcc", 5)])
def test_long_integers_weigh_twice_to_clang(compiler, longest):
    steps = ("+ m", "^ n", "- m", "& n", "+ n", "| m", "+ v")

    def of(length: int) -> bool:
        found = "v"
        for step in steps[:length]:
            found = f"({found} {step})"
        text = f"long long r = v; if (v >= n) r = {found}; o[threadIdx.x] = r;"
        return is_chosen(text, compiler, kind="long long")

    assert of(longest)
    assert not of(longest + 1)


MIRROR = (
    "__device__ int mirror(int i, int n) { return i < 0 ? -i : (i >= n ? 2 * n - 2 - i : i); }\n"
)


@pytest.mark.parametrize(("compiler", "executed"), [(Compiler.CLANG, 14.0), (Compiler.NVCC, 14.0)])
def test_a_mirrored_border_is_chosen(compiler, executed):
    """Two places of four loads (sm_90): 14 integer operations by either compiler, 15 here, 23 with branches."""
    body = """int x = blockIdx.x * blockDim.x + threadIdx.x;
      o[x] = a[mirror(x - 1, w)] + a[mirror(x - 1, w) + h] * a[mirror(x + 1, w)] + a[mirror(x + 1, w) + h];"""
    counts = count(
        "const float *a, float *o, int w, int h",
        body,
        compiler=compiler,
        architecture="sm_90",
        prologue=f"{PROLOGUE}{MIRROR}",
    )
    assert counts.int_op == pytest.approx(executed, rel=0.2)
