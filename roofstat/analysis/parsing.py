"""Parses the units of a program; those parsed last are kept while their files stay as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.errors import ClangQueriesError, ParseError
from clang_queries.translation_unit import Parser, parse as parse_once
from clang_queries.unit import lower_unit
from roofstat.analysis.settings import parse_options
from roofstat.report import AnalysisError, ErrorKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clang_queries.command_line import ParseOptions
    from clang_queries.ir.statements import Unit
    from roofstat.analysis.options import AnalysisOptions


def parse_all(
    files: Sequence[Path],
    options: AnalysisOptions,
    parse: ParseOptions,
    checkpoint: Callable[[], None],
    parser: Parser | None,
) -> tuple[list[Unit], list[AnalysisError]]:
    """The units that could be parsed, and an error for each of the others."""
    units, errors = _parse_each(files, options, parse, checkpoint, parser)
    has_host_code = any(unit.main or unit.launch_tokens for unit in units)
    if not has_host_code and any(
        template.instance for unit in units for template in unit.uninstantiated
    ):
        likely = replace(parse, likely_instances=True)
        return _parse_each(files, options, likely, checkpoint, parser)
    return units, errors


def _parse_each(
    files: Sequence[Path],
    options: AnalysisOptions,
    parse: ParseOptions,
    checkpoint: Callable[[], None],
    parser: Parser | None,
) -> tuple[list[Unit], list[AnalysisError]]:
    units: list[Unit] = []
    errors: list[AnalysisError] = []
    for file in files:
        checkpoint()
        try:
            own = parse_options(options, [file]) if options.compile_commands else parse
            own = replace(own, likely_instances=parse.likely_instances)
            units.append(_parse(str(file), options, own, parser))
        except ParseError as error:
            errors.append(
                AnalysisError(
                    kind=ErrorKind.PARSE,
                    file=str(file),
                    message=error.problem,
                    remedy=error.remedy or None,
                )
            )
        except ClangQueriesError as error:
            errors.append(
                AnalysisError(kind=ErrorKind.INTERNAL, file=str(file), message=str(error))
            )
    return units, errors


def _parse(file: str, options: AnalysisOptions, parse: ParseOptions, parser: Parser | None) -> Unit:
    if not options.unsaved and parser is None:
        return _PARSED.get(file, parse)
    unsaved = {name: text.encode() for name, text in options.unsaved.items()}
    return lower_unit(file, parse, unsaved.pop(file, None), unsaved, parser or parse_once)


class _ParsedFiles:
    """The units parsed last, since one program is often analysed under several settings."""

    _MOST = 16

    def __init__(self) -> None:
        self._units: dict[tuple[str, ParseOptions], tuple[Unit, list[tuple[int, int]]]] = {}

    def get(self, file: str, parse: ParseOptions) -> Unit:
        """Return a file's unit; it is parsed again when it or a file that it includes has changed."""
        known = self._units.pop((file, parse), None)
        if known is None or known[1] != file_states(file, known[0]):
            unit = lower_unit(file, parse)
            known = unit, file_states(file, unit)
        self._units[file, parse] = known
        if len(self._units) > self._MOST:
            del self._units[next(iter(self._units))]
        return known[0]


_PARSED = _ParsedFiles()


def file_states(file: str, unit: Unit) -> list[tuple[int, int]]:
    """Return time and size of the files behind a unit."""
    found = []
    for name in (file, *unit.included_files):
        try:
            facts = Path(name).stat()
        except OSError:
            found.append((0, 0))
        else:
            found.append((facts.st_mtime_ns, facts.st_size))
    return found
