"""The second opinion of a language model in words, the same in every form for readers."""

from __future__ import annotations

from roofstat.render.quantities import percent, plain, quantity
from roofstat.report import KernelReport, OpinionFlag, SecondOpinion

__all__ = ["opinion_cell", "opinion_lines"]

_FLAG_WORDS = {
    OpinionFlag.CONTRADICTS_STATIC: "contradicts a confident static verdict: not counted",
    OpinionFlag.INSTRUCTIONS_IN_SOURCE: "the source talks to the model: not counted",
    OpinionFlag.CONTRADICTS_ITSELF: "its verdict does not follow from its own numbers",
}
_MAX_REASONS = 4
_UNITS = {"int_op": "op", "dram_read_bytes": "B", "dram_write_bytes": "B"}
_NAMES = {
    "sp_flop": "FP32",
    "dp_flop": "FP64",
    "hp_flop": "FP16",
    "tensor_flop": "tensor",
    "int_op": "INT",
    "dram_read_bytes": "DRAM read",
    "dram_write_bytes": "DRAM write",
}


def opinion_cell(kernel: KernelReport) -> str:
    """Return the model's verdict for a table; a mark where it is flagged."""
    opinion = kernel.llm
    if opinion is None:
        return "-"
    if opinion.verdict is None:
        return f"({opinion.failure})"
    return f"{opinion.verdict.value}{'!' if opinion.flags else ''}"


def opinion_lines(opinion: SecondOpinion) -> list[str]:
    """Return what a model said, and what came of it, as sentences without markup."""
    who = plain(opinion.model)
    if opinion.answered_by and opinion.answered_by != opinion.model:
        who += f" ({plain(opinion.answered_by)})"
    if opinion.verdict is None:
        return [f"{who} gave no answer: {plain(opinion.problem or '')}"]
    sure = "" if opinion.confidence is None else f", {percent(opinion.confidence)} sure"
    lines = [f"{who}: {opinion.verdict.value}{sure}"]
    lines += [_FLAG_WORDS[flag] for flag in opinion.flags]
    lines += [
        f"line {place.line} says: {plain(place.text)}"
        for place in opinion.suspicions[:_MAX_REASONS]
    ]
    combined = opinion.combined_verdict.value
    if opinion.combined_confidence is not None:
        combined += f", {percent(opinion.combined_confidence)} sure"
    lines.append(f"combined with the static verdict: {combined}")
    if opinion.amounts:
        amounts = (
            f"{_NAMES[name]} {quantity(value, _UNITS.get(name, 'FLOP'))}"
            for name, value in opinion.amounts.items()
            if value or name in _UNITS
        )
        lines.append(f"it counts: {', '.join(amounts)}")
    lines += [f"it says: {plain(reason)}" for reason in opinion.reasons[:_MAX_REASONS]]
    where = "from the log" if opinion.is_logged else f"from {plain(opinion.destination)}"
    lines.append(f"prompt {opinion.prompt}, {where}, request {opinion.request[:12]}")
    return lines
