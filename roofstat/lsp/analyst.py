"""The worker process, seen from the server: one task at a time, with a limit; a crash or a hang costs that task only."""

from __future__ import annotations

import asyncio
import time
from multiprocessing.connection import wait

from roofstat.analysis.workers import Outcome, Worker
from roofstat.errors import AnalysisTimeout
from roofstat.lsp.tasks import Answer, CancelTask, SupersededError, Task, WarmUp, perform

__all__ = ["Analyst"]

_GRACE_S = 1.0
"""How long a task that is given up may take to notice."""
_HURRY_S = 3.0
"""How long a task may go on whose result is of an earlier text."""
_START_S = 60.0
"""How long a new process may take to be ready."""


class Analyst:
    """Owns the worker process; used from the event loop, by one coroutine at a time."""

    def __init__(self, memory_limit_bytes: int | None) -> None:
        self._memory_limit_bytes = memory_limit_bytes
        self._worker: Worker | None = None
        self._is_ready = False
        self._busy = False
        self._is_sent = False
        self._given_up = asyncio.Event()
        self._deadline = 0.0
        self.generation = 0
        """Number of the present process: what was sent to an earlier one is unknown to it."""
        self.sent: Task | None = None
        """The last task that a process was given: one that is given up before is not."""

    def start(self) -> None:
        """Start the process, where none is running."""
        if self._worker is not None and not self._busy and not self._worker.process.is_alive():
            self.close()
        if self._worker is None:
            self._worker = Worker(perform, memory_limit_bytes=self._memory_limit_bytes)
            self._worker.send(WarmUp(), _START_S)
            self._is_ready = False
            self.generation += 1

    async def run(self, task: Task, limit_s: float) -> Outcome[Answer]:
        """Return what becomes of a task; its error is a `SupersededError` where it was cancelled."""
        self.start()
        worker = self._worker
        assert worker is not None
        self._busy, self._is_sent = True, False
        self._given_up.clear()
        try:
            outcome = await self._outcome(worker, task, limit_s)
        finally:
            self._busy = self._is_sent = False
        if not worker.alive:
            self._worker = None
        return Outcome(error=SupersededError("cancelled")) if self._given_up.is_set() else outcome

    async def _outcome(self, worker: Worker, task: Task, limit_s: float) -> Outcome[Answer]:
        if not self._is_ready:
            self._deadline = time.monotonic() + _START_S
            outcome = await self._answer(worker, _START_S)
            if outcome.error is not None:
                return outcome
            self._is_ready = True
        if self._given_up.is_set():
            return Outcome()
        self._deadline = time.monotonic() + limit_s
        # A pipe holds little: long texts are taken when the process comes to read them.
        await asyncio.to_thread(worker.send, task, limit_s)
        self._is_sent, self.sent = True, task
        if self._given_up.is_set():
            self._call_off(worker)
        outcome = await self._answer(worker, limit_s)
        if self._given_up.is_set() and worker.alive:
            # The message that cancelled it is answered as well.
            self._deadline = time.monotonic() + _GRACE_S
            await self._answer(worker, _GRACE_S)
        return outcome

    def cancel(self) -> None:
        """Have the present task given up."""
        if self._busy and not self._given_up.is_set() and self._worker is not None:
            self._given_up.set()
            if self._is_sent:
                self._call_off(self._worker)

    def hurry(self) -> None:
        """Have the present task end soon, with or without a result; one that has not begun is given up."""
        if self._is_sent:
            self._deadline = min(self._deadline, time.monotonic() + _HURRY_S)
        else:
            self.cancel()

    def _call_off(self, worker: Worker) -> None:
        """Tell the process that its task is not wanted any more. One that only warms up is left in peace."""
        self._deadline = min(self._deadline, time.monotonic() + _GRACE_S)
        worker.send(CancelTask(), None)

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    async def _answer(self, worker: Worker, limit_s: float) -> Outcome[Answer]:
        while not await asyncio.to_thread(_is_ready, worker, self._deadline):
            if time.monotonic() >= self._deadline:
                worker.kill()
                return Outcome(error=AnalysisTimeout(limit_s))
        outcome: Outcome[Answer] = worker.receive()
        return outcome


_STEP_S = 0.5
"""A deadline that a cancellation brings forward is looked at this often."""


def _is_ready(worker: Worker, deadline: float) -> bool:
    remaining = min(max(deadline - time.monotonic(), 0.0), _STEP_S)
    return bool(wait(worker.handles, timeout=remaining))
