"""Reduces results of `roofstat eval --format json` to what `--against` needs: predictions, one row a line.

The reduced files in `docs/results/` are what a change of a model is compared with.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

_HEAD = (
    "schema",
    "tables",
    "launch",
    "rows",
    "labelled",
    "predicted",
    "accuracy",
    "balanced_accuracy",
    "balanced_accuracy_ci95",
)
_ROW = ("key", "verdict", "right", "confidence", "reason", "predicted")
_FIGURES = 5


def reduced(result: dict[str, Any]) -> str:
    """The text of a reduced result: headline figures and a line for each row."""
    head = {name: result[name] for name in _HEAD if name in result}
    rows = [
        json.dumps({name: _rounded(row[name]) for name in _ROW}, ensure_ascii=False)
        for row in result["per_row"]
    ]
    opening = json.dumps(head, ensure_ascii=False)[:-1]
    return f'{opening}, "per_row": [\n' + ",\n".join(rows) + "\n]}\n"


def _rounded(value: object) -> object:
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, float):
        return float(f"{value:.{_FIGURES}g}")
    return value


def main() -> None:
    """Reduce one result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result", type=Path, help="output of `roofstat eval --format json`")
    parser.add_argument("target", type=Path, help="where the reduced result goes")
    arguments = parser.parse_args()
    text = reduced(json.loads(arguments.result.read_text("utf-8")))
    arguments.target.parent.mkdir(parents=True, exist_ok=True)
    arguments.target.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
