"""Methods and operators of std::string and string views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import (
    DATA,
    MAX_TEXT,
    is_string_object,
    length_of,
    new_text,
    set_string,
)
from roofstat.execution.host.vectors import SMALLEST_ADDRESS, expected
from roofstat.execution.numbers.unknowns import value_bounds
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_LARGEST_SIZE = (1 << 64) - 1


def _string_names(*methods: str) -> tuple[str, ...]:
    kinds = ("string", "basic_string", "basic_string_view", "string_view")
    return tuple(f"{kind}::{method}" for kind in kinds for method in methods)


def _is_plain_number(call: HostCall, index: int) -> bool:
    value = call.integer(index)
    return value is not None and value < (1 << 33)


@models("string::string", "basic_string::basic_string")
def _construct(call: HostCall) -> Value:
    set_string(call, call.integer(0), _given_text(call, 1), _given_length(call, 1))
    return 0


def _given_length(call: HostCall, first: int) -> Value:
    """Length of the text that such arguments make, where its characters are not known."""
    if _is_plain_number(call, first) or _is_count(call, first):
        return call.arguments[first]
    if _is_plain_number(call, first + 1):
        is_part = is_string_object(call, first) or _is_plain_number(call, first + 2)
        return call.unknown("length of a string") if is_part else call.arguments[first + 1]
    begin, end = call.object(first), call.object(first + 1)
    if begin is not None and end is not None and begin[0] is end[0] and begin[1] <= end[1]:
        return end[1] - begin[1]
    return length_of(call, first)


def _is_count(call: HostCall, index: int) -> bool:
    """Whether an argument is a number that nobody knows, but no address."""
    value = call.arguments[index] if index < len(call.arguments) else None
    bounds = value_bounds(value) if isinstance(value, Unknown) else None
    return bounds is not None and bounds[1] < SMALLEST_ADDRESS


def _joined(left: Value, right: Value) -> int | None:
    """Length of two texts together, as expected; None where that is not told."""
    one, other = expected(left), expected(right)
    return None if one is None or other is None else one + other


def _part(length: Value, call: HostCall, first: int) -> int | None:
    """How many characters of a text a place and a number of characters (to the end without one) tell, as expected."""
    whole = expected(length)
    start = expected(call.arguments[first]) if first < len(call.arguments) else 0
    if whole is None or start is None:
        return None
    rest = max(whole - start, 0)
    if first + 1 >= len(call.arguments):
        return rest
    count = expected(call.arguments[first + 1])
    if call.integer(first + 1, 0) == -1:
        return rest
    return None if count is None else min(count, rest)


def _given_text(call: HostCall, first: int) -> str | None:
    """The text that the arguments of a constructor or of assign() or append() make."""
    if len(call.arguments) <= first:
        return ""
    if _is_plain_number(call, first):
        count, character = call.integer(first), call.integer(first + 1)
        if count is None or character is None:
            return None
        return chr(character & 0x7F) * count if count <= MAX_TEXT else None
    text = call.text(first)
    if text is None:
        return None
    if _is_plain_number(call, first + 1):
        start = call.integer(first + 1) or 0
        if _is_plain_number(call, first + 2) or call.integer(first + 2) == -1:
            count = call.integer(first + 2)
            return text[start:] if count is None or count < 0 else text[start : start + count]
        return text[start:] if is_string_object(call, first) else text[:start]
    begin, end = call.integer(first), call.integer(first + 1)
    if begin is not None and end is not None and begin <= end <= begin + len(text):
        same = call.place(begin), call.place(end)
        if same[0] is not None and same[1] is not None and same[0][0] is same[1][0]:
            return text[: end - begin]
    return text


@models("basic_string_view::basic_string_view", "string_view::string_view")
def _construct_view(call: HostCall) -> Value:
    text = call.text(1) if len(call.arguments) > 1 else ""
    if text is not None and _is_plain_number(call, 2):
        text = text[: call.integer(2)]
    _set_view(call, call.integer(0), text)
    return 0


def _set_view(call: HostCall, address: int | None, text: str | None) -> None:
    """Views hold the size first."""
    size: Value = len(text) if text is not None else call.unknown("length of a string")
    call.store_at(address, Scalar.U64, size, 0)
    call.store_at(address, Scalar.U64, new_text(call, text), 8)


@models("basic_string::operator basic_string_view")
def _to_view(call: HostCall) -> Value:
    _set_view(call, call.result_address(), call.inputs().text(0))
    return call.arguments[0]


@models(*_string_names("operator=", "assign"))
def _assign(call: HostCall) -> Value:
    if call.name.endswith("operator=") and _is_plain_number(call, 1):
        text: str | None = chr((call.integer(1) or 0) & 0x7F)
    else:
        text = _given_text(call, 1)
    set_string(call, call.integer(0), text, _given_length(call, 1))
    return call.arguments[0]


@models(*_string_names("operator+=", "append", "push_back"))
def _append(call: HostCall) -> Value:
    old, before = call.text(0), length_of(call, 0)
    more: str | None
    added: Value
    if _is_character(call):
        code = call.integer(1)
        more, added = None if code is None else chr(code & 0x7F), 1
    else:
        more, added = _given_text(call, 1), _given_length(call, 1)
    length = _joined(before, added)
    text = old + more if old is not None and more is not None else None
    set_string(call, call.integer(0), text, length)
    return call.arguments[0]


def _is_character(call: HostCall) -> bool:
    """Whether the argument of an operator is one character, known or not."""
    return len(call.arguments) == 2 and (
        _is_plain_number(call, 1) or not isinstance(call.arguments[1], int | float)
    )


@models("std::operator+")
def _concatenate(call: HostCall) -> Value:
    own = call.inputs()
    parts = [
        chr((own.integer(index) or 0) & 0x7F) if _is_plain_number(own, index) else own.text(index)
        for index in (0, 1)
    ]
    text = parts[0] + parts[1] if parts[0] is not None and parts[1] is not None else None
    sizes = [1 if _is_plain_number(own, index) else length_of(own, index) for index in (0, 1)]
    set_string(call, call.result_address(), text, _joined(*sizes))
    return call.arguments[0]


@models(*_string_names("c_str", "data", "begin", "cbegin"), pure=True)
def _c_str(call: HostCall) -> Value:
    own = call.inputs()
    data = call.load_integer(own.integer(0), DATA)
    place = call.place(data)
    if place is not None and data is not None:
        return data
    return new_text(call, own.text(0))


@models(*_string_names("end", "cend"), pure=True)
def _end(call: HostCall) -> Value:
    data, text = call.load_integer(call.integer(0), DATA), call.text(0)
    if data is None or text is None:
        return call.unknown("end of an unknown string")
    return data + len(text)


@models(*_string_names("size", "length"), pure=True)
def _length(call: HostCall) -> Value:
    return length_of(call, 0)


@models(*_string_names("empty"), pure=True)
def _empty(call: HostCall) -> Value:
    length = length_of(call, 0)
    return length == 0 if isinstance(length, int) else call.unknown("length of a string")


@models(*_string_names("operator[]", "at", "front", "back"), pure=True)
def _character(call: HostCall) -> Value:
    data, text = call.load_integer(call.integer(0), DATA), call.text(0)
    index = 0 if call.name.endswith("front") else call.integer(1)
    if call.name.endswith("back") and text is not None:
        index = len(text) - 1
    if data is None or index is None:
        return call.unknown("a character of an unknown string")
    return data + max(index, 0)


@models(*_string_names("substr"))
def _substr(call: HostCall) -> Value:
    own = call.inputs()
    text, start, count = own.text(0), own.integer(1, 0), own.integer(2)
    part: str | None = None
    if text is not None and start is not None:
        is_rest = count is None or count < 0 or count >= MAX_TEXT
        part = text[start:] if is_rest else text[start : start + (count or 0)]
    set_string(call, call.result_address(), part, _part(length_of(own, 0), own, 1))
    return call.arguments[0]


@models(
    *_string_names(
        "find", "rfind", "find_first_of", "find_last_of", "find_first_not_of", "find_last_not_of"
    ),
    pure=True,
)
def _find(call: HostCall) -> Value:
    text = call.text(0)
    code = call.integer(1)
    part = chr((code or 0) & 0x7F) if _is_plain_number(call, 1) else call.text(1)
    if text is None or part is None:
        return call.unknown("search in an unknown string")
    start = call.integer(2)
    method = call.name.split("::")[-1]
    backwards = method in ("rfind", "find_last_of", "find_last_not_of")
    if method == "find":
        at = text.find(part, max(start or 0, 0))
    elif method == "rfind":
        at = text.rfind(part)
    else:
        wanted = "not" not in method
        places = [n for n, c in enumerate(text) if (c in part) is wanted]
        low = 0 if backwards or start is None else start
        places = [n for n in places if n >= low]
        at = (places[-1] if backwards else places[0]) if places else -1
    return at if at >= 0 else _LARGEST_SIZE


@models(*_string_names("compare"), "std::operator<", "std::operator>", pure=True)
def compare_texts(call: HostCall) -> Value:
    """Strings compared by a method or an operator."""
    a, b = call.text(0), call.text(1)
    if a is None or b is None:
        return call.unknown("comparison with an unknown string")
    if call.name.endswith("compare"):
        return (a > b) - (a < b)
    operator = call.name.split("operator")[-1]
    return {"==": a == b, "!=": a != b, "<": a < b, ">": a > b}[operator]


@models(*_string_names("starts_with", "ends_with", "contains"), pure=True)
def _has_part(call: HostCall) -> Value:
    a = call.text(0)
    b = chr((call.integer(1) or 0) & 0x7F) if _is_plain_number(call, 1) else call.text(1)
    if a is None or b is None:
        return call.unknown("comparison with an unknown string")
    method = call.name.split("::")[-1]
    return (
        a.startswith(b)
        if method == "starts_with"
        else a.endswith(b)
        if method == "ends_with"
        else b in a
    )


@models(*_string_names("clear", "pop_back", "erase", "resize", "replace", "insert"))
def _change(call: HostCall) -> Value:
    own = call.inputs()
    text = own.text(0)
    method = call.name.split("::")[-1]
    changed: str | None = None
    length: Value | None = None
    if method == "clear":
        changed = ""
    elif method == "resize":
        length = own.arguments[1]
    elif text is None and method == "erase":
        before, gone = expected(length_of(own, 0)), _part(length_of(own, 0), own, 1)
        length = None if before is None or gone is None else before - gone
    elif text is not None and method == "pop_back":
        changed = text[:-1]
    elif text is not None and method == "erase" and _is_plain_number(own, 1):
        start, count = own.integer(1, 0) or 0, own.integer(2, -1)
        is_rest = count is None or count < 0 or count >= MAX_TEXT
        changed = text[:start] if is_rest else text[:start] + text[start + (count or 0) :]
    set_string(call, own.integer(0), changed, length)
    return call.arguments[0]
