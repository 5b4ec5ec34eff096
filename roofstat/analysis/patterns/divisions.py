"""Integer divisions and remainders by a value that the compiler does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern
from roofstat.instructions.tables.quantities import Quantity
from roofstat.program.code import Op
from roofstat.report import PatternKind, PatternReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.patterns.subject import KernelCode

__all__ = ["runtime_divisions"]

_OPERATOR = pattern(r"/(?![/*])|%")


def runtime_divisions(code: KernelCode) -> Iterator[PatternReport]:
    """One for each line of the source with such an operation."""
    seen: set[tuple[str, int]] = set()
    for placed in code.text_facts.placed:
        item = placed.instruction
        key = (item.position.file, item.position.line)
        if item.op not in (Op.DIV, Op.REM) or item.scalar.is_float or key in seen:
            continue
        if item.args[1] in code.trace.code.constants:
            continue
        # A directive's loop nest is split by divisions that nobody wrote.
        if not _OPERATOR.search(code.text(item.position)):
            continue
        work = code.counts.by_line.get(key, {}).get(Quantity.INT_OP, 0.0)
        if not work:
            continue
        seen.add(key)
        yield PatternReport(
            kind=PatternKind.RUNTIME_DIVISION,
            line=item.position.line,
            file=code.other_file(item.position),
            column=item.position.column or None,
            subject="%" if item.op is Op.REM else "/",
            executions=code.executions(placed),
            share=min(work / (code.counts.int_op or work), 1.0),
        )
