"""Expressions of the kernel IR: frozen, typed, without cursors.

Conventions, so that a consumer needs no C++ rules:

- `type` is the type of the value (or, for an lvalue, of the object designated); never a reference.
- Lvalues are `Variable`, `Deref`, `Subscript`, `Member` of an lvalue, `StringLiteral`, and `Conditional`/`Comma`/`Assign`
  (compound or not)/prefix `IncDec` that end in one. Using an lvalue where a value is needed loads it; an lvalue of
  `ArrayType` used as a value decays to the address of its first element.
- Implicit conversions stand as `Cast`. The usual arithmetic conversions are applied: both sides of an arithmetic
  `Binary` have its type (shifts: the left side does). Comparisons have type bool and equal operand types.
- Calls of overloaded operators, methods, conversion functions and functors are plain `Call`s: the object comes first,
  as `AddressOf` it. Reference parameters get an address. Default arguments are filled in.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.ir.statements import Compound
    from clang_queries.ir.types import Type


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the source: file as given to the parser, 1-based line and column."""

    file: str
    line: int
    column: int


class BinaryOp(Enum):
    """Arithmetic, bitwise and comparison operators."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    SHL = "<<"
    SHR = ">>"
    AND = "&"
    OR = "|"
    XOR = "^"
    LT = "<"
    GT = ">"
    LE = "<="
    GE = ">="
    EQ = "=="
    NE = "!="

    @property
    def is_comparison(self) -> bool:
        """Whether the result is a truth value."""
        return self in _COMPARISONS


_COMPARISONS = frozenset(
    {BinaryOp.LT, BinaryOp.GT, BinaryOp.LE, BinaryOp.GE, BinaryOp.EQ, BinaryOp.NE}
)


class UnaryOp(Enum):
    """Value-preserving unary operators (increments are `IncDec`)."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    NEG = "-"
    BIT_NOT = "~"
    NOT = "!"


class LogicalOp(Enum):
    """Short-circuit operators."""

    AND = "&&"
    OR = "||"


@dataclass(frozen=True, slots=True)
class Expr:
    """Base of all expressions."""

    type: Type
    position: Position


@dataclass(frozen=True, slots=True)
class Constant(Expr):
    """A number, truth value or null pointer (0), or an enumerator, or a folded sizeof."""

    value: int | float | bool


@dataclass(frozen=True, slots=True)
class StringLiteral(Expr):
    """A string; lvalue of array type."""

    value: str


@dataclass(frozen=True, slots=True)
class Variable(Expr):
    """A use of a local, parameter or global; `key` names its `VariableDeclaration`."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class FunctionName(Expr):
    """A function used as a value or callee; `key` is looked up in `Unit.functions` (absent: no body anywhere).

    `name` is qualified without template arguments (``std::min``, ``sinf``, ``cub::BlockReduce::Sum``);
    `template_arguments` are spelled, for library calls whose meaning depends on them.
    """

    key: str
    name: str
    template_arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deref(Expr):
    """``*pointer``; lvalue."""

    pointer: Expr


@dataclass(frozen=True, slots=True)
class Subscript(Expr):
    """``base[index]`` on a pointer value or an array lvalue; lvalue."""

    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class Member(Expr):
    """``base.field`` (``p->f`` is a member of a `Deref`; base-class subobjects are already added to the offset)."""

    base: Expr
    name: str
    offset_bytes: int
    bit_offset: int = 0
    bit_width: int | None = None


@dataclass(frozen=True, slots=True)
class AddressOf(Expr):
    """``&lvalue``, or the address of a temporary that holds a value (binding a const reference)."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """``-x``, ``~x``, ``!x``."""

    op: UnaryOp
    operand: Expr


@dataclass(frozen=True, slots=True)
class IncDec(Expr):
    """``++x``, ``x--`` and so on; `delta` is +1 or -1 (in elements for pointers)."""

    target: Expr
    delta: int
    is_prefix: bool


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Arithmetic or comparison; pointer + integer (in elements) and pointer - pointer (in elements) included."""

    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logical(Expr):
    """``a && b``, ``a || b``."""

    op: LogicalOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional(Expr):
    """``condition ? then : otherwise``."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Assign(Expr):
    """``target = value``, scalars, pointers or whole records (bitwise copy)."""

    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class CompoundAssign(Expr):
    """``target op= value``, computed in `computation_type` and converted back; pointers step in elements."""

    op: BinaryOp
    target: Expr
    value: Expr
    computation_type: Type


@dataclass(frozen=True, slots=True)
class Cast(Expr):
    """Conversion of `operand` to `type` (numeric, pointer, pointer-integer, bool, to void)."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class BitCast(Expr):
    """Reinterpretation of the operand's bytes (``__builtin_bit_cast``); value."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A call; `callee` is a `FunctionName` or an expression that yields a function pointer.

    `is_virtual` marks calls that dispatch at run time on the first argument.
    """

    callee: Expr
    arguments: tuple[Expr, ...]
    is_virtual: bool = False


@dataclass(frozen=True, slots=True)
class Construct(Expr):
    """A record value made by a constructor; the constructor's first parameter (`this`) is the new object.

    `constructor` is None for a bitwise copy (one argument) or an uninitialised object (no argument).
    """

    constructor: FunctionName | None
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class InitList(Expr):
    """An aggregate value; `elements` are (offset in bytes, value), everything else is zero when `zero_fill`.

    Lambdas are closures: an `InitList` of their captures, with a `RecordType` whose call operator is
    `Unit.call_operators[key]`.
    """

    elements: tuple[tuple[int, Expr], ...]
    zero_fill: bool = True


@dataclass(frozen=True, slots=True)
class Comma(Expr):
    """``left, right``."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class StatementExpr(Expr):
    """GNU ``({ ... value; })``; the value is that of the last expression statement."""

    body: Compound


@dataclass(frozen=True, slots=True)
class Launch(Expr):
    """``kernel<<<grid, block, shared_bytes, stream>>>(arguments)``.

    `kernel` is a `FunctionName` or an expression yielding a function pointer; `grid` and `block` have the record type
    dim3; `arguments` are converted to the parameters' types.
    """

    kernel: Expr
    grid: Expr
    block: Expr
    shared_bytes: Expr | None
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class New(Expr):
    """``new T``, ``new T[count]``; `initializer` builds one element."""

    allocated: Type
    count: Expr | None
    initializer: Expr | None


@dataclass(frozen=True, slots=True)
class Delete(Expr):
    """``delete p``, ``delete[] p``."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class OpaqueExpr(Expr):
    """Something the front end could not lower; `operands` are the parts that it could."""

    reason: str
    operands: tuple[Expr, ...] = ()
