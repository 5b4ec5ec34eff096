"""Dataclasses with slots that are made quickly.

`dataclasses.dataclass` writes the methods of each class as source, up to eight, and compiles them: for the package's 420
classes that took 0.2 s, longer than all else of its imports. Here the methods are shared, and `__init__` is compiled when
the first instance of its class is made, since most runs need few of the classes.
"""

from __future__ import annotations

import dataclasses
import functools
import reprlib
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

Method = Callable[..., Any]

if TYPE_CHECKING:
    from dataclasses import dataclass  # checkers know that one
else:

    def dataclass(
        cls: type | None = None,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        kw_only: bool = False,
    ) -> type | Callable[[type], type]:
        """Make a class a dataclass. All arguments are as in the standard library."""
        if slots:
            make = functools.partial(_slotted, frozen=frozen, eq=eq, kw_only=kw_only)
        else:
            make = dataclasses.dataclass(frozen=frozen, eq=eq, kw_only=kw_only)
        return make if cls is None else make(cls)


def _slotted(cls: type, *, frozen: bool, eq: bool, kw_only: bool) -> type:
    own = [name for name, value in vars(cls).items() if value is not None]
    bare = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made: Any = bare(cls)
    fields = dataclasses.fields(made)
    methods: dict[str, Method | None] = {
        "__init__": _init(made, fields, frozen=frozen),
        "__repr__": _representation(fields),
    }
    if frozen:
        methods |= _protection(fields)
    if eq:
        methods |= _comparison(fields)
        if not frozen:
            methods["__hash__"] = None
    for name, method in methods.items():
        if name not in own:
            setattr(made, name, method)
    done: type = made
    return done


def _init(cls: Any, fields: Sequence[dataclasses.Field[Any]], *, frozen: bool) -> Method:
    """An `__init__` that gives way to the real one at its first call."""

    def init(self: object, *arguments: object, **named: object) -> None:
        cls.__init__ = _compiled_init(cls, fields, frozen=frozen)
        cls.__init__(self, *arguments, **named)

    return init


def _compiled_init(cls: type, fields: Sequence[dataclasses.Field[Any]], *, frozen: bool) -> Method:
    scope: dict[str, Any] = {"_absent": object()}
    positional: list[str] = []
    keywords: list[str] = []
    body: list[str] = []
    for field in fields:
        name = value = parameter = field.name
        if field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            parameter = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            scope[f"_make_{name}"] = field.default_factory
            parameter = f"{name}=_absent"
            value = f"_make_{name}() if {name} is _absent else {name}"
        if field.init:
            (keywords if field.kw_only else positional).append(parameter)
        elif field.default is not dataclasses.MISSING:
            value = f"_default_{name}"
        else:
            continue  # set in __post_init__
        if frozen:
            scope[f"_set_{name}"] = getattr(cls, name).__set__
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *positional, *(["*"] if keywords else []), *keywords])
    text = "\n ".join([f"def __init__({parameters}):", *body, "return"])
    exec(text, scope)  # noqa: S102 - of the names of fields alone, as dataclasses do it
    init: Method = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _representation(fields: Sequence[dataclasses.Field[Any]]) -> Method:
    shown = [field.name for field in fields if field.repr]

    @reprlib.recursive_repr()
    def show(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    return show


def _protection(fields: Sequence[dataclasses.Field[Any]]) -> dict[str, Method]:
    """What keeps fields as they are, and pickles them past that."""
    names = [field.name for field in fields]
    return {
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
        "__getstate__": lambda self: [getattr(self, name) for name in names],
        "__setstate__": _set_state,
    }


def _refuse_to_set(_self: object, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _set_state(self: Any, state: Sequence[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _comparison(fields: Sequence[dataclasses.Field[Any]]) -> dict[str, Method]:
    """Equality and hash, those of the tuple of the compared fields."""
    names = [field.name for field in fields if field.compare]
    # Of fewer than two names an attrgetter makes no tuple.
    key: Method = (
        attrgetter(*names)
        if len(names) > 1
        else lambda self: tuple(getattr(self, name) for name in names)
    )

    def equal(self: object, other: object) -> bool:
        same: bool = key(self) == key(other) if type(other) is type(self) else NotImplemented
        return same

    return {"__eq__": equal, "__hash__": lambda self: hash(key(self))}
