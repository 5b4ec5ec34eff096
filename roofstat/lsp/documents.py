"""Open documents, and the results that are known of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pygls.uris import from_fs_path, to_fs_path

from roofstat import __version__
from roofstat.analysis import ProgramResult
from roofstat.analysis.discovery import has_gpu_code
from roofstat.lsp.settings import FolderOptions
from roofstat.lsp.text import LineMap, Text
from roofstat.report import KernelReport, Report, Tool, ranked
from roofstat.rules.rule import RuleContext
from roofstat.rules.runner import findings
from roofstat.rules.suppressions import without_suppressed

__all__ = ["Document", "Documents", "Result", "path_of", "same_file", "uri_of"]

_GPU_SUFFIXES = frozenset({".cu", ".hip"})
_HEADER_SUFFIXES = frozenset({".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"})


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
    """

    text: Text
    report: Report
    files: frozenset[str]

    def kernels_in(self, path: str) -> list[KernelReport]:
        """Return the kernels of a file, the most costly first."""
        return [kernel for kernel in self.report.kernels if same_file(kernel.file, path)]


def same_file(name: str, path: str) -> bool:
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
        due: When it is to be analysed, by the clock of the event loop; None for not at all.
        failed: Failure that the user was told of.
        published: Files, by URI, that the client was sent diagnostics of for this document.
    """

    uri: str
    path: str
    version: int
    text: Text
    result: Result | None = None
    due: float | None = None
    failed: str = ""
    published: set[str] = field(default_factory=set)

    @property
    def is_header(self) -> bool:
        """Whether it is a part of others."""
        return Path(self.path).suffix.lower() in _HEADER_SUFFIXES

    @property
    def has_gpu_code(self) -> bool:
        """Whether there is something to analyse."""
        is_gpu_source = Path(self.path).suffix.lower() in _GPU_SUFFIXES
        return is_gpu_source or has_gpu_code(self.text.source.encode())

    def moved(self, result: Result) -> LineMap:
        """Return where the lines of a result are in the present text."""
        if result.text is self.text:
            return LineMap(len(self.text.lines), len(self.text.lines) + 1, 0)
        return LineMap.between(result.text.lines, self.text.lines)


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
        return next((each for each in self if same_file(path, each.path)), None)

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

    def results_for(self, document: Document) -> list[Result]:
        """Return the results that say something of a document: its own, and those of documents that include it."""
        sources = [document, *self.includers(document)]
        return [each.result for each in sources if each.result is not None]

    def lines(self, path: str) -> Sequence[str]:
        """Return the lines of a file as it is open, or on disk; none where it cannot be read."""
        document = self.at(path)
        if document is not None:
            return document.text.lines
        try:
            return Path(path).read_bytes().decode("utf-8", "replace").splitlines()
        except (OSError, ValueError):
            return ()

    def report(self, result: ProgramResult, folder: FolderOptions) -> Report:
        """Return the report of a program with the findings of the rules that are on, as the command line makes it."""
        options = folder.analysis
        report = Report(
            tool=Tool(version=__version__),
            gpu=options.gpu,
            kernels=ranked(kernel for kernel in result.kernels if options.wants(kernel)),
            errors=result.errors,
            files=1,
            min_confidence=options.min_confidence,
        )
        found = without_suppressed(
            findings(report, RuleContext(gpu=options.gpu), folder.rules),
            self.lines,
            dict.fromkeys(kernel.file for kernel in report.kernels),
            folder.rules,
        )
        return dataclasses.replace(report, diagnostics=(*result.diagnostics, *found))
