"""Where the lines of one version of a source are in a later one, and reports that follow them."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeVar

from clang_queries.quick_dataclass import dataclass

__all__ = ["LineMap", "follow_lines"]

Record = TypeVar("Record")

_MOST_COMPARED = 4_000_000
"""Pairs of lines; between versions that differ in more the middle counts as changed."""


@dataclass(frozen=True, slots=True)
class LineMap:
    """The lines of two versions that are the same.

    Attributes:
        blocks: Runs of such lines: first and last line in the earlier version, and by how many lines they have moved.
        count: Lines of the earlier version.
    """

    blocks: tuple[tuple[int, int, int], ...]
    count: int

    @classmethod
    def between(cls, old: Sequence[str], new: Sequence[str]) -> LineMap:
        """Compare two versions.

        >>> LineMap.between(["a", "b", "c"], ["a", "x", "y", "c"])
        LineMap(blocks=((1, 1, 0), (3, 3, 1)), count=3)
        """
        if old is new:
            return cls(((1, len(old), 0),) if old else (), len(old))
        most = min(len(old), len(new))
        head = next((at for at in range(most) if old[at] != new[at]), most)
        most -= head
        tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
        blocks = [(1, head, 0)]
        one, other = old[head : len(old) - tail], new[head : len(new) - tail]
        if len(one) * len(other) <= _MOST_COMPARED:
            for found in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
                first = head + found.a + 1
                blocks.append((first, first + found.size - 1, found.b - found.a))
        blocks.append((len(old) - tail + 1, len(old), len(new) - len(old)))
        return cls(tuple(block for block in blocks if block[0] <= block[1]), len(old))

    def line(self, number: int) -> int | None:
        """Return where a 1-based line is now; None where it has been edited.

        >>> [LineMap(((1, 1, 0), (3, 3, 1)), 3).line(number) for number in (1, 2, 3)]
        [1, None, 4]
        """
        at = bisect_right(self.blocks, number, key=lambda block: block[0]) - 1
        if at < 0 or number > self.blocks[at][1]:
            return None
        return number + self.blocks[at][2]

    def near(self, number: int) -> int:
        """Return where a line is now, or where it would be if it had not been edited."""
        at = bisect_right(self.blocks, number, key=lambda block: block[0]) - 1
        return number + (self.blocks[at][2] if at >= 0 else 0)

    def changes(self) -> Iterator[tuple[int, int]]:
        """Yield first and last of each run of changed lines; the last comes before the first where lines were added only.

        >>> list(LineMap(((1, 1, 0), (3, 3, 1)), 3).changes())
        [(2, 2)]
        """
        shift, end = 0, 0
        for first, last, moved in self.blocks:
            if first > end + 1 or moved != shift:
                yield end + 1, first - 1
            shift, end = moved, last
        if end < self.count:
            yield end + 1, self.count


def follow_lines(record: Record, lines: Mapping[str, LineMap], file: str = "") -> Record:
    """Return a record of a report, and all in it, with the lines of some files moved.

    Args:
        record: One with a `file`, or one of a file that is given.
        lines: Where the lines of each file are.
        file: File of records that name none.
    """
    if not any(block[2] for each in lines.values() for block in each.blocks):
        return record
    found: Record = _moved(record, lines, file)
    return found


def _moved(value: Any, lines: Mapping[str, LineMap], file: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_moved(each, lines, file) for each in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    file = getattr(value, "file", None) or file
    known = lines.get(file)
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        part = getattr(value, field.name)
        if field.name in {"line", "end_line"} and known is not None and part is not None:
            new = known.near(part)
        else:
            new = _moved(part, lines, file)
        if new is not part and new != part:
            changes[field.name] = new
    return dataclasses.replace(value, **changes) if changes else value
