"""Options of `roofstat profile`."""

from __future__ import annotations

import argparse

from roofstat.cli.commands import SubParsers

__all__ = ["AUTO", "add_parser"]

AUTO = "auto"
"""The card that was measured."""
_DEFAULT_MOST = 100


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `profile`."""
    parser = sub.add_parser(
        "profile",
        help="measure a program's kernels and write a label table",
        usage="roofstat profile [options] -- PROGRAM ARGUMENTS...\n"
        "       roofstat profile [options] --import FILE...\n"
        "       roofstat profile --ceilings [-o FILE.toml]",
        description="Run Nsight Compute on a program, or read what a profiler exported, and write the label table that\n"
        "roofstat eval reads: one launch of each kernel and launch configuration, caches flushed before it.",
        epilog="exit status: 0 done; 1 the table is written, but the program failed after some launches; 2 nothing measured",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--import",
        dest="imports",
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="read exports instead of running: .ncu-rep, ncu --csv --page raw, CSV of rocprofv3 or rocprof-compute (untested)",
    )
    parser.add_argument(
        "--ceilings",
        action="store_true",
        help="measure DRAM copy bandwidth and peak rates of this machine's card and write a file for --gpu FILE.toml",
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="show prediction and measurement side by side for each kernel; needs --source",
    )
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="write the table there instead of to standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace the file of --out")
    _add_facts(parser)
    _add_selection(parser)
    tools = parser.add_argument_group("tools")
    tools.add_argument("--ncu", metavar="PATH", help="Nsight Compute's ncu")
    tools.add_argument("--nvcc", metavar="PATH", help="compiler for --ceilings")
    return parser


def _add_facts(parser: argparse.ArgumentParser) -> None:
    facts = parser.add_argument_group("what the table says of the program")
    facts.add_argument(
        "--gpu",
        default=AUTO,
        metavar="NAME|FILE",
        help="card whose ridges make the labels (default auto: the one that was measured)",
    )
    facts.add_argument(
        "--source",
        dest="sources",
        action="append",
        default=[],
        metavar="FILE",
        help="translation unit, relative to the folder that roofstat eval --sources will name; repeatable",
    )
    facts.add_argument(
        "--flags", default="", metavar="TEXT", help='compiler flags that matter, such as "-DN=4"'
    )
    facts.add_argument(
        "--compiler",
        default="",
        metavar="TEXT",
        help="what built it, such as nvcc-13.0 or clang-18",
    )
    facts.add_argument("--program", default="", metavar="NAME", help="name in the table")
    facts.add_argument("--suite", default="", metavar="NAME", help="suite in the table")
    facts.add_argument("--note", default="", metavar="TEXT", help="remark on every row")
    facts.add_argument(
        "--args", metavar="TEXT", help="arguments of the program that was profiled, for --import"
    )


def _add_selection(parser: argparse.ArgumentParser) -> None:
    selection = parser.add_argument_group("launches")
    selection.add_argument(
        "--kernel", metavar="REGEX", help="only kernels whose demangled name matches"
    )
    selection.add_argument(
        "--all-launches",
        action="store_true",
        help="repeated launches of a kernel with the same configuration too",
    )
    selection.add_argument(
        "--max-launches",
        type=int,
        default=_DEFAULT_MOST,
        metavar="N",
        help=f"stop after so many rows (default {_DEFAULT_MOST})",
    )
    selection.add_argument(
        "--timeout", type=float, metavar="S", help="stop the program after so many seconds"
    )
