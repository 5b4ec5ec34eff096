"""Tables that stand in README.md and docs/accuracy.md: one line for each table of labels, made from docs/results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from accuracy_markdown import Figures, interval, limits, number, percent, table

from roofstat.evaluation.labels import program_family
from roofstat.evaluation.metrics import clustered_bootstrap, confusion

Results = Mapping[str, Figures]

_SHORT_TITLES = {
    "blind-first": "**held out**: 88 blind programs, first predictions",
    "blind-first-inferred": "the same, launch inferred",
    "blind-openmp-first": "**held out**: 38 blind OpenMP programs, first predictions",
    "blind-openmp-first-inferred": "the same, launch inferred",
    "blind-suite-first": "**held out**: 52 blind programs in the form of a suite, first predictions",
    "blind-suite-first-inferred": "the same, launch inferred",
    "blind-suite-openmp-first": "**held out**: 22 blind OpenMP programs in the form of a suite, first predictions",
    "blind-suite-openmp-first-inferred": "the same, launch inferred",
    "blind-third-first": "**held out**: 40 blind programs on an H200, first predictions",
    "blind-third-first-inferred": "the same, launch inferred",
    "blind-third-clang-first": "**held out**: those 40 programs built by clang 18, first predictions",
    "blind-third-openmp-first": "**held out**: 18 blind OpenMP programs on an H200, first predictions",
    "blind-third-openmp-first-inferred": "the same, launch inferred",
    "blind-fourth-first": "**held out**: 26 more blind programs on an H200, first predictions",
    "blind-fourth-first-inferred": "the same, launch inferred",
    "blind-fourth-clang-first": "**held out**: 25 of those programs built by clang 18, first predictions",
    "blind-fourth-openmp-first": "**held out**: 18 more blind OpenMP programs on an H200, first predictions",
    "blind-fourth-openmp-first-inferred": "the same, launch inferred",
    "blind-fifth-first": "**held out**: a fifth set of 26 blind programs on an H200, first predictions",
    "blind-fifth-first-inferred": "the same, launch inferred",
    "blind-fifth-clang-first": "**held out**: 25 of those programs built by clang 18, first predictions",
    "blind-fifth-openmp-first": "**held out**: a fifth set of 18 blind OpenMP programs on an H200, first predictions",
    "blind-fifth-openmp-first-inferred": "the same, launch inferred",
    "blind-sixth-first": "**held out**: a sixth set of 26 blind programs on an H200, first predictions",
    "blind-sixth-first-inferred": "the same, launch inferred",
    "blind-sixth-clang-first": "**held out**: 24 of those programs built by clang 18, first predictions",
    "blind-sixth-openmp-first": "**held out**: a sixth set of 18 blind OpenMP programs on an H200, first predictions",
    "blind-sixth-openmp-first-inferred": "the same, launch inferred",
    "rtx3080": "RTX 3080, HeCBench",
    "rtx3080-inferred": "RTX 3080, HeCBench, launch inferred",
    "h100": "H100, HeCBench",
    "fixtures": "H100, own fixtures",
    "fixtures-second-sizes": "H100, own fixtures at second sizes, launch inferred",
    "blind": "88 blind programs, after work on their errors",
    "blind-inferred": "the same, launch inferred",
    "blind-openmp": "38 blind OpenMP programs, after work on their errors",
    "blind-openmp-inferred": "the same, launch inferred",
    "blind-suite": "52 blind programs in the form of a suite, after work on their errors",
    "blind-suite-inferred": "the same, launch inferred",
    "blind-suite-openmp": "22 blind OpenMP programs in the form of a suite, after work on their errors",
    "blind-suite-openmp-inferred": "the same, launch inferred",
    "blind-third": "40 blind programs on an H200, after work on their errors",
    "blind-third-inferred": "the same, launch inferred",
    "blind-third-clang": "those 40 programs built by clang 18, after work on their errors",
    "blind-third-openmp": "18 blind OpenMP programs on an H200, after work on their errors",
    "blind-third-openmp-inferred": "the same, launch inferred",
    "blind-fourth": "26 more blind programs on an H200, after work on their errors",
    "blind-fourth-inferred": "the same, launch inferred",
    "blind-fourth-clang": "25 of those programs built by clang 18, after work on their errors",
    "blind-fourth-openmp": "18 more blind OpenMP programs on an H200, after work on their errors",
    "blind-fourth-openmp-inferred": "the same, launch inferred",
    "blind-fifth": "the fifth set of 26 blind programs, after work on their errors",
    "blind-fifth-clang": "25 of those programs built by clang 18, after work on their errors",
    "blind-fifth-openmp": "the fifth set of 18 blind OpenMP programs, after work on their errors",
}

_HELD_OUT = (
    "blind-first",
    "blind-openmp-first",
    "blind-suite-first",
    "blind-suite-openmp-first",
    "blind-third-first",
    "blind-third-openmp-first",
    "blind-fourth-first",
    "blind-fourth-openmp-first",
    "blind-fifth-first",
    "blind-fifth-openmp-first",
    "blind-sixth-first",
    "blind-sixth-openmp-first",
)

_IN_README = (
    "blind-sixth-first",
    "blind-sixth-first-inferred",
    "blind-sixth-openmp-first",
    "h100",
    "rtx3080",
    "rtx3080-inferred",
    "fixtures",
    "fixtures-second-sizes",
)

_LANGUAGES = {"cuda": "CUDA", "openmp": "OpenMP"}

_INPUTS = {
    "no_file": "no input file involved",
    "available": "input file there",
    "missing": "input file missing",
}

_COUNTED = {
    "rtx3080": "RTX 3080",
    "h100": "H100",
    "blind-third-first": "blind on H200, first",
    "blind-third": "blind on H200, now",
    "blind-third-clang-first": "blind on H200 by clang, first",
    "blind-third-clang": "blind on H200 by clang, now",
    "blind-third-openmp-first": "blind OpenMP on H200, first",
    "blind-third-openmp": "blind OpenMP on H200, now",
    "blind-fourth-first": "fourth blind set, first",
    "blind-fourth": "fourth blind set, now",
    "blind-fourth-clang-first": "fourth blind set by clang, first",
    "blind-fourth-clang": "fourth blind set by clang, now",
    "blind-fourth-openmp-first": "fourth blind OpenMP set, first",
    "blind-fourth-openmp": "fourth blind OpenMP set, now",
    "blind-fifth-first": "fifth blind set, first",
    "blind-fifth-clang-first": "fifth blind set by clang, first",
    "blind-fifth-openmp-first": "fifth blind OpenMP set, first",
    "blind-fifth": "fifth blind set, now",
    "blind-fifth-clang": "fifth blind set by clang, now",
    "blind-fifth-openmp": "fifth blind OpenMP set, now",
    "blind-sixth-first": "sixth blind set, first",
    "blind-sixth-clang-first": "sixth blind set by clang, first",
    "blind-sixth-openmp-first": "sixth blind OpenMP set, first",
    "fixtures": "own fixtures",
}

_QUANTITIES = {
    "sp_flop": "FP32 FLOP",
    "dp_flop": "FP64 FLOP",
    "int_op": "integer",
    "dram_bytes": "DRAM bytes",
    "global_sectors_per_request": "sectors per request",
}

_WIDTHS = {"10pct": "10 %", "25pct": "25 %", "50pct": "50 %", "2x": "2x"}


def readme_verdicts(results: Results) -> Iterator[str]:
    """Yield what README.md says of the verdicts."""
    pooled = [results[name] for name in _HELD_OUT]
    yield from table(
        ("table", "rows", "balanced accuracy of the verdict"),
        [
            (
                f"**held out**: {_programs(pooled)} blind programs, first predictions of all {len(pooled)} sets",
                f"{sum(figures['rows'] for figures in pooled):,}",
                _pooled_accuracy(pooled),
            ),
        ]
        + [
            (
                _SHORT_TITLES[name],
                f"{results[name]['rows']:,}",
                _with_interval(results[name]),
            )
            for name in _IN_README
        ],
    )


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


def verdicts(results: Results) -> Iterator[str]:
    """Yield the verdicts of every table, and of the parts that bars are set for."""
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
            for name, title in _SHORT_TITLES.items()
            for cells in _verdict_rows(title, results[name])
        ],
    )


def _verdict_rows(title: str, result: Figures) -> Iterator[tuple[str, ...]]:
    calibration = result["calibration"]
    yield (
        title,
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
        for key, name in _INPUTS.items():
            if key in inputs:
                yield f"- {name}", "", *_accuracy(inputs[key]), "", ""


def _accuracy(figures: Figures) -> tuple[str, ...]:
    return (
        f"{figures['rows']:,}",
        f"{figures['predicted']:,}",
        percent(figures["balanced_accuracy"], 1),
        interval(figures["balanced_accuracy_ci95"]),
    )


def counts(results: Results) -> Iterator[str]:
    """Yield how near the counts are, and how far the attainable time is below the measured."""
    yield from table(
        (
            "table",
            "quantity",
            "median",
            *(f"within {width}" for width in _WIDTHS.values()),
            "predicted zero",
        ),
        [
            (
                title,
                quantity,
                number(figures["median_ratio"]),
                *(percent(figures[f"within_{width}"]) for width in _WIDTHS),
                percent(figures["zero_missed"], 1),
            )
            for name, title in _COUNTED.items()
            for key, quantity in _QUANTITIES.items()
            for figures in (results[name]["counts"].get(key, {"n": 0}),)
            if figures["n"]
        ],
    )
    shares = ", ".join(
        f"{percent(results[name]['time_below_measured'], 1)} ({title})"
        for name, title in _COUNTED.items()
        if results[name]["time_below_measured"] is not None
    )
    yield f"Rows whose attainable time is at most the measured time: {shares}."
    yield ""


def cards(results: Results) -> Iterator[str]:
    """Yield the counts of the table of four cards."""
    result = results["4gpu"]
    yield (
        f"{result['rows']:,} rows, {result['predicted']:,} predicted by commit {result['commit']}; "
        "the others are kernels that this snapshot of the sources calls otherwise."
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
    """Yield the figures of all tables that are below what they must reach."""
    yield from table(
        ("figure", "table", "where", "value", "must"),
        [
            (
                bar["measure"],
                _full_title(name),
                bar["scope"],
                number(bar["value"], 3),
                limits(bar["must"]),
            )
            for name, result in results.items()
            for bar in result["bars"]
            if bar["state"] == "below"
        ],
    )


def _full_title(name: str) -> str:
    title = _SHORT_TITLES.get(name, "four cards")
    return title.replace("the same", _SHORT_TITLES.get(name.removesuffix("-inferred"), ""))


def decisive(results: Results) -> Iterator[str]:
    """Yield which quantity made the wrong verdicts of the development tables wrong."""
    tables = ("h100", "rtx3080", "blind-suite-first", "blind-suite-openmp-first")
    yield from table(
        (
            "quantities whose measured values would have made wrong verdicts right",
            *(_SHORT_TITLES[name].removeprefix("**held out**: ") for name in tables),
        ),
        [
            (
                _quantities(key),
                *(str(results[name]["errors"]["by_decisive"].get(key, 0)) for name in tables),
            )
            for key in _decisive_keys(results, tables)
        ],
    )


def _decisive_keys(results: Results, tables: tuple[str, ...]) -> list[str]:
    total: dict[str, int] = {}
    for name in tables:
        for key, count in results[name]["errors"]["by_decisive"].items():
            total[key] = total.get(key, 0) + count
    return sorted(total, key=lambda key: (-total[key], key))


def _quantities(key: str) -> str:
    return " and ".join(_QUANTITIES.get(part, part) for part in key.split("+"))
