"""Which model answers a call of a library function, by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.values import Unknown

if TYPE_CHECKING:
    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.host.run import HostRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.values import Value
    from roofstat.program.code import Instruction, LibraryCall


@dataclass(slots=True, eq=False)
class HostCall:
    """One call of a library function."""

    run: HostRun
    machine: Machine
    instruction: Instruction
    detail: LibraryCall
    name: str
    arguments: list[Value]

    def integer(self, index: int, default: int | None = None) -> int | None:
        """A known integer argument."""
        if index < len(self.arguments):
            value = self.arguments[index]
            if isinstance(value, int | float) and value == value:
                return int(value)
        return default

    def object(self, index: int) -> tuple[MemoryObject, int] | None:
        """The allocation that a pointer argument points into, and the offset."""
        address = self.integer(index)
        found = self.machine.memory.find(address) if address is not None else None
        if found is None or address is None:
            return None
        return found, address - found.base

    def store(self, index: int, scalar: Scalar, value: Value, offset: int = 0) -> None:
        """Store through a pointer argument."""
        place = self.object(index)
        if place is not None:
            place[0].contents.store(place[1] + offset, scalar, value)

    def text(self, index: int) -> str | None:
        """A known C string (or std::string) argument."""
        address = self.integer(index)
        return None if address is None else self.run.text_at(address)

    def unknown(self, reason: str, *, low: int | None = None, high: int | None = None) -> Unknown:
        """A result that nobody can know."""
        return Unknown(
            new_key(),
            uniform=True,
            reason=reason,
            low=low,
            high=high,
            is_float=self.instruction.scalar.is_float,
        )


Model = Callable[[HostCall], "Value"]
MODELS: dict[str, Model] = {}


def models(*names: str) -> Callable[[Model], Model]:
    """Register a model under the names of library functions (without namespace; ``Class::method`` for methods)."""

    def register(model: Model) -> Model:
        for name in names:
            MODELS[name] = model
        return model

    return register
