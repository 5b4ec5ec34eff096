"""A chat request and its identity: equal requests have equal keys, whatever server they go to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.llm.answers import ANSWER_SCHEMA, AnswerForm

__all__ = ["ChatRequest", "Message"]

_KEY_VERSION: Final = "roofstat-request/1"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is asked of a model.

    Attributes:
        model: As the server calls it.
        messages: The turns.
        form: What the answer has to be.
        temperature: None leaves it to the server.
        prompt: Name and version of the prompt that made the messages.
        trial: Number of the repetition, so that several answers to the same prompt can be had.
    """

    model: str
    messages: tuple[Message, ...]
    form: AnswerForm
    temperature: float | None = None
    prompt: str
    trial: int = 0

    def body(self) -> dict[str, Any]:
        """Return the request in the chat-completions form."""
        data: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": message.content} for message in self.messages
            ],
        }
        if self.temperature is not None:
            data["temperature"] = self.temperature
        if self.form is AnswerForm.JSON:
            data["response_format"] = {
                "type": "json_schema",
                "json_schema": {
                    "name": "roofline_verdict",
                    "strict": True,
                    "schema": dict(ANSWER_SCHEMA),
                },
            }
        return data

    @property
    def key(self) -> str:
        """Digest of everything that the answer depends on."""
        content = canonical({"version": _KEY_VERSION, "trial": self.trial, **self.body()})
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def characters(self) -> int:
        """Length of all turns."""
        return sum(len(message.content) for message in self.messages)


def canonical(data: Mapping[str, Any]) -> str:
    """Return JSON that is the same for the same content."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
