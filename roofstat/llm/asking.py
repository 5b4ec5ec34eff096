"""Ask many requests: what the log knows is not asked again, the rest goes out a few at a time, everything is logged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Final, TypeAlias

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LlmError, LlmFailure
from roofstat.llm.answers import Answer, parse_choices
from roofstat.llm.cost import Price
from roofstat.llm.log import CallLog
from roofstat.llm.replies import Reply, Server
from roofstat.llm.requests import ChatRequest

_Finished: TypeAlias = tuple[ChatRequest, Reply | BaseException]

__all__ = ["Asker", "Said", "checked_answer"]

_HOPELESS: Final = frozenset({LlmFailure.KEY})
"""Failures that every further request would meet too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What became of a request: a checked answer, or the failure that took its place.

    Attributes:
        reply: What came back, also where it could not be used; None where nothing did.
        is_logged: Whether it comes from the log.
    """

    request: ChatRequest
    answer: Answer | None = None
    error: LlmError | None = None
    reply: Reply | None = None
    is_logged: bool = False


def checked_answer(request: ChatRequest, reply: Reply) -> Answer:
    """Return the answer that a reply holds.

    Raises:
        LlmError: It holds none that can be used.
    """
    reply.check()
    return parse_choices(reply.texts, request.form)


class Asker:
    """Asks a server, or the log alone."""

    def __init__(
        self,
        log: CallLog,
        server: Server | None,
        destination: str,
        *,
        concurrency: int = 4,
        fresh: bool = False,
    ) -> None:
        """Take a log and whom to ask.

        Args:
            log: Of all calls.
            server: None for a replay: nothing is sent.
            destination: The server's URL: logged answers of another one are not taken for its own, except in a replay.
            concurrency: Requests under way at a time.
            fresh: Ask again what the log knows.
        """
        self._log = log
        self._server = server
        self._destination = destination
        self._concurrency = max(concurrency, 1)
        self._fresh = fresh and server is not None

    def unknown(self, requests: Sequence[ChatRequest]) -> list[ChatRequest]:
        """Return the requests that would be sent, each once."""
        distinct = {request.key: request for request in requests}
        return [request for request in distinct.values() if self._known(request) is None]

    def ask_all(
        self,
        requests: Sequence[ChatRequest],
        *,
        price: Price | None = None,
        budget_usd: float | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> list[Said]:
        """Return what was said to each request, in their order.

        An interrupted run loses nothing that was answered: the same call goes on where it stopped.

        Args:
            requests: Equal ones are asked once.
            price: Of the model.
            budget_usd: When the answers have cost so much, no further request is sent.
            progress: Called with the requests done, all of them, and the prompt's name.
        """
        found: dict[str, Said] = {}
        todo: list[ChatRequest] = []
        for request in {request.key: request for request in requests}.values():
            known = self._known(request)
            if known is not None:
                found[request.key] = known
            elif self._server is None:
                found[request.key] = self._absent(request)
            else:
                todo.append(request)
        total = len(found) + len(todo)
        if self._server is not None:
            for said in self._send(todo, self._server, price, budget_usd):
                found[said.request.key] = said
                if progress is not None:
                    progress(len(found), total, said.request.prompt)
        return [found[request.key] for request in requests]

    def _known(self, request: ChatRequest) -> Said | None:
        """What the log holds; a reply that cannot be used is one too, since it was paid for."""
        if self._fresh:
            return None
        reply = self._log.find(request, self._destination if self._server else None)
        if reply is None:
            return None
        try:
            answer = checked_answer(request, reply)
        except LlmError as error:
            return Said(request=request, error=error, reply=reply, is_logged=True)
        return Said(request=request, answer=answer, reply=reply, is_logged=True)

    def _absent(self, request: ChatRequest) -> Said:
        logged = self._log.failure(request)
        kind, problem = logged or (LlmFailure.ABSENT, "the log holds no answer to this request")
        return Said(request=request, error=LlmError(kind, problem), is_logged=logged is not None)

    def _send(
        self,
        todo: Sequence[ChatRequest],
        server: Server,
        price: Price | None,
        budget_usd: float | None,
    ) -> Iterator[Said]:
        spent = 0.0
        stop: LlmError | None = None
        waiting = iter(todo)
        done: SimpleQueue[_Finished] = SimpleQueue()
        running = 0
        while True:
            while stop is None and running < self._concurrency:
                request = next(waiting, None)
                if request is None:
                    break
                # A daemon: an interrupted run does not wait for answers that nobody will read.
                thread = Thread(target=_call, args=(server, request, done), daemon=True)
                thread.start()
                running += 1
            if not running:
                break
            said = self._finished(done.get())
            running -= 1
            if said.reply is not None and price is not None:
                spent += price.of_reply(said.request, said.reply)
            if said.error is not None and said.error.kind in _HOPELESS:
                stop = said.error
            elif budget_usd is not None and spent >= budget_usd:
                stop = LlmError(
                    LlmFailure.ABSENT,
                    f"not asked: {spent:.2f} USD are spent",
                    remedy="raise --max-cost",
                )
            yield said
        for request in waiting:
            yield Said(request=request, error=stop)

    def _finished(self, finished: _Finished) -> Said:
        """Log one call, and check what came back."""
        request, outcome = finished
        reply = error = answer = None
        if isinstance(outcome, Reply):
            reply = outcome
            try:
                answer = checked_answer(request, reply)
            except LlmError as failure:
                error = failure
        elif isinstance(outcome, LlmError):
            error = outcome
        else:
            raise outcome
        self._log.add(
            request,
            self._destination,
            reply,
            None if error is None else (error.kind, error.problem),
        )
        return Said(request=request, answer=answer, error=error, reply=reply)


def _call(server: Server, request: ChatRequest, done: SimpleQueue[_Finished]) -> None:
    """Ask one request and hand over whatever comes of it; runs in a thread of its own."""
    try:
        done.put((request, server.ask(request)))
    except BaseException as error:  # noqa: BLE001 - raised again where the answers are collected
        done.put((request, error))
