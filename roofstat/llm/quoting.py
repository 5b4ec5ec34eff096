"""Source as data inside a prompt: numbered lines between marks that no source can close.

A mark holds a digest of the very text between its two ends, so that a source would have to contain its own digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import PurePath
from typing import Final

from clang_queries.quick_dataclass import dataclass

__all__ = ["MAX_LINE", "SourcePiece", "quote"]

MAX_LINE: Final = 320
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePiece:
    """Consecutive lines of a file; `note` says what was left out behind them."""

    file: str
    line: int
    lines: tuple[str, ...]
    note: str = ""

    @property
    def end_line(self) -> int:
        """1-based last line."""
        return self.line + len(self.lines) - 1


def quote(pieces: Sequence[SourcePiece]) -> str:
    """Return the pieces as one quoted block.

    >>> print(quote([SourcePiece(file="k.cu", line=9, lines=("int n;",))]))
    <source-8f9fcdd9d7c79d15>
    == k.cu
       9| int n;
    </source-8f9fcdd9d7c79d15>
    """
    lines: list[str] = []
    file = None
    for piece in pieces:
        if piece.file != file:
            file = piece.file
            lines.append(f"== {_printable(PurePath(file).name)}")
        elif lines:
            lines.append("   ...")
        lines += [
            f"{number:4}| {_shown(text)}" for number, text in enumerate(piece.lines, piece.line)
        ]
        if piece.note:
            lines.append(f"   ... {piece.note}")
    body = "\n".join(lines)
    mark = f"source-{hashlib.sha256(body.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return f"<{mark}>\n{body}\n</{mark}>"


def _shown(text: str) -> str:
    clean = _printable(text)
    if len(clean) <= MAX_LINE:
        return clean
    return f"{clean[:MAX_LINE]} [... {len(clean) - MAX_LINE} more characters of this line left out]"


def _printable(text: str) -> str:
    """The text without characters that a reader does not see, or that change what it sees."""
    return "".join(
        letter if letter.isprintable() or letter == "\t" else f"\\u{ord(letter):04x}"
        for letter in text
    )
