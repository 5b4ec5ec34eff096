"""`roofstat PATH...`: analyse and report."""

from __future__ import annotations

import argparse
import functools
import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roofstat.cli.arguments import add_analysis_options, analysis_options
from roofstat.cli.caching import result_cache
from roofstat.cli.checking import add_check_options, check_options
from roofstat.cli.commands import COMMANDS, DEFAULT_COMMAND, SubParsers
from roofstat.cli.console import Console
from roofstat.cli.includers import with_includers
from roofstat.cli.llm_options import LlmRun, add_llm_options, llm_run
from roofstat.cli.output import check_output, deliver
from roofstat.cli.progress import ProgressLine
from roofstat.cli.sources import character_columns, line_reader

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions
    from roofstat.render.options import CharacterColumn
    from roofstat.report import KernelReport, Report

__all__ = ["add_parser", "run"]

_FORMATS = ("text", "json", "jsonl", "markdown", "html", "comment", "sarif", "github", "gcc")
_EXIT_FINDINGS = 1
_EXIT_NO_INPUT = 2


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of the default command; its help is the program's help."""
    others = "\n".join(f"  {name:10}{command.summary}" for name, command in COMMANDS.items())
    parser = sub.add_parser(
        DEFAULT_COMMAND,
        prog="roofstat",
        usage="roofstat [analyze] [options] PATH...",
        description="Say for every GPU kernel in CUDA or OpenMP-offload source how much it computes and moves, where it\n"
        "lands on a GPU's roofline, and what decides it: without a GPU, a toolkit or a build.",
        epilog=f"commands (roofstat COMMAND --help):\n{others}\n\n"
        "exit status: 0 done; 1 findings under --fail-on, or files, kernels or questions to a model without a full result under --strict; 2 wrong usage, no readable input, or no file with a result",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="source files, directories, or - for standard input",
    )
    add_analysis_options(parser)
    add_check_options(parser)
    model = parser.add_argument_group("language model")
    add_llm_options(model)
    model.add_argument(
        "--llm-when",
        choices=("always", "uncertain"),
        default="always",
        help="about which kernels: all (default), or those whose static verdict is uncertain",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=_FORMATS,
        default="text",
        help="form of the report (default text); html is a page, comment is Markdown for a pull request, github are workflow annotations, "
        "gcc lines as compilers write them",
    )
    output.add_argument("-o", "--output", metavar="FILE", help="write the report to a file")
    detail = output.add_mutually_exclusive_group()
    detail.add_argument("-v", "--verbose", action="store_true", help="show every kernel in full")
    detail.add_argument("--summary", action="store_true", help="show only the table of kernels")
    output.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour of the text form",
    )
    output.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 if a file could not be analysed, a kernel has no verdict or did not parse in full, or a language model "
        "gave no answer on it",
    )
    parser.add_argument("-V", "--version", action="version", version=_version())
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Analyse the paths, write the report, return the exit status."""
    options = analysis_options(args)
    checks = check_options(args)
    if args.includers:
        args.paths = with_includers(args.paths)
    output = Path(args.output) if args.output else None
    if output is not None:
        check_output(output, args.paths)
    from roofstat.analysis import analyze_paths

    run_of_model = llm_run(args)
    read_stdin = functools.cache(console.read_source)
    progress = ProgressLine(console)
    try:
        report = analyze_paths(
            args.paths,
            options,
            progress,
            read_stdin=read_stdin,
            meanwhile=lambda: _load(args.format),
            cache=result_cache(args),
        )
    finally:
        progress.close()
    if not report.files and args.format == "text":
        from roofstat.render.words import error_text

        for error in report.errors:
            console.complain(f"error: {error.file}: {error_text(error)}")
        return _EXIT_NO_INPUT
    if run_of_model is not None:
        report = _with_opinions(report, run_of_model, args, options, console, read_stdin)

    def analyze_others(paths: Sequence[str], others: AnalysisOptions) -> Report:
        return analyze_paths(paths, others, cache=result_cache(args))

    report = checks.apply(report, args.paths, options, analyze_others, line_reader(read_stdin))
    _emit(report, args, console, output, character_columns(read_stdin))
    if not report.files or _is_all_lost(report):
        return _EXIT_NO_INPUT
    failed = (args.strict and _lacks_results(report)) or checks.fails(report)
    return _EXIT_FINDINGS if failed else 0


def _is_all_lost(report: Report) -> bool:
    """Whether no file has a result."""
    from roofstat.render.words import lost_files

    return not report.kernels and lost_files(report) >= report.files


def _lacks_results(report: Report) -> bool:
    """Whether a file has no result, or a kernel no verdict on all of its body or not the opinion that was asked for."""
    return bool(report.errors) or any(map(_lacks_result, report.kernels))


def _lacks_result(kernel: KernelReport) -> bool:
    from roofstat.report import AssumptionKind, Verdict

    return (
        kernel.verdict is Verdict.UNKNOWN
        or any(item.kind is AssumptionKind.UNPARSED for item in kernel.assumptions)
        or (kernel.llm is not None and kernel.llm.failure is not None)
    )


def _load(form: str) -> None:
    """Import what comes after the analysis, while workers are at it."""
    from roofstat.render import renderer

    importlib.import_module("roofstat.rules")
    renderer(form)


def _with_opinions(
    report: Report,
    run: LlmRun,
    args: argparse.Namespace,
    options: AnalysisOptions,
    console: Console,
    read_stdin: Callable[[], bytes],
) -> Report:
    """The report with what a language model says of its kernels."""
    from roofstat.llm.program_slices import slices_of
    from roofstat.llm.prompts import load_prompt
    from roofstat.llm.second_opinion import When, questions, with_opinions, worth_asking

    chosen = worth_asking(report, When(args.llm_when))
    found = slices_of(
        args.paths, options, [report.kernels[position] for position in chosen], read_stdin
    )
    asked = questions(
        report,
        dict(zip(chosen, found, strict=True)),
        load_prompt("roofstat"),
        run.model,
        arguments=options.program_args,
        with_features=not args.no_features,
    )
    if not asked:
        console.complain("no kernel to ask the language model about; nothing is sent")
        return report
    said = run.ask([entry.request for entry in asked], console)
    return with_opinions(report, asked, said, run.destination)


def _emit(
    report: Report,
    args: argparse.Namespace,
    console: Console,
    output: Path | None,
    character_column: CharacterColumn,
) -> None:
    from roofstat.render import Detail, RenderOptions, render

    detail = Detail.FULL if args.verbose else Detail.SUMMARY if args.summary else Detail.AUTO
    wanted = {"always": True, "never": False, "auto": console.colour and output is None}
    text = render(
        report,
        args.format,
        RenderOptions(
            width=console.width,
            uncut=output is not None or not console.bounded,
            colour=wanted[args.color],
            unicode=console.unicode or output is not None,
            detail=detail,
            character_column=character_column,
        ),
    )
    deliver(text, output, console)


def _version() -> str:
    from roofstat import __version__

    return f"roofstat {__version__}"
