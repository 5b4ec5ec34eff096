"""What a server sends back, and who sends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.requests import ChatRequest

__all__ = ["Reply", "Server", "shorten"]

_EXCERPT: Final = 200


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
        if self.refusal is not None or self.finish == "content_filter":
            raise LlmError(LlmFailure.REFUSAL, f"the model refused: {shorten(self.refusal or '')}")
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


def shorten(text: str) -> str:
    """The text in one line of a bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else f"{flat[: _EXCERPT - 3]}..."
