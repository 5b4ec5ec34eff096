"""Lines of source files by the names that reports use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["character_columns", "line_reader"]

_STDIN = "<stdin>"


def line_reader(read_stdin: Callable[[], bytes]) -> Callable[[str], Sequence[str]]:
    """Return a function that gives the lines of a file, read once; none for a file that cannot be read."""

    @functools.cache
    def lines(file: str) -> Sequence[str]:
        # Lines end where the compiler ends them: not at form feeds, nor at U+2028.
        return [line.decode("utf-8", "replace") for line in _content(file, read_stdin).splitlines()]

    return lines


def character_columns(read_stdin: Callable[[], bytes]) -> Callable[[str, int, int], int]:
    """Return a function that gives the column in code points of a byte column in a line of a file."""

    @functools.cache
    def lines(file: str) -> Sequence[bytes]:
        return _content(file, read_stdin).splitlines()

    def column(file: str, line: int, byte: int) -> int:
        known = lines(file)
        text = known[line - 1] if 0 < line <= len(known) else b""
        before = text[: byte - 1]
        return byte - len(before) + len(before.decode("utf-8", "replace"))

    return column


def _content(file: str, read_stdin: Callable[[], bytes]) -> bytes:
    """The bytes of a file; none where it cannot be read."""
    try:
        return read_stdin() if file.startswith(_STDIN) else Path(file).read_bytes()
    except OSError:
        return b""
