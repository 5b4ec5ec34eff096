"""Recorded exports, and a stand-in for the profiler that answers with them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recorded"

CONNECTED = "==PROF== Connected to process {pid} (/tmp/sample)\n"
PROFILED = '==PROF== Profiling "{name}" - {number} (1/1): 0%....50%....100% - 7 passes\n'
LOG = CONNECTED.format(pid=526) + "".join(
    PROFILED.format(name=name, number=number)
    for number, name in enumerate(("scale", "scale", "scale", "sum"))
)
_STAND_IN = """#!{python}
import pathlib, subprocess, sys
args = sys.argv[1:]
if "--import" in args:
    name = "mangled_names" if args[-1] == "mangled" else "base_units"
    print(pathlib.Path({recorded!r}, name + ".csv").read_text())
    sys.exit(0)
pathlib.Path({seen!r}).write_text("\\n".join(args))
log = pathlib.Path(args[args.index("--log-file") + 1])
log.write_text({log!r})
program = {program!r}
if program:
    child = subprocess.Popen(program)
    log.write_text({connected!r}.format(pid=child.pid) + log.read_text())
    child.wait()
if {report!r}:
    pathlib.Path(args[args.index("--export") + 1]).write_text("a report")
sys.exit({status!r})
"""


@pytest.fixture
def recorded():
    return lambda name: (RECORDED / name).read_text("utf-8")


@pytest.fixture
def stand_in(tmp_path):
    """Makes a program that behaves as `ncu` did: its log, whether it writes a report, its exit status."""

    def make(log=LOG, *, report=True, status=0, program=()):
        file = tmp_path / "ncu"
        file.write_text(
            _STAND_IN.format(
                python=sys.executable,
                recorded=str(RECORDED),
                seen=str(tmp_path / "arguments"),
                log=log,
                program=list(program),
                connected=CONNECTED,
                report=report,
                status=status,
            )
        )
        file.chmod(0o755)
        return file

    return make
