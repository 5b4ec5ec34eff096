"""A report with a second opinion on its kernels: which are asked about, what is asked, and what is made of the answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from enum import Enum

from clang_queries.quick_dataclass import dataclass
from roofstat.llm.answers import Answer
from roofstat.llm.asking import Said
from roofstat.llm.combination import combination_rule, combine, contradicts_itself
from roofstat.llm.prompts import Prompt, Question
from roofstat.llm.quoting import SourcePiece
from roofstat.llm.requests import ChatRequest
from roofstat.llm.suspicion import Suspicion, find_suspicions
from roofstat.report import (
    Diagnostic,
    KernelReport,
    OpinionFlag,
    OpinionPlace,
    Report,
    SecondOpinion,
    Severity,
)
from roofstat.roofline import NumberType

__all__ = ["When", "questions", "with_opinions", "worth_asking"]


class When(Enum):
    """Which kernels a model is asked about."""

    ALWAYS = "always"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A kernel of a report, by its position, with the request about it."""

    position: int
    question: Question
    request: ChatRequest


def worth_asking(report: Report, when: When) -> list[int]:
    """Return the positions of the kernels to ask about; those of libraries have no source to show."""
    rule = combination_rule()
    return [
        position
        for position, kernel in enumerate(report.kernels)
        if kernel.library is None and (when is When.ALWAYS or rule.is_uncertain(kernel))
    ]


def questions(
    report: Report,
    slices: Mapping[int, Sequence[SourcePiece]],
    prompt: Prompt,
    model: str,
    *,
    arguments: tuple[str, ...] = (),
    with_features: bool = True,
) -> list[Asked]:
    """Return what to ask.

    Args:
        report: The static report.
        slices: Source of the kernels to ask about, by position; one without source is not asked about.
        prompt: The texts.
        model: As the server calls it.
        arguments: Of the program.
        with_features: Whether the model is shown the static features.
    """
    asked = []
    for position, pieces in slices.items():
        if not pieces:
            continue
        kernel = report.kernels[position]
        question = Question(
            kernel=kernel,
            gpu=report.gpu,
            ridge_op_per_byte=kernel.ridge,
            pieces=tuple(pieces),
            arguments=arguments,
            with_features=with_features,
        )
        request = prompt.request(question, model)
        asked.append(Asked(position=position, question=question, request=request))
    return asked


def with_opinions(
    report: Report, asked: Sequence[Asked], said: Sequence[Said], destination: str
) -> Report:
    """Return the report with an opinion on each kernel that was asked about, and remarks on suspicious source."""
    kernels = list(report.kernels)
    remarks: dict[Diagnostic, None] = {}
    for entry, reply in zip(asked, said, strict=True):
        suspicions = find_suspicions(entry.question.pieces)
        remarks |= {_remark(place): None for place in suspicions}
        kernel = kernels[entry.position]
        opinion = _opinion_of(kernel, entry.question, reply, suspicions, destination)
        kernels[entry.position] = dataclasses.replace(kernel, llm=opinion)
    return dataclasses.replace(
        report, kernels=tuple(kernels), diagnostics=(*report.diagnostics, *remarks)
    )


def _opinion_of(
    kernel: KernelReport,
    question: Question,
    said: Said,
    suspicions: Sequence[Suspicion],
    destination: str,
) -> SecondOpinion:
    """Return the record of one reply."""
    answer = said.answer
    flags = answer_flags(answer, question.ridge_op_per_byte, suspicions)
    both = combine(kernel.verdict, kernel.confidence, answer, flags=flags)
    request, error = said.request, said.error
    return SecondOpinion(
        model=request.model,
        answered_by=said.reply.model if said.reply else None,
        prompt=request.prompt,
        request=request.key,
        destination=destination,
        with_features=question.with_features,
        is_logged=said.is_logged,
        verdict=answer.verdict if answer else None,
        confidence=answer.confidence if answer else None,
        amounts=answer.amounts if answer else {},
        reasons=answer.reasons if answer else (),
        flags=both.flags,
        suspicions=tuple(
            OpinionPlace(file=place.file, line=place.line, text=place.text) for place in suspicions
        ),
        combined_verdict=both.verdict,
        combined_confidence=both.confidence,
        failure=error.kind.value if error else None,
        problem=str(error) if error else None,
    )


def answer_flags(
    answer: Answer | None,
    ridge_op_per_byte: Mapping[NumberType, float],
    suspicions: Sequence[Suspicion],
) -> tuple[OpinionFlag, ...]:
    """Return what is known against an answer before it is compared with the static verdict."""
    flags = [OpinionFlag.INSTRUCTIONS_IN_SOURCE] if suspicions else []
    if answer is not None and contradicts_itself(answer, ridge_op_per_byte):
        flags.append(OpinionFlag.CONTRADICTS_ITSELF)
    return tuple(flags)


def _remark(place: Suspicion) -> Diagnostic:
    return Diagnostic(
        code="instructions-in-source",
        severity=Severity.WARNING,
        message=f"this reads like an instruction to a language model: {place.text!r}",
        file=place.file,
        line=place.line,
        help="its answer on kernels with this text is not counted",
    )
