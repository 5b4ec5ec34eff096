"""The lists that explain a report: accesses, loops and source lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from roofstat.analysis.access_details import AccessDetails
from roofstat.instructions.tables.quantities import Quantity, issued_in
from roofstat.memory.records import Direction as MemoryDirection
from roofstat.program.code import Loop, Space, blocks, loops
from roofstat.report import (
    AccessReport,
    Counts,
    Direction,
    LineReport,
    LineTerm,
    LoopReport,
    MemorySpace,
    TrafficRegime,
    TripCountSource,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clang_queries.ir.expressions import Position
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.instructions.tables.quantities import Amounts
    from roofstat.memory.records import MemoryTraffic
    from roofstat.program.code import Code

__all__ = ["access_reports", "counts_of", "line_reports", "loop_reports"]


_SPACES = {
    Space.SHARED: MemorySpace.SHARED,
    Space.LOCAL: MemorySpace.LOCAL,
    Space.CONSTANT: MemorySpace.CONSTANT,
    Space.TEXTURE: MemorySpace.TEXTURE,
}


def access_reports(
    memory: MemoryTraffic, trace: LaunchTrace, texts: SourceTexts, own_file: str
) -> tuple[AccessReport, ...]:
    """Return the memory accesses, those with the most DRAM traffic first."""
    details = AccessDetails(trace, texts)
    reports = []
    for access in memory.accesses:
        has_sectors = access.space not in (Space.SHARED, Space.CONSTANT)
        is_atomic = access.direction is MemoryDirection.ATOMIC
        reports.append(
            AccessReport(
                line=max(access.position.line, 1),
                column=access.position.column or None,
                file=_other_file(access.position, own_file),
                array=access.array or "?",
                index=details.index(access.position),
                record=details.record(access.site),
                space=_SPACES.get(access.space, MemorySpace.GLOBAL),
                direction=Direction(access.direction.value),
                element_bytes=access.element_bytes,
                requests=access.requests,
                threads=details.threads(access.site),
                sectors_per_request=access.sectors_per_request if has_sectors else None,
                ideal_sectors_per_request=details.ideal_sectors(access.site, access.element_bytes)
                if has_sectors
                else None,
                wavefronts_per_request=access.sectors_per_request if not has_sectors else None,
                stride_bytes=access.stride_bytes,
                footprint_bytes=access.footprint_bytes,
                share=access.share,
                row_bytes=details.row_bytes(access.site, access.element_bytes)
                if has_sectors and access.stride_bytes == access.element_bytes
                else None,
                alignment_bytes=details.alignment_bytes(access.site),
                lanes_per_address=details.lanes_per_address(access.site) if is_atomic else None,
                addresses=details.addresses(access) if is_atomic else None,
            )
        )
    return tuple(sorted(reports, key=lambda item: (-(item.share or 0.0), item.line)))


def _operations(amounts: Amounts) -> float:
    return sum(
        amounts.get(kind, 0.0)
        for kind in (Quantity.SP_FLOP, Quantity.DP_FLOP, Quantity.HP_FLOP, Quantity.INT_OP)
    )


def loop_reports(
    trace: LaunchTrace, counts: InstructionCounts, launch: HostLaunch, own_file: str
) -> tuple[LoopReport, ...]:
    """Every loop of a kernel with its share of the work."""
    shares = _LoopShares(trace.code, counts)
    reports = []
    found = list(loops(trace.code.body))
    run = {(loop.position, depth) for loop, depth in found if loop.number in trace.loops}
    for loop, depth in found:
        seen = trace.loops.get(loop.number)
        if seen is None and (loop.position, depth) in run:
            # The compiler has written it twice, and this copy was not run.
            continue
        source = TripCountSource.HOST_CODE if launch.source == "host-code" else TripCountSource.FLAG
        if (seen is not None and seen.source == "assumed") or launch.source == "assumed":
            source = TripCountSource.ASSUMED
        reports.append(
            LoopReport(
                line=max(loop.position.line, 1),
                file=_other_file(loop.position, own_file),
                depth=depth,
                trip_count=_rounded(seen.mean_trips)
                if seen is not None and math.isfinite(seen.mean_trips)
                else None,
                source=source,
                share=shares.of(loop),
            )
        )
    return tuple(reports)


def _rounded(trips: float) -> float:
    """A trip count without the noise of sums of weights."""
    whole = round(trips)
    return float(whole) if math.isclose(trips, whole, rel_tol=1e-9) else trips


def _other_file(position: Position, own_file: str) -> str | None:
    return position.file if position.file and position.file != own_file else None


class _LoopShares:
    """Which part of a kernel's operations a loop holds.

    The work of an unrolled loop belongs to the block around it, and is known by its source lines, as far as those hold
    nothing else.
    """

    def __init__(self, code: Code, counts: InstructionCounts) -> None:
        self._counts = counts
        self._total = _operations(counts.totals) or 1.0
        self._lines: dict[int, set[tuple[str, int]]] = {}
        for block, item in code.instructions():
            place = (item.position.file, item.position.line)
            self._lines.setdefault(block.number, set()).add(place)

    def of(self, loop: Loop) -> float | None:
        """Return the share, loops within included; None where the lines of an unrolled loop hold other work too."""
        inside = _block_numbers(loop)
        own = sum(
            _operations(amounts)
            for number, amounts in self._counts.by_block.items()
            if number in inside
        )
        mine = self._lines_of(inside)
        lines = mine - self._lines_of(self._lines.keys() - inside)
        if not own and mine and not lines:
            return None
        # Lines are in no order, and the rounding of a plain sum would depend on it.
        unrolled = math.fsum(_operations(self._counts.by_line.get(line, {})) for line in lines)
        return min(max(own, unrolled) / self._total, 1.0)

    def _lines_of(self, blocks_: Iterable[int]) -> set[tuple[str, int]]:
        return set[tuple[str, int]]().union(*(self._lines.get(number, set()) for number in blocks_))


def _block_numbers(loop: Loop) -> frozenset[int]:
    return frozenset(
        block.number for part in (loop.condition, loop.body, loop.step) for block in blocks(part)
    )


def line_reports(
    counts: InstructionCounts, memory: MemoryTraffic, own_file: str, regime: TrafficRegime
) -> tuple[LineReport, ...]:
    """Return work and traffic of each source line."""
    dram = (memory.steady if regime is TrafficRegime.STEADY else memory.profiled).total_bytes
    moved: dict[tuple[str, int], float] = {}
    for access in memory.accesses:
        key = (access.position.file, access.position.line)
        moved[key] = moved.get(key, 0.0) + access.share * dram
    reports = []
    for key in sorted(set(counts.by_line) | set(moved)):
        file, line = key
        if line < 1:
            continue
        terms = sorted(counts.terms.get(key, {}).items())
        reports.append(
            LineReport(
                line=line,
                file=file if file != own_file else None,
                counts=counts_of(counts.by_line.get(key, {})),
                dram_bytes=moved.get(key, 0.0),
                executions=terms[-1][0] if terms else None,
                terms=tuple(LineTerm(executions=n, counts=counts_of(each)) for n, each in terms),
            )
        )
    return tuple(reports)


def counts_of(amounts: Amounts) -> Counts:
    """Return the operations among amounts."""
    return Counts(
        sp_flop=amounts.get(Quantity.SP_FLOP, 0.0),
        dp_flop=amounts.get(Quantity.DP_FLOP, 0.0),
        hp_flop=amounts.get(Quantity.HP_FLOP, 0.0),
        tensor_flop=amounts.get(Quantity.TENSOR_FLOP, 0.0),
        int_op=amounts.get(Quantity.INT_OP, 0.0),
        special_op=amounts.get(Quantity.SPECIAL_UNIT_OP, 0.0),
        instructions=issued_in(amounts),
    )
