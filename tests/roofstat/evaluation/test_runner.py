"""The runner with analysers that are made up here, in real worker processes."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest

from roofstat.analysis import LaunchOverride, ProgramResult
from roofstat.errors import SourceError
from roofstat.evaluation.evaluation import LaunchMode
from roofstat.evaluation.jobs import make_plan, rows_on_card
from roofstat.evaluation.labels import Quantity
from roofstat.evaluation.outcome import FailureKind
from roofstat.evaluation.runner import evaluate
from roofstat.hardware import load_gpu
from roofstat.report import (
    AnalysisError,
    Assumption,
    AssumptionKind,
    Compiler,
    Counts,
    Diagnostic,
    DramBytes,
    ErrorKind,
    Language,
    Launch,
    LaunchSource,
    Severity,
    TrafficBytes,
    TrafficRegime,
)
from roofstat.roofline import NumberType, Verdict


def constant(*kernels):
    def analyze(files, options):
        return ProgramResult(kernels=kernels)

    return analyze


def only(evaluation):
    (outcome,) = evaluation.outcomes
    return outcome


def test_a_prediction_carries_what_the_report_says(sources, make_row, make_kernel):
    kernel = make_kernel(
        counts=Counts(sp_flop=1.0, dp_flop=2.0, int_op=3.0, hp_flop=None),
        traffic=TrafficBytes(
            profiled=DramBytes(read_bytes=600.0, write_bytes=400.0),
            steady=DramBytes(read_bytes=1.0, write_bytes=1.0),
            global_ld_requests=4.0,
            global_ld_sectors=16.0,
            local_bytes=64.0,
        ),
        assumptions=(
            Assumption(kind=AssumptionKind.TRIP_COUNT, text="ten times", line=9, weight=0.3),
        ),
    )
    outcome = only(evaluate([make_row()], sources, analyzer=constant(kernel)))
    assert outcome.prediction is not None
    assert outcome.prediction.amounts == {
        Quantity.SP_FLOP: 1,
        Quantity.DP_FLOP: 2,
        Quantity.INT_OP: 3,
        Quantity.DRAM_BYTES: 1000,
        Quantity.DRAM_READ_BYTES: 600,
        Quantity.DRAM_WRITE_BYTES: 400,
        Quantity.GLOBAL_LD_REQUESTS: 4,
        Quantity.GLOBAL_LD_SECTORS: 16,
        Quantity.LOCAL_SECTORS: 64 / 32,
    }
    assert [note.kind for note in outcome.prediction.assumptions] == ["trip-count"]
    assert outcome.right


def test_the_verdict_follows_the_rows_ridges_and_not_the_cards(sources, make_row, make_kernel):
    # 4000 integer operations on 1000 bytes are an intensity of 4
    for ridge, verdict in ((4.5, Verdict.BANDWIDTH), (3.5, Verdict.COMPUTE)):
        ridges = {NumberType.FP32: 20.0, NumberType.FP64: 10.0, NumberType.INT: ridge}
        row = make_row(ridge_op_per_byte=ridges)
        outcome = only(evaluate([row], sources, analyzer=constant(make_kernel())))
        assert outcome.prediction is not None
        assert outcome.prediction.verdict is verdict
        assert outcome.prediction.limiter is NumberType.INT


def test_half_precision_does_not_enter_the_tables_rule(sources, make_row, make_kernel):
    kernel = make_kernel(
        counts=Counts(sp_flop=0.0, dp_flop=0.0, int_op=0.0, hp_flop=1e9), verdict=Verdict.COMPUTE
    )
    outcome = only(evaluate([make_row()], sources, analyzer=constant(kernel)))
    assert outcome.prediction is not None
    assert outcome.prediction.verdict is Verdict.BANDWIDTH


def test_the_cards_ridges_stand_in_for_missing_ones(sources, make_row, make_kernel):
    row = make_row(ridge_op_per_byte={})
    outcome = only(evaluate([row], sources, analyzer=constant(make_kernel())))
    gpu = load_gpu("h100-sxm")
    expected = gpu.fp32_flop_per_s / gpu.dram_bytes_per_s
    assert outcome.ridge_op_per_byte[NumberType.FP32] == pytest.approx(expected)


def test_an_unknown_count_leaves_the_analysis_own_verdict(sources, make_row, make_kernel):
    kernel = make_kernel(
        counts=Counts(sp_flop=1.0, dp_flop=0.0, int_op=None),
        verdict=Verdict.BANDWIDTH,
        confidence=0.61,
    )
    outcome = only(evaluate([make_row()], sources, analyzer=constant(kernel)))
    assert outcome.prediction is not None
    assert outcome.prediction.verdict is Verdict.BANDWIDTH
    assert outcome.prediction.confidence == 0.61
    unknown = dataclasses.replace(
        kernel, verdict=Verdict.UNKNOWN, unknown={"counts.int_op": "no body"}
    )
    outcome = only(evaluate([make_row()], sources, analyzer=constant(unknown)))
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureKind.VERDICT
    assert "no body" in outcome.failure.reason


def test_the_options_come_from_the_row(sources, make_row, make_kernel, tmp_path):
    seen = tmp_path / "seen"

    def analyze(files, options):
        assert options.gpu.id == "h100-sxm"
        assert options.program_args == ("1000", "-x")
        assert options.compiler is Compiler.NVCC
        assert options.traffic is TrafficRegime.PROFILED
        assert options.include_dirs == (sources / "scale-cuda", sources / "include")
        assert options.defines == ("N=4", "FAST")
        assert options.std == "c++17"
        assert options.extra_flags == ("-use_fast_math",)
        assert list(files) == [sources / "scale-cuda/main.cu"]
        seen.touch()
        return ProgramResult(kernels=(make_kernel(),))

    flags = ("-Iscale-cuda", "-I", "include", "-DN=4", "-D", "FAST", "-std=c++17", "-use_fast_math")
    outcome = only(
        evaluate([make_row(flags=flags, args=("1000", "-x"))], sources, analyzer=analyze)
    )
    assert outcome.failure is None
    assert seen.exists()


def test_compilers_are_read_from_the_start_of_the_word(sources, make_row):
    words = {"nvcc-13.0": Compiler.NVCC, "clang-18": Compiler.CLANG, "nvc++": None, None: None}
    for word, compiler in words.items():
        plan = make_plan([make_row(compiler=word)], sources, LaunchMode.LABELS)
        assert plan.jobs[0].settings[0].options.compiler is compiler


def overrides(plan):
    return [setting.options.launches for job in plan.jobs for setting in job.settings]


def test_with_labels_the_launch_is_stated_under_every_name_of_the_kernel(sources, make_row):
    row = make_row(kernel="void fill<(int)4, float>(T2 *)", grid=(3, 2, 1), block=(32, 4, 1))
    (launches,) = overrides(make_plan([row], sources, LaunchMode.LABELS))
    override = LaunchOverride(grid=(3, 2, 1), block=(32, 4, 1), source=LaunchSource.LABEL)
    assert launches == {
        "void fill<(int)4, float>(T2 *)": override,
        "fill<4, float>(float*)": override,
        "fill": override,
    }


def test_inferred_launches_state_nothing(sources, make_row):
    assert overrides(make_plan([make_row()], sources, LaunchMode.INFERRED)) == [{}]


def test_instances_with_different_launches_have_no_common_name(sources, make_row):
    rows = [
        make_row(kernel="void fill<float>(T1 *)", grid=(3, 1, 1)),
        make_row(kernel="void fill<double>(T1 *)", grid=(5, 1, 1)),
    ]
    (launches,) = overrides(make_plan(rows, sources, LaunchMode.LABELS))
    assert "fill" not in launches
    assert launches["fill<float>(float*)"].grid == (3, 1, 1)
    assert launches["fill<double>(double*)"].grid == (5, 1, 1)


def test_two_launches_of_one_kernel_need_two_analyses(sources, make_row):
    rows = [make_row(grid=(3, 1, 1)), make_row(grid=(5, 1, 1))]
    plan = make_plan(rows, sources, LaunchMode.LABELS)
    assert len(plan.jobs) == 1
    assert [launches["scale(float*, int)"].grid for launches in overrides(plan)] == [
        (3, 1, 1),
        (5, 1, 1),
    ]
    assert len(overrides(make_plan(rows, sources, LaunchMode.INFERRED))) == 1


def test_regions_are_named_by_function_and_line(sources, make_row):
    row = make_row(
        program="sum-omp",
        sources=("sum-omp/main.cpp",),
        language=Language.OPENMP,
        kernel=None,
        function="run(int*)",
        line=20,
    )
    (launches,) = overrides(make_plan([row], sources, LaunchMode.LABELS))
    assert set(launches) == {"run:20", "run(int*):20", "run"}


def test_a_program_is_one_job_for_each_compiler_and_architecture(sources, make_row):
    rows = [
        make_row(gpu="a10", compiler="clang"),
        make_row(gpu="rtx3080", compiler="clang"),  # the same architecture
        make_row(gpu="h100-sxm", compiler="clang"),
        make_row(gpu="h100-sxm", compiler="nvcc"),
        make_row(gpu="h100-sxm", compiler="nvcc", args=("7",)),
        make_row(gpu="h100-sxm", compiler="nvcc", kernel="other(int)"),
    ]
    plan = make_plan(rows, sources, LaunchMode.LABELS)
    shape = [
        [tuple(position for position, _ in setting.rows) for setting in job.settings]
        for job in plan.jobs
    ]
    assert shape == [[(0,), (1,)], [(2,)], [(3, 5), (4,)]]


def test_a_kernel_that_the_stated_name_missed_is_asked_for_by_its_own(
    sources, make_row, make_kernel, tmp_path
):
    log = tmp_path / "log"

    def analyze(files, options):
        with log.open("a") as file:
            file.write("x")
        override = options.launches.get("odd::scale(real*, int)")
        grid = override.grid if override else (1, 1, 1)
        launch = Launch(grid=grid, block=(128, 1, 1), source=LaunchSource.LABEL)
        return ProgramResult(
            kernels=(make_kernel(signature="odd::scale(real*, int)", launch=launch),)
        )

    outcome = only(evaluate([make_row(grid=(8, 1, 1))], sources, analyzer=analyze))
    assert outcome.prediction is not None
    assert outcome.prediction.grid == (8, 1, 1)
    assert log.read_text() == "xx"
    log.unlink()
    evaluate([make_row()], sources, launch=LaunchMode.INFERRED, analyzer=analyze)
    assert log.read_text() == "x"


def test_a_crash_costs_its_own_setting_only(sources, make_row, make_kernel):
    def analyze(files, options):
        if options.program_args == ("crash",):
            os._exit(7)
        return ProgramResult(kernels=(make_kernel(),))

    rows = [make_row(args=("crash",)), make_row(args=("fine",))]
    first, second = evaluate(rows, sources, analyzer=analyze).outcomes
    assert first.failure is not None
    assert first.failure.kind is FailureKind.CRASH
    assert "exit status 7" in first.failure.reason
    assert second.right


def test_a_hang_ends_at_the_time_limit(sources, make_row, make_kernel):
    def analyze(files, options):
        if options.program_args == ("hang",):
            time.sleep(60)
        return ProgramResult(kernels=(make_kernel(),))

    rows = [make_row(args=("hang",)), make_row(args=("fine",))]
    first, second = evaluate(rows, sources, analyzer=analyze, timeout_s=0.3).outcomes
    assert first.failure is not None
    assert first.failure.kind is FailureKind.TIMEOUT
    assert second.right


def test_a_bug_and_a_source_error_keep_their_messages(sources, make_row):
    def bug(files, options):
        raise ZeroDivisionError("by nothing")

    def unreadable(files, options):
        raise SourceError("no kernel here", file="main.cu")

    outcome = only(evaluate([make_row()], sources, analyzer=bug))
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureKind.ANALYSIS
    assert "by nothing" in outcome.failure.reason
    outcome = only(evaluate([make_row()], sources, analyzer=unreadable))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.reason) == (
        FailureKind.SOURCE,
        "main.cu: no kernel here",
    )


def test_errors_of_the_program_explain_a_missing_kernel(sources, make_row):
    def analyze(files, options):
        error = AnalysisError(
            kind=ErrorKind.PARSE, file="main.cu", line=3, message="expected expression"
        )
        return ProgramResult(errors=(error,))

    outcome = only(evaluate([make_row()], sources, analyzer=analyze))
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureKind.SOURCE
    assert outcome.failure.reason.startswith("the analysis found no kernel")
    assert "main.cu:3: expected expression" in outcome.failure.reason


def test_warnings_of_the_program_explain_a_missing_kernel(sources, make_row):
    def analyze(files, options):
        remarks = (
            Diagnostic(code="note", severity=Severity.NOTE, message="not this", file="a.cu"),
            Diagnostic(
                code="lost-launch",
                severity=Severity.WARNING,
                message="a launch could not be read",
                file="a.cu",
                line=4,
            ),
        )
        return ProgramResult(diagnostics=remarks)

    outcome = only(evaluate([make_row()], sources, analyzer=analyze))
    assert outcome.failure is not None
    assert outcome.failure.kind is FailureKind.MATCH
    assert "a.cu:4: a launch could not be read" in outcome.failure.reason


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"gpu": "quantum-1"}, FailureKind.HARDWARE, "no GPU is called 'quantum-1'"),
        ({"gpu": None}, FailureKind.HARDWARE, "give --gpu"),
        ({"sources": ("gone/main.cu",)}, FailureKind.SOURCE, "gone/main.cu is not in"),
        ({"sources": ()}, FailureKind.SOURCE, "names no sources"),
        ({"kernel": "other(int)"}, FailureKind.MATCH, "no kernel is called other; found: scale"),
    ],
)
def test_every_row_without_a_prediction_has_a_reason(
    sources, make_row, make_kernel, changes, kind, words
):
    outcome = only(evaluate([make_row(**changes)], sources, analyzer=constant(make_kernel())))
    assert outcome.failure is not None
    assert outcome.failure.kind is kind
    assert words in outcome.failure.reason
    assert not outcome.right


def test_build_copies_are_looked_up_in_the_include_folders(sources, make_row):
    shared = sources / "scale-shared"
    shared.mkdir()
    (shared / "util.cpp").write_text("// invented\n")
    row = make_row(
        sources=("scale-cuda/main.cu", "build/scale-cuda-util.cpp", "build/scale-cuda-none.cpp"),
        flags=("-Iscale-cuda", "-Iscale-shared"),
    )
    plan = make_plan([row], sources, LaunchMode.LABELS)
    assert plan.jobs[0].files == (sources / "scale-cuda/main.cu", shared / "util.cpp")


def test_outcomes_keep_the_order_of_the_rows_with_several_workers(sources, make_row, make_kernel):
    rows = [make_row(args=(str(number),), table_line=number) for number in range(12)]
    done = []
    evaluation = evaluate(
        rows,
        sources,
        jobs=2,
        analyzer=constant(make_kernel()),
        progress=lambda count, total, name: done.append((count, total, name)),
    )
    assert [outcome.row.table_line for outcome in evaluation.outcomes] == list(range(12))
    assert done == [(1, 1, "scale-cuda")]


def test_half_precision_has_no_truth_where_constants_are_moved_by_it(
    sources, make_row, make_kernel
):
    measured = {Quantity.HP_FLOP: 5.0, Quantity.SP_FLOP: 1.0}
    for card, kept in (("a100-sxm-40", False), ("h100-sxm", False), ("a10", True)):
        row = make_row(gpu=card, measured=measured)
        outcome = only(evaluate([row], sources, analyzer=constant(make_kernel())))
        assert (Quantity.HP_FLOP in outcome.row.measured) is kept


def test_a_card_selects_its_rows_or_else_takes_all(make_row, tmp_path):
    gpu = load_gpu("h100")
    rows = [make_row(gpu="h100-sxm"), make_row(gpu=None), make_row(gpu="a10")]
    kept, named = rows_on_card(rows, gpu)
    assert named
    assert [row.gpu for row in kept] == ["h100-sxm", "h100-sxm"]
    taken, named = rows_on_card(rows[2:], gpu)
    assert not named
    assert [row.gpu for row in taken] == ["h100-sxm"]


def test_a_card_of_the_users_own_answers_for_rows_that_name_it(
    make_row, make_kernel, sources, tmp_path
):
    file = tmp_path / "mine.toml"
    file.write_text('inherit = "h100"\n[figures]\nsm_count = 66\n')
    gpu = load_gpu(str(file))
    rows, named = rows_on_card([make_row(gpu="mine")], gpu)
    assert named

    def analyze(files, options):
        assert options.gpu.sm_count == 66
        return ProgramResult(kernels=(make_kernel(),))

    outcome = only(evaluate(rows, sources, gpu=gpu, analyzer=analyze))
    assert outcome.right
    assert Path(outcome.prediction.file).name == "main.cu"
