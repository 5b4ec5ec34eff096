"""What is known of the thing under the cursor: a kernel, a loop, an access."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from roofstat.lsp.documents import Result
from roofstat.lsp.text import LineMap, Text
from roofstat.render.access_groups import grouped, times
from roofstat.render.hints import conflict_ways, wasteful
from roofstat.render.markdown import kernel_markdown, markdown_code
from roofstat.render.quantities import count, factor, percent, quantity, trimmed
from roofstat.render.words import TRIP_SOURCES, instance_name
from roofstat.report import AccessReport, KernelReport, LoopReport

__all__ = ["hover"]

_LOOP_WORD = re.compile(r"\b(?:for|while|do)\b")
_MOST_KERNELS = 4


def hover(
    result: Result, path: str, text: Text, moved: LineMap, position: types.Position
) -> types.Hover | None:
    """Return what a result says of a place; None where it says nothing.

    Args:
        result: Of the document or of one that includes it.
        path: The document's file.
        text: Its present text.
        moved: Where the lines of the result are in it.
        position: The place.
    """
    line = position.line + 1
    column = text.column(position)
    parts = (
        list(_access_parts(result, path, text, moved, line, column))
        or list(_loop_parts(result, path, text, moved, line, column))
        or list(_kernel_parts(result, path, text, moved, position))
    )
    if not parts:
        return None
    value = "\n\n---\n\n".join(parts)
    return types.Hover(types.MarkupContent(kind=types.MarkupKind.Markdown, value=value))


def _accesses(result: Result, path: str) -> Iterator[tuple[KernelReport, AccessReport]]:
    for kernel in result.report.kernels:
        for access in kernel.accesses:
            if (access.file or kernel.file) == path:
                yield kernel, access


def _access_parts(
    result: Result, path: str, text: Text, moved: LineMap, line: int, column: int
) -> Iterator[str]:
    found: dict[str, list[AccessReport]] = {}
    for kernel, access in _accesses(result, path):
        if access.column is None or moved.line(access.line) != line:
            continue
        name = _written(access)
        width = (
            len(name.encode())
            if text.line(line).encode()[access.column - 1 :].startswith(name.encode())
            else 1
        )
        if access.column <= column <= access.column + width:
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
        stride = access.stride_bytes
        yield (
            "- stride between threads: irregular"
            if stride is None
            else f"- stride between threads: {trimmed(stride)} B"
        )
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


def _loop_parts(
    result: Result, path: str, text: Text, moved: LineMap, line: int, column: int
) -> Iterator[str]:
    before = text.line(line).encode()[: column - 1].decode("utf-8", "ignore")
    words = list(_LOOP_WORD.finditer(text.line(line)))
    if not any(word.start() <= len(before) <= word.end() for word in words):
        return
    said: dict[str, None] = {}
    for kernel in result.report.kernels:
        for loop in kernel.loops:
            if (loop.file or kernel.file) == path and moved.line(loop.line) == line:
                said[f"- in {markdown_code(instance_name(kernel))}: {_loop_text(loop)}"] = None
    if said:
        yield "**iterations**\n\n" + "\n".join(said)


def _loop_text(loop: LoopReport) -> str:
    share = "" if loop.share is None else f", {percent(loop.share)} of the work"
    return f"{count(loop.trip_count)} each time it is entered, {TRIP_SOURCES[loop.source]}{share}"


def _kernel_parts(
    result: Result, path: str, text: Text, moved: LineMap, position: types.Position
) -> Iterator[str]:
    """The kernel that is defined or launched on the line; of a target region any word of its directive counts."""
    line = position.line + 1
    word = text.word_at(position)
    said = 0
    for kernel in result.report.kernels:
        launch = kernel.launch
        is_here = kernel.file == path and moved.line(kernel.line) == line
        is_launched_here = (
            launch is not None
            and launch.file == path
            and launch.line is not None
            and moved.line(launch.line) == line
        )
        is_meant = word == kernel.name or (kernel.directive is not None and is_here)
        if is_meant and (is_here or is_launched_here) and said < _MOST_KERNELS:
            said += 1
            yield kernel_markdown(kernel, result.report)
