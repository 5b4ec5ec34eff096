"""Accesses below a sum or a difference of words (`a[i - w - 1]`), which nvcc gives an address apart from that of `a[i - w]`.

LLVM makes `i + ~w` of `i - w - 1`, so that no constant leaves it, and the accesses behind it in the same row follow from it. Of `a[i + w]`,
whose address is that of `a[i]` and a stride, what lies below has an address of its own as long as the code has not asked for the row itself.
PTX of nvcc 13.0: 200 own kernels on single rows, 48 on stencils of two and three.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

    Key = tuple[object, ...]
    """A row: array, index without constants, size of an element."""


class LowerPlaces:
    """Which rows of one walk have an address for what lies below them."""

    def __init__(self) -> None:
        self._below: set[Key] = set()
        self._above: set[Key] = set()
        """Rows of which something above was asked for first: all of such a row has one address."""

    def is_apart(
        self, row: Key, index: Value, constant: int, *, follows: bool, is_stepped: bool
    ) -> bool:
        """Whether an access takes the address of what lies below its row.

        Args:
            row: The row.
            index: Its index, a signed word.
            constant: What is added to the row.
            follows: Whether the row itself would be an earlier one and a stride, and nothing has asked for it yet.
            is_stepped: Whether the row is a difference only as the compiler makes products so later.
        """
        if not constant:
            return False
        if difference_in(index) is not None and not is_stepped:
            if constant > 0 and row not in self._below:
                self._above.add(row)
            is_below = constant < 0 and row not in self._above
            if is_below:
                self._below.add(row)
            return row in self._below
        if constant < 0 and follows and _ends_with_constant(index):
            self._below.add(row)
        return constant < 0 and row in self._below


def difference_in(index: Value) -> Value | None:
    """The part `i - w` of an index with a constant behind it, or beside `i`."""
    if _ends_with_constant(index):
        index = index.args[0]
    is_difference = index.op is Op.SUB and not any(arg.is_constant for arg in index.args)
    return index if is_difference else None


def _ends_with_constant(index: Value) -> bool:
    return index.op in {Op.ADD, Op.SUB} and index.args[1].is_constant
