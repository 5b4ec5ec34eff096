"""A source that is analysed again and again while it is edited.

An edit inside the bodies of kernels, or of functions that they call, changes, first of all, those kernels: they alone are read again, and their launches
repeated with what each began with in the last whole analysis. Where they leave in memory what they left before, nothing
else can have changed.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.deep_stack import with_deep_stack
from clang_queries.errors import ParseError
from clang_queries.ir.statements import DiagnosticKind, Side
from clang_queries.left_out import without_bodies
from clang_queries.quick_dataclass import dataclass
from clang_queries.translation_unit import KeptUnits
from clang_queries.unit import lower_functions
from roofstat.analysis.assemble import kernel_report
from roofstat.analysis.edited_kernels import EditedFunctions
from roofstat.analysis.edited_text import EditedText
from roofstat.analysis.parsing import file_states
from roofstat.analysis.patterns.source_text import SourceTexts
from roofstat.analysis.pipeline import AnalyzedProgram, analyze_for_editing, default_launch_of
from roofstat.analysis.remarks import body_errors, note_parse_errors, parse_remark
from roofstat.execution.host.defects import DEFECTS
from roofstat.execution.host.relaunch import relaunch
from roofstat.program.lowering import lower_kernel
from roofstat.report import Diagnostic, KernelReport
from roofstat.report.line_map import LineMap

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function, Unit
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.analysis.result import ProgramResult
    from roofstat.execution.host.launch_table import HostLaunch

__all__ = ["EditedSource", "KernelUpdate"]

_NOT_CALLED = frozenset({Side.KERNEL, Side.HOST})
"""Functions that kernels cannot call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelUpdate:
    """What an edit inside of kernels changes.

    Attributes:
        kernels: All launches of those kernels.
        signatures: The kernels.
        diagnostics: Messages of the parser, those about all of the source.
        is_final: Whether nothing else can have changed.
    """

    kernels: tuple[KernelReport, ...] = ()
    signatures: frozenset[str] = frozenset()
    diagnostics: tuple[Diagnostic, ...]
    is_final: bool = True


@dataclass(frozen=True, slots=True)
class _Baseline:
    """The last whole analysis."""

    number: int
    options: AnalysisOptions
    analyzed: AnalyzedProgram
    states: list[tuple[int, int]]
    """Of all files that were read."""
    functions: EditedFunctions

    @property
    def unit(self) -> Unit:
        """The unit of the source itself."""
        return self.analyzed.units[0]


class EditedSource:
    """One source file in an editor."""

    def __init__(self, path: Path, units: KeptUnits) -> None:
        self._path = path
        self._units = units
        self._baseline: _Baseline | None = None

    def analyze(
        self,
        options: AnalysisOptions,
        number: int,
        others: Sequence[Path] = (),
        checkpoint: Callable[[], None] = lambda: None,
    ) -> ProgramResult:
        """Return what `analyze_program` says of the source and of what it includes; updates begin from it.

        Args:
            options: How.
            number: By which updates name this analysis.
            others: Further units of its program.
            checkpoint: As for `analyze_program`.
        """
        self._baseline = None
        files = [self._path, *others]
        analyzed = analyze_for_editing(files, options, checkpoint, self._units.parse)
        path = str(self._path)
        if not analyzed.units or analyzed.units[0].path != path:
            own = frozenset({path})
        else:
            own = frozenset({path, *analyzed.units[0].included_files})
            self._baseline = _Baseline(
                number,
                options,
                analyzed,
                _states(analyzed.units),
                EditedFunctions(analyzed.units),
            )
        return _only(analyzed.result, own)

    def update(self, options: AnalysisOptions, number: int) -> KernelUpdate | None:
        """Return what has changed since a whole analysis, where only bodies of device code have been edited.

        Args:
            options: With the present texts.
            number: Of that analysis.

        Returns:
            None where it was not the last one, more was edited, or the kernels cannot be looked at alone.
        """
        baseline = self._baseline
        if (
            baseline is None
            or baseline.number != number
            or not self._is_comparable(baseline, options)
        ):
            return None
        path = str(self._path)
        edit = EditedText(path, baseline.options.unsaved[path], options.unsaved[path])
        unit = baseline.unit
        if not any(edit.moved.changes()):
            return KernelUpdate(diagnostics=tuple(_messages(unit)))
        holders = baseline.functions.holders(edit)
        kernels = baseline.functions.kernels(holders)
        if not kernels:
            return None
        return with_deep_stack(
            lambda: self._update(baseline.analyzed, options, [*holders, *kernels], edit)
        )

    def _is_comparable(self, baseline: _Baseline, options: AnalysisOptions) -> bool:
        """Whether all but the text of the source is what it was."""
        before, now = baseline.options.unsaved, options.unsaved
        path = str(self._path)
        units = baseline.analyzed.units
        names = (name for unit in units for name in (unit.path, *unit.included_files))
        read = {os.path.normpath(name) for name in names}  # as editors name them
        plain = dataclasses.replace(options, unsaved={})
        return (
            path in before
            and path in now
            and plain == dataclasses.replace(baseline.options, unsaved={})
            and all(before.get(name) == now.get(name) for name in read - {path})
            and baseline.states == _states(units)
        )

    def _update(
        self,
        analyzed: AnalyzedProgram,
        options: AnalysisOptions,
        edited: Sequence[Function],
        edit: EditedText,
    ) -> KernelUpdate | None:
        unit = analyzed.units[0]
        keys = frozenset(function.key for function in edited if function.side is Side.KERNEL)
        bodies = _other_bodies(unit, keys, edit)
        text, unseen = without_bodies(edit.source, bodies)
        unsaved = {name: text.encode() for name, text in options.unsaved.items()}
        try:
            part = lower_functions(edit.path, unit.options, keys, text, unsaved, self._units.parse)
        except ParseError:
            return None
        if not all(
            _is_same_head(before, part.functions.get(before.key), edit.moved) for before in edited
        ):
            return None
        try:
            launches, is_final = _launches(analyzed, part, keys, edit)
            if not launches:
                return None
            assert analyzed.context is not None
            context = dataclasses.replace(
                analyzed.context, options=options, texts=SourceTexts(options.unsaved)
            )
            kernels = tuple(kernel_report(launch, context) for launch in launches)
        except DEFECTS:
            return None  # the whole analysis says what is wrong, and where
        hidden = [bodies[place] for place in unseen]
        return KernelUpdate(
            kernels=kernels,
            signatures=frozenset(unit.functions[key].signature for key in keys),
            diagnostics=(*_messages(part), *_hidden_messages(unit, hidden, edit)),
            is_final=is_final,
        )


def _states(units: Sequence[Unit]) -> list[tuple[int, int]]:
    return [state for unit in units for state in file_states(unit.path, unit)]


def _only(result: ProgramResult, files: frozenset[str]) -> ProgramResult:
    """What a result says of some files."""
    return dataclasses.replace(
        result,
        kernels=tuple(each for each in result.kernels if each.file in files),
        diagnostics=tuple(each for each in result.diagnostics if each.file in files),
        errors=tuple(each for each in result.errors if each.file in files),
    )


def _other_bodies(
    unit: Unit, keys: frozenset[str], edit: EditedText
) -> dict[tuple[int, int], tuple[int, int]]:
    """The bodies of functions that the edited kernels cannot call: where they are now, and where they were."""
    found = {}
    for function in unit.functions.values():
        is_other = function.side in _NOT_CALLED and function.key not in keys
        if is_other and function.position.file == edit.path and function.body_bytes is not None:
            place = edit.span(*function.body_bytes)
            if place is not None:
                found[place] = function.body_bytes
    return found


def _launches(
    analyzed: AnalyzedProgram, part: Unit, keys: frozenset[str], edit: EditedText
) -> tuple[list[HostLaunch], bool]:
    """The launches of the edited kernels, and whether nothing else can have changed; none where they are not known."""
    assert analyzed.run is not None
    program = analyzed.run.program
    program.take_over(part)
    launches: list[HostLaunch] = []
    is_final = True
    for key in sorted(keys):
        code = lower_kernel(program, key)
        before = [launch for launch in analyzed.launches if launch.kernel == key]
        if not before:
            return [], False
        for launch in before:
            found: HostLaunch | None
            if launch.inputs is not None:
                found, same = relaunch(program, code, launch)
                is_final = is_final and same
            else:
                found = default_launch_of(analyzed, key, code)
            if found is None:
                return [], False
            place = launch.position
            if place.file == edit.path:
                place = dataclasses.replace(place, line=edit.moved.near(place.line))
            launches.append(dataclasses.replace(found, position=place))
    parse_errors = body_errors([part])
    for launch in launches:
        note_parse_errors(launch, parse_errors, program)
    return launches, is_final


def _messages(unit: Unit) -> Iterator[Diagnostic]:
    for error in unit.diagnostics:
        if error.kind is DiagnosticKind.PARSE:
            yield parse_remark(error, unit)


def _hidden_messages(
    unit: Unit, hidden: Sequence[tuple[int, int]], edit: EditedText
) -> Iterator[Diagnostic]:
    """The parser's messages about bodies that it has not seen again."""
    lines = [(edit.old_line(begin), edit.old_line(end)) for begin, end in hidden]
    for message in _messages(unit):
        line = message.line or 0
        if message.file == edit.path and any(first <= line <= last for first, last in lines):
            yield dataclasses.replace(message, line=edit.moved.near(line))


def _is_same_head(before: Function, now: Function | None, moved: LineMap) -> bool:
    """Whether a kernel is but for its body what it was: nothing was said to callers, and it ends where it ended."""
    if now is None:
        return False
    parts = [[(each.name, each.type) for each in function.parameters] for function in (before, now)]
    return (
        parts[0] == parts[1]
        and before.signature == now.signature
        and moved.line(before.end_line) == now.end_line
    )
