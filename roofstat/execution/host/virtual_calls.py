"""Virtual methods: which override a call reaches, by the class that constructed the object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.virtual_calls import nearest_override, overrides_of

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import AddressSpace
    from roofstat.program.link import Program

_CLASS = "class"
"""State of an allocation: offset of an object -> key of the record that it was constructed as."""


class VirtualMethods:
    """Overrides of a program's classes, and the classes of its objects."""

    def __init__(self, program: Program, memory: AddressSpace) -> None:
        self._memory = memory
        self._program = program
        self._overrides = overrides_of(program.records)
        self._records: dict[str, str] = {}
        if self._overrides:
            self._records = {record.name: key for key, record in program.records.items()}

    @property
    def is_empty(self) -> bool:
        """Whether nothing in the program dispatches."""
        return not self._overrides

    def constructed(self, function: str, arguments: list[Value]) -> None:
        """A function has returned: a constructor leaves an object of its class."""
        known = self._program.functions.get(function)
        if known is None or not arguments or not isinstance(arguments[0], int):
            return
        scope, _, last = known.name.rpartition("::")
        if scope.rpartition("::")[2].partition("<")[0] != last:
            return
        record = self._records.get(scope)
        found = self._memory.find(arguments[0])
        if record is not None and found is not None:
            classes = found.state.setdefault(_CLASS, {})
            if isinstance(classes, dict):
                classes[arguments[0] - found.base] = record

    def target(self, function: str, arguments: list[Value], caller: str) -> str:
        """The function that a call of a method reaches; `caller` may call what it overrides itself."""
        overrides = self._overrides.get(function)
        if overrides is None or caller in overrides.values():
            return function
        record = self._class_of(arguments[0]) if arguments else None
        if record is None:
            only = set(overrides.values())
            is_pure = function not in self._program.functions
            return only.pop() if len(only) == 1 and is_pure else function
        return nearest_override(self._program.records, overrides, record) or function

    def named(self, name: str, arguments: list[Value]) -> str | None:
        """The override of a method without a body, by its name."""
        last = name.rsplit("::", 1)[-1]
        record = self._class_of(arguments[0]) if arguments else None
        candidates: set[str] = set()
        for overrides in self._overrides.values():
            for owner, override in overrides.items():
                function = self._program.functions.get(override)
                if function is None or function.name.rsplit("::", 1)[-1] != last:
                    continue
                if owner == record:
                    return override
                candidates.add(override)
        return candidates.pop() if len(candidates) == 1 and record is None else None

    def _class_of(self, address: Value) -> str | None:
        found = self._memory.find(address) if isinstance(address, int) else None
        classes = found.state.get(_CLASS) if found is not None else None
        if not isinstance(classes, dict) or found is None or not isinstance(address, int):
            return None
        record = classes.get(address - found.base)
        return record if isinstance(record, str) else None
