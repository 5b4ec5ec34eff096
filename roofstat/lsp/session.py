"""One client's session: which documents are due, their analysis one by one, and what the client is told."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from roofstat.analysis import AnalysisOptions, ProgramResult
from roofstat.analysis.compile_commands import options_for
from roofstat.analysis.workers import Outcome
from roofstat.errors import AnalysisTimeout, WorkerCrash
from roofstat.lsp.analyst import Analyst
from roofstat.lsp.diagnostics import diagnostics, failure_diagnostic
from roofstat.lsp.documents import Document, Documents, View, path_of, uri_of
from roofstat.lsp.folders import Folder, Folders
from roofstat.lsp.tasks import AnalyzeDocument, Answer, SupersededError
from roofstat.lsp.text import Text
from roofstat.report.line_map import LineMap

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from roofstat.lsp.settings import OptionsReader

__all__ = ["Session"]

_LOG = logging.getLogger(__name__)
_STATUS = "roofstat/status"
_QUIET_S = 0.8
"""So long after an edit inside of a kernel the whole document is looked at, if that may change more."""


def _options_for(document: Document, folder: Folder) -> AnalysisOptions:
    """The options of a document: of the compile commands its own, and those of its folder."""
    options = folder.options.analysis
    commands = options.compile_commands
    if not commands:
        return options
    real = os.path.realpath(document.path)
    place = os.path.dirname(real)  # noqa: PTH120 - the keys are texts
    few = {name: each for name, each in commands.items() if os.path.dirname(name) == place}  # noqa: PTH120
    own = options_for(Path(document.path), commands)
    return dataclasses.replace(options, compile_commands=few if own is None else {**few, real: own})


class Session:
    """Knows the open documents and keeps their results up to date. Used from the event loop only."""

    def __init__(
        self, server: LanguageServer, read_options: OptionsReader, analyst: Analyst
    ) -> None:
        self.documents = Documents()
        self.folders = Folders(read_options, self._complain)
        self.analyst = analyst
        self._server = server
        self._running: Document | None = None
        self._is_completing = False
        self._wake = asyncio.Event()
        self._loop_task: asyncio.Task[None] | None = None
        self._done = asyncio.Condition()
        self._sent_options: tuple[int, int] = (0, 0)
        self._task_number = 0
        self._complaints: set[str] = set()

    # What happens to documents

    def start(self) -> None:
        """Begin to work off what is due."""
        if self._loop_task is None:
            self._loop_task = asyncio.create_task(self._work())

    def stop(self) -> None:
        """End all work."""
        if self._loop_task is not None:
            self._loop_task.cancel()
        self.analyst.close()

    def opened(self, item: types.TextDocumentItem) -> None:
        """A document was opened."""
        document = Document(
            uri=item.uri, path=path_of(item.uri), version=item.version, text=self._text(item.text)
        )
        self.documents.add(document)
        self._is_due(document, 0.0)
        self._includers_are_due(document)

    def changed(self, uri: str, version: int, source: str) -> None:
        """A document was edited."""
        document = self.documents.get(uri)
        if document is None:
            return
        document.version, document.text = version, self._text(source)
        delay = self.folders.of(document.path).settings.debounce_s
        self._is_due(document, delay)
        self._includers_are_due(document, delay)

    def saved(self, uri: str) -> None:
        """A document was saved: files beside it may have been too."""
        document = self.documents.get(uri)
        if document is not None:
            self._is_due(document, 0.0)

    def closed(self, uri: str) -> None:
        """A document was closed: what it says of files is not shown any more."""
        document = self.documents.remove(uri)
        if document is None:
            return
        if self._running is document:
            self.analyst.cancel()
        for each in document.published | {uri}:
            self._publish(each)
        self._includers_are_due(document)

    def all_are_due(self) -> None:
        """Settings or files have changed."""
        for document in self.documents:
            self._is_due(document, 0.0)
        self.send_status(None, "idle")

    def files_changed(self, paths: Iterable[str]) -> None:
        """Files have changed on disk: documents that include them are due."""
        changed = set(paths)
        for document in self.documents:
            files = document.result.files if document.result is not None else frozenset()
            options = self.folders.of(document.path).options.files
            if changed & files or changed & {str(file) for file in options}:
                self._is_due(document, 0.0)

    async def settled(self, document: Document) -> None:
        """Wait until nothing is to be done for a document."""
        async with self._done:
            await self._done.wait_for(
                lambda: document.next_s is None and self._running is not document
            )

    def _text(self, source: str) -> Text:
        encoding = self._server.workspace.position_encoding
        return Text(source, encoding or types.PositionEncodingKind.Utf16)

    def _is_due(self, document: Document, delay_s: float) -> None:
        document.due = asyncio.get_running_loop().time() + delay_s
        document.completion_due = None
        if self._is_completing or (self._running is document and document.whole is not None):
            self.analyst.cancel()
        elif self._running is document:
            # The first result is worth waiting for: edits inside of kernels begin from it.
            self.analyst.hurry()
        self._wake.set()

    def _includers_are_due(self, document: Document, delay_s: float = 0.0) -> None:
        for each in self.documents.includers(document):
            self._is_due(each, delay_s)

    # Work

    async def _work(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            self._wake.clear()
            document, moment = self._next()
            delay = None if moment is None else max(moment - clock(), 0.0)
            if document is None or delay:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), delay)
                continue
            self._is_completing = document.due is None
            document.due = document.completion_due = None
            self._running = document
            try:
                await self._analyze(document)
            except Exception:  # noqa: BLE001 - one document must not cost the others the server
                _LOG.exception("%s", document.uri)
            finally:
                self._running, self._is_completing = None, False
                async with self._done:
                    self._done.notify_all()

    def _next(self) -> tuple[Document | None, float | None]:
        """What is to be done next, and when; what was edited comes before what is merely to be completed."""
        waiting = [
            (each.due is None, moment, number, each)
            for number, each in enumerate(self.documents)
            if (moment := each.next_s) is not None
        ]
        if not waiting:
            return None, None
        now = asyncio.get_running_loop().time()
        ready = [each for each in waiting if each[1] <= now]
        _, moment, _, document = min(ready) if ready else min(waiting, key=lambda each: each[1:3])
        return document, moment

    async def _analyze(self, document: Document) -> None:
        if document.is_header and self.documents.includers(document):
            # The documents that include it say what is to be said of it.
            document.result = document.whole = None
            return
        if not document.has_gpu_code:
            self._forget(document)
            return
        folder = self.folders.of(document.path)
        self.send_status(document, "busy")
        text, is_completing = document.text, self._is_completing
        task = self._task(document, folder, may_update=not is_completing)
        outcome = await self.analyst.run(task, folder.settings.limit_s(len(text.lines)))
        if self.analyst.sent is task:
            self._sent_options = (self.analyst.generation, folder.number)
        is_present = text is document.text and self.documents.get(document.uri) is document
        # What is due again fails, where it does, then: this time it may have been hurried.
        is_over = outcome.error is not None and document.due is not None
        if isinstance(outcome.error, SupersededError) or is_over or not is_present:
            if isinstance(outcome.value, ProgramResult):
                # Of an earlier text; edits since then may be small.
                document.whole = self.documents.result(
                    text, outcome.value, folder.options, task.number
                )
            elif is_completing and document.due is None:
                document.completion_due = asyncio.get_running_loop().time() + _QUIET_S
            return
        found = outcome.value
        if found is None:
            self._failed(document, folder, outcome)
            return
        document.failed = ""
        if isinstance(found, ProgramResult):
            document.whole = self.documents.result(text, found, folder.options, task.number)
            document.result = document.whole
        else:
            assert document.whole is not None
            document.result = self.documents.updated(
                document.whole, document.path, text, found, folder.options
            )
            if not found.is_final:
                document.completion_due = asyncio.get_running_loop().time() + _QUIET_S
        self._show(document)
        self.send_status(document, "idle")
        self._refresh()

    def _task(self, document: Document, folder: Folder, *, may_update: bool) -> AnalyzeDocument:
        self.analyst.start()
        known = (self.analyst.generation, folder.number)
        options = None
        if known != self._sent_options or folder.options.analysis.compile_commands:
            options = _options_for(document, folder)
        self._task_number += 1
        return AnalyzeDocument(
            path=Path(document.path),
            options=options,
            options_number=folder.number,
            with_folder=folder.settings.with_folder,
            unsaved=self.documents.unsaved(),
            number=self._task_number,
            base=document.whole.number if may_update and document.whole is not None else None,
        )

    def _failed(self, document: Document, folder: Folder, outcome: Outcome[Answer]) -> None:
        error = outcome.error
        assert error is not None
        message = error.problem
        if isinstance(error, AnalysisTimeout):
            limit_s = folder.settings.limit_s(len(document.text.lines))
            message = f"gave up after {limit_s:g} s; raise roofstat.timeLimitS"
        if not document.failed and isinstance(error, AnalysisTimeout | WorkerCrash):
            self._server.window_show_message(
                types.ShowMessageParams(
                    types.MessageType.Warning,
                    f"roofstat: {Path(document.path).name}: {message}; the server goes on, and tries again after the next edit",
                )
            )
        document.failed = message
        document.result = document.whole = None
        self._show(document)
        self.send_status(document, "failed")
        self._refresh()

    def _forget(self, document: Document) -> None:
        """A document without GPU code has nothing to show."""
        had = document.result is not None or document.published
        document.result = document.whole = None
        document.failed = ""
        if had:
            self._show(document)
            self._refresh()

    # What the client is told

    def _show(self, document: Document) -> None:
        """Publish what a document's result says of its own and of other files."""
        files = {document.uri}
        if document.result is not None:
            report = document.result.report
            names = {item.file for item in report.diagnostics}
            names |= {error.file for error in report.errors}
            files |= {self._uri(name) for name in names if self._is_of_client(name)}
        before, document.published = document.published, files
        for uri in files | before:
            self._publish(uri)

    def _is_of_client(self, name: str) -> bool:
        path = Path(os.path.abspath(name))  # noqa: PTH100 - links stay
        return self.documents.at(str(path)) is not None or any(
            path.is_relative_to(root) for root in self.folders.roots
        )

    def _uri(self, name: str) -> str:
        open_document = self.documents.at(name)
        return open_document.uri if open_document is not None else uri_of(name)

    def _publish(self, uri: str) -> None:
        """Send what is known of a file: from its own result, and from those of documents that include it."""
        document = self.documents.get(uri)
        path = document.path if document is not None else path_of(uri)
        found: list[types.Diagnostic] = []
        if document is not None:
            views = self.documents.views(document)
        else:
            text = self._text("\n".join(self.documents.lines(path)))
            same = LineMap.between(text.lines, text.lines)
            views = [
                View(each.result, path, text, same)
                for each in self.documents
                if each.result is not None and uri in each.published
            ]
        for view in views:
            found += [each for each in diagnostics(view) if each not in found]
        if document is not None and document.failed:
            found.append(failure_diagnostic(document.failed, document.text))
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(
                uri=uri,
                diagnostics=found,
                version=document.version if document is not None else None,
            )
        )

    def _refresh(self) -> None:
        """Have lenses and hints asked for again, where the client can."""
        workspace = self._server.client_capabilities.workspace
        if workspace is None:
            return
        if workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self._server.workspace_code_lens_refresh(None)
        if workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self._server.workspace_inlay_hint_refresh(None)

    def send_status(self, document: Document | None, state: str) -> None:
        """Tell which card holds, and what is being done."""
        path = document.path if document is not None else self._any_path()
        gpu = self.folders.of(path).options.analysis.gpu
        status: dict[str, Any] = {
            "uri": document.uri if document is not None else None,
            "gpu": {"name": gpu.id, "title": gpu.name},
            "state": state,
        }
        self._server.protocol.notify(_STATUS, status)

    def _any_path(self) -> str:
        """A file of the first folder."""
        roots = self.folders.roots
        return str((roots[-1] if roots else Path(tempfile.gettempdir())) / "any.cu")

    def _complain(self, message: str) -> None:
        """Tell the user of a setting that makes no sense, once."""
        if message not in self._complaints:
            self._complaints.add(message)
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"roofstat: {message}")
            )
