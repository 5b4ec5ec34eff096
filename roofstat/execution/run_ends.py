"""How a run of code ends before its end."""

from __future__ import annotations

import math
import time

from clang_queries.quick_dataclass import dataclass


class BudgetExceededError(Exception):
    """The run has used up its instruction budget."""


class TimeSpentError(BudgetExceededError):
    """The run has used up its time."""


class ProgramExit(Exception):  # noqa: N818 - it is not an error
    """The program called exit()."""


@dataclass(slots=True, eq=False)
class Deadline:
    """Until when launches may be run to their end, on the clock of `time.monotonic`.

    Attributes:
        hurry: From then on loops are looked at less closely.
        end: Then it is cut off.
    """

    hurry: float = math.inf
    end: float = math.inf

    def is_hurried(self) -> bool:
        """Whether most of the time has gone by.

        Raises:
            TimeSpentError: All of it has.
        """
        now = time.monotonic()
        if now > self.end:
            raise TimeSpentError
        return now > self.hurry
