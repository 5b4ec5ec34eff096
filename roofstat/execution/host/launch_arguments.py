"""Arguments of kernel launches: sizes that nobody knows follow the launch, and stated launches rescale them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.default_launch import DEFAULT_EXTENT, bounding_extents, index_bounds
from roofstat.execution.host.stated_values import stated_value
from roofstat.execution.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.address_space import AddressSpace
    from roofstat.execution.default_launch import IndexBound
    from roofstat.execution.host.launch_table import Dim3
    from roofstat.execution.values import Value
    from roofstat.program.code import Code
    from roofstat.program.link import Program


class LaunchArguments:
    """Fits the arguments of launches to their grids and blocks."""

    def __init__(self, program: Program, memory: AddressSpace) -> None:
        self._program = program
        self._memory = memory
        self._bounds: dict[str, list[IndexBound]] = {}
        self._solved: dict[int, int] = {}
        """Unknown numbers, by key, that a launch says something of."""

    def rescaled(
        self,
        code: Code,
        arguments: list[Value],
        own: tuple[Dim3, Dim3],
        stated: tuple[Dim3, Dim3],
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments for a stated launch that differs from the computed one.

        Sizes that went with the computed grid (a file that was not read, say) are those of the stated grid.
        """
        own_extents = self._extents(code, *own)
        stated_extents = self._extents(code, *stated)
        values = list(arguments)
        for index, extent in own_extents.items():
            value = values[index] if index < len(values) else None
            slack = max(own[1][0] * own[1][1] * own[1][2], extent // 8)
            if (
                isinstance(value, int)
                and extent - slack < value <= extent
                and stated_extents[index] != extent
            ):
                name = code.parameters[index].name
                values[index] = stated_extents[index]
                text = f"argument {name} is {value} by the host code, for another grid: taken as {values[index]}"
                notes.append(("argument", text))
        if values != list(arguments):
            values = [self._unsized(value) for value in values]
        return values

    def guessed(
        self,
        code: Code,
        arguments: list[Value],
        grid: Dim3,
        block: Dim3,
        notes: list[tuple[str, str]],
    ) -> list[Value]:
        """Arguments with unknown integers replaced by what the launch suggests: about one element for each thread."""
        if not any(isinstance(value, Unknown) for value in arguments):
            return arguments
        arguments = [
            stated_value(self._program, parameter.name, parameter.scalar, value)
            if parameter.scalar is not None and not parameter.is_pointer
            else value
            for parameter, value in zip(code.parameters, arguments, strict=False)
        ]
        bounds = self._extents(code, grid, block)
        # First what the launch says of the numbers themselves: other arguments may be made of the same ones.
        for index, value in enumerate(arguments):
            if index in bounds and _is_size(code, index) and isinstance(value, Unknown):
                self._solve(value, bounds[index])
        values: list[Value] = []
        for index, value in enumerate(arguments):
            if isinstance(value, Unknown) and _is_size(code, index):
                name = code.parameters[index].name
                guess = bounds.get(index, DEFAULT_EXTENT)
                root = self._solved.get(value.key)
                if root is not None:
                    assert isinstance(value.offset, int)
                    solved = root * value.scale + value.offset
                    # Threads beyond the end are fewer than half: a thread each is what launches are made for.
                    if index not in bounds or guess // 2 < solved <= guess:
                        guess = solved
                text = f"argument {name} is unknown ({value.reason}): taken as {guess}"
                notes.append(("argument", text))
                values.append(guess)
            else:
                values.append(value)
        return values

    def _extents(self, code: Code, grid: Dim3, block: Dim3) -> dict[int, int]:
        """Parameters that bound the thread indices of a launch, and the extents of those."""
        found = self._bounds.get(code.key)
        if found is None:
            found = self._bounds[code.key] = index_bounds(code)
        return bounding_extents(found, grid, block)

    def _unsized(self, value: Value) -> Value:
        """A device buffer that was allocated for another problem size, as one of unknown size."""
        found = self._memory.find(value) if isinstance(value, int) else None
        if found is None or found.buffer.space is not Space.GLOBAL or value != found.base:
            return value
        fresh = self._memory.allocate(None, Space.GLOBAL, found.buffer.name, assumed=True)
        fresh.contents = found.contents.copy()
        return fresh.base

    def _solve(self, value: Unknown, extent: int) -> None:
        """Take an unknown number of elements as the extent of the launch; of several launches the closest fit."""
        assert isinstance(value.offset, int)
        root = round((extent - value.offset) / value.scale)
        known = self._solved.get(value.key)
        if known is None or known // 2 < root < known:
            self._solved[value.key] = root


def _is_size(code: Code, index: int) -> bool:
    """Whether an argument may be a number of elements."""
    parameter = code.parameters[index] if index < len(code.parameters) else None
    return (
        parameter is not None
        and parameter.scalar is not None
        and parameter.scalar.is_integer
        and not parameter.is_pointer
        and parameter.scalar.size_bytes >= 4
    )
