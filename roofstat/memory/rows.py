"""Buffers that one loop of host code has allocated, seen as one where an instruction goes to several of them.

Tables of pointers (batched routines, layers of a network) lead blocks or iterations to rows of their own. The sample sees
some of these rows; in one buffer with all of them its addresses tell the distance of rows, and with that what the whole
launch reaches.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct
from roofstat.execution.trace import Buffer

if TYPE_CHECKING:
    from roofstat.execution.trace import AccessEvent, LaunchTrace

_FEWEST_ROWS = 3
"""Buffers of a loop that one instruction is seen to go to before they are taken for rows of a table."""
_MOST_APART = 4.0
"""The largest row, in medians of those that were seen."""


def with_joined_rows(trace: LaunchTrace) -> LaunchTrace:
    """The trace with one buffer in place of the rows of each table."""
    tables: dict[int, list[Buffer]] = {}
    starts = [first for first, _ in trace.rows]
    for buffer in trace.buffers.values():
        table = bisect_right(starts, buffer.base) - 1
        if table >= 0 and buffer.base < trace.rows[table][1]:
            tables.setdefault(table, []).append(buffer)
    joined: dict[int, Buffer] = {}
    for table, rows in tables.items():
        if len(rows) >= _FEWEST_ROWS and _goes_to_several(trace.events, rows):
            first, end = trace.rows[table]
            begin = min(rows, key=lambda row: row.base)
            whole = replace(begin, base=first, size_bytes=end - first)
            joined.update({row.number: whole for row in rows})
    if not joined:
        return trace
    buffers = {
        whole.number: whole
        for whole in (joined.get(number, buffer) for number, buffer in trace.buffers.items())
    }
    events = [
        event if event.buffer not in joined else replace(event, buffer=joined[event.buffer].number)
        for event in trace.events
    ]
    return replace(trace, buffers=buffers, events=events)


def _goes_to_several(events: list[AccessEvent], rows: list[Buffer]) -> bool:
    """Whether an instruction was seen at several of these buffers, which are about as large as each other.

    Those of a tree have a level each: a small one is reached as often as a large one.
    """
    rows = sorted(rows, key=lambda row: row.base)
    places = {row.number: place for place, row in enumerate(rows)}
    bases = np.array([row.base for row in rows], dtype=np.int64)
    end = rows[-1].base + (rows[-1].size_bytes or 0)
    seen: dict[int, set[int]] = {}
    for event in events:
        if event.buffer is None:
            address = event.address[event.active]
            inside = address[(address >= bases[0]) & (address < end)]
            found = distinct(np.searchsorted(bases, inside, side="right") - 1).tolist()
        elif event.buffer in places:
            found = [places[event.buffer]]
        else:
            continue
        seen.setdefault(event.site, set()).update(found)
    return any(_are_alike([rows[place] for place in its]) for its in seen.values())


def _are_alike(rows: list[Buffer]) -> bool:
    if len(rows) < _FEWEST_ROWS:
        return False
    sizes = [row.size_bytes or 0 for row in rows]
    return any(row.is_skipped for row in rows) or max(sizes) <= _MOST_APART * median(sizes)
