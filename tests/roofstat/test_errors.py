"""Errors keep their parts, in one line and across processes."""

import pickle

import pytest

from roofstat.errors import AnalysisTimeout, RoofstatError, UsageError, WorkerCrash


def test_message_names_place_problem_and_remedy():
    error = UsageError("no such file", file="a.cu", line=3, remedy="check the spelling")
    assert str(error) == "a.cu:3: no such file; check the spelling"


def test_message_without_place_or_remedy_is_the_problem():
    assert str(RoofstatError("it broke")) == "it broke"


@pytest.mark.parametrize(
    "error",
    [
        UsageError("no such file", file="a.cu", remedy="look again"),
        AnalysisTimeout(2.5, file="b.cu"),
        WorkerCrash(signal="SIGSEGV", exit_code=-11, file="c.cu", detail="stack"),
    ],
)
def test_errors_survive_pickling_with_every_part(error):
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - own data
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


def test_crash_names_the_signal():
    assert "SIGSEGV" in str(WorkerCrash(signal="SIGSEGV", exit_code=-11))
    assert "status 3" in str(WorkerCrash(signal=None, exit_code=3))
