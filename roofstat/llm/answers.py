"""What a model has to answer, and the strict reading of what it did answer.

Two forms: a JSON object (`ANSWER_SCHEMA`), and the paper's single word. Whatever is not exactly that is an `LlmError`,
never a guess.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final, NoReturn

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LlmError, LlmFailure
from roofstat.roofline import Verdict

__all__ = ["AMOUNTS", "ANSWER_SCHEMA", "Answer", "AnswerForm", "parse_answer", "parse_choices"]

AMOUNTS: Final = (
    "sp_flop",
    "dp_flop",
    "hp_flop",
    "tensor_flop",
    "int_op",
    "dram_read_bytes",
    "dram_write_bytes",
)
"""Quantities of an answer, in the base units that their names end in, for one launch."""

_MAX_REASONS: Final = 12
_MAX_REASON: Final = 600
_FIELDS: Final = ("reasons", *AMOUNTS, "verdict", "confidence")
_WORDS: Final = {"compute": Verdict.COMPUTE, "bandwidth": Verdict.BANDWIDTH}
_WORD: Final = re.compile(r"\b(compute|bandwidth)\b", re.IGNORECASE)
_THINKING_END: Final = "</think>"

ANSWER_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    # Reasons and numbers come first: a model that writes the verdict first has not thought yet.
    "properties": {
        "reasons": {"type": "array", "items": {"type": "string"}},
        **{name: {"type": ["number", "null"]} for name in AMOUNTS},
        "verdict": {"type": "string", "enum": list(_WORDS)},
        "confidence": {"type": "number"},
    },
    "required": list(_FIELDS),
    "additionalProperties": False,
}
"""JSON Schema in the subset that servers with strict structured output take: no bounds, every field required."""


class AnswerForm(Enum):
    """What a prompt asks for."""

    JSON = "json"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A checked answer.

    Attributes:
        verdict: Compute or bandwidth.
        confidence: Probability that the model gives its verdict; None where the form has none.
        amounts: Quantities that it gave, by the names of `AMOUNTS`; those it does not know are absent.
        reasons: Its reasons.
    """

    verdict: Verdict
    confidence: float | None = None
    amounts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()


def parse_choices(texts: Sequence[str], form: AnswerForm) -> Answer:
    """Read the answer from every choice that a server sent; they have to agree.

    Raises:
        LlmError: There is none, one is malformed, or two contradict each other.
    """
    if not texts:
        _reject("the reply holds no answer")
    return _agreed([parse_answer(text, form) for text in texts])


def parse_answer(text: str, form: AnswerForm) -> Answer:
    """Read one answer.

    Args:
        text: What the model wrote; for JSON there may be prose or a fence around the object.
        form: What it was asked for.

    Raises:
        LlmError: It is not an answer of that form.

    >>> parse_answer("It streams. Bandwidth.", AnswerForm.WORD).verdict
    <Verdict.BANDWIDTH: 'bandwidth'>
    """
    said = text.rpartition(_THINKING_END)[2]
    if form is AnswerForm.WORD:
        words = _WORD.findall(said)
        if not words:
            _reject(f"the answer names neither class: {_excerpt(said)}")
        return Answer(verdict=_WORDS[words[-1].lower()])
    objects = [found for found in _objects(said) if "verdict" in found]
    if not objects:
        _reject(f"the answer holds no JSON object with a verdict: {_excerpt(said)}")
    return _agreed([_checked(found) for found in objects])


def _agreed(answers: Sequence[Answer]) -> Answer:
    """The last answer, unless another one says something else."""
    if len({answer.verdict for answer in answers}) > 1:
        _reject("the reply holds several answers that contradict each other")
    return answers[-1]


def _objects(text: str) -> list[dict[str, Any]]:
    """Every outermost JSON object in the text."""
    # Whole numbers are read as floats too: Python refuses to read an int of thousands of digits.
    decoder = json.JSONDecoder(
        object_pairs_hook=_without_duplicates, parse_constant=_no_number, parse_int=float
    )
    found: list[dict[str, Any]] = []
    place = text.find("{")
    while place >= 0:
        try:
            value, end = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            end = place + 1
        else:
            found.append(value)
        place = text.find("{", end)
    return found


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        _reject("the answer gives a field twice")
    return found


def _no_number(word: str) -> NoReturn:
    _reject(f"the answer holds {word}, which is no number")


def _checked(data: Mapping[str, Any]) -> Answer:
    missing = [name for name in _FIELDS if name not in data]
    foreign = sorted(set(data) - set(_FIELDS))
    if missing or foreign:
        what = f"lacks {', '.join(missing)}" if missing else f"has {', '.join(foreign)} besides"
        _reject(f"the answer {what}")
    verdict = data["verdict"]
    if not isinstance(verdict, str) or verdict.strip().lower() not in _WORDS:
        _reject(f"the verdict {_excerpt(json.dumps(verdict))} is neither compute nor bandwidth")
    confidence = _number("confidence", data["confidence"])
    if confidence is None or not 0.5 <= confidence <= 1:
        _reject("the confidence is not from 0.5 to 1")
    amounts = {name: _number(name, data[name]) for name in AMOUNTS}
    return Answer(
        verdict=_WORDS[verdict.strip().lower()],
        confidence=confidence,
        amounts={name: value for name, value in amounts.items() if value is not None},
        reasons=_reasons(data["reasons"]),
    )


def _number(name: str, value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        _reject(f"{name} is not a number in base units: {_excerpt(json.dumps(value))}")
    number = float(value)
    if not math.isfinite(number) or number < 0:
        _reject(f"{name} is negative or not finite")
    return number


def _reasons(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        _reject("the reasons are not a list of sentences")
    return tuple(item.strip()[:_MAX_REASON] for item in value[:_MAX_REASONS] if item.strip())


def _excerpt(text: str, limit: int = 80) -> str:
    short = " ".join(text.split())
    return repr(short if len(short) <= limit else f"{short[: limit - 3]}...")


def _reject(problem: str) -> NoReturn:
    raise LlmError(LlmFailure.MALFORMED, problem)
