"""Files that a program reads: small ones and the beginnings of large ones are read for real, since sizes stand there.

What a missing file holds, and a large one behind its beginning, is unknown; the program goes on as if it could be opened.
"""

from __future__ import annotations

import re
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import FLOAT, HEXADECIMAL, INTEGER, write_text
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

LARGEST_FILE_BYTES = 1 << 20
"""Of larger files the beginning is read; their size is known all the same."""
BEGINNING_BYTES = 1 << 14
_END_OF_FILE = -1


@dataclass(slots=True, eq=False)
class InputText:
    """Something that text is read from: a file, or a string stream."""

    text: str | None
    """None where the contents are unknown."""
    size_bytes: int | None = None
    position: int = 0
    failed: bool = False
    """Whether the last extraction failed."""
    is_output: bool = False
    is_beginning: bool = False
    """Whether the file goes on behind the text: what stands there is unknown."""

    def go_to(self, position: int) -> None:
        """Set the position; the rest of a file that is known in part is lost."""
        self.position = position
        if self.is_beginning and self.text is not None and position >= len(self.text):
            self.text = None

    @property
    def is_lost(self) -> bool:
        """Whether what comes next is unknown."""
        return self.text is None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match at the position and go past it."""
        if self.text is None:
            return None
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.go_to(found.end())
        return found

    def line(self, delimiter: str = "\n") -> str | None:
        """The next line without its end; None at the end of the text."""
        if self.text is None or self.position >= len(self.text):
            return None
        end = self.text.find(delimiter, self.position)
        end = len(self.text) if end < 0 else end
        found = self.text[self.position : end]
        self.go_to(end + 1)
        return found


@dataclass(slots=True, eq=False)
class OpenFiles:
    """Streams by the address of the object that stands for them."""

    inputs: dict[int, InputText] = field(default_factory=dict)


def open_input(call: HostCall, name: str | None) -> InputText:
    """Open a file for reading by the name that the program gives."""
    path = find_file(call, name) if name else None
    shown = name or "with an unknown name"
    if path is None:
        call.note("input-file", f"file {shown} is not there: its contents are unknown")
        return InputText(None)
    try:
        size = path.stat().st_size
        is_beginning = size > LARGEST_FILE_BYTES
        with path.open("rb") as file:
            data = file.read(BEGINNING_BYTES if is_beginning else -1)
    except OSError:
        return InputText(None)
    if is_beginning:
        text = (
            f"file {shown} is too large to be read: but for its beginning its contents are unknown"
        )
        call.note("input-file", text)
    return InputText(data.decode("latin-1"), size, is_beginning=is_beginning)


def find_file(call: HostCall, name: str) -> Path | None:
    """A file relative to the folder of the program's sources or to the current one."""
    for folder in (*call.run.folders, Path()):
        try:
            path = folder / name
            call.run.input_files[path] = None
            if path.is_file():
                return path
        except (OSError, ValueError):
            return None
    return None


def stream_of(call: HostCall, address: int | None) -> InputText | None:
    """The stream behind a FILE pointer or a stream object."""
    return call.state(OpenFiles).inputs.get(address) if address is not None else None


# Opening


@models("fopen", "freopen", "fopen64")
def _fopen(call: HostCall) -> Value:
    mode = call.text(1) or "r"
    found = call.machine.memory.allocate(8, Space.HOST, "file")
    if mode.startswith(("w", "a")):
        stream = InputText(None, 0, is_output=True)
    else:
        stream = open_input(call, call.text(0))
    call.state(OpenFiles).inputs[found.base] = stream
    return found.base


@models("open", "popen", "tmpfile")
def _open(call: HostCall) -> Value:
    if call.name == "open":
        call.note("input-file", "a file is opened by its descriptor: its contents are unknown")
        return 3
    return call.machine.memory.allocate(8, Space.HOST, "file").base


@models(
    "access", "stat", "_stat", "fstat", "mkdir", "remove", "unlink", "fclose", "pclose", "close"
)
def _succeeds(call: HostCall) -> Value:
    return 0


@models("feof", "ferror", pure=True)
def _feof(call: HostCall) -> Value:
    stream = stream_of(call, call.integer(0))
    if stream is None or stream.text is None:
        return call.unknown("end of a file")
    if call.name == "ferror":
        return 0
    return int(stream.failed or stream.position > len(stream.text))


# Positions


@models("fseek", "fseeko", "fseeko64", "rewind")
def _fseek(call: HostCall) -> Value:
    stream = stream_of(call, call.integer(0))
    if stream is None:
        return 0
    offset, origin = call.integer(1, 0) or 0, call.integer(2, 0)
    size = stream.size_bytes or 0
    base = {0: 0, 1: stream.position, 2: size}.get(origin or 0, 0)
    stream.go_to(0 if call.name == "rewind" else max(base + offset, 0))
    stream.failed = False
    return 0


@models("ftell", "ftello", "ftello64", pure=True)
def _ftell(call: HostCall) -> Value:
    stream = stream_of(call, call.integer(0))
    if stream is None or stream.size_bytes is None:
        return call.unknown("size of a file")
    return stream.position


# Reading


@models("fread")
def _fread(call: HostCall) -> Value:
    place, stream = call.object(0), stream_of(call, call.integer(3))
    size, count = call.integer(1), call.integer(2)
    if place is not None:
        found, at = place
        text = stream.text if stream is not None else None
        length = size * count if size is not None and count is not None else None
        if (
            text is not None
            and stream is not None
            and size == 1
            and length is not None
            and length < 4096
        ):
            write_text(call, call.integer(0), text[stream.position : stream.position + length])
        elif (
            length is not None and (at or length < (found.buffer.size_bytes or 0)) and length <= 64
        ):
            for part in range(0, length, max(size or 1, 1)):
                found.contents.cells.pop(at + part, None)
            found.contents.is_lost = True
        else:
            found.contents.forget()
    if stream is not None and size is not None and count is not None:
        stream.go_to(stream.position + size * count)
    return call.arguments[2] if len(call.arguments) > 2 else call.unknown("result of fread")


@models("read")
def _read(call: HostCall) -> Value:
    place = call.object(1)
    if place is not None:
        place[0].contents.forget()
    return call.arguments[2] if len(call.arguments) > 2 else call.unknown("result of read")


@models("fgets", "gets")
def _fgets(call: HostCall) -> Value:
    stream = stream_of(call, call.integer(2))
    if stream is None or stream.text is None:
        write_text(call, call.integer(0), None)
        return call.unknown("end of a file")
    line = stream.line()
    if line is None:
        stream.failed = True
        return 0
    write_text(call, call.integer(0), line + "\n")
    return call.arguments[0]


@models("getline")
def _getline(call: HostCall) -> Value:
    """The function of the C library; std::getline is another one."""
    stream = stream_of(call, call.integer(2))
    line = stream.line() if stream is not None else None
    if stream is None or stream.text is None:
        return call.unknown("end of a file")
    if line is None:
        return _END_OF_FILE
    found = call.machine.memory.allocate(len(line) + 2, Space.HOST, "line")
    write_text(call, found.base, line + "\n")
    call.store(0, Scalar.U64, found.base)
    return len(line) + 1


@models("fgetc", "getc", "getchar")
def _fgetc(call: HostCall) -> Value:
    stream = stream_of(call, call.integer(0))
    if stream is None or stream.text is None:
        return call.unknown("a character of a file", low=-1, high=255)
    if stream.position >= len(stream.text):
        stream.failed = True
        return _END_OF_FILE
    character = stream.text[stream.position]
    stream.go_to(stream.position + 1)
    return ord(character)


_CONVERSION = pattern(
    r"%(\*?)(\d*)((?:hh|h|ll|l|z|L)?)([diouxXfgeEFGcsp]|\[[^\]]*\])|(\s+)|([^%\s]+)|(%%)"
)


@models("sscanf")
def _sscanf(call: HostCall) -> Value:
    text = call.text(0)
    return scan(call, InputText(text), call.text(1), 2)


@models("fscanf", "scanf")
def _fscanf(call: HostCall) -> Value:
    first = 2 if call.name == "fscanf" else 1
    stream = stream_of(call, call.integer(0)) if first == 2 else None
    return scan(call, stream or InputText(None), call.text(first - 1), first)


def scan(call: HostCall, stream: InputText, form: str | None, first: int) -> Value:
    """scanf: stores what it reads, returns the number of conversions."""
    if form is None:
        return call.unknown("input by an unknown format")
    done, index = 0, first
    for match in _CONVERSION.finditer(form):
        skipped, width, length, kind, space, literal, _ = match.groups()
        if space is not None:
            stream.match(re.compile(r"\s*"))
        elif literal is not None:
            if not stream.is_lost and stream.match(re.compile(r"\s*" + re.escape(literal))) is None:
                return done
        elif kind is not None:
            if stream.is_lost:
                if not skipped:
                    _store_unknown(call, index, length, kind)
                    index += 1
                    done += 1
                continue
            token = _token(stream, kind, width)
            if token is None:
                stream.failed = True
                at_end = stream.text is not None and not stream.text[stream.position :].strip()
                return done if done or not at_end else _END_OF_FILE
            if not skipped:
                _store_token(call, index, length, kind, token)
                index += 1
                done += 1
    return (
        done
        if not stream.is_lost
        else call.unknown("number of items read", low=0, high=done)
        if done == 0
        else done
    )


def _token(stream: InputText, kind: str, width: str) -> str | None:
    if kind in "fgeEFG":
        found = stream.match(FLOAT)
    elif kind in "xXp":
        found = stream.match(HEXADECIMAL) or stream.match(re.compile(r"\s*([0-9a-fA-F]+)"))
        return None if found is None else str(int(found.group(0).strip(), 16))
    elif kind == "s":
        found = stream.match(re.compile(r"\s*(\S{1," + (width or "") + "})"))
    elif kind == "c":
        found = stream.match(re.compile(r"(.)", re.DOTALL))
    elif kind.startswith("["):
        found = stream.match(re.compile("(" + kind.replace("\\", "\\\\") + "+)"))
    else:
        found = stream.match(INTEGER)
    return found.group(1) if found is not None else None


def _scalar(length: str, kind: str) -> Scalar:
    if kind in "fgeEFG":
        return Scalar.F64 if length == "l" else Scalar.F32
    if length in ("l", "ll", "z"):
        return Scalar.I64
    return {"h": Scalar.I16, "hh": Scalar.I8}.get(length, Scalar.I32)


def _store_token(call: HostCall, index: int, length: str, kind: str, token: str) -> None:
    if kind == "s" or kind.startswith("["):
        write_text(call, call.integer(index), token)
        return
    if kind == "c":
        call.store(index, Scalar.I8, ord(token))
        return
    scalar = _scalar(length, kind)
    call.store(index, scalar, float(token) if scalar.is_float else int(token))


def _store_unknown(call: HostCall, index: int, length: str, kind: str) -> None:
    if kind in "sc" or kind.startswith("["):
        write_text(call, call.integer(index), None)
        return
    scalar = _scalar(length, kind)
    unknown = Unknown(
        new_key(), uniform=True, reason="data read from a file", is_float=scalar.is_float
    )
    call.store(index, scalar, unknown)
