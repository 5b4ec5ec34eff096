"""Loop bodies and straight-line kernels as the instruction model and as a compiler's SASS have them, in pairs.

Both sides are static: what stands in a body once, whatever branches do. Copies of an unrolled body are divided out;
how many copies SASS has is read off what integer lowering does not touch (floating point, loads and stores).
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from sass_oracle import Block, Loop, natural_loops, split_blocks

from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.graph.liveness import analyse
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.register_copies import integer_copies
from roofstat.instructions.graph.registers import registers_per_thread
from roofstat.instructions.graph.selection import Selector
from roofstat.instructions.loops.endless_loops import with_tests
from roofstat.instructions.loops.sizes import is_member
from roofstat.instructions.model import parameters_of
from roofstat.instructions.tables.costing import CostSource
from roofstat.instructions.tables.costs import Compiler
from roofstat.instructions.tables.opcodes import OpcodeClass, classify
from roofstat.instructions.tables.openmp_costs import runtime_cost
from roofstat.instructions.tables.quantities import Amounts, Quantity
from roofstat.instructions.walker import Walker
from roofstat.program.code import LibraryCall, Op
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sass_text import Function, Instruction

    from roofstat.instructions.graph.values import Context, LoopFrame, Value
    from roofstat.instructions.model import CompilerFlags
    from roofstat.program.code import Code

Line = tuple[str, int]
"""Name of the file without folders, and line."""

_SASS_CLASSES = {
    OpcodeClass.INTEGER: "int",
    OpcodeClass.FP32: "fp32",
    OpcodeClass.FP64: "fp64",
    OpcodeClass.SPECIAL: "special",
    OpcodeClass.MEMORY: "memory",
}
_QUANTITIES = {
    Quantity.INT_OP: "int",
    Quantity.SP_FLOP: "fp32",
    Quantity.DP_FLOP: "fp64",
    Quantity.SPECIAL_OP: "special",
}
_NO_DATA = frozenset({"LDC", "ULDC", "LDCU"})
_GLOBAL = frozenset({"LDG", "STG", "LD", "ST", "ATOMG", "ATOM", "RED"})
_LEAST_OVERLAP = 0.3
_MOST_COPIES = 64
_MOST_PATHS = 500
_GUARDED_IN_DIVISION = 3.0
"""Corrections of an integer division that stand in the code but do not run for ordinary operands."""


@dataclass(slots=True)
class Body:
    """A loop body or a whole kernel: counts by class and by line."""

    copies: float
    totals: Counter[str] = field(default_factory=Counter)
    lines: dict[Line, Counter[str]] = field(default_factory=dict)
    depth: int = 0
    is_shared: bool = False
    """Whether the threads of a team share the iterations of a `for`, one each in turn."""
    past: list[Body] = field(default_factory=list)
    """Ways through the loop around an innermost one of SASS that leave that out, one for each number of accesses."""

    def add(self, line: Line, kind: str, amount: float) -> None:
        """Counts something at a line."""
        self.totals[kind] += amount  # type: ignore[assignment]
        self.lines.setdefault(line, Counter())[kind] += amount  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Pair:
    """A body of the model with the one of SASS; per iteration of the source's loop."""

    kernel: str
    is_loop: bool
    model: Body
    sass: Body

    def counts(self, kind: str) -> tuple[float, float]:
        """Model and SASS, per copy."""
        return self.model.totals[kind] / self.model.copies, self.sass.totals[
            kind
        ] / self.sass.copies


def model_bodies(
    code: Code, compiler: Compiler, architecture: str, flags: CompilerFlags
) -> tuple[Body, list[Body], bool]:
    """The whole kernel, its innermost loops, and whether it has loops at all."""
    parameters = parameters_of(code, compiler, architecture)
    graph = Walker(with_tests(code), parameters, fast_math=flags.fast_math).run()
    live = analyse(
        graph,
        has_constant_tables=compiler is Compiler.CLANG,
        hoisted_tests=parameters.hoisted_tests,
        copies_arguments=parameters.copies_arguments,
        tests_offsets=parameters.tests_offsets,
    )
    source = CostSource(compiler, architecture, fast_math=flags.fast_math)
    registers = registers_per_thread(live, code, flags.max_registers)
    selector = Selector(live, source, parameters, contract=flags.fmad, registers=registers)
    whole = Body(1.0)
    bodies: dict[int, tuple[LoopFrame, Body]] = {}
    # What the OpenMP run time does is no lowering, and SASS has much of it outside of the loop that it belongs to.
    counted = [(value, selector.amounts(value)) for value in live.live if not _is_run_time(value)]
    costs_of: list[tuple[Context, Value, list[tuple[str, float]]]] = [
        (copy.context, copy.value, [("int", copy.count), ("op:copy", copy.count)])
        for copy in integer_copies(counted, selector.inputs, live.users, parameters)
    ]
    costs_of += [(value.context, value, _costs_of(value, amounts)) for value, amounts in counted]
    costs_of += [(context, value, _counted(amounts)) for value, context, amounts in selector.moved]
    for context, value, costs in costs_of:
        frame = context.loop
        targets = [whole]
        if frame is not None:
            body = bodies.setdefault(id(frame), (frame, Body(float(frame.copies))))[1]
            body.is_shared |= _is_call(value, RuntimeCall.ITERATION)
            targets.append(body)
        for kind, amount in costs:
            for target in targets:
                target.add(_line(value), kind, amount)
    innermost = []
    for frame, body in bodies.values():
        body.depth = frame.depth
        if not frame.has_inner_loop:
            innermost.append(body)
    return whole, innermost, bool(bodies)


_OF_ITERATIONS = (RuntimeCall.ROUND_SIGNED, RuntimeCall.ITERATION)


def _is_call(value: Value, *names: str) -> bool:
    return isinstance(value.detail, LibraryCall) and value.detail.name.startswith(names)


def _is_run_time(value: Value) -> bool:
    """Whether a value is work of the OpenMP run time, other than what stands in each iteration of a shared loop."""
    detail = value.detail
    if not isinstance(detail, LibraryCall) or _is_call(value, *_OF_ITERATIONS):
        return False
    return runtime_cost(detail.name) is not None


def _counted(amounts: Amounts) -> list[tuple[str, float]]:
    return [(_QUANTITIES[q], amount) for q, amount in amounts.items() if q in _QUANTITIES]


def _costs_of(value: Value, amounts: Amounts) -> list[tuple[str, float]]:
    if value.op is Op.TENSOR:
        # They are stated for a warp, of which SASS has the instructions of one thread.
        amounts = {quantity: amount / WARP_SIZE for quantity, amount in amounts.items()}
    found = _counted(amounts)
    if value.op in {Op.DIV, Op.REM} and not value.args[1].is_constant and not value.scalar.is_float:
        found.append(("int", _GUARDED_IN_DIVISION))
    if value.op in {Op.LOAD, Op.STORE, Op.ATOMIC} and not is_member(value):
        found.append(("memory", 1.0))
        if root_of(value.args[0]).kind is not RootKind.SLOT:
            found.append(("global", 1.0))
    if amounts.get(Quantity.INT_OP):
        found.append((f"op:{value.op.value}", amounts[Quantity.INT_OP]))
    return found


def _line(value: Value) -> Line:
    position = value.position
    return ("", 0) if position is None else (Path(position.file).name, position.line)


def sass_bodies(function: Function) -> tuple[Body, list[Body], bool]:
    """The same from SASS; subroutines are left out where ordinary operands do not enter them."""
    blocks = split_blocks(function)
    _take_in(blocks)
    loops = [loop for loop in natural_loops(blocks) if not _is_subroutine(loop, blocks)]
    whole = Body(1.0)
    filler = _filler(blocks)
    skipped = filler | _around_calls(blocks)
    for start, block in blocks.items():
        if not block.subroutine and start not in skipped:
            _count(block.instructions, whole)
    bodies = []
    for loop in loops:
        if any(other.body < loop.body for other in loops):
            continue
        if loop.header in filler:
            continue
        body = Body(1.0, depth=sum(loop.body <= other.body for other in loops))
        for start in loop.body - skipped:
            _count(blocks[start].instructions, body)
        outer = [other for other in loops if loop.body < other.body]
        if outer:
            around = min(outer, key=lambda other: len(other.body))
            body.past = _past(around, loop, blocks)
        bodies.append(body)
    return whole, bodies, any(loop.header not in filler for loop in loops)


_ENTERED = "__internal_accurate_pow"
"""The subroutine that all operands enter: a power of doubles; others are for unusual ones."""


def _take_in(blocks: dict[int, Block]) -> None:
    """Puts a subroutine that ordinary operands enter in place of the calls of it."""
    bodies: dict[str, list[Instruction]] = {}
    for block in blocks.values():
        if block.subroutine.endswith(_ENTERED):
            bodies.setdefault(block.subroutine, []).extend(block.instructions)
    for block in blocks.values():
        for name in block.calls:
            block.instructions = [*block.instructions, *bodies.get(name, ())]
        block.calls = [name for name in block.calls if name not in bodies]


def _past(outer: Loop, inner: Loop, blocks: dict[int, Block]) -> list[Body]:
    """The shortest ways through a loop that leave an inner one out."""
    found: dict[float, Body] = {}
    pending: list[tuple[int, ...]] = [(outer.header,)]
    for _ in range(_MOST_PATHS):
        if not pending:
            break
        path = pending.pop()
        following = blocks[path[-1]].successors
        if outer.header in following:
            body = Body(1.0)
            for start in path:
                _count(blocks[start].instructions, body)
            accesses = body.totals["memory"]
            if accesses not in found or _size(body) < _size(found[accesses]):
                found[accesses] = body
        left = set(following) & outer.body - inner.body - set(path)
        pending += [(*path, start) for start in left]
    return list(found.values())


def _filler(blocks: dict[int, Block]) -> set[int]:
    """Endless branches to themselves behind the code."""
    return {
        start
        for start, block in blocks.items()
        if len([i for i in block.instructions if i.opcode != "NOP"]) <= 1
        and block.successors in ([], [start])
        and block.instructions[0].opcode.partition(".")[0] in {"BRA", "NOP"}
    }


def _around_calls(blocks: dict[int, Block]) -> set[int]:
    """What only runs around a call of a subroutine: moves of its operands and results."""
    found = {start for start, block in blocks.items() if block.calls}
    before: dict[int, set[int]] = {}
    for start, block in blocks.items():
        for target in block.successors:
            before.setdefault(target, set()).add(start)
    found |= {target for target, sources in before.items() if sources <= found}
    return found


def _is_subroutine(loop: Loop, blocks: dict[int, Block]) -> bool:
    return any(blocks[start].subroutine for start in loop.body)


def _count(instructions: Sequence[Instruction], body: Body) -> None:
    for instruction in instructions:
        counted = classify(instruction.opcode, instruction.operands)
        kind = _SASS_CLASSES.get(counted.kind)
        name = instruction.opcode.partition(".")[0]
        line = (Path(instruction.file).name, instruction.line)
        if kind is None or name in _NO_DATA:
            body.lines.setdefault(line, Counter())
            continue
        body.add(line, kind, counted.amount)
        if name in _GLOBAL:
            body.add(line, "global", 1)
        if kind == "int":
            body.add(line, f"op:{instruction.opcode}", 1)


def pairs(
    kernel: str,
    model: tuple[Body, list[Body], bool],
    sass: tuple[Body, list[Body], bool],
) -> tuple[list[Pair], int]:
    """Bodies that belong together, and the number of the model's loops without a partner."""
    whole, bodies, has_loops = model
    sass_whole, candidates, sass_has_loops = sass
    if not has_loops and not sass_has_loops:
        return [Pair(kernel, False, whole, sass_whole)], 0
    found = []
    lost = 0
    for body in _merged(bodies):
        partner = _partner(body, candidates)
        if partner is None:
            lost += 1
            continue
        partner.copies = _copies(body, partner)
        found.append(Pair(kernel, True, body, partner))
    return found, lost


def _merged(bodies: list[Body]) -> list[Body]:
    """Of several instances of one loop (copies of an outer body) the first stands for all."""
    kept: dict[frozenset[Line], Body] = {}
    for body in bodies:
        if body.totals:
            kept.setdefault(frozenset(body.lines), body)
    return list(kept.values())


def _partner(body: Body, candidates: list[Body]) -> Body | None:
    """The loop of SASS that has most lines in common, and of those on the same lines the largest: the rest is remainder.

    A `for` that threads share is two loops, over chunks and in a chunk. As a chunk is one iteration, of the inner one only the first
    copy of the remainder runs, which stands in the outer one.
    """
    mine = {line for line, counts in body.lines.items() if line[1] and counts}
    found = []
    for candidate in candidates:
        theirs = {line for line, counts in candidate.lines.items() if line[1] and counts}
        overlap = _overlap(mine, theirs)
        if overlap >= _LEAST_OVERLAP:
            found.append((round(overlap, 1), _size(candidate), candidate))
    if not found:
        return None
    _, _, closest = max(found, key=lambda each: each[:2])
    lines = set(closest.lines)
    chosen = max((c for _, _, c in found if set(c.lines) == lines), key=_size)
    if body.is_shared:
        once = [way for way in chosen.past if way.totals["memory"] >= body.totals["memory"]]
        chosen = min(once, key=_size, default=chosen)
    return Body(1.0, Counter(chosen.totals), chosen.lines, chosen.depth)


def _size(body: Body) -> float:
    return sum(body.totals[kind] for kind in _SASS_CLASSES.values())


def _overlap(mine: set[Line], theirs: set[Line]) -> float:
    union = mine | theirs
    return len(mine & theirs) / len(union) if union else 0.0


def _copies(body: Body, partner: Body) -> float:
    """How often the partner holds the body, by what lowering of integers leaves alone.

    Accesses to shared memory come after others, as numbers that a parallel region shares with its team may lie there.
    """
    for kind in ("fp64", "fp32", "global", "memory", "special"):
        mine = body.totals[kind] / body.copies
        theirs = partner.totals[kind]
        if mine and theirs:
            ratio = theirs / mine
            return float(min(max(round(ratio), 1), _MOST_COPIES))
    return body.copies
