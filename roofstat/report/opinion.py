"""What a language model said of a kernel, beside the static numbers, which it never changes."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.roofline import Verdict

__all__ = ["OpinionFlag", "OpinionPlace", "SecondOpinion", "opinion_schema", "opinion_to_json"]


class OpinionFlag(enum.Enum):
    """Why an answer is not simply believed."""

    CONTRADICTS_STATIC = "contradicts-confident-static-verdict"
    INSTRUCTIONS_IN_SOURCE = "instructions-in-source"
    CONTRADICTS_ITSELF = "numbers-contradict-verdict"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionPlace:
    """A place in the source that reads like an instruction to the model."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondOpinion:
    """One answer, or the reason that there is none.

    Attributes:
        model: As asked for; `answered_by` is the server's name of what answered.
        prompt: Name and version of the prompt; `request` is the digest of the request in the log.
        destination: Where the source went: a URL, or `log` for a replay.
        with_features: Whether the model was shown the static features.
        is_logged: Whether the answer comes from an earlier run.
        verdict: None where `problem` says why there is no answer.
        confidence: The model's own; None where it gave none.
        amounts: Counts and bytes that the model gave, by name.
        reasons: In the model's words.
        flags: Why the answer is not simply believed.
        suspicions: What in the source may have talked to the model.
        combined_verdict: Static verdict and answer together.
        combined_confidence: Probability of it.
        failure: Kind of failure; None where there is an answer.
        problem: One sentence about it.
    """

    model: str
    answered_by: str | None = None
    prompt: str
    request: str
    destination: str
    with_features: bool
    is_logged: bool = False
    verdict: Verdict | None = None
    confidence: float | None = None
    amounts: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    flags: tuple[OpinionFlag, ...] = ()
    suspicions: tuple[OpinionPlace, ...] = ()
    combined_verdict: Verdict
    combined_confidence: float | None
    failure: str | None = None
    problem: str | None = None


def opinion_to_json(opinion: SecondOpinion) -> dict[str, Any]:
    """Return the JSON form."""
    return {
        "model": opinion.model,
        "answered_by": opinion.answered_by,
        "prompt": opinion.prompt,
        "request": opinion.request,
        "destination": opinion.destination,
        "with_features": opinion.with_features,
        "is_logged": opinion.is_logged,
        "verdict": opinion.verdict.value if opinion.verdict else None,
        "confidence": opinion.confidence,
        "amounts": dict(opinion.amounts),
        "reasons": list(opinion.reasons),
        "flags": [flag.value for flag in opinion.flags],
        "suspicions": [
            {"file": place.file, "line": place.line, "text": place.text}
            for place in opinion.suspicions
        ],
        "combined": {
            "verdict": opinion.combined_verdict.value,
            "confidence": opinion.combined_confidence,
        },
        "failure": opinion.failure,
        "problem": opinion.problem,
    }


def opinion_schema() -> dict[str, Any]:
    """Return the JSON Schema of that form."""
    text, or_null = {"type": "string"}, {"type": ["string", "null"]}
    share = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    verdicts = [verdict.value for verdict in Verdict]
    place = _record({"file": text, "line": {"type": "integer", "minimum": 1}, "text": text})
    return _record(
        {
            "model": text,
            "answered_by": or_null,
            "prompt": text,
            "request": text,
            "destination": text,
            "with_features": {"type": "boolean"},
            "is_logged": {"type": "boolean"},
            "verdict": {"enum": [*verdicts, None]},
            "confidence": share,
            "amounts": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}},
            "reasons": {"type": "array", "items": text},
            "flags": {"type": "array", "items": {"enum": [flag.value for flag in OpinionFlag]}},
            "suspicions": {"type": "array", "items": place},
            "combined": _record({"verdict": {"enum": verdicts}, "confidence": share}),
            "failure": or_null,
            "problem": or_null,
        }
    )


def _record(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
