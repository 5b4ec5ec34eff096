"""What `quick_dataclass` makes behaves like what the standard library makes."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field

import pytest

from clang_queries import quick_dataclass


def _point(dataclass: Callable[..., Callable[[type], type]], **options: bool) -> type:
    @dataclass(slots=True, **options)
    class Point:
        x: int
        y: int = 2
        marks: list[int] = field(default_factory=list)
        hidden: str = field(default="s", repr=False, compare=False)
        total: int = field(init=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.x + self.y)

    return Point


OPTIONS = [
    {"frozen": frozen, "eq": eq, "kw_only": kw_only}
    for frozen in (True, False)
    for eq in (True, False)
    for kw_only in (True, False)
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_same_as_the_standard_library(options: dict[str, bool]) -> None:
    own, standard = (
        _point(module.dataclass, **options) for module in (quick_dataclass, dataclasses)
    )
    one, other = own(x=1), standard(x=1)
    assert repr(one) == repr(other)
    assert dataclasses.asdict(one) == dataclasses.asdict(other)
    assert dataclasses.replace(one, y=5).total == 6
    assert [f.name for f in dataclasses.fields(own)] == [
        f.name for f in dataclasses.fields(standard)
    ]
    assert own.__match_args__ == standard.__match_args__
    assert (own(x=1) == one) == (standard(x=1) == other)
    assert (own(x=1, hidden="t") == one) == (standard(x=1, hidden="t") == other)
    assert own(x=3) != one
    assert one != other
    assert one.marks is not own(x=1).marks
    assert not hasattr(one, "__dict__")
    assert (own.__hash__ is None) == (standard.__hash__ is None)
    assert (own.__hash__ is object.__hash__) == (standard.__hash__ is object.__hash__)
    for made in (own, standard):
        with pytest.raises(TypeError):
            made()
        with pytest.raises(TypeError):
            made(x=1, total=3)
        if options["kw_only"]:
            with pytest.raises(TypeError):
                made(1)
        else:
            assert made(1, 3).total == 4
        if options["frozen"]:
            with pytest.raises(dataclasses.FrozenInstanceError):
                made(x=1).x = 2
            with pytest.raises(dataclasses.FrozenInstanceError):
                del made(x=1).x
        else:
            changed = made(x=1)
            changed.x = 7
            assert changed.x == 7


@quick_dataclass.dataclass(frozen=True, slots=True)
class Base:
    first: int


@quick_dataclass.dataclass(frozen=True, slots=True)
class Derived(Base):
    second: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return "own"


@quick_dataclass.dataclass(frozen=True, slots=True)
class Empty:
    pass


def test_inheritance_and_own_methods() -> None:
    assert Derived(1, (2,)) == Derived(first=1, second=(2,)) != Base(1)
    assert repr(Derived(1)) == "own"
    assert repr(Base(1)) == "Base(first=1)"


def test_hashes_are_those_of_the_fields() -> None:
    assert hash(Derived(1, (2,))) == hash((1, (2,)))
    assert hash(Base(3)) == hash((3,))
    assert Empty() == Empty()
    assert hash(Empty()) == hash(())


def test_copies_and_pickles() -> None:
    assert copy.copy(Derived(1, (2,))) == Derived(1, (2,))
    assert pickle.loads(pickle.dumps(Derived(1, (2,)))) == Derived(1, (2,))  # noqa: S301
