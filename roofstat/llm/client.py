"""One request to an OpenAI-compatible server, and every way in which it can go wrong.

The official client retries with back-off and honours `Retry-After`; here is what it leaves open: a limit for the whole
answer, servers that lack a feature, broken streams, refusals, and messages without secrets.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import openai

from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.endpoint import DEFAULT_URL, Endpoint
from roofstat.llm.replies import Reply, shorten

if TYPE_CHECKING:
    from roofstat.llm.requests import ChatRequest

__all__ = ["ChatServer", "api_client", "failures"]

_DROPPABLE: Final = {
    "response_format": ("response_format", "json_schema", "structured", "guided"),
    "temperature": ("temperature",),
    "stream": ("stream",),
}
"""What a server may not take, and the words by which its message tells."""
_BROKEN_STREAM_TRIES: Final = 3
_BROKEN_STREAM_PAUSE_S: Final = 0.5


class _BrokenOffError(LlmError):
    """The connection ended within an answer, which the client does not try again by itself."""


class ChatServer:
    """A server that is asked over the network. May be used by several threads at once."""

    def __init__(self, endpoint: Endpoint, *, timeout_s: float, retries: int = 5) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._client = api_client(endpoint, timeout_s=timeout_s, retries=retries)
        self._dropped: frozenset[str] = frozenset()

    def ask(self, request: ChatRequest) -> Reply:
        """Send a request and wait for the whole reply.

        Raises:
            LlmError: There is none. Refused and truncated answers are replies: see `Reply.check`.
        """
        body = request.body()
        while True:
            sent = {name: value for name, value in body.items() if name not in self._dropped}
            streamed = "stream" not in self._dropped
            try:
                return self._ask_again(sent, streamed=streamed)
            except openai.APIStatusError as error:
                lacking = _lacking(error, sent, streamed=streamed)
                if not lacking:
                    raise _status_error(error, self._endpoint) from None
                # The next requests go without it at once.
                self._dropped |= lacking

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask_again(self, body: dict[str, Any], *, streamed: bool) -> Reply:
        """Ask, and ask again where the connection breaks within an answer."""
        tries = 0
        while True:
            try:
                with failures(self._endpoint, passing=openai.APIStatusError):
                    return self._streamed(body) if streamed else self._whole(body)
            except _BrokenOffError:
                tries += 1
                if tries >= _BROKEN_STREAM_TRIES:
                    raise
                time.sleep(_BROKEN_STREAM_PAUSE_S * tries)

    def _whole(self, body: dict[str, Any]) -> Reply:
        started = time.monotonic()
        found = self._client.chat.completions.create(**body)
        choices = getattr(found, "choices", None)
        if not choices:
            raise LlmError(LlmFailure.MALFORMED, "the server's reply holds no choice")
        texts = tuple(choice.message.content or "" for choice in choices)
        refusals = [choice.message.refusal for choice in choices if choice.message.refusal]
        return Reply(
            texts=texts,
            finish=choices[0].finish_reason,
            refusal=refusals[0] if refusals else None,
            model=found.model,
            prompt_tokens=found.usage.prompt_tokens if found.usage else None,
            completion_tokens=found.usage.completion_tokens if found.usage else None,
            seconds=time.monotonic() - started,
        )

    def _streamed(self, body: dict[str, Any]) -> Reply:
        started = time.monotonic()
        texts: dict[int, str] = {}
        refusal = finish = model = None
        tokens: tuple[int | None, int | None] = (None, None)
        stream = self._client.chat.completions.create(
            stream=True, stream_options={"include_usage": True}, **body
        )
        with stream:
            for part in stream:
                if time.monotonic() - started > self._timeout_s:
                    raise _too_slow(self._timeout_s)
                model = part.model or model
                if part.usage is not None:
                    tokens = (part.usage.prompt_tokens, part.usage.completion_tokens)
                for choice in part.choices or ():
                    delta = choice.delta
                    texts[choice.index] = texts.get(choice.index, "") + (delta.content or "")
                    said = getattr(delta, "refusal", None)
                    refusal = (refusal or "") + said if said else refusal
                    finish = choice.finish_reason or finish
        if not texts:
            raise LlmError(LlmFailure.MALFORMED, "the server's reply holds no choice")
        if finish is None:
            raise _BrokenOffError(LlmFailure.CONNECTION, "the stream ended within the answer")
        return Reply(
            texts=tuple(texts[index] for index in sorted(texts)),
            finish=finish,
            refusal=refusal,
            model=model,
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
            seconds=time.monotonic() - started,
        )


def api_client(endpoint: Endpoint, *, timeout_s: float, retries: int) -> openai.OpenAI:
    """Return the official client for a server. It follows no redirect: source goes where the user said."""
    client = openai.OpenAI(
        api_key=endpoint.secret,
        base_url=endpoint.url,
        timeout=timeout_s,
        max_retries=retries,
        http_client=openai.DefaultHttpxClient(follow_redirects=False, timeout=timeout_s),
    )
    if endpoint.url != DEFAULT_URL:
        # The library takes them from the environment and would tell them to any server.
        client.organization = client.project = None
    return client


@contextlib.contextmanager
def failures(
    endpoint: Endpoint, passing: type[openai.OpenAIError] | tuple[()] = ()
) -> Iterator[None]:
    """Turn what the client raises into an `LlmError`, except one kind that may pass."""
    try:
        yield
    except LlmError:
        raise
    except passing:
        raise
    except openai.APIStatusError as error:
        raise _status_error(error, endpoint) from None
    except openai.APITimeoutError:
        raise LlmError(
            LlmFailure.TIMEOUT, "the server did not answer in time", remedy="raise --llm-timeout"
        ) from None
    except openai.APIConnectionError:
        raise LlmError(
            LlmFailure.CONNECTION,
            f"{endpoint.url} cannot be reached",
            remedy="check --base-url and that the server runs",
        ) from None
    except (openai.OpenAIError, ValueError) as error:
        raise LlmError(
            LlmFailure.MALFORMED,
            f"the server's reply is no chat completion ({shorten(endpoint.without_secrets(str(error)))})",
        ) from None
    except Exception as error:  # noqa: BLE001 - errors of the transport have no common public base
        name = type(error).__name__
        if "timeout" in name.lower():
            raise LlmError(
                LlmFailure.TIMEOUT, "the answer stopped coming", remedy="raise --llm-timeout"
            ) from None
        raise _BrokenOffError(LlmFailure.CONNECTION, f"the connection broke off ({name})") from None


def _too_slow(seconds: float) -> LlmError:
    return LlmError(
        LlmFailure.TIMEOUT,
        f"the answer was not complete after {seconds:g} s",
        remedy="raise --llm-timeout",
    )


def _lacking(
    error: openai.APIStatusError, sent: dict[str, Any], *, streamed: bool
) -> frozenset[str]:
    """What to leave out of a request that a server did not take; nothing where that would not help."""
    if error.status_code not in {400, 404, 422, 501}:
        return frozenset()
    there = {*sent, *(("stream",) if streamed else ())}
    text = f"{error.message} {error.body}".lower()
    return frozenset(
        name
        for name, words in _DROPPABLE.items()
        if name in there and any(word in text for word in words)
    )


_STATUS: Final = {
    401: (LlmFailure.KEY, "the server refused the key"),
    402: (LlmFailure.BUSY, "the server wants payment"),
    403: (LlmFailure.KEY, "the server does not allow this with this key"),
    408: (LlmFailure.TIMEOUT, "the server did not answer in time"),
    429: (LlmFailure.BUSY, "the server has had too many requests"),
}


def _status_error(error: openai.APIStatusError, endpoint: Endpoint) -> LlmError:
    status = error.status_code
    if status in _STATUS:
        kind, problem = _STATUS[status]
        remedy = {
            LlmFailure.KEY: "check ROOFSTAT_LLM_KEY (or OPENAI_API_KEY for OpenAI's server)",
            LlmFailure.BUSY: "lower --llm-concurrency, or wait",
        }.get(kind)
        return LlmError(kind, f"{problem} (status {status})", remedy=remedy)
    if status >= 500:
        return LlmError(LlmFailure.SERVER, f"the server failed (status {status})")
    if 300 <= status < 400:
        return LlmError(
            LlmFailure.REQUEST,
            f"the server sends elsewhere (status {status}), which is not followed",
            remedy="give the final address in --base-url",
        )
    said = shorten(endpoint.without_secrets(error.message))
    return LlmError(
        LlmFailure.REQUEST, f"the server does not take the request (status {status}): {said}"
    )
