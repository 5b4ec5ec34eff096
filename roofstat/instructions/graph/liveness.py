"""Dead code elimination, uses, warp uniformity and sinking of values into the branches that use them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.addressing.summed_words import NO_WORDS, SummedWords, summed_words
from roofstat.instructions.addressing.tested_offsets import note_tested_offsets
from roofstat.instructions.graph.copied_arguments import copied_arguments
from roofstat.instructions.graph.counter_registers import keep_counters
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.element_choices import ElementChoices, element_choices
from roofstat.instructions.graph.exchanges import exchanges
from roofstat.instructions.graph.memory_state import Root, RootKind, root_of
from roofstat.instructions.graph.remade_tests import remade_tests
from roofstat.instructions.graph.values import Context, Pseudo, Value
from roofstat.instructions.integers.arithmetic import LOOPING, PURE, wrap
from roofstat.instructions.integers.low_words import low_words
from roofstat.instructions.integers.widths import WIDE, WORDS
from roofstat.instructions.weights import FactorKind
from roofstat.program.code import Op, Space, SpecialRegister

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.instructions.graph.details import Graph
    from roofstat.instructions.weights import Weight
    from roofstat.program.code import Code


@dataclass(slots=True, kw_only=True)
class LiveGraph:
    """The values that cost something, with their users."""

    live: list[Value]
    """In order of creation."""
    users: dict[int, list[Value]]
    """Live users by value number, one entry for each use."""
    local_slots: frozenset[int]
    """Private slots that stay in local memory."""
    indexed_by_data: frozenset[int]
    """Sites of accesses to private slots at an index that no unrolling makes constant."""
    exposed: frozenset[int]
    """Slots that pointers of unknown origin reach."""
    constant_tables: frozenset[int]
    """Private slots that the compiler keeps in constant memory."""
    element_choices: ElementChoices
    """Private slots that stay in registers although only the run knows an index."""
    copied_arguments: Mapping[int, tuple[Value, ...]]
    """Slots of arguments of which each thread has a copy in local memory, with the loads from it."""
    summed_words: SummedWords
    """Pointers that are words, which each copy of a loop adds up anew."""
    exchanges: dict[int, float]
    """Operations of comparisons that are minima and maxima, by number."""
    low_words: frozenset[int]
    """Numbers of 64-bit integers of which the low word alone is used."""
    remade: list[tuple[Value, Context]]
    """Comparisons that loops make again, beside where they are made first."""

    def predicated(self, value: Value) -> Weight | None:
        """How often a value is computed that goes into the register of the other value of a choice, under the condition alone.

        So it is with words and single-precision arithmetic (doubles and constants are selected); of two operations the second.
        None for other values.
        """
        weight = self._under_condition(value)
        if weight is None:
            return None
        first, second = self.users[value.number][0].args[1:]
        other = second if value is first else first
        if other.is_constant or (value is first and self._under_condition(other) is not None):
            return None
        return weight

    def _under_condition(self, value: Value) -> Weight | None:
        uses = self.users.get(value.number, [])
        if len(uses) != 1 or uses[0].op is not Op.SELECT or value not in uses[0].args[1:]:
            return None
        choice = uses[0]
        if value.scalar is Scalar.F32:
            return value.context.chosen if value.op in _ARITHMETIC else None
        if value.scalar not in WORDS or value.op not in _WORD_ARITHMETIC:
            return None
        if value.context.loop is not choice.context.loop:
            return None
        place = choice.args[1:].index(value)
        kept = choice.args[2 - place]
        if any(use.number > choice.number for use in self.users.get(kept.number, [])):
            return None  # what is needed behind the choice keeps its register
        # `c ? x + y : x` is `x + (c ? y : 0)` unless y is known; a step of one is made in any case.
        bases = {kept, *(kept.args[1:] if kept.op is Op.SELECT else ())}
        is_sum = len(value.args) > 1 and not bases.isdisjoint(value.args)
        if is_sum and not any(map(_is_step, value.args)):
            return None
        if choice.arms:
            return choice.arms[place]
        # Nobody knows how often an operand of `?:` is taken.
        weight = value.context.effective_weight()
        return None if weight is None else weight.times(_HALF)


_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL})
_HALF = 0.5
_WORD_ARITHMETIC = _ARITHMETIC | {Op.NEG, Op.SHL, Op.SHR, Op.AND, Op.OR, Op.XOR}


def _is_step(value: Value) -> bool:
    """Whether a value is a known number other than one (which has either sign)."""
    return value.is_constant and wrap(Scalar.I32, value.constant or 0) not in {1, -1}


def analyse(
    graph: Graph,
    *,
    has_constant_tables: bool = False,
    hoisted_tests: int | None = None,
    copies_arguments: bool = False,
    limits_choices: bool = False,
    tests_offsets: bool = False,
) -> LiveGraph:
    """Marks what is live and where it is computed.

    Args:
        graph: The program.
        has_constant_tables: Whether the compiler keeps private arrays that only constants are stored to in constant
            memory: clang does, nvcc fills them anew in each thread.
        hoisted_tests: Comparisons for branches that loops may leave to what is in front of them (`remade_tests`); None: all.
        copies_arguments: Whether each thread has a copy of arguments that are indexed by what only the run knows.
        limits_choices: Whether long private arrays stay in registers beside little other code alone.
        tests_offsets: Whether loops of known length test an offset that their pointers add.
    """
    live = needed_values(graph)
    ordered = [value for value in graph.values if value.number in live]
    indexed, escaping = _slots_in_memory(ordered, graph.code)
    local_slots = indexed | escaping
    tables: frozenset[int] = frozenset()
    if has_constant_tables and local_slots:
        tables = _constant_tables(ordered, local_slots, graph.code)
        local_slots -= tables
        ordered = [value for value in ordered if _private_target(value, graph.code) not in tables]
    choices = element_choices(
        ordered, graph.code, indexed & local_slots - escaping, limits_code=limits_choices
    )
    copied = copied_arguments(ordered, graph.code, copies_indexed=copies_arguments)
    users: dict[int, list[Value]] = {}
    for value in ordered:
        for arg in value.args:
            users.setdefault(arg.number, []).append(value)
    _uniformity(ordered)
    keep_counters(ordered, users)
    summed = summed_words(ordered, users) if tests_offsets else NO_WORDS
    if tests_offsets:
        note_tested_offsets(ordered, users, summed)
    _sink(ordered, users)
    remade = [] if hoisted_tests is None else remade_tests(ordered, users, hoisted_tests)
    local_slots -= choices.slots

    def is_in_registers(store: Value) -> bool:
        target = _private_target(store, graph.code)
        return target is not None and target not in local_slots

    return LiveGraph(
        live=ordered,
        users=users,
        local_slots=local_slots,
        element_choices=choices,
        copied_arguments={s: copied[s] for s in copied if s not in choices.slots},
        summed_words=summed,
        exchanges=exchanges(ordered, users, is_in_registers),
        indexed_by_data=_indexed_by_data(ordered, graph.code),
        exposed=graph.exposed,
        constant_tables=tables,
        low_words=low_words(ordered, users),
        remade=remade,
    )


def is_private(root: Root, code: Code) -> bool:
    """Whether the object is a private slot of the thread."""
    return (
        root.kind is RootKind.SLOT
        and isinstance(root.identity, int)
        and code.slots[root.identity].space is Space.LOCAL
    )


def _slots_in_memory(live: list[Value], code: Code) -> tuple[frozenset[int], frozenset[int]]:
    """Private slots that are indexed by something not constant, and those whose address escapes."""
    indexed: set[int] = set()
    escaped: set[int] = set()
    for value in live:
        if value.op in {Op.LOAD, Op.STORE}:
            detail = value.detail
            assert isinstance(detail, LoadDetail)
            if is_private(detail.root, code) and value.args[0].op is not Op.SLOT:
                indexed.add(_slot_number(detail.root))
            escaping = value.args[1:]
        elif value.op in {Op.CALL, Op.CALL_POINTER, Op.ATOMIC, Op.ASM}:
            escaping = value.args
        elif value.op in {Pseudo.PHI, Pseudo.JOIN, Op.SELECT}:
            escaping = value.args if value.scalar is Scalar.U64 else []
        else:
            continue
        for arg in escaping:
            root = root_of(arg) if arg.op in _POINTERS else None
            if root is not None and is_private(root, code):
                escaped.add(_slot_number(root))
    return frozenset(indexed), frozenset(escaped)


def _indexed_by_data(live: list[Value], code: Code) -> frozenset[int]:
    """Sites of private accesses at an index that only the run knows: data, parameters, threads, loops too long to unroll."""
    known: dict[int, bool] = {}
    found = set()
    for value in live:
        if value.op in {Op.LOAD, Op.STORE} and value.args[0].op is not Op.SLOT:
            detail = value.detail
            assert isinstance(detail, LoadDetail)
            if is_private(detail.root, code) and _rests_on_data(value.args[0], code, known):
                found.add(value.site)
    return frozenset(found)


def _rests_on_data(value: Value, code: Code, known: dict[int, bool]) -> bool:
    """Whether a value would not be constant if all loops that can be were unrolled.

    Args:
        value: The value.
        code: Its code.
        known: Answers by value number; what is being looked at counts as constant.
    """
    pending = [value]
    seen = {value.number}
    while pending:
        each = pending.pop()
        if known.get(each.number) or _is_data(each, code):
            known.update(dict.fromkeys((value.number, each.number), True))
            return True
        for arg in each.args:
            if arg.number not in seen and arg.number not in known:
                seen.add(arg.number)
                pending.append(arg)
            elif known.get(arg.number):
                known[value.number] = True
                return True
    known.update(dict.fromkeys(seen, False))
    return False


def _is_data(value: Value, code: Code) -> bool:
    if value.op is Op.LOAD:
        detail = value.detail
        # What lies in a private array may be constants.
        return isinstance(detail, LoadDetail) and not is_private(detail.root, code)
    if value.op is Pseudo.PHI:
        loop = value.context.loop
        return loop is not None and loop.stays_rolled
    return value.op in _DATA


_DATA = frozenset({Op.PARAM, Op.SPECIAL, Op.ATOMIC, Op.CALL, Op.CALL_POINTER, Op.SHUFFLE})


def _constant_tables(live: list[Value], slots: frozenset[int], code: Code) -> frozenset[int]:
    """Private slots that only get the constants of their declarations, and are only read otherwise.

    Constants that loops or assignments store do not count: they are stores to LLVM, which copies only initialisers.
    """
    written: Counter[int] = Counter()
    other: set[int] = set()
    for value in live:
        target = _private_target(value, code)
        if target is not None:
            is_constant = (
                value.op is Op.STORE
                and value.args[0].op in {Op.SLOT, Pseudo.OFFSET}
                and value.args[1].is_constant
            )
            if is_constant:
                written[target] += 1
            elif value.op is not Op.ZERO:
                other.add(target)
        elif value.op is not Op.LOAD:
            other.update(
                _slot_number(root_of(arg))
                for arg in value.args
                if arg.op in _POINTERS
                and value.op not in _POINTERS
                and is_private(root_of(arg), code)
            )
    declared = {slot for slot in slots if code.slots[slot].initial_constants}
    return frozenset(
        slot for slot in declared - other if written[slot] <= code.slots[slot].initial_constants
    )


_POINTERS = frozenset({Op.SLOT, Pseudo.ADDRESS, Pseudo.OFFSET, Pseudo.STREAM})


def _slot_number(root: Root) -> int:
    return root.identity if isinstance(root.identity, int) else -1


def needed_values(graph: Graph) -> set[int]:
    """Numbers of the values that some effect needs."""
    code = graph.code
    stores: dict[int, list[Value]] = {}
    pending: list[Value] = []
    for effect in graph.effects:
        slot = _private_target(effect, code)
        if slot is None:
            pending.append(effect)
        else:
            stores.setdefault(slot, []).append(effect)
    live: set[int] = {value.number for value in pending}
    loaded: set[int] = set()

    def need_slot(slot: int) -> None:
        if slot in loaded:
            return
        loaded.add(slot)
        for store in stores.get(slot, ()):
            if store.number not in live:
                live.add(store.number)
                pending.append(store)

    while pending:
        value = pending.pop()
        for arg in value.args:
            if arg.number not in live:
                live.add(arg.number)
                pending.append(arg)
        for slot in _read_slots(value, graph):
            need_slot(slot)
    return live


def _private_target(effect: Value, code: Code) -> int | None:
    """The private slot that an effect only writes."""
    if effect.op is Op.STORE:
        detail = effect.detail
        assert isinstance(detail, LoadDetail)
        root = detail.root
    elif effect.op in {Op.COPY, Op.ZERO}:
        root = root_of(effect.args[0])
    else:
        return None
    return _slot_number(root) if is_private(root, code) else None


def _read_slots(value: Value, graph: Graph) -> list[int]:
    """Private slots whose content `value` may read."""
    code = graph.code
    if value.op is Op.LOAD:
        detail = value.detail
        assert isinstance(detail, LoadDetail)
        roots = [detail.root]
    elif value.op in {Op.STORE, *PURE} or isinstance(value.op, Pseudo):
        return []
    else:
        roots = [root_of(arg) for arg in value.args if arg.scalar is Scalar.U64]
    found = [_slot_number(root) for root in roots if is_private(root, code)]
    if any(root.kind is RootKind.UNKNOWN for root in roots):
        found.extend(slot for slot in graph.exposed if code.slots[slot].space is Space.LOCAL)
    return found


_UNIFORM_SPECIAL = frozenset(
    {
        SpecialRegister.CTAID_X,
        SpecialRegister.CTAID_Y,
        SpecialRegister.CTAID_Z,
        SpecialRegister.NTID_X,
        SpecialRegister.NTID_Y,
        SpecialRegister.NTID_Z,
        SpecialRegister.NCTAID_X,
        SpecialRegister.NCTAID_Y,
        SpecialRegister.NCTAID_Z,
        SpecialRegister.WARP_SIZE,
    }
)
_UNIFORM_LEAVES = frozenset(
    {Pseudo.CONSTANT, Pseudo.UNDEFINED, Op.PARAM, Op.SLOT, Op.GLOBAL, Op.STRING, Op.FUNCTION}
)


def _uniformity(live: list[Value]) -> None:
    """Greatest fixed point: a value is uniform unless an operand or a choosing condition is not."""
    for value in live:
        value.is_uniform = _may_be_uniform(value)
    changed = True
    while changed:
        changed = False
        for value in live:
            # Registers of the launch are the same for a warp wherever they are read.
            if value.op is Op.SPECIAL:
                continue
            if value.is_uniform and not (
                all(arg.is_uniform for arg in value.args) and _in_step(value)
            ):
                value.is_uniform = False
                changed = True


def _in_step(value: Value) -> bool:
    """Whether the threads of a warp run the loops around a value together: none leaves one on its own."""
    if value.op in _UNIFORM_LEAVES:
        return True
    loop = value.context.loop
    while loop is not None:
        if not all(condition.is_uniform for condition in loop.exits):
            return False
        loop = loop.outside.loop
    return True


def _may_be_uniform(value: Value) -> bool:
    op = value.op
    if op is Op.SPECIAL:
        return value.detail in _UNIFORM_SPECIAL
    return op in _UNIFORM_LEAVES or op in PURE or isinstance(op, Pseudo)


def _sink(live: list[Value], users: dict[int, list[Value]]) -> None:
    """Moves values into the branch that alone uses them, in the same loop."""
    for value in reversed(live):
        if value.op not in PURE and value.op is not Pseudo.ADDRESS:
            continue
        if value.op is Op.MATH and value.scalar is Scalar.F32 and value.detail in LOOPING:
            continue
        uses = users.get(value.number)
        if not uses or any(user.op in _PHI_LIKE for user in uses):
            continue
        if _branches(value) and len({_block(user.context) for user in uses}) > 1:
            continue
        target: Context | None = uses[0].context
        for user in uses[1:]:
            target = _common(target, user.context)
        # Only into branches: a copy of an unrolled body is no place to wait for.
        while target is not None and not (
            (target.is_guarded or target.is_preheader) and target.loop is value.context.loop
        ):
            target = target.parent
        if target is not None and target.level > _branch_of(value).level:
            value.context = target


def _branch_of(value: Value) -> Context:
    """Where a value is computed, apart from arms that are no branches any more (what depends on them alone stays in them)."""
    context = value.context
    while context.chosen is not None and context.parent is not None and value.scalar in WORDS:
        context = context.parent
    return context


_PHI_LIKE = frozenset({Pseudo.PHI, Pseudo.JOIN})


def _block(context: Context) -> int:
    """The block of the program that a context belongs to, the same for all copies of a loop's body."""
    weight = context.effective_weight()
    factors = () if weight is None else weight.numerators
    return next((f.number for f in factors if f.kind is FactorKind.BLOCK), -1)


def _branches(value: Value) -> bool:
    """Whether the code of an operation branches: it moves into a block that alone uses it, and no deeper.

    The assembler moves single instructions later, as far as the nearest place that leads to all uses.
    """
    if value.op in {Op.DIV, Op.REM}:
        return value.scalar.is_float or value.scalar in WIDE
    return value.op is Op.MATH and value.detail in {"sqrt", "sqrtf"}


def _common(first: Context | None, second: Context | None) -> Context | None:
    """Nearest context that dominates both."""
    while first is not second and first is not None and second is not None:
        if first.level >= second.level:
            first = first.parent
        else:
            second = second.parent
    return first if first is second else None
