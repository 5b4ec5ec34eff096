"""Open documents, and the results that are known of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pygls.uris import from_fs_path, to_fs_path

from clang_queries.file_names import GPU_UNIT_SUFFIXES, HEADER_SUFFIXES
from clang_queries.ir.statements import DiagnosticKind
from clang_queries.quick_dataclass import dataclass
from roofstat import __version__
from roofstat.analysis import ProgramResult
from roofstat.analysis.discovery import has_gpu_code
from roofstat.lsp.settings import FolderOptions
from roofstat.lsp.text import Text
from roofstat.report import Diagnostic, Report, Tool, ranked
from roofstat.report.line_map import LineMap, follow_lines
from roofstat.rules.runner import unsuppressed_findings

if TYPE_CHECKING:
    from roofstat.analysis.incremental import KernelUpdate

__all__ = ["Document", "Documents", "Result", "View", "path_of", "uri_of"]

_PARSE_ERROR = DiagnosticKind.PARSE.value


def path_of(uri: str) -> str:
    """Return the file of a document; for one that has none a name to stand for it, of a CUDA source."""
    if urlsplit(uri).scheme == "file":
        return os.path.normpath(to_fs_path(uri) or "")
    name = unquote(urlsplit(uri).path).rpartition("/")[2] or "untitled"
    return f"<{name}>.cu"


def uri_of(path: str) -> str:
    """Return the URI of a file."""
    return from_fs_path(str(Path(path).absolute())) or ""


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of one version of a document.

    Attributes:
        text: That version.
        report: Kernels, findings, remarks and failures, headers included.
        files: Sources that were read, by absolute path.
        remarks: Remarks on the source, which with the findings are the diagnostics of the report.
        number: Of the whole analysis that it is of.
    """

    text: Text
    report: Report
    files: frozenset[str]
    remarks: tuple[Diagnostic, ...]
    number: int


def _same_file(name: str, path: str) -> bool:
    """Return whether a name in a report means a file."""
    return name == path or os.path.normpath(os.path.abspath(name)) == path  # noqa: PTH100 - links stay


@dataclass(eq=False)
class Document:
    """An open document.

    Attributes:
        uri: As the client names it.
        path: File that it stands for.
        version: Number of the text.
        text: Present text.
        result: Last result; of an earlier text while the present one is analysed.
        whole: Last result of a whole analysis, perhaps of an earlier text.
        due: When it is to be analysed, by the clock of the event loop; None for not at all.
        completion_due: When the whole of it is to be looked at after edits inside of kernels; None where that is done.
        failed: Failure that the user was told of.
        published: Files, by URI, that the client was sent diagnostics of for this document.
    """

    uri: str
    path: str
    version: int
    text: Text
    result: Result | None = None
    whole: Result | None = None
    due: float | None = None
    completion_due: float | None = None
    failed: str = ""
    published: set[str] = field(default_factory=set)

    @property
    def next_s(self) -> float | None:
        """When there is something to do for it."""
        return self.due if self.due is not None else self.completion_due

    @property
    def is_header(self) -> bool:
        """Whether it is a part of others."""
        return Path(self.path).suffix.lower() in HEADER_SUFFIXES

    @property
    def has_gpu_code(self) -> bool:
        """Whether there is something to analyse."""
        is_gpu_source = Path(self.path).suffix.lower() in GPU_UNIT_SUFFIXES
        return is_gpu_source or has_gpu_code(self.text.source.encode())


@dataclass(frozen=True, slots=True)
class View:
    """A result as it is seen in the present text of a file.

    Attributes:
        result: Of this file, or of one that includes it.
        path: The file.
        text: Its present text.
        lines: Where the lines of the result are in that text.
    """

    result: Result
    path: str
    text: Text
    lines: LineMap

    @property
    def report(self) -> Report:
        """The report of the result."""
        return self.result.report

    def line(self, number: int | None, file: str) -> int | None:
        """Return where a line of the file is now, of a remark on all of it the first; None for others and edited ones."""
        return self.lines.line(number or 1) if _same_file(file, self.path) else None


class Documents:
    """All open documents."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_uri.values()))

    def get(self, uri: str) -> Document | None:
        """Return an open document."""
        return self._by_uri.get(uri)

    def add(self, document: Document) -> None:
        """Take a document that was opened."""
        self._by_uri[document.uri] = document

    def remove(self, uri: str) -> Document | None:
        """Forget a document that was closed."""
        return self._by_uri.pop(uri, None)

    def at(self, path: str) -> Document | None:
        """Return the document of a file."""
        return next((each for each in self if _same_file(path, each.path)), None)

    def unsaved(self) -> dict[str, str]:
        """Return all texts by path."""
        return {each.path: each.text.source for each in self}

    def includers(self, document: Document) -> list[Document]:
        """Return the documents that were analysed with another one."""
        return [
            each
            for each in self
            if each is not document
            and each.result is not None
            and document.path in each.result.files
        ]

    def views(self, document: Document) -> list[View]:
        """Return what is known of a document: by its own result, and by those of documents that include it."""
        found = []
        for each in (document, *self.includers(document)):
            if each.result is not None:
                seen = each.result.text if each is document else document.text
                lines = LineMap.between(seen.lines, document.text.lines)
                found.append(View(each.result, document.path, document.text, lines))
        return found

    def lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file as it is open, or on disk; none where it cannot be read."""
        document = self.at(path)
        if document is not None:
            return document.text.lines
        try:
            return Path(path).read_bytes().decode("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return ()

    def result(
        self, text: Text, found: ProgramResult, folder: FolderOptions, number: int
    ) -> Result:
        """Return the result of a whole analysis."""
        kernels = ranked(kernel for kernel in found.kernels if folder.analysis.wants(kernel))
        report = Report(
            tool=Tool(version=__version__),
            gpu=folder.analysis.gpu,
            kernels=kernels,
            errors=found.errors,
            files=1,
            min_confidence=folder.analysis.min_confidence,
        )
        files = frozenset(os.path.abspath(name) for name in found.files)  # noqa: PTH100 - links stay
        report = self._complete(report, found.diagnostics, folder)
        return Result(text, report, files, found.diagnostics, number)

    def updated(
        self, before: Result, path: str, text: Text, found: KernelUpdate, folder: FolderOptions
    ) -> Result:
        """Return the result after an edit inside of kernels: what is known of all else follows its lines.

        Args:
            before: The whole result that the edit began from.
            path: The file.
            text: Its present text.
            found: What has changed.
            folder: Options of its folder.
        """
        lines = {path: LineMap.between(before.text.lines, text.lines)}
        kept = [
            follow_lines(kernel, lines)
            for kernel in before.report.kernels
            if kernel.file != path or kernel.signature not in found.signatures
        ]
        new = [kernel for kernel in found.kernels if folder.analysis.wants(kernel)]
        remarks = (
            *(follow_lines(item, lines) for item in before.remarks if item.code != _PARSE_ERROR),
            *found.diagnostics,
        )
        report = dataclasses.replace(
            before.report,
            kernels=ranked([*kept, *new]),
            errors=follow_lines(before.report.errors, lines),
        )
        report = self._complete(report, remarks, folder)
        return Result(text, report, before.files, remarks, before.number)

    def _complete(
        self, report: Report, remarks: tuple[Diagnostic, ...], folder: FolderOptions
    ) -> Report:
        """The report with what the rules that are on find, as the command line makes it."""
        found = unsuppressed_findings(report, folder.rules, self.lines)
        return dataclasses.replace(report, diagnostics=(*remarks, *found))
