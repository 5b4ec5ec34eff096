"""Reports of kernels that host code runs by calling a library: measured amounts, placed as all others are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis.assumptions import assumption
from roofstat.analysis.judging import judged
from roofstat.libraries.operations import VECTOR_FILL, launches_of, launches_of_stated
from roofstat.libraries.table import ANY_ELEMENT, MEASURED_ON, bare_name
from roofstat.memory.write_back import streamed
from roofstat.report import (
    Assumption,
    Compiler,
    Counts,
    Diagnostic,
    DramBytes,
    KernelReport,
    Language,
    Launch,
    LaunchSource,
    LibraryOrigin,
    Severity,
    TrafficBytes,
    TrafficRegime,
    strongest_weights,
)
from roofstat.roofline import Work, place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.execution.host.library_calls import LibraryCalls, RecordedUse
    from roofstat.hardware import Gpu
    from roofstat.libraries.operations import LibraryLaunch

__all__ = ["LibraryKernels", "library_kernels_of"]

_ELEMENTWISE = frozenset({"Thrust", "CUB"})
"""Libraries of algorithms of which many are simple loops over elements."""
_UNKNOWN = dict.fromkeys(
    (
        "counts.special_op",
        "counts.instructions",
        "bytes.global_requests",
        "bytes.global_sectors",
        "bytes.global_ld_requests",
        "bytes.global_ld_sectors",
        "bytes.global_st_requests",
        "bytes.global_st_sectors",
        "bytes.local",
        "bytes.l1",
        "bytes.shared",
        "bytes.shared_bank_conflicts",
    ),
    "not measured for kernels of libraries",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryKernels:
    """What a program's calls of libraries run.

    Attributes:
        kernels: Those that were measured.
        diagnostics: Calls whose kernels are missing.
        used_launches: Names under which the user stated launches of them.
    """

    kernels: tuple[KernelReport, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    used_launches: frozenset[str] = frozenset()


def library_kernels_of(
    calls: LibraryCalls, options: AnalysisOptions, own_names: frozenset[str]
) -> LibraryKernels:
    """Report the kernels that a program's calls of libraries run.

    Args:
        calls: The calls.
        options: The card, and launches that are stated.
        own_names: Names of the program's own kernels, which stated launches mean first.
    """
    if not calls.found and not calls.unmeasured:
        return LibraryKernels()
    known: list[_Known] = []
    missing: list[Diagnostic] = []
    for recorded in calls.found.values():
        launches = launches_of(recorded.use, options.gpu.sm_count)
        if launches is None:
            use = recorded.use
            missing.append(_missing(use.call, use.library, recorded.position, recorded.problem))
        else:
            known += [_known(recorded, launch) for launch in launches]
    missing += [_missing(name, library, where) for name, library, where in calls.unmeasured]
    stated, used = _stated(calls, options, known, own_names)
    seen: Counter[str] = Counter()
    reports = []
    for entry in (*known, *stated):
        reports.append(_report(entry, options, seen[entry.launch.kernel.name]))
        seen[entry.launch.kernel.name] += 1
    return LibraryKernels(
        kernels=tuple(reports), diagnostics=tuple(missing), used_launches=frozenset(used)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """A launch of a library's kernel that is reported."""

    launch: LibraryLaunch
    grid: tuple[int, int, int]
    library: str
    call: str
    position: Position
    count: float
    source: LaunchSource
    notes: tuple[tuple[str, str], ...]


def _known(recorded: RecordedUse, launch: LibraryLaunch) -> _Known:
    return _Known(
        launch=launch,
        grid=(launch.blocks, 1, 1),
        library=recorded.use.library,
        call=recorded.use.call,
        position=recorded.position,
        count=recorded.count * launch.count,
        source=LaunchSource.HOST_CODE,
        notes=tuple(("library-operation", caveat) for caveat in recorded.caveats),
    )


def _stated(
    calls: LibraryCalls, options: AnalysisOptions, known: list[_Known], own_names: frozenset[str]
) -> tuple[list[_Known], set[str]]:
    """Launches that are stated of kernels which the host code does not tell, and the names they are stated under."""
    places = [(each.use.library, each.use.call, each.position) for each in calls.found.values()]
    places += [(library, name, where) for name, library, where in calls.unmeasured]
    library, call, position = places[0]
    uses = [each.use for each in calls.found.values()]
    reported = {
        (entry.launch.kernel.name, entry.launch.kernel.variant, entry.launch.blocks)
        for entry in known
    }
    found: list[_Known] = []
    used: set[str] = set()
    for name, stated in options.launches.items():
        if stated.grid is None or bare_name(name) in own_names:
            continue
        grid = stated.grid
        blocks = grid[0] * grid[1] * grid[2]
        threads = stated.block[0] * stated.block[1] * stated.block[2] if stated.block else None
        launches = launches_of_stated(name, blocks, threads, uses)
        if not launches:
            continue
        used.add(name)
        launch = launches[0]
        key = (launch.kernel.name, launch.kernel.variant, blocks)
        if key in reported:
            continue
        reported.add(key)
        found.append(
            _Known(
                launch=launch,
                grid=grid,
                library=library,
                call=call,
                position=position,
                count=1.0,
                source=stated.source,
                notes=(
                    ("library-operation", "how many elements it handles is told by its grid alone"),
                ),
            )
        )
    return found, used


def _report(entry: _Known, options: AnalysisOptions, index: int) -> KernelReport:
    launch, kernel, gpu = entry.launch, entry.launch.kernel, options.gpu
    amounts = kernel.amounts(launch.items, launch.blocks, launch.element_bytes)
    profiled, steady = streamed(gpu, amounts.read_bytes, amounts.write_bytes)
    traffic = TrafficBytes(
        profiled=DramBytes(read_bytes=profiled.read_bytes, write_bytes=profiled.write_bytes),
        steady=DramBytes(read_bytes=steady.read_bytes, write_bytes=steady.write_bytes),
        compulsory_bytes=amounts.read_bytes + amounts.write_bytes,
        l2_bytes=max(amounts.l2_bytes, amounts.read_bytes + amounts.write_bytes),
    )
    counts = Counts(
        sp_flop=amounts.sp_flop,
        dp_flop=amounts.dp_flop,
        hp_flop=0.0,
        tensor_flop=0.0,
        int_op=amounts.int_op,
    )
    assumptions = _assumptions(entry)
    placements = {
        regime: place(
            _work(counts, traffic, regime, launch.blocks, gpu),
            gpu,
            assumption_weights=strongest_weights(assumptions),
        )
        for regime in TrafficRegime
    }
    position = entry.position
    line = max(position.line, 1)
    element = "" if kernel.element == ANY_ELEMENT else kernel.element
    report = KernelReport(
        name=kernel.name.rsplit("::", 1)[-1],
        signature=f"{kernel.name}<{element}>" if element else kernel.name,
        language=Language.CUDA,
        file=position.file,
        line=line,
        column=max(position.column, 1),
        end_line=line,
        compiler=Compiler.NVCC,
        launch=Launch(
            grid=entry.grid,
            block=(*kernel.block, 1),
            count=round(entry.count),
            index=index,
            source=entry.source,
            file=position.file or None,
            line=line,
        ),
        counts=counts,
        traffic=traffic,
        regime=options.traffic,
        assumptions=assumptions,
        unknown=_UNKNOWN,
        library=LibraryOrigin(
            name=entry.library,
            call=entry.call,
            variant=kernel.variant,
            element=element,
            items=launch.items or None,
        ),
    )
    return judged(report, placements)


def _work(
    counts: Counts, traffic: TrafficBytes, regime: TrafficRegime, blocks: int, gpu: Gpu
) -> Work:
    return Work(
        sp_flop=counts.sp_flop,
        dp_flop=counts.dp_flop,
        int_op=counts.int_op,
        special_op=None,
        dram_bytes=traffic.dram(regime).total_bytes,
        l2_bytes=traffic.l2_bytes,
        shared_bytes=None,
        l1_bytes=None,
        constant_address=None,
        issued_op=None,
        busy_sm_share=min(1.0, blocks / gpu.sm_count),
    )


def _assumptions(entry: _Known) -> tuple[Assumption, ...]:
    origin = f"kernel of {entry.library}, run by {entry.call}"
    text = f"{origin}: counts measured on {MEASURED_ON}, not derived from source"
    place_of = (entry.position.file, entry.position.line, 1.0)
    found = [assumption("library-kernel", text, *place_of)]
    found += [assumption(kind, note, *place_of) for kind, note in entry.notes]
    return tuple(sorted(found, key=lambda item: -item.weight))


def _missing(name: str, library: str, position: Position, problem: str = "") -> Diagnostic:
    where = "they are not in the source and not in this report"
    if problem:
        where = f"{problem}, {where}"
    return Diagnostic(
        code="library-kernels",
        severity=Severity.NOTE,
        message=f"{name} runs kernels of {library}: {where}",
        file=position.file,
        line=position.line or None,
        help=_remedy(name, library),
    )


def _remedy(name: str, library: str) -> str:
    measure = "measure it, as with roofstat profile"
    if name == VECTOR_FILL:
        return f"a vector that is made of a size sets all of its elements; to have that counted, {measure}"
    if library in _ELEMENTWISE:
        return f"to have its work counted, write a kernel that does the same, where it treats elements one by one; or {measure}"
    if library == "cuBLAS":
        return f"of cuBLAS dot, axpy, scal, copy, swap, asum, amax and amin are known, and no others; {measure}"
    return f"to have its work counted, {measure}"
