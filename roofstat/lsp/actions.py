"""Code actions: the edits that findings bring along, and comments that ignore findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types

from roofstat.lsp.diagnostics import range_of
from roofstat.lsp.documents import View
from roofstat.report import Diagnostic
from roofstat.rules import RULES
from roofstat.rules.suppressions import suppressions

__all__ = ["FIX_ALL", "code_actions"]

FIX_ALL = "source.fixAll.roofstat"
_CODES = frozenset(rule.code for rule in RULES if rule.check is not None)
_LIST_END = re.compile(r"(roofstat:\s*ignore\[[^\]]*)\]")


def code_actions(view: View, uri: str, params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return what can be done about the findings in a range, and about all of the document."""
    wanted = params.context.only
    places = [
        (item, place)
        for item in view.report.diagnostics
        if (place := range_of(item, view)) is not None
    ]
    here = [(item, place) for item, place in places if _overlap(place, params.range)]
    fixes = {item: edits for item, _ in places if (edits := _edits(item, view))}
    actions: list[types.CodeAction] = []
    if _is_wanted(types.CodeActionKind.QuickFix, wanted):
        for item, place in here:
            shown = [
                each
                for each in params.context.diagnostics
                if each.code == item.code and each.range == place
            ]
            actions += _quick_fixes(item, fixes, uri, shown)
            ignoring = _ignore_edit(item, view)
            if ignoring is not None:
                actions.append(
                    types.CodeAction(
                        title=f"ignore {item.code} on this line",
                        kind=types.CodeActionKind.QuickFix,
                        diagnostics=shown,
                        edit=_edit(uri, [ignoring]),
                    )
                )
    if fixes and _is_wanted(FIX_ALL, wanted):
        actions.append(
            types.CodeAction(
                title="make all edits of roofstat",
                kind=FIX_ALL,
                edit=_edit(uri, [each for edits in fixes.values() for each in edits]),
            )
        )
    return actions


def _quick_fixes(
    item: Diagnostic,
    fixes: dict[Diagnostic, list[types.TextEdit]],
    uri: str,
    shown: Sequence[types.Diagnostic],
) -> Iterator[types.CodeAction]:
    if item not in fixes:
        return
    yield types.CodeAction(
        title=item.help or item.message,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=list(shown),
        is_preferred=True,
        edit=_edit(uri, fixes[item]),
    )
    alike = [each for other, edits in fixes.items() if other.code == item.code for each in edits]
    if len(alike) > len(fixes[item]):
        yield types.CodeAction(
            title=f"fix every {item.code} in this file",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=list(shown),
            edit=_edit(uri, alike),
        )


def _edits(item: Diagnostic, view: View) -> list[types.TextEdit]:
    edits = []
    for change in item.fix:
        line = view.line(change.line, item.file)
        if line is None:
            return []
        place = types.Range(
            view.text.position(line, change.column), view.text.position(line, change.end_column)
        )
        edits.append(types.TextEdit(range=place, new_text=change.text))
    return edits


def _ignore_edit(item: Diagnostic, view: View) -> types.TextEdit | None:
    """The comment, or the code for the comment that is there; none inside of macros, where comments end nothing."""
    line = view.line(item.line, item.file)
    if item.code not in _CODES or line is None or view.text.line(line).rstrip().endswith("\\"):
        return None
    known = next((each for each in suppressions(view.text.lines) if each.target == line), None)
    if known is None:
        end = view.text.end_of_line(line)
        return types.TextEdit(types.Range(end, end), f"  // roofstat: ignore[{item.code}]")
    written = view.text.line(known.line)
    found = _LIST_END.search(written)
    if found is None:
        return None
    place = view.text.position(known.line, len(written[: found.end(1)].encode()) + 1)
    separator = ", " if known.codes else ""
    return types.TextEdit(types.Range(place, place), f"{separator}{item.code}")


def _edit(uri: str, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(changes={uri: edits})


def _is_wanted(kind: str, wanted: Sequence[str] | None) -> bool:
    return wanted is None or any(kind == each or kind.startswith(f"{each}.") for each in wanted)


def _overlap(one: types.Range, other: types.Range) -> bool:
    def key(place: types.Position) -> tuple[int, int]:
        return place.line, place.character

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)
