"""State shared by the lowering modules: what a name is bound to, where `return`, `break` and `continue` go."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.ir.walk import mutated_variables
from clang_queries.quick_dataclass import dataclass
from roofstat.program.loop_layout import loops_left_backwards

if TYPE_CHECKING:
    from clang_queries.ir.statements import Function, Loop
    from roofstat.program.builder import Builder
    from roofstat.program.link import Program
    from roofstat.program.openmp.state import RegionState


@dataclass(frozen=True, slots=True)
class Place:
    """A memory location: address register plus constant offset."""

    address: int
    offset_bytes: int = 0
    array: str = ""
    bit_offset: int = 0
    bit_width: int | None = None
    is_read_only: bool = False
    is_in_assembly: bool = False
    """Whether nvcc's headers access it by assembly."""
    is_volatile: bool = False
    record: str = ""
    """Key of the outermost record that the place is a member of; "" behind a subscript."""
    record_offset_bytes: int = 0
    """Offset of the place from the start of an object of known alignment."""
    record_align_bytes: int = 0
    """Alignment of that object; 0 where only the datum's own is known."""

    def part(self, offset_bytes: int, *, record: str = "", align_bytes: int = 0) -> Place:
        """The member at an offset of the object here, which is a record with this key and alignment."""
        inside = self.record_align_bytes >= align_bytes and self.record_align_bytes > 0
        return replace(
            self,
            offset_bytes=self.offset_bytes + offset_bytes,
            bit_offset=0,
            bit_width=None,
            record=self.record if inside else record,
            record_offset_bytes=(self.record_offset_bytes if inside else 0) + offset_bytes,
            record_align_bytes=max(self.record_align_bytes, align_bytes),
        )


@dataclass(frozen=True, slots=True)
class InSlot:
    """The variable lives in a slot."""

    slot: int
    name: str


@dataclass(frozen=True, slots=True)
class InRegister:
    """The variable never changes after its declaration: it is this register."""

    register: int


@dataclass(frozen=True, slots=True)
class InMemory:
    """The variable is memory at this address (mapped into a target region)."""

    address: int
    name: str


Binding = InSlot | InRegister | InMemory


@dataclass(slots=True, eq=False)
class Frame:
    """One function being lowered: the kernel itself, or a callee while it is inlined."""

    function: Function
    mutated: frozenset[str]
    return_label: int
    result_variable: int | None = None
    result_place: Place | None = None
    bindings: dict[str, Binding] = field(default_factory=dict)
    break_labels: list[int] = field(default_factory=list)
    continue_labels: list[int] = field(default_factory=list)
    goto_labels: dict[str, int] = field(default_factory=dict)


INLINE_DEPTH = 96
"""Deeper nests of calls become real calls: compilers inline whatever does not call itself, instances of one template included."""

INLINE_INSTRUCTIONS = 60_000
"""Size at which inlining stops, so that one pathological kernel cannot take all memory."""


@dataclass(slots=True, eq=False)
class Context:
    """One `Code` under construction."""

    program: Program
    builder: Builder
    is_host: bool
    frames: list[Frame] = field(default_factory=list)
    shared_slots: dict[str, int] = field(default_factory=dict)
    mutation_cache: dict[str, frozenset[str]] = field(default_factory=dict)
    layout_cache: dict[tuple[str, bool], frozenset[int]] = field(default_factory=dict)
    first_site: int = 0
    """Where this function begins in the code."""
    openmp: RegionState | None = None
    """Inside an OpenMP target region: which threads run the code at hand."""

    @property
    def frame(self) -> Frame:
        """The innermost function."""
        return self.frames[-1]

    def binding(self, key: str) -> Binding | None:
        """What a variable is bound to in the innermost function (or a captured outer OpenMP region)."""
        return self.frames[-1].bindings.get(key)

    def mutated(self, function: Function) -> frozenset[str]:
        """Variables of a function that change after their declaration."""
        found = self.mutation_cache.get(function.key)
        if found is None:
            found = mutated_variables(function.body)
            self.mutation_cache[function.key] = found
        return found

    def leaves_backwards(self, loop: Loop) -> bool:
        """Whether what follows a loop of the innermost function does not stand right behind its body."""
        function = self.frame.function
        key = (function.key, len(self.frames) > 1)
        found = self.layout_cache.get(key)
        if found is None:
            found = loops_left_backwards(function, is_inlined=key[1])
            self.layout_cache[key] = found
        return id(loop) in found

    def may_inline(self, function: Function) -> bool:
        """Whether a call of the function is inlined here."""
        if self.is_host or len(self.frames) >= INLINE_DEPTH:
            return False
        if self.builder.site_count - self.first_site > INLINE_INSTRUCTIONS:
            return False
        return all(frame.function.key != function.key for frame in self.frames)


INDEX = Scalar.I64
