"""Counts of the abstract machine against a count over all threads in Python, for generated kernels."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given, settings, strategies as st
from loop_nests import LOAD, STORE, WORK, Nest, TooLongError, nests

from roofstat.execution import machine
from roofstat.program.code import Op

LIMIT = 150_000
"""Iterations of all threads that the count in Python may take."""

pytestmark = pytest.mark.property


def measured(nest, ran):
    """Executions of each marker in a trace."""
    names = {
        item.dest: item.detail.name for _, item in ran.code.instructions() if item.op is Op.PARAM
    }
    products: Counter[str] = Counter()
    # Of a loop that is written twice each version has its own.
    for item, threads in ran.instructions():
        if item.op is Op.MUL and item.scalar.is_float:
            products.update({names[value]: threads for value in item.args if value in names})
    count = {WORK: lambda number: products[f"x{number}"]}
    count[LOAD] = lambda number: ran.loads(f"in{number}")
    count[STORE] = lambda number: ran.stores(f"out{number}")
    return [count[kind](number) for number, kind in enumerate(nest.markers)]


def compare(batch: list[Nest], run, *, relative: float, share: float = 1e-9):
    """Run all kernels of a batch, which share one translation unit, and compare every marker.

    Args:
        batch: The kernels.
        run: The fixture.
        relative: Tolerance of a marker, relative to its own count.
        share: The same relative to the largest count of the kernel; the larger of both holds.
    """
    text = "\n".join(nest.cuda(f"k{number}") for number, nest in enumerate(batch))
    for number, nest in enumerate(batch):
        try:
            expected = nest.count(LIMIT)
        except TooLongError:
            continue
        ran = run(
            text,
            kernel=f"k{number}",
            grid=nest.grid,
            block=nest.block,
            arguments=nest.arguments,
        )
        absolute = share * max(expected)
        wanted = [pytest.approx(count, rel=relative, abs=absolute) for count in expected]
        assert measured(nest, ran) == wanted, (
            f"<<<{nest.grid}, {nest.block}>>> n={nest.n} m={nest.m}\n{nest.cuda()}"
        )


def batches(**options):
    """A few kernels at a time: parsing costs more than running."""
    return st.lists(nests(**options), min_size=4, max_size=4)


@settings(max_examples=45)
@given(batch=batches(blocks=st.integers(1, 3), threads=st.integers(1, 96), largest=6, depth=3))
def test_short_loops_are_counted_exactly(batch, run):
    # With the whole budget as allowance every loop whose iterations differ is run to its end; loops whose iterations
    # are alike are still extrapolated, and must come out exact too.
    with patch.object(machine, "WHOLE_LOOP_SHARE", 1):
        compare(batch, run, relative=1e-9)


@settings(max_examples=15)
@given(batch=batches(blocks=st.integers(1, 2), threads=st.integers(1, 40), largest=5, depth=4))
def test_four_deep_nests_are_counted_exactly(batch, run):
    with patch.object(machine, "WHOLE_LOOP_SHARE", 1):
        compare(batch, run, relative=1e-9)


@settings(max_examples=25)
@given(batch=batches(blocks=st.integers(1, 3), threads=st.integers(1, 64), largest=40, depth=2))
def test_long_loops_are_extrapolated_closely(batch, run):
    # Guards that turn within a loop are seen by four to six sampled iterations only: a tenth or so of its length.
    compare(batch, run, relative=0.15, share=0.05)


@settings(max_examples=25)
@given(batch=batches(blocks=st.integers(50, 70), threads=st.integers(33, 96), largest=12, depth=2))
def test_large_grids_are_sampled_closely(batch, run):
    # 50 blocks of 2 warps are more than EXACT_WARPS.
    compare(batch, run, relative=0.15, share=0.05)
