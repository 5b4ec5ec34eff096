"""A page for a browser or an editor's panel: the Markdown form with a chart for each kernel; it loads and runs nothing."""

from __future__ import annotations

import html
from typing import Final

from markdown_it import MarkdownIt

from roofstat.render.markdown import kernel_markdown, overview_markdown, remarks_markdown
from roofstat.render.options import Detail, RenderOptions
from roofstat.render.roofline_spots import roofline_spots
from roofstat.render.svg_chart import svg_roofline
from roofstat.report import KernelReport, Report

__all__ = ["render_html"]

# An editor's panel gives its colours; elsewhere the browser's hold, light or dark.
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{
  max-width: 60rem; margin: 0 auto; padding: 1rem; line-height: 1.5; font-family: system-ui, sans-serif;
  color: var(--vscode-editor-foreground, CanvasText); background: var(--vscode-editor-background, Canvas);
}}
h2 {{ margin-top: 2.5rem; font-size: 1.2rem; overflow-wrap: anywhere; }}
code {{ font-family: ui-monospace, monospace; font-size: 0.92em; color: inherit; background: none; }}
table {{ display: block; overflow-x: auto; border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid #8884; vertical-align: top; white-space: nowrap; }}
th {{ font-weight: 600; text-align: left; }}
figure {{ margin: 1rem 0; }}
svg {{ display: block; width: 100%; max-width: 40rem; font-size: 11px; }}
svg text:not([fill]) {{ fill: currentColor; }}
.grid {{ stroke: #8884; }}
.roof {{ fill: none; stroke-width: 2; }}
</style>
</head>
<body>
{body}</body>
</html>
"""


def render_html(report: Report, options: RenderOptions) -> str:
    """Return the report as one HTML page."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    kernels = () if options.detail is Detail.SUMMARY else report.kernels
    parts = [
        markdown.render(overview_markdown(report)),
        *(
            f"<section>\n{markdown.render(kernel_markdown(kernel, report))}{_chart(kernel, report)}</section>\n"
            for kernel in kernels
        ),
        markdown.render(remarks_markdown(report)),
    ]
    title = html.escape(f"roofstat: {report.gpu.name}")
    return _PAGE.format(title=title, body="".join(parts))


def _chart(kernel: KernelReport, report: Report) -> str:
    spots = roofline_spots(kernel, report.gpu)
    if not spots:
        return ""
    return f"<figure>\n{svg_roofline(report.gpu.dram_bytes_per_s, spots)}\n</figure>\n"
