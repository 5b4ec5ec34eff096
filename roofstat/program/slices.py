"""Where the values of registers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from roofstat.program.code import Instruction

COPIES: Final = frozenset({Op.MOV, Op.CAST})


def backward_slice(
    writers: Mapping[int, Sequence[Instruction]],
    register: int,
    leads_on: Callable[[Instruction], bool],
    left_out: Collection[int] = (),
) -> Iterator[Instruction]:
    """Yield what a register is computed from, each instruction once for the register that it writes.

    Args:
        writers: Register -> the instructions that write it.
        register: Where to begin.
        leads_on: Whether the operands of an instruction are followed too.
        left_out: Registers that are not followed.
    """
    return backward_slices(writers, [register], leads_on, left_out)


def backward_slices(
    writers: Mapping[int, Sequence[Instruction]],
    registers: Iterable[int],
    leads_on: Callable[[Instruction], bool],
    left_out: Collection[int] = (),
) -> Iterator[Instruction]:
    """Yield what several registers are computed from, shared parts once; see `backward_slice`."""
    stack, seen = list(registers), set(left_out)
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        for item in writers.get(current, ()):
            yield item
            if leads_on(item):
                stack.extend(item.args)


def copied_once(
    writers: Mapping[int, Sequence[Instruction]],
    register: int,
    copies: Collection[Op] = COPIES,
) -> int:
    """Return what a register was copied from, as far as each copy is the only thing that writes it."""
    seen: set[int] = set()
    while register not in seen:
        seen.add(register)
        written = writers.get(register, ())
        if len(written) != 1 or written[0].op not in copies:
            break
        register = written[0].args[0]
    return register


def variable_behind(
    definitions: Mapping[int, Instruction], variables: Collection[int], register: int
) -> int:
    """Return the variable or the temporary that a register was copied from.

    Copies from one variable to another are not followed: they may go in circles, as a swap does.
    """
    while register not in variables:
        item = definitions.get(register)
        if item is None or item.op not in COPIES:
            break
        register = item.args[0]
    return register
