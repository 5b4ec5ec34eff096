"""Expressions in OpenMP clauses: libclang does not parse them without ``-fopenmp``, so they are read here.

Names are looked up in the function being lowered, then among the globals; object-like macros are replaced.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.expressions import (
    Binary,
    BinaryOp,
    Call,
    Cast,
    Conditional,
    Constant,
    Expr,
    FunctionName,
    Logical,
    LogicalOp,
    Member,
    OpaqueExpr,
    Position,
    StringLiteral,
    Subscript,
    Unary,
    UnaryOp,
)
from clang_queries.ir.statements import DiagnosticKind, ParseDiagnostic, VariableDeclaration
from clang_queries.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U32,
    U64,
    ArrayType,
    FunctionType,
    OpaqueType,
    PointerType,
    RecordType,
    Scalar,
    ScalarType,
    Type,
)
from clang_queries.lexing import Macro
from clang_queries.lowering.conversions import convert
from clang_queries.lowering.operators import common_type, promoted
from clang_queries.lowering.scope import Scope, address_of, dereference, use_variable
from clang_queries.lowering.text import string_value
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOKEN = pattern(
    r"\s*(?:(?P<number>0[xX][\da-fA-F]+[uUlL]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlL]*)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<name>[A-Za-z_]\w*(?:::\w+)*)"
    r"|(?P<op><<|>>|<=|>=|==|!=|&&|\|\||->|[-+*/%<>()\[\]!~&|^?:.,=]))"
)
_LEVELS: tuple[dict[str, BinaryOp | LogicalOp], ...] = (
    {"||": LogicalOp.OR},
    {"&&": LogicalOp.AND},
    {"|": BinaryOp.OR},
    {"^": BinaryOp.XOR},
    {"&": BinaryOp.AND},
    {"==": BinaryOp.EQ, "!=": BinaryOp.NE},
    {"<": BinaryOp.LT, ">": BinaryOp.GT, "<=": BinaryOp.LE, ">=": BinaryOp.GE},
    {"<<": BinaryOp.SHL, ">>": BinaryOp.SHR},
    {"+": BinaryOp.ADD, "-": BinaryOp.SUB},
    {"*": BinaryOp.MUL, "/": BinaryOp.DIV, "%": BinaryOp.REM},
)
_TYPE_WORDS: dict[str, Type] = {
    "int": I32,
    "unsigned": U32,
    "long": I64,
    "size_t": U64,
    "float": F32,
    "double": F64,
    "bool": BOOL,
    "char": ScalarType(Scalar.I8),
    "short": ScalarType(Scalar.I16),
}
_OTHER_TYPE_WORDS = frozenset({"const", "signed", "struct", "volatile"})
_MAXIMUM_EXPANSIONS = 32
SECTION = "array section"
"""Reason of the `OpaqueExpr` that stands for ``a[low:length]``: its operands are the base, the lower bound, the length."""


@dataclass(frozen=True, slots=True)
class ClauseNames:
    """What a name in a clause may mean besides variables."""

    macros: Mapping[str, Macro]
    template_values: Mapping[str, int]
    """Template arguments, and constants of the class, of the function around the clause."""
    owner: str = ""
    """The namespaces and classes around that function, each followed by ``::``."""


def lower_clause_expression(
    scope: Scope, text: str, position: Position, names: ClauseNames
) -> Expr:
    """Reads one expression or list item; what cannot be read is opaque."""
    try:
        return _Reader(scope, text, position, names).whole()
    except (_UnreadableError, RecursionError):
        scope.unit.opaque("clause expression")
        remark = f"'{text}' in a clause could not be read"
        scope.unit.remarks.append(
            ParseDiagnostic(text=remark, position=position, kind=DiagnosticKind.READING)
        )
        return OpaqueExpr(OpaqueType("?"), position, f"clause expression: {text}")


class _UnreadableError(Exception):
    """The text is no expression that this reader knows."""


class _Reader:
    """A recursive descent over the tokens of one expression."""

    def __init__(self, scope: Scope, text: str, position: Position, names: ClauseNames) -> None:
        self.scope = scope
        self.position = position
        self.macros = names.macros
        self.values = names.template_values
        self.owner = names.owner
        self.tokens = self._tokens(text)
        self.next = 0
        self.expansions = 0
        self._named_types = scope.unit.named_types

    def _tokens(self, text: str) -> list[str]:
        found = []
        place = 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None:
                raise _UnreadableError
            found.append(match[0].strip())
            place = match.end()
        return found

    def whole(self) -> Expr:
        """The one expression that the text is."""
        found = self.conditional()
        if self.next < len(self.tokens):
            raise _UnreadableError
        return found

    def _peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def _take(self, lexeme: str) -> bool:
        if self._peek() == lexeme:
            self.next += 1
            return True
        return False

    def _expect(self, lexeme: str) -> None:
        if not self._take(lexeme):
            raise _UnreadableError

    def conditional(self) -> Expr:
        """An expression without assignment or comma."""
        condition = self._binary(0)
        if not self._take("?"):
            return condition
        then = self.conditional()
        self._expect(":")
        otherwise = self.conditional()
        type_ = _arithmetic(then, otherwise) or then.type
        return Conditional(
            type_,
            self.position,
            self._truth(condition),
            convert(self.scope, then, type_),
            convert(self.scope, otherwise, type_),
        )

    def _truth(self, value: Expr) -> Expr:
        return convert(self.scope, value, BOOL)

    def _binary(self, level: int) -> Expr:
        if level == len(_LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while self._peek() in _LEVELS[level]:
            op = _LEVELS[level][self._peek()]
            self.next += 1
            left = self._combine(op, left, self._binary(level + 1))
        return left

    def _combine(self, op: BinaryOp | LogicalOp, left: Expr, right: Expr) -> Expr:
        if isinstance(op, LogicalOp):
            return Logical(BOOL, self.position, op, self._truth(left), self._truth(right))
        if op in (BinaryOp.SHL, BinaryOp.SHR) and isinstance(left.type, ScalarType):
            shifted = promoted(left.type)
            return Binary(shifted, self.position, op, convert(self.scope, left, shifted), right)
        type_ = _arithmetic(left, right)
        if type_ is None:
            pointer = left.type if isinstance(left.type, PointerType) else right.type
            return Binary(BOOL if op.is_comparison else pointer, self.position, op, left, right)
        left, right = convert(self.scope, left, type_), convert(self.scope, right, type_)
        return Binary(BOOL if op.is_comparison else type_, self.position, op, left, right)

    def _unary(self) -> Expr:
        lexeme = self._peek()
        if lexeme in ("-", "~", "!", "+"):
            self.next += 1
            operand = self._unary()
            if lexeme == "+":
                return operand
            if lexeme == "!":
                return Unary(BOOL, self.position, UnaryOp.NOT, self._truth(operand))
            op = UnaryOp.NEG if lexeme == "-" else UnaryOp.BIT_NOT
            return Unary(operand.type, self.position, op, operand)
        if self._take("*"):
            return dereference(self._unary())
        if self._take("&"):
            return address_of(self._unary())
        if lexeme == "(" and self._type_follows(self.next + 1):
            self.next += 1
            target = self._type()
            self._expect(")")
            operand = self._unary()
            if isinstance(target, ScalarType):
                return convert(self.scope, operand, target)
            return Cast(target, self.position, operand)
        return self._postfix(self._primary())

    def _type_follows(self, index: int) -> bool:
        word = self.tokens[index] if index < len(self.tokens) else ""
        return word in _TYPE_WORDS or word in _OTHER_TYPE_WORDS or word in self._named_types

    def _type(self) -> Type:
        words: set[str] = set()
        type_: Type = I32
        while re.fullmatch(r"[A-Za-z_][\w:]*", self._peek()):
            word = self._peek()
            if word in self._named_types:
                type_ = self.scope.types.of(self._named_types[word])
            elif word in _TYPE_WORDS and not (word == "int" and words):
                type_ = _TYPE_WORDS[word]
            words.add(word)
            self.next += 1
        if {"unsigned", "long"} <= words:
            type_ = U64
        while self._take("*"):
            type_ = PointerType(type_)
        return type_

    def _primary(self) -> Expr:
        lexeme = self._peek()
        if lexeme == "" or not (lexeme[0].isalnum() or lexeme[0] in '_(."'):
            raise _UnreadableError
        self.next += 1
        if lexeme[0] == '"':
            value = string_value(lexeme)
            characters = ArrayType(ScalarType(Scalar.I8), len(value) + 1)
            return StringLiteral(characters, self.position, value)
        if lexeme == "(":
            inner = self.conditional()
            self._expect(")")
            return inner
        if lexeme[0].isdigit() or lexeme[0] == ".":
            return self._number(lexeme)
        return self._name(lexeme)

    def _number(self, lexeme: str) -> Constant:
        is_hex = lexeme.lower().startswith("0x")
        if not is_hex and re.search(r"[.eE]|[fF]$", lexeme):
            type_ = F32 if lexeme[-1] in "fF" else F64
            return Constant(type_, self.position, float(lexeme.rstrip("fFlL")))
        digits = lexeme.rstrip("uUlL")
        suffix = lexeme[len(digits) :].lower()
        is_octal = not is_hex and len(digits) > 1 and digits.startswith("0")
        value = int(digits, 16 if is_hex else 8 if is_octal else 10)
        is_long = "l" in suffix or value >= 2**31
        types = {(False, False): I32, (False, True): I64, (True, False): U32, (True, True): U64}
        return Constant(types["u" in suffix, is_long], self.position, value)

    def _name(self, name: str) -> Expr:
        scope = self.scope
        if name in ("true", "false"):
            return Constant(BOOL, self.position, name == "true")
        if name == "sizeof":
            return self._size()
        if name in self.values:
            return Constant(I32, self.position, self.values[name])
        if name == "this":
            address = scope.this_address(self.position)
            if address is None:
                raise _UnreadableError
            return address
        known = scope.names.get(name)
        if known is not None:
            return use_variable(known, self.position)
        captured = scope.captured.get(name)
        if captured is not None:
            return captured(self.position)
        macro = self.macros.get(name)
        if (
            macro is not None
            and macro.parameters is None
            and macro.body
            and self.expansions < _MAXIMUM_EXPANSIONS
        ):
            self.expansions += 1
            self.tokens[self.next : self.next] = ["(", *self._tokens(macro.body), ")"]
            return self._primary()
        field = self._field_of_this(name)
        if field is not None:
            return field
        declaration = self._global(name)
        if declaration is not None:
            return use_variable(declaration, self.position)
        enumerator = scope.unit.enumerator(name) if self._peek() != "(" else None
        if enumerator is not None:
            return Constant(I32, self.position, enumerator)
        if self._peek() == "(":
            return self._call(name)
        raise _UnreadableError

    def _global(self, name: str) -> VariableDeclaration | None:
        """The global that a name stands for.

        Those of the namespaces around the function come first, from the inside out. What using-declarations and
        using-directives make visible is not recorded, so the others whose qualified names end so follow, the shortest first.
        """

        def distance(declaration: VariableDeclaration) -> tuple[bool, int]:
            around = declaration.name.removesuffix(name)
            depth = around.count("::")
            is_around = self.owner.startswith(around)
            return not is_around, -depth if is_around else depth

        declared = self.scope.unit.globals.values()
        found = [item for item in declared if f"::{item.name}".endswith(f"::{name}")]
        if not found:
            found = [item for item in declared if item.name == name.rpartition("::")[2]]
        return min(found, key=distance, default=None)

    def _size(self) -> Expr:
        self._expect("(")
        size = (
            self._type().size_bytes
            if self._type_follows(self.next)
            else self.conditional().type.size_bytes
        )
        self._expect(")")
        return Constant(U64, self.position, size)

    def _field_of_this(self, name: str) -> Expr | None:
        address = self.scope.this_address(self.position)
        return None if address is None else self._field(dereference(address), name)

    def _field(self, base: Expr, name: str) -> Expr | None:
        record = (
            self.scope.types.records.get(base.type.key)
            if isinstance(base.type, RecordType)
            else None
        )
        for field in () if record is None else record.fields:
            if field.name == name:
                found = Member(
                    field.type,
                    self.position,
                    base,
                    name,
                    field.offset_bytes,
                    field.bit_offset,
                    field.bit_width,
                )
                is_reference = isinstance(field.type, PointerType) and field.type.is_reference
                return dereference(found) if is_reference else found
        return None

    def _call(self, name: str) -> Expr:
        self._expect("(")
        arguments: list[Expr] = []
        while not self._take(")"):
            arguments.append(self.conditional())
            if not self._take(",") and self._peek() != ")":
                raise _UnreadableError
        for function in self.scope.unit.functions.values():
            if function.name == name:
                callee = FunctionName(
                    FunctionType(function.result), self.position, function.key, name
                )
                return Call(function.result, self.position, callee, tuple(arguments))
        type_ = arguments[0].type if arguments else I32
        return Call(
            type_,
            self.position,
            FunctionName(FunctionType(type_), self.position, "", name),
            tuple(arguments),
        )

    def _postfix(self, base: Expr) -> Expr:
        while True:
            if self._take("["):
                base = self._subscript(base)
            elif self._peek() in (".", "->"):
                base = dereference(base) if self._peek() == "->" else base
                self.next += 1
                name = self._peek()
                self.next += 1
                field = self._field(base, name)
                base = self._method(base, name) if field is None else field
            else:
                return base

    def _method(self, base: Expr, name: str) -> Expr:
        """A call without arguments, such as the size of a container; it has no key."""
        self._expect("(")
        self._expect(")")
        if not isinstance(base.type, RecordType):
            raise _UnreadableError
        owner = base.type.name.partition("<")[0]
        callee = FunctionName(FunctionType(U64), self.position, "", f"{owner}::{name}")
        return Call(U64, self.position, callee, (address_of(base),))

    def _subscript(self, base: Expr) -> Expr:
        low: Expr = Constant(I32, self.position, 0)
        if self._peek() != ":":
            low = self.conditional()
        if self._take("]"):
            element: Type = OpaqueType("?")
            if isinstance(base.type, PointerType):
                element = base.type.pointee
            elif isinstance(base.type, ArrayType):
                element = base.type.element
            return Subscript(element, self.position, base, low)
        self._expect(":")
        operands = (base, low) if self._peek() == "]" else (base, low, self.conditional())
        self._expect("]")
        return OpaqueExpr(base.type, self.position, SECTION, operands)


def _arithmetic(left: Expr, right: Expr) -> ScalarType | None:
    if isinstance(left.type, ScalarType) and isinstance(right.type, ScalarType):
        return common_type(left.type, right.type)
    return None
