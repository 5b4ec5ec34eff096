"""CPU time of the analysis of each of many programs, slowest first: nothing is asserted here.

    benchmark_programs.py PATH... [--gpu a100] [--timeout 100] [--reports FOLDER] [--against FOLDER]

Each path (a file, or a directory with a program) is analysed in a worker process that has already imported all it needs,
one after the other. With `--reports` the reports are kept; with `--against` they are compared with those that another
version of the package has left, and the paths whose reports differ are named.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from roofstat.analysis import AnalysisOptions, discover
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.runner import program_options
from roofstat.analysis.workers import run_isolated
from roofstat.hardware import Gpu, load_gpu
from roofstat.render import RenderOptions, render
from roofstat.report import Report, Tool, ranked

_ROUNDING = 1e-12
"""Relative: the last digits of sums over sets depend on the order of the sets."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One analysis."""

    cpu_s: float
    report: str


def measure(path: Path, gpu: Gpu) -> Measured:
    """Analyse one path (in a worker process)."""
    started = time.process_time()
    options = AnalysisOptions(gpu=gpu)
    found = discover([path])
    results = [
        analyze_program(program.units, program_options(program, options))
        for program in found.programs
    ]
    cpu_s = time.process_time() - started
    report = Report(
        tool=Tool(version="0"),
        gpu=gpu,
        kernels=ranked([kernel for result in results for kernel in result.kernels]),
        diagnostics=tuple(item for result in results for item in result.diagnostics),
        errors=tuple(error for result in results for error in result.errors),
        files=found.file_count,
        min_confidence=options.min_confidence,
    )
    return Measured(cpu_s, render(report, "json", RenderOptions()))


def is_same(one: object, other: object) -> bool:
    """Whether two reports say the same, but for rounding and the stacks of internal errors."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            key == "detail" or is_same(one[key], other[key]) for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=_ROUNDING)
    return one == other


def report_name(path: Path) -> str:
    """The file that the report of a path is kept in."""
    return f"{path.parent.name}-{path.name}.json"


def main() -> int:
    """Print the times, and what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--gpu", default="a100")
    parser.add_argument("--timeout", type=float, default=100.0)
    parser.add_argument("--reports", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    outcomes = run_isolated(
        functools.partial(measure, gpu=load_gpu(given.gpu)),
        given.paths,
        timeout_s=lambda _path: given.timeout,
    )
    measured = {
        path: outcome.value
        for path, outcome in zip(given.paths, outcomes, strict=True)
        if outcome.value is not None
    }
    slowest_first = sorted(measured, key=lambda path: -measured[path].cpu_s)
    for path in slowest_first:
        print(f"{measured[path].cpu_s:8.2f} s  {path}")
    for path, outcome in zip(given.paths, outcomes, strict=True):
        if outcome.error is not None:
            print(f"{'':10}  {path}: {outcome.error}")
    total_s = sum(each.cpu_s for each in measured.values())
    print(f"{total_s:8.2f} s  {len(measured)} of {len(given.paths)} paths")
    if given.reports is not None:
        given.reports.mkdir(parents=True, exist_ok=True)
        for path, each in measured.items():
            (given.reports / report_name(path)).write_text(each.report, encoding="utf-8")
    if given.against is not None:
        kept = {path: given.against / report_name(path) for path in measured}
        compared = [path for path in measured if kept[path].exists()]
        for path in compared:
            before = json.loads(kept[path].read_text(encoding="utf-8"))
            if not is_same(before, json.loads(measured[path].report)):
                print(f"differs: {path}")
        print(f"{len(compared)} reports compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
