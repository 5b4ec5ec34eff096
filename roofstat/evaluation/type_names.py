"""Spellings of C++ types and literals brought to one form."""

from __future__ import annotations

import re
from typing import Final

INTEGER_LITERAL: Final = re.compile(r"^(-?(?:0x[0-9a-fA-F]+|\d+))[uUlL]*$")

_ANONYMOUS: Final = re.compile(
    r"(\(anonymous namespace\)|\{anonymous\}|<unnamed>|_GLOBAL__N__\w*|_INTERNAL_\w+)::"
)


def drop_anonymous(text: str) -> str:
    """Leave out anonymous namespaces, however they are written."""
    return _ANONYMOUS.sub("", text)


def is_inline_namespace(part: str) -> bool:
    """Whether it is a versioned namespace of a standard library: `std::__1`, `cuda::std::__4`."""
    return re.fullmatch(r"__\w*\d+|_V\d+|__cxx11", part) is not None


_TYPEDEFS: Final = {
    "uint": "unsigned int",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "ulong": "unsigned long",
    "size_t": "unsigned long",
    "ssize_t": "long",
    "ptrdiff_t": "long",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "intptr_t": "long",
    "uintptr_t": "unsigned long",
    "half": "__half",
    "half2": "__half2",
    "nv_bfloat16": "__nv_bfloat16",
    "nv_bfloat162": "__nv_bfloat162",
    "_Bool": "bool",
}
_INTEGER_WORDS: Final = frozenset({"unsigned", "signed", "long", "short", "int", "char"})
_NOISE: Final = frozenset(
    {
        "__restrict__",
        "__restrict",
        "restrict",
        "struct",
        "class",
        "enum",
        "union",
        "typename",
        "volatile",
    }
)
_TOKEN: Final = re.compile(r"::|[A-Za-z_$][\w$]*|\d+\w*|\S")


def normal_type(text: str) -> str:
    """A type without spaces between words where none is needed, `const` before what it qualifies, typedefs resolved.

    >>> normal_type("float const *"), normal_type("const float*__restrict__"), normal_type("long unsigned int")
    ('const float*', 'const float*', 'unsigned long')
    """
    words = [word for word in _TOKEN.findall(drop_anonymous(text)) if word not in _NOISE]
    expanded: list[str] = []
    for word in words:
        expanded.extend(_TYPEDEFS.get(word, word).split())
    return _join(_normal_literals(_const_first(_integers(_unscoped_versions(expanded)))))


def _unscoped_versions(words: list[str]) -> list[str]:
    """Drop versioned inline namespaces and the global-scope `::`."""
    kept: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        following = words[index + 1] if index + 1 < len(words) else ""
        if following == "::" and is_inline_namespace(word):
            index += 2
            continue
        starts_scope = word == "::" and (not kept or not re.match(r"[\w$>]", kept[-1][-1]))
        if not starts_scope:
            kept.append(word)
        index += 1
    return kept


def _integers(words: list[str]) -> list[str]:
    """Bring each run of integer specifiers to one spelling."""
    result: list[str] = []
    run: list[str] = []
    const_in_run = False
    for word in [*words, ""]:
        if word in _INTEGER_WORDS:
            run.append(word)
            continue
        if word == "const" and run:
            const_in_run = True
            continue
        if run:
            result.append(_integer_name(run))
            if const_in_run:
                result.append("const")
            run, const_in_run = [], False
        if word:
            result.append(word)
    return result


def _integer_name(run: list[str]) -> str:
    if "char" in run:
        sign = [word for word in ("unsigned", "signed") if word in run]
        return " ".join([*sign, "char"])
    prefix = "unsigned " if "unsigned" in run else ""
    if "short" in run:
        return f"{prefix}short"
    longs = run.count("long")
    return prefix + (" ".join(["long"] * longs) if longs else "int")


def _const_first(words: list[str]) -> list[str]:
    """Move a `const` that follows a type's name to before it. `* const` stays behind its star."""
    result: list[str] = []
    for word in words:
        if word == "const" and result and result[-1] not in {"*", "&", "<", ",", "(", "const"}:
            start = _start_of_type(result)
            if "const" not in result[start:]:
                result.insert(start, "const")
        else:
            result.append(word)
    return result


def _start_of_type(words: list[str]) -> int:
    depth, index = 0, len(words)
    while index > 0:
        word = words[index - 1]
        depth += (word == ">") - (word == "<")
        if depth < 0 or (depth == 0 and word in {",", "(", "*", "&"}):
            break
        index -= 1
    return index


def _normal_literals(words: list[str]) -> list[str]:
    """Literals as decimal numbers, casts before them dropped."""
    result: list[str] = []
    for word in words:
        literal = INTEGER_LITERAL.match(word)
        number = str(int(literal.group(1), 0)) if literal else {"true": "1", "false": "0"}.get(word)
        if number is None:
            result.append(word)
            continue
        if (
            len(result) >= 3
            and result[-1] == ")"
            and result[-3] == "("
            and result[-2] not in {"*", "&"}
        ):
            del result[-3:]
        result.append(number)
    return result


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$?"


def _join(words: list[str]) -> str:
    text = ""
    for word in words:
        qualifies_after_template = word == "const" and text.endswith(">")
        if text and ((_is_word(text[-1]) and _is_word(word[0])) or qualifies_after_template):
            text += " "
        text += word
    return text


def drop_top_const(parameter: str) -> str:
    """Top-level `const` of a parameter is not part of a function's type."""
    if parameter.startswith("const ") and not re.search(r"[*&\[(]", re.sub(r"<.*>", "", parameter)):
        return parameter.removeprefix("const ")
    return re.sub(r"\*\s*const$", "*", parameter)
