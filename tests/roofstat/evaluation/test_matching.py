from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from pathlib import Path

import pytest

from roofstat.evaluation.labels import read_label_table
from roofstat.evaluation.matching import Candidate, Match, MatchLevel, NoMatch, match_row
from roofstat.report import Language


def kernel(signature, *, grid=(8, 1, 1), block=(128, 1, 1), index=0):
    return Candidate(
        language=Language.CUDA,
        signature=signature,
        directive_line=None,
        file="scale-cuda/main.cu",
        grid=grid,
        block=block,
        index=index,
    )


def region(function, line, file="sum-omp/main.cpp"):
    return Candidate(
        language=Language.OPENMP,
        signature=function,
        directive_line=line,
        file=file,
        grid=None,
        block=None,
        index=0,
    )


def found(row, candidates, *, by_launch=False):
    match = match_row(row, candidates, by_launch=by_launch)
    assert isinstance(match, Match), match
    return match.position, match.level


def test_the_instance_is_told_by_its_template_arguments(make_row):
    row = make_row(kernel="void fill<float, (int)4>(T1 *)")
    candidates = [kernel("fill<double, 4>(double*)"), kernel("fill<float, 4>(float*)")]
    assert found(row, candidates) == (1, MatchLevel.FULL)


def test_overloads_are_told_by_their_parameters(make_row):
    candidates = [kernel("k(float*)"), kernel("k(double*)")]
    assert found(make_row(kernel="k(double *)"), candidates) == (1, MatchLevel.FULL)


def test_namespaces_that_the_profiler_left_out_do_not_matter(make_row):
    row = make_row(kernel="void init<Pool>(int *, T1)")
    assert (
        found(row, [kernel("tree::init<tree::Pool>(int*, tree::Pool)")])[1] is MatchLevel.UNSCOPED
    )


def test_enumerators_fit_numbers_and_left_out_defaults_fit(make_row):
    row = make_row(kernel="void put<(Mode)1>(int *)")
    assert found(row, [kernel("put<Mode::fast>(int*)")])[1] is MatchLevel.COMPATIBLE
    row = make_row(kernel="void put<float>(T1 *)")
    assert found(row, [kernel("put<float, 64>(float*)")])[1] is MatchLevel.COMPATIBLE


def test_another_instance_is_no_match(make_row):
    match = match_row(
        make_row(kernel="void fill<float>(T1 *)"),
        [kernel("fill<double>(double*)")],
        by_launch=False,
    )
    assert isinstance(match, NoMatch)
    assert "fill<double>(double*)" in match.reason


def test_typedefs_in_the_parameters_are_forgiven_when_the_name_is_unique(make_row):
    row = make_row(kernel="k(float *, int)")
    assert found(row, [kernel("k(real_t*, int)")]) == (0, MatchLevel.ARGUMENTS)


def test_mangled_names_match_by_what_they_say(make_row):
    row = make_row(kernel="_Z1kPf", symbol=None)
    candidates = [kernel("k(double*)"), kernel("k(float*)")]
    assert found(row, candidates) == (1, MatchLevel.FULL)


def test_mangled_names_that_cannot_be_read_in_full_match_by_name(make_row):
    row = make_row(kernel="_ZL5startIfLi4EEvPT_")
    candidates = [kernel("start<double, 4>(double*)"), kernel("start<float, 4>(float*)")]
    assert found(row, candidates)[0] == 1


def test_of_several_launches_the_first_is_compared(make_row):
    row = make_row(kernel="k(int)", grid=(64, 1, 1))
    candidates = [
        kernel("k(int)", grid=(64, 1, 1), index=5),
        kernel("k(int)", grid=(32, 1, 1), index=2),
    ]
    assert found(row, candidates)[0] == 1


def test_with_the_labels_launch_the_same_grid_and_block_win(make_row):
    row = make_row(kernel="k(int)", grid=(64, 1, 1), block=(128, 1, 1))
    candidates = [
        kernel("k(int)", grid=(32, 1, 1), index=0),
        kernel("k(int)", grid=(64, 1, 1), index=1),
    ]
    assert found(row, candidates, by_launch=True)[0] == 1


def test_several_launches_of_one_kernel_are_no_alternatives(make_row):
    row = make_row(kernel="k(int)")
    match = match_row(row, [kernel("k(int)"), kernel("k(int)", index=1)], by_launch=False)
    assert isinstance(match, Match)
    assert match.alternatives == 0


def test_equally_good_kernels_are_counted_as_alternatives(make_row):
    row = make_row(kernel="k")
    match = match_row(row, [kernel("k(float*)"), kernel("k(double*)")], by_launch=False)
    assert isinstance(match, Match)
    assert match.alternatives == 1


@pytest.fixture
def make_region_row(make_row):
    def make(function="run(int*)", line=20, sources=("sum-omp/main.cpp",)):
        return make_row(
            program="sum-omp",
            language=Language.OPENMP,
            kernel=None,
            function=function,
            line=line,
            sources=sources,
        )

    return make


def test_regions_match_by_function_and_line(make_region_row):
    candidates = [region("run(int *)", 10), region("run(int *)", 20), region("main", 20)]
    assert found(make_region_row(), candidates) == (1, MatchLevel.FULL)


def test_the_same_line_of_two_files_is_told_by_the_rows_sources(make_region_row):
    candidates = [region("main", 20, "other/kernel.cpp"), region("main", 20, "/x/sum-omp/main.cpp")]
    assert found(make_region_row("main"), candidates)[0] == 1


def test_instances_of_a_template_share_a_line(make_region_row):
    candidates = [region("int run<float>(float*)", 20), region("int run<double>(double*)", 20)]
    row = make_region_row("int run<double>(double*)")
    assert found(row, candidates) == (1, MatchLevel.FULL)
    match = match_row(make_region_row("int run<int>(int*)"), candidates, by_launch=False)
    assert isinstance(match, NoMatch)


def test_the_only_region_of_a_function_fits_though_its_line_moved(make_region_row):
    candidates = [region("run(int*)", 22), region("main", 40)]
    assert found(make_region_row(), candidates) == (0, MatchLevel.PLACE)


def test_of_two_regions_of_a_function_none_is_guessed(make_region_row):
    candidates = [region("run(int*)", 22), region("run(int*)", 30)]
    match = match_row(make_region_row(), candidates, by_launch=False)
    assert isinstance(match, NoMatch)
    assert "line 22 of main.cpp" in match.reason
    # each region once for every launch: five places, four of them written out
    many = [region("run(int*)", line) for line in (22, 22, 30, 40, 50, 60)]
    match = match_row(make_region_row(), many, by_launch=False)
    assert isinstance(match, NoMatch)
    assert match.reason.endswith("line 50 of main.cpp and 1 more")


def test_kernels_and_regions_do_not_mix(make_row, make_region_row):
    assert isinstance(
        match_row(make_row(kernel="main"), [region("main", 3)], by_launch=False), NoMatch
    )
    match = match_row(make_region_row("main", 3), [kernel("main")], by_launch=False)
    assert isinstance(match, NoMatch)


def test_the_reason_names_what_is_there(make_row):
    match = match_row(make_row(kernel="k(int)"), [kernel("other(int)")], by_launch=False)
    assert isinstance(match, NoMatch)
    assert match.reason == "no kernel is called k; found: other"
    match = match_row(make_row(kernel="k(int)"), [], by_launch=False)
    assert isinstance(match, NoMatch)
    assert "found no kernel" in match.reason


LABELS = os.environ.get("ROOFSTAT_LABELS")


@pytest.mark.skipif(LABELS is None, reason="ROOFSTAT_LABELS names no folder of label tables")
def test_every_name_of_the_label_tables_matches_itself_and_nothing_else():
    tables = sorted(Path(LABELS or "").glob("*.csv"))
    assert tables
    for table in tables:
        programs = defaultdict(list)
        for row in read_label_table(table):
            programs[row.program].append(row)
        for rows in programs.values():
            candidates = {}
            for row in rows:
                name = row.function if row.language is Language.OPENMP else row.kernel
                made = (
                    region(name, row.line, row.sources[0])
                    if row.language is Language.OPENMP
                    else kernel(name)
                )
                candidates[name, row.line] = made
            for row in rows:
                match = match_row(row, list(candidates.values()), by_launch=False)
                assert isinstance(match, Match), row.kernel_id
                assert match.level is MatchLevel.FULL, row.kernel_id
                assert match.alternatives == 0, row.kernel_id
                name = row.function if row.language is Language.OPENMP else row.kernel
                assert list(candidates)[match.position] == (name, row.line)


def library_kernel(name, variant, element, **changes):
    return dataclasses.replace(kernel(f"{name}<{element}>", **changes), library=(variant, element))


def test_kernels_of_libraries_are_told_by_their_variant_and_type(make_row):
    reduction = "reduce::DeviceReduceSingleTileKernel"
    row = make_row(
        kernel=f"void {reduction}<reduce::policy_hub<float, unsigned int, cuda::plus<void>>::Policy1000, float *, float *,"
        " int, cuda::plus<void>, float, float, cuda::__identity>(T2, T3, T4, T5, T6, T8)"
    )
    candidates = [
        library_kernel(reduction, "sum", "float"),
        library_kernel(reduction, "sum-partials", "int"),
        library_kernel(reduction, "sum-partials", "float"),
        library_kernel("reduce::DeviceReduceKernel", "sum", "float"),
    ]
    assert found(row, candidates) == (2, MatchLevel.INSTANCE)
    # int is there, too, as the type of the offsets
    assert found(row, candidates[:2]) == (1, MatchLevel.INSTANCE)
    assert found(row, candidates[:1]) == (0, MatchLevel.COMPATIBLE)
    assert isinstance(match_row(row, candidates[3:], by_launch=False), NoMatch)


def test_of_a_librarys_kernel_the_launch_with_the_rows_grid_is_meant(make_row):
    row = make_row(kernel="void asum_kernel<int, float, float>(T1)", grid=(1, 1, 1))
    candidates = [
        library_kernel("asum_kernel", "", "float", grid=(1056, 1, 1)),
        library_kernel("asum_kernel", "partials", "float", grid=(1, 1, 1), index=1),
    ]
    assert found(row, candidates, by_launch=True) == (1, MatchLevel.INSTANCE)
