"""The part of `roofstat eval` that asks a language model: scenarios, batches, training files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.cli.console import Console
from roofstat.cli.llm_options import LlmRun, add_llm_options, llm_run
from roofstat.cli.output import check_output, write_output
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofstat.evaluation.evaluation import Evaluation
    from roofstat.evaluation.evidence import Gatherer
    from roofstat.evaluation.labels import LabelRow
    from roofstat.evaluation.llm_evaluation import LlmEvaluation
    from roofstat.evaluation.llm_scenarios import RowRequest

__all__ = ["ModelTask", "add_model_options", "model_task"]

_SCENARIOS = ("profiled", "zero-shot", "few-shot", "fine-tuned")
_PROMPTS = ("roofstat", "paper")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that concern a language model."""
    group = parser.add_argument_group("language model (docs/llm.md)")
    add_llm_options(group)
    group.add_argument(
        "--scenario",
        choices=_SCENARIOS,
        default="zero-shot",
        help="what the model is shown: measured counts, the source, labelled examples before, or, for a fine-tuned model, "
        "the source of families it was not trained on (default zero-shot)",
    )
    group.add_argument(
        "--prompt",
        choices=_PROMPTS,
        default="roofstat",
        help="roofstat: precise rule, structured answer (default); paper: the protocol of arXiv 2505.03988",
    )
    group.add_argument(
        "--export-batch",
        metavar="FILE.jsonl",
        help="write the requests in the OpenAI Batch form instead of sending them",
    )
    group.add_argument(
        "--import-batch",
        metavar="FILE.jsonl",
        help="take the answers from the output of such a batch; nothing is sent",
    )
    group.add_argument(
        "--export-fine-tune",
        metavar="FILE.jsonl",
        help="write training chats, and validation chats of other program families to FILE.validation.jsonl",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTask:
    """What is wanted of a model in an evaluation."""

    run: LlmRun | None
    scenario: str
    prompt: str
    with_features: bool
    export_batch: Path | None
    import_batch: Path | None
    export_fine_tune: Path | None

    @property
    def only_exports(self) -> bool:
        """Whether files are written and nothing is scored."""
        return self.export_batch is not None or self.export_fine_tune is not None

    @property
    def gather(self) -> Gatherer:
        """What the workers bring back of each kernel."""
        from roofstat.evaluation.evidence import gather_evidence

        return gather_evidence

    def select(self, rows: Sequence[LabelRow]) -> tuple[LabelRow, ...]:
        """Return the rows that the scenario may be scored on.

        Raises:
            UsageError: There is none.
        """
        from roofstat.evaluation.llm_scenarios import Scenario, rows_of_scenario

        if self.export_fine_tune is not None:
            return tuple(rows)
        kept = rows_of_scenario(rows, Scenario(self.scenario))
        if not kept:
            raise UsageError(
                "no row belongs to a validation family",
                remedy="give more rows, or another scenario",
            )
        return kept

    def export(self, evaluation: Evaluation, console: Console) -> None:
        """Write the files that were asked for."""
        if self.export_fine_tune is not None:
            self._export_chats(evaluation, self.export_fine_tune, console)
        if self.export_batch is not None and self.run is not None:
            from roofstat.llm.batch import batch_lines
            from roofstat.llm.cost import estimate

            asked = self._requests(evaluation, self.run)
            lines = batch_lines(entry.request for entry in asked)
            write_output(self.export_batch, _joined(lines))
            expected = estimate((entry.request for entry in asked), self.run.price, batch=True)
            console.complain(
                f"{self.export_batch}: {len(lines)} requests for {len(asked)} of "
                f"{len(evaluation.outcomes)} rows; as a batch: {expected}"
            )

    def answer(self, evaluation: Evaluation, console: Console) -> LlmEvaluation | None:
        """Ask the model about every row; None where none is named."""
        from roofstat.evaluation.llm_evaluation import llm_evaluation
        from roofstat.evaluation.llm_scenarios import Scenario
        from roofstat.llm.prompts import load_prompt

        run = self.run
        if run is None:
            return None
        asked = self._requests(evaluation, run)
        requests = [entry.request for entry in asked]
        if self.import_batch is not None:
            self._import(self.import_batch, run, asked, console)
        said = run.ask(requests, console)
        return llm_evaluation(
            evaluation,
            asked,
            said,
            scenario=Scenario(self.scenario),
            prompt=load_prompt(self.prompt).id,
            model=run.model,
            destination=run.destination,
            with_features=self.with_features,
            price=run.price,
        )

    def _requests(self, evaluation: Evaluation, run: LlmRun) -> list[RowRequest]:
        from roofstat.evaluation.llm_scenarios import Scenario, row_requests
        from roofstat.llm.prompts import load_prompt

        return row_requests(
            evaluation,
            Scenario(self.scenario),
            load_prompt(self.prompt),
            run.model,
            with_features=self.with_features,
        )

    def _import(
        self, file: Path, run: LlmRun, asked: Sequence[RowRequest], console: Console
    ) -> None:
        from roofstat.llm.batch import import_batch
        from roofstat.llm.log import CallLog

        log = CallLog(run.log)
        try:
            found = import_batch(file, [entry.request for entry in asked], log)
        finally:
            log.close()
        console.complain(
            f"{file}: {found.answers} answers, {found.failures} that cannot be used, "
            f"{found.foreign} lines of other requests"
        )

    def _export_chats(self, evaluation: Evaluation, file: Path, console: Console) -> None:
        from roofstat.evaluation.llm_scenarios import fine_tune_chats
        from roofstat.llm.prompts import load_prompt

        training, validation = fine_tune_chats(
            evaluation, load_prompt(self.prompt), with_features=self.with_features
        )
        if not training:
            raise UsageError(
                f"--export-fine-tune: no chat to train on, {len(validation)} of program families kept for validation",
                remedy="give more rows, of other programs",
            )
        second = _validation_file(file)
        write_output(file, _joined(training))
        write_output(second, _joined(validation))
        console.complain(
            f"{file}: {len(training)} chats; {second}: {len(validation)} chats of other families"
        )


def _validation_file(training: Path) -> Path:
    """Where the validation chats go.

    >>> _validation_file(Path("chats.jsonl")).name
    'chats.validation.jsonl'
    """
    return training.with_suffix(f".validation{training.suffix}")


def model_task(args: argparse.Namespace) -> ModelTask | None:
    """Return what is wanted of a model; None for nothing.

    Raises:
        UsageError: Options that do not go together, or have values that make no sense.
    """
    if args.llm is None and (args.export_batch or args.import_batch):
        raise UsageError(
            "a batch is for a model", remedy="name it with --llm, such as --llm gpt-4o-mini"
        )
    if args.import_batch:
        args.llm_replay = True
    run = llm_run(args)
    files = {
        name: Path(value) if (value := getattr(args, name)) else None
        for name in ("export_batch", "import_batch", "export_fine_tune")
    }
    for name in ("export_batch", "export_fine_tune"):
        if (file := files[name]) is not None:
            check_output(file, [*args.labels, *([args.import_batch] if args.import_batch else [])])
    if run is None and files["export_fine_tune"] is None:
        return None
    return ModelTask(
        run=run,
        scenario=args.scenario,
        prompt=args.prompt,
        with_features=not args.no_features,
        export_batch=files["export_batch"],
        import_batch=files["import_batch"],
        export_fine_tune=files["export_fine_tune"],
    )


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
