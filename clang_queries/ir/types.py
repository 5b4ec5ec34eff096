"""Types of the kernel IR: what the front end knows about the memory layout of a value.

A reference (`T&`) never occurs as a type of an expression: variables and parameters that are declared as references
have a `PointerType`, and every use of them is wrapped in `Deref`.
"""

from __future__ import annotations

from enum import Enum

from clang_queries.quick_dataclass import dataclass


class Scalar(Enum):
    """Arithmetic types; the value is (short name, size in bytes)."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    VOID = ("void", 0)
    BOOL = ("bool", 1)
    I8 = ("i8", 1)
    U8 = ("u8", 1)
    I16 = ("i16", 2)
    U16 = ("u16", 2)
    I32 = ("i32", 4)
    U32 = ("u32", 4)
    I64 = ("i64", 8)
    U64 = ("u64", 8)
    I128 = ("i128", 16)
    U128 = ("u128", 16)
    F16 = ("f16", 2)
    BF16 = ("bf16", 2)
    F32 = ("f32", 4)
    F64 = ("f64", 8)

    # Attributes, not properties: the machine asks in every step.

    label: str
    """Short name, for example ``f32``."""
    size_bytes: int
    """Size of one value in bytes."""
    is_float: bool
    """Whether arithmetic on it is floating point."""
    is_signed: bool
    """Whether it is a signed integer."""
    is_integer: bool
    """Whether it is an integer (bool included)."""

    def __init__(self, label: str, size_bytes: int) -> None:
        self.label = label
        self.size_bytes = size_bytes
        self.is_float = label in ("f16", "bf16", "f32", "f64")
        self.is_signed = label.startswith("i")
        self.is_integer = not self.is_float and label != "void"
        self._mask = (1 << size_bytes * 8) - 1
        self._highest = self._mask >> self.is_signed

    def wrapped(self, value: int) -> int:
        """An integer reduced to the range of this integer type."""
        value &= self._mask
        return value - self._mask - 1 if value > self._highest else value


@dataclass(frozen=True, slots=True)
class ScalarType:
    """An arithmetic type, an enumeration or void."""

    scalar: Scalar

    @property
    def size_bytes(self) -> int:
        """Size in bytes; 0 for void."""
        return self.scalar.size_bytes


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer, or a declared reference (then never null and never rebound)."""

    pointee: Type
    is_reference: bool = False
    is_restrict: bool = False
    is_const: bool = False
    """Whether the pointee is const."""
    is_volatile: bool = False
    """Whether the pointee is volatile."""

    @property
    def size_bytes(self) -> int:
        """Size in bytes."""
        return 8


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array; `length` is None for an incomplete or variable-length array."""

    element: Type
    length: int | None

    @property
    def size_bytes(self) -> int:
        """Size in bytes; 0 where the length is not a constant."""
        return self.element.size_bytes * (self.length or 0)


@dataclass(frozen=True, slots=True)
class RecordType:
    """A struct, class, union or closure; its fields stand in `Unit.records[key]`."""

    key: str
    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FunctionType:
    """The type of a function; only pointers to it have values."""

    result: Type

    @property
    def size_bytes(self) -> int:
        """Functions have no size."""
        return 0


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type that the front end cannot describe (dependent, incomplete, member pointer, ...)."""

    name: str
    size_bytes: int = 0


Type = ScalarType | PointerType | ArrayType | RecordType | FunctionType | OpaqueType

VOID = ScalarType(Scalar.VOID)
BOOL = ScalarType(Scalar.BOOL)
I32 = ScalarType(Scalar.I32)
U32 = ScalarType(Scalar.U32)
I64 = ScalarType(Scalar.I64)
U64 = ScalarType(Scalar.U64)
F32 = ScalarType(Scalar.F32)
F64 = ScalarType(Scalar.F64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A data member (or a base class, named by its type)."""

    name: str
    type: Type
    offset_bytes: int
    bit_offset: int = 0
    """Offset within the storage unit at `offset_bytes`; meaningful with `bit_width`."""
    bit_width: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Layout of a record type."""

    key: str
    name: str
    size_bytes: int
    align_bytes: int
    fields: tuple[Field, ...]
    is_union: bool = False
    virtual_methods: tuple[tuple[str, str], ...] = ()
    """(key of the overridden method, key of this class's override) pairs."""
