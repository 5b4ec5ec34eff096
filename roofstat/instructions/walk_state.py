"""What a walk over structured code carries along: values of registers, contexts, memory, effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.addresses import Addresses
from roofstat.instructions.addressing.points_to import PointsTo
from roofstat.instructions.graph.memory_state import MemoryState
from roofstat.instructions.graph.numbering import Numberer
from roofstat.instructions.graph.stepped_products import factored_products
from roofstat.instructions.graph.values import Context, Pseudo, Value, split_pointer
from roofstat.instructions.integers.wide_sums import WideSums
from roofstat.instructions.loops import loop_facts
from roofstat.instructions.weights import Weight
from roofstat.program.code import Instruction, Op, Space
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.loops import unrolling
    from roofstat.instructions.loops.guarded_loops import Guard
    from roofstat.instructions.tables.parameters import LoweringParameters
    from roofstat.program.code import Code

Environment = dict[int, Value]


@dataclass(slots=True)
class ScopeExit:
    """State at a jump to the end of a scope."""

    environment: Environment
    memory: MemoryState
    conditions: list[Value]


@dataclass(slots=True)
class OpenScope:
    """A scope that is being walked, with the jumps to its end so far."""

    label: int
    control_depth: int
    loop_depth: int
    """Loops around it."""
    exits: list[ScopeExit]


class WalkState:
    """State of one walk, with the operations on it that every part of the walk needs."""

    def __init__(self, code: Code, parameters: LoweringParameters, *, fast_math: bool) -> None:
        self._code = code
        self._parameters = parameters
        self._fast_math = fast_math
        self._numberer = Numberer(parameters, fast_math=fast_math)
        self._addresses = Addresses(self._numberer, parameters, _shared_slots(code))
        self._environment: Environment = {}
        self._temporaries: Environment = {}
        self._points_to = PointsTo(code)
        self._memory = MemoryState(
            type_based=parameters.type_based_aliasing, exposed=self._points_to.exposed
        )
        self._share = Weight(1.0, ())
        self._control: list[Value] = []
        self._scopes: list[OpenScope] = []
        self._effects: list[Value] = []
        self._marks = 0
        """Counts effects and jumps, to tell whether an arm did something that values do not show."""
        self._chooses_stored = False
        """Whether the arm that is walked stores what is chosen, together with the other arm."""
        self._branches = 0
        """Branches that trial walks have found so far in the loop that they walk."""
        self._jumps = 0
        """Those, and a jump for each of their arms."""
        self._notes: list[tuple[str, Instruction]] = []
        self._tried: set[int] = set()
        """Values of loops that trial walks left behind: no part of the loops around them."""
        self._facts: dict[int, loop_facts.LoopFacts] = {}
        self._decisions: dict[tuple[int, int | None, int | None], unrolling.UnrollDecision] = {}
        self._of_several: dict[int, unrolling.UnrollDecision] = {}
        """By loop of several tests, what is decided of it with one."""
        self._ends: dict[int, int] | None = None
        """By loop, the label that a break out of it jumps to, once that was asked."""
        self._guards: dict[int, Guard] = {}
        """By loop, the branches at which the compiler parts it."""
        self._is_tidied: bool | None = None
        self._has_calls: bool | None = None
        """Whether the assembler tidies the jumps of the code (`jump_cleanup`), once that was asked."""
        self._preheaders: dict[tuple[int, Context], Context] = {}
        """By loop and the context around it."""
        self._definitions: dict[int, Instruction] = {}
        self._parts: dict[tuple[Op, int], tuple[Value, list[Value]]] = {}
        """Terms of sums and factors of products in temporaries, with the value that they make up."""
        self._parameter_slots = {p.slot for p in code.parameters if p.slot is not None}
        self._private = frozenset(
            n for n, slot in enumerate(code.slots) if slot.space is Space.LOCAL
        )
        self._arguments: dict[int, bool] = {}
        """Whether values are made of kernel arguments alone, as far as that was asked."""
        self._use_counts: dict[int, int] = {}
        self._atomic_addresses: set[int] = set()
        """Registers that hold addresses of atomics."""
        self._constant_tests: dict[int, int] = {}
        """Those of them that are comparisons with a constant, which take a constant out of a sum."""
        for _, instruction in code.instructions():
            is_test = instruction.op in COMPARISONS and any(
                register in code.constants for register in instruction.args
            )
            if instruction.op is Op.ATOMIC:
                self._atomic_addresses.add(instruction.args[0])
            for register in instruction.args:
                self._use_counts[register] = self._use_counts.get(register, 0) + 1
                if is_test:
                    self._constant_tests[register] = self._constant_tests.get(register, 0) + 1
            if instruction.dest >= 0 and instruction.dest not in code.variables:
                self._definitions[instruction.dest] = instruction
        self._factored = factored_products(self._definitions, self._use_counts)
        """Products of which a sum takes several with one factor."""
        self._unrolled_variables: list[frozenset[int]] = []
        """What the fully unrolled loops change that are being walked."""
        self._unrolled_starts: list[tuple[Context, int]] = []
        """Where they start: context and basic block."""
        self._tried_from: dict[int, int] = {}
        """Number of the first value of the last trial walk, by loop."""
        self._wide_sums = (
            WideSums(code, self._definitions, self._use_counts)
            if parameters.adds_terms_to_pointers
            else None
        )

    def _value(self, register: int) -> Value:
        code = self._code
        if register in code.constants:
            return self._numberer.constant(code.register_types[register], code.constants[register])
        known = self._environment.get(register)
        if known is None:
            known = self._temporaries.get(register)
        if known is None:
            known = self._numberer.leaf(Pseudo.UNDEFINED, code.register_types[register], register)
        return known

    def _known_before(self, register: int) -> loop_facts.Known | None:
        """The constant or address in a register, as far as it is known here."""
        value = self._value(register)
        if value.is_constant:
            return value.constant
        if value.scalar is not Scalar.U64:
            return None
        return loop_facts.address_of(*split_pointer(value))

    def _enter(self, *, guarded: bool) -> Context:
        """Opens a context below the current one; returns the current one."""
        self._numberer.segment += 1
        outer = self._numberer.context
        frames = self._numberer.frames
        loop = frames[-1] if frames else None
        self._numberer.context = Context(outer, loop, is_guarded=guarded)
        return outer

    def _leave_context(self, outer: Context) -> None:
        """Closes contexts until `outer` is current again."""
        context = self._numberer.context
        while context is not outer:
            context.is_active = False
            parent = context.parent
            if parent is None:
                break
            context = parent
        self._numberer.context = outer

    def _reenter(self, outer: Context, inner: Context) -> None:
        """Makes `inner` and what lies between it and `outer` current again."""
        context: Context | None = inner
        while context is not None and context is not outer:
            context.is_active = True
            context = context.parent
        self._numberer.context = inner

    def _branch(self, condition: Value, detail: object = None) -> None:
        """Notes that control flow needs `condition`."""
        branch = self._numberer.fresh(Pseudo.BRANCH, Scalar.BOOL, [condition], detail)
        self._effects.append(branch)


def _shared_slots(code: Code) -> frozenset[int]:
    return frozenset(n for n, slot in enumerate(code.slots) if slot.space is Space.SHARED)
