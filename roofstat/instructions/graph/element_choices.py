"""Small private arrays that stay in registers although only the run knows an index.

The assembler compares the index with the place of each element and moves each under its predicate, so that a thread makes one of the
moves, instead of keeping the array in local memory. Read off SASS of nvcc 13.0 (sm_86 and sm_90; clang 18.1.6 with ptxas 12.6 has the same limits): some
600 own kernels that read, write and count in arrays of 2 to 64 words, at up to 24 places, in straight code and in loops.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.address_shapes import AddressShape
from roofstat.instructions.addressing.constant_memory import is_constant_load
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.memory_state import RootKind, is_at_known_place, root_of
from roofstat.instructions.graph.values import Pseudo, Value, split_pointer
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.program.code import Code

__all__ = ["ElementChoices", "element_choices"]

_WORD_BYTES = 4
_LENGTHS = (4, 5, 6, 7, 9, 11, 12, 23, 47, 64)
_LIMITS = (150.0, 40.0, 18.0, 14.0, 8.4, 6.0, 4.2, 4.0, 3.0, 2.0)
"""Accesses at places of the run, for arrays of up to so many words."""
_READ_BACK = 2.0
"""More of them in straight code where the array is also loaded at known places."""
_LOOP_WEIGHT = 4.2
"""One in a loop behind the stores at known places counts as so many, however deep the loop."""
_CONSTANT_WEIGHT = 1.75
"""One at an index from constant memory counts as so many: of 8 words four stay, and six do not."""
_CARRIED_LIMITS = (60.0, 24.0, 5.0, 3.0, 3.0)
"""Accesses in loops that load and store, for arrays of 2 to 6 words: each iteration hands all words to the next."""
_SHORTEST = 2
_PREDICATES = 7
"""So many comparisons are kept for a second access to the same place."""
_MOVE = 0.5
"""Of the moves under predicates each access makes one; half of them are MOV, which is no integer operation, or the element's own instruction."""
_LONGEST_ARGUMENT = 47
"""Words of arguments that are indexed so; longer ones are loaded at an index (LDC)."""
_LONG = 40
_LARGEST_CODE = 11830.0
"""Other code beside a long array, times its words: 187 operations beside 64 words, 196, 206, 218, 233, 252 and 275 beside 60, 56, 52,
48, 44 and 40 (nvcc, sm_90; where filling them takes a load each, or a product). Beside those and more the array is in local memory, which
it is stored to four words at once; lengths that are no multiple of four need twice to four times as much code."""
_LOAD_SIZE = 2
_OTHER_SIZE = 61
_VECTOR_BYTES = 16
_COMPUTING = frozenset(
    {
        *(Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.REM, Op.NEG, Op.MATH, Op.SELECT, Op.CAST),
        *(Op.SHL, Op.SHR, Op.AND, Op.OR, Op.XOR, Op.BIT_NOT),
        *(Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE),
    }
)


@dataclass(frozen=True, slots=True)
class ElementChoices:
    """Arrays that stay in registers, and what choosing an element takes."""

    slots: frozenset[int]
    operations: Mapping[int, float]
    """Integer operations of loads and stores at places of the run, by value number."""


def element_choices(
    live: Iterable[Value], code: Code, slots: frozenset[int], *, limits_code: bool = False
) -> ElementChoices:
    """Find them among private slots whose addresses go nowhere else.

    Args:
        live: Live values in order of creation.
        code: Their code.
        slots: Private slots that are indexed by something not constant.
        limits_code: Whether long arrays stay in registers beside little other code alone.
    """
    live = list(live)
    arguments = {parameter.slot for parameter in code.parameters}
    accesses: dict[int, list[Value]] = defaultdict(list)
    for value in live:
        if value.op not in {Op.LOAD, Op.STORE, Op.ZERO}:
            continue
        root = root_of(value.args[0])
        slot = root.identity
        if root.kind is RootKind.SLOT and isinstance(slot, int) and slot in slots | arguments:
            accesses[slot].append(value)
    chosen = {
        slot: found
        for slot, found in accesses.items()
        if _stays(found, code.slots[slot].size_bytes, is_argument=slot in arguments)
    }
    long = [slot for slot in chosen if slot in slots and _is_long(code.slots[slot].size_bytes)]
    if limits_code and long:
        size = _code_size(live)
        for slot in long:
            if size > _most_code(code.slots[slot].size_bytes // _WORD_BYTES):
                del chosen[slot]
    operations: dict[int, float] = {}
    for slot, found in chosen.items():
        size = code.slots[slot].size_bytes
        operations.update(_operations(found, size, is_argument=slot in arguments))
    return ElementChoices(frozenset(chosen), operations)


def _stays(accesses: list[Value], size_bytes: int, *, is_argument: bool) -> bool:
    """Whether the assembler keeps an array in registers: of words, with places that it knows and few that it does not."""
    words = size_bytes // _WORD_BYTES
    if not _SHORTEST <= words <= _LENGTHS[-1] or size_bytes % _WORD_BYTES:
        return False
    if any(a.op is not Op.ZERO and a.scalar.size_bytes != _WORD_BYTES for a in accesses):
        return False
    known = [access for access in accesses if is_at_known_place(access)]
    of_run = [access for access in accesses if not is_at_known_place(access)]
    if not of_run or (words > _LONGEST_ARGUMENT if is_argument else not known):
        return False
    filled = max((a.context.depth for a in known if a.op is not Op.LOAD), default=0)
    behind = [access for access in of_run if access.context.depth > filled]
    deepest = max((access.context.depth for access in of_run), default=0)
    carried = of_run if deepest > 1 else behind
    if len({access.op for access in carried}) > 1:
        place = words - _SHORTEST
        limit = _CARRIED_LIMITS[place] if place < len(_CARRIED_LIMITS) else 0.0
        return len(of_run) <= limit - (deepest > 1)
    limit = _LIMITS[bisect_left(_LENGTHS, words)]
    if not behind and any(access.op is Op.LOAD for access in known):
        limit += _READ_BACK
    weight = sum(_CONSTANT_WEIGHT if _is_at_constant(access) else 1.0 for access in of_run)
    return weight + (_LOOP_WEIGHT - 1.0) * len(behind) <= limit


def _is_long(size_bytes: int) -> bool:
    return size_bytes >= _LONG * _WORD_BYTES and size_bytes % _VECTOR_BYTES == 0


def _most_code(words: int) -> float:
    return _LARGEST_CODE / words - _OTHER_SIZE + words


def _code_size(live: list[Value]) -> int:
    """Operations besides addresses and private arrays; a load from elsewhere counts as two, a product and its sum as one."""
    size = 0
    fused = set[int]()
    for value in live:
        if value.op is Op.LOAD:
            root = root_of(value.args[0])
            size += 0 if root.kind is RootKind.SLOT else _LOAD_SIZE
        elif value.op in _COMPUTING:
            size += 1
            factors = [a for a in value.args if a.op is Op.MUL and a.number not in fused]
            if value.op in {Op.ADD, Op.SUB} and value.scalar.is_float and factors:
                fused.add(factors[0].number)
    return size - len(fused)


def _is_at_constant(access: Value) -> bool:
    """Whether the index of an access is read from constant memory."""
    place = access.args[0]
    if place.op is Pseudo.OFFSET:
        place = place.args[0]
    if place.op is not Pseudo.ADDRESS:
        return False
    index = place.args[1]
    while index.op is Op.CAST:
        index = index.args[0]
    return is_constant_load(index)


def _operations(accesses: list[Value], size_bytes: int, *, is_argument: bool) -> dict[int, float]:
    """A comparison for each element that an access may mean, and the one move that is made, by value number."""
    found: dict[int, float] = {}
    compared: dict[tuple[int, object], set[int]] = defaultdict(set)
    for access in accesses:
        if is_at_known_place(access) or (is_argument and access.args[0].is_uniform):
            continue
        elements = _elements(access, size_bytes)
        # Of an argument the first element is loaded (LDC) under its predicate.
        moves = 0.0 if is_argument and not found else _MOVE
        (root, _), offset = split_pointer(access.args[0]), _offset_bytes(access)
        places = compared[root.number, access.context]
        comparisons = elements
        if offset in places:
            comparisons = max(elements - _PREDICATES, 0.0)
        elif places:
            # The index is compared with each place less what this access adds to it: so many are new.
            comparisons = min(abs(offset - place) for place in places) / _WORD_BYTES
        places.add(offset)
        found[access.number] = comparisons + moves
    return found


def _elements(access: Value, size_bytes: int) -> float:
    """Elements from the constant part of a place on, in steps of the index."""
    place = access.args[0]
    offset = _offset_bytes(access)
    if place.op is Pseudo.OFFSET:
        place = place.args[0]
    step = _WORD_BYTES
    if isinstance(place.detail, AddressShape):
        step = max(place.detail.scale_bytes, _WORD_BYTES)
    return float(max(-(-(size_bytes - max(offset, 0)) // step), 1))


def _offset_bytes(access: Value) -> int:
    return access.detail.offset_bytes if isinstance(access.detail, LoadDetail) else 0
