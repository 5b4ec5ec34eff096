"""GPU code that the preprocessor leaves out: kernels and target regions in branches of ``#if`` that are not taken."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Position
from clang_queries.ir.statements import LeftOutCode
from clang_queries.lexing import Lines
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.lowering.unit_context import UnitContext

_GPU_CODE = pattern(
    rb"^[^\n/*\"]*\b__global__\b|^[ \t]*(?:#|%:)[ \t]*pragma[ \t]+omp\b[^\n]*\btarget\b",
    re.MULTILINE,
)


def left_out_code(context: UnitContext) -> Iterator[LeftOutCode]:
    """The first GPU code that is left out of each file of the project."""
    for handle in context.project_files:
        text = context.unit.contents(handle)
        skipped: list[tuple[int, int]] | None = None
        for match in _GPU_CODE.finditer(text):
            if skipped is None:
                skipped = context.unit.skipped_ranges(handle)
            around = [begin for begin, end in skipped if begin <= match.start() < end]
            if around:
                lines, name = Lines(text), context.unit.file_name(handle)
                condition = text[around[-1] :].partition(b"\n")[0]
                yield LeftOutCode(
                    position=Position(name, *lines.place(match.start())),
                    condition=condition.decode("utf-8", "replace").strip(),
                    condition_line=lines.place(around[-1])[0],
                )
                break
