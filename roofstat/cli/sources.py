"""Lines of source files by the names that reports use."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["line_reader"]

_STDIN = "<stdin>"


def line_reader(read_stdin: Callable[[], bytes]) -> Callable[[str], Sequence[str]]:
    """Return a function that gives the lines of a file, read once; none for a file that cannot be read."""

    @functools.cache
    def lines(file: str) -> Sequence[str]:
        try:
            content = read_stdin() if file.startswith(_STDIN) else Path(file).read_bytes()
        except OSError:
            return ()
        return content.decode("utf-8", "replace").splitlines()

    return lines
