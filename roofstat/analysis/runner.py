"""From paths to a report: find programs, analyse each in a worker process, put the results together."""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roofstat import __version__
from roofstat.analysis.discovery import Program, discover
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.result import ProgramResult
from roofstat.errors import (
    AnalysisFailure,
    AnalysisTimeout,
    RoofstatError,
    SourceError,
    WorkerCrash,
)
from roofstat.report import AnalysisError, Diagnostic, ErrorKind, Report, Severity, Tool, ranked

if TYPE_CHECKING:
    from roofstat.analysis.result_cache import ResultCache
    from roofstat.analysis.workers import Outcome

__all__ = [
    "Analyzer",
    "Progress",
    "analyze_paths",
    "own_analyzer",
    "program_options",
]

_MOST_NAMES = 5
"""Names of kernels that are offered."""

Progress = Callable[[int, int, str], None]
"""Called with the number of programs done, the number of programs, and the file just finished."""

Analyzer = Callable[[Sequence[Path], AnalysisOptions], ProgramResult]


def analyze_paths(
    paths: Sequence[Path | str],
    options: AnalysisOptions,
    progress: Progress | None = None,
    *,
    read_stdin: Callable[[], bytes] | None = None,
    analyzer: Analyzer | None = None,
    meanwhile: Callable[[], object] | None = None,
    cache: ResultCache | None = None,
) -> Report:
    """Analyse files, directories or `-` and return the report; a file that fails is an entry in `errors`.

    Args:
        paths: As the user gave them.
        options: What the analysis depends on besides the source.
        progress: Called after each program.
        read_stdin: Returns standard input; needed where `-` is among the paths.
        analyzer: Analyses the files of one program; the package's own by default.
        meanwhile: Called once while the first programs are analysed, such as to import what shows the report.
        cache: Results of earlier runs; a program whose files have not changed is not analysed again.

    Raises:
        UsageError: No path is given.
    """
    found = discover(paths, read_stdin=read_stdin)
    settings = dataclasses.replace(options, unsaved={**options.unsaved, **found.unsaved})
    if cache is not None:
        settings = dataclasses.replace(settings, precompiled_dir=cache.precompiled_directory)
    results, errors = _analyze_programs(
        found.programs, settings, progress, analyzer or own_analyzer, meanwhile, cache
    )
    kernels = [kernel for result in results for kernel in result.kernels if options.wants(kernel)]
    diagnostics = [diagnostic for result in results for diagnostic in result.diagnostics]
    names = [str(path) for path in paths]
    diagnostics += _absent_folders(names, options)
    if results and not errors and not found.errors:
        diagnostics += _unused_options(names, options, results, has_kernels=bool(kernels))
    return Report(
        tool=Tool(version=__version__),
        gpu=options.gpu,
        kernels=ranked(kernels),
        diagnostics=tuple(diagnostics),
        errors=(*found.errors, *errors, *(error for result in results for error in result.errors)),
        files=found.file_count,
        min_confidence=options.min_confidence,
    )


def _unused_options(
    paths: Sequence[str],
    options: AnalysisOptions,
    results: Sequence[ProgramResult],
    *,
    has_kernels: bool,
) -> list[Diagnostic]:
    """What the user stated and nothing took up: most likely a slip."""
    where = f" in the {len(paths)} paths" if len(paths) > 1 else ""
    launches = {name for result in results for name in result.used_launches}
    values = {name for result in results for name in result.used_values}
    problems = [
        (
            f"--launch {name}: no kernel{where} has this name",
            "write its name or signature as reported",
        )
        for name in options.launches
        if name not in launches
    ]
    problems += [
        (
            f"--set {name} has no effect{where}: no number of this name, able to hold the value, is unknown",
            "what the source itself fixes is changed there, with -D or with --args",
        )
        for name in options.values
        if name not in values
    ]
    if options.kernel_pattern is not None and not has_kernels:
        names = dict.fromkeys(name for result in results for name in result.unasked)
        near = difflib.get_close_matches(options.kernel_pattern, names, _MOST_NAMES, cutoff=0.3)
        remedy = ", ".join(near or [*names][:_MOST_NAMES])
        problems.append(
            (
                f"--kernel {options.kernel_pattern}: no kernel{where} matches",
                f"there {'are' if len(names) > 1 else 'is'} {remedy}"
                if remedy
                else "check the expression",
            )
        )
    return [_unused_option(paths, *problem) for problem in problems]


def _absent_folders(paths: Sequence[str], options: AnalysisOptions) -> list[Diagnostic]:
    return [
        _unused_option(paths, f"-I {directory}: there is no such directory", "check the spelling")
        for directory in options.include_dirs
        if not directory.is_dir()
    ]


def _unused_option(paths: Sequence[str], message: str, remedy: str) -> Diagnostic:
    return Diagnostic(
        code="unused-option",
        severity=Severity.WARNING,
        message=message,
        file=paths[0],
        help=remedy,
    )


def _error_record(error: RoofstatError, file: str) -> AnalysisError:
    """Return the report's entry for an error that cost a file its result."""
    signal = error.signal if isinstance(error, WorkerCrash) else None
    detail = getattr(error, "detail", "") or None
    return AnalysisError(
        kind=_kind(error),
        file=error.file or file,
        line=error.line,
        message=error.problem,
        remedy=error.remedy,
        signal=signal,
        detail=detail,
    )


def _kind(error: RoofstatError) -> ErrorKind:
    match error:
        case AnalysisTimeout():
            return ErrorKind.TIMEOUT
        case WorkerCrash():
            return ErrorKind.CRASH
        case AnalysisFailure():
            return ErrorKind.INTERNAL
        case SourceError():
            return ErrorKind.PARSE
        case _:
            return ErrorKind.READ


def own_analyzer(files: Sequence[Path], options: AnalysisOptions) -> ProgramResult:
    """Analyse one program's files; importable by name, as workers need it."""
    # Imported in the worker: the parent needs none of the front end and the numerics.
    from roofstat.analysis.pipeline import analyze_program  # noqa: PLC0415

    return analyze_program(files, options)


def _analyze_one(
    program: Program, *, options: AnalysisOptions, analyzer: Analyzer
) -> ProgramResult:
    return analyzer(program.units, program_options(program, options))


def program_options(program: Program, options: AnalysisOptions) -> AnalysisOptions:
    """Return the options with what the tree itself suggests: include directories, after the user's, and macros."""
    build = program.build
    return dataclasses.replace(
        options,
        include_dirs=(*options.include_dirs, *program.include_dirs),
        build_defines=build.macros if build is not None else (),
        makefile=build.path if build is not None else None,
    )


def _analyze_programs(
    programs: Sequence[Program],
    options: AnalysisOptions,
    progress: Progress | None,
    analyzer: Analyzer,
    meanwhile: Callable[[], object] | None,
    cache: ResultCache | None,
) -> tuple[list[ProgramResult], list[AnalysisError]]:
    """Results and failures in the order of the programs, those of earlier runs included."""
    known = {
        position: result
        for position, program in enumerate(programs)
        if cache is not None
        and (result := cache.load(program.units, program_options(program, options))) is not None
    }
    fresh = [position for position in range(len(programs)) if position not in known]
    run = functools.partial(_run, options=options, analyzer=analyzer)
    outcomes = dict(
        zip(
            fresh, run([programs[position] for position in fresh], progress, meanwhile), strict=True
        )
    )
    # A crash or a hang costs one file: what a failed program is made of gets a second try, alone.
    retry = [
        (position, dataclasses.replace(programs[position], files=(file,), host_files=()))
        for position, outcome in outcomes.items()
        if isinstance(outcome.error, (WorkerCrash, AnalysisTimeout, AnalysisFailure))
        and len(programs[position].units) > 1
        for file in programs[position].files
    ]
    alone = dict(zip(retry, run([program for _, program in retry], None, None), strict=True))
    results: list[ProgramResult] = []
    errors: list[AnalysisError] = []
    for position, program in enumerate(programs):
        if position in known:
            results.append(known[position])
            continue
        again = [(part, outcome) for (of, part), outcome in alone.items() if of == position]
        for part, outcome in again or [(program, outcomes[position])]:
            if outcome.value is not None:
                results.append(outcome.value)
                if cache is not None:
                    cache.store(part.units, program_options(part, options), outcome.value)
            elif outcome.error is not None:
                errors += [_error_record(outcome.error, str(file)) for file in part.files]
    if cache is not None:
        cache.close()
    return results, errors


def _run(
    programs: Sequence[Program],
    progress: Progress | None,
    meanwhile: Callable[[], object] | None,
    *,
    options: AnalysisOptions,
    analyzer: Analyzer,
) -> list[Outcome[ProgramResult]]:
    if not programs:
        return []
    # Imported when there is work: a run whose results are all known starts no process.
    from roofstat.analysis.workers import run_isolated  # noqa: PLC0415

    def limit(program: Program) -> float | None:
        return None if options.timeout_s is None else options.timeout_s * len(program.units)

    def report(done: int, total: int, program: Program) -> None:
        if progress is not None:
            progress(done, total, str(program.files[0]))

    return run_isolated(
        functools.partial(_analyze_one, options=options, analyzer=analyzer),
        programs,
        jobs=options.jobs,
        timeout_s=limit,
        progress=report,
        memory_limit_bytes=options.memory_limit_bytes,
        meanwhile=meanwhile,
    )
