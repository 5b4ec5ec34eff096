"""Loops that nvcc writes twice for a choice that it makes before (PTX of own loops); clang leaves them."""

from __future__ import annotations

import pytest

from clang_queries.command_line import Language, ParseOptions
from clang_queries.unit import lower_unit
from roofstat.program.code import Code, If, Loop, Op, Region, every_region, instructions_of
from roofstat.program.link import link
from roofstat.program.lowering import lower_kernel

LOOP = """__global__ void k(const float *__restrict__ x, const float *__restrict__ w, const int *__restrict__ f, float *y,
    int n, int m, int u, float p) {{
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  float s = 0;
  {body}
  y[t] = s;
}}"""
COUNTED = "for (int k = 0; k < n; k++) {{ float v = x[k * n + t]; {} s += v; }}"


def code_of(body: str, *, is_clang: bool = False) -> Code:
    """The code of a kernel with this body."""
    text = LOOP.format(body=body)
    program = link([lower_unit("kernel.cu", ParseOptions(language=Language.CUDA), text)])
    program.is_clang = is_clang
    return lower_kernel(program, program.kernels[0])


def loops_in(code: Code) -> list[Loop]:
    return [region for region in every_region(code.body) if isinstance(region, Loop)]


def branches_in(regions: list[Region]) -> int:
    """Branches and choices."""
    branches = sum(isinstance(region, If) for region in every_region(regions))
    return branches + sum(item.op is Op.SELECT for item in instructions_of(regions))


def left_in(code: Code) -> list[int]:
    """Branches and choices that are left in each loop."""
    return sorted(branches_in([loop]) for loop in loops_in(code))


@pytest.mark.parametrize(
    ("condition", "left"),
    [
        ("u", [0, 0]),
        ("blockIdx.x > 3", [0, 0]),
        ("blockDim.x > 128", [0, 0]),
        ("u > 3 && m > 3", [0, 0]),
        # A part that decides alone.
        ("u > 3 && v > 0.f", [0, 1]),
        ("u > 3 || v > 0.f", [0, 1]),
        # Threads differ, or iterations do.
        ("t & 1", [1]),
        ("threadIdx.x / 32 == 0", [1]),
        ("u > 3 && t > 3", [1]),
        ("k > u", [1]),
    ],
)
def test_a_loop_is_written_twice_for_what_is_the_same_for_all_threads(condition, left):
    assert left_in(code_of(COUNTED.format(f"if ({condition}) v += w[k];"))) == left


@pytest.mark.parametrize(
    ("more", "loops"),
    [
        ("v += __shfl_xor_sync(~0u, v, 1);", 2),
        ("atomicAdd(y, v);", 2),
        ("__threadfence();", 2),
        ("if (v > 100.f) break;", 2),
        ("__syncthreads();", 1),
        ("__syncwarp();", 1),
    ],
)
def test_barriers_keep_a_loop_whole(more, loops):
    assert len(loops_in(code_of(COUNTED.format(f"{more} if (u) v += w[k];")))) == loops


@pytest.mark.parametrize(("products", "loops"), [(138, 2), (144, 1)])
def test_long_loops_stay_whole(products, loops):
    """PTX has two loops up to 138 products beside a root, one from 144 on."""
    body = " ".join(f"v = v * {number + 1}.5f;" for number in range(products))
    code = code_of(
        f"for (int k = 0; k < n; k++) {{ float v = x[k]; {body} if (u) v = sqrtf(v); s += v; }}"
    )
    assert len(loops_in(code)) == loops


@pytest.mark.parametrize(("products", "loops"), [(69, 2), (72, 1)])
def test_a_product_and_a_sum_of_one_variable_count_each_time(products, loops):
    """PTX has two loops up to 69 of them, one from 72 on."""
    body = " ".join(f"v = v * v + {number + 1}.5f;" for number in range(products))
    assert len(loops_in(code_of(COUNTED.format(f"{body} if (u) v = sqrtf(v);")))) == loops


@pytest.mark.parametrize(("products", "loops"), [(28, 3), (32, 2)])
def test_the_second_branch_leaves_shorter_loops_alone(products, loops):
    """Where the first one is not taken: PTX has three loops up to 28 products, two from 32 on."""
    body = " ".join(f"v = v * {number + 1}.5f;" for number in range(products))
    code = code_of(
        f"for (int k = 0; k < n; k++) {{ float v = x[k]; {body} if (u) v += w[k]; if (m) v += w[k + 4]; s += v; }}"
    )
    assert len(loops_in(code)) == loops


@pytest.mark.parametrize(("products", "outer"), [(4, 2), (8, 1)])
def test_a_loop_around_is_written_twice_while_it_is_short(products, outer):
    """PTX of a nest: both loops twice with four products, the inner one alone with eight."""
    body = " ".join(f"v = v * {number + 1}.5f;" for number in range(products))
    inner = f"for (int k = 0; k < n; k++) {{ float v = x[k]; {body} if (u) v += w[k]; s += v; }}"
    code = code_of(f"for (int j = 0; j < m; j++) {{ {inner} }}")
    around = [
        loop
        for loop in loops_in(code)
        if len([r for r in every_region([loop]) if isinstance(r, Loop)]) > 1
    ]
    assert len(around) == outer
    assert len(loops_in(code)) == outer + 2


def test_a_counter_of_a_loop_around_decides_loops_in_it():
    inner = COUNTED.format("if (j > u) v += w[k];")
    assert left_in(code_of(f"for (int j = 0; j < m; j++) {{ {inner} }}")) == [0, 0, 1]


def test_a_counter_that_vanishes_decides_by_itself():
    inner = COUNTED.format("if (j > 1) v += w[k];")
    assert left_in(code_of(f"for (int j = 0; j < 3; j++) {{ {inner} }}")) == [1, 1]


def test_choices_for_one_number_exclude_each_other():
    """Three loops: in the first one the second choice is known."""
    body = "int i = u == 0 ? t + k : t; int j = u == 1 ? m + k : m; s += x[j * n + i];"
    code = code_of(f"for (int k = 0; k < n; k++) {{ {body} }}")
    assert left_in(code) == [0, 0, 0]


def test_a_choice_of_what_does_not_change_leaves_the_loop_as_a_whole():
    assert left_in(code_of(COUNTED.format("v *= u ? -1.f : 1.f;"))) == [1]


def test_copies_have_numbers_of_their_own():
    code = code_of(COUNTED.format("if (u) v += w[k]; else if (v > 3) v = p;"))
    blocks = [
        region.number for region in every_region(code.body) if hasattr(region, "instructions")
    ]
    sites = [item.site for _, item in code.instructions()]
    assert len(set(blocks)) == len(blocks)
    assert len(set(sites)) == len(sites)
    assert len({loop.number for loop in loops_in(code)}) == 2
    temporaries = [item.dest for _, item in code.instructions() if item.dest >= 0]
    assert all(temporaries.count(dest) == 1 for dest in temporaries if dest not in code.variables)


def test_clang_leaves_such_loops():
    assert left_in(code_of(COUNTED.format("if (u) v += w[k];"), is_clang=True)) == [1]
