"""What is known of the thing under the cursor: a kernel, a loop, an access."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from roofstat.lsp.documents import View
from roofstat.render.access_groups import grouped, times
from roofstat.render.hints import conflict_ways, wasteful
from roofstat.render.markdown import kernel_markdown, markdown_code
from roofstat.render.quantities import count, factor, percent, quantity, stride, trimmed
from roofstat.render.words import TRIP_SOURCES, instance_name
from roofstat.report import AccessReport, LoopReport

__all__ = ["hover"]

_LOOP_WORD = re.compile(r"\b(?:for|while|do)\b")
_MOST_KERNELS = 4


def hover(view: View, position: types.Position) -> types.Hover | None:
    """Return what a result says of a place; None where it says nothing."""
    line = position.line + 1
    column = view.text.column(position)
    parts = (
        list(_access_parts(view, line, column))
        or list(_loop_parts(view, line, column))
        or list(_kernel_parts(view, line, view.text.word_at(position)))
    )
    if not parts:
        return None
    value = "\n\n---\n\n".join(parts)
    return types.Hover(types.MarkupContent(kind=types.MarkupKind.Markdown, value=value))


def _access_parts(view: View, line: int, column: int) -> Iterator[str]:
    found: dict[str, list[AccessReport]] = {}
    written = view.text.line(line).encode()
    for kernel in view.report.kernels:
        for access in kernel.accesses:
            first = access.column
            if first is None or view.line(access.line, access.file or kernel.file) != line:
                continue
            name = _written(access).encode()
            width = len(name) if written[first - 1 :].startswith(name) else 1
            if first <= column <= first + width:
                found.setdefault(instance_name(kernel), []).append(access)
    many = len(found) > 1
    for kernel_name, accesses in list(found.items())[:_MOST_KERNELS]:
        heading = f"in {markdown_code(kernel_name)}:\n\n" if many else ""
        yield heading + "\n".join(_access_lines(accesses))


def _written(access: AccessReport) -> str:
    """The access as it stands in the source, as far as that is one piece."""
    array, _, member = access.array.partition(".")
    index = access.index or ""
    return f"{array}{index}.{member}" if member else f"{array}{index}"


def _access_lines(accesses: Iterable[AccessReport]) -> Iterator[str]:
    for access, alike in grouped(accesses):
        name = markdown_code(_written(access))
        yield f"**{access.direction.value}** {name}{times(alike)}, {access.space.value} memory, {access.element_bytes} B a thread"
        yield ""
        yield f"- stride between threads: {stride(access.stride_bytes)}"
        if access.sectors_per_request is not None:
            best = access.ideal_sectors_per_request
            waste = wasteful(access)
            more = f", where {trimmed(best)} hold its bytes" if best is not None else ""
            more += f" ({factor(waste)})" if waste else ""
            yield f"- sectors a request: {trimmed(access.sectors_per_request)}{more}"
        ways = conflict_ways(access)
        if ways is not None:
            yield f"- {trimmed(ways)}-way bank conflicts"
        if access.share is not None:
            yield f"- share of the DRAM traffic: {percent(access.share)}"
        if access.footprint_bytes is not None:
            yield f"- footprint: {quantity(access.footprint_bytes, 'B')}"
        yield ""


def _loop_parts(view: View, line: int, column: int) -> Iterator[str]:
    text = view.text.line(line)
    before = text.encode()[: column - 1].decode("utf-8", "ignore")
    if not any(word.start() <= len(before) <= word.end() for word in _LOOP_WORD.finditer(text)):
        return
    said: dict[str, None] = {}
    for kernel in view.report.kernels:
        for loop in kernel.loops:
            if view.line(loop.line, loop.file or kernel.file) == line:
                said[f"- in {markdown_code(instance_name(kernel))}: {_loop_text(loop)}"] = None
    if said:
        yield "**iterations**\n\n" + "\n".join(said)


def _loop_text(loop: LoopReport) -> str:
    share = "" if loop.share is None else f", {percent(loop.share)} of the work"
    return f"{count(loop.trip_count)} each time it is entered, {TRIP_SOURCES[loop.source]}{share}"


def _kernel_parts(view: View, line: int, word: str) -> Iterator[str]:
    """The kernel that is defined or launched on the line; of a target region any word of its directive counts."""
    said = 0
    for kernel in view.report.kernels:
        launch = kernel.launch
        is_here = view.line(kernel.line, kernel.file) == line
        is_launched_here = (
            launch is not None
            and launch.file is not None
            and launch.line is not None
            and view.line(launch.line, launch.file) == line
        )
        is_meant = word == kernel.name or (kernel.directive is not None and is_here)
        if is_meant and (is_here or is_launched_here) and said < _MOST_KERNELS:
            said += 1
            yield kernel_markdown(kernel, view.report)
