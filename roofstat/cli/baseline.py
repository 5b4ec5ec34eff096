"""`roofstat baseline PATH...`: write what is found now, so that later runs report what is new."""

from __future__ import annotations

import argparse
import dataclasses
import functools
from pathlib import Path

from roofstat.cli.arguments import add_analysis_options, analysis_options
from roofstat.cli.caching import result_cache
from roofstat.cli.checking import add_selection_options, selection
from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.output import check_output, write_output
from roofstat.cli.sources import line_reader

__all__ = ["add_parser", "run"]

_DEFAULT_FILE = ".roofstat-baseline.json"
_EXIT_NO_INPUT = 2


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `baseline`."""
    parser = sub.add_parser(
        "baseline",
        help="write what is found now, for --baseline",
        description="Analyse and write the findings and verdicts to a file. With --baseline FILE, later runs leave these\n"
        "findings out and report verdicts that changed. File names in it are relative to its directory.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="source files or directories")
    add_analysis_options(parser)
    add_selection_options(parser.add_argument_group("findings (see roofstat rules)"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=_DEFAULT_FILE,
        help=f"file to write (default {_DEFAULT_FILE})",
    )
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Analyse the paths and write the baseline."""
    options = analysis_options(args)
    chosen = selection(args)
    output = Path(args.output)
    check_output(output, args.paths)
    from roofstat.analysis import analyze_paths
    from roofstat.render.quantities import plural
    from roofstat.render.words import error_text
    from roofstat.rules.baseline import Baseline
    from roofstat.rules.runner import unsuppressed_findings

    read_stdin = functools.cache(console.read_source)
    report = analyze_paths(args.paths, options, read_stdin=read_stdin, cache=result_cache(args))
    for error in report.errors:
        console.complain(f"error: {error.file}: {error_text(error)}")
    if not report.files:
        return _EXIT_NO_INPUT
    read_lines = line_reader(read_stdin)
    found = unsuppressed_findings(report, chosen.rules(), read_lines)
    baseline = Baseline.of(
        dataclasses.replace(report, diagnostics=found), output.parent, read_lines
    )
    write_output(output, baseline.to_text())
    console.write(
        f"{output}: {plural(sum(baseline.findings.values()), 'finding')}, {plural(len(baseline.verdicts), 'kernel')}\n"
    )
    return 0
