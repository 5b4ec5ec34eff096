"""An end for work that looks at no clock: it is interrupted between two steps of the interpreter, whatever it does."""

from __future__ import annotations

import ctypes
import math
import threading
from typing import TYPE_CHECKING, TypeVar

from roofstat.execution.run_ends import TimeSpentError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Watch"]

T = TypeVar("T")

_AGAIN_S = 1.0
"""After which what goes on all the same, since it takes the interruption for its own end, is interrupted again."""
_STACK_BYTES = 256 * 1024
"""Of the thread that waits; threads made during an analysis have room for deep recursion otherwise."""


class Watch:
    """Raises `TimeSpentError` in an action that takes too long. Used once.

    Attributes:
        has_fired: Whether it has: an action that came to its end all the same may have left something out.

    Example:
        >>> watch = Watch(0.05)
        >>> watch.run(lambda: sum(iter(int, 1)))
        >>> watch.has_fired
        True
    """

    def __init__(self, seconds: float) -> None:
        """Make one; an infinite time costs nothing."""
        self.has_fired = False
        self._seconds = seconds
        self._watched = 0
        self._firing = threading.Lock()
        self._over = threading.Event()
        self._is_over = False

    def run(self, action: Callable[[], T]) -> T | None:
        """Return what an action returns; None where it was interrupted."""
        result: T | None = None
        other: BaseException | None = None
        # An interruption may arrive in any call, also in those around the action: it has to find a `try` there.
        try:
            self._begin()
            result = action()
            self._end()
        except TimeSpentError:
            pass
        except BaseException as error:  # noqa: BLE001 - handed on as soon as no interruption can follow
            other = error
        while not self._is_over:
            try:
                self._end()
            except TimeSpentError:
                continue
        if other is not None:
            raise other
        return result

    def _begin(self) -> None:
        self._watched = threading.get_ident()
        if math.isfinite(self._seconds):
            size = threading.stack_size(_STACK_BYTES)
            try:
                threading.Thread(target=self._wait, name="watch", daemon=True).start()
            finally:
                threading.stack_size(size)

    def _end(self) -> None:
        self._over.set()
        with self._firing:
            if self.has_fired:
                self._raise(None)  # one may be on its way
            self._is_over = True

    def _wait(self) -> None:
        seconds = max(self._seconds, 0.0)
        while not self._over.wait(seconds):
            with self._firing:
                if not self._over.is_set():
                    self.has_fired = True
                    self._raise(ctypes.py_object(TimeSpentError))
            seconds = _AGAIN_S

    def _raise(self, error: ctypes.py_object[type[TimeSpentError]] | None) -> None:
        """Let the watched thread raise an error at its next step; None calls it back."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._watched), error)
