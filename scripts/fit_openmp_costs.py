"""Fit the costs of the OpenMP device run time to measured launches.

    fit_openmp_costs.py collect TABLE.csv SOURCES CALLS.jsonl [-j N]    # evaluates the OpenMP rows, some minutes
    fit_openmp_costs.py fit CALLS.jsonl                                 # prints costs and how well they hold

Of every row `collect` keeps the measured integer instructions, those predicted without the run time, and how often each
call of `roofstat/instructions/data/openmp.toml` runs. `fit` takes the rows in which neither branches nor trip counts
rest on data and in which the run time is a notable part, and finds the costs with the least absolute error of the
logarithm, rows of one program weighing as the root of their number. Programs are held out in five folds to say what to expect elsewhere.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

from roofstat.analysis import assemble, pipeline
from roofstat.cli.main import main as roofstat
from roofstat.evaluation import runner
from roofstat.evaluation.labels import Quantity as Measured
from roofstat.evaluation.matching import Match, match_row
from roofstat.evaluation.prediction import candidate
from roofstat.instructions import costing
from roofstat.instructions.openmp_costs import runtime_amounts, runtime_cost
from roofstat.instructions.quantities import Quantity
from roofstat.program.openmp.runtime_calls import SELECTING

DATA_KINDS = {"trip-count", "branch", "value", "argument", "address", "source"}
"""Assumptions under which counts say little about the run time."""
LEAST_SHARE = 0.08
"""Part of the measured integer work that the run time has to make up."""
LEAST_PROGRAMS = 4
"""Calls that fewer programs have keep their cost."""
FOLDS = 5
STEPS = (4.0, 2.0, 1.0, 0.5, 0.25)


def collect(table: str, sources: str, target: str, jobs: int) -> int:
    """Evaluate the OpenMP rows of a table, and write the calls of each."""
    path = Path(target)
    path.write_text("", "utf-8")
    totals_of: dict[int, dict[Any, float]] = {}
    last: list[dict[Any, float]] = []
    count, report, predict = (
        assemble.count_instructions,
        pipeline.kernel_report,
        runner.predict,
    )

    def marked(name: str, scalar: Any) -> Any:
        amounts = runtime_amounts(name, scalar)
        return None if amounts is None else {**amounts, name: 1.0}

    def counted(*arguments: Any, **named: Any) -> Any:
        found = count(*arguments, **named)
        last[:] = [found.totals]
        return found

    def reported(*arguments: Any, **named: Any) -> Any:
        found = report(*arguments, **named)
        totals_of[id(found)] = last[0]
        return found

    def predicted(row: Any, kernels: Any, *arguments: Any, **named: Any) -> Any:
        match = match_row(row, [candidate(kernel) for kernel in kernels], by_launch=True)
        if isinstance(match, Match):
            _write(path, row, kernels[match.position], totals_of)
        return predict(row, kernels, *arguments, **named)

    for module, name, function in (
        (costing, "runtime_amounts", marked),
        (assemble, "count_instructions", counted),
        (pipeline, "kernel_report", reported),
        (runner, "predict", predicted),
    ):
        setattr(module, name, function)
    options = ["--language", "openmp", "-j", str(jobs), "--timeout", "120", "--format", "json"]
    output = str(path.with_suffix(".eval.json"))
    return roofstat(["eval", "--labels", table, "--sources", sources, *options, "-o", output])


def _write(path: Path, row: Any, kernel: Any, totals_of: dict[int, dict[Any, float]]) -> None:
    totals = totals_of.get(id(kernel), {})
    calls = {name: amount for name, amount in totals.items() if isinstance(name, str)}
    known = sum(amount * _cost(name) for name, amount in calls.items())
    grid, block = kernel.launch.grid, kernel.launch.block
    record = {
        "program": row.program,
        "place": f"{row.function}:{row.line}",
        "threads": math.prod(grid) * math.prod(block),
        "measured": row.measured.get(Measured.INT_OP),
        "without": totals.get(Quantity.INT_OP, 0.0) - known,
        "calls": calls,
        "assumptions": sorted({item.kind.value for item in kernel.assumptions}),
    }
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _cost(name: str) -> float:
    cost = runtime_cost(name)
    return 0.0 if cost is None else cost.int_op


def fit(source: str) -> int:
    """Print the costs, and how well they hold on the rows that made them and on others."""
    rows = [json.loads(line) for line in Path(source).read_text("utf-8").splitlines()]
    for row in rows:
        row["calls"] = _by_entry(row["calls"])
    usable = [row for row in rows if _is_usable(row)]
    names = sorted({name for row in usable for name in row["calls"]})
    costs = _fitted(usable, names)
    print(f"rows {len(rows)}, usable {len(usable)}, programs {len({r['program'] for r in usable})}")
    for name in names:
        users = [row["program"] for row in usable if name in row["calls"]]
        print(f"{name:45s} {costs[name]:6.2f}  rows {len(users)} of {len(set(users))} programs")
    print("shipped ", _quality(usable, {name: _cost(name) for name in names}))
    print("fitted  ", _quality(usable, costs))
    print("held out", _quality_of(_held_out(usable, names)))
    return 0


def _by_entry(calls: dict[str, float]) -> dict[str, float]:
    """Reductions that select count as those that add: only the work on the datum differs."""
    found: dict[str, float] = {}
    for name, amount in calls.items():
        entry = name.removesuffix(SELECTING)
        found[entry] = found.get(entry, 0.0) + amount
    return found


def _is_usable(row: dict[str, Any]) -> bool:
    if not row["measured"] or not row["calls"] or set(row["assumptions"]) & DATA_KINDS:
        return False
    share = 1.0 - row["without"] / row["measured"]
    return bool(LEAST_SHARE <= share < 1.0 and row["without"] > 0.0)


def _errors(rows: list[dict[str, Any]], costs: dict[str, float]) -> list[float]:
    return [
        math.log(
            max(row["without"] + sum(n * costs.get(k, 0.0) for k, n in row["calls"].items()), 1.0)
            / row["measured"]
        )
        for row in rows
    ]


def _loss(rows: list[dict[str, Any]], costs: dict[str, float]) -> float:
    weights = _weights(rows)
    return sum(w * abs(e) for w, e in zip(weights, _errors(rows, costs), strict=True))


def _weights(rows: list[dict[str, Any]]) -> list[float]:
    """Rows of one program together weigh as much as the root of their number."""
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[row["program"]] = sizes.get(row["program"], 0) + 1
    return [1.0 / math.sqrt(sizes[row["program"]]) for row in rows]


def _fitted(rows: list[dict[str, Any]], names: list[str]) -> dict[str, float]:
    """Coordinate descent with ever smaller steps; costs stay at or above zero."""
    costs = {name: _cost(name) for name in names}
    names = [name for name in names if _programs(rows, name) >= LEAST_PROGRAMS]
    best = _loss(rows, costs)
    for step in STEPS:
        is_better = True
        while is_better:
            is_better = False
            for name in names:
                for change in (-step, step):
                    tried = {**costs, name: max(costs[name] + change, 0.0)}
                    loss = _loss(rows, tried)
                    if loss < best - 1e-9:
                        costs, best, is_better = tried, loss, True
    return costs


def _programs(rows: list[dict[str, Any]], name: str) -> int:
    return len({row["program"] for row in rows if name in row["calls"]})


def _held_out(rows: list[dict[str, Any]], names: list[str]) -> list[float]:
    programs = sorted({row["program"] for row in rows})
    errors: list[float] = []
    for fold in range(FOLDS):
        out = {program for index, program in enumerate(programs) if index % FOLDS == fold}
        costs = _fitted([row for row in rows if row["program"] not in out], names)
        errors += _errors([row for row in rows if row["program"] in out], costs)
    return errors


def _quality(rows: list[dict[str, Any]], costs: dict[str, float]) -> str:
    return _quality_of(_errors(rows, costs))


def _quality_of(errors: list[float]) -> str:
    ratios = sorted(math.exp(error) for error in errors)
    near = sum(0.75 <= ratio <= 1.25 for ratio in ratios) / len(ratios)
    middle = ratios[len(ratios) // 2]
    return f"median ratio {middle:.3f}, within 25 % {near:.1%} of {len(ratios)} rows"


def main() -> int:
    """Run one of the two steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    collecting = steps.add_parser("collect")
    collecting.add_argument("table")
    collecting.add_argument("sources")
    collecting.add_argument("calls")
    collecting.add_argument("-j", type=int, default=2)
    fitting = steps.add_parser("fit")
    fitting.add_argument("calls")
    arguments = parser.parse_args()
    if arguments.step == "fit":
        return fit(arguments.calls)
    return collect(arguments.table, arguments.sources, arguments.calls, arguments.j)


if __name__ == "__main__":
    sys.exit(main())
