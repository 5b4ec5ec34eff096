"""What a server sends back, and who sends it."""

from __future__ import annotations

from typing import Any, Final, Protocol

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.requests import ChatRequest

__all__ = ["Reply", "Server", "error_text", "read_completion", "shorten", "token_count"]

_EXCERPT: Final = 200
_MAX_TOKENS: Final = 10**12
_ERROR_FIELDS: Final = ("error", "message", "detail", "msg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server sent back.

    Attributes:
        texts: One for each choice.
        finish: Why the model stopped, in the server's word; None where it does not say.
        refusal: The model's words where it refuses.
        model: As the server names what answered.
        prompt_tokens: Of the request; None where the server does not say. `completion_tokens` likewise.
        seconds: From the request to the end of the answer.
    """

    texts: tuple[str, ...]
    finish: str | None = None
    refusal: str | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0

    def check(self) -> None:
        """Make sure that the model has said what it wanted to say.

        Raises:
            LlmError: It refused, or was cut off.
        """
        if self.refusal is not None:
            raise LlmError(LlmFailure.REFUSAL, f"the model refused: {shorten(self.refusal)}")
        if self.finish == "content_filter":
            raise LlmError(LlmFailure.REFUSAL, "the server's content filter stopped the answer")
        if self.finish == "length":
            raise LlmError(
                LlmFailure.TRUNCATED,
                "the answer was cut off at the model's limit",
                remedy="use a model with a larger context or output limit",
            )


class Server(Protocol):
    """Whoever answers requests."""

    def ask(self, request: ChatRequest) -> Reply:
        """Return the reply; raise an `LlmError` where there is none."""


def read_completion(body: object) -> Reply:
    """Read a whole reply in the chat-completions form.

    Raises:
        LlmError: It holds an error, or something else than a completion.
    """
    if not isinstance(body, dict):
        raise _no_completion(body)
    choices = body.get("choices")
    if not choices and body.get("error"):
        raise LlmError(LlmFailure.SERVER, f"the server failed: {shorten(error_text(body))}")
    if not choices or not isinstance(choices, list):
        raise LlmError(LlmFailure.MALFORMED, "the server's reply holds no choice")
    try:
        messages = [choice["message"] for choice in choices]
        texts = tuple(_text(message.get("content")) for message in messages)
        refusals = [said for message in messages if (said := _text(message.get("refusal")))]
        finish = choices[0].get("finish_reason")
    except (KeyError, TypeError, AttributeError):
        raise _no_completion(body) from None
    usage, model = body.get("usage"), body.get("model")
    tokens = usage if isinstance(usage, dict) else {}
    return Reply(
        texts=texts,
        finish=finish if isinstance(finish, str) else None,
        refusal=refusals[0] if refusals else None,
        model=model if isinstance(model, str) else None,
        prompt_tokens=token_count(tokens.get("prompt_tokens")),
        completion_tokens=token_count(tokens.get("completion_tokens")),
    )


def token_count(value: object) -> int | None:
    """A server's number of tokens; None where that is no number that can be one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MAX_TOKENS else None


def error_text(body: object) -> str:
    """What an error reply says, in whichever of the usual forms: `{"error": {"message": ...}}`, `{"error": ...}`, a text."""
    if isinstance(body, list) and body:
        return error_text(body[0])
    if isinstance(body, dict):
        for name in _ERROR_FIELDS:
            if body.get(name):
                return error_text(body[name])
    return str(body)


def shorten(text: str) -> str:
    """The text in one line of a bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 3]}..."


def _text(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def _no_completion(body: object) -> LlmError:
    return LlmError(
        LlmFailure.MALFORMED, f"the server's reply is no chat completion: {shorten(repr(body))}"
    )
