"""Branches on the thread index that split warps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.code import Switch, blocks
from roofstat.report import PatternKind, PatternReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.patterns.subject import KernelCode

__all__ = ["divergent_branches"]


def divergent_branches(code: KernelCode) -> Iterator[PatternReport]:
    """Branches that some warp took both ways, with the instructions that their idle lanes cost."""
    split = [
        each
        for each in code.text_facts.branches
        if isinstance(each.branch, Switch)
        or not code.trace.branch_uniform.get(each.branch.number, True)
        if each.branch.position.line
    ]
    if not split:
        return
    for each in split:
        branch, before = each.branch, each.before
        decisive = branch.selector if isinstance(branch, Switch) else branch.condition
        if decisive not in code.text_facts.thread_dependent:
            continue
        sides = [[block.number for block in blocks(list(side))] for side in each.sides]
        taken = [side for side in sides if side and code.trace.block_warps.get(side[0])]
        warps = sum(code.trace.block_warps[side[0]] for side in taken)
        threads = sum(code.trace.block_threads.get(side[0], 0.0) for side in taken)
        whole = code.active_share(before.number) if before is not None else 1.0
        # What an inner branch splits further is the inner one's waste.
        wasted = sum(
            sum(map(code.issued, side)) * max(1.0 - code.active_share(side[0]) / whole, 0.0)
            for side in taken
        )
        if not warps or not code.warp_instructions or not wasted:
            continue
        yield PatternReport(
            kind=PatternKind.THREAD_DIVERGENCE if len(taken) > 1 else PatternKind.THREAD_GUARD,
            line=branch.position.line,
            file=code.other_file(branch.position),
            column=branch.position.column or None,
            executions=warps,
            lanes=threads / warps,
            share=min(wasted / code.warp_instructions, 1.0),
        )
