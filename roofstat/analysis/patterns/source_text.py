"""Source lines by file, as the parser saw them: read once, and only where a pattern asks for their text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SourceTexts"]


class SourceTexts:
    """Lines of source files; an unreadable file has none."""

    def __init__(self, unsaved: Mapping[str, str]) -> None:
        self._unsaved = unsaved
        self._lines: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        """Return the text of a 1-based line; empty where there is none."""
        lines = self._lines.get(file)
        if lines is None:
            lines = self._lines[file] = self._read(file)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _read(self, file: str) -> list[str]:
        unsaved = self._unsaved.get(file)
        try:
            content = Path(file).read_bytes() if unsaved is None else unsaved.encode()
        except OSError:
            return []
        # One character for each byte, as the columns of the parser count.
        return [line.decode("latin-1") for line in content.splitlines()]
