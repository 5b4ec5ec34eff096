"""Runs SASS of one thread and reports which instructions executed, guard true.

Enough of the instruction set for straight-line arithmetic, the math library and its slow paths:
it follows branches, calls and returns on real values, so an executed path is the path that a GPU
takes for these operands. Results are compared with the expected ones, which checks the emulation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import sass_floating
import sass_integer
from sass_machine import Binary, Machine, UnsupportedError, next_register
from sass_text import Function, Instruction
from sass_values import LONG, WORD, bits_of, double_of, float_of, word_of

_LIMIT = 300_000
_BRACKETS = re.compile(r"\[([^\[\]]*)\]$")
_LABEL = re.compile(r"`\((?P<name>[^)]+)\)")
_SIZES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_IGNORED = frozenset(
    [
        "NOP",
        "BSSY",
        "BSYNC",
        "BREAK",
        "WARPSYNC",
        "MEMBAR",
        "ERRBAR",
        "CGAERRBAR",
        "CCTL",
        "DEPBAR",
        "BMOV",
        "YIELD",
        "BAR",
        "B2R",
    ]
)
_HANDLERS = {**sass_integer.HANDLERS, **sass_floating.HANDLERS}


def run(
    function: Function, binary: Binary, shared: Mapping[int, bytes]
) -> tuple[list[Instruction], Machine]:
    """Execute a kernel of one argument with one thread.

    Args:
        function: its instructions.
        binary: constants of the cubin.
        shared: initial contents of dynamic shared memory by offset.

    Returns:
        The executed instructions with a true guard, in order, and the final state.

    Raises:
        UnsupportedError: an instruction is not known, or the thread does not end.
    """
    machine = Machine(binary=binary, kernel=function.name)
    base = shared_base(function)
    for address, content in shared.items():
        machine.store("shared", base + address, len(content), int.from_bytes(content, "little"))
    return execute(function, machine), machine


def execute(function: Function, machine: Machine) -> list[Instruction]:
    """Run a thread to its end; the executed instructions with a true guard, in order.

    Raises:
        UnsupportedError: an instruction is not known, or the thread does not end.
    """
    by_address = {i.address: n for n, i in enumerate(function.instructions)}
    executed: list[Instruction] = []
    at = 0
    for _step in range(_LIMIT):
        instruction = function.instructions[at]
        if instruction.predicate and not machine.predicate(instruction.predicate):
            at += 1
            continue
        executed.append(instruction)
        name = instruction.opcode.partition(".")[0]
        if name == "EXIT":
            return executed
        target = _jump(machine, name, instruction, function)
        if target is not None:
            at = by_address[target]
            continue
        at += 1
        if name not in ("BRA", "CALL", "RET"):
            _execute(machine, name, instruction)
    raise UnsupportedError(f"{function.name}: no end after {_LIMIT} instructions")


def shared_base(function: Function) -> int:
    """Where dynamic shared memory starts: with clusters (sm_90) 1 KiB belongs to the system."""
    clustered = any("SR_CgaCtaId" in i.operands for i in function.instructions)
    return 0x400 if clustered else 0


def _place_in(function: Function, text: str) -> int:
    """Address of a jump's operand: a number, or a label as `nvdisasm` prints it; the function itself is at 0."""
    label = _LABEL.search(text)
    if label is not None:
        return 0 if label["name"] == function.name else function.labels[label["name"]]
    return int(text.rsplit(maxsplit=1)[-1], 16)


def _jump(machine: Machine, name: str, instruction: Instruction, function: Function) -> int | None:
    """Target address of a taken branch, call or return."""
    operands = instruction.operands
    if name == "BRA":
        if ".DIV" in instruction.opcode:
            return None
        for guard in operands[:-1]:
            if re.fullmatch(r"!?U?P\w", guard) and not machine.predicate(guard):
                return None
        return _place_in(function, operands[-1])
    if name == "CALL":
        return _place_in(function, operands[-1])
    if name == "RET":
        register, _, offset = operands[-1].partition(" ")
        return machine.long(register) + _place_in(function, offset or "0") & WORD
    return None


def _execute(machine: Machine, name: str, instruction: Instruction) -> None:
    mods = instruction.opcode.split(".")[1:]
    operands = instruction.operands
    handler = _OTHERS.get(name) or _HANDLERS.get(name)
    if handler is None and name[0] == "U":
        handler = _OTHERS.get(name[1:]) or _HANDLERS.get(name[1:])
    if handler is not None:
        handler(machine, mods, operands)
    elif name not in _IGNORED:
        raise UnsupportedError(f"{name} in {instruction.opcode} {operands}")


def _move(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    if "64" in mods:
        machine.write_long(operands[0], machine.long(operands[1]))
    else:
        machine.write(operands[0], machine.integer(operands[1]))


def _read_special(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    machine.write(operands[0], machine.thread.special_register(operands[1]))
    del mods


def _read_clock(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    if "32" in mods:
        machine.write(operands[0], 0)
    else:
        machine.write_long(operands[0], 0)


def _load_constant(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    words = 2 if "64" in mods else 4 if "128" in mods else 1
    for i in range(words):
        machine.write(next_register(operands[0], i), machine.constant_word(operands[1], 4 * i))


def _place(operand: str, machine: Machine, space: str) -> int:
    match = _BRACKETS.search(operand)
    if match is None:
        raise UnsupportedError(operand)
    inside = match[1]
    if space == "global" and ".64" not in inside and ".U32" not in inside:
        # sm_75 prints 64-bit addresses without the suffix.
        inside = re.sub(r"\b(U?R\d+)\b", r"\1.64", inside)
    return machine.address(inside)


def _access(mods: Sequence[str]) -> int:
    return next((_SIZES[m] for m in mods if m in _SIZES), 4)


def _loader(space: str) -> Callable[[Machine, Sequence[str], Sequence[str]], None]:
    def load(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
        size = _access(mods)
        value = machine.load(space, _place(operands[-1], machine, space), size)
        if "S16" in mods or "S8" in mods:
            value = value - (1 << 8 * size) if value >> (8 * size - 1) else value
        for i in range(max(size // 4, 1)):
            if operands[0] != "RZ":
                machine.write(next_register(operands[0], i), value >> 32 * i)

    return load


def _storer(space: str) -> Callable[[Machine, Sequence[str], Sequence[str]], None]:
    def store(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
        size = _access(mods)
        address = _place(operands[0], machine, space)
        if size < 8 or operands[1] in ("RZ", "URZ"):
            machine.store(space, address, size, machine.integer(operands[1]))
            return
        for i in range(size // 4):
            word = machine.integer(next_register(operands[1], i))
            machine.store(space, address + 4 * i, 4, word)

    return store


def _updated(mods: Sequence[str], old: int, value: int, bits: int) -> int:
    """New contents of a cell after an atomic operation."""
    if "F32" in mods or "F64" in mods:
        read, back = (double_of, bits_of) if "F64" in mods else (float_of, word_of)
        return back(read(old) + read(value))
    if "ADD" in mods:
        return old + value & (1 << bits) - 1
    results = {"AND": old & value, "OR": old | value, "XOR": old ^ value, "EXCH": value}
    for name, result in results.items():
        if name in mods:
            return result
    return value


def _atomic(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    """ATOM, ATOMG, ATOMS, RED, REDG on one lane."""
    index = next(i for i, operand in enumerate(operands) if "[" in operand)
    space = "global" if "E" in mods else "shared"
    address = _place(operands[index], machine, space)
    wide = "64" in mods or "F64" in mods
    size = 8 if wide else 4
    old = machine.load(space, address, size)
    read = machine.long if wide else machine.integer
    sources = [o for o in operands[index + 1 :] if not o.startswith(("P", "!P"))]
    new = read(sources[0]) if sources else 1
    if "CAS" in mods or "CAST" in mods:
        swapped = new == old
        if swapped:
            machine.store(space, address, size, read(sources[1]))
        # The cast-and-spin form returns success in the register, not the old value.
        if "CAST" in mods:
            old = 1 if swapped else 0
    else:
        machine.store(space, address, size, _updated(mods, old, new, 8 * size))
    for operand in operands[:index]:
        if operand[0] == "R":
            (machine.write_long if wide else machine.write)(operand, old & (LONG if wide else WORD))
        else:
            machine.set_predicate(operand, True)


def _vote(machine: Machine, mods: Sequence[str], operands: Sequence[str]) -> None:
    value = machine.predicate(operands[-1])
    for operand in operands[:-1]:
        if re.fullmatch(r"U?P\w", operand):
            machine.set_predicate(operand, value)
        elif operand not in ("RZ", "URZ"):
            machine.write(operand, int(value))
    del mods


def _shuffle(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    machine.set_predicate(operands[0], True)
    machine.write(operands[1], machine.integer(operands[2]))


def _match(machine: Machine, _mods: Sequence[str], operands: Sequence[str]) -> None:
    register = next(o for o in operands if o[0] == "R")
    machine.write(register, 1)


_OTHERS: dict[str, Callable[[Machine, Sequence[str], Sequence[str]], None]] = {
    "MOV": _move,
    "UMOV": _move,
    "R2UR": _move,
    "S2R": _read_special,
    "S2UR": _read_special,
    "CS2R": _read_clock,
    "CS2UR": _read_clock,
    "LDC": _load_constant,
    "ULDC": _load_constant,
    "LDCU": _load_constant,
    "LDS": _loader("shared"),
    "LDG": _loader("global"),
    "LD": _loader("global"),
    "LDL": _loader("local"),
    "STS": _storer("shared"),
    "STG": _storer("global"),
    "ST": _storer("global"),
    "STL": _storer("local"),
    "ATOM": _atomic,
    "ATOMG": _atomic,
    "ATOMS": _atomic,
    "RED": _atomic,
    "REDG": _atomic,
    "VOTE": _vote,
    "VOTEU": _vote,
    "SHFL": _shuffle,
    "MATCH": _match,
    "REDUX": _move,
    "CREDUX": _move,
}
