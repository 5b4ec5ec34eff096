"""Instances of templates that nothing instantiates: with arguments as their parameters are named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries._kinds import RECORD_KINDS, Kind
from clang_queries.instances import REFERENCE_PREFIX
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clang_queries._cindex import Cursor
    from clang_queries.lowering.unit_context import UnitContext

_PARAMETERS = frozenset(
    {Kind.TYPE_PARAMETER, Kind.NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER}
)
_RECORDS = frozenset({*RECORD_KINDS, Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL})
_TYPES = ((r"double|fp64", "double"), (r"i(nt|dx|ndex)|off|size|key|^k$", "int"))
"""What the name of a type parameter says of the type; others are float."""
_NUMBERS = (
    (r"bits?$|log|shift", 8),
    (r"stride|dilat|pad", 1),
    (r"radius|halo|window|filter|^ks$|k(ernel_?)?size", 3),
    (r"head|hidden|channel|feature|embed|block_?[mnkqrc]$|^b[rc]$", 64),
    (r"tile|^b[mnk]$|^bs[xyz]?$|_[xy]$|dim", 16),
    (r"block|thread|tpb|nt$", 256),
    (r"vec|unroll|item|per_thread|^t[mnk]$", 4),
    (r"warp", 32),
)
"""What the name of a number says of it; others are as long as loops whose length is unknown."""
_OTHER_NUMBER = 32
_TILE = 16
_PER_THREAD = 4
"""Rows and columns of the elements that a thread has in registers."""
_TILE_IN_PARTS = 64
"""What a tile has along an axis whose threads have so many each: those of 256 threads."""
_IN_REGISTERS = pattern(
    r"(?m)^\s*(?!static\b)[\w:]+ \w+\[(\w+)(?:\]\[| \* )(\w+)\](?! __attribute__)"
)
_FUNCTOR = "likely_functor"
_FUNCTOR_SOURCE = f"""
struct {_FUNCTOR} {{
  template <class T> __host__ __device__ T operator()(T a) const {{ return a; }}
  template <class T, class U> __host__ __device__ T operator()(T a, U b) const {{ return a + b; }}
}};"""
"""What a parameter is taken for that is called: it hands on one value, and adds two."""
_INTEGER = pattern(r"(?:(?:unsigned|signed|long|short|int|char|std::|u?int\d+_t|size_t)\s*)+")


def likely_instance(context: UnitContext, template: Cursor) -> str:
    """``add<float, 256>``; empty where a parameter is neither a type nor a number, and for members."""
    name = context.qualified_name(template)
    clang = context.clang
    if "(" in name or clang.semantic_parent(template).kind in _RECORDS:  # no name from outside
        return ""
    text = clang.pretty(template, terse=False)
    is_flat = "threadIdx.y" not in text
    own_elements = {name for pair in _IN_REGISTERS.findall(text) for name in pair}
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
        own = clang.spelling(parameter)
        argument = (
            _FUNCTOR if _is_called(own, text) else _argument(own.lower(), declared, is_flat=is_flat)
        )
        if argument.isdigit() and own in own_elements:
            argument = str(_PER_THREAD)
        elif argument == str(_TILE) and own_elements and is_flat:
            argument = str(_TILE_IN_PARTS)
        if not argument:
            return ""
        arguments.append(argument)
    return f"{name}<{', '.join(arguments)}>"


def _is_called(parameter: str, text: str) -> bool:
    """Whether a template calls an object of the type, ``f(x)`` or ``F()(x)``."""
    objects = re.findall(rf"\b{parameter}\b[\s&]*(\w+)\s*[,)]", text)
    called = (rf"\b{parameter}(?:\(\)|{{}})\(", *(rf"\b{name}\(" for name in objects))
    return any(re.search(pattern, text) for pattern in called)


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
    chosen = list(instances)
    functor = _FUNCTOR_SOURCE if any(_FUNCTOR in instance for instance in chosen) else ""
    pointers = (
        f"\nstatic auto *const {REFERENCE_PREFIX}likely_{number} = &{instance};"
        for number, instance in enumerate(chosen)
    )
    return source + "".join((functor, *pointers)).encode() + b"\n"
