"""Names of kernels as profilers, demanglers and front ends write them, brought to one form.

What differs between writers and is taken out here: the return type, spaces, the place of `const`, `__restrict__`,
typedef names of the fixed-width and CUDA types, casts before literals among template arguments (`(int)4`), suffixes of
literals, `true`/`false`, anonymous namespaces, inline namespaces, and placeholders `T1`, `T2` that a profiler writes
for template arguments in the parameter list.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from clang_queries.quick_dataclass import dataclass
from clang_queries.signatures import demangle
from roofstat.evaluation.type_names import (
    INTEGER_LITERAL,
    drop_anonymous,
    drop_top_const,
    is_inline_namespace,
    normal_type,
)

WILDCARD: Final = "?"
"""Stands for a type that the writer did not spell out, such as `T1::value_type`."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A kernel's name in parts.

    Attributes:
        scope: Enclosing namespaces and classes, outermost first, anonymous ones left out.
        name: The name itself, an operator included.
        template_arguments: In order; None where the writer gives none.
        parameters: Types of the parameters; None where the writer gives no parameter list.
    """

    scope: tuple[str, ...]
    name: str
    template_arguments: tuple[str, ...] | None
    parameters: tuple[str, ...] | None

    def __str__(self) -> str:
        """One spelling for each name: `scope::name<a, b>(c, d)`."""
        text = "::".join((*self.scope, self.name))
        if self.template_arguments is not None:
            text += f"<{', '.join(self.template_arguments)}>"
        if self.parameters is not None:
            text += f"({', '.join(self.parameters)})"
        return text


@functools.lru_cache(maxsize=8192)
def parse_signature(text: str) -> Signature:
    """Bring a name to its normal form. Never fails: what cannot be parsed becomes the name.

    >>> parse_signature("void fill<(int)4, float>(T2 *, unsigned)")
    Signature(scope=(), name='fill', template_arguments=('4', 'float'), parameters=('float*', 'unsigned int'))
    >>> parse_signature("fill<4, float>(float*, unsigned int)") == parse_signature("void fill<(int)4, float>(T2 *, uint)")
    True
    """
    if text.startswith("_Z"):
        demangled = demangle(text)
        if demangled.startswith("_Z"):
            return _parse_mangled(text)
        text = demangled
    text = drop_anonymous(text.strip())
    head, parameters = _split_parameters(text)
    path = _split_top(_last_word(head), "::")
    names = [_split_template(part) for part in path]
    name, arguments = names[-1]
    normal = None if arguments is None else tuple(_template_argument(part) for part in arguments)
    return Signature(
        scope=tuple(part for part, _ in names[:-1] if part and not is_inline_namespace(part)),
        name=name,
        template_arguments=normal,
        parameters=None if parameters is None else _parameters(parameters, arguments or ()),
    )


_OPEN: Final = {"<": ">", "(": ")", "[": "]", "{": "}"}
_CLOSE: Final = frozenset(_OPEN.values())


def _depths(text: str) -> list[int]:
    """Nesting depth before each character. Closers that nothing opened are ordinary characters."""
    depths: list[int] = []
    stack: list[str] = []
    for index, character in enumerate(text):
        depths.append(len(stack))
        if character in _OPEN:
            if not (character == "<" and text[:index].endswith("operator")):
                stack.append(_OPEN[character])
        elif character in _CLOSE and character in stack and text[max(0, index - 1) : index] != "-":
            while stack.pop() != character:
                pass
            depths[-1] = len(stack)
    return depths


def _split_parameters(text: str) -> tuple[str, str | None]:
    """Split into what stands before the parameter list and the list's inside."""
    depths = _depths(text)
    for index, character in enumerate(text):
        if character == "(" and depths[index] == 0 and not text[:index].endswith("operator"):
            for end in range(index + 1, len(text)):
                if text[end] == ")" and depths[end] == 0:
                    return text[:index], text[index + 1 : end]
            return text[:index], text[index + 1 :]
    return text, None


def _last_word(head: str) -> str:
    """The name without a return type or specifiers before it."""
    head = head.strip()
    depths = _depths(head)
    start = 0
    for index, character in enumerate(head):
        if character in " *&" and depths[index] == 0 and "operator" not in head[start:index]:
            start = index + 1
    return head[start:]


def _split_top(text: str, separator: str) -> list[str]:
    depths = _depths(text)
    parts, start, index = [], 0, 0
    while index < len(text):
        if depths[index] == 0 and text.startswith(separator, index):
            parts.append(text[start:index].strip())
            index += len(separator)
            start = index
        else:
            index += 1
    parts.append(text[start:].strip())
    return parts


def _split_template(part: str) -> tuple[str, tuple[str, ...] | None]:
    depths = _depths(part)
    for index, character in enumerate(part):
        if character == "<" and depths[index] == 0 and not part[:index].endswith("operator"):
            inside = part[index + 1 :]
            inside = inside.removesuffix(">") if inside.endswith(">") else inside
            return part[:index].strip(), tuple(_split_top(inside, ",")) if inside.strip() else ()
    return part.strip(), None


_CAST: Final = re.compile(r"^\([\w:\s]+\)\s*(?=[-\w'])")
_CHARACTER: Final = re.compile(r"^'(.)'$")


def _template_argument(text: str) -> str:
    """A literal as a decimal number, a type in normal form, anything else without spaces."""
    text = _CAST.sub("", text.strip())
    if text in {"true", "false"}:
        return "1" if text == "true" else "0"
    if literal := INTEGER_LITERAL.match(text):
        return str(int(literal.group(1), 0))
    if character := _CHARACTER.match(text):
        return str(ord(character.group(1)))
    if "lambda" in text or "$_" in text:
        return WILDCARD
    return normal_type(text)


_PLACEHOLDER: Final = re.compile(r"\bT(\d+)\b(\s*::\s*[\w:]+)?")


def _parameters(text: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    if text.strip() in {"", "void"}:
        return ()

    def resolve(match: re.Match[str]) -> str:
        number = int(match.group(1))
        if match.group(2) or not 1 <= number <= len(arguments):
            return WILDCARD
        return arguments[number - 1]

    resolved = (_PLACEHOLDER.sub(resolve, part) for part in _split_top(text, ","))
    return tuple(
        WILDCARD if "lambda" in part else drop_top_const(normal_type(part)) for part in resolved
    )


_BUILTIN_CODES: Final = {
    "v": "void",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "f": "float",
    "d": "double",
}


def _parse_mangled(text: str) -> Signature:
    """Scope, name and leading template arguments of a mangled name that the demangler does not know all of.

    Expressions among the template arguments are such a case. Parameters are left out.
    """
    position = 2
    nested = text.startswith("N", position)
    position += nested
    while position < len(text) and text[position] in "LrVK":
        position += 1
    names: list[str] = []
    while read := _source_name(text, position):
        name, position = read
        names.append(name)
        if not nested:
            break
    if not names:
        return Signature((), text, None, None)
    arguments = _mangled_arguments(text, position) if text.startswith("I", position) else None
    scope = tuple(
        name
        for name in names[:-1]
        if not name.startswith("_GLOBAL__N") and not is_inline_namespace(name)
    )
    return Signature(scope, names[-1], arguments, None)


def _source_name(text: str, position: int) -> tuple[str, int] | None:
    digits = re.compile(r"\d+").match(text, position)
    if digits is None:
        return None
    end = digits.end() + int(digits.group())
    return text[digits.end() : end], end


def _mangled_arguments(text: str, position: int) -> tuple[str, ...]:
    """Template arguments up to the first that is neither a builtin type, a plain name nor a literal."""
    found: list[str] = []
    position += 1
    while position < len(text) and text[position] != "E":
        if literal := re.compile(r"L[a-z](n?\d+)E").match(text, position):
            found.append(literal.group(1).replace("n", "-"))
            position = literal.end()
        elif read := _source_name(text, position):
            found.append(normal_type(read[0]))
            position = read[1]
            if text.startswith("I", position):
                return (*found[:-1], WILDCARD)
        elif text[position] in _BUILTIN_CODES:
            found.append(_BUILTIN_CODES[text[position]])
            position += 1
        else:
            return (*found, WILDCARD)
    return tuple(found)
