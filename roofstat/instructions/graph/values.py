"""Values of the instruction model: a hash-consed expression graph with the place where each is computed."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from roofstat.instructions.addressing.scaled_words import ScaledWords
from roofstat.program.code import Op

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.instructions.graph.memory_state import LoopWrites
    from roofstat.instructions.integers.polynomials import Monomial, Polynomial
    from roofstat.instructions.weights import Weight


class Pseudo(Enum):
    """Operations that exist only in the model."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    CONSTANT = "constant"
    UNDEFINED = "undefined"  # a variable read before it is written
    PHI = "phi"  # initial value, value of the next iteration, loop condition
    JOIN = "join"  # alternatives, then the conditions that choose
    EXIT = "exit"  # value that a variable has after a loop
    ADDRESS = "address"  # base, index; detail: scale in bytes
    STREAM = "stream"  # base, invariant operands...; detail: StreamShape
    DERIVED = "derived"  # an earlier index plus a multiple of an invariant: one operation
    OFFSET = "offset"  # pointer plus constant; detail: bytes
    SETUP = "setup"  # what a partly unrolled loop computes before it starts; detail: copies
    REMAINING = "remaining"  # start of a counter; another one that counts what a partly unrolled loop has still to do
    ROUND = "round"  # further work for each round of a partly unrolled loop
    BRANCH = "branch"  # condition that some control flow needs


AnyOp = Op | Pseudo
Origin = tuple[int, int]
"""Number of a block, and a place among its instructions."""


class LoopFrame:
    """One instance of a loop that stays a loop (not fully unrolled)."""

    __slots__ = (
        "adds_thread_number",
        "advances_words",
        "batch",
        "bounds",
        "copies",
        "copy_from",
        "counters",
        "counts_down",
        "counts_itself",
        "depth",
        "exits",
        "falling",
        "has_common_offset",
        "has_inner_loop",
        "has_known_trips",
        "has_moving_bound",
        "has_runtime_step",
        "has_scaled_counter",
        "has_wide_counter",
        "has_wide_step",
        "has_word_index",
        "header",
        "indices",
        "is_countable",
        "is_inner",
        "keeps_counter",
        "keeps_falling",
        "keeps_indices",
        "known_trips",
        "loses_overflow",
        "more_tests",
        "multiplied_indices",
        "number",
        "offset_step",
        "outside",
        "preheader",
        "repeated",
        "scaled",
        "scales_outside",
        "shares_indices",
        "size",
        "stays_rolled",
        "tested",
        "trips",
        "unrolls_rest",
        "varies_trips",
        "word_indices",
        "writes",
    )

    def __init__(self, number: int, outside: Context, copies: int) -> None:
        self.adds_thread_number = False
        """Whether an index adds the counter to the number of the thread in the grid."""
        self.advances_words = False
        """Whether an index is a word that advances, counted as such."""
        self.number = number
        self.outside = outside
        """Context that holds the loop: what is invariant goes there."""
        self.preheader = outside
        """Context of what runs once before the first iteration, where there is one."""
        self.depth: int = outside.depth + 1
        self.copies = copies
        self.copy_from = 0
        """Number of the first value of the copy that is being walked."""
        self.batch = copies
        """Those of them that the compiler made; the assembler repeats them."""
        self.header: Context | None = None
        """Context of what runs in every iteration."""
        self.exits: list[Value] = []
        """Conditions under which a thread leaves it."""
        self.has_common_offset = False
        """Whether pointers add one offset that advances by a step which only the run knows."""
        self.has_known_trips = False
        self.is_inner = False
        """Whether it stands in another loop of the code, be that one left or gone."""
        self.unrolls_rest = False
        """Whether the iterations that its copies leave are code of their own, one after the other, and no loop."""
        self.more_tests = 0
        """Tests besides the one of its counter, which the compiler makes of its trip count before it starts."""
        self.varies_trips = False
        """Whether a loop around it changes how often it runs."""
        self.has_moving_bound = False
        """Whether each iteration loads the bound of the counter anew: nothing is copied, but pointers advance."""
        self.trips: int | None = None
        """Its iterations, where a trial walk knows them."""
        self.known_trips: int | None = None
        """The same wherever the compiler knows them."""
        self.size: float | None = None
        """What it adds to the size of a loop around it, where that is not what its copies come to."""
        self.is_countable = True
        """Whether the compiler finds the trip count, so that pointers advance instead of being made from an index."""
        self.keeps_indices = False
        """Whether no pointer advances in it: each of the compiler's copies makes its indices anew."""
        self.falling: set[tuple[int, bool]] = set()
        """Value numbers of arrays that a counter which falls to a constant indexes, and whether it is the whole index."""
        self.keeps_falling = False
        """Whether each copy makes the addresses in those anew (see `Streams`)."""
        self.shares_indices = False
        """Whether the compiler's copies of its body have one index for all, which those that the assembler repeats make anew."""
        self.has_runtime_step = False
        self.has_wide_step = False
        """Whether that step and the counter have 64 bits."""
        self.stays_rolled = False
        """Whether it has a known trip count and is far too long to unroll, or is told not to be."""
        self.has_scaled_counter = False
        """Whether an index multiplies the counter by a constant and adds something."""
        self.scales_outside = False
        """Whether one of them is outside of shared memory."""
        self.multiplied_indices: set[tuple[tuple[Monomial, int], ...]] = set()
        """Those of them whose constant is no power of two, as polynomials."""
        self.scaled = ScaledWords()
        """Indices that multiply the counter by a constant."""
        self.counts_itself = False
        """Whether the counter starts anywhere or takes larger steps: then it is what the loop tests, else what is left."""
        self.indices: dict[int, set[int]] = {}
        """Value numbers of the indices of its addresses, which pointers that advance do not hold, with those of what they index."""
        self.word_indices: set[tuple[tuple[Monomial, int], ...]] = set()
        """Indices of one word that its iterations widen, as polynomials without their constants."""
        self.repeated: dict[tuple[object, ...], float] = {}
        """Addresses in copies of loops inside that vanished, with what the compiler's own code has of them beside one for all."""
        self.bounds: set[int] = set()
        """Value numbers that a condition compares with: where the loop runs, they are positive."""
        self.loses_overflow = False
        """Whether the compiler forgets that its counter does not overflow (see `trip_counts`)."""
        self.keeps_counter = False
        """Whether clang counts by the counter itself and makes each address of it (see `trip_counts.ends_at_constant`)."""
        self.tested: Value | None = None
        """The PHI that the condition compares."""
        self.counts_down = False
        """Whether a pointer starts in a row whose number is known not to be negative (see `Numberer`)."""
        self.offset_step: int | None = None
        """Value number of the sum that advances an offset which all its pointers add, and which it tests (`tested_offsets`)."""
        self.counters: dict[int, int | None] = {}
        """Value numbers of the PHIs that grow by the same amount each iteration; the amount where constant."""
        self.has_wide_counter = False
        """Whether the compiler keeps its signed counter in 64 bits, as threads of target regions share them."""
        self.has_inner_loop = False
        """Whether a loop is left inside."""
        self.has_word_index = False
        """Whether an address is computed from a counter in every iteration."""
        self.writes: LoopWrites | None = None
        """What the loop may store to; None where not known yet."""

    def take_in(self, inner: LoopFrame) -> None:
        """Notes the indices of a loop inside it, which its own size includes."""
        for index, bases in inner.indices.items():
            self.indices.setdefault(index, set()).update(bases)
        self.word_indices |= inner.word_indices


class Context:
    """A node of the dominator tree: code that runs whenever its entry runs.

    Attributes:
        parent: the immediately dominating context.
        loop: innermost loop around it.
        depth: number of loops around it.
        is_active: whether the walk is inside it (its values may be used).
        weight: executions; None until the first block in it is met.
        is_guarded: whether it is conditional relative to its loop's body.
        is_joined: whether its condition is one branch to the compiler.
        is_preheader: whether it runs before a loop whose test was passed.
        chosen: executions of an arm whose result is selected, so that it has no branch and no weight of its own.
    """

    __slots__ = (
        "chosen",
        "depth",
        "is_active",
        "is_guarded",
        "is_joined",
        "is_preheader",
        "level",
        "loop",
        "parent",
        "weight",
    )

    def __init__(
        self, parent: Context | None, loop: LoopFrame | None, *, is_guarded: bool = False
    ) -> None:
        self.parent = parent
        self.loop = loop
        self.depth: int = 0 if loop is None else loop.depth
        self.level: int = 0 if parent is None else parent.level + 1
        self.is_active = True
        self.weight: Weight | None = None
        self.is_guarded = is_guarded
        self.is_joined = True
        self.is_preheader = False
        self.chosen: Weight | None = None

    def meeting(self, other: Context) -> Context:
        """The innermost context that holds both."""
        mine, theirs = self, other
        while mine is not theirs:
            if mine.level >= theirs.level and mine.parent is not None:
                mine = mine.parent
            elif theirs.parent is not None:
                theirs = theirs.parent
        return mine

    def is_joined_below(self, outer: Context) -> bool:
        """Whether all conditions between a context around it and this one are one branch each."""
        context: Context | None = self
        while context is not None and context is not outer:
            if not context.is_joined:
                return False
            context = context.parent
        return True

    def is_guarded_within(self, loop: LoopFrame) -> bool:
        """Whether it is conditional relative to the body of a loop around it."""
        context: Context | None = self
        while context is not None and context.depth >= loop.depth:
            if context.is_guarded:
                return True
            context = context.parent
        return False

    def effective_weight(self) -> Weight | None:
        """Own weight, else that of the nearest dominator which has one."""
        context: Context | None = self
        while context is not None:
            if context.weight is not None:
                return context.weight
            context = context.parent
        return None


class Value:
    """One value number.

    Attributes:
        number: order of creation; operands have smaller numbers, except the back edge of a PHI.
        op: what computes it.
        args: operands.
        scalar: operand type, as in `Instruction.scalar`.
        detail: as in `Instruction.detail`.
        constant: the value, for CONSTANT.
        context: where it is computed.
        position: source position of the first computation.
        segment: basic block that computes it; 0 for what is moved out of loops.
        site: of the instruction, for memory accesses, divisions and calls; else -1.
        origin: block and place in it of the instruction that made it; None for what belongs to no single one.
        is_uniform: whether all threads of a warp agree on it and the uniform datapath could hold it.
        polynomial: cache of the polynomial form.
        arms: how often each alternative of a choice without a branch is taken, as far as its arms hold code.
    """

    __slots__ = (
        "args",
        "arms",
        "constant",
        "context",
        "detail",
        "is_uniform",
        "number",
        "op",
        "origin",
        "polynomial",
        "position",
        "scalar",
        "segment",
        "site",
    )

    def __init__(
        self,
        number: int,
        op: AnyOp,
        args: list[Value],
        scalar: Scalar,
        detail: object,
        context: Context,
        position: Position | None,
    ) -> None:
        self.number = number
        self.op = op
        self.args = args
        self.scalar = scalar
        self.detail = detail
        self.constant: int | float | bool | None = None
        self.context = context
        self.position = position
        self.segment = -1
        self.site = -1
        self.origin: Origin | None = None
        self.is_uniform = False
        self.polynomial: Polynomial | None = None
        self.arms: tuple[Weight | None, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether the value is known at compile time."""
        return self.op is Pseudo.CONSTANT


def split_pointer(pointer: Value) -> tuple[Value, int]:
    """A pointer as a value and a constant offset in bytes."""
    if pointer.op is Pseudo.OFFSET:
        return pointer.args[0], int(pointer.detail)  # type: ignore[call-overload]
    return pointer, 0
