"""`roofstat explain FILE KERNEL`: the derivation of every number of one kernel."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import TYPE_CHECKING

from roofstat.analysis.kernel_names import names_kernel
from roofstat.cli.arguments import add_analysis_options, analysis_options
from roofstat.cli.caching import result_cache
from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.errors import SourceError, UsageError

if TYPE_CHECKING:
    from roofstat.report import KernelReport, Report

__all__ = ["add_parser", "run"]


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `explain`."""
    parser = sub.add_parser(
        "explain",
        help="derive every number of one kernel",
        description="Derive every number of a kernel: work by source line, ridges with their sources, times, confidence.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="source file, directory, or -")
    parser.add_argument(
        "name", metavar="KERNEL", help="name, signature or enclosing function of the kernel"
    )
    add_analysis_options(parser)
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour"
    )
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Analyse the file and write the derivation of each instance of the kernel."""
    options = analysis_options(args)
    from roofstat.analysis import analyze_paths
    from roofstat.render import RenderOptions
    from roofstat.render.explain import render_explanation

    report = analyze_paths(
        [args.file], options, read_stdin=console.read_source, cache=result_cache(args)
    )
    for remark in report.diagnostics:
        if remark.code == "unused-option":
            console.complain(f"warning: {remark.message}; {remark.help}")
    chosen = _choose(report, args.name, args.file)
    colour = console.colour if args.color == "auto" else args.color == "always"
    look = RenderOptions(width=console.width, colour=colour, unicode=console.unicode)
    for kernel in chosen:
        console.write(render_explanation(kernel, report, _source(kernel), look))
    return 0


def _choose(report: Report, name: str, file: str) -> list[KernelReport]:
    if not report.kernels:
        if report.errors:
            first = report.errors[0]
            raise SourceError(first.message, file=first.file, line=first.line, remedy=first.remedy)
        raise SourceError(
            "no kernel in it",
            file=file,
            remedy="name a file with a __global__ function or target region",
        )
    exact = [
        kernel
        for kernel in report.kernels
        if name == kernel.function
        or names_kernel(name, name=kernel.name, signature=kernel.signature)
    ]
    if exact:
        return exact
    partial = [k for k in report.kernels if name in k.signature]
    if len({kernel.signature for kernel in partial}) == 1:
        return partial
    names = sorted({kernel.name for kernel in partial or report.kernels})
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.3) or names[:5]
    problem = "several kernels match" if partial else "no kernel is called"
    raise UsageError(f"{problem} {name!r}", file=file, remedy=f"try {', '.join(near)}")


def _source(kernel: KernelReport) -> list[str]:
    try:
        return Path(kernel.file).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []  # standard input, or a file that is gone: the lines are shown without their text
