"""How a run of code ends before its end."""

from __future__ import annotations


class BudgetExceededError(Exception):
    """The run has used up its instruction budget."""


class ProgramExit(Exception):  # noqa: N818 - it is not an error
    """The program called exit()."""
