"""Pointers to rows that are the same for all threads of a warp, to which each thread adds a word.

The assembler makes one on the uniform datapath where it takes a product of 64 bits, which is scaled and added as a pair of
words, and where nothing else needs its parts in ordinary registers: a block's number that is compared, or that is in an
index of a thread, is in an ordinary register, with all that is made of it (SASS of clang 18.1.6, sm_86). On sm_90, where the assembler
loads arguments into registers, so is an argument that threads take the smaller or larger of, or choose and use once more
(`c == 0 ? n - 1 : c - 1` beside `c == n - 1`): of 27 own kernels with such rows of length n it decides 9, all as SASS has them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.widths import is_word, multiplies_wide
from roofstat.program.code import Op, SpecialRegister
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.instructions.graph.liveness import LiveGraph

_ANYWHERE = frozenset({Pseudo.CONSTANT, Op.PARAM, Op.GLOBAL})
"""What is in constant memory or in the instruction serves both datapaths."""
_NUMBERS_OF_BLOCKS = frozenset(
    {SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z}
)
_EXTREMA = frozenset({"min", "max"})
_ALONE = 2
"""Uses that keep an argument in a register."""
_LOOPED = frozenset({Pseudo.PHI, Pseudo.JOIN, Pseudo.EXIT, Pseudo.STREAM})


class UniformRows(NamedTuple):
    """Numbers of the values that rows are made of, by the datapath that makes them."""

    free: frozenset[int]
    on_vector: frozenset[int]


NO_ROWS = UniformRows(frozenset(), frozenset())


def uniform_rows(graph: LiveGraph, *, loads_arguments: bool) -> UniformRows:
    """The rows of a graph.

    Args:
        graph: The graph.
        loads_arguments: Whether instructions find no arguments in constant memory, so that registers hold them.
    """
    found = [value for value in graph.live if _is_row(value, graph) and not _counts(value)]
    every = frozenset(number for row in found for number in _parts(row))
    every |= _late_parts(graph)
    settled = _of_arguments(graph.live)
    held = _held_arguments(graph, settled) if loads_arguments else frozenset[int]()
    rows = {
        row.number: _parts(row)
        for row in found
        if _takes_pairs(row) and held.isdisjoint(_arguments(row.args[1]))
    }
    while True:
        made = frozenset(number for parts in rows.values() for number in parts)
        kept = {
            row: parts
            for row, parts in rows.items()
            if all(
                use.number in made
                for number in parts - settled - {row}
                for use in graph.users.get(number, [])
            )
        }
        if len(kept) == len(rows):
            return UniformRows(made, every - made)
        rows = kept


def _late_parts(graph: LiveGraph) -> frozenset[int]:
    """What products of 64 bits are made of that are added to a pointer of each thread: its addition is in ordinary registers."""
    found: set[int] = set()
    for value in graph.live:
        if (
            value.op is not Pseudo.ADDRESS
            or value.is_uniform
            or value.args[0].op is not Pseudo.ADDRESS
        ):
            continue
        index = value.args[1]
        if index.is_uniform and not value.args[0].is_uniform and multiplies_wide(index):
            found |= _parts(index)
    return frozenset(found)


def _is_row(value: Value, graph: LiveGraph) -> bool:
    if value.op is not Pseudo.ADDRESS or not value.is_uniform:
        return False
    if root_of(value.args[0]).kind is RootKind.SLOT:
        return False
    uses = graph.users.get(value.number, [])
    return bool(uses) and all(
        use.op in {Pseudo.ADDRESS, Pseudo.STREAM} and not use.is_uniform and use.args[0] is value
        for use in uses
    )


def _takes_pairs(row: Value) -> bool:
    """Whether a row is found by more than multiply-adds of words."""
    while row.op is Pseudo.ADDRESS:
        if not is_word(row.args[1]):
            return True
        row = row.args[0]
    return False


def _counts(row: Value) -> bool:
    """Whether a loop around moves a row on: its counter is in ordinary registers, as far as is known."""
    pending, seen = [row], {row.number}
    while pending:
        value = pending.pop()
        if value.op in _LOOPED:
            return True
        fresh = [arg for arg in value.args if arg.number not in seen]
        seen.update(arg.number for arg in fresh)
        pending.extend(fresh)
    return False


def _parts(row: Value) -> frozenset[int]:
    """The row and what it is computed from, as far as that takes instructions."""
    found: set[int] = set()
    pending = [row]
    while pending:
        value = pending.pop()
        if value.number in found or value.op in _LOOPED or _is_anywhere(value):
            continue
        found.add(value.number)
        pending.extend(value.args)
    return frozenset(found)


def _is_anywhere(value: Value) -> bool:
    if value.op is Op.SPECIAL:
        return value.detail not in _NUMBERS_OF_BLOCKS
    return value.op in _ANYWHERE


def _held_arguments(graph: LiveGraph, settled: set[int]) -> frozenset[int]:
    """Arguments in ordinary registers, by how threads use them and what is made of them."""
    choices: Counter[int] = Counter()
    tests: Counter[int] = Counter()
    for value in graph.live:
        if value.is_uniform or value.scalar.is_float:
            continue
        for operand in value.args:
            if operand.number not in settled or operand.is_constant:
                continue
            names = _arguments(operand)
            if value.op is Op.MATH and value.detail in _EXTREMA:
                choices.update(dict.fromkeys(names, _ALONE))
            elif value.op is Op.SELECT:
                choices.update(names)
            elif value.op in COMPARISONS and operand.op is not Op.PARAM:
                tests.update(names)
    return frozenset(name for name in choices if choices[name] + tests[name] >= _ALONE)


def _arguments(value: Value) -> frozenset[int]:
    """Numbers of the arguments that a value is made of."""
    found, pending, seen = set[int](), [value], set[int]()
    while pending:
        part = pending.pop()
        if part.number in seen or part.op in _LOOPED:
            continue
        seen.add(part.number)
        if part.op is Op.PARAM:
            found.add(part.number)
        pending.extend(part.args)
    return frozenset(found)


def _of_arguments(live: list[Value]) -> set[int]:
    """Values made of arguments alone: the uniform datapath has them, and ordinary instructions read them there."""
    found: set[int] = set()
    for value in live:
        is_made = value.op in PURE and all(arg.number in found for arg in value.args)
        if is_made or _is_anywhere(value):
            found.add(value.number)
    return found
