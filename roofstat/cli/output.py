"""What becomes of a result: text for the console, or a file, whole or not at all and never over a source."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.file_names import HEADER_SUFFIXES, UNIT_SUFFIXES
from roofstat.cli.console import Console
from roofstat.errors import UsageError, reason_of

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["check_output", "deliver", "view_text", "write_output"]

_LEAST_WIDTH = 100

_SOURCE_SUFFIXES = UNIT_SUFFIXES | HEADER_SUFFIXES | {".toml"}


def check_output(output: Path, inputs: Sequence[str], *, replace: bool = True) -> None:
    """Refuse an output file that cannot or must not be written, before any work is done.

    Args:
        output: The file.
        inputs: Files that are read.
        replace: Whether an existing file of another kind than sources may be replaced.

    Raises:
        UsageError: It is one of the inputs, an existing source file, a directory, or in no directory, or it exists and
            may not be replaced.
    """
    text = str(output)
    if output.is_dir():
        raise UsageError("it is a directory", file=text, remedy="name a file for -o")
    if not output.parent.is_dir():
        raise UsageError(
            "its directory does not exist", file=text, remedy=f"create {output.parent} first"
        )
    if not output.exists():
        return
    for given in inputs:
        with contextlib.suppress(OSError):
            if output.samefile(given):
                raise UsageError("it is an input", file=text, remedy="name another file for -o")
    if not replace:
        raise UsageError(
            "it exists", file=text, remedy="name another file, or replace it with --force"
        )
    if output.suffix.lower() in _SOURCE_SUFFIXES:
        raise UsageError(
            "it exists and looks like a source file", file=text, remedy="name another file for -o"
        )


def view_text(
    view: RenderableType,
    console: Console,
    *,
    least_width: int = _LEAST_WIDTH,
    to_file: bool = False,
) -> str:
    """Return a table or the like as text for the console, or for a file, whose reader need not have its limits.

    Args:
        view: What is shown.
        console: The streams.
        least_width: Columns below which the text is not squeezed.
        to_file: Whether it goes to a file.
    """
    from roofstat.render import RenderOptions
    from roofstat.render.terminal import print_text

    look = RenderOptions(
        width=max(console.width, least_width),
        colour=console.colour and not to_file,
        unicode=console.unicode or to_file,
    )
    return print_text(view, look)


def deliver(text: str, output: Path | None, console: Console) -> None:
    """Write a result to a file, or to the console where there is none.

    Raises:
        UsageError: The file cannot be written.
    """
    if output is None:
        console.write(text)
    else:
        write_output(output, text)


def write_output(output: Path, text: str) -> None:
    """Write text to a file through a temporary one beside it, so that no reader sees a half of it.

    Raises:
        UsageError: The file cannot be written.
    """
    target = Path(os.path.realpath(output))
    data = text.encode("utf-8", "backslashreplace")
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            target.write_bytes(data)  # a device or a pipe cannot be replaced
        else:
            _replace(target, data)
    except OSError as error:
        raise UsageError(
            f"cannot write it: {reason_of(error)}",
            file=str(output),
            remedy="name another file for -o",
        ) from error


def _replace(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
