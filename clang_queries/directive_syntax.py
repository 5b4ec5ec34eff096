"""The words of OpenMP directives and clauses, and their reading from text."""

from __future__ import annotations

import re

from clang_queries.lexing import balanced, split_list
from clang_queries.quick_pattern import pattern

_WORD = pattern(r"\s*,?\s*([A-Za-z_]\w*)")
_FIRST_WORDS = frozenset(
    {
        "target", "teams", "distribute", "parallel", "for", "simd", "sections", "section", "single", "master", "masked",
        "critical", "barrier", "taskwait", "taskyield", "task", "taskloop", "taskgroup", "atomic", "ordered", "flush",
        "declare", "end", "threadprivate", "loop", "cancel", "cancellation", "scan", "requires", "allocate", "depobj",
        "tile", "unroll", "metadirective", "assume", "interop", "scope", "error", "nothing", "dispatch", "begin", "assumes",
    }
)  # fmt: skip
_NEXT_WORDS = {
    "target": {"teams", "parallel", "simd", "data", "enter", "exit", "update"},
    "teams": {"distribute", "loop"},
    "distribute": {"parallel", "simd"},
    "parallel": {"for", "sections", "loop", "master", "masked"},
    "for": {"simd"},
    "master": {"taskloop"},
    "masked": {"taskloop"},
    "taskloop": {"simd"},
    "enter": {"data"},
    "exit": {"data"},
    "declare": {"target", "simd", "reduction", "mapper", "variant"},
    "end": {"declare", "assumes"},
    "begin": {"declare", "assumes"},
    "cancellation": {"point"},
}
STANDALONE = frozenset(
    {
        "barrier", "taskwait", "taskyield", "flush", "target update", "target enter data", "target exit data", "cancel",
        "cancellation point", "depobj", "interop", "error", "nothing", "scan",
    }
)  # fmt: skip
DECLARATIVE = frozenset(
    {"declare", "end", "begin", "threadprivate", "requires", "allocate", "assume", "assumes"}
)
_LIST_MODIFIER = pattern(
    r"^\s*(?:[\w-]+\s*(?:\([^)]*\))?\s*,\s*)*(?:[\w-]+|[-+*&|^]{1,2})\s*:(?!:)"
)
_LIST_CLAUSES = frozenset(
    {
        "map", "to", "from", "reduction", "private", "firstprivate", "lastprivate", "shared", "is_device_ptr",
        "use_device_ptr", "use_device_addr", "has_device_addr", "linear", "aligned", "copyin", "copyprivate", "depend",
        "in_reduction", "task_reduction", "nontemporal", "inclusive", "exclusive", "uniform",
    }
)  # fmt: skip
_VALUE_CLAUSES = frozenset(
    {
        "num_teams", "thread_limit", "num_threads", "collapse", "if", "schedule", "dist_schedule", "device", "safelen",
        "simdlen", "priority", "grainsize", "num_tasks", "final", "ordered", "filter", "ompx_dyn_cgroup_mem", "hint",
        "sizes", "partial",
    }
)  # fmt: skip
_SCHEDULE_CLAUSES = frozenset({"schedule", "dist_schedule"})
_SCHEDULES = frozenset({"static", "dynamic", "guided", "auto", "runtime"})
_OTHER_CLAUSES = frozenset(
    {
        "", "nowait", "default", "defaultmap", "order", "bind", "device_type", "proc_bind", "untied", "mergeable", "nogroup",
        "read", "write", "update", "capture", "compare", "seq_cst", "acquire", "release", "acq_rel", "relaxed", "fail",
        "weak", "allocate", "allocator", "uses_allocators", "detach", "affinity", "ompx_attribute", "ompx_bare", "when",
        "otherwise", "match", "severity", "at", "message", "full", "threads", "simd", "destroy", "init",
        "use", "novariants", "nocontext", "holds", "parallel", "sections", "for", "taskgroup",
    }
)  # fmt: skip
"""Clauses that say nothing of sizes or data; the last ones are constructs that `cancel` names."""


def parse_directive(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Name and clauses of what stands behind ``#pragma omp``.

    Example:
        >>> parse_directive("target teams distribute num_teams(n) nowait")
        ('target teams distribute', (('num_teams', 'n'), ('nowait', '')))
    """
    words: list[str] = []
    place = 0
    while (match := _WORD.match(text, place)) is not None:
        word = match[1]
        allowed = _FIRST_WORDS if not words else _NEXT_WORDS.get(words[-1], set())
        if word not in allowed:
            break
        words.append(word)
        place = match.end()
    clauses: list[tuple[str, str]] = []
    if text[place:].lstrip().startswith("("):
        opening = text.index("(", place)
        closing = balanced(text, opening)
        clauses.append(("", text[opening + 1 : closing - 1].strip()))
        place = closing
    while (match := _WORD.match(text, place)) is not None:
        place = match.end()
        argument = ""
        rest = text[place:].lstrip()
        if rest.startswith("("):
            opening = text.index("(", place)
            place = balanced(text, opening)
            argument = text[opening + 1 : place - 1].strip()
        clauses.append((match[1], " ".join(argument.split())))
    return " ".join(words), tuple(clauses)


_ATTRIBUTE = pattern(r"(?:omp\s*::\s*)?(directive|sequence)\s*\(", re.ASCII)


def attribute_directives(text: str) -> list[str]:
    """What would stand behind ``#pragma omp``, of the attributes between double brackets.

    Example:
        >>> attribute_directives("omp::sequence(directive(target), omp::directive(parallel for))")
        ['target', 'parallel for']
    """
    found: list[str] = []
    using = re.match(r"\s*using\s+(\w+)\s*:(?!:)", text)
    for item in split_list(text[using.end() :] if using is not None else text):
        if using is None and not re.match(r"omp\s*::", item):
            continue
        found.extend(_directives_of(item))
    return found


def _directives_of(item: str) -> list[str]:
    match = _ATTRIBUTE.match(item)
    if match is None:
        return []
    inner = item[match.end() : balanced(item, match.end() - 1) - 1]
    if match[1] == "directive":
        return [inner]
    return [text for part in split_list(inner) for text in _directives_of(part)]


def chosen_variant(clauses: tuple[tuple[str, str], ...]) -> str:
    """The directive of a ``metadirective`` that is taken: the first that starts a target region, else the first.

    Example:
        >>> chosen_variant((("when", "device={kind(gpu)}: target teams loop"), ("otherwise", "parallel for")))
        'target teams loop'
    """
    variants = []
    for name, text in clauses:
        depth = 0
        body = text if name in ("otherwise", "default") else ""
        for place, character in enumerate(text):
            depth += (character in "({") - (character in ")}")
            if name == "when" and character == ":" and not depth:
                body = text[place + 1 :]
                break
        variants.append(body.strip())
    written = [text for text in variants if text]
    targets = [text for text in written if text.split()[0] == "target"]
    return (targets or written or [""])[0]


def clause_items(name: str, text: str) -> list[str]:
    """The list items or expressions of a clause; empty for clauses that have neither."""
    if name in _LIST_CLAUSES:
        return split_list(_LIST_MODIFIER.sub("", text))
    if name in _VALUE_CLAUSES:
        items = split_list(_LIST_MODIFIER.sub("", text))
        return items[1:] if name in _SCHEDULE_CLAUSES else items
    return []


def unknown_schedule(name: str, text: str) -> str | None:
    """The word that stands for a kind of schedule and is none; None where there is none.

    Example:
        >>> unknown_schedule("schedule", "monotonic: static, 4"), unknown_schedule("schedule", "wild")
        (None, 'wild')
    """
    if name not in _SCHEDULE_CLAUSES:
        return None
    kind = "".join(split_list(_LIST_MODIFIER.sub("", text))[:1])
    return None if kind in _SCHEDULES else kind


def is_clause(name: str) -> bool:
    """Whether OpenMP has a clause of this name.

    Example:
        >>> is_clause("num_teams"), is_clause("distrbute")
        (True, False)
    """
    return name in _LIST_CLAUSES or name in _VALUE_CLAUSES or name in _OTHER_CLAUSES
