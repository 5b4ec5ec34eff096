"""Which parameters of a kernel, and what memory, decide how much it does, and what it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import (
    MEMORY_ACCESSES,
    If,
    Loop,
    Op,
    ParameterPiece,
    Switch,
    every_region,
    writers_of,
)
from roofstat.program.slices import backward_slices

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from clang_queries.ir.types import Scalar
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace
    from roofstat.program.code import Code, Instruction, Region

Piece = tuple[int, int]
"""Number of a parameter, and the offset of a part of it."""

_FAR = frozenset({Op.LOAD, Op.ATOMIC, Op.TEXTURE})
"""What these give does not tell of their operands."""
_ADDITIVE = frozenset({Op.MOV, Op.ADD, Op.SUB, Op.CAST, Op.BITCAST, Op.PTR_ADD, Op.NEG})
"""A number that a whole launch shares moves all addresses alike through these."""


def deciding_parameters(code: Code) -> dict[Piece, Scalar]:
    """The arguments that conditions, functions to call and the distances between addresses are computed from.

    A number that only moves all addresses of a launch by the same distance decides nothing.
    """
    definitions = writers_of(code)
    stack = _deciding(code, definitions)
    addresses = [item.args[0] for _, item in code.instructions() if item.op in MEMORY_ACCESSES]
    stack += _scaling(addresses, definitions, _Shared(definitions))
    found: dict[Piece, Scalar] = {}
    for item in backward_slices(definitions, stack, lambda item: item.op not in _FAR):
        piece = item.detail
        if item.op is not Op.PARAM or not isinstance(piece, ParameterPiece):
            continue
        if not code.parameters[piece.index].is_pointer:
            found[piece.index, piece.offset_bytes] = item.scalar
    return found


def _deciding(code: Code, definitions: Mapping[int, list[Instruction]]) -> list[int]:
    """Registers that decide which code runs, or that code which is not seen gets."""
    stack = list(_conditions(code.body))
    for _, item in code.instructions():
        if item.op is Op.CALL_POINTER:
            # A table of functions is loaded from at a place that may be an argument.
            pointer = item.args[0]
            stack += [pointer, *(arg for one in definitions.get(pointer, ()) for arg in one.args)]
        elif item.op is Op.CALL:
            stack += item.args
        elif item.op is Op.TEXTURE:
            stack += item.args[1:]
    return stack


def deciding_memory(code: Code) -> tuple[dict[Piece, Scalar], frozenset[str]]:
    """The arguments, some of them pointers, and the global variables that lead to what conditions read."""
    definitions = writers_of(code)
    pieces: dict[Piece, Scalar] = {}
    variables: set[str] = set()
    for item in backward_slices(definitions, _deciding(code, definitions), lambda _: True):
        detail = item.detail
        if item.op is Op.PARAM and isinstance(detail, ParameterPiece):
            pieces[detail.index, detail.offset_bytes] = item.scalar
        elif item.op is Op.GLOBAL and isinstance(detail, str):
            variables.add(detail)
    return pieces, frozenset(variables)


class _Shared:
    """Whether all threads of a launch have the same number in a register all the time."""

    def __init__(self, definitions: Mapping[int, list[Instruction]]) -> None:
        self._definitions = definitions
        self._known: dict[int, bool] = {}

    def __call__(self, register: int) -> bool:
        """Decide it; what is being decided is taken for changing."""
        known = self._known.get(register)
        if known is None:
            self._known[register] = False
            items = self._definitions.get(register, [])
            known = len(items) <= 1 and all(
                item.op is not Op.SPECIAL and item.op not in _FAR and all(map(self, item.args))
                for item in items
            )
            self._known[register] = known
        return known


def _scaling(
    addresses: Iterable[int], definitions: Mapping[int, list[Instruction]], is_shared: _Shared
) -> Iterator[int]:
    """Registers that addresses depend on in another way than by a number that is added to all of them."""
    stack = list(addresses)
    seen: set[int] = set()
    while stack:
        register = stack.pop()
        if register in seen or is_shared(register):
            continue
        seen.add(register)
        items = definitions.get(register, [])
        for item in items:
            if item.op in _ADDITIVE and len(items) == 1:
                stack.extend(item.args)
            elif item.op not in _FAR:
                yield from item.args


def argument_piece(
    code: Code, arguments: list[Value], piece: Piece, scalar: Scalar, memory: AddressSpace
) -> int | float | None:
    """The number that a launch gives for a deciding parameter, or for a part of a record; None for unknown ones."""
    value = argument_value(code, arguments, piece, scalar, memory)
    is_part = code.parameters[piece[0]].scalar is None
    if is_part and isinstance(value, int) and memory.find(value) is not None:
        return None  # an address
    return value if isinstance(value, int | float) else None


def argument_value(
    code: Code, arguments: list[Value], piece: Piece, scalar: Scalar, memory: AddressSpace
) -> Value | None:
    """What a launch gives for a parameter, or for a part of a record; None where there is no such part."""
    index, offset = piece
    value = arguments[index] if index < len(arguments) else None
    if code.parameters[index].scalar is None:
        found = memory.find(value) if isinstance(value, int) else None
        if found is None or not isinstance(value, int):
            return None
        return found.contents.load(
            value - found.base + offset, scalar, found.buffer.number, "argument"
        )
    return value


def _conditions(regions: list[Region]) -> Iterator[int]:
    for region in every_region(regions):
        if isinstance(region, If):
            yield region.condition
        elif isinstance(region, Loop) and region.condition_register is not None:
            yield region.condition_register
        elif isinstance(region, Switch):
            yield region.selector
