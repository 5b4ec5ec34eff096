"""Which iterations of a work-sharing loop adjacent threads take, as the clauses say and LLVM's device run time does it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.program.openmp.clauses import clauses, constant_of

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive

DEFAULT_TEAMS = 3200
"""Most teams that the run time starts by itself, and the number where it knows no trip count."""
DEFAULT_THREADS = 128
"""Threads of a team where no clause limits them: the most that a region is compiled for, and that the run time starts."""
_KIND = pattern(r"\b(static|dynamic|guided|auto|runtime)\b")


class Sharing(Enum):
    """How the iterations of a loop go to the threads."""

    ROUND_ROBIN = "round-robin"
    """Thread t takes chunks t, t + threads, ...; of one iteration where no chunk is stated."""
    ONE_BLOCK = "one-block"
    """Each thread takes one contiguous part: ``schedule(static)``."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of one loop."""

    sharing: Sharing
    chunk: Expr | None = None
    """Iterations of a chunk; None for one."""
    is_dispatched: bool = False
    """Whether each chunk is asked of the run time.

    It numbers the lanes that ask at once, so adjacent lanes get adjacent chunks there too; which warp comes first does not
    change what is counted.
    """


def thread_schedule(directive: Directive) -> Schedule:
    """What `schedule` says; without it clang takes ``static, 1`` on GPUs.

    `auto` and `runtime` are ``static, 1`` as well (the run time's default), `guided` is `dynamic`.
    """
    for clause in clauses(directive, "schedule"):
        found = _KIND.search(clause.text)
        if found is None:
            continue
        kind = found[1]
        chunk = clause.expressions[-1] if clause.expressions else None
        is_one = chunk is not None and constant_of(chunk) == 1
        if kind == "static":
            sharing = Sharing.ONE_BLOCK if chunk is None else Sharing.ROUND_ROBIN
            return Schedule(sharing, None if is_one else chunk)
        if kind in ("dynamic", "guided"):
            return Schedule(Sharing.ROUND_ROBIN, None if is_one else chunk, is_dispatched=True)
        return Schedule(Sharing.ROUND_ROBIN, is_dispatched=True)
    return Schedule(Sharing.ROUND_ROBIN)


def team_chunk(directive: Directive) -> Expr | None:
    """The chunk that `dist_schedule` states."""
    for clause in clauses(directive, "dist_schedule"):
        if clause.expressions:
            return clause.expressions[-1]
    return None
