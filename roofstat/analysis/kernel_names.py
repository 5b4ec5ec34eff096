"""Whether a user's name for a kernel means it: by name, signature, symbol, or a short form of a template instance."""

from __future__ import annotations

import re

from clang_queries.quick_pattern import pattern

__all__ = ["finds_kernel", "names_kernel"]

_CAST = pattern(r"\((?:unsigned |signed )?(?:bool|char|short|int|long|long long)\)(?=-?\w)")
_SUFFIX = pattern(r"(?<=\d)(?:u|l|ul|ull|ll)\b", re.IGNORECASE)


def names_kernel(text: str, *, name: str, signature: str, symbol: str = "") -> bool:
    """Return whether a text names a kernel.

    Args:
        text: What the user wrote.
        name: The kernel's name with its scope.
        signature: Demangled, with template arguments and parameter types.
        symbol: The mangled name.

    >>> names_kernel("scale<128>", name="ns::scale", signature="ns::scale<(int)128>(float *)")
    True
    >>> names_kernel("scale<64>", name="ns::scale", signature="ns::scale<(int)128>(float *)")
    False
    """
    bare = name.rsplit("::", 1)[-1]
    if text in (name, bare, symbol, signature):
        return True
    wanted = _plain(text)
    whole = _plain(signature)
    instance = whole[: _parameters_start(whole)]
    scope = _plain(name)[: len(_plain(name)) - len(bare)]
    return wanted in (whole, instance, instance.removeprefix(scope))


def finds_kernel(pattern: str, *, name: str, signature: str) -> bool:
    """Return whether a regular expression finds a kernel, or names it as a report does.

    >>> finds_kernel("^sca", name="scale", signature="scale<(int)128>(float *)")
    True
    >>> finds_kernel("scale<128>", name="scale", signature="scale<(int)128>(float *)")
    True
    """
    found = re.compile(pattern)
    if found.search(name) or found.search(signature):
        return True
    return names_kernel(pattern, name=name, signature=signature)


def _plain(signature: str) -> str:
    text = _SUFFIX.sub("", _CAST.sub("", signature.removeprefix("void ")))
    return re.sub(r"\s+", "", text)


def _parameters_start(signature: str) -> int:
    """Where the parameter list begins: the first parenthesis outside of template arguments."""
    depth = 0
    for position, character in enumerate(signature):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0:
            return position
    return len(signature)
