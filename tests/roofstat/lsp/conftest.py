"""An editor: a real client over standard input and output, which remembers what the server says."""

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.lsp.client import LanguageClient

import roofstat

_PATIENCE_S = 60


class Editor:
    """A client with one server, and the documents that it has open."""

    def __init__(self, folder, settings, encodings):
        self.folder = folder
        self.settings = settings
        """By folder, `None` for the workspace; what is no dictionary is given as it is."""
        self.encodings = encodings
        self.client = LanguageClient("editor", "1")
        self.said = []
        self.shown = {}
        """Diagnostics that were published last, by URI."""
        self.published = []
        self.status = []
        self.opened_pages = []
        self.settings_asked = 0
        self._news = asyncio.Condition()
        self._versions = {}
        self._listen()

    def _listen(self):
        client = self.client

        async def tell(action):
            action()
            async with self._news:
                self._news.notify_all()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def publish(params):
            def note():
                self.shown[params.uri] = params
                self.published.append(params)

            await tell(note)

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        async def say(params):
            await tell(lambda: self.said.append(params.message))

        @client.feature("roofstat/status")
        async def status(params):
            await tell(lambda: self.status.append(params))

        @client.feature(types.WINDOW_SHOW_DOCUMENT)
        async def show(params):
            await tell(lambda: self.opened_pages.append(params.uri))
            return types.ShowDocumentResult(success=True)

        @client.feature(types.WORKSPACE_CONFIGURATION)
        async def configure(params):
            def note():
                self.settings_asked += 1

            await tell(note)
            return [
                self.settings.get(item.scope_uri, self.settings.get(None)) for item in params.items
            ]

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params):
            return None

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh_lenses(*_):
            return None

        @client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)
        def refresh_hints(*_):
            return None

    async def start(self, roots, options=(), initialization_options=None):
        await self.client.start_io(
            *(sys.executable, "-m", "roofstat", "lsp", "--no-cache", *options),
            cwd=str(self.folder),
            env={**os.environ, "PYTHONPATH": str(Path(roofstat.__file__).parents[1])},
        )
        self.answer = await self.client.initialize_async(
            types.InitializeParams(
                process_id=None,
                capabilities=types.ClientCapabilities(
                    general=types.GeneralClientCapabilities(position_encodings=self.encodings),
                    workspace=types.WorkspaceClientCapabilities(
                        configuration=self.settings is not None,
                        workspace_folders=True,
                        code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True),
                        inlay_hint=types.InlayHintWorkspaceClientCapabilities(refresh_support=True),
                        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                            dynamic_registration=True
                        ),
                    ),
                    window=types.WindowClientCapabilities(
                        show_document=types.ShowDocumentClientCapabilities(support=True)
                    ),
                ),
                workspace_folders=[
                    types.WorkspaceFolder(uri=root.as_uri(), name=root.name) for root in roots
                ],
                initialization_options=initialization_options,
            )
        )
        self.client.initialized(types.InitializedParams())

    async def stop(self):
        with contextlib.suppress(Exception):
            await self.client.shutdown_async(None)
            self.client.exit(None)
        await self.client.stop()

    def uri(self, name):
        return name if ":" in str(name) else Path(self.folder, name).as_uri()

    def open(self, name, text, language="cuda-cpp"):
        uri = self.uri(name)
        self._versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    def write_and_open(self, name, text):
        Path(self.folder, name).write_text(text)
        return self.open(name, text)

    def edit(self, name, text):
        uri = self.uri(name)
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )
        return self._versions[uri]

    def save(self, name):
        self.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    async def close_all(self):
        """Close what is open, and wait until the server knows."""
        for uri in list(self._versions):
            self.close(uri)
        await self.command("roofstat.gpus")

    def close(self, name):
        self._versions.pop(self.uri(name), None)
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    @property
    def server_id(self):
        """The server's process."""
        return self.client._server.pid  # noqa: SLF001 - the client has no public name for it

    def configured(self, settings=None):
        """Settings have changed: the server asks for them, or is told."""
        self.client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams(settings or {})
        )

    def file_changed(self, name):
        event = types.FileEvent(self.uri(name), types.FileChangeType.Changed)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def until(self, condition):
        """Wait for news until something holds, and return it."""

        async def wait():
            async with self._news:
                while not (found := condition()):
                    await self._news.wait()
                return found

        return await asyncio.wait_for(wait(), _PATIENCE_S)

    async def codes(self, name, version=1):
        """The codes of the diagnostics of a version."""
        found = await self.diagnostics(name, version)
        return sorted(item.code for item in found)

    async def diagnostics(self, name, version=1):
        uri = self.uri(name)
        found = await self.until(
            lambda: self.shown.get(uri) if self._version_of(uri) == version else None
        )
        return found.diagnostics

    async def until_shown(self, name, condition, *, empty=False):
        """Wait until the diagnostics of a file are as wanted, and return them."""

        def found():
            shown = self.shown.get(self.uri(name))
            fits = shown and (shown.diagnostics or empty) and condition(shown.diagnostics)
            return shown if fits else None

        return (await self.until(found)).diagnostics

    def _version_of(self, uri):
        return self.shown[uri].version if uri in self.shown else None

    def document(self, name):
        return types.TextDocumentIdentifier(self.uri(name))

    async def lenses(self, name):
        found = await self.client.text_document_code_lens_async(
            types.CodeLensParams(self.document(name))
        )
        return [lens.command.title for lens in found]

    async def hints(self, name):
        whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        found = await self.client.text_document_inlay_hint_async(
            types.InlayHintParams(self.document(name), whole)
        )
        return [(hint.position.line, hint.label) for hint in found]

    async def hover(self, name, line, character):
        found = await self.client.text_document_hover_async(
            types.HoverParams(self.document(name), types.Position(line, character))
        )
        return "" if found is None else found.contents.value

    async def actions(self, name, line, only=None):
        uri = self.uri(name)
        place = types.Range(types.Position(line, 0), types.Position(line, 1000))
        context = types.CodeActionContext(self.shown[uri].diagnostics, only=only)
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(self.document(name), place, context)
        )
        return {action.title: action for action in found}

    async def command(self, name, *arguments):
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(name, arguments=list(arguments))
        )


def renewed(editor, folder):
    """An editor for another test: nothing is open, nothing was said."""
    editor.folder = folder
    for kept in (editor.said, editor.published, editor.status, editor.opened_pages, editor.shown):
        kept.clear()
    return editor


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A started editor for all tests that need no other, and what runs it; its folder holds theirs."""
    root = tmp_path_factory.getbasetemp()
    editor = Editor(root, {None: {"debounceMs": 5}}, None)
    with asyncio.Runner() as runner:
        runner.run(editor.start([root]))
        yield runner, editor
        runner.run(editor.stop())


@pytest.fixture
def editing(request, tmp_path):
    """Runs a session: `editing(session)` calls `await session(editor)` with a started editor.

    One that is started in a certain way is started for this session alone.
    """

    def run(session, **how):
        if how:
            return asyncio.run(_alone(session, tmp_path, **how))
        runner, editor = request.getfixturevalue("shared")
        try:
            return runner.run(session(renewed(editor, tmp_path)))
        finally:
            runner.run(editor.close_all())

    return run


async def _alone(session, folder, *, settings=None, encodings=None, roots=None, **how):
    editor = Editor(folder, settings, encodings)
    await editor.start([folder] if roots is None else roots, **how)
    try:
        return await session(editor)
    finally:
        await editor.stop()
