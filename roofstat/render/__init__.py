"""From a report to text: one module for each form, found by name."""

from roofstat.render.options import Detail, RenderOptions
from roofstat.render.registry import FORMATS, render, renderer

__all__ = ["FORMATS", "Detail", "RenderOptions", "render", "renderer"]
