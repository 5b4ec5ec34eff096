"""Which loaded and stored values are still in registers: redundant loads and forwarding of stores."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op, ParameterPiece

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value


class RootKind(Enum):
    """Where a pointer comes from."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    SLOT = "slot"
    GLOBAL = "global"
    PARAMETER = "parameter"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Root:
    """The object that a pointer points into, as far as it is known."""

    kind: RootKind
    identity: object
    is_restrict: bool = False
    points_to_const: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A memory location: a variable part (value number), a constant offset and the type there."""

    root: Root
    address: int
    offset_bytes: int
    scalar: Scalar

    def overlaps(self, other: Place) -> bool:
        """Whether two places with the same variable part share bytes."""
        return (
            self.offset_bytes < other.offset_bytes + other.scalar.size_bytes
            and other.offset_bytes < self.offset_bytes + self.scalar.size_bytes
        )


_CHARACTERS = frozenset({Scalar.I8, Scalar.U8, Scalar.BOOL})


def parameter_root(piece: ParameterPiece) -> Root:
    """The object that a pointer argument points into."""
    return Root(
        RootKind.PARAMETER,
        (piece.index, piece.offset_bytes),
        piece.is_restrict,
        piece.points_to_const,
    )


_SAME_OBJECT = frozenset(
    {Pseudo.ADDRESS, Pseudo.STREAM, Pseudo.OFFSET, Pseudo.EXIT, Op.CAST, Op.BITCAST, Op.ADD}
)
_DEEPEST_CHOICE = 6
_LONGEST_WALK = 16


def root_of(pointer: Value, depth: int = 0) -> Root:
    """The object that `pointer` points into."""
    value = pointer
    walked = 0
    while True:
        if value.op in _SAME_OBJECT:
            value = value.args[0]
        elif value.op is Pseudo.PHI and isinstance(value.detail, Root):
            return value.detail
        elif value.op is Pseudo.PHI and walked < _LONGEST_WALK:
            # A pointer that walks still points into the object where it started.
            value = value.args[0]
            walked += 1
        else:
            break
    match value.op:
        case Op.SLOT:
            return Root(RootKind.SLOT, value.detail)
        case Op.GLOBAL:
            return Root(RootKind.GLOBAL, value.detail)
        case Op.PARAM if isinstance(value.detail, ParameterPiece):
            return parameter_root(value.detail)
        case Op.SELECT | Pseudo.JOIN if depth < _DEEPEST_CHOICE:
            roots = {root_of(choice, depth + 1) for choice in choices(value)}
            return roots.pop() if len(roots) == 1 else Root(RootKind.UNKNOWN, value.number)
        case _:
            return Root(RootKind.UNKNOWN, value.number)


def is_at_known_place(access: Value) -> bool:
    """Whether a load or store is at a constant place of a slot."""
    place = access.args[0]
    return place.op is Op.SLOT or (place.op is Pseudo.OFFSET and place.args[0].op is Op.SLOT)


def choices(value: Value) -> list[Value]:
    """The values that a SELECT or JOIN chooses from."""
    if value.op is Op.SELECT:
        return value.args[1:]
    return value.args[: value.detail] if isinstance(value.detail, int) else value.args


def roots_may_alias(first: Root, second: Root, exposed: frozenset[int]) -> bool:
    """Whether two pointers may reach the same object; unknown ones reach the `exposed` slots."""
    if first.kind is second.kind and first.identity == second.identity:
        return True
    if RootKind.UNKNOWN in {first.kind, second.kind}:
        known = second if first.kind is RootKind.UNKNOWN else first
        return known.kind is not RootKind.SLOT or known.identity in exposed
    if first.kind is RootKind.PARAMETER and second.kind is RootKind.PARAMETER:
        return not (first.is_restrict or second.is_restrict)
    # A pointer argument may point to a global variable, but the compilers' frames stay apart.
    return {first.kind, second.kind} == {RootKind.PARAMETER, RootKind.GLOBAL}


@dataclass(frozen=True, slots=True)
class LoopWrites:
    """What a loop may store to: roots with the type stored, None for any type."""

    targets: tuple[tuple[Root, Scalar | None], ...]
    is_everything: bool
    """Calls and barriers: anything but private slots and read-only data may change."""
    type_based: bool
    exposed: frozenset[int]
    """Slots that pointers of unknown origin reach."""

    def may_change(self, place: Place) -> bool:
        """Whether an iteration may overwrite `place`."""
        root = place.root
        if root.is_restrict and root.points_to_const:
            return False
        if self.is_everything and root.kind is not RootKind.SLOT:
            return True
        for target, scalar in self.targets:
            if not roots_may_alias(root, target, self.exposed):
                continue
            if scalar is None or not self.type_based or target == root:
                return True
            if not _types_differ(scalar, place.scalar):
                return True
        return False


class MemoryState:
    """Values known to be in memory at a point of the program.

    Args:
        type_based: whether accesses of different types are taken not to alias (clang does so).
        exposed: slots that pointers of unknown origin reach.
    """

    __slots__ = ("_exposed", "_known", "_type_based")

    def __init__(self, *, type_based: bool, exposed: frozenset[int]) -> None:
        self._exposed = exposed
        self._known: dict[Root, dict[Place, Value]] = {}
        self._type_based = type_based

    def copy(self) -> MemoryState:
        """An independent copy."""
        result = MemoryState(type_based=self._type_based, exposed=self._exposed)
        result._known = {root: dict(places) for root, places in self._known.items()}
        return result

    def lookup(self, place: Place) -> Value | None:
        """The value at `place`, if it still is in a register that is defined here."""
        value = self._known.get(place.root, {}).get(place)
        return value if value is not None and value.context.is_active else None

    def remember(self, place: Place, value: Value) -> None:
        """After a load or a store: `value` is at `place`."""
        self._known.setdefault(place.root, {})[place] = value

    def store(self, place: Place) -> None:
        """Forgets what a store to `place` may overwrite."""
        for root in list(self._known):
            if root.points_to_const and root.is_restrict:
                continue
            if roots_may_alias(root, place.root, self._exposed):
                self._kill(root, place)

    def _kill(self, root: Root, place: Place) -> None:
        same_object = root == place.root
        places = self._known[root]
        for known in list(places):
            if known.address == place.address and same_object:
                if not known.overlaps(place):
                    continue
            elif self._type_based and _types_differ(known.scalar, place.scalar):
                continue
            del places[known]

    def store_anywhere(self, root: Root) -> None:
        """Forgets everything that a store through `root` at an unknown place and type may overwrite."""
        for known in list(self._known):
            may_alias = roots_may_alias(known, root, self._exposed)
            if may_alias and not (known.points_to_const and known.is_restrict):
                del self._known[known]

    def enter_loop(self, writes: LoopWrites) -> None:
        """Forgets what an iteration may overwrite."""
        for root, places in list(self._known.items()):
            for place in list(places):
                if writes.may_change(place):
                    del places[place]
            if not places:
                del self._known[root]

    def forget_shared(self, private: frozenset[int]) -> None:
        """After a barrier: other threads may have written everything but private slots and read-only data."""
        for root in list(self._known):
            if root.kind is RootKind.SLOT and root.identity in private:
                continue
            if root.points_to_const and root.is_restrict:
                continue
            del self._known[root]

    def merge(self, other: MemoryState) -> None:
        """Keeps what holds in both states."""
        for root in list(self._known):
            theirs = other._known.get(root)
            if theirs is None:
                del self._known[root]
                continue
            mine = self._known[root]
            for place in list(mine):
                if theirs.get(place) is not mine[place]:
                    del mine[place]


def _types_differ(first: Scalar, second: Scalar) -> bool:
    if first in _CHARACTERS or second in _CHARACTERS:
        return False
    if first.is_float != second.is_float:
        return True
    return first.size_bytes != second.size_bytes
