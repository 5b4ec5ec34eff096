"""Double precision that single-precision data does not ask for: unsuffixed literals and double functions."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_pattern import pattern
from roofstat.analysis.patterns.templates import is_generic
from roofstat.instructions.tables.quantities import Quantity
from roofstat.program.code import Op
from roofstat.program.comparisons import COMPARISONS
from roofstat.report import PatternKind, PatternReport, SourceSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.patterns.subject import KernelCode
    from roofstat.program.code import Instruction
    from roofstat.program.link import Program

__all__ = ["widened_arithmetic"]

_NARROW = (Scalar.F32, Scalar.F16, Scalar.BF16)
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV}) | COMPARISONS
_KEEPING = (_ARITHMETIC - COMPARISONS) | {Op.MATH, Op.NEG, Op.SELECT}
_DIGITS, _HEX_DIGITS = r"\d(?:'?\d)*", r"[\da-fA-F](?:'?[\da-fA-F])*"
_FLOATING = (
    rf"(?<![\w.'])(?P<number>0[xX](?:{_HEX_DIGITS}\.?(?:{_HEX_DIGITS})?|\.{_HEX_DIGITS})[pP][+-]?{_DIGITS}"
    rf"|(?:{_DIGITS}\.(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?|{_DIGITS}[eE][+-]?{_DIGITS})"
)
_LITERAL = pattern(rf"{_FLOATING}(?![\w.'])")
_SINGLE = pattern(rf"{_FLOATING}[fF](?![\w.'])")
_WHOLE = pattern(rf"(?<![\w.'])(?P<number>{_DIGITS})(?![\w.'])")
_WANTED = pattern(r"\(\s*double\s*\)|\bdouble\s*\(|_cast\s*<\s*double\b")
"""A conversion that somebody wrote down is meant."""
_COMMENT = pattern(r"//.*|/\*.*?\*/|\"(?:[^\"\\]|\\.)*\"")


def widened_arithmetic(code: KernelCode, program: Program) -> Iterator[PatternReport]:
    """FP64 operations all of whose inputs are single-precision values, or constants; one of each kind for a line."""
    found: dict[tuple[PatternKind, str, int], PatternReport] = {}
    for placed in code.text_facts.placed:
        item = placed.instruction
        kind = _kind(code, item)
        place = (item.position.file, item.position.line)
        if kind is None or not code.executions(placed):
            continue
        if not code.counts.by_line.get(place, {}).get(Quantity.DP_FLOP):
            continue  # the compiler narrows it again, or computes it once and for all
        if _WANTED.search(code.text(item.position)) or not _ends_narrow(code, item.dest):
            continue
        spans = _edited(code, item) if kind is PatternKind.DOUBLE_LITERAL else ()
        before = found.get((kind, *place))
        if before is not None:
            # An edit is for all that is found on the line, or there is none.
            both = {*before.spans, *spans} if before.spans and spans else ()
            merged = tuple(sorted(both, key=lambda span: span.column))
            found[kind, *place] = dataclasses.replace(before, spans=merged)
            continue
        written = () if item.op is Op.MATH else _written(code, item)
        found[kind, *place] = PatternReport(
            kind=kind,
            line=item.position.line,
            file=code.other_file(item.position),
            column=(written[0].column if written else item.position.column) or None,
            subject=str(item.detail)
            if item.op is Op.MATH
            else ", ".join(dict.fromkeys(span.text for span in written)),
            executions=code.executions(placed),
            spans=spans,
            is_generic=is_generic(item.position, program),
        )
    yield from found.values()


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
    written = code.text_facts.writers.get(register, [])
    return len(written) == 1 and written[0].op is Op.CAST and written[0].detail in _NARROW


def _ends_narrow(code: KernelCode, register: int) -> bool:
    """Whether a double is only compared, or ends in single precision again: nobody keeps its further digits."""
    seen, waiting = {register}, [register]
    while waiting:
        users = code.text_facts.users.get(waiting.pop(), [])
        if not users:
            return False
        for item in users:
            if (item.op is Op.CAST and item.scalar in _NARROW) or item.op in COMPARISONS:
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
        for user in code.text_facts.users.get(item.dest, []):
            if user.scalar is Scalar.F64 and user.dest not in registers:
                registers.add(user.dest)
                chain.append(user)
    constants = code.trace.code.constants
    inputs = {register for item in chain for register in item.args} - registers
    if not all(
        register in constants or _is_widened(code, register) or _is_double_function(code, register)
        for register in inputs
    ):
        return set()
    return {abs(float(constants[register])) for register in inputs if register in constants}


def _is_double_function(code: KernelCode, register: int) -> bool:
    """Whether a register holds what a function in double precision makes of single-precision values."""
    written = code.text_facts.writers.get(register, [])
    return len(written) == 1 and _kind(code, written[0]) is PatternKind.DOUBLE_FUNCTION


def _edited(code: KernelCode, item: Instruction) -> tuple[SourceSpan, ...]:
    """Literals that make an operation single precision with a suffix; none where constants stand elsewhere too, as in macros."""
    text, values = code.text(item.position), _constants(code, item)
    found = _literals(text, item.position.line, values)
    bare = _bare(text)
    known = {_number(span.text) for span in found}
    known |= {_number(each["number"]) for each in _WHOLE.finditer(bare)}
    known |= {float(np.float32(_number(each["number"]))) for each in _SINGLE.finditer(bare)}
    return found if values <= known else ()


def _written(code: KernelCode, item: Instruction) -> tuple[SourceSpan, ...]:
    """The literals of one operation, as written."""
    constants = code.trace.code.constants
    values = {abs(float(constants[each])) for each in item.args if each in constants}
    return _literals(code.text(item.position), item.position.line, values)


def _literals(text: str, line: int, values: set[float]) -> tuple[SourceSpan, ...]:
    """Places of the unsuffixed literals of a line that have one of these values."""
    return tuple(
        SourceSpan(line=line, column=found.start() + 1, text=found["number"])
        for found in _LITERAL.finditer(_bare(text))
        if _number(found["number"]) in values
    )


def _bare(text: str) -> str:
    """A line with blanks for its comments and strings."""
    return _COMMENT.sub(lambda found: " " * len(found[0]), text)


def _number(written: str) -> float:
    digits = written.replace("'", "")
    return float.fromhex(digits) if digits[:2] in {"0x", "0X"} else float(digits)
