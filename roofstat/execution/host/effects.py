"""Which host functions matter for launches: those that launch, allocate or copy, themselves or through what they call."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName, Launch, New
from clang_queries.ir.statements import Directive
from clang_queries.ir.walk import walk
from roofstat.program.code import Op, blocks, instructions_of

if TYPE_CHECKING:
    from roofstat.program.code import If, Instruction, Loop, Region
    from roofstat.program.link import Program

_DEVICE_PREFIXES = ("cuda", "hip", "omp_target", "cuLaunch", "cuMem")
_ALLOCATIONS = frozenset(
    {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "getopt", "getopt_long"}
)


_LAUNCHING = ("LaunchKernel", "AddKernelNode", "GraphLaunch")


class Effect(IntEnum):
    """What a function means for launches, least first."""

    NONE = 0
    HANDLES = 1
    """It allocates, copies or reads options."""
    LAUNCHES = 2


class FunctionEffects:
    """Static facts of the functions of a program, found when first asked for."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._own: dict[str, tuple[Effect, frozenset[str]]] = {}
        self._known: dict[str, Effect] = {}
        self._arms: dict[int, bool | None] = {}
        self._loops: dict[int, bool] = {}

    def of(self, key: str) -> Effect:
        """What a function does, itself or through others."""
        found = self._known.get(key)
        if found is None:
            found = self._search(key)
            self._known[key] = found
        return found

    def _search(self, key: str) -> Effect:
        seen = {key}
        stack = [key]
        strongest = Effect.NONE
        while stack and strongest is not Effect.LAUNCHES:
            effect, callees = self._facts(stack.pop())
            strongest = max(strongest, effect)
            for callee in callees - seen:
                seen.add(callee)
                known = self._known.get(callee)
                if known is None:
                    stack.append(callee)
                else:
                    strongest = max(strongest, known)
        if strongest is Effect.NONE:
            self._known.update(dict.fromkeys(seen, Effect.NONE))
        return strongest

    def _facts(self, key: str) -> tuple[Effect, frozenset[str]]:
        """(what its own code does, functions that it names)."""
        found = self._own.get(key)
        if found is None:
            function = self._program.functions.get(key)
            found = (Effect.NONE, frozenset()) if function is None else _facts_of(function.body)
            self._own[key] = found
        return found

    def preferred_arm(self, region: If) -> bool | None:
        """The arm that does more; None where they are alike, or where one leaves."""
        known = self._arms.get(region.number << 64 | id(region))
        if known is None and (region.number << 64 | id(region)) not in self._arms:
            then, otherwise = self._of_code(region.then), self._of_code(region.otherwise)
            known = None if then == otherwise else then > otherwise
            self._arms[region.number << 64 | id(region)] = known
        return known

    def may_matter(self, loop: Loop) -> bool:
        """Whether a loop launches, allocates or copies, or may do so through a function that is found as it runs."""
        key = loop.number << 64 | id(loop)
        known = self._loops.get(key)
        if known is None:
            known = self._of_code([loop]) is not Effect.NONE or any(
                item.op is Op.CALL_POINTER or self._is_wrapper(item)
                for item in instructions_of([loop])
            )
            self._loops[key] = known
        return known

    def may_launch(self, key: str) -> bool:
        """Whether a function launches, or may do so through a function that is found as it runs."""
        return self.of(key) is Effect.LAUNCHES or self._wraps(key)

    def _is_wrapper(self, item: Instruction) -> bool:
        return item.op is Op.CALL and self._wraps(str(item.detail))

    def _wraps(self, key: str) -> bool:
        function = self._program.functions.get(key)
        return function is not None and function.name.startswith("std::function::")

    def _of_code(self, regions: list[Region]) -> Effect:
        strongest = Effect.NONE
        for block in blocks(regions):
            for item in block.instructions:
                if item.op is Op.LAUNCH:
                    if not getattr(item.detail, "host_reason", ""):
                        return Effect.LAUNCHES
                    continue
                if item.op is Op.CALL:
                    strongest = max(strongest, self.of(str(item.detail)))
                elif item.op is Op.LIBRARY and _is_handling(getattr(item.detail, "name", "")):
                    strongest = max(strongest, Effect.HANDLES)
        return strongest


def _is_handling(name: str) -> bool:
    last = name.rsplit("::", 1)[-1]
    return last in _ALLOCATIONS or last.startswith(_DEVICE_PREFIXES)


def _facts_of(body: object) -> tuple[Effect, frozenset[str]]:
    callees: set[str] = set()
    strongest = Effect.NONE
    for node in walk(body):  # type: ignore[arg-type]
        if isinstance(node, Launch) or (isinstance(node, Directive) and "target" in node.name):
            return Effect.LAUNCHES, frozenset()
        if isinstance(node, New):
            strongest = Effect.HANDLES
        elif isinstance(node, FunctionName):
            if any(part in node.name for part in _LAUNCHING):
                return Effect.LAUNCHES, frozenset()
            if _is_handling(node.name):
                strongest = Effect.HANDLES
            callees.add(node.key)
    return strongest, frozenset(callees)


_CHANGES = frozenset(
    {Op.MOV, Op.STORE, Op.COPY, Op.ZERO, Op.CALL, Op.CALL_POINTER, Op.LAUNCH, Op.ATOMIC}
)


def changes_anything(branch: If) -> bool:
    """Whether an arm of a branch does more than to read and to print."""
    return any(
        item.op in _CHANGES
        for arm in (branch.then, branch.otherwise)
        for item in instructions_of(arm)
    )


def calls_one_of(arm: list[Region], keys: frozenset[str]) -> bool:
    """Whether an arm of a branch calls one of some functions itself."""
    return any(item.op is Op.CALL and item.detail in keys for item in instructions_of(arm))
