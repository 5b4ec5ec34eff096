"""From a question about one launch to the turns of a chat. The texts are versioned data files of the package."""

from __future__ import annotations

import functools
import shlex
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from importlib import resources
from typing import Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware import Gpu
from roofstat.llm.answers import AMOUNTS, Answer, AnswerForm
from roofstat.llm.features import feature_table, features_text
from roofstat.llm.quoting import SourcePiece, quote
from roofstat.llm.requests import ChatRequest, Message, canonical
from roofstat.report import KernelReport, TrafficRegime
from roofstat.roofline import NumberType

__all__ = ["PROMPTS", "Example", "Prompt", "Question", "load_prompt"]

PROMPTS: Final = ("roofstat", "paper")
_SECTIONS: Final = ("card", "launch", "source", "features", "measured", "question")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked about one launch.

    Attributes:
        kernel: The static report; its counts reach the model only where `with_features` says so.
        gpu: The card.
        ridge_op_per_byte: Ridges of the types that the rule judges.
        pieces: The source; empty where the model is to judge measured counts alone.
        arguments: Of the program.
        with_features: Whether the static features are shown.
        measured: Measured counts and bytes, by their names; only for the scenario that gives them.
    """

    kernel: KernelReport
    gpu: Gpu
    ridge_op_per_byte: Mapping[NumberType, float]
    pieces: tuple[SourcePiece, ...] = ()
    arguments: tuple[str, ...] = ()
    with_features: bool = True
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A question with its answer, shown before the one that counts."""

    question: Question
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt's texts, by section."""

    name: str
    version: int
    form: AnswerForm
    temperature: float | None
    texts: Mapping[str, str]

    @property
    def id(self) -> str:
        """Name and version."""
        return f"{self.name}/{self.version}"

    def request(
        self, question: Question, model: str, examples: Sequence[Example] = (), *, trial: int = 0
    ) -> ChatRequest:
        """Return the request that asks a model this question.

        Args:
            question: The launch.
            model: As the server calls it.
            examples: Shown before, in this order.
            trial: Number of the repetition.
        """
        turns = [Message("system", self._system(question, has_examples=bool(examples)))]
        for example in examples:
            turns.append(Message("user", self.user_text(example.question)))
            turns.append(Message("assistant", self.answer_text(example.answer)))
        turns.append(Message("user", self.user_text(question)))
        return ChatRequest(
            model=model,
            messages=tuple(turns),
            form=self.form,
            temperature=self.temperature,
            prompt=self.id,
            trial=trial,
        )

    def user_text(self, question: Question) -> str:
        """Return the turn that holds a question."""
        values = _values(question)
        wanted = {
            "source": bool(question.pieces),
            "features": question.with_features and not question.measured,
            "measured": bool(question.measured),
        }
        parts = [
            string.Template(self.texts[name]).substitute(values).strip()
            for name in _SECTIONS
            if wanted.get(name, True)
        ]
        return "\n\n".join(parts)

    def answer_text(self, answer: Answer) -> str:
        """Return an answer as the model should give it."""
        if self.form is AnswerForm.WORD:
            return answer.verdict.value.capitalize()
        return canonical(
            {
                "reasons": list(answer.reasons),
                **{name: answer.amounts.get(name) for name in AMOUNTS},
                "verdict": answer.verdict.value,
                "confidence": 0.95 if answer.confidence is None else answer.confidence,
            }
        )

    def _system(self, question: Question, *, has_examples: bool) -> str:
        regime = self.texts[question.kernel.regime.value].strip()
        example = "" if has_examples else self.texts.get("example", "").strip()
        return "\n\n".join(part for part in (self.texts["system"].strip(), regime, example) if part)


@functools.cache
def load_prompt(name: str) -> Prompt:
    """Return one of `PROMPTS`."""
    file = resources.files("roofstat.llm") / "data" / "prompts" / f"{name}.toml"
    table = tomllib.loads(file.read_text("utf-8"))
    texts = {key: value for key, value in table.items() if isinstance(value, str)}
    lacking = {*_SECTIONS, "system", *(regime.value for regime in TrafficRegime)} - texts.keys()
    if lacking:
        raise ValueError(f"the prompt {name} lacks {', '.join(sorted(lacking))}")
    return Prompt(
        name=table["name"],
        version=table["version"],
        form=AnswerForm(table["form"]),
        temperature=table.get("temperature"),
        texts=texts,
    )


_TYPE_NAMES: Final = {
    NumberType.FP32: "FP32",
    NumberType.FP64: "FP64",
    NumberType.FP16: "FP16",
    NumberType.INT: "integer",
    NumberType.TENSOR: "tensor cores",
}


def _values(question: Question) -> dict[str, Any]:
    """What the placeholders of a prompt stand for."""
    kernel, gpu = question.kernel, question.gpu
    launch = kernel.launch
    # A ridge is a peak over the bandwidth: a table's own ridges imply its own peaks.
    peaks = {
        kind: ridge * gpu.dram_bytes_per_s / 1e9
        for kind, ridge in question.ridge_op_per_byte.items()
    }
    return {
        "card_name": gpu.name,
        "sm_count": gpu.sm_count,
        "l2_bytes": gpu.l2_bytes,
        "dram_gb_per_s": f"{gpu.dram_bytes_per_s / 1e9:.5g}",
        "ridges": "\n".join(
            f"- {_TYPE_NAMES[kind]}: {peaks[kind]:.5g} Gop/s, ridge {ridge:.4g} op/byte"
            for kind, ridge in question.ridge_op_per_byte.items()
        ),
        "peaks": ", ".join(f"{_TYPE_NAMES[kind]} {peak:.5g} Gop/s" for kind, peak in peaks.items()),
        "kernel": _kernel(kernel),
        "kernel_name": kernel.function or kernel.signature,
        "language": kernel.language.value,
        "compiler": kernel.compiler.value,
        "grid": "unknown" if launch is None else _dim3(launch.grid),
        "block": "unknown" if launch is None else _dim3(launch.block),
        "threads": "unknown" if launch is None else launch.threads,
        "shared_bytes": "unknown" if launch is None else launch.shared_bytes,
        "arguments": shlex.join(question.arguments) or "none",
        "source": quote(question.pieces),
        "features": features_text(feature_table(kernel)) if question.with_features else "",
        "measured": "\n".join(
            f"- {name}: {value:.6g}" for name, value in question.measured.items()
        ),
    }


def _kernel(kernel: KernelReport) -> str:
    if kernel.directive is None:
        return f"{kernel.signature}, line {kernel.line}"
    return f"the region at line {kernel.line} of {kernel.function}: {kernel.directive}"


def _dim3(size: tuple[int, int, int]) -> str:
    return "x".join(map(str, size))
