"""Global loads that the compiler must repeat since a store might have changed the datum: in loops, and in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.patterns.subject import Placed
from roofstat.program.code import (
    BINARY_ARITHMETIC,
    MemoryAccess,
    Op,
    Space,
    blocks,
    instructions_of,
)
from roofstat.report import PatternKind, PatternReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.patterns.subject import KernelCode
    from roofstat.program.code import Block, Instruction

__all__ = ["load_patterns"]

_PURE = BINARY_ARITHMETIC | {
    Op.MOV, Op.NEG, Op.BIT_NOT, Op.NOT, Op.CAST, Op.BITCAST, Op.SELECT, Op.PTR_ADD, Op.PTR_DIFF, Op.SLOT, Op.GLOBAL,
    Op.PARAM, Op.SPECIAL, Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE,
}  # fmt: skip
_SYNCHRONISING = frozenset({Op.BARRIER, Op.ATOMIC, Op.CALL, Op.CALL_POINTER})
_GLOBAL = (Space.GLOBAL, Space.GENERIC, Space.HOST)
"""What a kernel finds in the host's arrays has been mapped, or is managed."""
_STILL_THERE = 0.5
"""Part of its executions that a load must keep after the compiler has removed redundant ones."""
_FEWEST_TRIPS = 2.0


def load_patterns(code: KernelCode) -> Iterator[PatternReport]:
    """Loop-invariant loads, data kept in memory over a loop, and loads of what was just loaded."""
    invariant: set[int] = set()
    for placed in code.text_facts.placed:
        found = _in_loop(code, placed)
        if found is not None:
            invariant.add(placed.instruction.site)
            yield found
        elif _is_hoisted(code, placed):
            yield _hoisted(code, placed)
    for block in blocks(code.trace.code.body):
        yield from _repeated(code, block, invariant)


def _in_loop(code: KernelCode, placed: Placed) -> PatternReport | None:
    item = placed.instruction
    if not placed.loops or not _is_kept(code, placed):
        return None
    loop = placed.loops[-1]
    if code.trips(loop) < _FEWEST_TRIPS:
        return None
    inside = {
        each.site: each
        for part in (loop.condition, loop.body, loop.step)
        for each in instructions_of(part)
    }
    if any(each.op in _SYNCHRONISING for each in inside.values()):
        return None
    invariance = _Invariance(code, frozenset(inside))
    if not invariance.holds(item.args[0]):
        return None
    detail = item.detail
    assert isinstance(detail, MemoryAccess)
    updated = any(
        each.op is Op.STORE
        and isinstance(each.detail, MemoryAccess)
        and each.detail.array == detail.array
        and invariance.holds(each.args[0])
        for each in inside.values()
    )
    executions = code.counts.site_executions.get(item.site, 0.0)
    return PatternReport(
        kind=PatternKind.MEMORY_ACCUMULATOR if updated else PatternKind.INVARIANT_LOAD,
        line=item.position.line,
        file=code.other_file(item.position),
        column=item.position.column or None,
        subject=detail.array,
        executions=executions,
        needed=executions / code.trips(loop),
    )


def _is_hoisted(code: KernelCode, placed: Placed) -> bool:
    """Whether the compiler loads once what the source loads from global memory in each iteration."""
    if not placed.loops or not _is_global_load(code, placed.instruction):
        return False
    left = code.counts.site_executions.get(placed.instruction.site, 0.0)
    return 0 < left <= _STILL_THERE * code.executions(placed)


def _hoisted(code: KernelCode, placed: Placed) -> PatternReport:
    item = placed.instruction
    assert isinstance(item.detail, MemoryAccess)
    return PatternReport(
        kind=PatternKind.HOISTED_LOAD,
        line=item.position.line,
        file=code.other_file(item.position),
        column=item.position.column or None,
        subject=item.detail.array,
        executions=code.executions(placed),
        needed=code.counts.site_executions[item.site],
    )


def _is_kept(code: KernelCode, placed: Placed) -> bool:
    """Whether an instruction loads from global memory most of the times that the source says so."""
    if not _is_global_load(code, placed.instruction):
        return False
    left = code.counts.site_executions.get(placed.instruction.site, 0.0)
    return left > _STILL_THERE * code.executions(placed) > 0


def _is_global_load(code: KernelCode, item: Instruction) -> bool:
    detail = item.detail
    if item.op is not Op.LOAD or not isinstance(detail, MemoryAccess):
        return False
    if not detail.access_bytes or detail.is_volatile or not detail.array:
        return False
    seen = code.trace.sites.get(item.site)
    return seen is not None and seen.space in _GLOBAL


class _Invariance:
    """Whether registers keep their value while a loop runs."""

    def __init__(self, code: KernelCode, inside: frozenset[int]) -> None:
        self._code = code
        self._inside = inside

    def holds(self, register: int) -> bool:
        """Return whether a register has one value throughout."""
        seen, waiting = {register}, [register]
        while waiting:
            current = waiting.pop()
            written = [
                item
                for item in self._code.text_facts.writers.get(current, [])
                if item.site in self._inside
            ]
            if not written:
                continue
            if len(written) > 1 or current in self._code.trace.code.variables:
                return False
            if written[0].op not in _PURE:
                return False
            fresh = set(written[0].args) - seen
            seen |= fresh
            waiting += fresh
        return True


def _repeated(code: KernelCode, block: Block, invariant: set[int]) -> Iterator[PatternReport]:
    """Loads of an address in one straight run of code at which a load stands before, with stores to others between."""
    values = _Values(code)
    loaded: dict[object, str] = {}
    epochs: dict[str, int] = {}
    for item in block.instructions:
        detail = item.detail
        if item.op is Op.LOAD and isinstance(detail, MemoryAccess):
            key = (values.of(item.args[0]), detail.offset_bytes, item.scalar)
            kept = item.site not in invariant and _is_kept(code, Placed(item, block, ()))
            if key in loaded and kept:
                yield PatternReport(
                    kind=PatternKind.REPEATED_LOAD,
                    line=item.position.line,
                    file=code.other_file(item.position),
                    column=item.position.column or None,
                    subject=detail.array,
                    executions=code.counts.site_executions.get(item.site, 0.0),
                    needed=0.0,
                )
            loaded[key] = detail.array
            values.set(item.dest, ("load", key, epochs.get(detail.array, 0)))
        elif item.op is Op.STORE and isinstance(detail, MemoryAccess):
            epochs[detail.array] = epochs.get(detail.array, 0) + 1
            loaded = {key: array for key, array in loaded.items() if array != detail.array}
        elif item.op in _SYNCHRONISING:
            loaded.clear()
        elif item.dest in code.trace.code.variables:
            values.set(item.dest, ("written", item.site))
        elif item.dest >= 0 and item.op in _PURE:
            arguments = tuple(values.of(register) for register in item.args)
            values.set(item.dest, (item.op, item.scalar, str(item.detail), arguments))


class _Values:
    """Numbers for what registers hold, equal for what is computed alike."""

    def __init__(self, code: KernelCode) -> None:
        self._constants = code.trace.code.constants
        self._numbers: dict[object, int] = {}
        self._held: dict[int, int] = {}

    def of(self, register: int) -> int:
        """Return the number of what a register holds now."""
        if register in self._constants:
            return self._number(("constant", self._constants[register]))
        held = self._held.get(register)
        return held if held is not None else self._number(("register", register))

    def set(self, register: int, value: object) -> None:
        """Let a register hold a value."""
        self._held[register] = self._number(value)

    def _number(self, value: object) -> int:
        return self._numbers.setdefault(value, len(self._numbers))
