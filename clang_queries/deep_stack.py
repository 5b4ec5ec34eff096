"""Room for deep recursion: generated sources nest expressions and branches thousands of levels deep."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["with_deep_stack"]

_STACK_BYTES = 256 * 1024 * 1024
_RECURSION_LIMIT = 50_000
_FRAME_SLOTS = 1 << 18
"""Of the outermost call: a chunk of the interpreter's own stack is made as large as the call that needs it (twice 2 MiB here),
and the calls inside of it have the rest. Chunks are of 16 KiB otherwise, mapped and unmapped again whenever calls cross the end of
one, which took a third of the time where a loop called there."""
T = TypeVar("T")


def _in_one_chunk(action: Callable[[], T]) -> T:
    return action()


_in_one_chunk.__code__ = _in_one_chunk.__code__.replace(co_stacksize=_FRAME_SLOTS)


def with_deep_stack(action: Callable[[], T]) -> T:
    """Run in a thread whose stack allows deep recursion, and return or raise what the action does.

    Inside of it, the parser works on that stack too, not on a smaller one of its own.

    Example:
        >>> def depth(n):
        ...     return 1 + depth(n - 1) if n else 0
        >>> with_deep_stack(lambda: depth(20_000))
        20000
    """
    limit = sys.getrecursionlimit()
    if limit >= _RECURSION_LIMIT:
        return action()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(_in_one_chunk(action))
        except BaseException as error:  # noqa: BLE001 - handed to the caller, whatever it is
            errors.append(error)

    os.environ["LIBCLANG_NOTHREADS"] = "1"
    size = threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        thread = threading.Thread(target=run, name="deep-stack")
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]
