"""What stands beside the source: code lenses above kernels, inlay hints behind them and behind loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from roofstat.lsp.documents import Result
from roofstat.lsp.text import LineMap, Text
from roofstat.render.quantities import count, intensity, plural
from roofstat.render.words import (
    TRIP_SOURCES,
    TYPE_NAMES,
    TYPE_UNITS,
    confidence_text,
    instance_name,
    verdict_text,
)
from roofstat.report import KernelReport, NumberType, Report, TripCountSource, Verdict

__all__ = ["SHOW_REPORT", "code_lenses", "inlay_hints", "lens_title"]

SHOW_REPORT = "roofstat.showReport"


def lens_title(kernel: KernelReport, report: Report) -> str:
    """Return verdict, card, intensity and ridge of a kernel in one line."""
    parts = [f"{verdict_text(kernel, report)} on {report.gpu.name}"]
    if kernel.limiter is not None and kernel.verdict is not Verdict.UNKNOWN:
        kind = kernel.limiter
        name = "" if kind is NumberType.FP32 else f"{TYPE_NAMES[kind]} "
        parts.append(f"{name}{intensity(kernel.intensity.get(kind))} {TYPE_UNITS[kind]}/B")
        parts.append(f"ridge {intensity(kernel.ridge.get(kind))}")
    return " · ".join(parts)


def code_lenses(
    result: Result, uri: str, path: str, text: Text, moved: LineMap
) -> list[types.CodeLens]:
    """Return one lens for each kernel of a file, of its most costly launch."""
    lenses = []
    for line, group in _by_line(result, path, moved):
        first = group[0]
        title = lens_title(first, result.report)
        if len(group) > 1:
            title += f" · {_others(group)}"
        lenses.append(
            types.CodeLens(
                range=text.span(line, None),
                command=types.Command(
                    title=title, command=SHOW_REPORT, arguments=[uri, first.name]
                ),
            )
        )
    return lenses


def inlay_hints(
    result: Result, path: str, text: Text, moved: LineMap, within: types.Range
) -> list[types.InlayHint]:
    """Return the hints of the lines in a range."""
    found = [*_verdict_hints(result, path, text, moved), *_loop_hints(result, path, text, moved)]
    return [hint for hint in found if within.start.line <= hint.position.line <= within.end.line]


def _by_line(result: Result, path: str, moved: LineMap) -> Iterator[tuple[int, list[KernelReport]]]:
    groups: dict[int, list[KernelReport]] = {}
    for kernel in result.kernels_in(path):
        groups.setdefault(kernel.line, []).append(kernel)
    for number in sorted(groups):
        line = moved.line(number)
        if line is not None:
            yield line, groups[number]


def _others(group: Sequence[KernelReport]) -> str:
    """How many further launches there are, and whether they are judged otherwise."""
    first = group[0]
    differing = sum(kernel.verdict is not first.verdict for kernel in group)
    instances = len({instance_name(kernel) for kernel in group})
    noun = "instance" if instances == len(group) else "launch"
    number = len(group) - 1
    text = f"{number} more {noun}{'' if number == 1 else 'es' if noun == 'launch' else 's'}"
    return f"{text}, {differing} judged otherwise" if differing else text


def _verdict_hints(
    result: Result, path: str, text: Text, moved: LineMap
) -> Iterator[types.InlayHint]:
    for line, group in _by_line(result, path, moved):
        kernel = group[0]
        if kernel.verdict is Verdict.UNKNOWN or kernel.confidence is None:
            label = verdict_text(kernel, result.report)
        else:
            label = f"{verdict_text(kernel, result.report)} {min(kernel.confidence, 0.99):.2f}"
        yield types.InlayHint(
            position=text.end_of_line(line),
            label=label,
            tooltip=f"{lens_title(kernel, result.report)} · {confidence_text(kernel)} sure",
            padding_left=True,
        )


def _loop_hints(result: Result, path: str, text: Text, moved: LineMap) -> Iterator[types.InlayHint]:
    trips: dict[int, list[tuple[float | None, TripCountSource]]] = {}
    for kernel in result.report.kernels:
        for loop in kernel.loops:
            if (loop.file or kernel.file) == path:
                trips.setdefault(loop.line, []).append((loop.trip_count, loop.source))
    for number, found in sorted(trips.items()):
        line = moved.line(number)
        known = [amount for amount, _ in found if amount is not None]
        if line is None or not known:
            continue
        low, high = min(known), max(known)
        amount = count(low) if low == high else f"{count(low)} to {count(high)}"
        sources = list(dict.fromkeys(TRIP_SOURCES[source] for _, source in found))
        assumed = any(source is TripCountSource.ASSUMED for _, source in found)
        yield types.InlayHint(
            position=text.end_of_line(line),
            label=f"× {amount}" + (" assumed" if assumed else ""),
            tooltip=f"{plural(high, 'iteration')} each time it is entered, {', '.join(sources)}",
            padding_left=True,
        )
