"""What of an operation the special-function unit takes: special functions, conversions, counts of bits."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from roofstat.instructions.tables.costs import Cost

__all__ = ["special_unit_op"]

_OLDEST: Final = "sm_80"
_TWO_WORDS: Final = frozenset({"int64", "uint64"})


def special_unit_op(cost: Cost, *, function: str, label: str, architecture: str) -> float:
    """Return the instructions of one operation that the unit takes.

    Args:
        cost: All of the operation.
        function: Its name in the cost tables.
        label: The type there, such as `int32`.
        architecture: Such as `sm_80`; one that is no number of NVIDIA's counts as the oldest.

    >>> from roofstat.instructions.tables.costs import Cost
    >>> special_unit_op(Cost(int_op=1.0), function="popc", label="uint64", architecture="sm_90")
    2.0
    >>> converted = Cost(conversion_op=1.0)
    >>> special_unit_op(converted, function="to_float", label="int32", architecture="sm_90")
    0.0
    """
    table = _table()
    words: list[int] | None = table["integers"].get(function)
    of_integers: int = words[label in _TWO_WORDS] if words else 0
    number = _number(architecture)
    elsewhere: int = sum(
        by_label.get(label, {}).get(function, 0)
        for oldest, by_label in table["elsewhere"].items()
        if number >= _number(oldest)
    )
    return cost.special_op + max(cost.conversion_op - elsewhere, 0.0) + of_integers


@functools.cache
def _table() -> dict[str, Any]:
    text = resources.files("roofstat.instructions").joinpath("data/special_unit.toml").read_text()
    return tomllib.loads(text)


@functools.cache
def _number(architecture: str) -> int:
    digits = architecture.removeprefix("sm_").rstrip("af")
    return int(digits if digits.isdigit() else _OLDEST.removeprefix("sm_"))
