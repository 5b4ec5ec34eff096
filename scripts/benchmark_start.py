"""Time of short commands, from the start of the process to its end: nothing is asserted here.

    benchmark_start.py [SOURCE] [--runs 9]

Each case is run several times; the least time counts, since everything else on the machine only adds to it. CPU time
includes the worker process.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

DEFAULT_SOURCE = Path(__file__).parent.parent / "fixtures/cuda/saxpy.cu"


def measure(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds on the clock and of CPU for one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    command = [sys.executable, "-m", "roofstat", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=dict(environment))
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print a table of least times."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, nargs="?", default=DEFAULT_SOURCE)
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    source = str(given.source)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ROOFSTAT_CACHE_DIR": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        cases = {
            "nothing kept (--no-cache)": [source, "--no-cache"],
            "headers kept, source new": [source, "-D", "RUN={run}"],
            "result kept, text": [source],
            "result kept, JSON": [source, "--format", "json"],
            "roofstat --version": ["--version"],
        }
        print(f"{'':28} {'wall':>8} {'CPU':>8}   least of {given.runs}")
        for name, arguments in cases.items():
            # The first run fills the cache and the compiled modules; only later ones are timed.
            times = [
                measure([argument.format(run=run) for argument in arguments], environment)
                for run in range(given.runs + 1)
            ][1:]
            wall, cpu = (min(column) for column in zip(*times, strict=True))
            print(f"{name:28} {wall * 1e3:5.0f} ms {cpu * 1e3:5.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
