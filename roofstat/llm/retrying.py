"""When to ask a server again, and how long to wait before."""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Mapping
from typing import Final

__all__ = ["pause_s"]

_LONGEST_PAUSE_S: Final = 60.0
"""A server that asks for more is given up."""
_FIRST_PAUSE_S: Final = 0.5
_LAST_PAUSE_S: Final = 8.0


def pause_s(tries: int, headers: Mapping[str, str] | None = None) -> float | None:
    """Return seconds to wait after so many tries; None where the server wants more than anyone waits for.

    Args:
        tries: At least 1.
        headers: Of the reply, which may say how long; None where there was no reply.

    >>> pause_s(1, {"retry-after": "2"})
    2.0
    """
    wanted = _wanted_s(headers or {})
    if wanted is not None:
        return wanted if wanted <= _LONGEST_PAUSE_S else None
    pause = min(_FIRST_PAUSE_S * 2.0 ** (tries - 1), _LAST_PAUSE_S)
    # Spread, so that requests that failed together do not come back together.
    return pause * random.uniform(0.75, 1.0)  # noqa: S311 - no secret


def _wanted_s(headers: Mapping[str, str]) -> float | None:
    """What `Retry-After` says, in seconds or as a date; None where it says nothing that can be read."""
    for name, unit in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return None if math.isnan(value) else max(value, 0.0)
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        return max(date.timestamp() - time.time(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None
