"""Which host functions matter for launches: those that launch, allocate or copy, themselves or through what they call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName, Launch, New
from clang_queries.ir.statements import Directive
from clang_queries.ir.walk import walk

if TYPE_CHECKING:
    from roofstat.program.link import Program

_DEVICE_PREFIXES = ("cuda", "hip", "omp_target", "cuLaunch", "cuMem")
_ALLOCATIONS = frozenset(
    {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "getopt", "getopt_long"}
)


class FunctionEffects:
    """Static facts of the functions of a program, found when first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._own: dict[str, tuple[bool, frozenset[str]]] = {}
        self._known: dict[str, bool] = {}

    def matter(self, key: str) -> bool:
        """Whether a function launches kernels, handles memory or reads options, itself or through others."""
        found = self._known.get(key)
        if found is None:
            found = self._search(key)
            self._known[key] = found
        return found

    def _search(self, key: str) -> bool:
        seen = {key}
        stack = [key]
        while stack:
            matters, callees = self._facts(stack.pop())
            if matters:
                return True
            for callee in callees - seen:
                if self._known.get(callee):
                    return True
                seen.add(callee)
                stack.append(callee)
        for reached in seen:
            self._known[reached] = False
        return False

    def _facts(self, key: str) -> tuple[bool, frozenset[str]]:
        """(whether its own code matters, functions that it names)."""
        found = self._own.get(key)
        if found is None:
            function = self._program.functions.get(key)
            found = (False, frozenset()) if function is None else _facts_of(function.body)
            self._own[key] = found
        return found


def _facts_of(body: object) -> tuple[bool, frozenset[str]]:
    callees: set[str] = set()
    for node in walk(body):  # type: ignore[arg-type]
        if isinstance(node, Launch | New):
            return True, frozenset()
        if isinstance(node, Directive) and "target" in node.name:
            return True, frozenset()
        if isinstance(node, FunctionName):
            name = node.name.rsplit("::", 1)[-1]
            if name in _ALLOCATIONS or name.startswith(_DEVICE_PREFIXES):
                return True, frozenset()
            callees.add(node.key)
    return False, frozenset(callees)
