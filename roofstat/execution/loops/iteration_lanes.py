"""One pass through the body of a host loop in which each lane is an iteration, as far as it is plain arithmetic."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.accesses.objects import global_address, slot_address
from roofstat.execution.host.records import size_named, template_arguments
from roofstat.execution.loops.lane_stores import (
    Known,
    LaneStores,
    NotPlainError,
    Store,
    TooMuchError,
    integers,
)
from roofstat.execution.numbers.arithmetic import binary, unary
from roofstat.execution.numbers.conversions import cast
from roofstat.execution.numbers.math_functions import evaluate
from roofstat.execution.numbers.values import DTYPES, Mixed, Unknown, Value, to_array
from roofstat.program.code import (
    BINARY_ARITHMETIC,
    Block,
    If,
    Leave,
    LibraryCall,
    Loop,
    MemoryAccess,
    Op,
    Region,
    Scope,
    Switch,
    blocks,
)
from roofstat.program.comparisons import COMPARISONS, ORDERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction

_BINARY = BINARY_ARITHMETIC | COMPARISONS | ORDERS
_UNARY = frozenset({Op.NEG, Op.BIT_NOT, Op.NOT})
_TOO_MUCH = frozenset(
    {Op.CALL, Op.CALL_POINTER, Op.LAUNCH, Op.ATOMIC, Op.COPY, Op.ZERO, Op.TENSOR, Op.ASM}
)
"""Operations that change memory in ways that are not followed here."""
_LOOKS = frozenset({"operator[]", "at", "data", "begin", "cbegin"})
"""Methods of vectors that give addresses of elements."""
_APPENDS = frozenset({"push_back", "emplace_back"})
_VECTOR_SIZE = 8
_SMALLEST_ADDRESS = 1 << 33
_EACH_STEP = 5_000
"""Lanes that an instruction takes as long as, however few there are."""


@dataclass(slots=True, eq=False)
class LanePass:
    """The state of one pass."""

    machine: Machine
    count: int
    facts: LoopFacts
    starts: dict[int, NDArray[np.int64] | None]
    memory: LaneStores
    values: dict[int, Known | None] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    """Variables that some lanes have given a value which nobody knows."""
    pending: dict[int, NDArray[np.bool_]] = field(default_factory=dict)
    passes_over: bool = False
    """Whether of inner loops only is seen where they store to."""
    scopes: list[int] = field(default_factory=list)
    """Labels of the scopes that have been entered."""
    passing: int | None = None
    """In a loop that is passed over: how many scopes are around it."""
    doubt: int = 0
    """Branches around, on data that nobody knows."""
    spent: int = 0
    limit: int = 0
    launching: frozenset[int] = frozenset()
    """Blocks, by identity, of which it is told how often each lane runs them: then stores to nobody knows where do not end the pass."""
    launches: dict[int, NDArray[np.int64]] = field(default_factory=dict)
    """How often each lane has run these."""

    # Control flow

    def iterate(self, loop: Loop) -> None:
        """One iteration in each lane."""
        types = self.machine.frames[-1].code.register_types
        for variable, start in self.starts.items():
            self.values[variable] = None if start is None else start.astype(DTYPES[types[variable]])
        every = np.ones(self.count, np.bool_)
        order = [loop.condition, loop.body, loop.step]
        if not loop.tests_before:
            order = [*order[1:], order[0]]
        for part in order:
            after = self.run(part, every)
            if after is None or not after.all() or self.pending:
                raise NotPlainError
            going = self.read(loop.condition_register) if part is loop.condition else True
            if loop.tests_before and going is not None and not np.all(going):
                raise NotPlainError

    def run(self, regions: list[Region], lanes: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Run regions; the lanes that reach the end, None where there are none."""
        at: NDArray[np.bool_] | None = lanes
        for region in regions:
            if at is None:
                return None
            match region:
                case Block():
                    self._block(region, at)
                case If():
                    at = self._branch(region, at)
                case Loop():
                    at = self._inner_loop(region, at)
                case Scope():
                    self.scopes.append(region.label)
                    at = self.run(region.body, at)
                    self.scopes.pop()
                    at = _union(at, self.pending.pop(region.label, None))
                case Leave() if self.passing is not None:
                    if region.label not in self.scopes[self.passing :]:
                        raise NotPlainError
                case Leave():
                    if self.doubt:
                        raise NotPlainError
                    both = _union(self.pending.get(region.label), at)
                    assert both is not None
                    self.pending[region.label] = both
                    return None
                case Switch():
                    raise NotPlainError
        return at

    def _branch(self, region: If, lanes: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        condition = self.read(region.condition)
        if condition is None:
            self.doubt += 1
            for arm in (region.then, region.otherwise):
                self.run(arm, lanes)
            self.doubt -= 1
            return lanes
        if not isinstance(condition, np.ndarray):
            return self.run(region.then if condition else region.otherwise, lanes)
        is_taken = condition.astype(np.bool_)
        taken, others = lanes & is_taken, lanes & ~is_taken
        first = self.run(region.then, taken) if taken.any() else None
        second = self.run(region.otherwise, others) if others.any() else None
        return _union(first, second)

    def _pass_over(self, loop: Loop, lanes: NDArray[np.bool_]) -> None:
        """What an inner loop assigns nobody knows, nor what the arrays hold that it stores to."""
        outer, self.passing = self.passing, len(self.scopes)
        self.doubt += 1
        for part in (loop.condition, loop.body, loop.step):
            self.run(part, lanes)
        self.doubt -= 1
        self.passing = outer

    def _inner_loop(self, loop: Loop, lanes: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        if self.passes_over or self.passing is not None:
            self._pass_over(loop, lanes)
            return lanes
        if self.doubt:
            raise NotPlainError
        at: NDArray[np.bool_] | None = lanes
        left: NDArray[np.bool_] | None = None
        is_tested = loop.tests_before
        while at is not None:
            if is_tested:
                at = self.run(loop.condition, at)
                if at is not None and loop.condition_register is not None:
                    condition = self.read(loop.condition_register)
                    if condition is None:
                        raise NotPlainError
                    going = np.broadcast_to(np.asarray(condition).astype(np.bool_), at.shape)
                    left = _union(left, at & ~going)
                    at = at & going
                    if not at.any():
                        break
            is_tested = True
            if at is not None:
                at = self.run(loop.body, at)
            if at is not None:
                at = self.run(loop.step, at)
        return left if left is not None and left.any() else None

    # Instructions

    def read(self, register: int | None) -> Known | None:
        """The value of a register in all lanes; None where nobody knows it."""
        if register is None:
            return None
        if register in self.values:
            return self.values[register]
        if register in self.facts.assigned or register in self.facts.computed:
            return None
        value = self.machine.frames[-1].registers[register]
        return value if isinstance(value, int | float) else None

    def _write(self, item: Instruction, value: Known | None, lanes: NDArray[np.bool_]) -> None:
        dest = item.dest
        if dest < 0:
            return
        if dest not in self.machine.frames[-1].code.variables:
            self.values[dest] = value
            return
        if value is None or self.doubt:
            self.lost.add(dest)
            self.values[dest] = None
            return
        if lanes.all():
            self.lost.discard(dest)
            self.values[dest] = value
            return
        old = self.values.get(dest)
        if dest in self.lost or (old is None and dest in self.facts.carried):
            self.values[dest] = None
        elif old is None:
            self.values[dest] = value
        else:
            self.values[dest] = np.where(
                lanes,
                to_array(value, item.scalar, self.count),
                to_array(old, item.scalar, self.count),
            )

    def _block(self, block: Block, lanes: NDArray[np.bool_]) -> None:
        self.spent += len(block.instructions) * (self.count + _EACH_STEP)
        if self.spent > self.limit:
            raise TooMuchError
        if id(block) in self.launching:
            if self.doubt:
                raise NotPlainError
            before = self.launches.get(id(block), np.zeros(self.count, np.int64))
            self.launches[id(block)] = before + lanes
        for item in block.instructions:
            if item.op is Op.STORE:
                self._store(item, lanes)
            else:
                self._write(item, self._computed(item, lanes), lanes)

    def _computed(self, item: Instruction, lanes: NDArray[np.bool_]) -> Known | None:
        match item.op:
            case Op.LOAD:
                return self._load(item, lanes)
            case Op.LIBRARY:
                return self._library(item, lanes)
            case Op.SLOT:
                assert isinstance(item.detail, int)
                return slot_address(self.machine, item.detail)
            case Op.GLOBAL:
                return global_address(self.machine, str(item.detail))
        operands = [self.read(register) for register in item.args]
        known = [value for value in operands if value is not None]
        if len(known) < len(operands) or not known:
            return None
        return _known(self._of_known(item, known))

    def _of_known(self, item: Instruction, known: list[Known]) -> Value | None:
        if item.op is Op.MOV:
            return known[0]
        if item.op in _BINARY:
            return binary(item.op, item.scalar, known[0], known[1], self.count)
        if item.op in _UNARY:
            return unary(item.op, item.scalar, known[0])
        match item.op:
            case Op.CAST:
                assert isinstance(item.detail, Scalar)
                return cast(known[0], item.detail, item.scalar)
            case Op.SELECT:
                if not isinstance(known[0], np.ndarray):
                    return known[1] if known[0] else known[2]
                arms = [to_array(value, item.scalar, self.count) for value in known[1:]]
                return np.where(known[0].astype(np.bool_), arms[0], arms[1])
            case Op.PTR_ADD:
                assert isinstance(item.detail, int)
                return integers(known[0]) + integers(known[1]) * item.detail
            case Op.MATH:
                arrays = [to_array(value, item.scalar, self.count) for value in known]
                result = evaluate(str(item.detail), arrays, is_float=item.scalar.is_float)
                target = self.machine.frames[-1].code.register_types[item.dest]
                return None if result is None else cast(result, item.scalar, target)
        return None

    def _library(self, item: Instruction, lanes: NDArray[np.bool_]) -> Known | None:
        detail = item.detail
        assert isinstance(detail, LibraryCall)
        operands = [self.read(register) for register in item.args]
        method = detail.name.rpartition("::")[2]
        is_vector = detail.object_type.startswith("std::vector<")
        own = operands[0] if operands else None
        if is_vector and isinstance(own, int) and not detail.result_size_bytes:
            data = self._member(own, 0)
            if method == "size":
                found = self.machine.memory.find(own)
                at = own + _VECTOR_SIZE
                return None if found is None else self.memory.value_at(found, at, Scalar.U64, lanes)
            if method in _LOOKS:
                if method in ("operator[]", "at"):
                    index = operands[1]
                    if data is None or index is None or not detail.result_pointee_bytes:
                        return None
                    return data + integers(index) * detail.result_pointee_bytes
                return data
            if method in _APPENDS and len(operands) == 2:
                self._append(item, own, data, operands[1], lanes)
                return None
        for value in operands:
            if value is not None and not isinstance(value, float):
                self._taint(value)
        return None

    def _taint(self, value: Known) -> None:
        for address in np.unique(np.asarray(value))[:64].tolist():
            if isinstance(address, int) and address >= _SMALLEST_ADDRESS:
                found = self.machine.memory.find(address)
                if found is not None:
                    self.memory.tainted.add(found.buffer.number)

    def _member(self, address: int, offset: int) -> int | None:
        found = self.machine.memory.find(address)
        cell = found and found.contents.cells.get(address + offset - found.base)
        return cell[1] if cell and isinstance(cell[1], int) else None

    def _append(
        self,
        item: Instruction,
        vector: int,
        data: int | None,
        source: Known | None,
        lanes: NDArray[np.bool_],
    ) -> None:
        """One element more at the end of a vector."""
        found = self.machine.memory.find(vector)
        storage = self.machine.memory.find(data) if data else None
        if found is None or storage is None or data is None or not isinstance(source, int):
            raise NotPlainError
        size = self.memory.value_at(found, vector + _VECTOR_SIZE, Scalar.U64, lanes)
        parts = {
            store.address: store
            for store in self.memory.stores
            if isinstance(store.address, int) and 0 <= store.address - source < 128
        }
        width = self._element_bytes(item)
        parts = {at: store for at, store in parts.items() if at - source < width}
        for at, store in sorted(parts.items()):
            address = None if size is None else data + integers(size) * width + (at - source)
            if address is None:
                raise NotPlainError
            self._keep(storage, address, lanes, store.scalar, store.value, (item.site, at - source))
        if not parts:
            self.memory.tainted.add(storage.buffer.number)
        grown = None if size is None else integers(size) + 1
        self._keep(found, vector + _VECTOR_SIZE, lanes, Scalar.U64, grown, (item.site, "size"))

    def _element_bytes(self, item: Instruction) -> int:
        detail = item.detail
        assert isinstance(detail, LibraryCall)
        arguments = template_arguments(detail.object_type)
        size = size_named(self.machine.program, arguments[0]) if arguments else None
        if not size:
            raise NotPlainError
        return size

    # Memory

    def _place(
        self, address: Known, lanes: NDArray[np.bool_]
    ) -> tuple[MemoryObject, int | NDArray[np.int64]] | None:
        """The allocation that all lanes reach, and where."""
        if isinstance(address, int):
            low = high = address
        else:
            address = np.asarray(address).astype(np.int64)
            active = address[lanes]
            low, high = int(active.min()), int(active.max())
            address = np.where(lanes, address, low) if low < high else low
        found = self.machine.memory.find(low)
        if found is None or high >= found.base + found.extent_bytes:
            return None
        return found, address

    def _load(self, item: Instruction, lanes: NDArray[np.bool_]) -> Known | None:
        access = item.detail
        assert isinstance(access, MemoryAccess)
        address = self.read(item.args[0])
        if address is None or access.bit_width is not None or not item.scalar.is_integer:
            return None
        place = self._place(integers(address) + access.offset_bytes, lanes)
        if place is None or place[0].text is not None:
            return None
        return self.memory.value_at(place[0], place[1], item.scalar, lanes)

    def _store(self, item: Instruction, lanes: NDArray[np.bool_]) -> None:
        access = item.detail
        assert isinstance(access, MemoryAccess)
        address, value = self.read(item.args[0]), self.read(item.args[1])
        place = None
        if address is not None and access.bit_width is None:
            place = self._place(integers(address) + access.offset_bytes, lanes)
        if place is None:
            if self.launching:
                return
            raise NotPlainError
        if not item.scalar.is_integer:
            value = None
        self._keep(place[0], place[1], lanes, item.scalar, value, item.site)

    def _keep(
        self,
        found: MemoryObject,
        address: int | NDArray[np.int64],
        lanes: NDArray[np.bool_],
        scalar: Scalar,
        value: Known | None,
        site: object,
    ) -> None:
        if self.passing is not None:
            self.memory.tainted.add(found.buffer.number)
            return
        value = None if self.doubt else value
        self.memory.keep(Store(found, address, lanes, scalar, value, site))


def _union(a: NDArray[np.bool_] | None, b: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    if a is None or b is None:
        return a if b is None else b
    return a | b


def _known(value: Value | None) -> Known | None:
    return None if isinstance(value, Unknown | Mixed) else value


def is_plain(loop: Loop, *, keeps: bool = False) -> bool:
    """Whether a loop stores integers or appends something, and does nothing that cannot be followed.

    Args:
        loop: The loop.
        keeps: Whether it has something else to tell.
    """
    does_store = keeps
    for part in (loop.condition, loop.body, loop.step):
        for block in blocks(part):
            for item in block.instructions:
                if item.op in _TOO_MUCH:
                    return False
                name = item.detail.name if isinstance(item.detail, LibraryCall) else ""
                does_store |= item.op is Op.STORE and item.scalar.is_integer
                does_store |= name.rpartition("::")[2] in _APPENDS
    return does_store
