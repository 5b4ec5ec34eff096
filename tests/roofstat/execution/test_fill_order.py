"""Fills of loops over columns outside of rows: the places and the values are those of the elements, in whatever order."""

from itertools import product

import numpy as np
import pytest

from clang_queries.ir.types import Scalar
from roofstat.execution.stored.contents import Contents
from roofstat.execution.stored.fill import Fill, Pattern


@pytest.mark.parametrize("dims", [((8, 5), (40, 3)), ((8, 5), (80, 3)), ((16, 4), (8, 2), (64, 3))])
def test_values_are_found_whatever_the_order_of_the_loops(dims):
    steps = tuple(float(10**index) for index in range(len(dims)))
    contents = Contents(initial=0)
    contents.add_fill(
        Fill(start=0, dims=dims, scalar=Scalar.F64, pattern=Pattern.AFFINE, first=7.0, steps=steps)
    )
    expected = {}
    for indices in product(*(range(count) for _, count in dims)):
        offset = sum(i * stride for i, (stride, _) in zip(indices, dims, strict=True))
        expected[offset] = 7.0 + sum(i * step for i, step in zip(indices, steps, strict=True))
    offsets = np.array(sorted(expected))
    found = contents.load(offsets, Scalar.F64, 0, "")
    assert np.broadcast_to(found, offsets.shape).tolist() == [expected[at] for at in offsets]
    assert contents.load(int(offsets[-1]), Scalar.F64, 0, "") == expected[int(offsets[-1])]
