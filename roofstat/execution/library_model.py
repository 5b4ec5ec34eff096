"""What the machine asks of a model of the world around the code: library calls, launches, host branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clang_queries.ir.statements import VariableDeclaration
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.values import Value
    from roofstat.program.code import Code, If, Instruction, Loop, Region, Switch


@dataclass(frozen=True, slots=True)
class LaunchingBlocks:
    """What launches in the body of a host loop."""

    blocks: frozenset[int]
    """Blocks of instructions, by identity."""
    decides_in_calls: bool
    """Whether functions that they call decide by themselves what they launch."""


class LibraryModel(Protocol):
    """Answers calls of functions without a body (host run time, C library, launches)."""

    def call(self, machine: Machine, instruction: Instruction, arguments: list[Value]) -> Value:
        """The result of a LIBRARY or LAUNCH instruction."""
        ...

    def invoke(self, machine: Machine, code: Code, arguments: list[Value], mask: Mask) -> Value:
        """The result of a host function with a body."""
        ...

    def initialise(self, machine: Machine, variable: VariableDeclaration) -> None:
        """Give a global variable an initial value that is computed."""
        ...

    def launches_so_far(self) -> int:
        """A mark for `doubt_count_since`."""
        ...

    def awaits_launches(self) -> bool:
        """Whether a kernel that is asked for has not been launched so far."""
        ...

    def budget_of(self, loop: Loop) -> int | None:
        """Machine instructions that a loop may take before it is left; None where it has to end by itself."""
        ...

    def launching(self, loop: Loop) -> LaunchingBlocks | None:
        """What launches in a host loop of which some iterations may launch less than others; None for other loops."""
        ...

    def launch_counts(self) -> Mapping[str, int]:
        """How often each kernel has been launched so far, by launches as they were run."""
        ...

    def note_estimates(
        self, kernels: Collection[str], seen: float, trips: float, loop: Loop
    ) -> None:
        """How often a loop launches some kernels was told from so many of its iterations."""
        ...

    def doubt_count_since(self, mark: int, loop: Loop) -> None:
        """How often the launches since a mark take place rests on a loop whose end nobody knows."""
        ...

    def preferred_arm(self, region: If) -> bool | None:
        """Which arm of a host branch on unknown data leads to launches; None where both or none do."""
        ...

    def arm_to_run(self, branch: If | Switch, arms: Sequence[list[Region]], chosen: int) -> int:
        """The arm of a host branch to run where the program's values choose one; -1 for none."""
        ...

    def enters(self, loop: Loop) -> bool:
        """Whether a loop of host code that has no iteration is run once, for what it launches."""
        ...

    def note_guess(self, region: If, reason: str, *, taken: bool) -> None:
        """A branch of host code has been decided without knowing its condition."""
        ...
