"""The analysis of one program: parse, link, run, count, model memory, place on the roofline."""

from __future__ import annotations

import re
import time
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.deep_stack import with_deep_stack
from clang_queries.errors import ClangQueriesError, ParseError
from clang_queries.ir.statements import DiagnosticKind
from clang_queries.translation_unit import Parser, parse as parse_once
from clang_queries.unit import lower_unit
from roofstat.analysis.assemble import KernelContext, enclosing_signature, kernel_report
from roofstat.analysis.inputs import gather_inputs
from roofstat.analysis.patterns.source_text import SourceTexts
from roofstat.analysis.result import ProgramResult
from roofstat.analysis.scaling import scaled_kernels
from roofstat.analysis.settings import (
    compiler_flags,
    device_model,
    launch_override,
    parse_options,
    region_override,
    report_compiler,
)
from roofstat.execution.default_launch import default_arguments, default_launch
from roofstat.execution.host.defects import DEFECTS, defect_of
from roofstat.execution.host.host_threads import ASSUMED_THREADS, HostThreads, note_influence
from roofstat.execution.host.launch_table import HostLaunch
from roofstat.execution.host.openmp_runtime import default_region_launch
from roofstat.execution.host.run import HostRun
from roofstat.execution.host.uncalled_launchers import call_launchers
from roofstat.execution.kernel_run import run_kernel
from roofstat.program.link import link
from roofstat.program.lowering import lower_host_function
from roofstat.program.openmp import invalid_clauses, region_functions
from roofstat.report import AnalysisError, Compiler, Diagnostic, ErrorKind, Language, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clang_queries.command_line import ParseOptions
    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import ParseDiagnostic, Unit
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.execution.host.defects import Defect
    from roofstat.execution.host.launches import LaunchOverride as RunOverride
    from roofstat.hardware import Gpu
    from roofstat.program.code import Code
    from roofstat.program.link import Program
    from roofstat.report import KernelReport


_SCALING_SHARE = 0.05
"""Of the time limit: an analysis that takes longer is not repeated with other numbers."""
_SEARCHES = 8
"""Further runs of main() that take branches to kernels which no run before has launched."""


def analyze_program(
    files: Sequence[Path],
    options: AnalysisOptions,
    checkpoint: Callable[[], None] = lambda: None,
) -> ProgramResult:
    """Analyse the translation units of one program together.

    Args:
        files: Its units; a unit that cannot be parsed becomes an error and the others are still analysed.
        options: What the analysis depends on besides the source.
        checkpoint: Called after each unit and before each launch; what it raises ends the analysis.

    Returns:
        One report for each kernel and launch configuration; kernels that nothing launches get a stated default.
    """
    return with_deep_stack(lambda: _analyze_scaled(files, options, checkpoint))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzedProgram:
    """A result with what it was made of.

    Attributes:
        result: What the analysis yields.
        units: The units that could be parsed.
        context: What all launches share; None where there is no unit.
        run: The host run, with all launches and the state at its end; None likewise.
        launches: The launches of all kernels.
    """

    result: ProgramResult
    units: Sequence[Unit] = ()
    context: KernelContext | None = None
    run: HostRun | None = None
    launches: Sequence[HostLaunch] = ()


def analyze_for_editing(
    files: Sequence[Path],
    options: AnalysisOptions,
    checkpoint: Callable[[], None],
    parser: Parser,
) -> AnalyzedProgram:
    """Analyse a program as `analyze_program` does, and keep what it takes to repeat launches.

    Args:
        files: As for `analyze_program`.
        options: As for `analyze_program`.
        checkpoint: As for `analyze_program`.
        parser: Parses the units.
    """
    return with_deep_stack(lambda: _analyze(files, options, checkpoint, parser, keeps_inputs=True))


def _analyze_scaled(
    files: Sequence[Path], options: AnalysisOptions, checkpoint: Callable[[], None]
) -> ProgramResult:
    started = time.monotonic()
    result = _analyze(files, options, checkpoint).result
    spent_s = time.monotonic() - started
    limit_s = options.timeout_s
    if not options.scaling or (limit_s is not None and spent_s > limit_s * _SCALING_SHARE):
        return result
    kernels = scaled_kernels(
        result.kernels, options, lambda changed: _analyze(files, changed, checkpoint).result.kernels
    )
    return replace(result, kernels=kernels)


def _analyze(
    files: Sequence[Path],
    options: AnalysisOptions,
    checkpoint: Callable[[], None],
    parser: Parser | None = None,
    *,
    keeps_inputs: bool = False,
) -> AnalyzedProgram:
    started_ns = time.time_ns()
    parse = parse_options(options, files)
    units, errors = _parse_all(files, options, parse, checkpoint, parser)
    if not units:
        return AnalyzedProgram(result=ProgramResult(errors=tuple(errors)))
    program = link(units)
    languages = {key: unit.language for unit in units for key in unit.kernels}
    context = KernelContext(
        options=options,
        parse=parse,
        flags=compiler_flags(parse),
        program=program,
        languages=languages,
        texts=SourceTexts(options.unsaved),
    )
    program.stated = options.values
    program.keeps_bit_loops = report_compiler(options, Language.CUDA) is not Compiler.NVCC
    wanted = _selection(options, program, checkpoint)
    used_launches: set[str] = set()

    def host_run(threads: HostThreads, sought: frozenset[str] = frozenset()) -> HostRun:
        started = HostRun(
            program,
            device_model(options.gpu),
            arguments=options.program_args,
            overrides=lambda key: _override(options, program, key, used_launches),
            wanted=lambda key: (not sought or key in sought) and wanted(key),
            sought=sought,
        )
        started.state[HostThreads.__name__] = threads
        started.launcher.keeps_inputs = keeps_inputs
        started.run_main()
        return started

    def missing() -> list[str]:
        known = {launch.kernel for launch in launches} | {defect.kernel for defect in run.defects}
        return [
            key for key in (*program.kernels, *program.regions) if key not in known and wanted(key)
        ]

    threads = HostThreads()
    run = host_run(threads)
    launches = run.launcher.table.entries()
    if threads.asked:
        other = host_run(HostThreads(2 * ASSUMED_THREADS))
        note_influence(launches, other.launcher.table.entries(), threads.asked)
    find_regions(program)
    sought = run.passed_by() & set(missing())
    for _ in range(_SEARCHES):
        if not sought:
            break
        search = host_run(HostThreads(), sought)
        launches += search.launcher.table.entries()
        run.input_files |= search.input_files
        sought, before = search.passed_by() & set(missing()), sought
        if sought == before:
            break
    lost = set(missing())
    call_launchers(run, lost & set(program.kernels))
    launches += [entry for entry in run.launcher.table.entries() if entry.kernel in lost]
    for key in missing():
        override = _override(options, program, key, used_launches)
        if override is None and _host_reason(run, key):
            continue
        try:
            launches.append(_default_run(run, key, options, override))
        except DEFECTS as error:
            position = _position_of(program, key)
            run.defects.append(defect_of(error, key, run.name_of(key), position))
    errors.extend(map(_defect, run.defects))
    errors.extend(_invalid(units, program))
    note_parse_errors(launches, units, program)
    kernels = _reports(launches, context, errors, checkpoint)
    missing_kernels = _add_library_kernels(kernels, run, options, used_launches)
    result = ProgramResult(
        kernels=tuple(sorted(kernels, key=_place)),
        diagnostics=(
            *_diagnostics(units, run),
            *missing_kernels,
            *_impossible_launches(kernels, options.gpu),
        ),
        errors=tuple(errors),
        files=tuple(
            dict.fromkeys(name for unit in units for name in (unit.path, *unit.included_files))
        ),
        used_launches=tuple(sorted(used_launches)),
        used_values=tuple(sorted(program.used_values)),
        inputs=gather_inputs(units, parse, run.input_files, options.unsaved, started_ns),
    )
    return AnalyzedProgram(
        result=result, units=units, context=context, run=run, launches=tuple(launches)
    )


def _add_library_kernels(
    kernels: list[KernelReport], run: HostRun, options: AnalysisOptions, used_launches: set[str]
) -> Sequence[Diagnostic]:
    """Add the kernels that calls of libraries run; returns remarks on those that are not known."""
    if run.library_calls is None:
        return ()
    from roofstat.analysis.library_reports import (  # noqa: PLC0415 - few programs call libraries
        library_kernels_of,
    )

    program = run.program
    names = (program.functions[key].name for key in program.kernels if key in program.functions)
    own_names = frozenset(name.rsplit("::", 1)[-1] for name in names)
    found = library_kernels_of(run.library_calls, options, own_names)
    kernels += found.kernels
    used_launches |= found.used_launches
    return found.diagnostics


def _invalid(units: Sequence[Unit], program: Program) -> Iterator[AnalysisError]:
    """Directives that no compiler takes."""
    found = {
        (item.position, item.text): item.remedy
        for unit in units
        for item in unit.diagnostics
        if item.kind is DiagnosticKind.INVALID
    }
    for function in program.functions.values():
        for problem in invalid_clauses(function.body):
            found[problem.position, problem.text] = problem.remedy
    for (position, text), remedy in found.items():
        yield AnalysisError(
            kind=ErrorKind.PARSE,
            file=position.file,
            line=position.line or None,
            message=text,
            remedy=remedy,
        )


def _host_reason(run: HostRun, key: str) -> str:
    """Why a target region runs on the host instead of being launched; empty for others."""
    region = run.program.regions.get(key)
    known = run.launcher.kept_on_host.get(key, "")
    return known or (region.host_reason if region is not None else "")


def _position_of(program: Program, key: str) -> Position:
    region = program.regions.get(key)
    return program.functions[key].position if region is None else region.position


def _defect(defect: Defect) -> AnalysisError:
    lost = (
        "host code is followed no further" if defect.kernel is None else "this launch is left out"
    )
    return AnalysisError(
        kind=ErrorKind.INTERNAL,
        file=defect.position.file,
        line=defect.position.line or None,
        message=f"internal error while {defect.name} was run: {defect.error}; {lost}",
        remedy="please report it with the file",
        detail=defect.trace,
    )


def _reports(
    launches: Sequence[HostLaunch],
    context: KernelContext,
    errors: list[AnalysisError],
    checkpoint: Callable[[], None],
) -> list[KernelReport]:
    """Reports of all launches; a defect of the models costs one launch and is reported."""
    kernels: list[KernelReport] = []
    for launch in launches:
        checkpoint()
        try:
            kernels.append(kernel_report(launch, context))
        except DEFECTS as error:
            errors.append(
                AnalysisError(
                    kind=ErrorKind.INTERNAL,
                    file=launch.position.file,
                    line=launch.position.line or None,
                    message=f"internal error in the model of one launch: {type(error).__name__}: {error}",
                    remedy="please report it with the file",
                    detail=traceback.format_exc(),
                )
            )
    return kernels


def _place(kernel: KernelReport) -> tuple[str, int, int]:
    return kernel.file, kernel.line, kernel.launch.index if kernel.launch is not None else 0


# Parsing


def _parse_all(
    files: Sequence[Path],
    options: AnalysisOptions,
    parse: ParseOptions,
    checkpoint: Callable[[], None],
    parser: Parser | None,
) -> tuple[list[Unit], list[AnalysisError]]:
    units: list[Unit] = []
    errors: list[AnalysisError] = []
    for file in files:
        checkpoint()
        try:
            own = parse_options(options, [file]) if options.compile_commands else parse
            units.append(_parse(str(file), options, own, parser))
        except ParseError as error:
            errors.append(
                AnalysisError(
                    kind=ErrorKind.PARSE,
                    file=str(file),
                    message=error.problem,
                    remedy=error.remedy or None,
                )
            )
        except ClangQueriesError as error:
            errors.append(
                AnalysisError(kind=ErrorKind.INTERNAL, file=str(file), message=str(error))
            )
    return units, errors


def _parse(file: str, options: AnalysisOptions, parse: ParseOptions, parser: Parser | None) -> Unit:
    if not options.unsaved and parser is None:
        return _PARSED.get(file, parse)
    unsaved = {name: text.encode() for name, text in options.unsaved.items()}
    return lower_unit(file, parse, unsaved.pop(file, None), unsaved, parser or parse_once)


class _ParsedFiles:
    """The units parsed last, since one program is often analysed under several settings."""

    _MOST = 16

    def __init__(self) -> None:
        self._units: dict[tuple[str, ParseOptions], tuple[Unit, list[tuple[int, int]]]] = {}

    def get(self, file: str, parse: ParseOptions) -> Unit:
        """Return a file's unit; it is parsed again when it or a file that it includes has changed."""
        known = self._units.pop((file, parse), None)
        if known is None or known[1] != file_states(file, known[0]):
            unit = lower_unit(file, parse)
            known = unit, file_states(file, unit)
        self._units[file, parse] = known
        if len(self._units) > self._MOST:
            del self._units[next(iter(self._units))]
        return known[0]


_PARSED = _ParsedFiles()


def file_states(file: str, unit: Unit) -> list[tuple[int, int]]:
    """Return time and size of the files behind a unit."""
    found = []
    for name in (file, *unit.included_files):
        try:
            facts = Path(name).stat()
        except OSError:
            found.append((0, 0))
        else:
            found.append((facts.st_mtime_ns, facts.st_size))
    return found


# Running


def find_regions(program: Program) -> None:
    """Outline the target regions of functions that the run did not reach."""
    found = {region.function_key for region in program.regions.values()}
    for function in region_functions(program.functions):
        if function.key not in found:
            lower_host_function(program, function.key)


def _selection(
    options: AnalysisOptions, program: Program, checkpoint: Callable[[], None]
) -> Wanted:
    pattern = re.compile(options.kernel_pattern) if options.kernel_pattern is not None else None
    return Wanted(pattern, program, checkpoint)


def _override(
    options: AnalysisOptions, program: Program, key: str, used: set[str]
) -> RunOverride | None:
    """The launch configuration stated for a kernel; its name is noted as used."""
    region = program.regions.get(key)
    found = (
        region_override(options, region, enclosing_signature(program, region))
        if region is not None
        else launch_override(options, program.functions[key])
    )
    if found is None:
        return None
    used.add(found[0])
    return found[1]


class Wanted:
    """Whether a kernel is asked for; asked before each launch."""

    def __init__(
        self,
        pattern: re.Pattern[str] | None,
        program: Program,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self._pattern = pattern
        self._program = program
        self._checkpoint = checkpoint

    def __call__(self, key: str) -> bool:
        """Decide by the kernel's name and signature."""
        self._checkpoint()
        if self._pattern is None:
            return True
        region = self._program.regions.get(key)
        if region is not None:
            return bool(self._pattern.search(region.function))
        function = self._program.functions.get(key)
        return function is None or any(
            self._pattern.search(name) for name in (function.name, function.signature)
        )


def default_launch_of(analyzed: AnalyzedProgram, key: str, code: Code) -> HostLaunch | None:
    """Return the launch that stands for a kernel that the program does not launch, with other code of it."""
    if analyzed.run is None or analyzed.context is None:
        return None
    options = analyzed.context.options
    override = _override(options, analyzed.run.program, key, set())
    return _default_run(analyzed.run, key, options, override, code)


def _default_run(
    run: HostRun,
    key: str,
    options: AnalysisOptions,
    override: RunOverride | None,
    code: Code | None = None,
) -> HostLaunch:
    """A kernel that the program does not launch, under the user's launch or a stated default."""
    program = run.program
    region = program.regions.get(key)
    position = _position_of(program, key)
    code = code or run.kernel_code(key)
    if region is None:
        grid, block = default_launch(code)
    else:
        teams, threads = default_region_launch(region)
        grid, block = (teams, 1, 1), (threads, 1, 1)
        program.used_values.update(region.sizes.stated)
    is_stated = region is not None and region.sizes.is_stated
    notes: list[tuple[str, str]] = []
    source = "flag" if is_stated else "assumed"
    if override is not None:
        grid, block = override.grid or grid, override.block or block
        source = override.source
    if (override is None or override.grid is None) and not is_stated:
        unknown = region.sizes.unknown if region is not None else ()
        state = f"; {' and '.join(unknown)}: state positive numbers with --set" if unknown else ""
        notes.append(
            (
                "launch",
                f"{run.why_missing()}: a grid of {grid} blocks of {block} threads is assumed{state}",
            )
        )
    known = region.sizes.arguments if region is not None else {}
    taken: set[str] = set()
    values, invented = default_arguments(
        program, code, grid, block, run.memory, {**options.values, **known}, taken
    )
    program.used_values.update(taken & options.values.keys())
    notes.extend(("argument", text) for text in invented)
    shared = (
        override.shared_bytes if override is not None and override.shared_bytes is not None else 0
    )
    trace = run_kernel(
        program,
        code,
        grid=grid,
        block=block,
        arguments=values,
        memory=run.memory,
        globals_=run.machine.globals,
        dynamic_shared_bytes=shared,
    )
    return HostLaunch(
        kernel=key,
        grid=grid,
        block=block,
        shared_bytes=shared,
        position=position,
        index=0,
        count=1.0,
        source=source,
        trace=trace,
        notes=notes,
    )


# Remarks


def _diagnostics(units: Sequence[Unit], run: HostRun) -> Iterator[Diagnostic]:
    instantiated = {unit.functions[key].name for unit in units for key in unit.kernels}
    for unit in units:
        for error in unit.diagnostics:
            if error.kind is not DiagnosticKind.INVALID:
                yield parse_remark(error, unit)
        for position in unit.lost_launches:
            yield _lost_launch(unit, position)
        for template in unit.uninstantiated:
            if template.name not in instantiated:
                yield _uninstantiated(
                    template.name, template.position.file, template.position.line, template.reason
                )
    for key, region in run.program.regions.items():
        reason = _host_reason(run, key)
        if reason and key not in run.launcher.launched:
            yield Diagnostic(
                code="not-launched",
                severity=Severity.NOTE,
                message=f"this target region is not launched: {reason}",
                file=region.position.file,
                line=region.line,
                help="state a launch with --launch to have it analysed all the same",
            )
    for note in run.notes:
        yield Diagnostic(
            code=note.kind,
            severity=Severity.NOTE,
            message=note.text,
            file=note.position.file,
            line=note.position.line or None,
        )


_FARTHEST_ERROR = 20
"""Lines of a launch within which the parser says what is wrong with it."""


def _lost_launch(unit: Unit, place: Position) -> Diagnostic:
    """A launch that the tree does not hold: of a template that nothing instantiates, or one with an error in it."""
    is_lowered = any(
        item.position.file == place.file and item.position.line <= place.line <= item.end_line
        for item in unit.functions.values()
    )
    is_wrong = any(
        item.position.file == place.file and abs(item.position.line - place.line) <= _FARTHEST_ERROR
        for item in unit.diagnostics
    )
    if is_lowered or is_wrong:
        message, severity = "a launch here could not be read", Severity.WARNING
    else:
        message, severity = "nothing instantiates the template of this launch", Severity.NOTE
    return Diagnostic(
        code="lost-launch",
        severity=severity,
        message=message,
        file=place.file,
        line=place.line,
        help="state it with --launch KERNEL:grid=...,block=...",
    )


def parse_remark(error: ParseDiagnostic, unit: Unit) -> Diagnostic:
    """Return what is said of a message of the parser."""
    place = unit.functions.get(error.function) if error.function is not None else None
    return Diagnostic(
        code=error.kind.value,
        severity=Severity.WARNING,
        message=f"{error.text} (in {place.name})" if place is not None else error.text,
        file=error.position.file,
        line=error.position.line or None,
        column=error.position.column or None,
        help=error.remedy or _parse_help(error.text),
    )


def _impossible_launches(kernels: Sequence[KernelReport], gpu: Gpu) -> Iterator[Diagnostic]:
    """Launches that fail on the card."""
    for kernel in kernels:
        launch = kernel.launch
        if launch is None:
            continue
        shared = kernel.occupancy.shared_bytes_per_block if kernel.occupancy is not None else 0
        problem = (
            f"{launch.threads_per_block:,} threads in a block, of at most {gpu.max_threads_per_block:,}"
            if launch.threads_per_block > gpu.max_threads_per_block
            else f"{shared:,} bytes of shared memory in a block, of at most {gpu.shared_bytes_per_block:,}"
            if shared > gpu.shared_bytes_per_block
            else None
        )
        if problem is not None:
            yield Diagnostic(
                code="impossible-launch",
                severity=Severity.WARNING,
                message=f"this launch of {kernel.name} fails on {gpu.name}: {problem}",
                file=launch.file or kernel.file,
                line=launch.line or kernel.line,
                help="its numbers are those of a card that takes it",
            )


def _parse_help(text: str) -> str:
    """What to do about a message of the parser."""
    if "reference to __global__ function" in text:
        return "launches from device code are not followed: state that kernel's own with --launch"
    if "file not found" in text:
        return "give the folder of the header with -I"
    if any(word in text for word in ("'concept'", "'requires'", "'co_await'", "'co_yield'")):
        return "choose a later standard, such as -std=c++20"
    if any(
        word in text
        for word in ("undeclared", "unknown type name", "no member named", "no template named")
    ):
        return "give the missing header with -I, or the missing macro with -D"
    return "what it concerns is left out of the counts; mend the source"


def note_parse_errors(
    launches: Sequence[HostLaunch], units: Sequence[Unit], program: Program
) -> None:
    """Have kernels in whose bodies the parser has mended something say so beside their numbers."""
    broken: dict[str, list[ParseDiagnostic]] = {}
    for unit in units:
        for error in unit.diagnostics:
            if error.function is not None and error.kind is DiagnosticKind.PARSE:
                broken.setdefault(error.function, []).append(error)
    for launch in launches:
        if any(item.kind == "parse-error" for item in launch.trace.code.assumptions):
            continue
        region = program.regions.get(launch.kernel)
        errors = broken.get(launch.kernel if region is None else region.function_key, [])
        inside = [
            item
            for item in errors
            if region is None or region.line <= item.position.line <= region.end_line
        ]
        if inside:
            last = inside[-1]
            text = f"line {last.position.line} of the body did not parse: {last.text}"
            launch.notes.append(("parse-error", text))


def _uninstantiated(name: str, file: str, line: int, reason: str) -> Diagnostic:
    return Diagnostic(
        code="uninstantiated-template",
        severity=Severity.NOTE,
        message=f"kernel template {name} is not analysed: {reason}",
        file=file,
        line=line,
        help="launch it, or instantiate it explicitly",
    )
