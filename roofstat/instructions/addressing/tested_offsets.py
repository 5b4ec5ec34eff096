"""Loops of known length in which clang tests an offset that all pointers add, as nothing else needs the counter.

LLVM's reduction of strength makes one offset of 64 bits the only variable that advances: two operations for it and two for each
pointer in a round, whatever the strides and where the pointers start, and none for a counter. The assembler keeps it in ordinary registers
(SASS of clang 18.1.6, sm_86 and sm_90: all of 60 own loops of one to six pointers). A counter that something else takes is what the
loop tests; then the pointers advance by themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.addressing.summed_words import SummedWords
    from roofstat.instructions.graph.values import LoopFrame, Value


def note_tested_offsets(
    live: list[Value], users: dict[int, list[Value]], summed: SummedWords
) -> None:
    """Notes on such loops of a graph which sum advances the offset instead of the counter."""
    pointed = {
        id(value.context.loop)
        for value in live
        if _is_pointer(value) and not _is_word(value, summed)
    }
    for value in live:
        loop = value.context.loop
        if value.op is not Pseudo.PHI or loop is None or id(loop) not in pointed:
            continue
        is_known = loop.has_known_trips and loop.is_countable and loop.tested is value
        if is_known and (loop.counters.get(value.number) or 0) > 0 and _is_left(value, loop, users):
            loop.offset_step = value.args[1].number


def _is_pointer(value: Value) -> bool:
    shape = value.detail
    if value.op is not Pseudo.STREAM or not isinstance(shape, StreamShape):
        return False
    is_plain = shape.constant_step and not shape.word_operations
    return is_plain and root_of(value).kind is not RootKind.SLOT


def _is_word(value: Value, summed: SummedWords) -> bool:
    """Whether an index is a word that advances: a sum whose other terms are a sum, too, which LLVM does not take apart."""
    shape = value.detail
    if not isinstance(shape, StreamShape) or shape.term is None or shape.term.in_shared:
        return False
    term = shape.term
    return term.adds_sum if term.inner is None else value.number in summed.in_copy


def _is_left(counter: Value, loop: LoopFrame, users: dict[int, list[Value]]) -> bool:
    """Whether nothing takes a counter but its own step and the test."""
    step = counter.args[1]
    uses = [*users.get(counter.number, []), *users.get(step.number, [])]
    return all(use in (counter, step) or use in loop.exits or _is_index(use, users) for use in uses)


def _is_index(value: Value, users: dict[int, list[Value]]) -> bool:
    """Whether a value goes into words that address memory alone, which advance by themselves."""
    if value.op is Pseudo.ADDRESS:
        return True
    uses = users.get(value.number, [])
    return value.op in _OF_INDICES and bool(uses) and all(_is_index(use, users) for use in uses)


_OF_INDICES = frozenset({Pseudo.DERIVED, Op.ADD, Op.SUB, Op.MUL, Op.SHL, Op.CAST})
