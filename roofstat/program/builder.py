"""Emits structured three-address code: registers, constants, blocks and nested regions."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clang_queries.header_paths import is_bundled_file
from clang_queries.ir.expressions import Position
from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    Assumption,
    Block,
    If,
    Instruction,
    Leave,
    Loop,
    MemoryAccess,
    Op,
    Scope,
    Slot,
    Space,
    SpecialRegister,
    Switch,
)
from roofstat.program.implied_accesses import site_count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from roofstat.program.code import Region
    from roofstat.program.tables import Table

NOWHERE = Position("", 0, 0)
_WIDE = frozenset({Op.COPY, Op.ZERO, Op.TENSOR})
"""Operations that take a site for each of their accesses."""


class Builder:
    """Holds the code under construction; `region` is the list that new regions go to."""

    def __init__(self) -> None:
        self.register_types: list[Scalar] = []
        self.constants: dict[int, int | float | bool] = {}
        self.variables: set[int] = set()
        self.slots: list[Slot] = []
        self.assumptions: list[Assumption] = []
        self.body: list[Region] = []
        self.region: list[Region] = self.body
        self._position = NOWHERE
        self._caller: Position | None = None
        self.own_registers: set[SpecialRegister] = set()
        self.tables: dict[str, Table] = {}
        self.functions: dict[int, str] = {}
        """Registers that hold the address of a function, with its key."""
        self.site_count = 0
        self.block_count = 0
        self.loop_count = 0
        self.branch_count = 0
        self.label_count = 0
        self.group_count = 0
        self._constant_registers: dict[tuple[type, int | float | bool, Scalar], int] = {}
        self._inlined = 0

    # Positions

    @property
    def is_inlining(self) -> bool:
        """Whether what is emitted next belongs to a function that is inlined."""
        return self._inlined > 0

    @property
    def position(self) -> Position:
        """Where in the source what is emitted next comes from."""
        return self.at(self._position)

    @position.setter
    def position(self, position: Position) -> None:
        self._position = position

    def at(self, position: Position) -> Position:
        """A position in the code at hand as the user sees it: the call, within a function of bundled headers."""
        return position if self._caller is None else self._caller

    @contextmanager
    def inlining(self, function: Position) -> Iterator[None]:
        """Code of a function that is defined here; that of bundled headers counts for the line that calls it."""
        outer, call, depth = self._caller, self.position, self._inlined
        self._caller = call if is_bundled_file(function.file) else None
        self._inlined += 1
        try:
            yield
        finally:
            self._caller, self._inlined = outer, depth
            self._position = call

    # Registers

    def register(self, scalar: Scalar) -> int:
        """A new temporary."""
        self.register_types.append(scalar)
        return len(self.register_types) - 1

    def variable(self, scalar: Scalar) -> int:
        """A new register that may be written more than once."""
        register = self.register(scalar)
        self.variables.add(register)
        return register

    def constant(self, value: float | bool, scalar: Scalar) -> int:
        """The register that holds a constant."""
        key = (type(value), value, scalar)
        register = self._constant_registers.get(key)
        if register is None or (value == 0 and str(self.constants[register]) != str(value)):
            register = self.register(scalar)
            self.constants[register] = value
            self._constant_registers[key] = register
        return register

    def new_label(self) -> int:
        """A label for a `Scope`."""
        self.label_count += 1
        return self.label_count

    def new_branch_number(self) -> int:
        """A number for an `If` or `Switch`."""
        self.branch_count += 1
        return self.branch_count

    def new_block_number(self) -> int:
        """A number for a `Block`."""
        self.block_count += 1
        return self.block_count - 1

    def new_loop_number(self) -> int:
        """A number for a `Loop`."""
        self.loop_count += 1
        return self.loop_count - 1

    def new_sites(self, count: int) -> int:
        """The first of so many sites."""
        self.site_count += count
        return self.site_count - count

    def new_group(self) -> int:
        """A number for a vector access."""
        self.group_count += 1
        return self.group_count

    # Instructions

    def emit(self, op: Op, scalar: Scalar, *args: int, detail: object = None) -> int:
        """Append an instruction without a result."""
        self._append(Instruction(op, -1, args, scalar, self._site(), self.position, detail))
        return -1

    def value(
        self,
        op: Op,
        result: Scalar,
        *args: int,
        scalar: Scalar | None = None,
        detail: object = None,
    ) -> int:
        """Append an instruction and return its result register of type `result`."""
        dest = self.register(result)
        self._append(
            Instruction(op, dest, args, scalar or result, self._site(), self.position, detail)
        )
        return dest

    def function_address(self, key: str) -> int:
        """The address of a function."""
        register = self.value(Op.FUNCTION, Scalar.U64, detail=key)
        self.functions[register] = key
        return register

    def move(self, variable: int, value: int) -> None:
        """Assign a variable register."""
        scalar = self.register_types[variable]
        self._append(
            Instruction(Op.MOV, variable, (value,), scalar, self._site(), self.position, None)
        )

    def unknown(self, scalar: Scalar, reason: str, *operands: int) -> int:
        """A value that nobody can know."""
        return self.value(Op.UNKNOWN, scalar, *operands, detail=reason)

    def _site(self) -> int:
        return self.new_sites(1)

    def _append(self, instruction: Instruction) -> None:
        region = self.region
        if region and isinstance(region[-1], Block):
            block = region[-1]
        else:
            block = Block(self.new_block_number())
            region.append(block)
        block.instructions.append(instruction)
        if isinstance(instruction.detail, SpecialRegister) and self._caller is None:
            self.own_registers.add(instruction.detail)
        if instruction.op in _WIDE:
            self.site_count += site_count(instruction) - 1

    # Memory

    def slot(self, slot: Slot) -> int:
        """Register a slot; returns its index."""
        self.slots.append(slot)
        return len(self.slots) - 1

    def local_slot(
        self, name: str, size_bytes: int, *, host: bool, element: Scalar | None = None
    ) -> int:
        """A new slot for a local variable or temporary."""
        space = Space.HOST if host else Space.LOCAL
        return self.slot(
            Slot(
                name=name,
                size_bytes=size_bytes,
                space=space,
                position=self.position,
                element=element,
            )
        )

    def slot_address(self, index: int) -> int:
        """Address of a slot."""
        return self.value(Op.SLOT, Scalar.U64, detail=index)

    def load(self, scalar: Scalar, address: int, access: MemoryAccess) -> int:
        """Load a scalar."""
        return self.value(Op.LOAD, scalar, address, detail=access)

    def store(self, scalar: Scalar, address: int, value: int, access: MemoryAccess) -> None:
        """Store a scalar."""
        self.emit(Op.STORE, scalar, address, value, detail=access)

    # Regions

    @contextmanager
    def inside(self, region: list[Region]) -> Iterator[None]:
        """Send what is emitted to another region list."""
        outer = self.region
        self.region = region
        try:
            yield
        finally:
            self.region = outer

    def repeat(
        self,
        condition: Callable[[], int],
        body: Callable[[], None],
        step: Callable[[], None],
        *,
        is_grid_stride: bool = False,
    ) -> None:
        """A loop: as long as what `condition` computes holds, `body` and then `step`."""
        position = self.position
        number = self.new_loop_number()
        loop = Loop(number, [], None, [], [], position, is_grid_stride=is_grid_stride)
        with self.inside(loop.condition):
            loop.condition_register = condition()
        with self.inside(loop.body):
            body()
        self.position = position
        with self.inside(loop.step):
            step()
        self.add(loop)

    def leave(self, label: int) -> None:
        """Jump to the end of a scope."""
        self.region.append(Leave(label))

    def add(self, region: If | Loop | Scope | Switch) -> None:
        """Append a structured region."""
        self.region.append(region)

    def assume(self, kind: str, text: str) -> None:
        """Record something that could not be lowered exactly."""
        self.assumptions.append(Assumption(kind, text, self.position))
