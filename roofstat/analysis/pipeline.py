"""The analysis of one program: parse, link, run, count, model memory, place on the roofline."""

from __future__ import annotations

import itertools
import math
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.deep_stack import with_deep_stack
from clang_queries.quick_dataclass import dataclass
from clang_queries.translation_unit import Parser
from roofstat.analysis.assemble import KernelContext, kernel_report
from roofstat.analysis.default_runs import default_run, stated_launch
from roofstat.analysis.inputs import gather_inputs
from roofstat.analysis.instruction_targets import missing_instructions
from roofstat.analysis.launch_search import LaunchSearch
from roofstat.analysis.parsing import parse_all
from roofstat.analysis.patterns.source_text import SourceTexts
from roofstat.analysis.remarks import (
    body_errors,
    build_macros,
    defect_error,
    duplicate_definitions,
    impossible_launches,
    invalid_directives,
    note_parse_errors,
    overflowing_indices,
    remarks_on,
)
from roofstat.analysis.result import ProgramResult
from roofstat.analysis.scaling import scaled_kernels
from roofstat.analysis.settings import (
    compiler_flags,
    parse_options,
    report_compiler,
)
from roofstat.analysis.time_limit import TimeLimit
from roofstat.analysis.wanted import Wanted
from roofstat.execution.host.defects import DEFECTS
from roofstat.execution.host.launch_table import HostLaunch
from roofstat.execution.host.run import HostRun
from roofstat.execution.run_ends import TimeSpentError
from roofstat.execution.watch import Watch
from roofstat.program.link import link
from roofstat.program.own_definitions import with_own_definitions
from roofstat.report import AnalysisError, Compiler, Diagnostic, ErrorKind, Language

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clang_queries.ir.statements import Unit
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.program.code import Code
    from roofstat.program.own_definitions import Clash
    from roofstat.report import KernelReport


_SCALING_SHARE = 0.05
"""Of the time limit: an analysis that takes longer is not repeated with other numbers."""
_SCALING_END = 0.9
"""Of the time limit, after which such a repetition is given up, so that the analysis itself is not lost with it."""


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
        is_plain: Whether main() makes them all.
    """

    result: ProgramResult
    units: Sequence[Unit] = ()
    context: KernelContext | None = None
    run: HostRun | None = None
    launches: Sequence[HostLaunch] = ()
    is_plain: bool = False


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
    limit_s = None if options.timeout_s is None else options.timeout_s * len(files)
    first = _analyze(files, options, checkpoint, limit=TimeLimit(limit_s))
    result = first.result
    spent_s = time.monotonic() - started
    if not options.scaling or (limit_s is not None and spent_s > limit_s * _SCALING_SHARE):
        return result

    def analyze(changed: AnalysisOptions) -> Sequence[KernelReport] | None:
        again = replace(changed, patterns=False)
        # Stated values are part of what is lowered; program arguments are not.
        same = first if changed.values == options.values else None
        rest_s = math.inf
        if limit_s is not None:
            rest_s = _SCALING_END * limit_s - (time.monotonic() - started)
        watch = Watch(rest_s)

        def check() -> None:
            checkpoint()
            if watch.has_fired:  # what it interrupted took that for its own end
                raise TimeSpentError

        found = watch.run(
            lambda: _analyze(files, again, check, for_launches=first.is_plain, before=same)
        )
        return None if found is None or watch.has_fired else found.result.kernels

    kernels = scaled_kernels(result.kernels, options, analyze)
    return replace(result, kernels=kernels)


def _analyze(
    files: Sequence[Path],
    options: AnalysisOptions,
    checkpoint: Callable[[], None],
    parser: Parser | None = None,
    *,
    keeps_inputs: bool = False,
    for_launches: bool = False,
    limit: TimeLimit | None = None,
    before: AnalyzedProgram | None = None,
) -> AnalyzedProgram:
    limit = limit or TimeLimit(None)
    started_ns = time.time_ns()
    parse = parse_options(options, files)
    units: Sequence[Unit]
    errors: list[AnalysisError] = []
    clashes: Sequence[Clash] = ()
    if before is not None and before.run is not None:
        units, program = before.units, before.run.program.renewed()
    else:
        units, errors = parse_all(files, options, parse, checkpoint, parser)
        if not units:
            return AnalyzedProgram(result=ProgramResult(errors=tuple(errors)))
        units, clashes = with_own_definitions(units)
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
    language = Language.HIP if Language.HIP.value in languages.values() else Language.CUDA
    program.is_clang = report_compiler(options, language) is not Compiler.NVCC
    wanted = Wanted(options.kernel_pattern, program, checkpoint, limit)
    search = LaunchSearch(
        program, options, wanted, keeps_inputs=keeps_inputs, for_launches=for_launches
    )
    run, used_launches = search.run, search.used_launches
    launches: list[HostLaunch] = []
    kernels: list[KernelReport] = []
    model_errors: list[AnalysisError] = []
    parse_errors = body_errors(units)
    limit.begin_reports()
    # Kernels that nothing launches are run and reported one by one, so that each is done whose time has come.
    for launch in itertools.chain(search.launches, search.default_launches()):
        launches.append(launch)
        note_parse_errors(launch, parse_errors, program)
        checkpoint()
        if limit.may_report(launch.kernel):
            watch = Watch(limit.report_rest_s(is_last=len(launches) == len(search.launches)))
            is_done = _report(launch, context, watch, kernels, model_errors)
            limit.note_report(launch.kernel, is_interrupted=not is_done)
    errors.extend(map(defect_error, run.defects))
    errors.extend(invalid_directives(units, program))
    errors += model_errors
    errors.extend(limit.errors(files))
    missing_kernels = _add_library_kernels(kernels, run, options, used_launches)
    result = ProgramResult(
        kernels=tuple(sorted(kernels, key=_place)),
        diagnostics=(
            *remarks_on(units, run),
            *build_macros(options, units[0].path),
            *duplicate_definitions(clashes),
            *missing_kernels,
            *impossible_launches(kernels, options.gpu),
            *overflowing_indices(kernels),
            *missing_instructions(launches, program, options.gpu),
        ),
        errors=tuple(errors),
        files=tuple(
            dict.fromkeys(name for unit in units for name in (unit.path, *unit.included_files))
        ),
        used_launches=tuple(sorted(used_launches)),
        used_values=tuple(sorted(program.used_values)),
        unasked=wanted.unasked(),
        inputs=gather_inputs(units, parse, run.input_files, options.unsaved, started_ns),
    )
    return AnalyzedProgram(
        result=result,
        units=units,
        context=context,
        run=run,
        launches=tuple(launches),
        is_plain=search.is_plain,
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


def _report(
    launch: HostLaunch,
    context: KernelContext,
    watch: Watch,
    kernels: list[KernelReport],
    errors: list[AnalysisError],
) -> bool:
    """Add the report of a launch; a defect of the models costs it alone and is reported.

    Returns:
        False where the watch has interrupted it.
    """
    try:
        report = watch.run(lambda: kernel_report(launch, context))
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
        return True
    if report is not None:
        kernels.append(report)
    return report is not None


def _place(kernel: KernelReport) -> tuple[str, int, int]:
    return kernel.file, kernel.line, kernel.launch.index if kernel.launch is not None else 0


def default_launch_of(analyzed: AnalyzedProgram, key: str, code: Code) -> HostLaunch | None:
    """Return the launch that stands for a kernel that the program does not launch, with other code of it."""
    if analyzed.run is None or analyzed.context is None:
        return None
    options = analyzed.context.options
    override = stated_launch(options, analyzed.run.program, key, set())
    return default_run(analyzed.run, key, options, override, code)
