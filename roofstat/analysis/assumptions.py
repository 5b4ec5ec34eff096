"""What a report rests on: every guess of the stages with its weight, and the bound that it puts on the confidence."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from roofstat.report import Assumption, AssumptionKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.trace import RunAssumption
    from roofstat.instructions.model import CompilerFlags, InstructionCounts
    from roofstat.memory.records import MemoryTraffic
    from roofstat.report import KernelReport

__all__ = ["assumption", "assumptions_of", "confidence_cap", "refused_sizes"]


@cache
def _table(name: str) -> Mapping[str, float]:
    """What each kind of assumption spreads the intensity by (`spread`), or allows to be claimed (`highest`)."""
    text = (resources.files("roofstat.analysis") / "data" / "assumptions.toml").read_text("utf-8")
    return {str(kind): float(value) for kind, value in tomllib.loads(text)[name].items()}


def confidence_cap(launch: HostLaunch, exceeded: Sequence[str]) -> float:
    """The most that can be claimed when part of the kernel was not seen at all, its size is invented, or it never runs like this."""
    trace = launch.trace
    kinds = {kind for kind, _ in launch.notes}
    kinds |= {item.kind for item in _of_trace(launch)}
    kinds |= {item.kind for item in trace.code.assumptions}
    if exceeded:
        kinds.add("refused-launch")
    return min(
        (cap for needed, cap in _table("highest").items() if kinds.issuperset(needed.split("+"))),
        default=1.0,
    )


_KINDS = {
    "trip-count": AssumptionKind.TRIP_COUNT,
    "endless-loop": AssumptionKind.TRIP_COUNT,
    "branch": AssumptionKind.BRANCH,
    "host-branch": AssumptionKind.BRANCH,
    "gather": AssumptionKind.ADDRESS,
    "unknown-address": AssumptionKind.ADDRESS,
    "l2-room": AssumptionKind.CACHE,
    "buffer-size": AssumptionKind.VALUE,
    "argument": AssumptionKind.VALUE,
    "place": AssumptionKind.VALUE,
    "free-size": AssumptionKind.VALUE,
    "likely-instance": AssumptionKind.VALUE,
    "counter": AssumptionKind.VALUE,
    "index-overflow": AssumptionKind.OVERFLOW,
    "size-overflow": AssumptionKind.VALUE,
    "launch": AssumptionKind.LAUNCH,
    "any-launch": AssumptionKind.LAUNCH,
    "refused-launch": AssumptionKind.REFUSED_LAUNCH,
    "ended": AssumptionKind.LAUNCH,
    "folded-launches": AssumptionKind.LAUNCH,
    "launch-count": AssumptionKind.LAUNCH,
    "untaken": AssumptionKind.LAUNCH,
    "library-call": AssumptionKind.LIBRARY_CALL,
    "library-cost": AssumptionKind.LIBRARY_CALL,
    "library-memory": AssumptionKind.LIBRARY_CALL,
    "library-kernel": AssumptionKind.LIBRARY_CALL,
    "library-operation": AssumptionKind.LIBRARY_CALL,
    "input-file": AssumptionKind.INPUT_FILE,
    "budget": AssumptionKind.SAMPLING,
    "sampled": AssumptionKind.SAMPLING,
    "front-end": AssumptionKind.SOURCE,
    "parse-error": AssumptionKind.UNPARSED,
    "serialised": AssumptionKind.LOWERING,
    "control-flow": AssumptionKind.SOURCE,
    "dispatch": AssumptionKind.BRANCH,
}


def assumption(
    kind: str, text: str, file: str | None, line: int | None, share: float
) -> Assumption:
    """An assumption that so much of a launch rests on; its kind decides how much that spreads the intensity."""
    spreads = _table("spread")
    return Assumption(
        kind=_KINDS.get(kind, AssumptionKind.LOWERING),
        text=text,
        file=file or None,
        line=line or None,
        weight=spreads.get(kind, spreads["default"]) * min(max(share, 0.0), 1.0),
    )


def assumptions_of(
    launch: HostLaunch,
    counts: InstructionCounts,
    memory: MemoryTraffic,
    flags: CompilerFlags,
    exceeded: Sequence[str],
) -> tuple[Assumption, ...]:
    """Return every assumption once, the weightiest first; `exceeded` is what the launch has too much of for the card."""
    trace = launch.trace
    notes = (*launch.notes, *(("refused-launch", text) for text in exceeded))
    found = [
        assumption(kind, text, launch.position.file, launch.position.line, 1.0)
        for kind, text in notes
    ]
    if launch.folded:
        share = launch.folded / launch.count
        text = f"{launch.folded:,.0f} of its {launch.count:,.0f} launches have sizes or arguments that were not looked at: it stands for them"
        found.append(
            assumption("folded-launches", text, launch.position.file, launch.position.line, share)
        )
    if launch.guessed_loop is not None:
        text = f"{launch.count:,.0f} launches: the loop around them ends where only a run knows"
        loop = launch.guessed_loop
        found.append(assumption("launch-count", text, loop.file, loop.line, 0.0))
    if launch.estimate:
        place = launch.position
        found.append(assumption("launch-count", launch.estimate, place.file, place.line, 0.0))
    found += [
        assumption(item.kind, item.text, item.position.file, item.position.line, item.weight)
        for item in (*_of_trace(launch), *memory.assumptions)
    ]
    found += [
        assumption(item.kind, item.text, item.position.file, item.position.line, 1.0)
        for item in trace.code.assumptions
    ]
    found += [
        assumption(item.kind, item.text, item.file, item.line, item.weight)
        for item in counts.assumptions
    ]
    if flags.debug or flags.opt_level == 0:
        text = "code is not optimised (-G or -O0): the counts are those of optimised code"
        found.append(
            assumption("not-optimised", text, launch.position.file, launch.position.line, 1.0)
        )
    merged: dict[tuple[str, str | None, int | None], Assumption] = {}
    for item in found:
        key = (item.text, item.file, item.line)
        known = merged.get(key)
        if known is None or known.weight < item.weight:
            merged[key] = item
    return tuple(sorted(merged.values(), key=lambda item: -item.weight))


def _of_trace(launch: HostLaunch) -> list[RunAssumption]:
    """What the run of the kernel assumes; an index that runs over says something of the sizes where these are invented."""
    items = launch.trace.assumptions
    if launch.source != "assumed":
        return [item for item in items if not launch.notes or item.kind != "index-overflow"]
    return [
        replace(item, kind="size-overflow", text=f"{item.text} (the sizes are assumed)")
        if item.kind == "index-overflow"
        else item
        for item in items
    ]


def refused_sizes(kernel: KernelReport) -> list[str]:
    """What is said of each size of the launch that no device takes, or of which the card has not enough."""
    return [item.text for item in kernel.assumptions if item.kind is AssumptionKind.REFUSED_LAUNCH]
