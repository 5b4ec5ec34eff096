"""The code of a kernel with what its launch showed, and the questions that several patterns ask of it."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.tables.quantities import issued_in
from roofstat.program.code import (
    Block,
    If,
    Leave,
    Loop,
    Op,
    Scope,
    SpecialRegister,
    Switch,
    children,
    writers_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clang_queries.ir.expressions import Position
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import InstructionCounts
    from roofstat.program.code import Code, Instruction, Region

__all__ = ["Branching", "KernelCode", "Placed", "TextFacts"]

_THREAD_INDEX = frozenset(
    {
        SpecialRegister.TID_X,
        SpecialRegister.TID_Y,
        SpecialRegister.TID_Z,
        SpecialRegister.LANE_ID,
    }
)


@dataclass(frozen=True, slots=True)
class Placed:
    """An instruction, its block, and the loops around it, outermost first."""

    instruction: Instruction
    block: Block
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class Branching:
    """A branch, the block that leads to it, and what runs in only some of its threads.

    A side that leaves, by `return`, `continue` or `break`, has all that the others go on with until they meet again as the
    other side; in loops the rest of an iteration.
    """

    branch: If | Switch
    before: Block | None
    sides: tuple[tuple[Region, ...], ...]


@dataclass(eq=False)
class TextFacts:
    """What the code of a kernel says by itself, the same in all of its launches."""

    code: Code

    @cached_property
    def placed(self) -> tuple[Placed, ...]:
        """All instructions in program order."""
        return tuple(_placed(self.code.body, ()))

    @cached_property
    def branches(self) -> tuple[Branching, ...]:
        """All branches in program order."""
        return tuple(_branches(self.code.body, ()))

    @property
    def writers(self) -> dict[int, list[Instruction]]:
        """The instructions that write each register."""
        return writers_of(self.code)

    @cached_property
    def users(self) -> dict[int, list[Instruction]]:
        """The instructions that read each register."""
        found: dict[int, list[Instruction]] = {}
        for placed in self.placed:
            for register in placed.instruction.args:
                found.setdefault(register, []).append(placed.instruction)
        return found

    @cached_property
    def thread_dependent(self) -> set[int]:
        """Registers that follow from the index of the thread, and from no loaded datum."""
        return self._following(_is_thread_index) - self._following(_is_data)

    def _following(self, is_source: Callable[[Instruction], bool]) -> set[int]:
        """Registers that follow from what some instructions write."""
        stack = [register for register, items in self.writers.items() if any(map(is_source, items))]
        found = set(stack)
        while stack:
            for item in self.users.get(stack.pop(), []):
                if item.dest not in found:
                    found.add(item.dest)
                    stack.append(item.dest)
        return found


@lru_cache(maxsize=4)
def text_facts(code: Code) -> TextFacts:
    """Facts of a code, found once for launches that follow each other."""
    return TextFacts(code)


def _is_data(item: Instruction) -> bool:
    return item.op in (Op.LOAD, Op.ATOMIC, Op.UNKNOWN, Op.TEXTURE)


def _is_thread_index(item: Instruction) -> bool:
    return item.op is Op.SPECIAL and item.detail in _THREAD_INDEX


@dataclass(eq=False, kw_only=True)
class KernelCode:
    """A kernel as patterns see it.

    Attributes:
        trace: Its launch.
        counts: What the compiler makes of it.
        own_file: File of its definition.
        texts: Source lines.
    """

    trace: LaunchTrace
    counts: InstructionCounts
    own_file: str
    texts: SourceTexts

    @cached_property
    def text_facts(self) -> TextFacts:
        """What its code says by itself."""
        return text_facts(self.trace.code)

    @cached_property
    def warp_instructions(self) -> float:
        """Instructions that the warps of the launch issue; those of a partly active warp count whole."""
        return sum(self.issued(number) for number in self.counts.by_block)

    def issued(self, block: int) -> float:
        """Warp-level instructions of one block."""
        threads = self.trace.block_threads.get(block, 0.0)
        if not threads:
            return 0.0
        amounts = self.counts.by_block.get(block, {})
        return issued_in(amounts) / threads * self.trace.block_warps.get(block, 0.0)

    def active_share(self, block: int) -> float:
        """Mean part of the lanes of a warp that are active in a block; 1 where it never ran."""
        warps = self.trace.block_warps.get(block, 0.0)
        return self.trace.block_threads.get(block, 0.0) / (WARP_SIZE * warps) if warps else 1.0

    def executions(self, placed: Placed) -> float:
        """Thread-level executions of an instruction."""
        return self.trace.block_threads.get(placed.block.number, 0.0)

    def trips(self, loop: Loop) -> float:
        """Mean iterations each time a thread enters a loop."""
        seen = self.trace.loops.get(loop.number)
        return seen.mean_trips if seen is not None else 0.0

    def text(self, position: Position) -> str:
        """The source line of a position."""
        return self.texts.line(position.file, position.line)

    def other_file(self, position: Position) -> str | None:
        """The file of a position, where it is not the kernel's own."""
        return position.file if position.file and position.file != self.own_file else None


def _placed(regions: list[Region], loops: tuple[Loop, ...]) -> Iterator[Placed]:
    for region in regions:
        if isinstance(region, Block):
            for instruction in region.instructions:
                yield Placed(instruction, region, loops)
            continue
        inner = (*loops, region) if isinstance(region, Loop) else loops
        for part in children(region):
            yield from _placed(part, inner)


def _branches(
    regions: list[Region], around: tuple[tuple[Region, tuple[Region, ...]], ...]
) -> Iterator[Branching]:
    """The branches in regions.

    Args:
        regions: In program order.
        around: What encloses them, innermost last, each with what comes behind it.
    """
    before: Block | None = None
    for place, region in enumerate(regions):
        rest = tuple(regions[place + 1 :])
        if isinstance(region, Block):
            before = region
        elif isinstance(region, If | Switch):
            sides = tuple(map(tuple, children(region)))
            if isinstance(region, If):
                left = [side[-1].label for side in sides if side and isinstance(side[-1], Leave)]
                if len(left) == 1:
                    sides = (*sides, _skipped(left[0], rest, around))
            yield Branching(region, before, sides)
        for part in children(region):
            yield from _branches(part, (*around, (region, rest)))


def _skipped(
    label: int, rest: tuple[Region, ...], around: tuple[tuple[Region, tuple[Region, ...]], ...]
) -> tuple[Region, ...]:
    """What a jump to the end of a scope leaves out."""
    found = rest
    for region, behind in reversed(around):
        if isinstance(region, Scope) and region.label == label:
            break
        found += behind
    return found
