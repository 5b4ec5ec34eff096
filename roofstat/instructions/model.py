"""Instruction counts of a launch: what the compiler makes of the code, times how often it runs."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.graph.aggregation import is_retried
from roofstat.instructions.graph.coefficients import loads_coefficients
from roofstat.instructions.graph.copied_arguments import CopiedArguments
from roofstat.instructions.graph.details import LoadDetail
from roofstat.instructions.graph.frames import FrameWords, library_word
from roofstat.instructions.graph.known_loads import known_loads
from roofstat.instructions.graph.liveness import LiveGraph, analyse, is_private
from roofstat.instructions.graph.register_copies import integer_copies
from roofstat.instructions.graph.registers import registers_per_thread
from roofstat.instructions.graph.selection import Selector
from roofstat.instructions.graph.spills import Spill, SpilledWords, spilled_words, spills
from roofstat.instructions.loops.endless_loops import with_tests
from roofstat.instructions.tables.costing import CostSource
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.parameters import LoweringParameters, lowering_parameters
from roofstat.instructions.tables.quantities import Amounts, Quantity, add_into, issued_in
from roofstat.instructions.timing.code_size import CodePart, access_part, code_instructions
from roofstat.instructions.timing.emitted import (
    Emitted,
    EmittedRow,
    emitted_by_origin,
    emitted_rows,
)
from roofstat.instructions.walker import Walker
from roofstat.instructions.weights import Factor, FactorKind, Weight, WeightEvaluator
from roofstat.program.code import Op, Space
from roofstat.program.openmp.runtime_calls import is_region

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.graph.values import Origin, Value
    from roofstat.program.code import Code, Instruction

SourceLine = tuple[str, int]
"""File and 1-based line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerFlags:
    """Flags that change the instructions."""

    fast_math: bool = False
    fmad: bool = True
    opt_level: int = 3
    max_registers: int | None = None
    debug: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CountAssumption:
    """Something that the counts rest on."""

    kind: str
    """``library-cost``, ``call``, ``unknown``."""
    text: str
    file: str
    line: int
    weight: float
    """Thread-level executions over the threads of the launch, at most 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionCounts:
    """Thread-level totals of one launch, and what the compiler decided."""

    totals: Amounts
    by_line: dict[SourceLine, Amounts]
    by_block: dict[int, Amounts]
    terms: dict[SourceLine, dict[float, Amounts]]
    """What each line costs for one execution, by how often that part of it is executed."""
    site_executions: dict[int, float]
    """Site of a LOAD or STORE -> thread-level executions that are left after redundant ones are removed."""
    local_slots: frozenset[int]
    """Indices of private slots that stay in local memory."""
    indexed_by_data: frozenset[int]
    """Sites of accesses to private slots at an index that no unrolling makes constant."""
    known_loads: frozenset[int]
    """Sites of loads from constant arrays whose elements the compiler knows."""
    copied_arguments: CopiedArguments
    frame: FrameWords
    spilled: SpilledWords
    coefficient_loads: float
    """Loads of the math library's coefficients, each by a warp at once."""
    registers_per_thread: int
    code_instructions: float
    """Machine instructions of the parts of the kernel that some thread comes to."""
    load_batches: dict[int, int]
    """For each loop, the iterations whose loads the compiler lets go out together."""
    vanished_loops: frozenset[int]
    """Loops of which nothing is left but copies of their bodies."""
    emitted: dict[Origin, Emitted]
    """What one execution of an instruction of the code becomes; those that are missing become nothing."""
    assumptions: tuple[CountAssumption, ...]

    def total(self, quantity: Quantity) -> float:
        """One total, thread-level for the launch (tensor quantities: for all warps)."""
        return self.totals.get(quantity, 0.0)

    @property
    def sp_flop(self) -> float:
        """Single-precision FLOP."""
        return self.total(Quantity.SP_FLOP)

    @property
    def dp_flop(self) -> float:
        """Double-precision FLOP."""
        return self.total(Quantity.DP_FLOP)

    @property
    def hp_flop(self) -> float:
        """Half-precision FLOP."""
        return self.total(Quantity.HP_FLOP)

    @property
    def tensor_flop(self) -> float:
        """FLOP of matrix instructions."""
        return self.total(Quantity.TENSOR_FLOP)

    @property
    def int_op(self) -> float:
        """Integer instructions."""
        return self.total(Quantity.INT_OP)

    @property
    def special_op(self) -> float:
        """Instructions of the special-function unit: special functions, most conversions, counts of bits."""
        return self.total(Quantity.SPECIAL_UNIT_OP)

    @property
    def instructions(self) -> float:
        """All instructions issued, as executions by threads (32 of them are one warp instruction)."""
        return issued_in(self.totals)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Static cost of what is computed at one source line with one weight."""

    weight: Weight
    line: SourceLine
    block: int
    amounts: Amounts
    code: CodePart
    per_warp: bool
    conflict_site: int
    """Site of an atomic that is retried while lanes of a warp hit the same address; -1 for all else."""
    is_unusual_division: bool = False
    """Whether it is done for some operands of a division only."""
    division_site: int = -1
    """Site of that division; -1 where it has none."""
    pairs_elsewhere: float | None = None
    """Share of the operands of two words where nobody knows them; None for what zero as numerator takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _MemoryRow:
    """A memory instruction that was left."""

    weight: Weight
    line: SourceLine
    block: int
    site: int
    is_store: bool
    space: Space | None
    """None: as the trace saw it, else global."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticModel:
    """Everything about a `Code` that does not depend on the launch."""

    code: Code
    rows: tuple[_Row, ...]
    memory: tuple[_MemoryRow, ...]
    local_slots: frozenset[int]
    indexed_by_data: frozenset[int]
    known_loads: frozenset[int]
    copied_arguments: CopiedArguments
    frame: tuple[Weight, ...]
    spills: tuple[Spill, ...]
    coefficients: tuple[Weight, ...]
    """Of calls that load coefficients, each time."""
    coefficient_loads: int
    registers_per_thread: int
    load_batches: dict[int, int]
    vanished_loops: frozenset[int]
    emitted: tuple[EmittedRow, ...]
    assumptions: tuple[tuple[str, str, SourceLine, Weight | None], ...]


_CACHE_ENTRIES = 128
_cache: OrderedDict[tuple[object, ...], StaticModel] = OrderedDict()

_SPACE_COLUMNS = {
    Space.GLOBAL: (Quantity.GLOBAL_LOADS, Quantity.GLOBAL_STORES),
    Space.TEXTURE: (Quantity.GLOBAL_LOADS, Quantity.GLOBAL_STORES),
    Space.GENERIC: (Quantity.GLOBAL_LOADS, Quantity.GLOBAL_STORES),
    Space.HOST: (Quantity.GLOBAL_LOADS, Quantity.GLOBAL_STORES),
    Space.SHARED: (Quantity.SHARED_LOADS, Quantity.SHARED_STORES),
    Space.LOCAL: (Quantity.LOCAL_LOADS, Quantity.LOCAL_STORES),
    Space.CONSTANT: (Quantity.CONSTANT_LOADS, Quantity.CONSTANT_LOADS),
}


def count_instructions(
    trace: LaunchTrace, *, compiler: Compiler, architecture: str, flags: CompilerFlags
) -> InstructionCounts:
    """Counts what the threads of a launch execute.

    Args:
        trace: how often the blocks and loops of a kernel ran.
        compiler: whose code generation to model.
        architecture: for example ``sm_80``.
        flags: compiler flags that matter.

    Returns:
        Thread-level totals of the launch, by source line and by block as well.
    """
    model = static_model(trace.code, compiler=compiler, architecture=architecture, flags=flags)
    return _evaluate(model, trace)


def static_model(
    code: Code, *, compiler: Compiler, architecture: str, flags: CompilerFlags
) -> StaticModel:
    """The launch-independent part, cached for the most recent codes."""
    key = (id(code), compiler, architecture, flags)
    known = _cache.get(key)
    if known is not None and known.code is code:
        _cache.move_to_end(key)
        return known
    model = _build(code, compiler, architecture, flags)
    _cache[key] = model
    if len(_cache) > _CACHE_ENTRIES:
        _cache.popitem(last=False)
    return model


def parameters_of(code: Code, compiler: Compiler, architecture: str) -> LoweringParameters:
    """How a compiler lowers a kernel or a target region."""
    return lowering_parameters(compiler.value, architecture, is_region=is_region(code))


def _build(code: Code, compiler: Compiler, architecture: str, flags: CompilerFlags) -> StaticModel:
    parameters = parameters_of(code, compiler, architecture)
    graph = Walker(with_tests(code), parameters, fast_math=flags.fast_math).run()
    live = analyse(
        graph,
        has_constant_tables=compiler is Compiler.CLANG,
        hoisted_tests=parameters.hoisted_tests,
        copies_arguments=parameters.copies_arguments,
        limits_choices=parameters.limits_code_beside_choices,
        tests_offsets=parameters.tests_offsets,
    )
    costs = CostSource(compiler, architecture, fast_math=flags.fast_math)
    registers = registers_per_thread(live, code, flags.max_registers)
    selector = Selector(live, costs, parameters, contract=flags.fmad, registers=registers)
    counted = [(value, selector.amounts(value)) for value in live.live]
    rows = _rows(live, counted, selector, parameters, fast_math=flags.fast_math)
    assumptions = [
        (kind, _note_text(i), (i.position.file, i.position.line), None) for kind, i in graph.notes
    ]
    assumptions.extend(("library-cost", text, ("", 0), None) for text in costs.missing.values())
    return StaticModel(
        code=code,
        rows=tuple(rows),
        memory=tuple(_memory_rows(live, code)),
        local_slots=live.local_slots,
        indexed_by_data=live.indexed_by_data,
        known_loads=known_loads(code, live.live),
        copied_arguments=_copied_arguments(live, code),
        frame=_frame(live, compiler),
        spills=spills(live, code, flags.max_registers, hoists_shared=compiler is Compiler.NVCC),
        coefficients=tuple(
            weight
            for value in live.live
            if loads_coefficients(value) and (weight := _weight(value, live)) is not None
        ),
        coefficient_loads=parameters.coefficient_loads,
        registers_per_thread=registers,
        load_batches=graph.batches,
        vanished_loops=graph.vanished,
        emitted=emitted_rows(
            (value, weight, amounts)
            for value, amounts in counted
            if amounts and (weight := _weight(value, live)) is not None
        ),
        assumptions=tuple(assumptions),
    )


def _copied_arguments(live: LiveGraph, code: Code) -> CopiedArguments:
    sizes = {parameter.slot: parameter.size_bytes for parameter in code.parameters}
    return CopiedArguments(
        size_bytes=sum(sizes[slot] for slot in live.copied_arguments),
        sites=frozenset(load.site for loads in live.copied_arguments.values() for load in loads),
    )


def _frame(live: LiveGraph, compiler: Compiler) -> tuple[Weight, ...]:
    if compiler is not Compiler.CLANG:
        return ()
    return tuple(weight for value in live.live if (weight := library_word(value)) is not None)


def _frame_words(uses: tuple[Weight, ...], warps: WeightEvaluator) -> FrameWords:
    return FrameWords(size_bytes=4 * len(uses), stored=sum(warps.value(use) for use in uses))


def _note_text(instruction: Instruction) -> str:
    match instruction.op:
        case Op.CALL:
            return "a call that is not inlined: what passing its arguments costs is not counted"
        case Op.CALL_POINTER:
            return (
                "a call through a function pointer: what passing its arguments costs is not counted"
            )
        case _:
            return f"not understood, its work is not counted: {instruction.detail}"


def _weight(value: Value, live: LiveGraph) -> Weight | None:
    """How often a value is computed; None where it never is."""
    return live.predicated(value) or value.context.effective_weight()


def _rows(
    live: LiveGraph,
    counted: list[tuple[Value, Amounts]],
    selector: Selector,
    parameters: LoweringParameters,
    *,
    fast_math: bool,
) -> list[_Row]:
    gathered: dict[_RowKey, Amounts] = {}
    code: dict[_RowKey, CodePart] = {}
    for value, context, amounts in selector.moved:
        weight = context.effective_weight()
        if weight is not None:
            key = (weight, _line(value), False, -1)
            add_into(gathered.setdefault(key, {}), amounts)
            part = code.setdefault(key, CodePart())
            part.add(value, amounts, fast_math=fast_math, is_moved=True)
    for copy in integer_copies(counted, selector.inputs, live.users, parameters):
        weight = copy.context.effective_weight()
        if weight is not None:
            total = gathered.setdefault((weight, _line(copy.value), False, -1), {})
            add_into(total, {Quantity.INT_OP: copy.count, Quantity.INTEGER_COPIES: copy.count})
    for value, amounts in counted:
        weight = _weight(value, live)
        if weight is None or not amounts:
            continue
        retried = len(amounts) > 1 and is_retried(value)
        key = (weight, _line(value), value.op is Op.TENSOR, value.site if retried else -1)
        add_into(gathered.setdefault(key, {}), amounts)
        code.setdefault(key, CodePart()).add(value, amounts, fast_math=fast_math)
    rows = [
        _Row(
            weight=w,
            line=line,
            block=_block(w),
            amounts=amounts,
            code=code.get((w, line, per_warp, site), CodePart()),
            per_warp=per_warp,
            conflict_site=site,
        )
        for (w, line, per_warp, site), amounts in gathered.items()
    ]
    return rows + _unusual_divisions(counted, selector)


def _unusual_divisions(counted: list[tuple[Value, Amounts]], selector: Selector) -> list[_Row]:
    """What divisions take more where their numerators are zero, or their operands are pairs of words."""
    found: list[_Row] = []
    for value, _ in counted:
        weight = value.context.effective_weight()
        pairs_elsewhere: float | None = None
        more = selector.more_for_zero(value)
        if not more:
            more, pairs_elsewhere = selector.more_for_pairs(value)
        if weight is None or not more:
            continue
        found.append(
            _Row(
                weight=weight,
                line=_line(value),
                block=_block(weight),
                amounts=more,
                code=CodePart(),
                per_warp=False,
                conflict_site=-1,
                is_unusual_division=True,
                division_site=value.site,
                pairs_elsewhere=pairs_elsewhere,
            )
        )
    return found


_RowKey = tuple[Weight, SourceLine, bool, int]


def _memory_rows(live: LiveGraph, code: Code) -> list[_MemoryRow]:
    rows = []
    parameter_slots = {p.slot for p in code.parameters if p.slot is not None}
    for value in live.live:
        if value.op not in {Op.LOAD, Op.STORE} or not isinstance(value.detail, LoadDetail):
            continue
        weight = value.context.effective_weight()
        if weight is None or value.detail.access.access_bytes == 0:
            continue
        root = value.detail.root
        space: Space | None = None
        if isinstance(root.identity, int) and root.kind.value == "slot":
            if is_private(root, code) and root.identity not in live.local_slots:
                continue
            space = code.slots[root.identity].space
            if value in live.copied_arguments.get(root.identity, ()):
                space = Space.LOCAL
            elif root.identity in parameter_slots and value.op is Op.LOAD:
                continue
        rows.append(
            _MemoryRow(
                weight=weight,
                line=_line(value),
                block=_block(weight),
                site=value.site,
                is_store=value.op is Op.STORE,
                space=space,
            )
        )
    return rows


def _line(value: Value) -> SourceLine:
    position = value.position
    return ("", 0) if position is None else (position.file, position.line)


def _block(weight: Weight) -> int:
    """The block that a weight counts."""
    for factor in weight.numerators:
        if factor.kind is FactorKind.BLOCK:
            return factor.number
    return -1


def _evaluate(model: StaticModel, trace: LaunchTrace) -> InstructionCounts:
    threads = WeightEvaluator(trace)
    warps = WeightEvaluator(trace, warps=True)
    totals: Amounts = {}
    by_line: dict[SourceLine, Amounts] = {}
    by_block: dict[int, Amounts] = {}
    terms: dict[SourceLine, dict[float, Amounts]] = {}
    executions: dict[int, float] = {}
    code: list[CodePart] = []
    for row in model.rows:
        weight = (warps if row.per_warp else threads).value(row.weight)
        if row.is_unusual_division:
            division, pairs = trace.divisions.get(row.division_site), row.pairs_elsewhere
            if division is None:
                weight *= pairs or 0.0
            else:
                weight *= division.zero_share if pairs is None else division.pair_share(pairs)
        if weight == 0.0:
            continue
        code.append(row.code)
        if row.conflict_site >= 0:
            # Of c lanes on one address one succeeds in each round: (c + 1) / 2 rounds for the mean lane. While a warp
            # tries, the other warps of its block that are at the address succeed in turn: so for w warps.
            for meeting in (trace.atomic_conflicts, trace.atomic_warps):
                weight *= (meeting.get(row.conflict_site, 1.0) + 1.0) / 2.0
        add_into(totals, row.amounts, weight)
        add_into(by_line.setdefault(row.line, {}), row.amounts, weight)
        add_into(by_block.setdefault(row.block, {}), row.amounts, weight)
        add_into(terms.setdefault(row.line, {}).setdefault(weight, {}), row.amounts)
    for access in model.memory:
        weight = threads.value(access.weight)
        if weight > 0.0:
            code.append(access_part())
        executions[access.site] = executions.get(access.site, 0.0) + weight
        part = {_column(access, trace): weight}
        add_into(totals, part)
        add_into(by_line.setdefault(access.line, {}), part)
        add_into(by_block.setdefault(access.block, {}), part)
    return InstructionCounts(
        totals=totals,
        by_line=by_line,
        by_block=by_block,
        terms=terms,
        site_executions=executions,
        local_slots=model.local_slots,
        indexed_by_data=model.indexed_by_data,
        known_loads=model.known_loads,
        copied_arguments=model.copied_arguments,
        frame=_frame_words(model.frame, warps),
        spilled=spilled_words(model.spills, threads),
        coefficient_loads=model.coefficient_loads
        * sum(warps.value(use) for use in model.coefficients),
        registers_per_thread=model.registers_per_thread,
        code_instructions=code_instructions(code),
        load_batches=model.load_batches,
        vanished_loops=model.vanished_loops,
        emitted=emitted_by_origin(model.emitted, threads, trace.block_threads),
        assumptions=tuple(
            CountAssumption(kind=kind, text=text, file=line[0], line=line[1], weight=1.0)
            for kind, text, line, _ in model.assumptions
        ),
    )


def _column(access: _MemoryRow, trace: LaunchTrace) -> Quantity:
    space = access.space
    if space is None:
        seen = trace.sites.get(access.site)
        space = seen.space if seen is not None and seen.space is not None else Space.GLOBAL
    return _SPACE_COLUMNS[space][1 if access.is_store else 0]


__all__ = [
    "CompilerFlags",
    "CountAssumption",
    "Factor",
    "InstructionCounts",
    "StaticModel",
    "count_instructions",
    "static_model",
]
