"""What is said beside the numbers: assumptions, diagnostics, errors."""

from __future__ import annotations

from collections.abc import Iterable

from clang_queries.quick_dataclass import dataclass
from roofstat.report.kinds import (
    AssumptionKind,
    ErrorKind,
    Severity,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """Something that a number rests on and that the source does not say.

    Attributes:
        kind: What was taken for granted.
        text: One sentence for a reader, with the value that was used.
        file: Where it concerns.
        line: 1-based line there.
        weight: Spread that it adds to the intensity: standard deviation of its natural logarithm.
    """

    kind: AssumptionKind
    text: str
    file: str | None = None
    line: int | None = None
    weight: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A number that a diagnostic rests on.

    Attributes:
        name: What was measured, in words.
        value: How much.
        unit: Its unit; empty for a pure number.
    """

    name: str
    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A replacement of source text within one line.

    Attributes:
        line: 1-based line.
        column: 1-based column of the first character that is replaced, in bytes.
        end_column: Column behind the last.
        text: What comes in its place.
    """

    line: int
    column: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A remark on a place in the source.

    Attributes:
        code: Stable identifier.
        severity: How much it matters.
        message: One sentence.
        file: File concerned.
        line: 1-based line; None for the whole file. `column` likewise.
        help: What to do about it; None where there is nothing to say.
        kernel: Signature of the kernel that it is about; None for remarks on the source as such.
        evidence: The numbers that it rests on.
        speedup_bound: No remedy makes the launch faster than by this factor, as modelled; None where no bound is known.
        fix: Edits of the file that carry the remedy out and are safe to make; empty where there are none.
    """

    code: str
    severity: Severity
    message: str
    file: str
    line: int | None = None
    column: int | None = None
    help: str | None = None
    kernel: str | None = None
    evidence: tuple[Evidence, ...] = ()
    speedup_bound: float | None = None
    fix: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisError:
    """Why a file, or a part of it, has no result.

    Attributes:
        kind: What went wrong.
        file: The file.
        line: 1-based line; None for the whole file.
        message: One line.
        remedy: What to do about it; None where there is nothing to say.
        signal: Name of the signal that ended the process; None for other kinds.
        detail: Further lines for a bug report; None where there are none.
    """

    kind: ErrorKind
    file: str
    line: int | None = None
    message: str
    remedy: str | None = None
    signal: str | None = None
    detail: str | None = None


def strongest_weights(assumptions: Iterable[Assumption]) -> list[float]:
    """Return the largest weight of each kind: guesses of one kind are rarely independent of each other."""
    found: dict[AssumptionKind, float] = {}
    for item in assumptions:
        found[item.kind] = max(found.get(item.kind, 0.0), item.weight)
    return list(found.values())
