"""Loops that nvcc writes twice for a choice in them that it makes before.

`for (...) if (mode) a(); else b();` becomes `if (mode) for (...) a(); else for (...) b();` where the condition does
not change in the loop and is the same for all threads of a block: made of parameters, block numbers and sizes,
counters of loops around, and what is loaded by those. It is so for branches, choices and parts of `&&` and `||`,
before loops are unrolled, but not where a barrier is in the loop (shuffles, votes, atomics and jumps out do not
matter). Of two branches the second is taken out where the first is not taken, and only of smaller loops. Read off PTX
of nvcc 13.0; of 172 own loops of growing size all are as here. clang 18.1.6 leaves all of 96, as LLVM does on targets
whose threads diverge. Not modelled: values of a `switch`, all but the first of which have a loop that only the
assembler copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import (
    Block,
    If,
    Instruction,
    Loop,
    Op,
    Scope,
    Switch,
    children,
    every_region,
    instructions_of,
    writers,
)
from roofstat.program.comparisons import COMPARE, COMPARISONS, NEGATED
from roofstat.program.compiler_sizes import LoopSizes, counted_loop
from roofstat.program.invariant_values import InvariantValues
from roofstat.program.region_copies import RegionCopier
from roofstat.program.uniform_values import varying_registers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roofstat.program.builder import Builder
    from roofstat.program.code import Region

_FORBIDDEN = frozenset({Op.CALL, Op.CALL_POINTER, Op.FUNCTION, Op.LIBRARY, Op.TENSOR})
_FENCE = "fence"
_SIZE_LIMIT = 150.0
"""Operations of the compiler's own representation up to which a loop is written twice."""
_AFTER_CHOICES = (1.0, 3.4, 12.0, 25.0)
"""How much more a loop counts that has lost so many choices already; none loses more."""
_AROUND = 4.5
"""The same where a loop is left in it."""
_EQUALITY = frozenset({Op.EQ, Op.NE})
_JOINED = frozenset({Op.AND, Op.OR})


@dataclass(frozen=True, slots=True)
class _Choice:
    """Something in a loop that the compiler decides before it."""

    register: int
    """The condition."""
    is_between_values: bool
    """Whether it chooses between values, without a branch."""
    equal: frozenset[int]
    """What is compared with a constant where a branch is for equal ones, as nvcc makes a switch of two such; empty for others."""


def unswitch(builder: Builder) -> bool:
    """Rewrite the loops of `builder` in place; return whether there were any to rewrite.

    Args:
        builder: The code, with locals in registers.
    """
    unswitcher = _Unswitcher(builder)
    unswitcher.rewrite(builder.body)
    return unswitcher.has_changed


class _Unswitcher:
    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._known_varying: set[int] | None = None
        self._known_writers: dict[int, list[Instruction]] | None = None
        self._around: list[Loop] = []
        self._counters: set[int] = set()
        """Variables that loops of known length around the one at hand count with: unrolled, those decide its choices."""
        self.has_changed = False

    @property
    def _varying(self) -> set[int]:
        if self._known_varying is None:
            self._known_varying = varying_registers(self._builder)
        return self._known_varying

    @property
    def _writers(self) -> dict[int, list[Instruction]]:
        if self._known_writers is None:
            self._known_writers = writers(self._builder.body)
        return self._known_writers

    def rewrite(self, regions: list[Region]) -> None:
        """Rewrite all loops below, those inside of others first."""
        found: list[Region] = []
        for region in regions:
            loop = _lone_loop(region)
            if loop is not None:
                self._around.append(loop)
            for part in children(region if loop is None else loop):
                self.rewrite(part)
            if loop is not None:
                self._around.pop()
            found += [region] if loop is None else self._versions(region, loop, 0)
        regions[:] = found

    def _versions(
        self, whole: Region, loop: Loop, choices: int, equal: frozenset[int] = frozenset()
    ) -> list[Region]:
        """A loop, with the scope that breaks leave to, once for each way that its choices go."""
        if choices == len(_AFTER_CHOICES) or not _may_be_copied(loop):
            return [whole]
        builder = self._builder
        made = {item.dest: item for item in instructions_of([loop]) if item.dest >= 0}
        written = self._writers
        if self.has_changed:
            # New versions of a loop may not be part of the code yet.
            written = written | writers([whole])
        values = InvariantValues(builder, made, written)
        counted = (counted_loop(each, builder, written) for each in self._around)
        self._counters = {each.counter for each in counted if each is not None}
        choice = next(self._choices(loop, values, made), None)
        if choice is None or (not choices and _are_used_elsewhere(builder, whole, made)):
            return [whole]
        if equal and choice.equal == equal:
            return [whole]
        sizes = LoopSizes(builder, values, written)
        size = sizes.of(loop) * _AFTER_CHOICES[choices]
        size *= _AROUND if sizes.has_inner_loop else 1.0
        if size > _SIZE_LIMIT:
            return [whole]
        self.has_changed, self._known_writers = True, None
        before, condition = self._test(choice, values)
        versions = []
        for holds in (True, False):
            copier = RegionCopier(
                builder,
                decided=_known(choice, values, made, builder, holds=holds),
                is_original=not holds,
                alike=self._varying,
            )
            copied = copier.copies([whole])[0]
            inner = _lone_loop(copied)
            is_further = inner is not None and (not holds or choice.is_between_values)
            version = [copied]
            if is_further and inner is not None:
                version = self._versions(copied, inner, choices + 1, choice.equal)
            # How often a version begins; the blocks of the loop run more often.
            versions.append([self._block([]), *version])
        taken, other = versions
        branch = If(condition, taken, other, loop.position, number=builder.new_branch_number())
        return [*before, branch]

    def _choices(
        self, loop: Loop, values: InvariantValues, made: dict[int, Instruction]
    ) -> Iterator[_Choice]:
        """What the compiler may decide before a loop, in program order."""
        for region in every_region([loop]):
            match region:
                case Block():
                    for item in region.instructions:
                        # A choice between what the loop does not change leaves it as a whole.
                        if item.op is Op.SELECT and None in map(values.number, item.args[1:]):
                            for part in self._parts(item.args[0], values, made):
                                yield _Choice(part, True, frozenset())
                case If() if not _sets_invariants(region, values):
                    for part in self._parts(region.condition, values, made):
                        yield _Choice(part, False, self._compared(part, values))
                case _:
                    pass

    def _parts(
        self, condition: int, values: InvariantValues, made: dict[int, Instruction]
    ) -> Iterator[int]:
        """A condition that the loop does not change, or parts of it that alone may decide it."""
        if self._is_decidable(condition, values):
            yield condition
        if values.number(condition) is not None:
            return
        item = made.get(condition) if condition not in self._builder.variables else None
        if item is None:
            return
        is_joined = item.op in _JOINED and item.scalar is Scalar.BOOL
        if is_joined or item.op in {Op.MOV, Op.NOT}:
            for part in item.args:
                yield from self._parts(part, values, made)

    def _compared(self, condition: int, values: InvariantValues) -> frozenset[int]:
        test = values.behind(condition)
        if test is None or test.op not in _EQUALITY or test.args[1] not in self._builder.constants:
            return frozenset()
        return frozenset(values.sources(test.args[0]))

    def _is_decidable(self, register: int, values: InvariantValues) -> bool:
        builder = self._builder
        if register in builder.constants or values.number(register) is None:
            return False
        sources = values.sources(register)
        return (
            bool(sources) and register not in self._varying and self._counters.isdisjoint(sources)
        )

    def _test(self, choice: _Choice, values: InvariantValues) -> tuple[list[Region], int]:
        """What computes a condition before the loop, and the register that holds it there."""
        copier = RegionCopier(self._builder, decided={})
        made = [copier.instruction(item) for item in values.slice_of(choice.register)]
        items = [item for item in made if item is not None]
        condition = copier.register(choice.register)
        if not items:
            return [], condition
        return [self._block(items)], condition

    def _block(self, items: list[Instruction]) -> Block:
        return Block(self._builder.new_block_number(), items)


def _lone_loop(region: Region) -> Loop | None:
    """A loop, also one that is all of the scope that breaks out of it leave to."""
    if isinstance(region, Scope) and region.function is None and len(region.body) == 1:
        return _lone_loop(region.body[0])
    return region if isinstance(region, Loop) else None


def _sets_invariants(branch: If, values: InvariantValues) -> bool:
    """Whether both arms set the same variables to what the loop does not change, which is a choice outside of it."""
    chosen: list[set[int]] = []
    for arm in (branch.then, branch.otherwise):
        if not all(isinstance(region, Block) for region in arm):
            return False
        items = list(instructions_of(arm))
        moves = [item for item in items if item.op is Op.MOV and values.number(item.dest) is None]
        if any(values.number(item.args[0]) is None for item in moves):
            return False
        if any(values.number(item.dest) is None for item in items if item not in moves):
            return False
        chosen.append({item.dest for item in moves})
    return chosen[0] == chosen[1]


def _may_be_copied(loop: Loop) -> bool:
    return not any(
        item.op in _FORBIDDEN or (item.op is Op.BARRIER and item.detail != _FENCE)
        for item in instructions_of([loop])
    )


def _are_used_elsewhere(builder: Builder, whole: Region, made: dict[int, Instruction]) -> bool:
    """Whether anything outside of a loop takes a temporary of it."""
    inside = _reads([whole])
    own = made.keys() - builder.variables
    return any(
        count > inside.get(register, 0)
        for register, count in _reads(builder.body).items()
        if register in own
    )


def _reads(regions: Sequence[Region]) -> dict[int, int]:
    found: dict[int, int] = {}
    for region in every_region(list(regions)):
        read: list[int | None] = []
        match region:
            case Block():
                read = [arg for item in region.instructions for arg in item.args]
            case If():
                read = [region.condition]
            case Switch():
                read = [region.selector]
            case Loop():
                read = [region.condition_register]
            case _:
                pass
        for register in read:
            if register is not None:
                found[register] = found.get(register, 0) + 1
    return found


def _known(
    choice: _Choice,
    values: InvariantValues,
    made: dict[int, Instruction],
    builder: Builder,
    *,
    holds: bool,
) -> dict[int, int | bool]:
    """Registers of a loop whose values follow from a choice."""
    number = values.number(choice.register)
    same = [register for register in made if values.number(register) == number]
    same.append(choice.register)
    decided: dict[int, int | bool] = dict.fromkeys(same, holds)
    test = values.behind(choice.register)
    if test is None or test.op not in COMPARISONS:
        return decided
    operands = tuple(map(values.number, test.args))
    equal = _equality(test, builder, holds=holds)
    for register, item in made.items():
        if item.op not in COMPARISONS or item.scalar is not test.scalar:
            continue
        if values.number(register) is None:
            continue
        mine = tuple(map(values.number, item.args))
        if mine == operands and item.op is NEGATED[test.op]:
            decided[register] = not holds
        elif equal is not None and mine[0] == operands[0]:
            other = builder.constants.get(item.args[1])
            if other is not None:
                decided[register] = COMPARE[item.op](equal, other)
    return decided


def _equality(test: Instruction, builder: Builder, *, holds: bool) -> int | float | None:
    """The constant that a choice shows its operand to be; None where it does not."""
    if test.op is not (Op.EQ if holds else Op.NE):
        return None
    return builder.constants.get(test.args[1])
