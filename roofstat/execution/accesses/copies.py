"""Copies of records and text, and memory set to zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.accesses.addresses import resolve
from roofstat.execution.accesses.objects import (
    copy_cells,
)
from roofstat.execution.accesses.stores import store_on_host
from roofstat.execution.stored.fill import Fill, Pattern
from roofstat.execution.stored.kernel_stores import forget_lanes, stores_of
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction

LARGEST_NOTED_RECORD_BYTES = 128
"""Copies of larger records are not summarised when host loops are."""


def copy_bytes(machine: Machine, item: Instruction) -> None:
    """COPY: large records between memory objects."""
    size = item.detail
    assert isinstance(size, int)
    target = resolve(machine, machine.read(item.args[0]), 0)
    source = resolve(machine, machine.read(item.args[1]), 0)
    if machine.dry or target.found is None:
        return
    if not machine.is_host:
        machine.memory.written.add(target.found.buffer.number)
        machine.written.add(target.found.buffer.number)
        stores_of(target.found, machine.run_number).spoil()
    if (
        source.found is not None
        and isinstance(target.address, int)
        and isinstance(source.address, int)
    ):
        if source.found.text is not None and target.found.buffer.space is Space.HOST:
            _copy_text(source.found.text, target.found, target.address - target.found.base)
            return
        start, at = source.address - source.found.base, target.address - target.found.base
        copy_cells(source.found, start, target.found, at, size)
        if machine.is_host and machine.loop_stack and size <= LARGEST_NOTED_RECORD_BYTES:
            _note_copy(machine, item.site, target.found, at, size)
    elif target.found.buffer.space is Space.SHARED:
        target.found.contents.forget_cells()


def _note_copy(machine: Machine, site: int, found: MemoryObject, at: int, size: int) -> None:
    """Tell the running host loops of a record copy, as of stores of its parts."""
    for part in range(size):
        cell = found.contents.cells.get(at + part)
        if cell is not None:
            store_on_host(machine, site + (part << 100), found, at + part, *cell)


def _copy_text(text: str, target: MemoryObject, at: int) -> None:
    for index, character in enumerate(text[:4096]):
        target.contents.store(at + index, Scalar.I8, ord(character))
    target.contents.store(at + len(text), Scalar.I8, 0)
    if at == 0:
        target.state["text"] = text


def zero_bytes(machine: Machine, item: Instruction) -> None:
    """ZERO: clear a record or array."""
    target = resolve(machine, machine.read(item.args[0]), 0)
    if target.found is None or machine.dry or not isinstance(target.address, int):
        return
    contents, size = target.found.contents, item.detail
    whole = target.found.buffer.size_bytes
    if target.address == target.found.base and (
        not isinstance(size, int) or whole is None or size >= whole
    ):
        contents.clear_to(0)
        if not machine.is_host:
            stores_of(target.found, machine.run_number).clear()
    elif isinstance(size, int) and size > 0:
        forget_lanes(target.found, machine.run_number)
        contents.add_fill(
            Fill(
                start=target.address - target.found.base,
                dims=((1, size),),
                scalar=Scalar.U8,
                pattern=Pattern.CONSTANT,
            )
        )
