"""Integer values as polynomials with integer coefficients over opaque values.

Two index expressions that are equal as polynomials share one address, and a constant difference becomes the
immediate offset of the access.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.values import Pseudo
from roofstat.program.code import Op

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value

Monomial = tuple[int, ...]
"""Sorted value numbers that are multiplied; the empty one is the constant term."""

Polynomial = dict[Monomial, int]

MAX_TERMS = 12
MAX_PRODUCT_TERMS = 12
"""Larger polynomials and products become opaque: nothing is gained and products would explode."""


def last_constant(value: Value) -> tuple[Value, int]:
    """A sum without the constant that is added last, and that."""
    if value.op is Op.ADD and value.args[1].is_constant:
        return value.args[0], int(value.args[1].constant or 0)
    return value, 0


def constant_multiple(value: Value) -> tuple[Value, int]:
    """What a product or a shift by a constant multiplies, and by what; other values are once themselves."""
    if value.op not in {Op.MUL, Op.SHL} or not isinstance(value.args[1].constant, int):
        return value, 1
    factor = value.args[1].constant
    if value.op is Op.SHL:
        return (value, 1) if factor < 0 else (value.args[0], 1 << factor)
    return value.args[0], factor


def polynomial(value: Value) -> Polynomial:
    """The polynomial form, opaque parts as monomials of their own value number."""
    known = value.polynomial
    if known is not None:
        return known
    result = _expand(value)
    if result is not None and len(result) > MAX_TERMS:
        result = _coarse(value)
    if result is None or len(result) > MAX_TERMS:
        result = {(value.number,): 1}
    value.polynomial = result
    return result


def constant_term(poly: Polynomial) -> int:
    """The constant part."""
    return poly.get((), 0)


def without_constant(poly: Polynomial) -> Polynomial:
    """The polynomial without its constant part."""
    return {monomial: factor for monomial, factor in poly.items() if monomial}


def signature(poly: Polynomial) -> tuple[tuple[Monomial, int], ...]:
    """A hashable, canonical form."""
    return tuple(sorted(poly.items()))


def _expand(value: Value) -> Polynomial | None:
    scalar = value.scalar
    if value.is_constant:
        constant = value.constant
        return {(): int(constant)} if isinstance(constant, int) and constant else {}
    if not scalar.is_integer:
        return None
    args = value.args
    match value.op:
        case Op.ADD:
            return _sum(polynomial(args[0]), polynomial(args[1]), 1)
        case Op.SUB:
            return _sum(polynomial(args[0]), polynomial(args[1]), -1)
        case Op.NEG:
            return _sum({}, polynomial(args[0]), -1)
        case Op.MUL:
            return _product(polynomial(args[0]), polynomial(args[1]))
        case Op.SHL if args[1].is_constant:
            return _product(polynomial(args[0]), {(): 1 << (int(args[1].constant or 0) & 63)})
        case Op.CAST:
            return _cast(scalar, value.detail, args[0])
        case _:
            return None


def _coarse(value: Value) -> Polynomial | None:
    """A sum that is too long to expand, its longer operand left whole: constants beside it still show."""
    if value.op not in {Op.ADD, Op.SUB}:
        return None
    left, right = (polynomial(arg) for arg in value.args)
    sign = 1 if value.op is Op.ADD else -1
    if len(left) >= len(right):
        left = {(value.args[0].number,): 1}
    else:
        right = {(value.args[1].number,): 1}
    return _sum(left, right, sign)


def _cast(target: Scalar, source: object, operand: Value) -> Polynomial | None:
    """Through a conversion: between words of one size always, widening only of signed values.

    Signed overflow is undefined, so a sum may be extended term by term.
    """
    if not isinstance(source, Scalar) or not source.is_integer or source is Scalar.BOOL:
        return None
    if source.size_bytes < Scalar.I32.size_bytes or target.size_bytes < source.size_bytes:
        return None
    if target.is_signed and not source.is_signed and _may_wrap(operand):
        return None
    if target.size_bytes == source.size_bytes or source.is_signed:
        return polynomial(operand)
    return None


def _may_wrap(value: Value) -> bool:
    """Whether it is a signed variable of a loop that steps in unsigned arithmetic, by more than one."""
    if value.op not in {Op.ADD, Op.SUB} or value.scalar.is_signed:
        return False
    step, variable = value.args[1], value.args[0]
    if not step.is_constant or abs(int(step.constant or 0)) == 1:
        return False
    while variable.op is Op.CAST:
        variable = variable.args[0]
    return variable.op is Pseudo.PHI or _may_wrap(variable)


def _sum(left: Polynomial, right: Polynomial, sign: int) -> Polynomial:
    result = dict(left)
    for monomial, factor in right.items():
        total = result.get(monomial, 0) + sign * factor
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def _product(left: Polynomial, right: Polynomial) -> Polynomial | None:
    if len(left) * len(right) > MAX_PRODUCT_TERMS:
        return None
    result: Polynomial = {}
    for first, first_factor in left.items():
        for second, second_factor in right.items():
            monomial = tuple(sorted(first + second))
            total = result.get(monomial, 0) + first_factor * second_factor
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
    return result


def polynomial_of_pairs(value: Value) -> Polynomial:
    """The polynomial of a 64-bit value whose widened words are opaque: LLVM finds no strides through conversions."""
    args = value.args
    found: Polynomial | None = None
    if value.is_constant:
        found = polynomial(value)
    elif value.op in {Op.ADD, Op.SUB}:
        first, second = map(polynomial_of_pairs, args)
        found = _sum(first, second, 1 if value.op is Op.ADD else -1)
    elif value.op is Op.MUL:
        found = _product(*map(polynomial_of_pairs, args))
    elif value.op is Op.SHL and args[1].is_constant:
        found = _product(polynomial_of_pairs(args[0]), {(): 1 << (int(args[1].constant or 0) & 63)})
    return {(value.number,): 1} if found is None or len(found) > MAX_TERMS else found


def plus(poly: Polynomial, other: Polynomial) -> Polynomial:
    """The sum of two polynomials."""
    return _sum(poly, other, 1)


def scaled(poly: Polynomial, factor: int) -> Polynomial:
    """A multiple of a polynomial."""
    return {monomial: term * factor for monomial, term in poly.items()} if factor else {}


def difference_of(poly: Polynomial, known: Polynomial) -> Polynomial:
    """The terms of one polynomial less those of another."""
    return _sum(poly, known, -1)


def lowest_bit(poly: Polynomial) -> int:
    """The lowest bit that a value may have, as its factors tell."""
    factors = math.gcd(*poly.values())
    return factors & -factors
