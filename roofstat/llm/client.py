"""One request to an OpenAI-compatible server, and every way in which it can go wrong.

The official client makes the connection and reads events; here is what it leaves open: a limit for the whole answer, which
failures are worth a second try, servers that lack a feature or ignore it, broken streams, refusals, and messages without
secrets.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import openai

from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.endpoint import DEFAULT_URL, Endpoint
from roofstat.llm.replies import Reply, error_text, read_completion, shorten, token_count
from roofstat.llm.retrying import pause_s

if TYPE_CHECKING:
    from roofstat.llm.requests import ChatRequest

__all__ = ["ChatServer", "api_client", "failures"]

_DROPPABLE: Final = {
    "response_format": ("response_format", "json_schema", "structured", "guided"),
    "temperature": ("temperature",),
    "stream": ("stream",),
}
"""What a server may not take, and the words by which its message tells."""
_LEAST_KNOWN: Final = "response_format"
"""What the fewest servers take: left out where a message does not tell what is wrong."""
_BROKEN_STREAM_TRIES: Final = 3


class _BrokenOffError(LlmError):
    """The connection ended within an answer."""


class ChatServer:
    """A server that is asked over the network. May be used by several threads at once."""

    def __init__(self, endpoint: Endpoint, *, timeout_s: float, retries: int = 5) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._retries = retries
        self._client = api_client(endpoint, timeout_s=timeout_s, retries=0)
        self._dropped: frozenset[str] = frozenset()

    def ask(self, request: ChatRequest) -> Reply:
        """Send a request and wait for the whole reply, which is free of the key.

        Raises:
            LlmError: There is none. Refused and truncated answers are replies: see `Reply.check`.
        """
        body = request.body()
        dropped = self._dropped
        while True:
            sent = {name: value for name, value in body.items() if name not in dropped}
            streamed = "stream" not in dropped
            try:
                reply = self._ask_again(sent, streamed=streamed)
            except openai.APIStatusError as error:
                lacking = _lacking(error, sent, streamed=streamed)
                if not lacking:
                    raise _status_error(error, self._endpoint) from None
                dropped |= lacking
            except LlmError as error:
                problem = self._endpoint.without_secrets(error.problem)
                raise LlmError(error.kind, problem, remedy=error.remedy) from None
            else:
                # The next requests go without it at once.
                self._dropped |= dropped
                return self._without_key(reply)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask_again(self, body: dict[str, Any], *, streamed: bool) -> Reply:
        """Ask, and ask again what may go better then. Not after a time-out: the server may have worked, and charged, all along."""
        tries = 0
        while True:
            tries += 1
            try:
                with failures(self._endpoint, passing=openai.APIStatusError):
                    return self._ask_once(body, streamed=streamed)
            except _BrokenOffError:
                pause = pause_s(tries) if tries < _BROKEN_STREAM_TRIES else None
                if pause is None:
                    raise
            except LlmError as error:
                again = error.kind is LlmFailure.CONNECTION and tries <= self._retries
                pause = pause_s(tries) if again else None
                if pause is None:
                    raise
            except openai.APIStatusError as error:
                again = _is_passing(error) and tries <= self._retries
                pause = pause_s(tries, error.response.headers) if again else None
                if pause is None:
                    raise
            time.sleep(pause)

    def _ask_once(self, body: dict[str, Any], *, streamed: bool) -> Reply:
        started = time.monotonic()
        how = {"stream": True, "stream_options": {"include_usage": True}} if streamed else {}
        create = self._client.chat.completions.with_streaming_response.create
        with create(**body, **how) as response, _reached():
            # Servers that know no streams answer in one piece, whatever was asked for.
            if streamed and "json" not in response.headers.get("content-type", ""):
                reply = self._read_events(response.parse(), started)
            else:
                content = self._read_all(response.iter_bytes(), started)
                try:
                    whole = json.loads(content)
                except (ValueError, RecursionError):
                    said = shorten(repr(content.decode("utf-8", "replace")))
                    raise LlmError(
                        LlmFailure.MALFORMED, f"the server's reply is no JSON: {said}"
                    ) from None
                reply = read_completion(whole)
        return dataclasses.replace(reply, seconds=time.monotonic() - started)

    def _read_all(self, pieces: Iterator[bytes], started: float) -> bytes:
        content = b""
        for piece in pieces:
            self._check_time(started)
            content += piece
        return content

    def _read_events(self, events: Iterable[openai.ChatCompletionChunk], started: float) -> Reply:
        texts: dict[int, str] = {}
        refusal = finish = model = None
        tokens: tuple[int | None, int | None] = (None, None)
        for part in events:
            self._check_time(started)
            model = part.model or model
            if part.usage is not None:
                tokens = (
                    token_count(getattr(part.usage, "prompt_tokens", None)),
                    token_count(getattr(part.usage, "completion_tokens", None)),
                )
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
            finish=str(finish),
            refusal=refusal,
            model=str(model) if model else None,
            prompt_tokens=tokens[0],
            completion_tokens=tokens[1],
        )

    def _check_time(self, started: float) -> None:
        if time.monotonic() - started > self._timeout_s:
            raise LlmError(
                LlmFailure.TIMEOUT,
                f"the answer was not complete after {self._timeout_s:g} s",
                remedy="raise --llm-timeout",
            )

    def _without_key(self, reply: Reply) -> Reply:
        clean = self._endpoint.without_key
        return dataclasses.replace(
            reply,
            texts=tuple(map(clean, reply.texts)),
            refusal=clean(reply.refusal) if reply.refusal else None,
            model=clean(reply.model) if reply.model else None,
        )


@contextlib.contextmanager
def _reached() -> Iterator[None]:
    """Tell a connection that ends within a reply from one that never was: the reply may have been paid for."""
    try:
        yield
    except openai.APITimeoutError:
        raise
    except openai.APIConnectionError:
        raise _BrokenOffError(
            LlmFailure.CONNECTION, "the connection broke off within the reply"
        ) from None


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
    except openai.APIError as error:
        # An error within a stream.
        said = shorten(endpoint.without_secrets(error_text(error.body or error.message)))
        raise LlmError(LlmFailure.SERVER, f"the server failed: {said}") from None
    except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
        said = shorten(endpoint.without_secrets(str(error)))
        raise LlmError(
            LlmFailure.MALFORMED, f"the server's reply has an unknown form ({said})"
        ) from None
    except Exception as error:  # noqa: BLE001 - errors of the transport have no common public base
        name = type(error).__name__
        if "timeout" in name.lower():
            raise LlmError(
                LlmFailure.TIMEOUT, "the answer stopped coming", remedy="raise --llm-timeout"
            ) from None
        raise _BrokenOffError(LlmFailure.CONNECTION, f"the connection broke off ({name})") from None


def _said(error: openai.APIStatusError) -> str:
    """What the server says of a refused request."""
    return error_text(error.body) if error.body else error.message


def _is_quota(error: openai.APIStatusError) -> bool:
    """Whether a used-up quota, and not too many requests at a time, is what a server complains of."""
    return error.status_code == 429 and "insufficient_quota" in str(error.body)


def _is_passing(error: openai.APIStatusError) -> bool:
    """Whether the same request may go better in a moment."""
    status = error.status_code
    return (status in {409, 429} and not _is_quota(error)) or (status >= 500 and status != 501)


def _lacking(
    error: openai.APIStatusError, sent: dict[str, Any], *, streamed: bool
) -> frozenset[str]:
    """What to leave out of a request that a server did not take; nothing where that would not help."""
    if error.status_code not in {400, 404, 422, 501}:
        return frozenset()
    there = {*sent, *(("stream",) if streamed else ())}
    text = f"{error.message} {error.body}".lower()
    named = frozenset(
        name
        for name, words in _DROPPABLE.items()
        if name in there and any(word in text for word in words)
    )
    unsaid = not named and error.status_code in {400, 422} and _LEAST_KNOWN in there
    return frozenset({_LEAST_KNOWN}) if unsaid else named


_STATUS: Final = {
    401: (LlmFailure.KEY, "the server refused the key"),
    402: (LlmFailure.BUSY, "the server wants payment"),
    403: (LlmFailure.KEY, "the server does not allow this with this key"),
    408: (LlmFailure.TIMEOUT, "the server did not answer in time"),
    429: (LlmFailure.BUSY, "the server has had too many requests"),
}


def _status_error(error: openai.APIStatusError, endpoint: Endpoint) -> LlmError:
    status = error.status_code
    if _is_quota(error):
        return LlmError(
            LlmFailure.BUSY,
            f"the quota of the key is used up (status {status})",
            remedy="see the plan and the bills of the account",
        )
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
    said = shorten(endpoint.without_secrets(_said(error)))
    return LlmError(
        LlmFailure.REQUEST, f"the server does not take the request (status {status}): {said}"
    )
