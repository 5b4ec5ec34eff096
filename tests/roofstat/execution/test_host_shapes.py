"""How numbers of host code are spread that are made of others that chance has made."""

import numpy as np

from clang_queries.ir.types import Scalar
from roofstat.execution.numbers.arithmetic import binary
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import Op


def _number(reason: str) -> Unknown:
    sample = np.repeat([0.0, 1.0], 50)
    return Unknown(new_key(), True, reason=reason, is_float=True, low=0.0, high=1.0, sample=sample)


def test_differences_of_elements_of_one_array_are_none_of_independent_numbers() -> None:
    """Corners of a cell lie side by side: that half of the differences were 0, those of two draws, would make flat cells."""
    one = binary(Op.SUB, Scalar.F64, _number("data of x"), _number("data of x"), 1)
    assert isinstance(one, Unknown)
    assert one.sample is None
    assert (one.low, one.high) == (-1.0, 1.0)
    two = binary(Op.SUB, Scalar.F64, _number("data of x"), _number("data of y"), 1)
    assert isinstance(two, Unknown)
    assert two.sample is not None
