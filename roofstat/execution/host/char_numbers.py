"""`std::from_chars`: numbers in a range of characters."""

from __future__ import annotations

import re
from errno import EINVAL
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.records import scalar_named
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import FLOAT, unknown_number

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_POINTER, _ERROR = 0, 8
"""Offsets of the members of std::from_chars_result in bytes."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@models("std::from_chars")
def _from_chars(call: HostCall) -> Value:
    """Reads no leading blanks and no plus sign; without a number the variable keeps its value."""
    own = call.inputs()
    first, last, target = own.integer(0), own.integer(1), own.integer(2)
    types = call.detail.template_arguments
    scalar = (scalar_named(types[0]) if types else None) or Scalar.I32
    text = own.text(0)
    if text is None or first is None or last is None:
        call.store_at(target, scalar, unknown_number(own))
        _set_result(call, own.arguments[0], call.unknown("whether an unknown string is a number"))
        return call.arguments[0]
    text = text[: max(last - first, 0)]
    base = (own.integer(3, 10) or 10) if scalar.is_integer else 10
    pattern = FLOAT if scalar.is_float else re.compile(rf"-?[{_DIGITS[:base]}]+", re.IGNORECASE)
    match = None if text[:1].isspace() or text.startswith("+") else pattern.match(text)
    if match is not None:
        number = float(match[0]) if scalar.is_float else int(match[0], base)
        call.store_at(target, scalar, number)
    _set_result(call, first + (match.end() if match else 0), 0 if match else EINVAL)
    return call.arguments[0]


def _set_result(call: HostCall, end: Value, error: Value) -> None:
    """Where the number ends, and what was wrong."""
    call.store_at(call.result_address(), Scalar.U64, end, _POINTER, tag=1)
    call.store_at(call.result_address(), Scalar.I32, error, _ERROR, tag=1)
