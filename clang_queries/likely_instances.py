"""Instances of kernel templates that nothing instantiates: with arguments as their parameters are named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries._kinds import Kind
from clang_queries.instances import REFERENCE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clang_queries._cindex import Cursor
    from clang_queries.lowering.unit_context import UnitContext

_PARAMETERS = frozenset(
    {Kind.TYPE_PARAMETER, Kind.NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER}
)
_TYPES = ((r"double|fp64", "double"), (r"i(nt|dx|ndex)|off|size", "int"))
"""What the name of a type parameter says of the type; others are float."""
_NUMBERS = (
    (r"tile|^b[mnk]$|^bs[xyz]?$|_[xy]$|dim", 16),
    (r"block|thread|tpb|nt$", 256),
    (r"vec|unroll|item|per_thread|^t[mnk]$", 4),
    (r"warp", 32),
)
"""What the name of a number says of it; others are as long as loops whose length is unknown."""
_OTHER_NUMBER = 32
_TILE = 16
_INTEGER = re.compile(r"(?:(?:unsigned|signed|long|short|int|char|std::|u?int\d+_t|size_t)\s*)+")


def likely_instance(context: UnitContext, template: Cursor) -> str:
    """``add<float, 256>``; empty where a parameter is neither a type nor a number."""
    name = context.qualified_name(template)
    if "(" in name:
        return ""  # within an anonymous namespace
    clang = context.clang
    is_flat = "threadIdx.y" not in clang.pretty(template, terse=False)
    arguments: list[str] = []
    for parameter in clang.children(template):
        if parameter.kind not in _PARAMETERS:
            continue
        declared = clang.pretty(parameter, terse=True)
        if "..." in declared:
            break
        if "=" in declared:
            arguments.append(declared.partition("=")[2].strip())
            continue
        argument = _argument(clang.spelling(parameter).lower(), declared, is_flat=is_flat)
        if not argument:
            return ""
        arguments.append(argument)
    return f"{name}<{', '.join(arguments)}>"


def _argument(name: str, declared: str, *, is_flat: bool) -> str:
    if re.match(r"(?:typename|class)\b", declared):
        return next((type_ for words, type_ in _TYPES if re.search(words, name)), "float")
    if declared.startswith("bool"):
        return "false"
    if not _INTEGER.match(declared):
        return ""
    number = next((number for words, number in _NUMBERS if re.search(words, name)), _OTHER_NUMBER)
    return str(number if is_flat else min(number, _TILE))


def with_instances(source: bytes, instances: Iterable[str]) -> bytes:
    """The source with a pointer to each instance behind it."""
    pointers = (
        f"\nstatic auto *const {REFERENCE_PREFIX}likely_{number} = &{instance};"
        for number, instance in enumerate(instances)
    )
    return source + "".join(pointers).encode() + b"\n"
