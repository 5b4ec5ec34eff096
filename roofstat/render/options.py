"""How a report is to look."""

from __future__ import annotations

import enum
from collections.abc import Callable

from clang_queries.quick_dataclass import dataclass

__all__ = ["CharacterColumn", "Detail", "RenderOptions"]

CharacterColumn = Callable[[str, int, int], int]
"""File, line and byte column to the column in code points, all but the file from 1."""


def _same(_file: str, _line: int, column: int) -> int:
    return column


class Detail(enum.Enum):
    """How much of each kernel to show."""

    AUTO = "auto"
    """Few kernels in full, many as a table."""
    SUMMARY = "summary"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Properties of the output; forms for machines look at none but the last.

    Attributes:
        width: Columns of the terminal.
        uncut: Whether a line of a table may be longer, since nothing breaks it: in a file or a pipe.
        colour: Whether to write escape sequences for colour.
        unicode: Whether the output can show more than ASCII.
        detail: How much of each kernel to show.
        character_column: Translates the columns of reports, which count bytes, for forms that count characters.
    """

    width: int = 100
    uncut: bool = False
    colour: bool = False
    unicode: bool = True
    detail: Detail = Detail.AUTO
    character_column: CharacterColumn = _same
