"""Copies of regions within one code, in which some conditions are decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    Block,
    If,
    Instruction,
    Leave,
    Loop,
    Op,
    Scope,
    Switch,
)
from roofstat.program.implied_accesses import site_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.program.builder import Builder
    from roofstat.program.code import Region

_BOTH = {Op.AND: True, Op.OR: False}
"""Truth of an operand that leaves the result to the other one."""


class RegionCopier:
    """Copies regions; branches and choices whose conditions are known lose what is not taken.

    A copy has blocks, loops, branches, sites and temporaries of its own, and the variables of the original.
    """

    def __init__(
        self,
        builder: Builder,
        *,
        decided: Mapping[int, int | bool],
        is_original: bool = False,
        alike: set[int] | None = None,
    ) -> None:
        """Take what is known.

        Args:
            builder: The code.
            decided: Registers whose values are known in the copy.
            is_original: Whether the copy takes the place of the original, with its numbers.
            alike: Registers, to which the names that they have in the copy are added.
        """
        self._builder = builder
        self._decided = decided
        self._is_original = is_original
        self._alike = alike
        self._registers: dict[int, int] = {}
        self._labels: dict[int, int] = {}

    def copies(self, regions: Sequence[Region]) -> list[Region]:
        """Copy regions in program order, up to a jump that is always taken."""
        found: list[Region] = []
        for region in regions:
            found += self._copy(region)
            if found and isinstance(found[-1], Leave):
                break
        return found

    def instruction(self, item: Instruction) -> Instruction | None:
        """Copy an instruction; None where its result is known."""
        builder = self._builder
        dest = item.dest
        args = tuple(map(self.register, item.args))
        op = item.op
        if dest not in builder.variables:
            if dest in self._decided:
                known = self._decided[dest]
                self._registers[dest] = builder.constant(known, builder.register_types[dest])
                return None
            folded = self._folded(item, args)
            if folded is not None and folded in builder.constants:
                self._registers[dest] = folded
                return None
            if folded is not None:
                op, args = Op.MOV, (folded,)
            if dest >= 0 and not self._is_original:
                dest = builder.register(builder.register_types[dest])
                self._registers[item.dest] = dest
                if self._alike is not None and item.dest in self._alike:
                    self._alike.add(dest)
        site = item.site if self._is_original else builder.new_sites(site_count(item))
        return replace(item, op=op, args=args, dest=dest, site=site)

    def register(self, register: int) -> int:
        """What a register is called in the copy."""
        return self._registers.get(register, register)

    def _folded(self, item: Instruction, args: tuple[int, ...]) -> int | None:
        """The register that holds what an instruction computes, where its operands decide that."""
        constants = self._builder.constants
        if item.op is Op.SELECT and args[0] in constants:
            return args[1] if constants[args[0]] else args[2]
        if item.op is Op.MOV and args[0] in constants:
            return args[0]
        if item.scalar is not Scalar.BOOL:
            return None
        if item.op is Op.NOT and args[0] in constants:
            return self._builder.constant(not constants[args[0]], Scalar.BOOL)
        if item.op in _BOTH:
            for known, other in (args, args[::-1]):
                if known in constants:
                    return other if bool(constants[known]) is _BOTH[item.op] else known
        return None

    def _truth(self, register: int) -> bool | None:
        value = self._builder.constants.get(self.register(register))
        return None if value is None else bool(value)

    def _branch_number(self, number: int) -> int:
        return number if self._is_original else self._builder.new_branch_number()

    def _copy(self, region: Region) -> list[Region]:
        match region:
            case Block():
                made = [self.instruction(item) for item in region.instructions]
                kept = [item for item in made if item is not None]
                number = region.number if self._is_original else self._builder.new_block_number()
                return [Block(number, kept)]
            case If():
                truth = self._truth(region.condition)
                if truth is not None:
                    return self.copies(region.then if truth else region.otherwise)
                return [self._branch(region)]
            case Loop():
                return [self._loop(region)]
            case Scope():
                if not self._is_original:
                    self._labels[region.label] = self._builder.new_label()
                label = self._labels.get(region.label, region.label)
                return [replace(region, label=label, body=self.copies(region.body))]
            case Leave():
                return [Leave(self._labels.get(region.label, region.label))]
            case Switch():
                return [
                    replace(
                        region,
                        selector=self.register(region.selector),
                        cases=[replace(case, body=self.copies(case.body)) for case in region.cases],
                        number=self._branch_number(region.number),
                    )
                ]

    def _branch(self, region: If) -> If:
        return replace(
            region,
            condition=self.register(region.condition),
            then=self.copies(region.then),
            otherwise=self.copies(region.otherwise),
            number=self._branch_number(region.number),
        )

    def _loop(self, loop: Loop) -> Loop:
        number = loop.number if self._is_original else self._builder.new_loop_number()
        condition = self.copies(loop.condition) if loop.tests_before else []
        body, step = self.copies(loop.body), self.copies(loop.step)
        if not loop.tests_before:
            condition = self.copies(loop.condition)
        tested = loop.condition_register
        return replace(
            loop,
            number=number,
            condition=condition,
            condition_register=None if tested is None else self.register(tested),
            body=body,
            step=step,
        )
