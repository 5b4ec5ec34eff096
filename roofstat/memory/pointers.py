"""Which object the address of a memory instruction comes from, as the code says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.program.code import BINARY_ARITHMETIC, Op, ParameterPiece, Space, SpecialRegister
from roofstat.program.comparisons import COMPARISONS
from roofstat.program.slices import backward_slice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.execution.trace import LaunchTrace
    from roofstat.program.code import Code, Instruction

_TRANSPARENT = frozenset({Op.PTR_ADD, Op.MOV, Op.BITCAST, Op.CAST})
_MAX_STEPS = 64
_BROADCAST_BYTES = 8
_KNOWN_SOURCES = frozenset(
    {
        Op.PARAM,
        Op.SLOT,
        Op.GLOBAL,
        Op.SPECIAL,
        Op.SELECT,
        Op.PTR_ADD,
        Op.MOV,
        Op.BITCAST,
        Op.CAST,
        Op.NEG,
        Op.BIT_NOT,
        *BINARY_ARITHMETIC,
    }
)
"""What computes with registers alone."""
_OF_BITS = frozenset({"clz", "ffs", "popc"})
"""Functions that do so as well: searches by steps begin at the highest bit of their number of elements."""
_SIZES = (
    SpecialRegister.NTID_X,
    SpecialRegister.NTID_Y,
    SpecialRegister.NTID_Z,
    SpecialRegister.NCTAID_X,
    SpecialRegister.NCTAID_Y,
    SpecialRegister.NCTAID_Z,
)


@dataclass(frozen=True, slots=True)
class Remainder:
    """A remainder in the computation of an address."""

    divisor: int
    """0 where nobody knows it."""
    unit_bytes: int
    """Bytes that the address is greater by where the remainder is by 1."""


_READING = frozenset({Op.LOAD, Op.ATOMIC})
_MIXING = frozenset({Op.REM, Op.SHR, Op.XOR})
"""What takes high bits of a product down."""
_HIGH_PRODUCT = "mulhi"
_LEAST_MIXER = 1 << 16
"""Odd factors of hash functions and random numbers are larger; strides are smaller or even, as a rule."""


class PointerRoots:
    """Follows addresses back to a parameter, a slot or a global variable."""

    def __init__(self, code: Code) -> None:
        self._writers: dict[int, Instruction] = {}
        for _, instruction in code.instructions():
            if instruction.dest >= 0:
                # The first writer of a pointer variable sets where it points; later ones move it along.
                self._writers.setdefault(instruction.dest, instruction)
        self._known: dict[int, Instruction | None] = {}

    def root(self, instruction: Instruction) -> Instruction | None:
        """The PARAM, SLOT or GLOBAL instruction behind the address; None where it comes from elsewhere."""
        if instruction.site in self._known:
            return self._known[instruction.site]
        found = self._follow(instruction)
        self._known[instruction.site] = found
        return found

    def _follow(self, instruction: Instruction) -> Instruction | None:
        register = instruction.args[0] if instruction.args else -1
        for _ in range(_MAX_STEPS):
            writer = self._writers.get(register)
            if writer is None:
                return None
            if writer.op in {Op.PARAM, Op.SLOT, Op.GLOBAL}:
                return writer
            if writer.op not in _TRANSPARENT or not writer.args:
                return None
            register = writer.args[0]
        return None

    def slot(self, instruction: Instruction) -> int | None:
        """Index of the slot behind the address, if it is one."""
        root = self.root(instruction)
        if root is not None and root.op is Op.SLOT and isinstance(root.detail, int):
            return root.detail
        return None

    def is_read_only(self, instruction: Instruction) -> bool:
        """Whether nobody writes there during the kernel: a pointer to const that is restrict."""
        piece = self.parameter(instruction)
        return piece is not None and piece.is_restrict and piece.points_to_const

    def are_distinct(self, one: Instruction, two: Instruction) -> bool:
        """Whether the language promises that the two never touch the same object."""
        first, second = self.root(one), self.root(two)
        if first is None or second is None:
            return False
        pieces = self.parameter(one), self.parameter(two)
        if pieces[0] is not None and pieces[1] is not None:
            same = pieces[0] == pieces[1]
            return not same and pieces[0].is_restrict and pieces[1].is_restrict
        if first.op is second.op:
            return first.detail != second.detail
        return Op.SLOT in {first.op, second.op}

    def parameter(self, instruction: Instruction) -> ParameterPiece | None:
        """The parameter, or the member of one, that the address comes from, if it is one."""
        root = self.root(instruction)
        if root is not None and isinstance(root.detail, ParameterPiece):
            return root.detail
        return None


class AddressSources:
    """What an address is computed from: hardware coordinates, loaded data."""

    def __init__(self, trace: LaunchTrace) -> None:
        code = trace.code
        self._trace = trace
        self._code = code
        self._sizes = dict(zip(_SIZES, (*trace.block, *trace.grid), strict=True))
        self._roots = PointerRoots(code)
        self._writers: dict[int, list[Instruction]] = {}
        self._blocks: dict[int, int] = {}
        self._mixers: dict[int, dict[int, float]] = {}
        for block, instruction in code.instructions():
            self._blocks[instruction.site] = block.number
            if instruction.dest >= 0:
                self._writers.setdefault(instruction.dest, []).append(instruction)

    def coordinates(self, instruction: Instruction) -> frozenset[SpecialRegister]:
        """Thread and block coordinates that reach the address through arithmetic (not through memory)."""
        return frozenset(
            writer.detail
            for writer in self._address_writers(instruction, frozenset({Op.LOAD, Op.ATOMIC}))
            if writer.op is Op.SPECIAL and isinstance(writer.detail, SpecialRegister)
        )

    def remainders(self, instruction: Instruction) -> tuple[Remainder, ...]:
        """The remainders that the address adds up, each with the bytes that one of it stands for."""
        found: dict[Remainder, None] = {}
        seen: set[int] = set()
        waiting = [(register, 1) for register in instruction.args[:1]]
        while waiting:
            register, scale = waiting.pop()
            if register in seen:
                continue
            seen.add(register)
            for writer in self._writers.get(register, ()):
                divisor = self._divisor(writer)
                if divisor is not None:
                    found[Remainder(divisor, scale)] = None
                else:
                    waiting.extend(self._terms(writer, scale))
        return tuple(found)

    def _divisor(self, writer: Instruction) -> int | None:
        """What the remainder that an instruction takes is of: 0 where nobody knows, None for other instructions."""
        if writer.op is Op.REM:
            return abs(self._value(writer.args[1]) or 0)
        if writer.op is Op.AND:
            mask = self._value(writer.args[1]) or 0
            return mask + 1 if mask > 0 and mask & (mask + 1) == 0 else None
        return None

    def _terms(self, writer: Instruction, scale: int) -> Iterator[tuple[int, int]]:
        """Registers that an instruction adds up, with the bytes that one of each stands for."""
        match writer.op:
            case Op.PTR_ADD if isinstance(writer.detail, int):
                yield writer.args[0], scale
                yield writer.args[1], scale * writer.detail
            case Op.ADD | Op.SUB | Op.MOV | Op.CAST | Op.BITCAST:
                for register in writer.args:
                    yield register, scale
            case Op.MUL | Op.SHL:
                for register, other in zip(writer.args, reversed(writer.args), strict=True):
                    factor = self._value(other)
                    if factor is not None and factor > 0 and writer.op is Op.MUL:
                        yield register, scale * factor
                    elif factor is not None and 0 <= factor < 32 and register == writer.args[0]:
                        yield register, scale << factor
            case _:
                return

    def _value(self, register: int) -> int | None:
        """The integer that a register holds in all threads, if constants, arguments or the launch tell."""
        for _ in range(_MAX_STEPS):
            value = self._code.constants.get(register)
            if value is not None:
                return value if isinstance(value, int) and not isinstance(value, bool) else None
            writers = self._writers.get(register, ())
            if len(writers) != 1:
                return None
            (writer,) = writers
            if isinstance(writer.detail, ParameterPiece):
                is_whole = writer.op is Op.PARAM and not writer.detail.offset_bytes
                return self._trace.arguments.get(writer.detail.index) if is_whole else None
            if isinstance(writer.detail, SpecialRegister):
                return self._sizes.get(writer.detail)
            if writer.op not in {Op.MOV, Op.CAST}:
                return None
            register = writer.args[0]
        return None

    def rests_on_data(self, instruction: Instruction) -> bool:
        """Whether loaded values enter the address, and do not merely decide between values that are known.

        A gather computes with an index that it loaded; a binary search only compares with what it loads.
        """
        seen: set[int] = set()
        waiting = list(instruction.args[:1])
        while waiting:
            register = waiting.pop()
            if register in seen or register in self._code.constants:
                continue
            seen.add(register)
            if register not in self._writers:
                return True
            for writer in self._writers[register]:
                if writer.op in COMPARISONS:
                    continue  # zero or one, whatever is compared: ``2 * k + (a[k] < key)``
                is_of_bits = writer.op is Op.MATH and writer.detail in _OF_BITS
                is_known = is_of_bits or writer.op in _KNOWN_SOURCES
                if not is_known and not self._is_broadcast(writer):
                    return True
                waiting.extend(writer.args[1:] if writer.op is Op.SELECT else writer.args)
        return False

    def hashed_draws(self, instruction: Instruction) -> float | None:
        """How often a hash function sends the address to another place; None where no hash function enters it.

        That is where high bits of a product with a large odd number enter, or what is loaded at such a place: neighbours
        are far apart behind it. A loop that only steps on from there stays beside it.
        """
        last = self._last_mixers(instruction)
        return sum(last.values()) if last else None

    def _last_mixers(self, instruction: Instruction) -> dict[int, float]:
        """Products and loads behind which an address is anywhere, the last ones before it, with their executions."""
        known = self._mixers.get(instruction.site)
        if known is not None:
            return known
        # Empty while it is found out: a list leads back to itself.
        found = self._mixers[instruction.site] = {}
        seen: set[tuple[int, bool]] = set()
        waiting = [(register, False) for register in instruction.args[:1]]
        while waiting:
            register, is_mixed = waiting.pop()
            if (register, is_mixed) in seen:
                continue
            seen.add((register, is_mixed))
            for writer in self._writers.get(register, ()):
                if writer.op in _READING:
                    is_last = writer.site == instruction.site or bool(self._last_mixers(writer))
                else:
                    is_last = is_mixed and writer.op is Op.MUL and self._mixes(writer)
                if is_last:
                    found[writer.site] = self._executions(writer)
                elif writer.op not in _READING:
                    mixes = is_mixed or writer.op in _MIXING or writer.detail == _HIGH_PRODUCT
                    waiting.extend((source, mixes) for source in writer.args)
        if set(found) == {instruction.site}:
            found.clear()
        return found

    def _executions(self, instruction: Instruction) -> float:
        return self._trace.block_threads.get(self._blocks[instruction.site], 0.0)

    def _mixes(self, product: Instruction) -> bool:
        factors = (abs(self._value(register) or 0) for register in product.args)
        return any(factor & 1 and factor >= _LEAST_MIXER for factor in factors)

    def loads(self, instruction: Instruction) -> dict[int, bool]:
        """Sites of the loads that enter the address through arithmetic and arrays of the thread, a stack for example.

        Returns:
            For each site whether bits of what it loads are cut out or combined on the way: then it says little of where.
        """
        found: dict[int, bool] = {}
        waiting = [(register, False) for register in instruction.args[:1]]
        seen: set[tuple[int, bool]] = set()
        while waiting:
            register, is_mixed = waiting.pop()
            if (register, is_mixed) in seen:
                continue
            seen.add((register, is_mixed))
            for writer in self._writers.get(register, ()):
                if writer.op is Op.ATOMIC or writer.op in COMPARISONS:
                    continue
                if writer.op is not Op.LOAD:
                    mixes = is_mixed or writer.op in _MIXING
                    waiting.extend((argument, mixes) for argument in writer.args)
                    continue
                slot = self._private(writer)
                if slot is None:
                    found[writer.site] = found.get(writer.site, False) or is_mixed
                else:
                    waiting.extend((stored, is_mixed) for stored in self._stored(slot))
        return found

    def _stored(self, slot: int) -> Iterator[int]:
        """Registers whose values go to an array of the thread."""
        for _, item in self._code.instructions():
            if item.op is Op.STORE and self._private(item) == slot:
                yield item.args[1]

    def _private(self, access: Instruction) -> int | None:
        """The array of the thread that an instruction loads from or stores to; None for other memory."""
        slot = self._roots.slot(access)
        is_private = slot is not None and self._code.slots[slot].space is Space.LOCAL
        return slot if is_private else None

    def shared_elements(self, instruction: Instruction) -> int | None:
        """Elements of the smallest array in shared memory from which a part of the address comes; None without one."""
        sizes = []
        for writer in self._address_writers(instruction, _READING):
            slot = self._roots.slot(writer) if writer.op in _READING else None
            if slot is None or self._code.slots[slot].space is not Space.SHARED:
                continue
            shared = self._code.slots[slot]
            size = (
                self._trace.dynamic_shared_bytes if shared.is_dynamic_shared else shared.size_bytes
            )
            sizes.append(max(size // writer.scalar.size_bytes, 1))
        return min(sizes, default=None)

    def _address_writers(
        self, instruction: Instruction, ends: frozenset[Op]
    ) -> Iterator[Instruction]:
        """What computes the address, each instruction once for a register; what feeds those of `ends` is left out."""
        if not instruction.args:
            return iter(())
        return backward_slice(
            self._writers, instruction.args[0], lambda writer: writer.op not in ends
        )

    def _is_broadcast(self, load: Instruction) -> bool:
        """Whether it reads a single shared variable, through which a block passes one number to its threads."""
        slot = self._roots.slot(load) if load.op is Op.LOAD else None
        if slot is None:
            return False
        shared = self._code.slots[slot]
        return shared.space is Space.SHARED and 0 < shared.size_bytes <= _BROADCAST_BYTES
