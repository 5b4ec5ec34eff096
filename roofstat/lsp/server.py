"""The protocol: requests and notifications of the client, each handed to what answers it."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os
import re
import signal
import sys
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from roofstat import __version__
from roofstat.hardware import available_gpus, load_gpu
from roofstat.lsp.actions import FIX_ALL, code_actions
from roofstat.lsp.analyst import Analyst
from roofstat.lsp.documents import View, uri_of
from roofstat.lsp.hover import hover
from roofstat.lsp.marks import SHOW_REPORT, code_lenses, inlay_hints
from roofstat.lsp.protocol import Protocol
from roofstat.lsp.session import Session
from roofstat.lsp.settings import SECTION, EditorSettings, OptionsReader
from roofstat.render import Detail, RenderOptions, render

__all__ = ["serve"]

_REPORT = "roofstat.report"
_GPUS = "roofstat.gpus"
_WATCHED = (
    "**/compile_commands.json",
    "**/pyproject.toml",
    "**/roofstat.toml",
    "**/*.{h,hh,hpp,hxx,cuh,inl}",
)
_PATIENCE_S = 5.0
"""How long a client may take to answer what nothing depends on."""
_NOT_IN_A_NAME = re.compile(r"\W+")


def serve(read_options: OptionsReader, *, memory_limit_bytes: int | None = None) -> int:
    """Serve one client over standard input and output, until it says goodbye; return the exit status.

    Args:
        read_options: Gives the options of a folder.
        memory_limit_bytes: Data that the worker process may allocate; None for no limit.
    """
    # The protocol gets a descriptor of its own, which is closed at the end; what a library prints goes to the log.
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    analyst = Analyst(memory_limit_bytes)
    # Before there are threads, since it is forked then.
    analyst.start()
    server = _make_server(read_options, analyst)
    own = os.getpid()

    def end(number: int, _frame: object) -> NoReturn:
        # At once: the thread that reads the client's next message would be waited for.
        if os.getpid() == own:  # a process that is forked from this one has the handler too
            analyst.close()
            server.remove_reports()
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        server.start_io(stdout=protocol)
    finally:
        analyst.close()
    return server.protocol.exit_status


class RoofstatServer(LanguageServer):
    """A server with its session, which begins with the client's first message."""

    protocol: Protocol
    session: Session

    @cached_property
    def reports(self) -> tempfile.TemporaryDirectory[str]:
        """Where reports are written; it goes with the server."""
        return tempfile.TemporaryDirectory(prefix="roofstat-report-")

    def remove_reports(self) -> None:
        """Remove the reports, where there are any."""
        if "reports" in self.__dict__:
            self.reports.cleanup()


def _make_server(read_options: OptionsReader, analyst: Analyst) -> RoofstatServer:
    """Return a server that answers everything that `docs/editors.md` says."""
    server = RoofstatServer(
        "roofstat",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Full,
        protocol_cls=Protocol,
    )
    _add_life(server, read_options, analyst)
    _add_documents(server)
    _add_settings(server)
    _add_questions(server)
    _add_commands(server)
    return server


def _add_life(server: RoofstatServer, read_options: OptionsReader, analyst: Analyst) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.session = Session(server, read_options, analyst)
        server.session.folders.set_roots(_roots(server))
        options = params.initialization_options
        if isinstance(options, Mapping):
            server.session.folders.set_common_section(_section(options))

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        await _register(server)
        await _ask_settings(server)
        server.session.start()
        server.session.send_status(None, "idle")

    @server.feature(types.SHUTDOWN)
    def shutdown(*_: object) -> None:
        server.session.stop()


def _add_documents(server: RoofstatServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.session.opened(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        text = server.workspace.get_text_document(document.uri)
        server.session.changed(document.uri, document.version, text.source)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.session.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.session.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [to_fs_path(change.uri) for change in params.changes]
        server.session.files_changed(path for path in paths if path is not None)


def _add_settings(server: RoofstatServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, Mapping) and SECTION in params.settings:
            server.session.folders.set_common_section(_section(params.settings))
        await _ask_settings(server)
        server.session.all_are_due()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders_changed(_params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.session.folders.set_roots(_roots(server))
        await _ask_settings(server)
        server.session.all_are_due()


async def _ask_settings(server: RoofstatServer) -> None:
    """Ask the client for the settings of each folder, where it can be asked."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return
    folders = server.session.folders
    places: list[Path | None] = [None, *folders.roots]
    items = [
        types.ConfigurationItem(scope_uri=uri_of(str(place)) if place else None, section=SECTION)
        for place in places
    ]
    try:
        asked = server.workspace_configuration_async(types.ConfigurationParams(items))
        found = await asyncio.wait_for(asked, _PATIENCE_S)
    except Exception:
        logging.getLogger(__name__).warning("the client gave no configuration", exc_info=True)
        return
    for place, section in zip(places, found, strict=False):
        if section is None or isinstance(section, Mapping):
            folders.set_section(section, place)


async def _register(server: RoofstatServer) -> None:
    """Have changes of settings and of files announced, where the client can."""
    workspace = server.client_capabilities.workspace
    if workspace is None:
        return
    found = []
    settings, files = workspace.did_change_configuration, workspace.did_change_watched_files
    if settings is not None and settings.dynamic_registration:
        found.append(
            types.Registration(
                id="roofstat-settings",
                method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                register_options={"section": SECTION},
            )
        )
    if files is not None and files.dynamic_registration:
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in _WATCHED]
        found.append(
            types.Registration(
                id="roofstat-files",
                method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
        )
    if found:
        try:
            asked = server.client_register_capability_async(types.RegistrationParams(found))
            await asyncio.wait_for(asked, _PATIENCE_S)
        except Exception:
            logging.getLogger(__name__).warning("the client registers nothing", exc_info=True)


def _add_questions(server: RoofstatServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def ask_hover(params: types.HoverParams) -> types.Hover | None:
        views = _views(server, params.text_document.uri)
        found = (hover(view, params.position) for view in views)
        return next((each for each in found if each is not None), None)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def ask_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        views = [view for view in _views(server, uri) if _settings(server, view).code_lens]
        return [lens for view in views for lens in code_lenses(view, uri)]

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def ask_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        views = _views(server, params.text_document.uri)
        shown = [view for view in views if _settings(server, view).inlay_hints]
        return [hint for view in shown for hint in inlay_hints(view, params.range)]

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL]),
    )
    def ask_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri = params.text_document.uri
        return [each for view in _views(server, uri) for each in code_actions(view, uri, params)]


def _add_commands(server: RoofstatServer) -> None:
    @server.command(_REPORT)
    async def report(uri: str, *kernel: str) -> str:
        return str(await _write_report(server, uri, *kernel))

    @server.command(SHOW_REPORT)
    async def show_report(uri: str, *kernel: str) -> str:
        file = await _write_report(server, uri, *kernel)
        window = server.client_capabilities.window
        if window is not None and window.show_document is not None:
            server.window_show_document(
                types.ShowDocumentParams(uri=uri_of(str(file)), external=True)
            )
        else:
            server.window_show_message(
                types.ShowMessageParams(types.MessageType.Info, f"roofstat: the report is {file}")
            )
        return str(file)

    @server.command(_GPUS)
    def gpus() -> list[dict[str, str]]:
        cards = [load_gpu(name) for name in available_gpus()]
        return [{"name": card.id, "title": card.name} for card in cards]


async def _write_report(server: RoofstatServer, uri: str, kernel: str | None = None) -> Path:
    """Write the report of a document, or of its kernels of one name."""
    session = server.session
    document = session.documents.get(uri)
    if document is None:
        raise JsonRpcInvalidParams(f"{uri} is not open")
    await session.settled(document)
    views = session.documents.views(document)
    if not views:
        raise JsonRpcInvalidParams(document.failed or "there is no kernel in it")
    shown = views[0].report
    if kernel is not None:
        only = tuple(each for each in shown.kernels if each.name == kernel)
        if not only:
            raise JsonRpcInvalidParams(f"there is no kernel {kernel} in {Path(document.path).name}")
        shown = dataclasses.replace(shown, kernels=only)
    name = _NOT_IN_A_NAME.sub("-", f"{Path(document.path).stem}-{kernel or 'report'}")
    file = Path(server.reports.name) / f"{name}.html"
    file.write_text(render(shown, "html", RenderOptions(detail=Detail.FULL)), "utf-8")
    return file


def _views(server: RoofstatServer, uri: str) -> list[View]:
    document = server.session.documents.get(uri)
    return server.session.documents.views(document) if document is not None else []


def _settings(server: RoofstatServer, view: View) -> EditorSettings:
    return server.session.folders.of(view.path).settings


def _roots(server: RoofstatServer) -> list[Path]:
    workspace = server.workspace
    uris = list(workspace.folders) or ([workspace.root_uri] if workspace.root_uri else [])
    return [Path(path) for uri in uris if (path := to_fs_path(uri)) is not None]


def _section(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The section of settings, which some clients send alone."""
    found = settings.get(SECTION, settings)
    return found if isinstance(found, Mapping) else {}
