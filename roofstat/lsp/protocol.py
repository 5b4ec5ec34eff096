"""What the library's protocol leaves without an answer: requests that are wrong, and those that come at the wrong time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from clang_queries.quick_dataclass import dataclass

__all__ = ["Protocol"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Misshapen:
    """A message whose parameters are not those of its method."""

    id: Any
    method: str
    problem: str


def _is_told_only_there(record: logging.LogRecord) -> bool:
    """Whether a record of the library is more than the trace of a message that is answered and logged here."""
    return not str(record.msg).startswith("Unable to deserialize message")


logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_told_only_there)


class Protocol(LanguageServerProtocol):
    """Answers every request, whatever is in it and whenever it comes."""

    exit_status = 0
    """What the process ends with: a client that says `exit` has to say `shutdown` before."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message with its parameters read."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if not isinstance(data.get("method"), str):
                raise
            cause = error.__cause__
            problem = "; ".join(transform_error(cause)) if cause is not None else error.message
            return _Misshapen(data.get("id"), data["method"], problem)

    def handle_message(self, message: Any) -> None:
        """Handle a message, or say why it is not handled."""
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        if method == types.EXIT:
            self.exit_status = 0 if self._shutdown else 1
        refusal = self._refusal(message, method) if isinstance(method, str) else None
        if refusal is None:
            super().handle_message(message)
            return
        _LOG.warning("%s: %s", method, refusal)
        if number is not None:
            self._send_response(number, error=refusal.to_response_error())

    def _refusal(self, message: object, method: str) -> JsonRpcException | None:
        if method != types.EXIT:
            if self._shutdown:
                return JsonRpcInvalidRequest("the server is shut down")
            if (self._workspace is None) != (method == types.INITIALIZE):
                if self._workspace is None:
                    return JsonRpcServerNotInitialized("the server is not initialized")
                return JsonRpcInvalidRequest("the server is initialized already")
        if isinstance(message, _Misshapen):
            return JsonRpcInvalidParams(message.problem)
        if method == types.WORKSPACE_EXECUTE_COMMAND:
            command = getattr(getattr(message, "params", None), "command", None)
            if command not in self.fm.commands:
                return JsonRpcInvalidParams(f"there is no command {command!r}")
        return None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(
        self, params: types.DidChangeTextDocumentParams
    ) -> Iterator[Any]:
        """Take the new text of a document that is open."""
        if unquote(params.text_document.uri) in self.workspace.text_documents:
            yield from super().lsp_text_document__did_change(params)
