"""Pointers of clang's that advance with a counter of 64 bits by a step that only the run knows, as in grid-stride loops over `size_t`.

Arrays of one element size add an offset that advances for all of them. One that is alone with its size has a pointer, which
the access gets in a copy of both words, as the next one is made before it (SASS of 39 own kernels of clang 18.1.6, sm_86 and sm_90). A
step of one word takes one multiply-add, one of two words LEA and IMAD.X; of bytes the counter is the offset. Iterations that the device run
time hands out are none of these: their pointers start anew in each chunk.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from roofstat.instructions.addressing.address_shapes import StreamShape
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.widths import WIDE, is_word
from roofstat.program.code import Op
from roofstat.program.openmp.runtime_calls import is_run_time_work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.instructions.graph.values import LoopFrame

_PAIR = 2.0
"""A sum, a scaled sum or a copy of two words."""
_STEP_BY_WORD = 1.0
"""IMAD.WIDE."""
_START = 2.0
"""The first address of a pointer, or offset, and what the counter starts at in registers of its own."""
_SCALED_STEP = 1.0
"""SHF.L.U64.HI: the upper word of a step of two words."""


class LongCounter(NamedTuple):
    """How a loop counts in 64 bits."""

    steps_by_word: bool


class LongPointers:
    """The pointers of one graph."""

    def __init__(self, live: Iterable[Value]) -> None:
        self._counters: dict[int, LongCounter] = {}
        self._sizes: dict[int, Counter[int]] = {}
        """Accesses of each size of element, by loop."""
        self._begun: set[tuple[int, int]] = set()
        streams: list[Value] = []
        values = list(live)
        if any(is_run_time_work(value.detail) for value in values):
            return
        for value in values:
            loop = value.context.loop
            if loop is None:
                continue
            if value.op is Pseudo.PHI and value.scalar in WIDE and value.number in loop.counters:
                if loop.counters[value.number] is None:
                    self._counters[id(loop)] = LongCounter(_steps_by_word(value))
            elif _is_moved(value):
                streams.append(value)
        for stream in streams:
            self._sizes.setdefault(id(stream.context.loop), Counter())[_size(stream)] += 1

    def has(self, stream: Value) -> bool:
        """Whether a pointer is one of them."""
        return _is_moved(stream) and id(stream.context.loop) in self._counters

    def counts(self, loop: LoopFrame | None) -> bool:
        """Whether a loop counts so."""
        return id(loop) in self._counters

    def is_lone(self, stream: Value) -> bool:
        """Whether an array has a pointer of its own, which is copied for its access."""
        return self.has(stream) and self._sizes[id(stream.context.loop)][_size(stream)] == 1

    def advance(self, stream: Value) -> float:
        """Operations of each round: the advance of a lone pointer, or the sum of an array and the offset."""
        if not self.is_lone(stream):
            return _PAIR
        return self._step(stream)

    def offsets(self, loop: LoopFrame | None) -> float:
        """Operations of each round for the offsets of a loop."""
        counter = self._counters.get(id(loop))
        if counter is None:
            return 0.0
        step = _STEP_BY_WORD if counter.steps_by_word else _PAIR
        sizes = self._sizes.get(id(loop), Counter())
        return step * sum(count > 1 and size > 1 for size, count in sizes.items())

    def start(self, stream: Value) -> float:
        """Operations in front of the loop: once for the counter, and for each pointer and offset."""
        loop, size = id(stream.context.loop), _size(stream)
        found = 0.0
        if not any(begun == loop for begun, _ in self._begun):
            found += _START
        is_scaled = size > 1 and not self._counters[loop].steps_by_word
        if (loop, size) not in self._begun:
            found += _START + (_SCALED_STEP if is_scaled else 0.0)
        self._begun.add((loop, size))
        return found

    def _step(self, stream: Value) -> float:
        by_word = self._counters[id(stream.context.loop)].steps_by_word
        return _STEP_BY_WORD if by_word and _size(stream) > 1 else _PAIR


def _is_moved(value: Value) -> bool:
    return isinstance(value.detail, StreamShape) and value.detail.by_offset


def _size(stream: Value) -> int:
    assert isinstance(stream.detail, StreamShape)
    return stream.detail.element_bytes


def _steps_by_word(counter: Value) -> bool:
    following = counter.args[1] if len(counter.args) > 1 else counter
    if following.op not in {Op.ADD, Op.SUB}:
        return False
    return any(arg is not counter and is_word(arg) for arg in following.args)
