"""Pointers into shared memory that advance with a loop: one word each, whatever rows and elements they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.addressing.address_shapes import CounterTerm, StreamShape
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.polynomials import (
    constant_term,
    plus,
    scaled,
    signature,
    without_constant,
)

if TYPE_CHECKING:
    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.integers.polynomials import Polynomial


class SharedStreams:
    """Makes the advancing pointers into shared memory of one walk."""

    def __init__(self, numberer: Numberer) -> None:
        self._numberer = numberer
        self._places: dict[int, tuple[Value, Polynomial]] = {}
        """Where addresses are, by number: what they start from, and the bytes beyond it."""
        self._known: dict[tuple[object, ...], Value] = {}
        """Pointers by what they start from and the bytes beyond it without their constant."""

    def stream(
        self, base: Value, index: Value, rest: Polynomial, scale_bytes: int
    ) -> tuple[Value, int] | None:
        """A pointer that advances with the innermost loop.

        Args:
            base: What is indexed.
            index: The index.
            rest: That without its constant.
            scale_bytes: Bytes of an element.

        Returns:
            The pointer and the constant bytes from it to `base + rest`; None where nothing advances.
        """
        origin, total = self._place(base, rest, scale_bytes)
        beyond = constant_term(total)
        total = without_constant(total)
        key = (origin.number, signature(total))
        known = self._known.get(key)
        if known is not None and self._numberer.is_usable(known):
            return known, beyond
        pointer = self._pointer(origin, total, index, rest)
        if pointer is None:
            return None
        self._known[key] = pointer
        self._places[pointer.number] = origin, total
        return pointer, beyond

    def remember(self, address: Value, base: Value, index: Polynomial, scale_bytes: int) -> None:
        """Says how an address that does not advance was made."""
        self._places[address.number] = self._place(base, index, scale_bytes)

    def _place(self, base: Value, index: Polynomial, scale_bytes: int) -> tuple[Value, Polynomial]:
        origin, before = self._places.get(base.number, (base, {}))
        return origin, plus(before, scaled(index, scale_bytes))

    def _pointer(
        self, origin: Value, total: Polynomial, index: Value, rest: Polynomial
    ) -> Value | None:
        if not self._numberer.frames:
            return None
        frame = self._numberer.frames[-1]
        if frame.keeps_indices:
            return None
        numbers = {number for monomial in total for number in monomial}
        counters = [number for number in numbers if number in frame.counters]
        others = [self._numberer.values[number] for number in sorted(numbers.difference(counters))]
        if len(counters) != 1 or self._numberer.natural_depth([origin, *others]) >= frame.depth:
            return None
        (counter,) = counters
        moving = [monomial for monomial in total if counter in monomial]
        if any(monomial.count(counter) > 1 for monomial in moving):
            return None
        is_plain = moving == [(counter,)]
        if is_plain and frame.counters[counter] is None:
            return None  # the counter is scaled in each round
        term = None
        if is_plain and (counter,) in rest:
            beside = {monomial: rest[monomial] for monomial in rest if monomial != (counter,)}
            term = CounterTerm(
                factor=rest[counter,],
                beside=signature(beside),
                index=index.number,
                in_shared=True,
            )
        shape = StreamShape(is_plain, len(total) > 1, term=term)
        args = [origin, self._numberer.values[counter].args[0], *others]
        context = self._numberer.context if frame.header is None or not is_plain else frame.header
        return self._numberer.new(Pseudo.STREAM, Scalar.U64, args, shape, context)
