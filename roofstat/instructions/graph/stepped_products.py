"""Products that are an earlier one and a stride: `(y + 1) * n` after `y * n`.

Both compilers run LLVM's straight-line reduction of strength, which makes one addition of a sum and a product, and its
reassociation, which then adds the stride to `y * n + x` where that is there. Before that they factor sums: `z * m * n + (y + 1) * n`
is one product, of a sum that holds no constant at its end.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.integers.polynomials import constant_multiple, last_constant, polynomial
from roofstat.program.code import Op

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.instructions.graph.numbering import Numberer
    from roofstat.instructions.graph.values import Value
    from roofstat.program.code import Instruction

_REMEMBERED = 50
"""Candidates that LLVM goes back through."""


class SteppedProducts:
    """The products of one walk."""

    def __init__(self, numberer: Numberer) -> None:
        self._numberer = numberer
        self.is_factored = False
        """Whether the product that is made next is factored before."""
        self._known: dict[tuple[Scalar, int, int], list[tuple[int, Value]]] = {}
        """Products by what is stepped and the other factor, with the constant that is added to the former."""
        self._sums: dict[int, tuple[Value, Value]] = {}
        """By number, the sums that stand for products: an earlier one and what is added."""
        self._multiples: dict[tuple[Scalar, int, int], list[tuple[int, Value]]] = {}
        """Sums by one term and what the other is a multiple of, with the factor."""
        self._totals: dict[tuple[int, int], Value] = {}
        """Sums with such a product, by that and the other term."""
        self._open: set[frozenset[int]] = set()
        """Sums that are being made from others, by the numbers of their terms: those may lead back to them."""
        self._made: set[int] = set()
        """All that stand for products, differences too."""

    def product(self, scalar: Scalar, args: tuple[Value, Value]) -> Value:
        """A product of two factors that only the run knows, as an earlier one and a multiple of one of them where there is one."""
        found = self._stepped(scalar, args)
        if found is None:
            found = self._numberer.numbered(Op.MUL, scalar, args, None)
        for stepped, stride in (args, args[::-1]):
            base, step = last_constant(stepped)
            known = self._known.setdefault((scalar, base.number, stride.number), [])
            if (step, found) not in known:
                known.append((step, found))
                del known[:-_REMEMBERED]
        return found

    def _stepped(self, scalar: Scalar, args: tuple[Value, Value]) -> Value | None:
        if self.is_factored or self._is_copied() or any(map(self._counts, args)):
            return None
        for stepped, stride in (args, args[::-1]):
            base, step = last_constant(stepped)
            known = self._known.get((scalar, base.number, stride.number), []) if step else []
            for earlier, product in reversed(known):
                if product.context.is_active:
                    if earlier == step:
                        return product
                    return self._moved(scalar, product, stride, step - earlier)
        return None

    def _is_copied(self) -> bool:
        """Whether the code stands in copies of a loop inside a loop that is left."""
        return bool(self._numberer.unrolled_loops and self._numberer.frames)

    def _counts(self, factor: Value) -> bool:
        """Whether it takes what a loop carries, as counters are, whose products and sums loops reduce otherwise."""
        values = self._numberer.values
        return bool(self._numberer.frames) and any(
            values[number].op is Pseudo.PHI
            for monomial in polynomial(factor)
            for number in monomial
        )

    def total(self, scalar: Scalar, args: tuple[Value, Value]) -> Value:
        """A sum, as an earlier one and what a product or a multiple in it adds to that where there is one."""
        terms = frozenset(arg.number for arg in args)
        if terms in self._open:
            return self._numberer.numbered(Op.ADD, scalar, args, None)
        self._open.add(terms)
        found = self._with_product(scalar, args)
        self._open.discard(terms)
        if found is None and not any(arg.is_constant for arg in args):
            found = self._with_multiple(scalar, args)
        return self._numberer.numbered(Op.ADD, scalar, args, None) if found is None else found

    def _with_product(self, scalar: Scalar, args: tuple[Value, Value]) -> Value | None:
        for product, other in (args, args[::-1]):
            parts = self._sums.get(product.number)
            if parts is None or other is parts[1]:
                continue
            known = self._totals.get((parts[0].number, other.number))
            if known is None or not known.context.is_active:
                known = self._numberer.known_sum(scalar, parts[0], other)
            if known is not None:
                result = self._numberer.pure(Op.ADD, scalar, (known, parts[1]), None)
                self._made.add(result.number)
                self._totals[product.number, other.number] = result
                return result
        return None

    def _with_multiple(self, scalar: Scalar, args: tuple[Value, Value]) -> Value | None:
        """A sum with a multiple of a stride: `x + 2 * n` after `x + n`."""
        if self._is_copied() or any(map(self._counts, args)):
            return None
        result = None
        for base, term in (args, args[::-1]):
            stride, factor = constant_multiple(term)
            if stride.is_constant or base.is_constant or factor < 1:
                continue
            known = self._multiples.setdefault((scalar, base.number, stride.number), [])
            for earlier, total in reversed(known if factor > 1 else []):
                if total.context.is_active and earlier != factor:
                    moved = self._moved(scalar, total, stride, factor - earlier)
                    known.append((factor, moved))
                    return moved
            result = self._numberer.numbered(Op.ADD, scalar, args, None)
            if (factor, result) not in known:
                known.append((factor, result))
                del known[:-_REMEMBERED]
        return result

    def is_made(self, value: Value) -> bool:
        """Whether a sum stands for a product, so that nobody knows that it does not overflow."""
        return value.number in self._made

    def _moved(self, scalar: Scalar, product: Value, stride: Value, steps: int) -> Value:
        numberer = self._numberer
        added = stride
        if abs(steps) != 1:
            amount = numberer.constant(scalar, abs(steps))
            added = numberer.pure(Op.MUL, scalar, (stride, amount), None)
        if steps < 0:
            result = numberer.pure(Op.SUB, scalar, (product, added), None)
        else:
            result = numberer.pure(Op.ADD, scalar, (product, added), None)
            self._sums[result.number] = (product, added)
        self._made.add(result.number)
        return result


def factored_products(definitions: Mapping[int, Instruction], uses: Mapping[int, int]) -> set[int]:
    """Registers of products that a sum takes together with others of the same factor.

    Args:
        definitions: What makes each temporary.
        uses: How often each register is read.
    """
    forms: dict[int, _Form] = {}
    found: set[int] = set()
    sums = {
        register: made
        for register, made in definitions.items()
        if made.op in _ADDITIVE and not made.scalar.is_float
    }
    inner = {arg for made in sums.values() for arg in made.args if uses.get(arg, 0) == 1}
    for register, instruction in sums.items():
        if register in inner:
            continue
        products = _parts(instruction.args, _ADDITIVE, definitions, uses)
        factors = {
            term: {
                _form(factor, definitions, forms) for factor in _factors(term, definitions, uses)
            }
            for term in products
            if (made := definitions.get(term)) is not None and made.op is Op.MUL
        }
        counts = Counter(factor for own in factors.values() for factor in own)
        found.update(
            term for term, own in factors.items() if any(counts[factor] > 1 for factor in own)
        )
    return found


def _factors(
    product: int, definitions: Mapping[int, Instruction], uses: Mapping[int, int]
) -> list[int]:
    return _parts(definitions[product].args, frozenset({Op.MUL}), definitions, uses)


def _parts(
    args: Iterable[int],
    ops: frozenset[Op],
    definitions: Mapping[int, Instruction],
    uses: Mapping[int, int],
) -> list[int]:
    """What operations of a kind that nothing else takes are made of."""
    found: list[int] = []
    pending = list(args)
    while pending:
        register = pending.pop()
        made = definitions.get(register)
        if made is None or made.op not in ops or uses.get(register, 0) > 1:
            found.append(register)
        else:
            pending.extend(made.args)
    return found


def _form(register: int, definitions: Mapping[int, Instruction], forms: dict[int, _Form]) -> _Form:
    """What a register holds, so that the same expression written twice is one."""
    known = forms.get(register)
    if known is None:
        made = definitions.get(register)
        is_plain = made is not None and made.op in _PLAIN
        known = register
        if made is not None and is_plain:
            known = (made.op, *(_form(arg, definitions, forms) for arg in made.args))
        forms[register] = known
    return known


_Form = int | tuple[object, ...]
_ADDITIVE = frozenset({Op.ADD, Op.SUB, Op.NEG})
_PLAIN = _ADDITIVE | {Op.MUL}
