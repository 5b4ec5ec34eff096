"""Names of the output forms and the modules that write them; a module is imported when its form is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

from roofstat.errors import UsageError
from roofstat.render.options import RenderOptions
from roofstat.report import Report

__all__ = ["FORMATS", "render", "renderer"]

FORMATS: Mapping[str, str] = {
    "text": "roofstat.render.terminal",
    "json": "roofstat.render.json_lines",
    "jsonl": "roofstat.render.json_lines",
    "markdown": "roofstat.render.markdown",
    "html": "roofstat.render.html",
    "comment": "roofstat.render.comment",
    "sarif": "roofstat.render.sarif",
    "github": "roofstat.render.annotations",
    "gcc": "roofstat.render.annotations",
}
"""Form and module; the module has `render_<form>(report, options) -> str`."""


def render(report: Report, form: str, options: RenderOptions | None = None) -> str:
    """Return a report in one of `FORMATS`, ending in a newline; empty where the form has nothing to say.

    Raises:
        UsageError: No such form.
    """
    text = renderer(form)(report, options or RenderOptions())
    return text if not text or text.endswith("\n") else f"{text}\n"


def renderer(form: str) -> Callable[[Report, RenderOptions], str]:
    """Import the module of a form and return its function.

    Raises:
        UsageError: No such form.
    """
    if form not in FORMATS:
        raise UsageError(f"no format is called {form!r}", remedy=f"use one of {', '.join(FORMATS)}")
    found: Callable[[Report, RenderOptions], str] = getattr(
        importlib.import_module(FORMATS[form]), f"render_{form}"
    )
    return found
