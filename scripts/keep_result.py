"""Reduces results of `roofstat eval --format json` to figures, and predictions, one row a line.

The reduced files in `docs/results/` are what `--against` compares a change of a model with, and what
`docs/accuracy-tables.md` is made from (`scripts/generate_accuracy_docs.py`).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

_LEFT_OUT = ("per_row", "against", "seconds", "llm", "by_class", "by_table", "by_compiler")
_PARTS = ("by_language", "by_input", "by_suspect", "by_gpu", "by_true_limiter", "by_group")
_PART_FIGURES = (
    "rows",
    "labelled",
    "predicted",
    "balanced_accuracy",
    "balanced_accuracy_ci95",
    "time_below_measured",
)
_COUNTED_PARTS = ("by_gpu", "by_group")
"""Groups whose distributions of ratios are kept too."""
_ROW = ("key", "verdict", "right", "confidence", "reason", "predicted", "failure")
"""Of each row; `failure` of those that have one."""
_FIGURES = 5


def reduced(result: dict[str, Any], commit: str, sources: Path) -> str:
    """The text of a reduced result: figures of the whole and of its parts, and a line for each row.

    Args:
        result: What `roofstat eval` wrote.
        commit: The version of the models that made the predictions.
        sources: Folder of the programs, which reasons leave out of names of files.
    """
    head: dict[str, Any] = {"schema": result["schema"], "commit": commit}
    head |= {
        name: _part(value, name in _COUNTED_PARTS) if name in _PARTS else value
        for name, value in result.items()
        if name not in _LEFT_OUT
    }
    rows = [
        json.dumps(
            {name: _rounded(row[name]) for name in _ROW if name != "failure" or row.get(name)},
            ensure_ascii=False,
        ).replace(f"{sources}/", "")
        for row in result["per_row"]
    ]
    opening = json.dumps(_rounded(head), ensure_ascii=False)[:-1]
    return f'{opening}, "per_row": [\n' + ",\n".join(rows) + "\n]}\n"


def _part(groups: dict[str, dict[str, Any]], counted: bool) -> dict[str, dict[str, Any]]:
    names = (*_PART_FIGURES, "counts", "intensity") if counted else _PART_FIGURES
    return {
        group: {name: figures[name] for name in names if name in figures}
        for group, figures in groups.items()
    }


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.{_FIGURES}g}")
    return value


def main() -> None:
    """Reduce one result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, help="output of `roofstat eval --format json`")
    parser.add_argument("target", type=Path, help="where the reduced result goes")
    parser.add_argument("--commit", required=True, help="commit whose predictions these are")
    parser.add_argument(
        "--sources", type=Path, required=True, help="folder of the programs, as for eval"
    )
    arguments = parser.parse_args()
    result = json.loads(arguments.result.read_text("utf-8"))
    text = reduced(result, arguments.commit, arguments.sources)
    arguments.target.parent.mkdir(parents=True, exist_ok=True)
    arguments.target.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
