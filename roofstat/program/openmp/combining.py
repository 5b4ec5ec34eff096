"""Combiners that a program declares, as the device run time applies them to the threads of a team.

Each thread combines five times with lanes of its warp and once into the result of the team; then the first warp combines
the results of the warps, halving their number with each round.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.program.code import If, Op, SpecialRegister
from roofstat.program.context import InMemory, Place
from roofstat.program.expressions import lower_effect
from roofstat.program.memory_access import load_place, place_address, store_place
from roofstat.program.openmp.state import thread_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clang_queries.ir.statements import Combiner
    from roofstat.program.context import Context
    from roofstat.program.link import Leaf

_ROUNDS = 6
"""In a warp, and into the result of the team."""
_COUNT = Scalar.U32


@dataclass(frozen=True, slots=True)
class Combination:
    """One element of a reduction that the program declares."""

    combiner: Combiner
    shared: Place
    private: Place
    leaves: tuple[Leaf, ...]
    """Its numbers."""


def initialise(context: Context, element: Combination) -> None:
    """Set the private copy as the program says."""
    places = {"omp_priv": element.private, "omp_orig": element.shared}
    with _named(context, places):
        for effect in element.combiner.initial:
            lower_effect(context, effect)


def combine_in_team(context: Context, elements: tuple[Combination, ...]) -> None:
    """The combiner's code, as often as each thread runs it."""
    builder = context.builder
    one = builder.constant(1, _COUNT)

    def fewer(left: int) -> int:
        return builder.value(Op.SUB, _COUNT, left, one)

    def half(left: int) -> int:
        return builder.value(Op.SHR, _COUNT, builder.value(Op.ADD, _COUNT, left, one), one)

    _repeated(context, elements, builder.constant(_ROUNDS + 1, _COUNT), fewer)
    limit = builder.constant(WARP_SIZE, _COUNT)
    flag = builder.value(Op.LT, Scalar.BOOL, thread_index(context), limit, scalar=_COUNT)
    first_warp = If(flag, [], [], builder.position, "if", builder.new_branch_number())
    with builder.inside(first_warp.then):
        threads = builder.value(Op.SPECIAL, _COUNT, detail=SpecialRegister.NTID_X)
        padded = builder.value(Op.ADD, _COUNT, threads, builder.constant(WARP_SIZE - 1, _COUNT))
        warps = builder.value(Op.DIV, _COUNT, padded, limit)
        _repeated(context, elements, warps, half)
    builder.add(first_warp)


def _repeated(
    context: Context,
    elements: tuple[Combination, ...],
    start: int,
    following: Callable[[int], int],
) -> None:
    """Combine as long as a counter, which `following` steps, is above 1."""
    builder = context.builder
    left = builder.variable(_COUNT)
    builder.move(left, start)

    def is_above_one() -> int:
        one = builder.constant(1, _COUNT)
        return builder.value(Op.LT, Scalar.BOOL, one, left, scalar=_COUNT)

    def combine() -> None:
        for element in elements:
            _combine(context, element)

    builder.repeat(is_above_one, combine, lambda: builder.move(left, following(left)))


def _combine(context: Context, element: Combination) -> None:
    """What another lane has, put into what the thread has."""
    builder = context.builder
    size = max((leaf.offset_bytes + leaf.scalar.size_bytes for leaf in element.leaves), default=1)
    slot = builder.local_slot("omp_in", size, host=False, element=element.leaves[0].scalar)
    other = Place(builder.slot_address(slot), array="omp_in")
    distance = builder.constant(1, _COUNT)
    for leaf in element.leaves:
        own = load_place(context, element.private.part(leaf.offset_bytes), leaf.scalar)
        moved = builder.value(Op.SHUFFLE, leaf.scalar, own, distance, detail="down")
        store_place(context, other.part(leaf.offset_bytes), moved, leaf.scalar)
    with _named(context, {"omp_out": element.private, "omp_in": other}):
        for effect in element.combiner.effects:
            lower_effect(context, effect)


@contextmanager
def _named(context: Context, places: dict[str, Place]) -> Iterator[None]:
    """The names of a combiner mean these places."""
    bindings = context.frame.bindings
    for name, place in places.items():
        bindings[name] = InMemory(place_address(context, place), place.array)
    yield
    for name in places:
        del bindings[name]
