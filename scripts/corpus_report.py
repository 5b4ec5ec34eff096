"""Analyse every program of a benchmark tree and report what was found and what was lost.

    corpus_report.py SOURCES [--suffix -cuda] [--labels TABLE.csv] [-D NAME] [-j N] [--timeout S] [--json FILE] [--front-end]

SOURCES is the folder that the labels' paths are relative to (it holds src/PROGRAM/...). Programs that the table names
are parsed with its sources, flags and arguments; the others with every source file of their folder. Of the table's
OpenMP rows it says which regions are reported with their function and the line of their directive. With `--front-end`
programs are parsed only: how many kernels and statements the front end lowered is all that is said.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from clang_queries.unit import lower_unit
from roofstat.analysis import AnalysisOptions, discover
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.settings import parse_options
from roofstat.analysis.workers import run_isolated
from roofstat.evaluation import LaunchMode, read_label_tables
from roofstat.evaluation.jobs import make_plan
from roofstat.evaluation.labels import LabelRow
from roofstat.evaluation.matching import MatchLevel, NoMatch, match_row
from roofstat.evaluation.prediction import candidate
from roofstat.hardware import load_gpu
from roofstat.program.link import link
from roofstat.program.openmp import region_functions
from roofstat.program.openmp.clauses import directives_in, is_target
from roofstat.report import KernelReport, Language


@dataclass
class ProgramFacts:
    """What one program yielded."""

    program: str
    kernels: list[str] = field(default_factory=list)
    lowered_kernels: int = 0
    kernels_with_errors: int = 0
    launch_tokens: int = 0
    lost_launches: int = 0
    statements: int = 0
    opaque: int = 0
    uninstantiated: int = 0
    parse_errors: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    target_directives: int = 0
    lost_directives: list[str] = field(default_factory=list)
    """FILE:LINE of target directives in lowered functions that no report names."""
    regions: dict[str, str] = field(default_factory=dict)
    """FUNCTION:LINE of the table's OpenMP regions -> why it is lost; empty where it is found."""
    launches: dict[str, str] = field(default_factory=dict)
    """FUNCTION:LINE of the found ones -> how the launch differs from the table's; empty where it is the same."""
    empty_regions: list[str] = field(default_factory=list)
    """Reported regions that neither compute nor move anything."""
    seconds: float = 0.0


@dataclass(frozen=True)
class Task:
    """One program with its files and options."""

    program: str
    files: tuple[Path, ...]
    options: AnalysisOptions
    rows: tuple[LabelRow, ...] = ()
    """The table's OpenMP rows of the program."""
    front_end_only: bool = False


def examine(task: Task) -> ProgramFacts:
    """Parse and analyse one program (in a worker process)."""
    facts = ProgramFacts(task.program)
    started = time.perf_counter()
    seen: set[tuple[str, int, int]] = set()
    directives: set[tuple[str, int]] = set()
    for file in task.files:
        unit = lower_unit(str(file), parse_options(task.options))
        broken = {item.function for item in unit.diagnostics if item.function is not None}
        facts.lowered_kernels += len(unit.kernels)
        facts.kernels_with_errors += sum(key in broken for key in unit.kernels)
        tokens = {(p.file, p.line, p.column) for p in unit.launch_tokens} - seen
        lost = {(p.file, p.line, p.column) for p in unit.lost_launches} - seen
        seen |= tokens
        facts.launch_tokens += len(tokens)
        facts.lost_launches += len(lost)
        facts.statements += unit.statement_count
        facts.opaque += unit.opaque_count
        facts.uninstantiated += len(unit.uninstantiated)
        for function in region_functions(link([unit])):
            places = (item.position for item in directives_in(function.body) if is_target(item))
            directives |= {(place.file, place.line) for place in places}
        facts.parse_errors += [item.text for item in unit.diagnostics]
    if not task.front_end_only:
        _analyse(task, facts, directives)
    facts.seconds = time.perf_counter() - started
    return facts


def _analyse(task: Task, facts: ProgramFacts, directives: set[tuple[str, int]]) -> None:
    result = analyze_program(task.files, task.options)
    for kernel in result.kernels:
        place = f"{kernel.function}:{kernel.line}" if kernel.function else kernel.signature
        facts.kernels.append(place)
        if kernel.language is Language.OPENMP and _is_empty(kernel):
            facts.empty_regions.append(place)
    reported = {(kernel.file, kernel.line) for kernel in result.kernels}
    facts.target_directives = len(directives)
    facts.lost_directives = [f"{file}:{line}" for file, line in sorted(directives - reported)]
    for row in task.rows:
        place = f"{row.function}:{row.line}"
        facts.regions[place] = _why_lost(row, result.kernels)
        if not facts.regions[place]:
            facts.launches[place] = _other_launch(row, result.kernels)
    facts.errors = [error.message for error in result.errors]


def _is_empty(kernel: KernelReport) -> bool:
    """Whether a report says, without a reason, that a kernel does nothing."""
    counts, traffic = kernel.counts, kernel.traffic.profiled
    amounts = (
        counts.sp_flop,
        counts.dp_flop,
        counts.int_op,
        traffic.read_bytes,
        traffic.write_bytes,
    )
    return not kernel.unknown and not any(amounts)


def _why_lost(row: LabelRow, kernels: tuple[KernelReport, ...]) -> str:
    """Empty where a report has both the function and the line of a row."""
    found = match_row(row, [candidate(kernel) for kernel in kernels], by_launch=False)
    if isinstance(found, NoMatch):
        return found.reason
    if found.level is MatchLevel.PLACE:
        kernel = kernels[found.position]
        return f"found as {kernel.function}:{kernel.line}"
    return ""


def _other_launch(row: LabelRow, kernels: tuple[KernelReport, ...]) -> str:
    """Empty where some launch of a row's region has its grid and block."""
    found = match_row(row, [candidate(kernel) for kernel in kernels], by_launch=True)
    launch = None if isinstance(found, NoMatch) else kernels[found.position].launch
    if launch is None or (launch.grid, launch.block) == (row.grid, row.block):
        return ""
    wanted, ours = (row.grid, row.block), (launch.grid, launch.block)
    return f"measured {wanted}, here {ours}, {launch.source.value}"


def tasks_of(
    sources: Path, suffix: str, table: Path | None, defines: tuple[str, ...] = ()
) -> list[Task]:
    """Programs of the tree, those of the table with its flags."""
    known: dict[str, Task] = {}
    if table is not None:
        rows = [row for row in read_label_tables([table]) if row.program.endswith(suffix)]
        for job in make_plan(rows, sources, LaunchMode.INFERRED).jobs:
            measured = tuple(row for _, row in job.rows if row.language is Language.OPENMP)
            task = Task(job.program, job.files, job.settings[0].options, measured)
            first = known.setdefault(job.program, task)
            if first is not task:
                known[job.program] = replace(first, rows=first.rows + measured)
    for folder in sorted((sources / "src").glob(f"*{suffix}")):
        programs = discover([folder]).programs
        files = tuple(sorted({file for program in programs for file in program.units}))
        if folder.name not in known and files:
            sibling = folder.parent / folder.name.replace(suffix, "-cuda")
            suggested = dict.fromkeys(path for program in programs for path in program.include_dirs)
            options = AnalysisOptions(
                gpu=load_gpu("a100"),
                include_dirs=(folder, sibling, folder.parent / "include", *suggested),
                defines=defines,
            )
            known[folder.name] = Task(folder.name, files, options)
    return [known[name] for name in sorted(known)]


def main() -> int:
    """Run the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--suffix", default="-cuda")
    parser.add_argument("--labels", type=Path)
    parser.add_argument("-D", dest="defines", action="append", default=[])
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--front-end", action="store_true")
    arguments = parser.parse_args()
    tasks = tasks_of(
        arguments.sources, arguments.suffix, arguments.labels, tuple(arguments.defines)
    )
    tasks = [replace(task, front_end_only=arguments.front_end) for task in tasks]
    started = time.perf_counter()
    outcomes = run_isolated(
        examine, tasks, jobs=arguments.j, timeout_s=lambda _task: arguments.timeout
    )
    wall = time.perf_counter() - started
    facts = [outcome.value for outcome in outcomes if outcome.value is not None]
    failed = [
        (task.program, str(outcome.error))
        for task, outcome in zip(tasks, outcomes, strict=True)
        if outcome.error is not None
    ]
    _print(tasks, facts, failed, wall)
    if arguments.json is not None:
        rows = [asdict(item) for item in facts]
        arguments.json.write_text(json.dumps({"programs": rows, "failed": failed}, indent=1))
    return 0


def _print(
    tasks: list[Task], facts: list[ProgramFacts], failed: list[tuple[str, str]], wall: float
) -> None:
    kernels = sum(item.lowered_kernels for item in facts)
    statements = sum(item.statements for item in facts)
    print(f"programs               {len(tasks)}, failed {len(failed)}")
    print(f"kernels lowered        {kernels}")
    print(f"  with parse errors    {sum(item.kernels_with_errors for item in facts)}")
    print(f"reports                {sum(len(item.kernels) for item in facts)}")
    print(f"launch tokens <<<      {sum(item.launch_tokens for item in facts)}")
    print(f"  reported as lost     {sum(item.lost_launches for item in facts)}")
    print(f"templates not launched {sum(item.uninstantiated for item in facts)}")
    opaque = sum(item.opaque for item in facts)
    print(
        f"statements             {statements}, opaque {opaque} ({opaque / max(statements, 1):.3%})"
    )
    _print_regions(facts)
    clean = sum(not item.parse_errors for item in facts)
    print(f"programs without errors {clean}")
    print(
        f"internal errors        {sum('internal' in text for item in facts for text in item.errors)}"
    )
    print(
        f"wall time              {wall:.1f} s, sum of workers {sum(item.seconds for item in facts):.1f} s"
    )
    for program, error in failed:
        print(f"  failed {program}: {error[:150]}", file=sys.stderr)
    for text, count in Counter(text for item in facts for text in item.parse_errors).most_common(
        15
    ):
        print(f"  {count:4d} {text[:110]}")
    for item in facts:
        for text in item.errors[:1]:
            print(f"  error {item.program}: {text[:140]}")


def _print_regions(facts: list[ProgramFacts]) -> None:
    directives = sum(item.target_directives for item in facts)
    if not directives:
        return
    lost = [f"{item.program} {place}" for item in facts for place in item.lost_directives]
    print(f"target directives      {directives}, without a report {len(lost)}")
    for place in lost:
        print(f"  no report {place}")
    regions = [(item.program, place, why) for item in facts for place, why in item.regions.items()]
    found = sum(not why for _, _, why in regions)
    share = found / len(regions) if regions else 1.0
    print(
        f"regions of the table   {len(regions)}, found by function and line {found} ({share:.2%})"
    )
    for program, place, why in regions:
        if why:
            print(f"  lost {program} {place}: {why[:110]}")
    launches = [(item.program, *pair) for item in facts for pair in item.launches.items()]
    same = sum(not other for _, _, other in launches)
    print(f"their launches         {len(launches)}, as measured {same}")
    for program, place, other in launches:
        if other:
            print(f"  launch {program} {place}: {other}")
    empty = [f"{item.program} {place}" for item in facts for place in item.empty_regions]
    print(f"regions without work   {len(empty)}")
    for place in empty:
        print(f"  empty {place}")


if __name__ == "__main__":
    sys.exit(main())
