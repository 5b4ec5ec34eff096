"""`roofstat eval`: predictions against label tables."""

from __future__ import annotations

import argparse
import dataclasses
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.evaluate_llm import add_model_options, model_task
from roofstat.cli.option_values import jobs_of, regular_expression, timeout_s_of
from roofstat.cli.output import check_output, deliver, view_text, write_output
from roofstat.cli.progress import ProgressLine
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from roofstat.evaluation import Analyzer, Evaluation, Scores
    from roofstat.evaluation.labels import LabelRow
    from roofstat.evaluation.llm_evaluation import LlmEvaluation
    from roofstat.hardware import Gpu

__all__ = ["add_parser", "run"]

_DEFAULT_TIMEOUT_S = 60.0
_DEFAULT_WORST = 15
_LEAST_WIDTH = 140
"""Tables have up to twelve columns: in anything narrower, names are broken over many lines."""


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `eval`."""
    parser = sub.add_parser(
        "eval",
        help="compare with profiled label tables",
        description="Predict every row of profiled label tables and report accuracy, errors of counts and bytes, "
        "calibration, and the worst rows with the reason.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--labels",
        metavar="CSV",
        nargs="+",
        action="extend",
        required=True,
        help="label tables (docs/evaluation.md has the columns)",
    )
    parser.add_argument(
        "--sources",
        metavar="DIR",
        required=True,
        help="folder that the tables' files and flags are relative to",
    )
    parser.add_argument(
        "--launch",
        choices=("labels", "inferred"),
        default="labels",
        help="labels: tell the analysis each row's grid and block (default); inferred: nothing but source and arguments",
    )
    parser.add_argument(
        "--gpu",
        metavar="NAME|FILE",
        help="only rows of this card and rows that name none; where there are none, all rows on this card",
    )
    parser.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="only so many labelled rows, spread over classes, languages and program families",
    )
    parser.add_argument("--program", metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--language", choices=("cuda", "openmp"), help="only rows of this language")
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="form (default text)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result to a file")
    parser.add_argument(
        "--against", metavar="OLD.json", help="also say what changed since that result"
    )
    parser.add_argument(
        "--plot",
        metavar="FILE.html",
        help="also write a page that shows predicted against measured intensity and the roofline",
    )
    parser.add_argument(
        "--worst",
        type=int,
        default=_DEFAULT_WORST,
        metavar="N",
        help=f"how many of the worst rows to list (default {_DEFAULT_WORST})",
    )
    parser.add_argument(
        "--bars",
        action="store_true",
        help="also set the figures against what this project wants of itself",
    )
    parser.add_argument(
        "-j", "--jobs", type=int, metavar="N", help="worker processes (default: all cores)"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=_DEFAULT_TIMEOUT_S,
        metavar="S",
        help=f"seconds for one analysis of a program, 0 for no limit (default {_DEFAULT_TIMEOUT_S:g})",
    )
    add_model_options(parser)
    return parser


def run(args: argparse.Namespace, console: Console, analyzer: Analyzer | None = None) -> int:
    """Evaluate, write the result, return the exit status.

    Args:
        args: What `add_parser` declares.
        console: The streams.
        analyzer: Analyses the files of one program; the package's own by default.

    Raises:
        UsageError: A wrong option, a folder that is not there, or no row left.
        LabelError: A label table cannot be read.
        HardwareError: `--gpu` names no card.
    """
    from roofstat.evaluation.comparison import compare, read_result
    from roofstat.evaluation.evaluation import LaunchMode, score
    from roofstat.evaluation.json_form import dumps
    from roofstat.evaluation.labels import read_label_tables
    from roofstat.evaluation.plot import plot_page
    from roofstat.evaluation.runner import evaluate
    from roofstat.evaluation.text import render, render_comparison
    from roofstat.hardware import load_gpu

    output, plot = (Path(name) if name else None for name in (args.output, args.plot))
    for file in (output, plot):
        if file is not None:
            check_output(file, [*args.labels, *([args.against] if args.against else [])])
    sources = _sources(args.sources)
    timeout_s = timeout_s_of(args.timeout)
    task = model_task(args)
    old = read_result(Path(args.against)) if args.against else None
    gpu = load_gpu(args.gpu) if args.gpu else None
    tables = read_label_tables([Path(name) for name in args.labels])
    rows = _chosen(tables, args, gpu, console)
    if task is not None:
        rows = task.select(rows)
    _check_sources(rows, sources, args.labels, console)
    progress = ProgressLine(console)
    try:
        evaluation = evaluate(
            rows,
            sources,
            launch=LaunchMode(args.launch),
            gpu=gpu,
            jobs=jobs_of(args.jobs),
            timeout_s=timeout_s,
            progress=progress,
            analyzer=analyzer,
            gather=task.gather if task is not None else None,
        )
    finally:
        progress.close()
    if task is not None and task.only_exports:
        task.export(evaluation, console)
        return 0
    answered = task.answer(evaluation, console) if task is not None else None
    if answered is not None:
        evaluation = answered.llm
    scores = score(evaluation)
    if plot is not None:
        write_output(plot, plot_page(evaluation, scores))
    result = _result(evaluation, scores, answered)
    comparison = compare(old, result, _left_out(tables, rows, gpu)) if old is not None else None
    if args.format == "json":
        deliver(dumps(result), output, console)
        if comparison is not None:
            view = render_comparison(comparison)
            console.err.write(view_text(view, console, least_width=_LEAST_WIDTH, to_file=True))
        return 0
    views = [render(evaluation, scores, worst=args.worst, shows_bars=args.bars)]
    if answered is not None:
        from roofstat.evaluation.llm_text import render_llm

        views.append(render_llm(answered))
    if comparison is not None:
        views.append(render_comparison(comparison))
    text = partial(view_text, console=console, least_width=_LEAST_WIDTH, to_file=bool(output))
    deliver("".join(map(text, views)), output, console)
    return 0


def _result(
    evaluation: Evaluation, scores: Scores, answered: LlmEvaluation | None
) -> dict[str, Any]:
    """The JSON form, with what a model adds."""
    from roofstat.evaluation.json_form import to_json

    if answered is None:
        return to_json(evaluation, scores)
    from roofstat.evaluation.llm_evaluation import llm_to_json

    return llm_to_json(answered, scores)


def _sources(name: str) -> Path:
    folder = Path(name)
    if not folder.is_dir():
        raise UsageError(
            "it is not a folder",
            file=name,
            remedy="give the folder that the tables' files are relative to",
        )
    return folder


def _check_sources(
    rows: Sequence[LabelRow], sources: Path, labels: Sequence[str], console: Console
) -> None:
    """Say which tables have none of their files in the folder.

    Raises:
        UsageError: None has.
    """
    from roofstat.evaluation.jobs import has_sources

    found = {row.table for row in rows if has_sources(row, sources)}
    lacking = {row.table: row for row in rows if row.sources and row.table not in found}
    if lacking and not found:
        row = next(iter(lacking.values()))
        places = (sources, Path(), *map(Path, labels))
        folders = (folder for place in places for folder in (place / "_").resolve().parents)
        near = next((folder for folder in folders if has_sources(row, folder)), None)
        raise UsageError(
            f"none of the tables' files is in it, such as {row.sources[0]}",
            file=str(sources),
            remedy=f"did you mean --sources {os.path.relpath(near)}?"
            if near is not None
            else "give the folder that the tables' files are relative to",
        )
    for table, row in lacking.items():
        console.complain(f"note: no file of {table}, such as {row.sources[0]}, is in {sources}")


def _left_out(
    tables: Iterable[LabelRow], rows: Iterable[LabelRow], gpu: Gpu | None
) -> set[tuple[str, ...]]:
    """Keys of the tables' rows that were not asked for, on their own card or on the one that the user names."""
    known: set[tuple[str, ...]] = {row.key for row in tables}
    if gpu is not None:
        known.update(dataclasses.replace(row, gpu=gpu.id).key for row in tables)
    return known - {row.key for row in rows}


def _chosen(
    rows: tuple[LabelRow, ...], args: argparse.Namespace, gpu: Gpu | None, console: Console
) -> tuple[LabelRow, ...]:
    """The rows that the options ask for."""
    from roofstat.evaluation.jobs import rows_on_card

    if args.language is not None:
        rows = tuple(row for row in rows if row.language.value == args.language)
    if args.program is not None:
        pattern = regular_expression("--program", args.program)
        rows = tuple(row for row in rows if pattern.search(row.program))
    if args.sample is not None:
        if args.sample < 1:
            raise UsageError(f"--sample {args.sample} makes no sense", remedy="give at least 1")
        from roofstat.evaluation.sampling import balanced_sample

        rows = balanced_sample(rows, args.sample)
    if rows and gpu is not None:
        tables = {row.table for row in rows}
        rows, named = rows_on_card(rows, gpu)
        if not named:
            console.complain(f"note: no row names {gpu.id}; all rows are taken on it")
        for table in sorted(tables - {row.table for row in rows}):
            console.complain(f"note: no row of {table} is of {gpu.id}: that table is left out")
    if not rows:
        raise UsageError("no row of the tables is left", remedy="loosen --program or --language")
    return rows
