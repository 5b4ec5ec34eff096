"""Reads the text of `cuobjdump -sass` and `nvdisasm`: kernels, instructions, operands, lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FUNCTION = re.compile(r"^\s*Function : (?P<name>\S+)")
_INSTRUCTION = re.compile(
    r"^\s*/\*(?P<address>[0-9a-f]{4,})\*/\s+"
    r"(?:@(?P<predicate>!?U?P\w+)\s+)?(?P<opcode>[A-Z][\w.]*)\s*(?P<operands>[^;]*);"
)
_SECTION = re.compile(r"^\.text\.(?P<name>\S+):\s*$")
_LABEL = re.compile(r"^(?P<name>[.$\w]+):\s*$")
_LINE = re.compile(r'^\s*//## File "(?P<file>[^"]*)", line (?P<line>\d+)')
_COMMA = re.compile(r",\s*(?![^\[{(]*[\]})])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One SASS instruction.

    Attributes:
        address: byte offset in its function.
        predicate: guard as printed (`P0`, `!P3`, `UP1`), empty when it always executes.
        opcode: mnemonic with modifiers.
        operands: operands as printed, destinations first.
        line: source line it is attributed to (innermost inlined function), 0 when unknown.
        file: source file of that line.
        outer_line: line of the kernel itself that led there, after undoing inlining.
    """

    address: int
    predicate: str
    opcode: str
    operands: tuple[str, ...]
    line: int = 0
    file: str = ""
    outer_line: int = 0


@dataclass(slots=True, kw_only=True)
class Function:
    """One function of a cubin: a kernel with the subroutines that stand in its section.

    `labels` gives the address of each label (only `nvdisasm` prints them); subroutines have a `$`
    in theirs.
    """

    name: str
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)


def parse_sass(text: str) -> list[Function]:
    """Functions of a listing, in its order.

    Line comments (`nvdisasm -gi`: `//## File "x.cu", line 3 inlined at ...`) come innermost first;
    the chain before an instruction gives its innermost and its outermost position.
    """
    functions: list[Function] = []
    chain: list[tuple[str, int]] = []
    fresh = True
    pending: list[str] = []
    for row in text.splitlines():
        header = _FUNCTION.match(row) or _SECTION.match(row)
        if header:
            functions.append(Function(name=header["name"]))
            chain, fresh, pending = [], True, []
            continue
        label = _LABEL.match(row)
        if label:
            pending.append(label["name"])
            continue
        position = _LINE.match(row)
        if position:
            chain = [*([] if fresh else chain), (position["file"], int(position["line"]))]
            fresh = False
            continue
        match = _INSTRUCTION.match(row)
        if match is None or not functions:
            continue
        fresh = True
        address = int(match["address"], 16)
        functions[-1].labels.update(dict.fromkeys(pending, address))
        pending = []
        functions[-1].instructions.append(
            Instruction(
                address=address,
                predicate=match["predicate"] or "",
                opcode=match["opcode"],
                operands=split_operands(match["operands"]),
                file=chain[0][0] if chain else "",
                line=chain[0][1] if chain else 0,
                outer_line=chain[-1][1] if chain else 0,
            )
        )
    return functions


def split_operands(text: str) -> tuple[str, ...]:
    """Operands of one instruction without register-cache hints.

    Example:
        >>> split_operands("R3, P0, R2.reuse, c[0x0][0x160], RZ ")
        ('R3', 'P0', 'R2', 'c[0x0][0x160]', 'RZ')
    """
    cleaned = text.replace(".reuse", "").strip()
    return tuple(part.strip() for part in _COMMA.split(cleaned)) if cleaned else ()
