"""Which host functions matter for launches: those that launch, allocate or copy, themselves or through what they call."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import FunctionName, Launch, New
from clang_queries.ir.statements import Directive, If as IfStatement, Switch as SwitchStatement
from clang_queries.ir.walk import walk
from roofstat.execution.jumps import all_leaves
from roofstat.execution.library_model import LaunchingBlocks
from roofstat.program.code import (
    If,
    Loop,
    Op,
    Scope,
    Switch,
    blocks,
    children,
    every_region,
    instructions_of,
)

if TYPE_CHECKING:
    from clang_queries.ir.walk import Node
    from roofstat.program.code import Block, Instruction, Region
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
        self._launching: dict[int, LaunchingBlocks | None] = {}
        self._choosing: dict[str, bool] = {}

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

    def launching(self, loop: Loop) -> LaunchingBlocks | None:
        """What launches in a loop of which some iterations may launch less than others; None where all launch the same."""
        key = loop.number << 64 | id(loop)
        if key not in self._launching:
            found = [block for block in blocks(loop.body) if self._launches(block)]
            decides = any(
                item.op is Op.CALL and self._chooses(str(item.detail))
                for block in found
                for item in block.instructions
            )
            labels = {part.label for part in every_region(loop.body) if isinstance(part, Scope)}
            is_chosen = decides or self._is_chosen(loop.body, labels)
            self._launching[key] = (
                LaunchingBlocks(frozenset(map(id, found)), decides) if is_chosen else None
            )
        return self._launching[key]

    def _launches(self, block: Block) -> bool:
        return any(
            (item.op is Op.LAUNCH and not getattr(item.detail, "host_reason", ""))
            or (item.op is Op.CALL and self.may_launch(str(item.detail)))
            or (item.op is Op.LIBRARY and _is_launch(getattr(item.detail, "name", "")))
            for item in block.instructions
        )

    def _is_chosen(self, regions: list[Region], labels: set[int]) -> bool:
        """Whether branches, or what goes on to the next iteration before, decide on a launch."""
        is_passed_by = False
        for region in regions:
            launches = any(self._launches(block) for block in blocks([region]))
            if launches and (is_passed_by or isinstance(region, If | Switch)):
                return True
            inner = children(region) if launches and isinstance(region, Loop | Scope) else []
            if any(self._is_chosen(part, labels) for part in inner):
                return True
            is_passed_by |= not all_leaves([region]).isdisjoint(labels)
        return False

    def _chooses(self, key: str) -> bool:
        """Whether a function, or one that it calls, launches in arms of branches."""
        if key not in self._choosing:
            self._choosing[key] = False  # of a recursion
            function = self._program.functions.get(key)
            arms: list[Node] = []
            callees: set[str] = set()
            for node in () if function is None or function.body is None else walk(function.body):
                if isinstance(node, IfStatement):
                    arms += [arm for arm in (node.then, node.otherwise) if arm is not None]
                elif isinstance(node, SwitchStatement):
                    arms += node.cases
                elif isinstance(node, FunctionName):
                    callees.add(node.key)
            self._choosing[key] = any(map(self._launches_in, arms)) or any(
                self.may_launch(callee) and self._chooses(callee) for callee in callees
            )
        return self._choosing[key]

    def _launches_in(self, arm: Node) -> bool:
        effect, callees = _facts_of(arm)
        return effect is Effect.LAUNCHES or any(map(self.may_launch, callees))

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


def _is_launch(name: str) -> bool:
    return any(part in name for part in _LAUNCHING)


def _facts_of(body: object) -> tuple[Effect, frozenset[str]]:
    callees: set[str] = set()
    strongest = Effect.NONE
    for node in walk(body):  # type: ignore[arg-type]
        if isinstance(node, Launch) or (isinstance(node, Directive) and "target" in node.name):
            return Effect.LAUNCHES, frozenset()
        if isinstance(node, New):
            strongest = Effect.HANDLES
        elif isinstance(node, FunctionName):
            if _is_launch(node.name):
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
