"""Room for deep recursion, and for calls at any depth of it."""

from __future__ import annotations

import sys

import pytest

from clang_queries.deep_stack import with_deep_stack

_CALLS = 2_000
_DEPTHS = 400
_NESTED = """
def nested(depth):
    return nested(depth - 1) if depth else calls()
def calls():
    return sum(leaf() for _ in [0] * {calls})
def leaf():
    return 1
"""


@pytest.mark.skipif(sys.platform == "win32", reason="counts page faults")
def test_calls_at_any_depth_take_no_memory_of_the_system() -> None:
    """Where each of 2,000 calls maps memory of its own, as at the end of a chunk of 16 KiB, each has a page fault."""
    import resource  # noqa: PLC0415 - not on every platform

    space: dict[str, object] = {}
    exec(_NESTED.format(calls=_CALLS), space)  # noqa: S102 - frames of Python alone, whatever measures coverage

    def most_faults() -> int:
        worst = 0
        for depth in range(_DEPTHS):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            assert space["nested"](depth) == _CALLS  # type: ignore[operator]
            worst = max(worst, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
        return worst

    assert with_deep_stack(most_faults) < _CALLS / 2
