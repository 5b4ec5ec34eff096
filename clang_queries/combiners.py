"""``declare reduction``: how two partial results are combined, and with what they begin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.clause_expressions import ClauseNames, lower_clause_expression
from clang_queries.ir.expressions import Assign, Expr, OpaqueExpr, Position
from clang_queries.ir.statements import Combiner, Storage, VariableDeclaration
from clang_queries.ir.types import ArrayType, PointerType, RecordType, Type
from clang_queries.ir.walk import walk
from clang_queries.lexing import split_list
from clang_queries.lowering.conversions import convert
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from clang_queries.lowering.scope import Scope

_NAMES = ("omp_out", "omp_in", "omp_priv", "omp_orig")
_ASSIGNMENT = pattern(
    r"(?P<target>[\w.\->\[\]\s]+?)\s*(?P<op>[-+*/%&|^]|<<|>>)?=(?!=)\s*(?P<value>.+)"
)
_HEAD = pattern(r"\s*(?P<name>[\w:]+?)\s*:(?!:)\s*(?P<types>[^:]*(?:::[^:]*)*?)\s*:(?!:)(?P<combiner>.*)", re.DOTALL)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DeclaredReduction:
    """The text of one directive."""

    name: str
    types: tuple[str, ...]
    combiner: str
    initializer: str


def declared_reduction(clauses: tuple[tuple[str, str], ...]) -> DeclaredReduction | None:
    """What the directive declares.

    Example:
        >>> declared_reduction((("", "near : n::P, Q : omp_out = closer(omp_out, omp_in)"),))
        DeclaredReduction(name='near', types=('n::P', 'Q'), combiner='omp_out = closer(omp_out, omp_in)', initializer='')
    """
    texts = dict(clauses)
    match = _HEAD.fullmatch(texts.get("", ""))
    combiner = match["combiner"] if match is not None else texts.get("combiner", "")
    if match is None or not combiner.strip():
        return None
    types = tuple(" ".join(part.split()) for part in split_list(match["types"]))
    return DeclaredReduction(match["name"], types, combiner.strip(), texts.get("initializer", ""))


def combiner_of(
    scope: Scope,
    item: Expr,
    declared: list[DeclaredReduction],
    position: Position,
    names: ClauseNames,
) -> Combiner | None:
    """How the elements of a list item are combined; None where it cannot be told."""
    element = _element(item.type)
    chosen = _for_type(declared, element)
    if chosen is None:
        return None
    before = {name: scope.names.get(name) for name in _NAMES}
    for name in _NAMES:
        scope.names[name] = VariableDeclaration(
            key=name, name=name, type=element, storage=Storage.LOCAL, position=position
        )
    try:
        effects = _effects(scope, chosen.combiner, position, names)
        initial = _effects(scope, _initialization(chosen.initializer), position, names)
    finally:
        for name, known in before.items():
            if known is None:
                del scope.names[name]
            else:
                scope.names[name] = known
    return Combiner(effects, initial or ()) if effects else None


def _element(type_: Type) -> Type:
    while isinstance(type_, (ArrayType, PointerType)):
        type_ = type_.element if isinstance(type_, ArrayType) else type_.pointee
    return type_


def _for_type(declared: list[DeclaredReduction], element: Type) -> DeclaredReduction | None:
    """The declaration for a type; records tell by their name, scalars by being the only one."""
    if len(declared) == 1:
        return declared[0]
    if not isinstance(element, RecordType):
        return None
    bare = element.name.rpartition("::")[2]
    fitting = [
        item for item in declared if bare in (part.rpartition("::")[2] for part in item.types)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _initialization(text: str) -> str:
    """The initializer as expressions; ``{...}`` gives nothing that counts."""
    match = re.fullmatch(r"\s*omp_priv\s*\((.*)\)\s*", text, re.DOTALL)
    text = f"omp_priv = {match[1]}" if match is not None else text
    return "" if "{" in text else text


def _effects(
    scope: Scope, text: str, position: Position, names: ClauseNames
) -> tuple[Expr, ...] | None:
    found: list[Expr] = []
    for part in split_list(text):
        match = _ASSIGNMENT.fullmatch(part.strip())
        if match is None:
            found.append(lower_clause_expression(scope, part, position, names))
            continue
        value = match["value"]
        if match["op"]:
            value = f"({match['target']}) {match['op']} ({value})"
        target = lower_clause_expression(scope, match["target"], position, names)
        if match["op"] and isinstance(target.type, RecordType):
            return None
        computed = lower_clause_expression(scope, value, position, names)
        found.append(Assign(target.type, position, target, convert(scope, computed, target.type)))
    is_read = not any(isinstance(node, OpaqueExpr) for item in found for node in walk(item))
    return tuple(found) if is_read else None
