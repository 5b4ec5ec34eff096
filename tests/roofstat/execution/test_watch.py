"""Work that looks at no clock is interrupted, and nothing else is."""

from __future__ import annotations

import math
import threading
import time

import pytest

from roofstat.execution.run_ends import TimeSpentError
from roofstat.execution.watch import Watch


def spin():
    while True:
        pass


def test_what_takes_too_long_is_interrupted():
    watch = Watch(0.05)
    assert watch.run(spin) is None
    assert watch.has_fired


def test_what_takes_an_interruption_for_its_own_end_is_interrupted_again(monkeypatch):
    monkeypatch.setattr("roofstat.execution.watch._AGAIN_S", 0.05)

    def stubborn():
        for _ in range(3):
            with pytest.raises(TimeSpentError):
                spin()
        return "done"

    watch = Watch(0.05)
    assert watch.run(stubborn) == "done"
    assert watch.has_fired


@pytest.mark.parametrize("seconds", [60.0, math.inf])
def test_what_ends_in_time_is_left_alone(seconds):
    def watching():
        return any(thread.name == "watch" for thread in threading.enumerate())

    # One of an action before may be about to end.
    while watching():
        time.sleep(0.001)
    watch = Watch(seconds)
    assert watch.run(watching) is math.isfinite(seconds)
    assert not watch.has_fired


def test_errors_of_the_action_are_its_own():
    with pytest.raises(ZeroDivisionError):
        Watch(60.0).run(lambda: 1 / 0)


def test_no_interruption_comes_behind_the_end(monkeypatch):
    monkeypatch.setattr("roofstat.execution.watch._AGAIN_S", 0.01)
    for count in range(300):
        Watch(count * 1e-6).run(lambda: sum(range(100)))
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        pass
