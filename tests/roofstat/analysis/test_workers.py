"""Crashes, hangs and errors cost one task; order and everything else stays."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofstat.analysis.workers import run_isolated
from roofstat.errors import AnalysisFailure, AnalysisTimeout, SourceError, WorkerCrash


def behave(task):
    """Do what the task says, as a front end on hostile input might."""
    match task:
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "abort":
            os.abort()
        case "exit":
            os._exit(7)
        case "sys-exit":
            sys.exit(3)
        case "hang":
            time.sleep(600)
        case "hang-with-child":
            subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"], check=False)
        case "raise":
            raise ValueError("no such thing")
        case "source":
            raise SourceError("half a file", file="a.cu", line=3)
        case "recurse":
            return behave(task) + 1
        case "memory":
            return bytearray(1 << 34)
        case "unpicklable":
            return lambda: None
        case "noise":
            os.write(1, b"noise on stdout")
            os.write(2, b"noise on stderr")
            return "quiet"
        case "pid":
            return os.getpid()
    return task


def run(tasks, **options):
    return run_isolated(behave, tasks, **options)


def test_results_come_in_the_order_of_the_tasks():
    tasks = list(range(20))
    assert [outcome.value for outcome in run(tasks, jobs=4)] == tasks


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_failure_costs_its_own_task_only(jobs):
    tasks = ["a", "segfault", "b", "abort", "exit", "sys-exit", "raise", "source", "recurse", "c"]
    outcomes = dict(zip(tasks, run(tasks, jobs=jobs), strict=True))
    assert [outcomes[task].value for task in "abc"] == ["a", "b", "c"]
    crash = outcomes["segfault"].error
    assert isinstance(crash, WorkerCrash)
    assert crash.signal == "SIGSEGV"
    assert "behave" in crash.detail  # the Python stack of the crash
    assert outcomes["abort"].error.signal == "SIGABRT"
    assert outcomes["exit"].error.exit_code == 7
    assert "SystemExit" in str(outcomes["sys-exit"].error)
    assert "no such thing" in str(outcomes["raise"].error)
    assert "ValueError" in outcomes["raise"].error.detail
    assert str(outcomes["source"].error) == "a.cu:3: half a file"
    assert isinstance(outcomes["recurse"].error, AnalysisFailure)


def test_hangs_are_ended_with_everything_they_started():
    outcomes = run(["hang", "x", "hang-with-child"], jobs=1, timeout_s=lambda _task: 0.3)
    assert isinstance(outcomes[0].error, AnalysisTimeout)
    assert outcomes[0].error.seconds == 0.3
    assert outcomes[1].value == "x"
    assert isinstance(outcomes[2].error, AnalysisTimeout)


def test_each_task_has_its_own_limit():
    limits = {"hang": 0.2, "x": None}
    outcomes = run(["x", "hang"], timeout_s=limits.get)
    assert outcomes[0].value == "x"
    assert isinstance(outcomes[1].error, AnalysisTimeout)


def test_memory_is_bounded():
    outcomes = run(["memory", "x"], memory_limit_bytes=1 << 30)
    assert isinstance(outcomes[0].error, AnalysisFailure)
    assert outcomes[1].value == "x"


def test_results_that_cannot_travel_are_failures():
    outcomes = run(["unpicklable", "x"])
    assert isinstance(outcomes[0].error, AnalysisFailure)
    assert outcomes[1].value == "x"


def test_workers_are_other_processes_and_are_reused():
    pids = {outcome.value for outcome in run(["pid"] * 10, jobs=2)}
    assert os.getpid() not in pids
    assert len(pids) <= 2


def test_workers_write_nothing_to_the_terminal(capfd):
    assert run(["noise"])[0].value == "quiet"
    assert capfd.readouterr() == ("", "")


def test_progress_counts_every_task_once():
    seen = []
    run(["a", "raise", "segfault"], progress=lambda *state: seen.append(state))
    assert [state[0] for state in seen] == [1, 2, 3]
    assert {state[1] for state in seen} == {3}
    assert {state[2] for state in seen} == {"a", "raise", "segfault"}


def test_the_caller_can_use_the_wait_once():
    calls = []
    run(["a", "b", "c"], jobs=1, meanwhile=lambda: calls.append(os.getpid()))
    assert calls == [os.getpid()]


def test_no_tasks_start_no_worker():
    assert run([]) == []


def test_interrupting_the_caller_ends_the_workers():
    def stop(*_state):
        raise KeyboardInterrupt

    pids = []

    def first_pid(task):
        pids.append(task)
        return os.getpid()

    with pytest.raises(KeyboardInterrupt):
        run_isolated(first_pid, ["x", "y"], progress=stop)
    assert multiprocessing.active_children() == []


PARENT = """
import os, subprocess, sys, time
from roofstat.analysis.workers import run_isolated

def hang(_task):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    os.write(4, f"{os.getpid()} {child.pid}\\n".encode())
    end = time.monotonic() + 600
    while time.monotonic() < end:
        pass

os.dup2(1, 4)
run_isolated(hang, [1, 2], jobs=2)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_workers_end_with_their_parent(number):
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    started = [each for _ in range(2) for each in parent.stdout.readline().split()]
    assert len(started) == 4
    parent.send_signal(number)
    parent.wait(timeout=10)
    deadline = time.monotonic() + 20
    while any(map(is_running, started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [each for each in started if is_running(each)]
    parent.stdout.close()


def is_running(process):
    """Whether there is a process of that number; one that only waits to be collected is none."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
