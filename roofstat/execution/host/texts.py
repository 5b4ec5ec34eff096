"""Text: C strings, what a std::string object holds, numbers in text, and formatted output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_pattern import pattern
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

DATA, SIZE = 0, 8
"""Members of std::string in the bundled headers."""
MAX_TEXT = 1 << 20
_ARGUMENT = "argv["

INTEGER = pattern(r"\s*([+-]?\d+)")
HEXADECIMAL = pattern(r"\s*([+-]?)0[xX]([0-9a-fA-F]+)")
FLOAT = pattern(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan))", re.IGNORECASE)


def new_text(call: HostCall, text: str | None, name: str = "string") -> int:
    """A new C string; of unknown contents for None."""
    size = len(text) + 1 if text is not None else None
    found = call.machine.memory.allocate(size, Space.HOST, name)
    found.text = text
    return found.base


def write_text(call: HostCall, address: int | None, text: str | None) -> None:
    """Write a C string into a buffer."""
    place = call.place(address)
    if place is None:
        return
    found, at = place
    if text is None:
        found.contents.forget()
        found.text = None
        return
    for index, character in enumerate(text[:4096]):
        found.contents.store(at + index, Scalar.I8, ord(character) & 0x7F)
    found.contents.store(at + len(text), Scalar.I8, 0)


def set_string(
    call: HostCall, address: int | None, text: str | None, length: Value | None = None
) -> None:
    """Give a std::string object its text, or the length of one that is not known."""
    name = _missing_argument(call, call.arguments[1]) if text is None and call.arguments[1:] else ""
    call.store_at(address, Scalar.U64, new_text(call, text, name or "string"), DATA)
    if text is not None:
        length = len(text)
    elif length is None:
        length = call.unknown("length of a string")
    call.store_at(address, Scalar.U64, length, SIZE)


def length_of(call: HostCall, index: int) -> Value:
    """Length of a C string or std::string argument, where that is known."""
    text = call.text(index)
    if text is not None:
        return len(text)
    if is_string_object(call, index):
        length = call.load(call.integer(index), Scalar.U64, SIZE)
        return call.unknown("length of a string") if length is None else length
    place = call.object(index)
    end = None if place is None else place[0].contents.terminator(place[1])
    if place is None or end is None:
        return call.unknown("length of an unknown string")
    return end - place[1]


def is_string_object(call: HostCall, index: int) -> bool:
    """Whether an argument is a std::string object, and no characters."""
    place = call.object(index)
    return (
        place is not None
        and place[0].text is None
        and place[1] in place[0].contents.cells
        and (place[0].contents.cells[place[1]][0] is Scalar.U64)
    )


# Numbers in text


@models(
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "stoi",
    "stol",
    "stoul",
    "stoll",
    "stoull",
)
def _to_integer(call: HostCall) -> Value:
    text = call.text(0)
    if text is None:
        return unknown_number(call)
    base = call.integer(2, 10) if call.name.split("::")[-1].startswith(("strto", "sto")) else 10
    hexadecimal = HEXADECIMAL.match(text)
    if hexadecimal and base in (0, 16):
        number = int(hexadecimal.group(2), 16)
        _set_end(call, text, hexadecimal.end())
        return -number if hexadecimal.group(1) == "-" else number
    match = INTEGER.match(text)
    _set_end(call, text, match.end() if match else 0)
    return int(match.group(1)) if match else 0


def unknown_number(call: HostCall) -> Value:
    """What text would say that is not there."""
    address = call.arguments[0]
    reason = _missing_argument(call, address)
    place = call.object(0)
    if not reason and place is not None:  # a std::string
        inner = call.place(call.load_integer(int(place[0].base + place[1]), DATA))
        reason = inner[0].buffer.name if inner is not None else ""
    is_argument = reason.startswith(_ARGUMENT)
    return call.unknown(reason if is_argument else "a number in an unknown string")


def _missing_argument(call: HostCall, address: Value) -> str:
    """Why there is no text at an address, where that was to be a program argument; empty for other causes."""
    if isinstance(address, int) and address == 0:  # as argv[argc] is
        return argument_missing(len(call.run.arguments) + 1)
    reason = address.reason if isinstance(address, Unknown) else ""
    return reason if reason.startswith(_ARGUMENT) else ""


def argument_missing(number: int) -> str:
    """Why a program argument is unknown."""
    return f"{_ARGUMENT}{number}] is not given: use --args"


def _set_end(call: HostCall, text: str, at: int) -> None:
    """The second argument of strtol: where the number ends."""
    start, where = call.integer(0), call.integer(1)
    name = call.name.split("::")[-1]
    if not where or start is None or not name.startswith("strto"):
        return
    call.store_at(where, Scalar.U64, start + at)


@models("atof", "strtod", "strtof", "strtold", "stof", "stod", "stold")
def _to_float(call: HostCall) -> Value:
    text = call.text(0)
    if text is None:
        return unknown_number(call)
    match = FLOAT.match(text)
    _set_end(call, text, match.end() if match else 0)
    return float(match.group(1)) if match else 0.0


@models("std::to_string")
def _to_string(call: HostCall) -> Value:
    value = call.inputs().arguments[0]
    text: str | None = None
    if isinstance(value, float):
        text = f"{value:.6f}"
    elif isinstance(value, int):
        text = str(int(value))
    set_string(call, call.result_address(), text)
    return call.arguments[0]


# C strings


@models("strlen", "strnlen", pure=True)
def _strlen(call: HostCall) -> Value:
    return length_of(call, 0)


@models("strcmp", "strncmp", "strcasecmp", "strncasecmp", "stricmp", pure=True)
def _strcmp(call: HostCall) -> Value:
    a, b = call.text(0), call.text(1)
    if a is None or b is None:
        return call.unknown("comparison with an unknown string")
    name = call.name.split("::")[-1]
    if name in ("strncmp", "strncasecmp"):
        length = call.integer(2, MAX_TEXT) or 0
        a, b = a[:length], b[:length]
    if name in ("strcasecmp", "strncasecmp", "stricmp"):
        a, b = a.lower(), b.lower()
    return (a > b) - (a < b)


@models("strcpy", "strncpy", "strlcpy", "stpcpy")
def _strcpy(call: HostCall) -> Value:
    text = call.text(1)
    if text is not None and call.name.endswith(("strncpy", "strlcpy")):
        text = text[: call.integer(2, MAX_TEXT)]
    write_text(call, call.integer(0), text)
    return call.arguments[0]


@models("strdup", "strndup")
def _strdup(call: HostCall) -> Value:
    return new_text(call, call.text(0))


@models("strcat", "strncat")
def _strcat(call: HostCall) -> Value:
    a, b = call.text(0), call.text(1)
    write_text(call, call.integer(0), a + b if a is not None and b is not None else None)
    return call.arguments[0]


@models("strchr", "strrchr", "strstr", pure=True)
def _find_in_text(call: HostCall) -> Value:
    text, start = call.text(0), call.integer(0)
    if text is None or start is None:
        return call.unknown("search in an unknown string")
    if call.name.endswith("strstr"):
        part = call.text(1)
        if part is None:
            return call.unknown("search for an unknown string")
        at = text.find(part)
    else:
        character = call.integer(1)
        if character is None:
            return call.unknown("search for an unknown character")
        part = chr(character & 0x7F)
        at = text.rfind(part) if call.name.endswith("strrchr") else text.find(part)
    return 0 if at < 0 else start + at


@models("strtok", "strtok_r")
def _strtok(call: HostCall) -> Value:
    state = call.run.state
    start, separators = call.integer(0), call.text(1)
    if start:
        state["strtok"] = call.text(0)
    rest = state.get("strtok")
    if not isinstance(rest, str) or separators is None:
        return call.unknown("a part of an unknown string") if rest is None else 0
    rest = rest.lstrip(separators)
    if not rest:
        state["strtok"] = ""
        return 0
    end = next((at for at, c in enumerate(rest) if c in separators), len(rest))
    state["strtok"] = rest[end + 1 :]
    return new_text(call, rest[:end])


@models(
    "isdigit",
    "isalpha",
    "isspace",
    "isalnum",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    pure=True,
)
def _character_class(call: HostCall) -> Value:
    code = call.integer(0)
    if code is None:
        return call.unknown("class of an unknown character")
    c = chr(code & 0x7F)
    tests = {
        "isdigit": c.isdigit(),
        "isalpha": c.isalpha(),
        "isspace": c.isspace(),
        "isalnum": c.isalnum(),
        "isupper": c.isupper(),
        "islower": c.islower(),
        "isxdigit": c in "0123456789abcdefABCDEF",
        "ispunct": c.isprintable() and not c.isalnum() and not c.isspace(),
    }
    return int(tests[call.name.split("::")[-1]])


@models("tolower", "toupper", pure=True)
def _change_case(call: HostCall) -> Value:
    code = call.integer(0)
    if code is None:
        return call.unknown("an unknown character")
    c = chr(code & 0x7F)
    return ord(c.lower() if call.name.endswith("tolower") else c.upper())


# Formatted output

_FORMAT = pattern(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|L|j|t)?([diouxXfFgGeEcsp%])")


@models("sprintf", "snprintf", "vsnprintf")
def _sprintf(call: HostCall) -> Value:
    is_bounded = call.name.endswith("snprintf")
    first = 2 if is_bounded else 1
    text = formatted(call, first)
    limit = call.integer(1) if is_bounded else None
    shown = text[: max(limit - 1, 0)] if text is not None and limit is not None else text
    if call.integer(0) and limit != 0:
        write_text(call, call.integer(0), shown)
    return len(text) if text is not None else call.unknown("length of a formatted string")


def formatted(call: HostCall, index: int) -> str | None:
    """Printf's text from the format at an argument on; None where a part of it is unknown."""
    form = call.text(index)
    if form is None:
        return None
    parts: list[str] = []
    at = 0
    position = index + 1
    for match in _FORMAT.finditer(form):
        parts.append(form[at : match.start()])
        at = match.end()
        flags, width, precision, _, kind = match.groups()
        if kind == "%":
            parts.append("%")
            continue
        if width == "*":
            width, position = str(call.integer(position, 0)), position + 1
        if precision == "*":
            precision, position = str(call.integer(position, 0)), position + 1
        item = _item(call, position, kind)
        position += 1
        if item is None:
            return None
        spec = f"%{flags}{width or ''}" + (f".{precision}" if precision is not None else "")
        try:
            parts.append((spec + ("d" if kind == "i" else kind)) % item)
        except (TypeError, ValueError, OverflowError):
            return None
    return "".join([*parts, form[at:]])


def _item(call: HostCall, index: int, kind: str) -> str | int | float | None:
    if kind == "s":
        return call.text(index)
    value = call.arguments[index] if index < len(call.arguments) else None
    if not isinstance(value, int | float) or kind == "p":
        return None
    if kind in "fFgGeE":
        return float(value)
    return chr(int(value) & 0x7F) if kind == "c" else int(value)


@models(
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "perror",
    "fwrite",
    "vprintf",
    "vfprintf",
    "fflush",
    "setbuf",
    "setvbuf",
    "write",
)
def _print(call: HostCall) -> Value:
    return 0
