"""Which model answers a call of a library function, by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.accesses.stores import store_on_host
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from roofstat.execution.host.run import HostRun
    from roofstat.execution.machine import Machine
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction, LibraryCall

State = TypeVar("State")


@dataclass(slots=True, eq=False)
class HostCall:
    """One call of a library function."""

    run: HostRun
    machine: Machine
    instruction: Instruction
    detail: LibraryCall
    name: str
    arguments: list[Value]

    # Arguments

    def inputs(self) -> HostCall:
        """The same call without the address that a record result goes to."""
        if not self.detail.result_size_bytes:
            return self
        return replace(self, arguments=self.arguments[1:])

    def result_address(self) -> int | None:
        """Where a record result goes to."""
        return self.integer(0) if self.detail.result_size_bytes else None

    def iterator(self, address: Value) -> Value:
        """The result of a call that returns an iterator, which may be a class."""
        result = self.result_address()
        if result is None:
            return address
        place = self.place(result)
        if place is not None:
            place[0].contents.store(place[1], Scalar.U64, address)
        return result

    def integer(self, index: int, default: int | None = None) -> int | None:
        """A known integer argument."""
        if index < len(self.arguments):
            value = self.arguments[index]
            if isinstance(value, int | float) and value == value and abs(value) != float("inf"):
                return int(value)
        return default

    def object(self, index: int) -> tuple[MemoryObject, int] | None:
        """The allocation that a pointer argument points into, and the offset."""
        return self.place(self.integer(index))

    def text(self, index: int) -> str | None:
        """A known C string (or std::string) argument."""
        address = self.integer(index)
        return None if address is None else self.run.text_at(address)

    # Memory

    def place(self, address: int | None) -> tuple[MemoryObject, int] | None:
        """The allocation that holds an address, and the offset in it."""
        found = self.machine.memory.find(address) if address else None
        if found is None or address is None:
            return None
        return found, address - found.base

    def load(self, address: int | None, scalar: Scalar, offset: int = 0) -> Value | None:
        """A datum in memory; None at no address."""
        place = self.place(address)
        if place is None:
            return None
        found, at = place
        return found.contents.load(at + offset, scalar, found.buffer.number, found.buffer.name)

    def load_integer(self, address: int | None, offset: int = 0) -> int | None:
        """A known 64-bit integer in memory."""
        value = self.load(address, Scalar.U64, offset)
        return int(value) if isinstance(value, int | float) and value == value else None

    def store_at(
        self,
        address: int | None,
        scalar: Scalar,
        value: Value,
        offset: int = 0,
        *,
        tag: int = 0,
        adds: bool = False,
    ) -> None:
        """Store a datum; loops that run are told. `offset` and `tag` tell several stores of one call apart.

        Args:
            address: Where; nothing is stored where nobody knows.
            scalar: Its type.
            value: The datum.
            offset: From the address.
            tag: A number of its own for each of several stores to one offset.
            adds: Whether the datum is what is there now and something more.
        """
        place = self.place(address)
        if place is None or self.machine.dry:
            return
        site = self.instruction.site + ((offset + (tag << 32)) << 100)
        found, at = place[0], place[1] + offset
        store_on_host(self.machine, site, found, at, scalar, value, adds=adds)

    def store(self, index: int, scalar: Scalar, value: Value, offset: int = 0) -> None:
        """Store through a pointer argument."""
        self.store_at(self.integer(index), scalar, value, offset, tag=index)

    # Results and state

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

    def note(self, kind: str, text: str) -> None:
        """Record a guess at the call."""
        self.run.note(kind, text, self.instruction.position)

    def state(self, kind: type[State]) -> State:
        """The run's state of one library, created when first asked for."""
        found = self.run.state.get(kind.__name__)
        if not isinstance(found, kind):
            found = kind()
            self.run.state[kind.__name__] = found
        return found


Model = Callable[[HostCall], "Value"]
MODELS: dict[str, Model] = {}
PURE: set[str] = set()
"""Names whose models change nothing: loop conditions that call them can be looked ahead."""


_LIST_BYTES = 16
"""An initializer list: address and number of elements."""


def initializer_list(call: HostCall, address: int | None) -> tuple[int, int] | None:
    """(address of the first element, number of elements) of the initializer list at an address."""
    place = call.place(address)
    if place is None or place[0].buffer.size_bytes != _LIST_BYTES:
        return None
    first, count = call.load_integer(address, 0), call.load_integer(address, 8)
    return None if first is None or count is None else (first, count)


def models(*names: str, pure: bool = False) -> Callable[[Model], Model]:
    """Register a model under the names of library functions (without namespace; ``Class::method`` for methods)."""

    def register(model: Model) -> Model:
        for name in names:
            MODELS[name] = model
        if pure:
            PURE.update(names)
        return model

    return register
