"""Run Nsight Compute: profile a program, or turn a report into an export."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import ProfileError, reason_of
from roofstat.profiling.ncu_counters import COLLECTED
from roofstat.profiling.ncu_export import read_ncu_csv, with_symbols

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence, Set as AbstractSet

    from roofstat.profiling.launches import ProfiledLaunch

REPORT_SUFFIX: Final = ".ncu-rep"
_POLL_S: Final = 0.2
_GRACE_S: Final = 30.0
_CONNECTED: Final = re.compile(r"==PROF== Connected to process (\d+)")
_DISCONNECTED: Final = re.compile(r"==PROF== Disconnected from process (\d+)")
_PROFILED: Final = re.compile(r'==PROF== Profiling "(.*)" - \d+.*100%.*pass')
_STATUS: Final = re.compile(r"==ERROR== The application returned an error code \((\d+)\)")
_CRASHES: Final = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGSEGV)
_ERROR: Final = re.compile(r"==ERROR==\s*(.*)")
_WORD: Final = re.compile(r"[A-Za-z_]\w{3,}")
_CODED: Final = (
    "void bool char wchar_t char8_t char16_t char32_t signed unsigned short int long __int128 float double __float128 "
    "auto decltype nullptr_t true false const volatile restrict operator delete allocator basic_string string istream "
    "ostream iostream char_traits anonymous namespace unnamed lambda internal linkage struct class enum"
)
"""Words of demangled names that mangled ones have letters for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NcuOptions:
    """How the profiler is run.

    Attributes:
        ncu: The profiler's program.
        kernel: Regular expression for demangled names; launches of other kernels are left out as far as mangled names tell.
        every: Profile repeated launches too.
        most: Stop the program once so many launches were profiled; None for no limit.
        timeout_s: Stop it after so many seconds; None for no limit.
        output: File descriptor that the program's output goes to.
    """

    ncu: Path
    kernel: str | None = None
    every: bool = False
    most: int | None = None
    timeout_s: float | None = None
    output: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NcuRun:
    """What came of a run.

    Attributes:
        status: Exit status of a program that failed; None for one that did not, or that was stopped.
        stopped: Why the program was stopped before its end; empty where it was not.
    """

    launches: tuple[ProfiledLaunch, ...]
    status: int | None = None
    stopped: str = ""


def _profile_arguments(options: NcuOptions, report: Path, log: Path) -> list[str]:
    """The profiler's command line, without the program."""
    once = [] if options.every else ["--filter-mode", "per-launch-config", "--launch-count", "1"]
    # Mangled names tell the instances of a template apart. So do demangled ones, but by these a kernel without C++ linkage
    # (extern "C", a target region) counts as the kernel launched before it (Nsight Compute 2025.3.1).
    kernel = (
        ["--kernel-name", f"regex:{options.kernel}"]
        if options.kernel is not None and _stands_in_mangled(options.kernel)
        else []
    )
    return [
        str(options.ncu),
        *("--force-overwrite", "--export", str(report), "--log-file", str(log)),
        *("--cache-control", "all", "--clock-control", "none"),
        *("--kernel-name-base", "mangled", *kernel, *once),
        *("--metrics", ",".join(COLLECTED)),
    ]


def _stands_in_mangled(pattern: str) -> bool:
    """Whether a mangled name contains a match wherever the demangled one does: of parts of the source's own names.

    >>> _stands_in_mangled("scale|add_rows"), _stands_in_mangled("scale<float>"), _stands_in_mangled("float")
    (True, False, False)
    """
    return all(_WORD.fullmatch(word) and word not in _CODED for word in pattern.split("|"))


def run_ncu(
    program: Sequence[str],
    options: NcuOptions,
    on_launch: Callable[[int, str], None] | None = None,
) -> NcuRun:
    """Profile a program.

    Args:
        program: The program and its arguments.
        options: How.
        on_launch: Called with the number of launches profiled so far and the last one's kernel.

    Raises:
        ProfileError: Nothing was measured; the message says why and what helps.
    """
    with tempfile.TemporaryDirectory(prefix="roofstat-profile-") as folder:
        report, log = Path(folder) / f"report{REPORT_SUFFIX}", Path(folder) / "log"
        command = [*_profile_arguments(options, report, log), *program]
        with _started(command, options.output) as process:
            watch = _Watch(process, log, options, on_launch)
            watch.until_the_end()
        text = _read(log)
        failure = _STATUS.search(text)
        status = int(failure[1]) if failure and not watch.stopped else None
        if not report.exists():
            raise _reason(text, process.returncode, options, watch.stopped)
        return NcuRun(
            launches=import_report(report, options.ncu), status=status, stopped=watch.stopped
        )


def import_report(report: Path, ncu: Path) -> tuple[ProfiledLaunch, ...]:
    """Read a report of the profiler through its own export.

    Raises:
        ProfileError: The profiler cannot read it, or it holds no launch.
    """
    demangled, mangled = (_export(report, ncu, base) for base in ("demangled", "mangled"))
    return with_symbols(read_ncu_csv(demangled, str(report)), read_ncu_csv(mangled, str(report)))


def _export(report: Path, ncu: Path, base: str) -> str:
    command = [str(ncu), "--import", str(report), "--csv", "--page", "raw"]
    command += ["--print-units", "base", "--print-kernel-base", base]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise _not_runnable(ncu, error) from error
    if done.returncode != 0:
        said = _ERROR.search(done.stdout + done.stderr)
        raise ProfileError(
            f"{ncu.name} cannot read it: {said[1] if said else f'exit status {done.returncode}'}",
            file=str(report),
            remedy="read it with the version of Nsight Compute that wrote it, or a newer one",
        )
    return done.stdout


def _not_runnable(ncu: Path, error: OSError) -> ProfileError:
    return ProfileError(
        f"cannot run it: {reason_of(error)}",
        file=str(ncu),
        remedy="give the path of Nsight Compute's program with --ncu",
    )


@contextlib.contextmanager
def _started(command: Sequence[str], output: int) -> Iterator[subprocess.Popen[bytes]]:
    try:
        process = subprocess.Popen(command, stdout=output, stderr=output)  # noqa: S603
    except OSError as error:
        raise _not_runnable(Path(command[0]), error) from error
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_S)
            process.kill()
            process.wait()


class _Watch:
    """Follows the profiler's log, and stops the program when it has had its share."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        log: Path,
        options: NcuOptions,
        on_launch: Callable[[int, str], None] | None,
    ) -> None:
        self._process = process
        self._log = log
        self._options = options
        self._on_launch = on_launch
        self._started = time.monotonic()
        self._seen = 0
        self.stopped = ""

    def until_the_end(self) -> None:
        while True:
            try:
                self._process.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                self._look()
            else:
                self._look()
                return

    def _look(self) -> None:
        text = _read(self._log)
        names = _PROFILED.findall(text)
        if len(names) > self._seen and self._on_launch is not None:
            self._on_launch(len(names), names[-1])
        self._seen = len(names)
        most, limit_s = self._options.most, self._options.timeout_s
        if self.stopped or self._process.poll() is not None:
            return
        if most is not None and self._seen >= most:
            self.stopped = f"after {most} launches"
        elif limit_s is not None and time.monotonic() - self._started > limit_s:
            self.stopped = f"after {limit_s:g} s"
        if self.stopped:
            self._stop(set(_CONNECTED.findall(text)) - set(_DISCONNECTED.findall(text)))

    def _stop(self, programs: AbstractSet[str]) -> None:
        """End the processes that the profiler is connected to, not the profiler, which then writes what it has."""
        for number in programs:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(int(number), signal.SIGTERM)
        if not programs:
            self._process.terminate()


def ending(status: int) -> str:
    """How a program ended, by the number that the profiler gives: an exit status or that of a signal.

    >>> ending(3), ending(6)
    ('ended with status 3', 'ended with status 6, or by SIGABRT')
    """
    crash = f", or by {signal.Signals(status).name}" if status in _CRASHES else ""
    return f"ended with status {status}{crash}"


def _read(log: Path) -> str:
    return log.read_text("utf-8", "replace") if log.exists() else ""


def _reason(log: str, status: int, options: NcuOptions, stopped: str) -> ProfileError:
    """Why there is no report."""
    if "ERR_NVGPUCTRPERM" in log:
        return ProfileError(
            "the driver lets only administrators read the counters of the GPU",
            remedy="run it as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d "
            "(in a container: --cap-add=SYS_ADMIN); https://developer.nvidia.com/ERR_NVGPUCTRPERM",
        )
    if stopped:
        return ProfileError(
            f"the program was stopped {stopped}, and nothing was profiled by then",
            remedy="raise --timeout, or give the program a smaller problem",
        )
    failure = _STATUS.search(log)
    if failure is not None:
        return ProfileError(
            f"the program {ending(int(failure[1]))} before a kernel was profiled",
            remedy="run it alone first: it must succeed without the profiler",
        )
    if "No kernels were profiled" in log:
        which = " that --kernel matches" if options.kernel is not None else ""
        return ProfileError(
            f"the program launched no kernel{which}",
            remedy="check its arguments, that it runs on the GPU, and with cudaGetLastError that no launch is refused",
        )
    said = _ERROR.search(log)
    return ProfileError(
        f"{options.ncu.name} failed: {said[1] if said else f'exit status {status}'}",
        remedy=f"try {options.ncu.name} with the program alone",
    )
