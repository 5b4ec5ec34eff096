"""Places of a source by byte offsets, before and after an edit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from clang_queries.quick_pattern import pattern
from roofstat.report.line_map import LineMap

__all__ = ["EditedText"]

_LINE_END = pattern(r"(?<=\n)|(?<=\r)(?!\n)")
"""Lines end where the parser ends them."""


class EditedText:
    """Two versions of a text.

    Attributes:
        path: The file.
        moved: Where the lines of the earlier version are in the later one.
        before: The earlier version.
        source: The later version.
    """

    def __init__(self, path: str, before: str, after: str) -> None:
        old, new = _LINE_END.split(before), _LINE_END.split(after)
        self.path = path
        self.moved = LineMap.between(old, new)
        self.before, self.source = before.encode(), after.encode()
        self._old_starts, self._new_starts = _starts(old), _starts(new)

    def span(self, begin: int, end: int) -> tuple[int, int] | None:
        r"""Return where a piece of the earlier version is now; None where it has been edited.

        >>> EditedText("k.cu", "one\ntwo\nthree", "one and a half\ntwo\nthree").span(4, 9)
        (15, 20)
        """
        first, last = self.old_line(begin), self.old_line(end)
        shift = self._shift(first)
        if shift is None or any(self._shift(line) != shift for line in range(first + 1, last + 1)):
            return None
        distance = self._new_starts[first + shift - 1] - self._old_starts[first - 1]
        return begin + distance, end + distance

    def old_line(self, offset: int) -> int:
        """Return the 1-based line of a byte of the earlier version."""
        return bisect_right(self._old_starts, offset)

    def _shift(self, line: int) -> int | None:
        now = self.moved.line(line)
        return None if now is None else now - line


def _starts(lines: Sequence[str]) -> list[int]:
    return [0, *accumulate(len(line.encode()) for line in lines[:-1])]
