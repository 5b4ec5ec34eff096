"""`roofstat cc -- COMPILER ...`: run a compiler, then say what is found in the sources that it compiled."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.file_names import UNIT_SUFFIXES
from roofstat.cli.arguments import add_analysis_options, analysis_options
from roofstat.cli.caching import result_cache
from roofstat.cli.checking import add_selection_options, selection
from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.sources import line_reader
from roofstat.errors import RoofstatError, UsageError, reason_of

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions
    from roofstat.rules import Rule

__all__ = ["add_parser", "run"]

_COMPILES_NOTHING = frozenset(
    {
        "-E", "--preprocess", "-M", "--generate-dependencies", "-MM", "--generate-nonsystem-dependencies", "-dryrun",
        "--dryrun", "-###",
    }
)  # fmt: skip
_CLANG = ("clang", "amdclang", "hipcc")
_NOT_FOUND = 127
_NOT_EXECUTABLE = 126
_SIGNALLED = 128


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `cc`."""
    parser = sub.add_parser(
        "cc",
        usage="roofstat cc [options] -- COMPILER ...",
        help="run a compiler and report on what it compiles",
        description="Run a compiler command (nvcc, clang, hipcc) and analyse its sources with the same flags. Findings go to the\n"
        "error stream in the style of compilers; the exit status is the compiler's.\n\n"
        'In CMake: -DCMAKE_CUDA_COMPILER_LAUNCHER="roofstat;cc;--"',
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_analysis_options(parser)
    add_selection_options(parser.add_argument_group("findings (see roofstat rules)"))
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Run the compiler, then the analysis, which changes nothing about the outcome."""
    command: list[str] = args.program_line
    if not command:
        raise UsageError("no compiler is given", remedy="write roofstat cc -- nvcc -c kernel.cu")
    from roofstat.analysis.compile_commands import compiler_name, flags_of_command
    from roofstat.report import Compiler

    options = analysis_options(args)
    if options.compiler is None and compiler_name(command).startswith(_CLANG):
        options = dataclasses.replace(options, compiler=Compiler.CLANG)
    chosen = selection(args)
    status = _compile(command, console)
    if status:
        return status
    try:
        flags = flags_of_command(command)
        sources = _sources(flags)
        if sources:
            options = dataclasses.replace(
                options, jobs=1, extra_flags=(*flags, *options.extra_flags)
            )
            _report(sources, options, args, chosen.rules(), console)
    except RoofstatError as error:
        console.complain(f"error: {error}")
    except Exception as error:  # noqa: BLE001 - whatever happens here must not fail a build
        with contextlib.suppress(OSError):
            console.complain(f"error: no findings: {type(error).__name__}: {error}")
    return status


def _sources(flags: Sequence[str]) -> list[str]:
    """The files that are compiled; none where the compiler only preprocesses or says what it would do."""
    from clang_queries.command_line import parse_command_line

    if _COMPILES_NOTHING.intersection(flags):
        return []
    _, named = parse_command_line(flags)
    files = map(Path, named)
    return [str(file) for file in files if file.suffix.lower() in UNIT_SUFFIXES and file.is_file()]


def _compile(command: Sequence[str], console: Console) -> int:
    try:
        status = subprocess.run(command, check=False).returncode  # noqa: S603 - it is what the user asks for
    except OSError as error:
        console.complain(f"error: cannot run {command[0]}: {reason_of(error)}")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    return status if status >= 0 else _SIGNALLED + signal.Signals(-status).value


def _report(
    sources: Sequence[str],
    options: AnalysisOptions,
    args: argparse.Namespace,
    rules: tuple[Rule, ...],
    console: Console,
) -> None:
    from roofstat.analysis import analyze_paths
    from roofstat.render import render
    from roofstat.rules.runner import unsuppressed_findings

    report = analyze_paths(sources, options, cache=result_cache(args))
    found = unsuppressed_findings(report, rules, line_reader(lambda: b""))
    # What the compiler said of the source need not be said again.
    quiet = dataclasses.replace(report, diagnostics=found)
    console.err.write(render(quiet, "gcc"))
