"""Run the analysis for label rows, in worker processes, and score what comes back."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis import LaunchOverride, ProgramResult
from roofstat.analysis.runner import Analyzer, own_analyzer
from roofstat.analysis.workers import run_isolated
from roofstat.errors import AnalysisFailure, AnalysisTimeout, RoofstatError, WorkerCrash
from roofstat.evaluation.evaluation import Evaluation, LaunchMode
from roofstat.evaluation.evidence import Evidence, Gatherer
from roofstat.evaluation.jobs import Job, Plan, Setting, make_plan
from roofstat.evaluation.judgement import true_verdict
from roofstat.evaluation.labels import COUNT_OF_TYPE, LabelRow, Quantity
from roofstat.evaluation.matching import Match, match_row
from roofstat.evaluation.outcome import Failure, FailureKind, Prediction, RowOutcome
from roofstat.evaluation.prediction import candidate, predict
from roofstat.report import ErrorKind, KernelReport, Language, LaunchSource, Severity
from roofstat.roofline import NumberType, ridges

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from roofstat.analysis import Progress
    from roofstat.hardware import Gpu

__all__ = ["Analyzer", "evaluate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What a worker says of one row."""

    position: int
    prediction: Prediction | Failure
    evidence: Evidence | None = None


_Answers = list[_Answer]


def evaluate(
    rows: Sequence[LabelRow],
    sources: Path,
    *,
    launch: LaunchMode = LaunchMode.LABELS,
    gpu: Gpu | None = None,
    jobs: int = 1,
    timeout_s: float | None = None,
    memory_limit_bytes: int | None = None,
    progress: Progress | None = None,
    analyzer: Analyzer | None = None,
    gather: Gatherer | None = None,
) -> Evaluation:
    """Predict every row and compare.

    Args:
        rows: Label rows, of any number of tables.
        sources: Folder that the rows' files are relative to.
        launch: Whether the analysis is told the rows' launches.
        gpu: Card of rows that name none, and of those that name its id.
        jobs: Worker processes.
        timeout_s: Seconds for one analysis of one program; None for no limit.
        memory_limit_bytes: Data that one worker may allocate; None for no limit.
        progress: Called with the jobs done, all jobs, and the program just finished.
        analyzer: Analyses the files of one program; the package's own by default.
        gather: Called in the workers for what another predictor needs of each row's kernel.

    Every row has an outcome: those that could not be analysed carry the reason.
    """
    start = time.monotonic()
    plan = make_plan(rows, sources, launch, gpu)
    answers: dict[int, Prediction | Failure] = dict(plan.failures)
    evidence: dict[int, Evidence] = {}
    work = partial(_run_job, analyzer=analyzer or own_analyzer, gather=gather)
    run = partial(
        _run_all,
        work,
        jobs=jobs,
        timeout_s=timeout_s,
        memory_limit_bytes=memory_limit_bytes,
    )
    again = run(plan.jobs, answers=answers, evidence=evidence, progress=progress)
    # what costs one setting must not cost the others that shared its process
    retry = [part for job in again if len(job.settings) > 1 for part in job.split()]
    run(retry, answers=answers, evidence=evidence, progress=None)
    outcomes = tuple(_outcome(row, position, plan, answers) for position, row in enumerate(rows))
    return Evaluation(
        tables=tuple(dict.fromkeys(row.table for row in rows)),
        launch=launch,
        outcomes=outcomes,
        seconds=time.monotonic() - start,
        evidence=evidence,
    )


def _run_all(
    work: Callable[[Job], _Answers],
    todo: Sequence[Job],
    *,
    answers: dict[int, Prediction | Failure],
    evidence: dict[int, Evidence],
    jobs: int,
    timeout_s: float | None,
    memory_limit_bytes: int | None,
    progress: Progress | None,
) -> list[Job]:
    """Run jobs and note their answers; return the jobs that had none."""

    def limit(job: Job) -> float | None:
        return None if timeout_s is None else timeout_s * len(job.settings)

    def report(done: int, total: int, job: Job) -> None:
        if progress is not None:
            progress(done, total, job.program)

    results = run_isolated(
        work,
        todo,
        jobs=jobs,
        timeout_s=limit,
        progress=report,
        memory_limit_bytes=memory_limit_bytes,
    )
    failed: list[Job] = []
    for job, result in zip(todo, results, strict=True):
        if result.value is not None:
            for answer in result.value:
                answers[answer.position] = answer.prediction
                if answer.evidence is not None:
                    evidence[answer.position] = answer.evidence
        elif result.error is not None:
            failure = _failure(result.error)
            answers.update((position, failure) for position, _ in job.rows)
            failed.append(job)
    return failed


def _failure(error: RoofstatError) -> Failure:
    match error:
        case AnalysisTimeout():
            kind = FailureKind.TIMEOUT
        case WorkerCrash():
            kind = FailureKind.CRASH
        case AnalysisFailure():
            kind = FailureKind.ANALYSIS
        case _:
            kind = FailureKind.SOURCE
    return Failure(kind=kind, reason=str(error))


def _run_job(job: Job, analyzer: Analyzer, gather: Gatherer | None) -> _Answers:
    """Analyse a job's files under each setting. Runs in a worker; only predictions go back, and what is gathered."""
    answers: _Answers = []
    for setting in job.settings:
        result = analyzer(job.files, setting.options)
        if job.launch is LaunchMode.LABELS:
            result = _with_stated_launches(job, setting, result, analyzer)
        found = _gathered(job, setting, result, gather) if gather is not None else {}
        answers.extend(
            _Answer(
                position=position,
                prediction=_answer(row, result, setting, job.launch),
                evidence=found.get(position),
            )
            for position, row in setting.rows
        )
    return answers


def _gathered(
    job: Job, setting: Setting, result: ProgramResult, gather: Gatherer
) -> dict[int, Evidence]:
    kernels = {
        position: kernel
        for position, row in setting.rows
        if (kernel := _matched(row, result, by_launch=job.launch is LaunchMode.LABELS)) is not None
    }
    found = gather(job.files, setting.options, list(kernels.values()))
    return dict(zip(kernels, found, strict=True))


def _with_stated_launches(
    job: Job, setting: Setting, result: ProgramResult, analyzer: Analyzer
) -> ProgramResult:
    """Analyse again where the row's name did not reach its kernel, now under the names that the analysis itself uses."""
    stated: dict[str, LaunchOverride] = {}
    for _, row in setting.rows:
        kernel = _matched(row, result, by_launch=True)
        if kernel is None or _has_launch(kernel, row):
            continue
        override = LaunchOverride(grid=row.grid, block=row.block, source=LaunchSource.LABEL)
        for name in _own_names(kernel):
            stated.setdefault(name, override)
    if all(name in setting.options.launches for name in stated):
        return result
    launches = {**setting.options.launches, **stated}
    return analyzer(job.files, dataclasses.replace(setting.options, launches=launches))


def _matched(row: LabelRow, result: ProgramResult, *, by_launch: bool) -> KernelReport | None:
    match = match_row(row, [candidate(kernel) for kernel in result.kernels], by_launch=by_launch)
    return result.kernels[match.position] if isinstance(match, Match) else None


def _has_launch(kernel: KernelReport, row: LabelRow) -> bool:
    launch = kernel.launch
    return (row.grid is None or (launch is not None and launch.grid == row.grid)) and (
        row.block is None or (launch is not None and launch.block == row.block)
    )


def _own_names(kernel: KernelReport) -> tuple[str, ...]:
    if kernel.language is Language.OPENMP:
        return (f"{kernel.function}:{kernel.line}", kernel.signature)
    return (kernel.signature,)


def _answer(
    row: LabelRow, result: ProgramResult, setting: Setting, launch: LaunchMode
) -> Prediction | Failure:
    judged_by = _ridges_of(row, setting.options.gpu)
    answer = predict(row, result.kernels, judged_by, by_launch=launch is LaunchMode.LABELS)
    if isinstance(answer, Prediction) or answer.kind is not FailureKind.MATCH:
        return answer
    return _explained(answer, result)


def _explained(failure: Failure, result: ProgramResult) -> Failure:
    """A missing kernel with what the analysis said of the source, which may be why."""
    if result.errors:
        error = result.errors[0]
        place, message = _place(error.file, error.line), error.message
        kind = FailureKind.TIMEOUT if error.kind is ErrorKind.TIMEOUT else FailureKind.SOURCE
    elif remark := next((d for d in result.diagnostics if d.severity is not Severity.NOTE), None):
        place, message, kind = _place(remark.file, remark.line), remark.message, failure.kind
    else:
        return failure
    return Failure(kind=kind, reason=f"{failure.reason} ({place}: {message})")


def _place(file: str, line: int | None) -> str:
    return f"{file}:{line}" if line is not None else file


def _ridges_of(row: LabelRow, gpu: Gpu) -> dict[NumberType, float]:
    """The row's ridges, its card's for types that the row gives none for."""
    own = ridges(gpu)
    return {
        kind: row.ridge_op_per_byte.get(kind, own.get(kind, float("inf"))) for kind in COUNT_OF_TYPE
    }


def _outcome(
    row: LabelRow, position: int, plan: Plan, answers: Mapping[int, Prediction | Failure]
) -> RowOutcome:
    gpu = plan.gpus.get(position)
    judged_by = dict(row.ridge_op_per_byte) if gpu is None else _ridges_of(row, gpu)
    answer = answers[position]
    return RowOutcome(
        row=row if gpu is None else _without_untrue(row, gpu),
        ridge_op_per_byte=judged_by,
        truth=true_verdict(row, judged_by),
        prediction=answer if isinstance(answer, Prediction) else None,
        failure=answer if isinstance(answer, Failure) else None,
    )


_CONSTANT_MOVES_COUNT_AS_HALF: Final = frozenset({"sm_80", "sm_90"})
"""On these targets compilers load constants with half-precision instructions, so that FP16 counters say nothing."""


def _without_untrue(row: LabelRow, gpu: Gpu) -> LabelRow:
    if gpu.target not in _CONSTANT_MOVES_COUNT_AS_HALF or Quantity.HP_FLOP not in row.measured:
        return row
    kept = dict(row.measured)
    del kept[Quantity.HP_FLOP]
    return dataclasses.replace(row, measured=kept)
