"""What addresses look like: details of the values that the numbering makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from roofstat.instructions.addressing.scaled_words import ScaledWord, Terms


@dataclass(frozen=True, slots=True)
class AddressShape:
    """Detail of an ADDRESS: `base + index * scale_bytes`, where the index holds `constant` already."""

    scale_bytes: int
    constant: int
    is_split: bool = False
    """Whether the widened index comes from an earlier basic block, so that it cannot be fused with the scaling."""
    is_chained: bool = False
    """Whether the base is another address and the index a stride."""
    makes_stride: bool = False
    """Whether that stride is made in an ordinary register for it, though the uniform datapath could."""
    is_doubled: bool = False
    """Whether its base stands in two registers, with a constant and without, to both of which the stride is added."""
    is_parted: bool = False
    """Whether the index is a sum of two words that are widened apart."""
    is_truncated: bool = False
    """Whether the index is a sum of a word that was cut from a counter of 64 bits: it is shifted up and down again."""
    is_shared: bool = False
    """Whether it differs from another address by a constant that the accesses take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterTerm:
    """How a word index takes the counter of its loop."""

    factor: int
    beside: Terms
    """What is added to a multiple of it, without constants."""
    index: int
    """Value number of the index."""
    inner: int | None = None
    """Value number of a sum with the counter in it that it adds another term to, so that the compiler sorts them."""
    adds_sum: bool = False
    """Whether what it adds to the counter is a sum."""
    is_of_sum: bool = False
    """Whether a sum with the counter in it is multiplied."""
    in_shared: bool = False

    @property
    def is_beside(self) -> bool:
        """Whether it multiplies the counter and adds something."""
        return abs(self.factor) != 1 and bool(self.beside)

    @property
    def use(self) -> tuple[int, Terms]:
        """The operation that takes the counter: a product or a sum."""
        return self.factor, self.beside if abs(self.factor) == 1 or self.is_of_sum else ()


@dataclass(frozen=True, slots=True)
class StreamShape:
    """Detail of a STREAM: an address that advances with a loop.

    `constant_step` tells whether the advance is known to the compiler, so that all copies of an unrolled
    body share one pointer; `has_invariants` whether something besides the counter is in the index.
    """

    constant_step: bool
    has_invariants: bool
    by_offset: bool = False
    """Whether all pointers of the loop add one common offset that advances (clang, runtime steps)."""
    plain_stride: bool = True
    """Whether a runtime stride is an argument as it is, which one multiply-add can take."""
    is_bytes: bool = False
    """Whether the elements are bytes: no multiply-add scales the step."""
    word: ScaledWord | None = None
    """The index, where it multiplies the counter by a constant and may advance as a word."""
    is_in_row: bool = False
    """Whether the index has two parts that are widened apart."""
    is_widened: bool = False
    """Whether the runtime stride is a word that a multiplication of 64 bits widens."""

    is_of_word: bool = True
    """Whether the index is one word, which pointers to several arrays may share."""

    word_operations: float = 0.0
    """What each copy takes where the index advances as a word, and no pointer does; 0 where one does."""

    adds_product: bool = False
    """Whether a product of two registers that the loop leaves alone is in the index."""

    starts_at_stride: bool = False
    """Whether a multiple of a runtime stride is in the index besides that of the counter."""

    element_bytes: int = 0
    """Bytes of what is indexed."""

    word_row: tuple[object, ...] = ()
    """What tells the index that advances as a word in front of the strides of the run, whichever the array; nothing where none does."""

    counts_up: bool = False
    """Whether such a loop counts from its start, as what is left over is counted on."""

    term: CounterTerm | None = None
    """How the index takes the counter, where it is a word that advances by a constant."""

    @property
    def is_multiplied(self) -> bool:
        """Whether one multiply-add advances it by a stride that only the run knows."""
        return not self.constant_step and self.plain_stride and not self.is_bytes
