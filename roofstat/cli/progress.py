"""One line of progress on the error stream, for a person who waits."""

from __future__ import annotations

import time

from roofstat.cli.console import Console

__all__ = ["ProgressLine"]

_QUIET_S = 0.4
_EVERY_S = 0.05
_BAR = 24


class ProgressLine:
    """Shows how far the work is; silent for short work and where nobody watches."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._shown = 0.0

    def __call__(self, done: int, total: int, name: str) -> None:
        """Show that so many of the tasks are done."""
        now = time.monotonic()
        if (
            not self._console.interactive
            or total <= 1
            or now - self._started < _QUIET_S
            or (now - self._shown < _EVERY_S and done < total)
        ):
            return
        self._shown = now
        full = _BAR * done // total
        head = f"{'#' * full}{'.' * (_BAR - full)} {done}/{total} "
        room = max(self._console.width - len(head) - 1, 0)
        tail = name if len(name) <= room else name[len(name) - room :]
        safe = "".join(character if character.isprintable() else "?" for character in tail)
        self._console.err.write(f"\r\x1b[K{head}{safe}")
        self._console.err.flush()

    def close(self) -> None:
        """Erase the line."""
        if self._shown:
            self._console.err.write("\r\x1b[K")
            self._console.err.flush()
