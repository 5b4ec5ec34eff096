"""Word indices that clang adds up and widens anew in each copy of a loop, as LLVM does not know that they do not overflow.

LLVM sorts the terms of a sum so that what a loop leaves alone is added first, and forgets with that what it knew of overflow:
`k + t + q` with a counter k is `(t + q) + k` afterwards, each copy a sum (IADD3) and a multiply-add (IMAD.WIDE), and one of the
latter alone for each further array. A sum that was written so, or that something else needs, keeps its pointer or one address for all copies, and so
do constants. A multiple of the counter beside another term has such words where the constant of a copy cannot be taken out of it: in copies whose number is no power
of two, where the counter itself has another use, and where a sum with the counter in it is multiplied (of 80 own loops on sm_86 all but 6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.addressing.address_shapes import CounterTerm
    from roofstat.instructions.graph.values import LoopFrame, Value

_FIRST_ARRAY = 2.0
"""A sum and a multiply-add."""
_FURTHER_ARRAY = 1.0
_SCALED = 1.5
"""Of multiples of the counter some copies share an address: two or three of four."""
_ADDITIVE = frozenset({Op.ADD, Op.SUB})


class SummedWords(NamedTuple):
    """Pointers that are none."""

    in_copy: dict[int, float]
    """Operations in each copy, by number."""
    in_round: dict[int, float]
    """Operations in each round besides: words that advance beside the counter."""
    loops: frozenset[int]
    """Loops with such words, by identity."""
    several: frozenset[int]
    """Loops whose counter has several uses."""


NO_WORDS = SummedWords({}, {}, frozenset(), frozenset())


def summed_words(live: list[Value], users: dict[int, list[Value]]) -> SummedWords:
    """The pointers of a graph that are such words."""
    streams: dict[int, list[tuple[Value, CounterTerm]]] = {}
    counters: dict[int, Value] = {}
    for value in live:
        loop = value.context.loop
        if loop is None:
            continue
        if value.op is Pseudo.PHI and value is loop.tested:
            counters[id(loop)] = value
        if isinstance(value.detail, StreamShape) and value.detail.term is not None:
            streams.setdefault(id(loop), []).append((value, value.detail.term))
    in_copy: dict[int, float] = {}
    in_round: dict[int, float] = {}
    loops: set[int] = set()
    several: set[int] = set()
    for key, members in streams.items():
        counter = counters.get(key)
        if counter is None:
            continue
        seen: set[int] = set()
        loop = members[0][0].context.loop
        assert loop is not None
        is_odd = bool(loop.batch & (loop.batch - 1))
        if _uses(members, counter, loop, users) > 1:
            several.add(key)
        for stream, term in members:
            if term.in_shared:
                # What has a pointer besides is at its offset.
                if is_odd and term.is_beside and key not in several and not stream.is_uniform:
                    loops.add(key)
                    in_copy[stream.number], in_round[stream.number] = _FIRST_ARRAY, 0.0
                continue
            is_apart = is_odd or key in several or term.is_of_sum
            is_scaled = term.is_beside and is_apart and loop.batch > 1
            is_sorted = term.inner is not None and not _is_used(term, members, users)
            if not (is_sorted or is_scaled):
                continue
            is_first = term.index not in seen
            seen.add(term.index)
            loops.add(key)
            is_uniform = stream.is_uniform and not loop.has_known_trips
            whole = _FIRST_ARRAY if is_sorted or term.is_of_sum else _SCALED
            in_copy[stream.number] = whole if is_first and not is_uniform else _FURTHER_ARRAY
            advances = is_first and not (is_sorted and loop.has_known_trips)
            in_round[stream.number] = 1.0 if advances and loop.copies > 1 else 0.0
    return SummedWords(in_copy, in_round, frozenset(loops), frozenset(several))


def _is_used(
    term: CounterTerm, members: list[tuple[Value, CounterTerm]], users: dict[int, list[Value]]
) -> bool:
    """Whether something else takes the sum inside of an index: then it is not taken apart."""
    if users.get(term.inner or 0):
        return True
    return any(
        term.inner in {other.index, other.inner} and other.index != term.index
        for _, other in members
    )


def _uses(
    members: list[tuple[Value, CounterTerm]],
    counter: Value,
    loop: LoopFrame,
    users: dict[int, list[Value]],
) -> int:
    """How many different operations take the counter: products, sums, conversions."""
    found: set[object] = {term.use for _, term in members}
    step = counter.args[1] if len(counter.args) > 1 else counter
    others = [
        use
        for use in users.get(counter.number, [])
        if use not in (counter, step) and use not in loop.exits and not _is_further(use, counter)
    ]
    return len(found) + bool(others)


def _is_further(use: Value, counter: Value) -> bool:
    """Whether a value is the counter of a further copy."""
    return use.op in _ADDITIVE and use.args[0] is counter and use.args[1].is_constant
