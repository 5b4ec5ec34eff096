"""JSON: the whole report as one document, or one record a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from roofstat.render.options import RenderOptions
from roofstat.report import Report, to_json

__all__ = ["render_json", "render_jsonl"]

_LISTS = {"kernels": "kernel", "diagnostics": "diagnostic", "errors": "error"}


def render_json(report: Report, _options: RenderOptions) -> str:
    """Return the report as indented JSON; ASCII only, so that any file name survives any encoding."""
    return json.dumps(to_json(report), indent=2, allow_nan=False)


def render_jsonl(report: Report, _options: RenderOptions) -> str:
    """Return one JSON object a line: `report` with the card, then each `kernel`, `diagnostic` and `error`."""
    return "".join(f"{json.dumps(record, allow_nan=False)}\n" for record in _records(report))


def _records(report: Report) -> Iterator[dict[str, Any]]:
    data = to_json(report)
    yield {"record": "report", **{key: value for key, value in data.items() if key not in _LISTS}}
    for key, name in _LISTS.items():
        for entry in data[key]:
            yield {"record": name, **entry}
