"""Text of others that is shown to a person."""

from __future__ import annotations

__all__ = ["plain"]


def plain(text: str) -> str:
    r"""Return text without control characters: names in a source or a table must not steer a terminal.

    >>> plain("sax\x1bpy") == r"sax\x1bpy"
    True
    """
    return "".join(
        character if character.isprintable() else f"\\x{ord(character):02x}" for character in text
    )
