"""What stands beside the source: code lenses above kernels, inlay hints behind them and behind loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from roofstat.lsp.documents import View
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

__all__ = ["SHOW_REPORT", "code_lenses", "inlay_hints"]

SHOW_REPORT = "roofstat.showReport"


def _lens_title(kernel: KernelReport, report: Report) -> str:
    """Return verdict, card, intensity and ridge of a kernel in one line."""
    parts = [f"{verdict_text(kernel, report)} on {report.gpu.name}"]
    if kernel.limiter is not None and kernel.verdict is not Verdict.UNKNOWN:
        kind = kernel.limiter
        name = "" if kind is NumberType.FP32 else f"{TYPE_NAMES[kind]} "
        parts.append(f"{name}{intensity(kernel.intensity.get(kind))} {TYPE_UNITS[kind]}/B")
        parts.append(f"ridge {intensity(kernel.ridge.get(kind))}")
    return " · ".join(parts)


def code_lenses(view: View, uri: str) -> list[types.CodeLens]:
    """Return one lens for each kernel of a file, of its most costly launch."""
    lenses = []
    for line, group in _by_line(view):
        first = group[0]
        title = _lens_title(first, view.report)
        if len(group) > 1:
            title += f" · {_others(group)}"
        lenses.append(
            types.CodeLens(
                range=view.text.span(line, None),
                command=types.Command(
                    title=title, command=SHOW_REPORT, arguments=[uri, first.name]
                ),
            )
        )
    return lenses


def inlay_hints(view: View, within: types.Range) -> list[types.InlayHint]:
    """Return the hints of the lines in a range."""
    found = [*_verdict_hints(view), *_loop_hints(view)]
    return [hint for hint in found if within.start.line <= hint.position.line <= within.end.line]


def _by_line(view: View) -> Iterator[tuple[int, list[KernelReport]]]:
    groups: dict[int, list[KernelReport]] = {}
    for kernel in view.report.kernels:
        line = view.line(kernel.line, kernel.file)
        if line is not None:
            groups.setdefault(line, []).append(kernel)
    yield from sorted(groups.items())


def _others(group: Sequence[KernelReport]) -> str:
    """How many further launches there are, and whether they are judged otherwise."""
    first = group[0]
    differing = sum(kernel.verdict is not first.verdict for kernel in group)
    instances = len({instance_name(kernel) for kernel in group})
    noun = "instance" if instances == len(group) else "launch"
    number = len(group) - 1
    text = f"{number} more {noun}{'' if number == 1 else 'es' if noun == 'launch' else 's'}"
    return f"{text}, {differing} judged otherwise" if differing else text


def _verdict_hints(view: View) -> Iterator[types.InlayHint]:
    for line, group in _by_line(view):
        kernel = group[0]
        if kernel.verdict is Verdict.UNKNOWN or kernel.confidence is None:
            label = verdict_text(kernel, view.report)
        else:
            label = f"{verdict_text(kernel, view.report)} {min(kernel.confidence, 0.99):.2f}"
        yield types.InlayHint(
            position=view.text.end_of_line(line),
            label=label,
            tooltip=f"{_lens_title(kernel, view.report)} · {confidence_text(kernel)} sure",
            padding_left=True,
        )


def _loop_hints(view: View) -> Iterator[types.InlayHint]:
    trips: dict[int, list[tuple[float | None, TripCountSource]]] = {}
    for kernel in view.report.kernels:
        for loop in kernel.loops:
            line = view.line(loop.line, loop.file or kernel.file)
            if line is not None:
                trips.setdefault(line, []).append((loop.trip_count, loop.source))
    for line, found in sorted(trips.items()):
        known = [amount for amount, _ in found if amount is not None]
        if not known:
            continue
        low, high = min(known), max(known)
        amount = count(low) if low == high else f"{count(low)} to {count(high)}"
        sources = list(dict.fromkeys(TRIP_SOURCES[source] for _, source in found))
        assumed = any(source is TripCountSource.ASSUMED for _, source in found)
        yield types.InlayHint(
            position=view.text.end_of_line(line),
            label=f"× {amount}" + (" assumed" if assumed else ""),
            tooltip=f"{plural(high, 'iteration')} each time it is entered, {', '.join(sources)}",
            padding_left=True,
        )
