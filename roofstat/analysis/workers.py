"""Run a function over tasks in worker processes, so that a crash or a hang costs one task and nothing else.

Each worker is a process of its own session. A task that takes too long has its worker killed together with everything
that the worker started; a worker that dies is replaced, and one whose parent dies, by whatever signal, ends with it.
Results come back in the order of the tasks.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import gc
import math
import multiprocessing
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import AnalysisFailure, AnalysisTimeout, RoofstatError, WorkerCrash

__all__ = ["Outcome", "Worker", "more_is_waiting", "run_isolated"]

Task = TypeVar("Task")
Result = TypeVar("Result")

_DETAIL_BYTES = 2000
_STACK_BYTES = 512 * 1024 * 1024
_ORPHAN_GRACE_S = 10
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Of the garbage collector's youngest generation: an analysis makes many objects that stay and few cycles. With the
standard's 700, collections took 0.7 of the 5 s of a program with 32 OpenMP regions, so they take 0.1 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[Result]):
    """What became of one task: a value, or the error that took its place.

    Attributes:
        value: What the function returned; None where it failed.
        error: Why there is no value; None where it succeeded.
    """

    value: Result | None = None
    error: RoofstatError | None = None


def run_isolated(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    timeout_s: Callable[[Task], float | None] = lambda _task: None,
    progress: Callable[[int, int, Task], None] | None = None,
    memory_limit_bytes: int | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> list[Outcome[Result]]:
    """Return the outcome of each task, in the order of the tasks.

    Args:
        function: Called in a worker process. Where processes cannot be forked it must be importable by name.
        tasks: Arguments, one a call; they and the results travel by pickle.
        jobs: Worker processes, at least 1.
        timeout_s: Seconds that a task may take; None for no limit.
        progress: Called in this process after each task with the number done, the number of tasks and the task.
        memory_limit_bytes: Data that one worker may allocate; None for no limit.
        meanwhile: Called once in this process while the first workers are busy.

    The outcome's error is a `WorkerCrash`, an `AnalysisTimeout`, or what the function raised (exceptions that are no
    `RoofstatError` become an `AnalysisFailure`).
    """
    pool: _Pool[Task, Result] = _Pool(function, memory_limit_bytes)
    outcomes: list[Outcome[Result] | None] = [None] * len(tasks)
    pending = list(reversed(range(len(tasks))))
    done = 0
    try:
        while pending or pool.busy:
            while pending and len(pool.busy) < max(1, jobs):
                index = pending.pop()
                pool.start(index, tasks[index], timeout_s(tasks[index]))
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            for index, outcome in pool.finished():
                outcomes[index] = outcome
                done += 1
                if progress is not None:
                    progress(done, len(tasks), tasks[index])
    finally:
        pool.close()
    return [outcome for outcome in outcomes if outcome is not None]


class _Pool(Generic[Task, Result]):
    """Workers, idle and busy. Used by one thread."""

    def __init__(self, function: Callable[[Task], Result], memory_limit_bytes: int | None) -> None:
        self._function = function
        self._memory_limit_bytes = memory_limit_bytes
        self._idle: list[Worker] = []
        self.busy: dict[int, Worker] = {}

    def start(self, index: int, task: Task, timeout_s: float | None) -> None:
        """Hand a task to an idle worker, or to a new one."""
        worker = self._idle.pop() if self._idle else self._new_worker()
        self.busy[index] = worker
        worker.send(task, timeout_s)

    def finished(self) -> list[tuple[int, Outcome[Result]]]:
        """Wait until a task has ended or run out of time; return what has."""
        deadlines = [worker.deadline for worker in self.busy.values()]
        remaining = min(deadlines) - time.monotonic()
        ready = wait(
            [handle for worker in self.busy.values() for handle in worker.handles],
            timeout=None if math.isinf(remaining) else max(0.0, remaining),
        )
        ended: list[tuple[int, Outcome[Result]]] = []
        for index, worker in list(self.busy.items()):
            if any(handle in ready for handle in worker.handles):
                outcome: Outcome[Result] = worker.receive()
            elif time.monotonic() >= worker.deadline:
                outcome = Outcome(error=AnalysisTimeout(worker.timeout_s))
                worker.kill()
            else:
                continue
            del self.busy[index]
            if worker.alive:
                self._idle.append(worker)
            ended.append((index, outcome))
        return ended

    def close(self) -> None:
        """End every worker, busy or not."""
        for worker in (*self._idle, *self.busy.values()):
            worker.kill()
        self._idle.clear()
        self.busy.clear()

    def _new_worker(self) -> Worker:
        others = [worker.connection for worker in (*self._idle, *self.busy.values())]
        return Worker(self._function, others, self._memory_limit_bytes)


class Worker:
    """One worker process, seen from the parent.

    Attributes:
        connection: Where tasks go to and answers come from.
        deadline: Until when the present task may take; infinite without one.
        alive: Whether it takes tasks.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        other_connections: Sequence[Connection] = (),
        memory_limit_bytes: int | None = None,
    ) -> None:
        context = _context()
        forked = context.get_start_method() == "fork"
        self.connection, theirs = context.Pipe()
        handle, self._log_name = tempfile.mkstemp(prefix="roofstat-")
        self.log: IO[bytes] = os.fdopen(handle, "rb")
        self.deadline = math.inf
        self.timeout_s = math.inf
        self.alive = True
        # A forked child inherits the parent's ends of all pipes; while it holds one, its worker never sees the end.
        inherited = [self.connection, *other_connections] if forked else []
        self.process: BaseProcess = context.Process(
            target=_serve,
            args=(
                function,
                theirs,
                inherited,
                self._log_name,
                memory_limit_bytes,
            ),
            daemon=True,
        )
        with warnings.catch_warnings():
            # Newer Pythons warn of forks beside threads that numeric libraries keep; those survive a fork.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()

    @property
    def handles(self) -> tuple[Connection, int]:
        """What becomes ready when the task or the worker has ended."""
        return (self.connection, self.process.sentinel)

    def send(self, task: object, timeout_s: float | None) -> None:
        """Hand over a task."""
        self.timeout_s = math.inf if timeout_s is None else timeout_s
        self.deadline = time.monotonic() + self.timeout_s
        with contextlib.suppress(BrokenPipeError, ConnectionError):  # the end is noticed in receive
            self.connection.send((task, self.timeout_s))

    def receive(self) -> Outcome[Any]:
        """Return what the worker sent, or how it ended."""
        self.deadline = math.inf
        try:
            if self.connection.poll():
                value, error = self.connection.recv()
                return Outcome(value=value, error=error)
        except (EOFError, OSError):
            pass
        self.process.join()
        code = self.process.exitcode or 0
        detail = self._log_head()
        self.kill()
        return Outcome(
            error=WorkerCrash(
                signal=_signal_name(-code) if code < 0 else None, exit_code=code, detail=detail
            )
        )

    def kill(self) -> None:
        """End the worker and what it started, and wait for the end."""
        self.alive = False
        if self.process.is_alive():
            self.process.kill()
        if self.process.pid is not None and hasattr(os, "killpg"):
            # The worker leads a session of its own; where it has not come that far there is no such group yet.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.join()
        self.connection.close()
        self.log.close()
        Path(self._log_name).unlink(missing_ok=True)

    def _log_head(self) -> str:
        """Return the start of what the worker wrote: the cause and the innermost frames come first."""
        self.log.seek(0)
        return self.log.read(_DETAIL_BYTES).decode("utf-8", "replace").strip()


def _context() -> Any:
    """Fork where that is safe: it starts in milliseconds, and the function needs no import."""
    safe = sys.platform.startswith("linux") and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_tasks: Connection | None = None
"""In a worker: where its tasks come from."""


def more_is_waiting() -> bool:
    """Return whether, in a worker, the parent has sent more than the present task: a sign to give that one up."""
    return _tasks is not None and _tasks.poll()


def _serve(
    function: Callable[[Any], Any],
    connection: Connection,
    inherited: Sequence[Connection],
    log_name: str,
    memory_limit_bytes: int | None,
) -> None:
    """Body of a worker process: answer tasks until the pipe closes."""
    global _tasks  # noqa: PLW0603 - a process has one
    _tasks = connection
    for other in inherited:
        other.close()
    log = os.open(log_name, os.O_RDWR)
    os.unlink(log_name)  # noqa: PTH108 - nothing is left behind, however the processes end
    _settle(log, memory_limit_bytes)
    _end_with_parent(connection)
    while True:
        try:
            task, timeout_s = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        os.ftruncate(log, 0)
        os.lseek(log, 0, os.SEEK_SET)
        if hasattr(signal, "alarm"):
            # If the parent is gone, nobody else ends a task that hangs.
            signal.alarm(0 if math.isinf(timeout_s) else math.ceil(timeout_s) + _ORPHAN_GRACE_S)
        answer = _call(function, task)
        try:
            connection.send(answer)
        except OSError:
            return
        except Exception as error:  # noqa: BLE001 - whatever cannot be pickled is a failed task
            connection.send((None, _failure(error)))


def _settle(log: int, memory_limit_bytes: int | None) -> None:
    """Make the process a good worker: own session, quiet, rare collections, deep stack, bounded memory, one thread."""
    # Nothing here multiplies matrices: threads for it, one for each core, would only be made and waited for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if hasattr(os, "setsid"):
        with contextlib.suppress(OSError):
            os.setsid()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for fatal in (
        signal.SIGSEGV,
        signal.SIGBUS,
        signal.SIGILL,
        signal.SIGFPE,
        signal.SIGABRT,
        signal.SIGTERM,
    ):
        # A parent that has used libclang hands down its handlers, which can swallow the first signal.
        signal.signal(fatal, signal.SIG_DFL)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.close(quiet)
    os.dup2(log, 2)
    faulthandler.enable(file=2, all_threads=False)
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    limit = functools.partial(_lower_limit, resource)
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    deep = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(hard, _STACK_BYTES)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_STACK, (deep, hard))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if memory_limit_bytes is not None:
        limit(resource.RLIMIT_DATA, memory_limit_bytes)


def _end_with_parent(connection: Connection) -> None:
    """Have this process, and what it starts, killed as soon as the parent's end of the pipe is gone, in the middle of a task too."""
    if hasattr(select, "poll"):
        threading.Thread(target=_await_hang_up, args=(connection.fileno(),), daemon=True).start()


def _await_hang_up(descriptor: int) -> None:
    hang_up = select.poll()
    hang_up.register(descriptor, 0)  # a hang-up is always told, tasks that arrive are not
    hang_up.poll()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _lower_limit(resource: Any, kind: int, limit_bytes: int) -> None:
    _, hard = resource.getrlimit(kind)
    value = limit_bytes if hard == resource.RLIM_INFINITY else min(hard, limit_bytes)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (value, hard))


def _call(function: Callable[[Any], Any], task: object) -> tuple[Any, RoofstatError | None]:
    try:
        return function(task), None
    except RoofstatError as error:
        return None, error
    except (Exception, SystemExit) as error:  # noqa: BLE001 - one bad task must not stop the others
        return None, _failure(error)


def _failure(error: BaseException) -> AnalysisFailure:
    failure = AnalysisFailure(
        f"internal error: {type(error).__name__}: {error}".splitlines()[0],
        remedy="the other files are unaffected; please report it with the file",
    )
    failure.detail = "".join(traceback.format_exception(error))[-_DETAIL_BYTES:]
    return failure
