"""Moves locals from memory into registers (scalar replacement of aggregates and promotion in one pass).

A slot is split into pieces by constant offset; it is promoted when its address is used for nothing else than loads and
stores at constant offsets that do not overlap in part. Records passed by reference to inlined functions, closures and
small structs disappear so, as in a compiler. Arrays that are indexed by a register stay in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    Instruction,
    MemoryAccess,
    Op,
    ParameterPiece,
    Space,
    blocks,
    instructions_of,
)

if TYPE_CHECKING:
    from roofstat.program.builder import Builder

_SAME_OBJECT = frozenset({Op.PTR_ADD, Op.MOV})

Static = tuple[int, int]
"""(slot, offset in bytes) that a register is known to address."""


def promote(builder: Builder, parameter_slots: dict[int, int]) -> None:
    """Rewrite the code of `builder` in place.

    Args:
        builder: The code.
        parameter_slots: Slot -> parameter number, for parameters of the code itself; their pieces are read with PARAM.
    """
    instructions = list(instructions_of(builder.body))
    pointers: dict[Static, Static] = {}
    while True:
        addresses = _static_addresses(builder, instructions, pointers)
        kept = _slots_in_memory(builder, instructions, addresses)
        found = _single_pointers(instructions, addresses, kept, parameter_slots)
        if found == pointers:
            break
        pointers = found
    _rewrite(builder, addresses, kept, parameter_slots)


def _static_addresses(
    builder: Builder, instructions: list[Instruction], pointers: dict[Static, Static]
) -> dict[int, Static]:
    addresses: dict[int, Static] = {}
    for item in instructions:
        if item.op is Op.SLOT:
            addresses[item.dest] = (_integer(item.detail), 0)
        elif item.op is Op.PTR_ADD:
            base, index = item.args
            known = addresses.get(base)
            if known is not None and index in builder.constants:
                step = int(builder.constants[index]) * _integer(item.detail)
                addresses[item.dest] = (known[0], known[1] + step)
        elif item.op is Op.MOV:
            if item.args[0] in addresses and item.dest not in builder.variables:
                addresses[item.dest] = addresses[item.args[0]]
        elif item.op is Op.LOAD and pointers:
            access = item.detail
            known = addresses.get(item.args[0])
            if known is not None and isinstance(access, MemoryAccess):
                target = pointers.get((known[0], known[1] + access.offset_bytes))
                if target is not None:
                    addresses[item.dest] = target
    return addresses


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value


def _slots_in_memory(
    builder: Builder, instructions: list[Instruction], addresses: dict[int, Static]
) -> set[int]:
    """Slots that cannot be promoted."""
    kept = {
        index
        for index, slot in enumerate(builder.slots)
        if slot.space in (Space.SHARED, Space.GLOBAL) or slot.length_register is not None
    }
    counts = _store_counts(instructions, addresses)
    pieces: dict[int, dict[int, int]] = {}
    pointed_from: list[tuple[int, int]] = []
    for item in instructions:
        for number, register in enumerate(item.args):
            known = addresses.get(register)
            if known is None:
                continue
            slot, offset = known
            access = item.detail
            if isinstance(access, MemoryAccess) and number == 0:
                start = offset + access.offset_bytes
                size = item.scalar.size_bytes
                inside = start >= 0 and start + size <= max(builder.slots[slot].size_bytes, 1)
                whole = access.bit_width is None and _add_piece(
                    pieces.setdefault(slot, {}), start, size
                )
                if not (inside and whole):
                    kept.add(slot)
            elif item.op in _SAME_OBJECT and number == 0 and item.dest in addresses:
                continue
            elif item.op is Op.STORE and isinstance(access, MemoryAccess):
                # A pointer kept in a slot is seen through where that piece is written only once.
                target = addresses.get(item.args[0])
                if target is None or counts.get((target[0], target[1] + access.offset_bytes)) != 1:
                    kept.add(slot)
                else:
                    pointed_from.append((slot, target[0]))
            else:
                kept.add(slot)
    changed = True
    while changed:
        changed = False
        for slot, holder in pointed_from:
            if holder in kept and slot not in kept:
                kept.add(slot)
                changed = True
    return kept


def _store_counts(
    instructions: list[Instruction], addresses: dict[int, Static]
) -> dict[Static, int]:
    counts: dict[Static, int] = {}
    for item in instructions:
        if item.op is Op.STORE and isinstance(item.detail, MemoryAccess):
            known = addresses.get(item.args[0])
            if known is not None:
                place = (known[0], known[1] + item.detail.offset_bytes)
                counts[place] = counts.get(place, 0) + 1
    return counts


def _add_piece(pieces: dict[int, int], start: int, size: int) -> bool:
    """Add [start, start+size) to the partition; False when it overlaps a piece in part."""
    known = pieces.get(start)
    if known is not None:
        return known == size
    for other, other_size in pieces.items():
        if start < other + other_size and other < start + size:
            return False
    pieces[start] = size
    return True


def _single_pointers(
    instructions: list[Instruction],
    addresses: dict[int, Static],
    kept: set[int],
    parameter_slots: dict[int, int],
) -> dict[Static, Static]:
    """Slot pieces that always hold one known address."""
    counts = _store_counts(instructions, addresses)
    found: dict[Static, Static] = {}
    for item in instructions:
        if (
            item.op is Op.STORE
            and item.scalar is Scalar.U64
            and isinstance(item.detail, MemoryAccess)
        ):
            known = addresses.get(item.args[0])
            value = addresses.get(item.args[1])
            if known is None or value is None or known[0] in kept or known[0] in parameter_slots:
                continue
            place = (known[0], known[1] + item.detail.offset_bytes)
            if counts.get(place) == 1:
                found[place] = value
    return found


def _rewrite(
    builder: Builder, addresses: dict[int, Static], kept: set[int], parameter_slots: dict[int, int]
) -> None:
    variables: dict[tuple[int, int], int] = {}
    types: dict[int, Scalar] = {}
    for block in blocks(builder.body):
        rewritten: list[Instruction] = []
        for item in block.instructions:
            access = item.detail
            pointer = item.dest if item.op is not Op.STORE else item.args[1]
            if pointer in addresses and addresses[pointer][0] not in kept:
                continue  # only accesses that are registers now used this address
            known = addresses.get(item.args[0]) if item.op in (Op.LOAD, Op.STORE) else None
            if known is not None and known[0] not in kept and isinstance(access, MemoryAccess):
                place = (known[0], known[1] + access.offset_bytes)
                variable = variables.get(place)
                if variable is None:
                    variable = builder.variable(item.scalar)
                    variables[place] = variable
                    types[variable] = item.scalar
                rewritten.extend(_register_access(builder, item, variable, types[variable]))
            else:
                rewritten.append(item)
        block.instructions = rewritten
    entry = [
        _parameter_move(builder, variable, parameter_slots[slot], offset, builder.slots[slot].name)
        for (slot, offset), variable in variables.items()
        if slot in parameter_slots
    ]
    if entry:
        first = next(blocks(builder.body), None)
        assert first is not None
        first.instructions[:0] = [item for pair in entry for item in pair]


def _register_access(
    builder: Builder, item: Instruction, variable: int, scalar: Scalar
) -> list[Instruction]:
    if item.op is Op.LOAD:
        if item.scalar is scalar:
            return [Instruction(Op.MOV, item.dest, (variable,), scalar, item.site, item.position)]
        return [
            Instruction(
                Op.BITCAST, item.dest, (variable,), item.scalar, item.site, item.position, scalar
            )
        ]
    value = item.args[1]
    if item.scalar is scalar:
        return [Instruction(Op.MOV, variable, (value,), scalar, item.site, item.position)]
    converted = builder.register(scalar)
    site = builder.site_count
    builder.site_count += 1
    return [
        Instruction(Op.BITCAST, converted, (value,), scalar, site, item.position, item.scalar),
        Instruction(Op.MOV, variable, (converted,), scalar, item.site, item.position),
    ]


def _parameter_move(
    builder: Builder, variable: int, parameter: int, offset: int, name: str
) -> tuple[Instruction, Instruction]:
    scalar = builder.register_types[variable]
    register = builder.register(scalar)
    site = builder.site_count
    builder.site_count += 2
    piece = ParameterPiece(index=parameter, offset_bytes=offset, name=name)
    position = builder.slots[0].position if builder.slots else builder.position
    return (
        Instruction(Op.PARAM, register, (), scalar, site, position, piece),
        Instruction(Op.MOV, variable, (register,), scalar, site + 1, position),
    )
