"""Running the profiler: the command line, and every way in which a run ends. The logs are those of real runs."""

from __future__ import annotations

import itertools
import time

import pytest

from roofstat.errors import ProfileError
from roofstat.profiling.ncu import NcuOptions, import_report, run_ncu
from roofstat.profiling.ncu_export import read_ncu_csv

FAILED = "==ERROR== The application returned an error code ({status}).\n"
NOTHING = "==WARNING== No kernels were profiled.\n"
NO_PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the "
    "target device 0.\n"
)
PROFILED = '==PROF== Profiling "k" - {} (1/1): 0%....50%....100% - 7 passes\n'


def test_launches_of_a_run_have_both_names(stand_in):
    run = run_ncu(["./sample", "4096"], NcuOptions(ncu=stand_in()))
    assert (len(run.launches), run.status, run.stopped) == (7, None, "")
    assert run.launches[0].symbol == "_Z5scaleIfEvPT_S0_i"


def test_caches_are_flushed_and_one_launch_of_each_configuration_is_profiled(stand_in, tmp_path):
    run_ncu(["./sample", "--kernel", "4096"], NcuOptions(ncu=stand_in(), kernel="scale"))
    words = (tmp_path / "arguments").read_text().splitlines()
    options = dict(itertools.pairwise(words))
    assert options["--cache-control"] == "all"
    assert options["--filter-mode"] == "per-launch-config"
    assert options["--launch-count"] == "1"
    assert options["--kernel-name-base"] == "mangled"
    assert options["--kernel-name"] == "regex:scale"
    assert "dram__bytes_read.sum" in options["--metrics"].split(",")
    assert words[-3:] == ["./sample", "--kernel", "4096"]


def test_by_mangled_names_the_first_launch_of_each_kernel_and_configuration_is_profiled(recorded):
    """By demangled ones, kernels without C++ linkage count as the one before: `third_step` comes after `second_step`."""
    by_mangled, by_demangled = (
        [
            (launch.kernel, launch.block[0])
            for launch in read_ncu_csv(recorded(f"linkage_{base}.csv"), "f")
        ]
        for base in ("mangled", "demangled")
    )
    assert by_mangled == [
        *[(f"{name}_step", 256) for name in ("first", "second", "third")],
        *[(f"_Z5powerILi{times}EEvPfi", 256) for times in (3, 5, 7)],
        ("first_step", 128),
    ]
    assert ("third_step", 256) not in by_demangled
    assert by_demangled.count(("first_step", 128)) == 2


@pytest.mark.parametrize("kernel", ["scale<float>", "float", "^scale", "sum"])
def test_what_mangled_names_do_not_tell_is_left_to_the_reading(stand_in, tmp_path, kernel):
    run_ncu(["./sample"], NcuOptions(ncu=stand_in(), kernel=kernel))
    assert "--kernel-name\n" not in (tmp_path / "arguments").read_text()


def test_all_launches_are_profiled_where_asked(stand_in, tmp_path):
    run_ncu(["./sample"], NcuOptions(ncu=stand_in(), every=True))
    assert "--launch-count" not in (tmp_path / "arguments").read_text()


def test_progress_names_the_last_kernel(stand_in):
    seen = []
    run_ncu(
        ["./sample"], NcuOptions(ncu=stand_in()), lambda count, name: seen.append((count, name))
    )
    assert seen[-1] == (4, "sum")


def test_a_failing_program_keeps_what_was_measured_before(stand_in):
    ncu = stand_in(PROFILED.format(0) + FAILED.format(status=3), status=3)
    run = run_ncu(["./sample"], NcuOptions(ncu=ncu))
    assert (len(run.launches), run.status) == (7, 3)


@pytest.mark.parametrize(
    ("log", "kernel", "problem", "remedy"),
    [
        (NO_PERMISSION, None, "only administrators", "NVreg_RestrictProfilingToAdminUsers=0"),
        (FAILED.format(status=4), None, "status 4 before a kernel", "run it alone"),
        (NOTHING, None, "launched no kernel;", "arguments"),
        (NOTHING, "x", "no kernel that --kernel matches", "arguments"),
        ("==ERROR== LibraryNotLoaded\n", None, "ncu failed: LibraryNotLoaded", "try ncu"),
        ("", None, "exit status 9", "try ncu"),
    ],
)
def test_why_nothing_was_measured(stand_in, log, kernel, problem, remedy):
    ncu = stand_in(log, report=False, status=9)
    with pytest.raises(ProfileError, match=problem) as caught:
        run_ncu(["./sample"], NcuOptions(ncu=ncu, kernel=kernel))
    assert remedy in (caught.value.remedy or "")


def test_the_cap_ends_the_program_and_not_the_profiler(stand_in):
    log = "".join(PROFILED.format(number) for number in range(3))
    ncu = stand_in(log + FAILED.format(status=15), program=["sleep", "60"], status=15)
    start = time.monotonic()
    run = run_ncu(["./sample"], NcuOptions(ncu=ncu, most=3))
    assert time.monotonic() - start < 30
    assert (len(run.launches), run.status, run.stopped) == (7, None, "after 3 launches")


def test_a_time_limit_without_a_launch_is_an_error(stand_in):
    ncu = stand_in("", report=False, program=["sleep", "60"])
    with pytest.raises(ProfileError, match=r"stopped after 0.5 s, and nothing was profiled"):
        run_ncu(["./sample"], NcuOptions(ncu=ncu, timeout_s=0.5))


def test_a_profiler_that_cannot_run_is_said(tmp_path):
    (tmp_path / "ncu").write_text("not a program")
    with pytest.raises(ProfileError, match="cannot run it"):
        import_report(tmp_path / "r.ncu-rep", tmp_path / "ncu")
