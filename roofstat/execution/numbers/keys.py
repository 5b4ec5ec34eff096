"""Identities of unknowns: by the place that makes them, so that what is drawn at one place does not hang on others.

A place is an instruction or branch, told apart from others by what it does and to what, by the calls that lead to it and by
the launch; the first unknown that it makes, the second, and so on, have keys of their own. Loads of other data, further
arguments and other kernels move no key.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from roofstat.program.place_names import mixed, place_names, text_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.program.code import Code


class Activation:
    """Where a run is: `item` is the instruction or region at hand, or a number that stands for a place."""

    __slots__ = ("_code", "_counts", "_outer", "_scope", "item")

    def __init__(self, outer: Activation | None, code: Code | None, scope: int | None) -> None:
        self._outer = outer
        self._code = code
        self._scope = scope
        self._counts: dict[int, int] = {} if outer is None else outer._counts  # noqa: SLF001
        self.item: object = None

    @property
    def outer(self) -> Activation | None:
        """Where the call came from."""
        return self._outer

    def place(self) -> int:
        """Number of the place at hand."""
        scope = self._scope
        if scope is None:
            # Found when it is first asked for: many functions compute with known numbers alone.
            assert self._outer is not None
            scope = self._scope = mixed(self._outer.place())
        item = self.item
        if isinstance(item, int):
            return scope ^ item
        return scope if self._code is None else scope ^ place_names(self._code).get(item, 0)

    def next_key(self, place: int) -> int:
        """The key of the next unknown that a place makes."""
        count = self._counts.get(place, 0) + 1
        self._counts[place] = count
        return place + count


_here = Activation(None, None, 0)


def restart_keys() -> None:
    """Forget all places, so that a run does not depend on what ran before it."""
    global _here  # noqa: PLW0603 - one machine runs at a time in a process
    _here = Activation(None, None, 0)


def new_key() -> int:
    """Identity for a new unknown."""
    return _here.next_key(_here.place())


def new_turn() -> tuple[int, int]:
    """Key of a new unknown, and how many the place at hand has made with it."""
    place = _here.place()
    key = _here.next_key(place)
    return key, key - place


def enter_code(code: Code) -> Activation:
    """Begin a call of some code from the place at hand; `leave_code` ends it."""
    global _here  # noqa: PLW0603
    _here = Activation(_here, code, None)
    return _here


def leave_code(left: Activation) -> None:
    """Go back to where a call came from."""
    global _here  # noqa: PLW0603
    assert left.outer is not None
    _here = left.outer


def named_key(name: str) -> int:
    """The key of something that has a name: of several of one name the place at hand tells them apart."""
    return _here.next_key(_here.place() ^ text_name(name))


@contextmanager
def in_run(number: int) -> Iterator[None]:
    """Unknowns of one run of a kernel have the same keys whenever it is repeated."""
    global _here  # noqa: PLW0603
    outer = _here
    _here = Activation(None, None, number)
    try:
        yield
    finally:
        _here = outer


@contextmanager
def at_place(name: int) -> Iterator[None]:
    """Unknowns are those of something that has a key itself, as of an allocation."""
    at_hand, _here.item = _here.item, mixed(name)
    try:
        yield
    finally:
        _here.item = at_hand
