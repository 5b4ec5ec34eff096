"""Addresses that follow one another by one stride in a basic block: `a[x]`, `a[x + n]`, `a[x + 2 * n]`.

Nvcc has a pass of its own that makes the second and later ones from the one before, whatever their indices are made of
(its reduction of strength for addresses; LLVM has none). Read off PTX of 150 own kernels by nvcc 13.0 for sm_90: it takes

- blocks with enough accesses to memory, of whatever kind;
- rows of one array at equal distances in the order of the program, where none is accessed again once its successor was,
  as a pointer that moves on would have left it;
- of several strides the one that most rows follow, then the one that holds between the fewest pairs, then the first.

Elements of a row differ by constants and are one address. It is that of the row itself where an access needs just that, else of the first access;
only rows with equal constants follow one another. Where the first access of the first row is at another constant of one
word, the second row follows that and follows the row itself too.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.polynomials import (
    difference_of,
    polynomial_of_pairs,
    signature,
)
from roofstat.instructions.integers.widths import is_word, multiplies_wide
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.integers.polynomials import Monomial, Polynomial

_ACCESSES = frozenset({Op.LOAD, Op.STORE, Op.ATOMIC})
_MADE = frozenset({Op.ADD, Op.MUL})
_MOST_ROWS = 64
"""Rows of one array that are compared: all pairs are."""

_WORDS_OF_PRODUCT = 2
"""Factors of 64 bits through which a sum of strides is seen: that of `x * ((k + 1) * n + j + 1)`, if the code makes the sum in words."""

Stride = tuple[tuple["Monomial", int], ...]


@dataclass(frozen=True, slots=True)
class IndexedAddress:
    """How an address was made: of a base and an index without its constant."""

    base: Value
    rest: Polynomial
    index: Value
    scale_bytes: int


@dataclass(slots=True)
class _Row:
    """An address with the places of its accesses in the block."""

    address: Value
    how: IndexedAddress
    first: int
    last: int
    offsets: list[int]
    """Constants of its accesses, in bytes and in order."""

    @property
    def anchor(self) -> int:
        """The constant that the address takes."""
        return 0 if 0 in self.offsets else self.offsets[0]

    @property
    def starts_beside(self) -> bool:
        """Whether its first access is at another constant."""
        return self.offsets[0] != self.anchor


def chain_rows(
    values: Sequence[Value],
    made: dict[int, IndexedAddress],
    stride_of: Callable[[Polynomial, IndexedAddress], Value],
    *,
    least_accesses: int,
    least_rows: int,
) -> frozenset[int]:
    """Makes addresses from their predecessors.

    Args:
        values: Those of a graph that something needs, in the order of the program.
        made: Addresses by number.
        stride_of: Makes a value of the stride to an address.
        least_accesses: Accesses that a block must have.
        least_rows: Rows that must follow one another.

    Returns:
        Numbers of the addresses that are made so.
    """
    blocks: dict[tuple[int, int], list[Value]] = {}
    for value in values:
        if value.op in _ACCESSES and _is_global(value):
            blocks.setdefault((value.segment, id(value.context)), []).append(value)
    found: set[int] = set()
    users: dict[int, list[Value]] | None = None
    for accesses in blocks.values():
        if len(accesses) < least_accesses:
            continue
        for rows in _arrays(accesses, made):
            if len(rows) < least_rows:
                continue
            if users is None:
                users = _users_of_addresses(values)
            for chain, difference in _chains(rows, least_rows):
                known = {access.number for access in accesses}
                known.update(row.address.number for row in chain)
                if any(_is_kept(row, known, users) for row in chain[:-1]):
                    continue
                stride = stride_of(dict(difference), chain[-1].how)
                is_doubled = chain[0].starts_beside and is_word(chain[0].how.index)
                _follow(chain[1].address, chain[0].address, stride, is_doubled=is_doubled)
                for row, following in pairwise(chain[1:]):
                    _follow(following.address, row.address, stride)
                found.update(row.address.number for row in chain[1:])
    return frozenset(found)


def strides_in_registers(live: Iterable[Value]) -> frozenset[int]:
    """Numbers of the values that make strides which multiply-adds take from ordinary registers, though all threads agree on them."""
    found: set[int] = set()
    pending = [
        value.args[1]
        for value in live
        if isinstance(value.detail, AddressShape) and value.detail.makes_stride
    ]
    while pending:
        value = pending.pop()
        if value.op in _MADE and value.number not in found:
            found.add(value.number)
            pending.extend(value.args)
    return frozenset(found)


def _is_global(access: Value) -> bool:
    return root_of(access.args[0]).kind is not RootKind.SLOT


def _users_of_addresses(values: Sequence[Value]) -> dict[int, list[Value]]:
    found: dict[int, list[Value]] = {}
    for value in values:
        for arg in value.args:
            if arg.op is Pseudo.ADDRESS:
                found.setdefault(arg.number, []).append(value)
    return found


def _is_kept(row: _Row, known: set[int], users: dict[int, list[Value]]) -> bool:
    """Whether anything else needs an address."""
    return any(user.number not in known for user in users.get(row.address.number, ()))


def _arrays(accesses: list[Value], made: dict[int, IndexedAddress]) -> list[list[_Row]]:
    """The rows that a block accesses, by array and by what their addresses take in."""
    rows: dict[int, _Row] = {}
    for place, access in enumerate(accesses):
        address, detail = access.args[0], access.detail
        how, shape = made.get(address.number), address.detail
        if how is None or not isinstance(shape, AddressShape):
            continue
        offset = shape.constant * how.scale_bytes
        if isinstance(detail, LoadDetail):
            offset += detail.offset_bytes
        row = rows.get(address.number)
        if row is None:
            rows[address.number] = _Row(address, how, place, place, [offset])
        else:
            row.last = place
            row.offsets.append(offset)
    arrays: dict[tuple[object, ...], list[_Row]] = {}
    for row in rows.values():
        how = row.how
        key = (how.base.number, how.scale_bytes, row.anchor, id(row.address.context))
        arrays.setdefault(key, []).append(row)
    return list(arrays.values())


def _chains(rows: list[_Row], least_rows: int) -> list[tuple[list[_Row], Stride]]:
    """Rows that follow one another by a stride, those first that take the others' rows."""
    pairs: dict[Stride, dict[int, list[int]]] = {}
    counts: dict[Stride, int] = {}
    for first, second in combinations(range(min(len(rows), _MOST_ROWS)), 2):
        stride = signature(difference_of(rows[second].how.rest, rows[first].how.rest))
        pairs.setdefault(stride, {}).setdefault(first, []).append(second)
        counts[stride] = counts.get(stride, 0) + 1
    index = rows[0].how.index
    is_deep = multiplies_wide(index) and any(
        len(monomial) > _WORDS_OF_PRODUCT for monomial in polynomial_of_pairs(index)
    )
    strides = [
        stride
        for stride, count in counts.items()
        if stride and count >= least_rows - 1 and not (is_deep and len(stride) > 1)
    ]
    found: list[tuple[list[_Row], Stride]] = []
    taken: set[int] = set()
    while strides:
        runs = {stride: _runs(rows, pairs[stride], taken, least_rows) for stride in strides}
        strides = [stride for stride in strides if runs[stride]]
        if not strides:
            break
        best = max(strides, key=lambda each: (max(len(run) for run in runs[each]), -counts[each]))
        for run in runs[best]:
            found.append(([rows[place] for place in run], best))
            taken.update(run)
        strides.remove(best)
    return found


def _runs(
    rows: list[_Row], following: dict[int, list[int]], taken: set[int], least_rows: int
) -> list[list[int]]:
    """Runs of rows by one stride that are long enough, with none in two of them."""
    found: list[list[int]] = []
    used = set(taken)
    for start in following:
        if start in used:
            continue
        run = [start]
        while True:
            here = run[-1]
            after = next(
                (
                    place
                    for place in following.get(here, ())
                    if place not in used and rows[here].last < rows[place].first
                ),
                None,
            )
            if after is None:
                break
            run.append(after)
        if len(run) >= least_rows:
            found.append(run)
            used.update(run)
    return found


def _follow(
    address: Value, earlier: Value, stride: Value, *, is_doubled: bool | None = None
) -> None:
    """Makes an address from an earlier one.

    A multiply-add takes a stride that is a word from an ordinary register, where its first use makes it even of what is
    the same for all threads.

    Args:
        address: The address.
        earlier: The one before it.
        stride: What is added.
        is_doubled: For the second row of all whether it follows two addresses of the first one; None for the others.
    """
    shape = address.detail
    assert isinstance(shape, AddressShape)
    is_made = is_doubled is not None and is_word(stride) and stride.op is not Op.PARAM
    address.args = [earlier, stride]
    address.detail = AddressShape(
        shape.scale_bytes,
        shape.constant,
        is_chained=True,
        makes_stride=is_made,
        is_doubled=bool(is_doubled),
    )
