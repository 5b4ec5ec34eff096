"""What the process's streams can show."""

from __future__ import annotations

import io
import os
import shutil
import sys
from pathlib import Path
from typing import BinaryIO, TextIO

from clang_queries.quick_dataclass import dataclass

__all__ = ["Console"]

_PIPED_WIDTH = 100
_PROBE = "─×µ●⠤"


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """Streams and their properties, read once from the environment.

    Attributes:
        out: Where results go.
        err: Where messages go.
        source: Standard input in bytes.
        width: Columns of the output.
        colour: Whether `out` shows colour.
        unicode: Whether `out` shows more than ASCII.
        interactive: Whether a person watches `err`.
        bounded: Whether lines longer than `width` would be broken: at a terminal, or where `COLUMNS` says so.
    """

    out: TextIO
    err: TextIO
    source: BinaryIO
    width: int
    colour: bool
    unicode: bool
    interactive: bool
    bounded: bool = True

    @classmethod
    def from_process(cls) -> Console:
        """Describe the streams of this process; `NO_COLOR`, `FORCE_COLOR`, `COLUMNS` and `TERM` are honoured."""
        # A closed stream is None; what would go there goes nowhere.
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:
                setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for the process
        for stream in (sys.stdout, sys.stderr):
            # A file name may hold bytes that the encoding lacks; showing them escaped beats failing.
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:
                reconfigure(errors="backslashreplace")
        terminal = sys.stdout.isatty()
        forced = bool(os.environ.get("FORCE_COLOR"))
        dumb = os.environ.get("TERM") == "dumb"
        return cls(
            out=sys.stdout,
            err=sys.stderr,
            source=getattr(sys.stdin, "buffer", None) or io.BytesIO(),
            width=shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns
            if terminal
            else _stated_width() or _PIPED_WIDTH,
            bounded=terminal or _stated_width() is not None,
            colour=(forced or (terminal and not dumb)) and not os.environ.get("NO_COLOR"),
            unicode=_shows(sys.stdout, _PROBE),
            interactive=sys.stderr.isatty() and not dumb,
        )

    def write(self, text: str) -> None:
        """Write a result."""
        self.out.write(text)

    def complain(self, message: object) -> None:
        """Write one message of the program to the error stream."""
        print(f"roofstat: {message}", file=self.err)

    def confirm(self, question: str) -> bool:
        """Ask a person; False where nobody is there, and for every answer but a yes."""
        if not (self.interactive and self.source.isatty()):
            return False
        self.err.write(f"roofstat: {question} [y/N] ")
        self.err.flush()
        answer = self.source.readline().decode("utf-8", "replace")
        return answer.strip().lower() in {"y", "yes"}

    def read_source(self) -> bytes:
        """Return the whole standard input."""
        return self.source.read()


def _stated_width() -> int | None:
    text = os.environ.get("COLUMNS", "")
    return int(text) if text.isdigit() and int(text) > 0 else None


def _shows(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
