"""How a report is to look."""

from __future__ import annotations

import enum
from dataclasses import dataclass

__all__ = ["Detail", "RenderOptions"]


class Detail(enum.Enum):
    """How much of each kernel to show."""

    AUTO = "auto"
    """Few kernels in full, many as a table."""
    SUMMARY = "summary"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Properties of the output; forms for machines ignore them.

    Attributes:
        width: Columns of the terminal.
        colour: Whether to write escape sequences for colour.
        unicode: Whether the output can show more than ASCII.
        detail: How much of each kernel to show.
    """

    width: int = 100
    colour: bool = False
    unicode: bool = True
    detail: Detail = Detail.AUTO
