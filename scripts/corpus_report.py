"""Analyse every program of a benchmark tree and report what was found and what was lost.

    corpus_report.py SOURCES [--suffix -cuda] [--labels TABLE.csv] [-j N] [--timeout S] [--json FILE]

SOURCES is the folder that the labels' paths are relative to (it holds src/PROGRAM/...). Programs that the table names
are parsed with its sources, flags and arguments; the others with every source file of their folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from clang_queries.unit import lower_unit
from roofstat.analysis import AnalysisOptions, run_isolated
from roofstat.analysis.pipeline import analyze_program
from roofstat.analysis.settings import parse_options
from roofstat.evaluation import LaunchMode, read_label_tables
from roofstat.evaluation.jobs import make_plan
from roofstat.hardware import load_gpu

SUFFIXES = {".cu", ".cpp", ".cc", ".c", ".cxx"}


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
    seconds: float = 0.0


@dataclass(frozen=True)
class Task:
    """One program with its files and options."""

    program: str
    files: tuple[Path, ...]
    options: AnalysisOptions


def examine(task: Task) -> ProgramFacts:
    """Parse and analyse one program (in a worker process)."""
    facts = ProgramFacts(task.program)
    started = time.perf_counter()
    seen: set[tuple[str, int, int]] = set()
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
        facts.parse_errors += [item.text for item in unit.diagnostics]
    result = analyze_program(task.files, task.options)
    for kernel in result.kernels:
        place = f"{kernel.function}:{kernel.line}" if kernel.function else kernel.signature
        facts.kernels.append(place)
    facts.errors = [error.message for error in result.errors]
    facts.seconds = time.perf_counter() - started
    return facts


def tasks_of(sources: Path, suffix: str, table: Path | None) -> list[Task]:
    """Programs of the tree, those of the table with its flags."""
    known: dict[str, Task] = {}
    if table is not None:
        rows = [row for row in read_label_tables([table]) if row.program.endswith(suffix)]
        for job in make_plan(rows, sources, LaunchMode.INFERRED).jobs:
            known.setdefault(job.program, Task(job.program, job.files, job.settings[0].options))
    for folder in sorted((sources / "src").glob(f"*{suffix}")):
        files = tuple(sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES))
        if folder.name not in known and files:
            sibling = folder.parent / folder.name.replace(suffix, "-cuda")
            options = AnalysisOptions(
                gpu=load_gpu("a100"), include_dirs=(folder, sibling, folder.parent / "include")
            )
            known[folder.name] = Task(folder.name, files, options)
    return [known[name] for name in sorted(known)]


def main() -> int:
    """Run the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", type=Path)
    parser.add_argument("--suffix", default="-cuda")
    parser.add_argument("--labels", type=Path)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    tasks = tasks_of(arguments.sources, arguments.suffix, arguments.labels)
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


if __name__ == "__main__":
    sys.exit(main())
