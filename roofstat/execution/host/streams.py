"""C++ streams: reading numbers and lines from files and strings, building strings, and output that goes nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_pattern import pattern
from roofstat.execution.host.input_files import InputText, OpenFiles, open_input
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import FLOAT, INTEGER, set_string
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_FILES = ("basic_ifstream", "basic_fstream", "ifstream", "fstream")
_STRINGS = ("basic_istringstream", "basic_stringstream", "istringstream", "stringstream")
_BUILDERS = ("basic_ostringstream", "ostringstream")
_READERS = ("basic_istream", "istream", *_FILES, *_STRINGS, "basic_iostream", "iostream")
_WRITERS = ("basic_ostream", "ostream", "basic_ofstream", "ofstream", *_BUILDERS)
_WORD = pattern(r"\s*(\S+)")


def _names(kinds: tuple[str, ...], *methods: str) -> tuple[str, ...]:
    return tuple(f"{kind}::{method}" for kind in kinds for method in methods)


def _stream(call: HostCall, index: int = 0) -> InputText | None:
    """The stream at an address; base classes of one stream object lie at its beginning."""
    address = call.integer(index)
    return call.state(OpenFiles).inputs.get(address) if address is not None else None


def _open(call: HostCall, stream: InputText) -> None:
    address = call.integer(0)
    if address is not None:
        call.state(OpenFiles).inputs[address] = stream


# Opening


@models(*(f"{kind}::{kind}" for kind in _FILES), *_names(_FILES, "open"))
def _open_file(call: HostCall) -> Value:
    if len(call.arguments) > 1:
        mode = call.integer(2, 8) or 8
        is_output = bool(mode & 16) and not mode & 8
        _open(
            call,
            InputText(None, 0, is_output=True) if is_output else open_input(call, call.text(1)),
        )
    else:
        _open(call, InputText(None))
    return 0


@models(*(f"{kind}::{kind}" for kind in _STRINGS))
def _open_text(call: HostCall) -> Value:
    is_given = len(call.arguments) > 1 and (call.integer(1) or 0) > 1 << 33
    _open(call, InputText(call.text(1) if is_given else ""))
    return 0


@models(*(f"{kind}::{kind}" for kind in _BUILDERS))
def _open_builder(call: HostCall) -> Value:
    _open(call, InputText("", is_output=True))
    return 0


@models(*_names((*_STRINGS, *_BUILDERS), "str"))
def _text(call: HostCall) -> Value:
    own = call.inputs()
    stream = _stream(own)
    if call.detail.result_size_bytes:
        set_string(call, call.result_address(), stream.text if stream is not None else None)
        return call.arguments[0]
    _open(call, InputText(call.text(1)))
    return 0


@models(
    "basic_ofstream::basic_ofstream",
    "ofstream::ofstream",
    *_names(("basic_ofstream", "ofstream"), "open"),
)
def _open_output(call: HostCall) -> Value:
    _open(call, InputText(None, 0, is_output=True))
    return 0


# State


@models(*_names((*_FILES, "basic_ofstream", "ofstream"), "is_open"), pure=True)
def _is_open(call: HostCall) -> Value:
    return True


@models(
    "basic_ios::operator bool",
    "basic_ios::good",
    "basic_ios::operator!",
    "basic_ios::fail",
    "basic_ios::bad",
    "basic_ios::eof",
    pure=True,
)
def _condition(call: HostCall) -> Value:
    stream = _stream(call)
    method = call.name.split("::")[-1]
    is_positive = method in ("operator bool", "good")
    if stream is None or stream.is_output:
        return is_positive
    if stream.text is None:
        # Opening is taken to succeed; whether there is more to read nobody knows.
        if stream.position == 0:
            return is_positive
        return call.unknown("end of a file")
    if method == "eof":
        return stream.failed or stream.position > len(stream.text)
    if method == "good":
        return not stream.failed and stream.position <= len(stream.text)
    return stream.failed is not is_positive


@models("basic_ios::clear", "basic_ios::setstate", "basic_ios::exceptions")
def _clear(call: HostCall) -> Value:
    stream = _stream(call)
    if stream is not None:
        stream.failed = False
    return 0


@models(*_names(_READERS, "seekg", "ignore", "unget"))
def _seek(call: HostCall) -> Value:
    stream = _stream(call)
    if stream is not None and call.name.endswith("seekg"):
        offset, origin = call.integer(1, 0) or 0, call.integer(2, 0)
        base = {0: 0, 1: stream.position, 2: stream.size_bytes or 0}.get(origin or 0, 0)
        stream.go_to(max(base + offset, 0))
        stream.failed = False
    elif stream is not None and stream.text is not None and call.name.endswith("ignore"):
        count, delimiter = call.integer(1, 1) or 1, call.integer(2, -1)
        end = (
            stream.text.find(chr(delimiter), stream.position) if delimiter and delimiter > 0 else -1
        )
        limit = stream.position + count
        stream.go_to(min(end + 1 if end >= 0 else limit, limit, len(stream.text)))
    return call.arguments[0]


@models(*_names(_READERS, "tellg"))
def _tell(call: HostCall) -> Value:
    stream = _stream(call.inputs())
    known = stream is not None and (stream.size_bytes is not None or stream.text is not None)
    value: Value = (
        stream.position if stream is not None and known else call.unknown("size of a file")
    )
    address = call.result_address()
    if address is None:
        return value
    call.store_at(address, Scalar.I64, value)
    return address


@models("fpos::operator long", "fpos::operator streamoff", pure=True)
def _offset(call: HostCall) -> Value:
    value = call.load(call.integer(0), Scalar.I64)
    return value if value is not None else call.unknown("size of a file")


# Extraction


@models(*_names(_READERS, "operator>>"), "std::operator>>")
def _extract(call: HostCall) -> Value:
    stream = _stream(call)
    if stream is not None and len(call.arguments) > 1:
        _extract_into(call, stream)
    elif len(call.arguments) > 1:
        _unknown_into(call)
    return call.arguments[0]


def _extract_into(call: HostCall, stream: InputText) -> None:
    if stream.text is None:
        stream.position += 1
        _unknown_into(call)
        return
    text = stream.text
    _extract_known(call, stream, text)
    if not stream.is_lost and stream.position >= len(text):
        stream.position = len(text) + 1  # the end has been seen


def _extract_known(call: HostCall, stream: InputText, text: str) -> None:
    is_string = call.detail.name.endswith("std::operator>>")
    if is_string:
        word = stream.match(_WORD)
        if word is None:
            stream.failed = True
            return
        place = call.object(1)
        if place is not None and place[0].buffer.size_bytes == 1:
            stream.position = word.start(1) + 1
            call.store(1, Scalar.I8, ord(word.group(1)[0]))
        else:
            set_string(call, call.integer(1), word.group(1))
        return
    scalar = _target_scalar(call)
    found = stream.match(FLOAT if scalar is None or scalar.is_float else INTEGER)
    if found is None:
        stream.failed = True
        if not text[stream.position :].strip():
            stream.position = len(text)
        return
    number = found.group(1)
    if scalar is None:
        scalar = Scalar.I64 if INTEGER.fullmatch(number) else Scalar.F64
    call.store(1, scalar, float(number) if scalar.is_float else int(number))


def _target_scalar(call: HostCall) -> Scalar | None:
    """The type of the variable that is read into, where its declaration tells."""
    place = call.object(1)
    element = place[0].state.get("scalar") if place is not None else None
    return element if isinstance(element, Scalar) else None


def _unknown_into(call: HostCall) -> None:
    if call.detail.name.endswith("std::operator>>"):
        set_string(call, call.integer(1), None)
        return
    scalar = _target_scalar(call) or Scalar.I64
    unknown = Unknown(
        new_key(), uniform=True, reason="data read from a file", is_float=scalar.is_float
    )
    call.store(1, scalar, unknown)


@models("std::getline")
def _getline(call: HostCall) -> Value:
    stream = _stream(call)
    if stream is None or stream.text is None:
        if stream is not None:
            stream.position += 1
        set_string(call, call.integer(1), None)
        return call.arguments[0]
    delimiter = call.integer(2, 10) or 10
    line = stream.line(chr(delimiter & 0x7F))
    if line is None:
        stream.failed = True
    set_string(call, call.integer(1), line or "")
    return call.arguments[0]


@models(*_names(_READERS, "read", "get", "getline"))
def _read(call: HostCall) -> Value:
    stream, place = _stream(call), call.object(1)
    size = call.integer(2)
    if place is not None:
        if size is not None and size <= 8:
            place[0].contents.cells.pop(place[1], None)
            place[0].contents.is_lost = True
        else:
            place[0].contents.forget()
    if stream is not None:
        stream.go_to(stream.position + (size or 1))
    return call.arguments[0]


@models(*_names(_READERS, "gcount", "peek"))
def _count(call: HostCall) -> Value:
    return call.unknown("what is left of a file")


@models(
    *_names((*_FILES, "basic_ofstream", "ofstream"), "close"),
    *_names(_WRITERS, "flush", "write", "put"),
)
def _nothing(call: HostCall) -> Value:
    return call.arguments[0] if call.arguments else 0


# Output


@models(
    *_names((*_WRITERS, "basic_iostream", "basic_stringstream"), "operator<<"), "std::operator<<"
)
def _write(call: HostCall) -> Value:
    stream = _stream(call)
    if stream is not None and stream.text is not None and len(call.arguments) > 1:
        shown = _shown(call)
        stream.text = stream.text + shown if shown is not None else None
    return call.arguments[0]


def _shown(call: HostCall) -> str | None:
    value = call.arguments[1]
    if isinstance(value, float):
        return f"{value:g}"
    if not isinstance(value, int):
        return None
    if value > 1 << 33:
        text = call.text(1)
        if text is not None:
            return text
        place = call.place(value)
        if place is not None and place[0].function_key is not None:
            return ""
        return None if place is not None else str(value)
    is_character = call.detail.name.endswith("std::operator<<")
    return chr(value & 0x7F) if is_character else str(int(value))
