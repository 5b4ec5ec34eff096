"""Double precision that single-precision data does not ask for: unsuffixed literals and double functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.analysis.patterns.templates import is_generic
from roofstat.instructions.quantities import Quantity
from roofstat.program.code import Op
from roofstat.report import PatternKind, PatternReport, SourceSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.patterns.subject import KernelCode
    from roofstat.program.code import Instruction
    from roofstat.program.link import Program

__all__ = ["widened_arithmetic"]

_NARROW = (Scalar.F32, Scalar.F16, Scalar.BF16)
_COMPARISONS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE})
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV}) | _COMPARISONS
_KEEPING = (_ARITHMETIC - _COMPARISONS) | {Op.MATH, Op.NEG, Op.SELECT}
_LITERAL = re.compile(
    r"(?<![\w.])(?P<number>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)(?![\w.])"
)
_WANTED = re.compile(r"\(\s*double\s*\)|\bdouble\s*\(|_cast\s*<\s*double\b")
"""A conversion that somebody wrote down is meant."""
_COMMENT = re.compile(r"//.*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"")


def widened_arithmetic(code: KernelCode, program: Program) -> Iterator[PatternReport]:
    """FP64 operations all of whose inputs are single-precision values, or constants; one of each kind for a line."""
    seen: set[tuple[PatternKind, str, int]] = set()
    for placed in code.placed:
        item = placed.instruction
        kind = _kind(code, item)
        key = (item.position.file, item.position.line)
        if kind is None or (kind, *key) in seen or not code.executions(placed):
            continue
        if not code.counts.by_line.get(key, {}).get(Quantity.DP_FLOP):
            continue  # the compiler narrows it again, or computes it once and for all
        if _WANTED.search(code.text(item.position)) or not _ends_narrow(code, item.dest):
            continue
        seen.add((kind, *key))
        yield PatternReport(
            kind=kind,
            line=item.position.line,
            file=code.other_file(item.position),
            column=item.position.column or None,
            subject=str(item.detail) if item.op is Op.MATH else _written(code, item),
            executions=code.executions(placed),
            spans=_literals(code.text(item.position), item.position.line, _constants(code, item))
            if kind is PatternKind.DOUBLE_LITERAL
            else (),
            is_generic=is_generic(item.position, program),
        )


def _kind(code: KernelCode, item: Instruction) -> PatternKind | None:
    if item.scalar is not Scalar.F64 or item.op not in _ARITHMETIC | {Op.MATH}:
        return None
    widened = [_is_widened(code, register) for register in item.args]
    constant = [register in code.trace.code.constants for register in item.args]
    if not any(widened) or not all(map(max, widened, constant)):
        return None
    if item.op is Op.MATH:
        return PatternKind.DOUBLE_FUNCTION
    return PatternKind.DOUBLE_LITERAL if any(constant) else None


def _is_widened(code: KernelCode, register: int) -> bool:
    """Whether a register holds a single-precision value in double precision."""
    written = code.writers.get(register, [])
    return len(written) == 1 and written[0].op is Op.CAST and written[0].detail in _NARROW


def _ends_narrow(code: KernelCode, register: int) -> bool:
    """Whether a double is only compared, or ends in single precision again: nobody keeps its further digits."""
    seen, waiting = {register}, [register]
    while waiting:
        users = code.users.get(waiting.pop(), [])
        if not users:
            return False
        for item in users:
            if (item.op is Op.CAST and item.scalar in _NARROW) or item.op in _COMPARISONS:
                continue
            if item.op not in _KEEPING or item.scalar is not Scalar.F64:
                return False
            if item.dest not in seen:
                seen.add(item.dest)
                waiting.append(item.dest)
    return True


def _constants(code: KernelCode, first: Instruction) -> set[float]:
    """The constants of an operation and of those on its result; none where a value joins that is double itself."""
    chain, registers = [first], {first.dest}
    for item in chain:
        for user in code.users.get(item.dest, []):
            if user.scalar is Scalar.F64 and user.dest not in registers:
                registers.add(user.dest)
                chain.append(user)
    constants = code.trace.code.constants
    inputs = {register for item in chain for register in item.args} - registers
    if not all(register in constants or _is_widened(code, register) for register in inputs):
        return set()
    return {abs(float(constants[register])) for register in inputs if register in constants}


def _written(code: KernelCode, item: Instruction) -> str:
    """The literals of one operation, as written."""
    constants = code.trace.code.constants
    values = {abs(float(constants[each])) for each in item.args if each in constants}
    found = _literals(code.text(item.position), item.position.line, values)
    return ", ".join(dict.fromkeys(span.text for span in found))


def _literals(text: str, line: int, values: set[float]) -> tuple[SourceSpan, ...]:
    """Places of the unsuffixed literals of a line that have one of these values."""
    bare = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    return tuple(
        SourceSpan(line=line, column=found.start() + 1, text=found["number"])
        for found in _LITERAL.finditer(bare)
        if float(found["number"]) in values
    )
