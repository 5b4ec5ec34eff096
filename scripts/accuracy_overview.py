"""Tables that stand in README.md and docs/accuracy.md, made from docs/results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from accuracy_markdown import Figures, interval, limits, number, percent, table
from accuracy_results import (
    BLIND,
    CLANG,
    DEVELOPMENT,
    FIRST,
    INFERRED,
    NVCC,
    OPENMP,
    Table,
    title,
    variants,
)

from roofstat.evaluation.labels import program_family
from roofstat.evaluation.metrics import clustered_bootstrap, confusion

Results = Mapping[str, Figures]

_IN_README = (
    "blind-eleventh-first",
    "blind-eleventh-openmp-first",
    "h100",
    "rtx3080",
    "rtx3080-inferred",
    "fixtures",
    "fixtures-second-sizes",
)

_KINDS = (NVCC, CLANG, OPENMP)

_LANGUAGES = {"cuda": "CUDA", "openmp": "OpenMP"}

_INPUTS = {
    "no_file": "no input file involved",
    "available": "input file there",
    "missing": "input file missing",
}

_QUANTITIES = {
    "sp_flop": "FP32 FLOP",
    "dp_flop": "FP64 FLOP",
    "int_op": "integer",
    "dram_bytes": "DRAM bytes",
    "global_sectors_per_request": "sectors per request",
    "time_s": "time of a launch",
}

_WIDTHS = {"10pct": "10 %", "25pct": "25 %", "50pct": "50 %", "2x": "2x"}


def readme_verdicts(results: Results) -> Iterator[str]:
    """Yield what README.md says of the verdicts."""
    held_out = [(kind, [results[name] for name in _first_of(kind)]) for kind in _KINDS]
    built_once = [figures for kind, found in held_out if kind != CLANG for figures in found]
    yield from table(
        ("table", "rows", "balanced accuracy of the verdict"),
        [
            _pooled_row(
                f"**held out**: {_programs(built_once)} blind programs in {len(built_once)} sets, first predictions",
                built_once,
            ),
            *(
                _pooled_row(f"- {_programs(found)} of them, {kind}", found)
                for kind, found in held_out
            ),
            *(
                (title(name), f"{results[name]['rows']:,}", _with_interval(results[name]))
                for name in _IN_README
            ),
        ],
    )


def _first_of(kind: str) -> list[str]:
    """Names of the first predictions of all blind sets of a kind."""
    return [f"{each.name}{FIRST}" for each in BLIND if each.kind == kind]


def _pooled_row(name: str, pooled: Sequence[Figures]) -> tuple[str, str, str]:
    rows = sum(figures["rows"] for figures in pooled)
    return name, f"{rows:,}", _pooled_accuracy(pooled)


def _programs(pooled: Sequence[Figures]) -> int:
    return sum(len({row["key"][1] for row in figures["per_row"]}) for figures in pooled)


def _pooled_accuracy(pooled: Sequence[Figures]) -> str:
    """Balanced accuracy of the rows of several tables together, drawn by program as those of one are."""
    rows = [row for figures in pooled for row in figures["per_row"]]
    right = np.array([row["right"] for row in rows])
    said_compute = np.array([row["verdict"] == "compute" for row in rows])
    counts = confusion(said_compute == right, said_compute)
    families = [program_family(row["key"][1]) for row in rows]
    intervals = clustered_bootstrap(said_compute == right, right, families)
    assert intervals is not None
    low_high = interval(intervals.balanced_accuracy)
    return f"{percent(counts.balanced_accuracy, 1)} ({low_high})"


def _with_interval(figures: Figures) -> str:
    accuracy = percent(figures["balanced_accuracy"], 1)
    return f"{accuracy} ({interval(figures['balanced_accuracy_ci95'])})"


def blind_verdicts(results: Results) -> Iterator[str]:
    """Yield the verdicts of the blind sets: as predicted first, and as they are after work on their errors."""
    yield from table(
        (
            "blind set",
            "rows",
            "first predictions",
            "95 % interval",
            "on the surest 80 %",
            "calibration error",
            "launch inferred",
            "now",
            "launch inferred",
        ),
        [
            cells
            for kind in _KINDS
            for cells in (
                (f"**{kind}**", *[""] * 8),
                *(_blind_row(each, results) for each in BLIND if each.kind == kind),
            )
        ],
    )


def _blind_row(blind: Table, results: Results) -> tuple[str, ...]:
    first = results[f"{blind.name}{FIRST}"]
    calibration = first["calibration"]
    later = (f"{blind.name}{FIRST}{INFERRED}", blind.name, f"{blind.name}{INFERRED}")
    return (
        f"{blind.title} ({first['commit']})",
        f"{first['rows']:,}",
        percent(first["balanced_accuracy"], 1),
        interval(first["balanced_accuracy_ci95"]),
        percent(calibration["accuracy_at_80pct_coverage"], 1),
        number(calibration["ece"], 3),
        *(
            percent(results[name]["balanced_accuracy"], 1) if name in results else ""
            for name in later
        ),
    )


def development_verdicts(results: Results) -> Iterator[str]:
    """Yield the verdicts of the other tables, and of the parts that bars are set for."""
    yield from table(
        (
            "table",
            "of commit",
            "rows",
            "predicted",
            "balanced accuracy",
            "95 % interval",
            "on the surest 80 %",
            "calibration error",
        ),
        [
            cells
            for each in DEVELOPMENT
            for name in variants(each)
            if name in results and results[name]["labelled"]
            for cells in _verdict_rows(title(name), results[name])
        ],
    )


def _verdict_rows(name: str, result: Figures) -> Iterator[tuple[str, ...]]:
    calibration = result["calibration"]
    yield (
        name,
        result["commit"],
        *_accuracy(result),
        percent(calibration["accuracy_at_80pct_coverage"], 1),
        number(calibration["ece"], 3),
    )
    languages = result["by_language"]
    if len(languages) > 1:
        for language, figures in languages.items():
            yield f"- {_LANGUAGES[language]}", "", *_accuracy(figures), "", ""
    inputs = result["by_input"]
    if len(inputs) > 1:
        for key, words in _INPUTS.items():
            if key in inputs:
                yield f"- {words}", "", *_accuracy(inputs[key]), "", ""


def _accuracy(figures: Figures) -> tuple[str, ...]:
    return (
        f"{figures['rows']:,}",
        f"{figures['predicted']:,}",
        percent(figures["balanced_accuracy"], 1),
        interval(figures["balanced_accuracy_ci95"]),
    )


def counts(results: Results) -> Iterator[str]:
    """Yield how near the counts are, and how far the attainable time is below the measured."""
    groups = _counted(results)
    yield from table(
        (
            "tables",
            "quantity",
            "rows",
            "median",
            *(f"within {width}" for width in _WIDTHS.values()),
            "predicted zero",
        ),
        [
            (words, quantity, *_pooled_counts(found))
            for words, pooled in groups.items()
            for key, quantity in _QUANTITIES.items()
            for found in (
                [figures["counts"][key] for figures in pooled if key in figures["counts"]],
            )
            if any(figures["n"] for figures in found)
        ],
    )
    shares = ", ".join(
        f"{percent(_mean(pooled, 'time_below_measured', 'timed_rows'), 1)} ({words})"
        for words, pooled in groups.items()
    )
    yield f"Rows whose attainable time is at most the measured time: {shares}."
    yield ""


def _counted(results: Results) -> dict[str, list[Figures]]:
    """Tables that the distributions of counts are shown of, those of one kind together."""
    groups = {}
    for kind in _KINDS:
        sets = [each.name for each in BLIND if each.kind == kind]
        groups[f"{kind}, first"] = [results[f"{name}{FIRST}"] for name in sets]
        groups[f"{kind}, now"] = [results[name] for name in sets if name in results]
    return groups | {title(name): [results[name]] for name in ("rtx3080", "h100", "fixtures")}


def _pooled_counts(found: Sequence[Figures]) -> tuple[str, ...]:
    counted = [figures for figures in found if figures["n"]]
    medians = {number(figures["median_ratio"]) for figures in counted}
    return (
        f"{sum(figures['n'] for figures in counted):,}",
        " to ".join(sorted({min(medians), max(medians)})),
        *(percent(_mean(counted, f"within_{width}", "n")) for width in _WIDTHS),
        percent(_mean(counted, "zero_missed", "n"), 1),
    )


def _mean(found: Sequence[Figures], share: str, rows: str) -> float | None:
    """A share of the rows of several tables together."""
    known = [figures for figures in found if figures[share] is not None]
    total = sum(figures[rows] for figures in known)
    return sum(figures[share] * figures[rows] for figures in known) / total if total else None


def cards(results: Results) -> Iterator[str]:
    """Yield the counts of the table of four cards."""
    result = results["4gpu"]
    yield (
        f"{result['rows']:,} rows, {result['predicted']:,} predicted by commit {result['commit']}"
        f"{_unpredicted(result)}."
    )
    yield ""
    yield from table(
        (
            "card",
            "rows",
            "DRAM within 2x",
            "DRAM median",
            "FP32 FLOP within 10 / 50 %",
            "FP64 FLOP within 10 / 50 %",
            "FP32 intensity within 10 / 50 %",
            "time at most the measured",
        ),
        [_card(name, figures) for name, figures in sorted(result["by_gpu"].items())],
    )


def _unpredicted(result: Figures) -> str:
    kinds = Counter(row["failure"]["kind"] for row in result["per_row"] if "failure" in row)
    of_others = {
        "match": "are of kernels that this snapshot of the sources does not have",
        "timeout": "ran out of time",
    }
    return "".join(
        f"; {count:,} {of_others.get(kind, f'failed ({kind})')}"
        for kind, count in kinds.most_common()
    )


def _card(name: str, figures: Figures) -> tuple[str, ...]:
    found = figures["counts"]
    return (
        name,
        f"{figures['rows']:,}",
        percent(found["dram_bytes"]["within_2x"]),
        number(found["dram_bytes"]["median_ratio"]),
        _near(found["sp_flop"]),
        _near(found["dp_flop"]),
        _near(figures["intensity"]["fp32"]),
        percent(figures["time_below_measured"]),
    )


def _near(figures: Figures) -> str:
    return f"{percent(figures['within_10pct'])} / {percent(figures['within_50pct'])}"


def missed_bars(results: Results) -> Iterator[str]:
    """Yield the figures that are below what they must reach, with the tables where they are."""
    missed: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name, result in results.items():
        for bar in result["bars"]:
            if bar["state"] == "below":
                key = (bar["measure"], limits(bar["must"]))
                value = number(bar["value"], 3)
                if name.endswith(INFERRED):
                    value = f"{value} with the launch inferred"
                where = title(name.removesuffix(INFERRED))
                missed.setdefault(key, {}).setdefault(where, []).append(value)
    yield from table(
        ("figure", "must", "missed in"),
        [
            (*key, "; ".join(f"{where}: {', '.join(values)}" for where, values in tables.items()))
            for key, tables in missed.items()
        ],
    )


def decisive(results: Results) -> Iterator[str]:
    """Yield which quantities made wrong verdicts wrong."""
    groups = {title(name): [name] for name in ("h100", "rtx3080")}
    groups |= {f"{kind}, blind, first": _first_of(kind) for kind in _KINDS}
    found = {words: _decisive(results, names) for words, names in groups.items()}
    total = sum(found.values(), Counter[str]())
    yield from table(
        ("quantities whose measured values would have made wrong verdicts right", *found),
        [
            (_quantities(key), *(str(each[key]) for each in found.values()))
            for key in sorted(total, key=lambda key: (-total[key], key))
        ],
    )


def _decisive(results: Results, names: Sequence[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name in names:
        found.update(results[name]["errors"]["by_decisive"])
    return found


def _quantities(key: str) -> str:
    return " and ".join(_QUANTITIES.get(part, part) for part in key.split("+"))
