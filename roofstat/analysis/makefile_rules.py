"""What the compile lines of a makefile say, as far as it follows from its text.

Conditionals are decided by the variables that the makefile sets itself; where one rests on anything else, such as the output of
a command, none of its branches counts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from clang_queries.quick_pattern import pattern

__all__ = ["compile_words"]

_IMPLICIT = ("CPPFLAGS", "CXXFLAGS", "CFLAGS", "NVCCFLAGS")
"""Variables of rules that a makefile need not write, the last of them by custom."""
_MOST_NESTED = 8
"""Variables of variables."""
_MOST_CHARACTERS = 1 << 16
_CONDITIONAL = pattern(r"^ *(ifeq|ifneq|ifdef|ifndef|else|endif)\b[ \t]*(.*)$")
_PARENTHESES = pattern(r"\((.*),(.*)\)\s*$")
_QUOTES = pattern(r"""(?:"([^"]*)"|'([^']*)')\s*(?:"([^"]*)"|'([^']*)')\s*$""")
_ASSIGNMENT = pattern(r"^ *(?:(?:export|override) +)*([\w.-]+)[ \t]*(\+|\?|:{0,3})=[ \t]*(.*)$")
_RULE = pattern(r"^([^\s#:=][^#:=]*?)[ \t]*::?(?!=)([^=]*)$")
_VARIABLE = pattern(r"\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})")
_AUTOMATIC = pattern(r"\$[<^+?*]")
_OTHER_BUILD = pattern(r"debug|test|check|clean|prof|doc|dbg", re.IGNORECASE)
"""Names of targets that build something else than what users run."""


def compile_words(text: str, units: Sequence[str]) -> list[str]:
    r"""Return the words of the command lines that compile some units, with variables filled in.

    Args:
        text: Of the makefile, continued lines as one.
        units: File names.

    >>> compile_words("F = -DA -O3\n\tnvcc $(F) $< -o x", ["x.cu"])
    ['nvcc', '-DA', '-O3', '$<', '-o', 'x']
    """
    variables: dict[str, str] = {}
    recipes: list[str] = []
    target = ""
    for line in _taken_lines(text, variables):
        if line.startswith("\t"):
            if not _OTHER_BUILD.search(target):
                recipes.append(line)
        elif rule := _RULE.match(line):
            target = rule[1]
    lines = (_expanded(recipe, variables) for recipe in recipes)
    compiling = [line for line in lines if _AUTOMATIC.search(line) or any(u in line for u in units)]
    implicit = [_expanded(variables.get(name, ""), variables) for name in _IMPLICIT]
    return [word for line in (*implicit, *compiling) for word in _words(line)]


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # a quote without its other end
        return line.split()


def _taken_lines(text: str, variables: dict[str, str]) -> Iterator[str]:
    """Yield the lines that no conditional leaves out, while the variables set so far are noted."""
    taken: list[bool | None] = []
    """Of each conditional around: whether its branch counts; None when it cannot, whatever follows."""
    for line in text.splitlines():
        found = _CONDITIONAL.match(line)
        if found is None:
            if all(taken):
                _note(line, variables)
                yield line
            continue
        word, rest = found.groups()
        if word == "endif":
            del taken[-1:]
        elif word != "else":
            taken.append(_holds(word, rest, variables))
        elif taken and (last := taken[-1]) is not None:
            nested = _CONDITIONAL.match(rest)
            if last:
                taken[-1] = None
            else:
                taken[-1] = _holds(nested[1], nested[2], variables) if nested else True


def _note(line: str, variables: dict[str, str]) -> None:
    found = None if line.startswith("\t") else _ASSIGNMENT.match(line)
    if found is None:
        return
    name, how, value = found[1], found[2], found[3].partition("#")[0].strip()
    if how == "+":
        variables[name] = f"{variables.get(name, '')} {value}"
    elif how != "?" or name not in variables:
        itself = value.replace(f"${{{name}}}", f"$({name})")
        variables[name] = itself.replace(f"$({name})", variables.get(name, ""))


def _holds(word: str, rest: str, variables: dict[str, str]) -> bool | None:
    rest = rest.partition("#")[0].strip()
    if word in ("ifdef", "ifndef"):
        return bool(variables.get(rest)) == (word == "ifdef")
    sides = _PARENTHESES.match(rest) or _QUOTES.match(rest)
    if sides is None:
        return None
    left, right = [
        _expanded(side, variables).strip() for side in sides.groups() if side is not None
    ]
    if "$" in left + right:
        return None
    return (left == right) == (word == "ifeq")


def _expanded(text: str, variables: dict[str, str]) -> str:
    """Fill in variables; one that the makefile does not set is empty, as for make."""
    for _ in range(_MOST_NESTED):
        further = _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], ""), text)
        if further == text or len(further) > _MOST_CHARACTERS:
            break
        text = further
    return text
