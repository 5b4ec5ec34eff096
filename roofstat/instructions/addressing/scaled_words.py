"""Indices that multiply a loop's counter by a constant: nvcc advances some of them as words, others as pointers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from roofstat.instructions.integers.polynomials import Monomial

Terms = tuple[tuple["Monomial", int], ...]
"""A polynomial in canonical form."""


@dataclass(frozen=True, slots=True)
class ScaledWord:
    """A word index that is a constant multiple of a counter, plus what a loop leaves alone."""

    factor: int
    beside: Terms
    """What is added to the multiple, without constants."""
    is_of_sum: bool
    """Whether the counter and something else are multiplied together: `(i + j) * 3`."""
    is_guarded: bool
    """Whether some iterations skip the access."""


class ScaledWords:
    """The scaled indices of one loop, and what else needs its counter.

    LLVM widens the index of an access in advance where it knows that the product does not overflow. Of the copies of
    an unrolled body, `(i + 1) * 3` becomes `i * 3 + 3`, which loses that, unless something else needs `i + 1` as well.
    """

    __slots__ = ("_is_apart", "_uses", "_words")

    def __init__(self) -> None:
        self._words: dict[ScaledWord, bool] = {}
        """The words, and whether an access has the multiple and nothing else."""
        self._is_apart = False
        """Whether an access has a constant or anything else beside a multiple."""
        self._uses: set[Terms] = set()

    def note(self, word: ScaledWord, constant: int) -> None:
        """An access with such an index, and a constant in that."""
        is_plain = not word.beside and not constant
        self._words[word] = self._words.get(word, False) or is_plain
        self._is_apart |= not is_plain

    def note_use(self, beside: Terms = ()) -> None:
        """A use of the counter as it is or times what only the run knows; what is added to it as it is."""
        self._uses.add(beside)

    def keeps(self, word: ScaledWord) -> bool:
        """Whether an index advances as a word, which each round widens and scales for the access."""
        if word.is_guarded or (word.is_of_sum and word.factor & (word.factor - 1) != 0):
            return True
        return not self._uses - ({word.beside} if word.beside else set())

    def kept(self) -> list[ScaledWord]:
        """Those that advance as words."""
        return [word for word in self._words if self.keeps(word)]

    def replace_counter(self) -> bool:
        """Whether words advance that leave nothing for which the counter is needed, as they are its multiples."""
        return not self._is_apart and not self._uses and bool(self._words)

    def takes_constant_off(self, word: ScaledWord) -> bool:
        """Whether each round takes a constant off: what advances is the index of the last copy."""
        return not self._words.get(word, True)
