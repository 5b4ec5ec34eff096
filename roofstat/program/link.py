"""Several translation units as one program: functions, globals and records by their keys."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from clang_queries.ir.statements import VariableDeclaration
from clang_queries.ir.types import ArrayType, PointerType, RecordType, Scalar, ScalarType
from clang_queries.ir.walk import walk
from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Directive, Function, FunctionVariant, Unit
    from clang_queries.ir.types import Record, Type
    from roofstat.program.code import Code
    from roofstat.program.openmp import RegionModule, TargetRegion

HALF_RECORDS = {
    "__half": Scalar.F16,
    "half": Scalar.F16,
    "__nv_bfloat16": Scalar.BF16,
    "nv_bfloat16": Scalar.BF16,
}
"""Class types that the hardware holds as one scalar."""
PACKED_RECORDS = frozenset({"__half2", "half2", "__nv_bfloat162", "nv_bfloat162"})
"""Pairs that the hardware holds in one 32-bit register."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar part of a record."""

    offset_bytes: int
    scalar: Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A function as code.

    Attributes:
        code: It.
        regions: The target regions in it, by their keys.
    """

    code: Code
    regions: Mapping[str, TargetRegion]


@dataclass(slots=True, eq=False)
class Program:
    """Everything that the units of one program define."""

    functions: dict[str, Function]
    globals: dict[str, VariableDeclaration]
    records: dict[str, Record]
    kernels: tuple[str, ...]
    call_operators: dict[str, str]
    mains: tuple[str, ...]
    stated: Mapping[str, int | float] = field(default_factory=dict)
    """Values that the user gives to host variables and kernel parameters of which the source says nothing, by name."""
    used_values: set[str] = field(default_factory=set)
    """Those of them that took the place of something unknown."""
    is_clang: bool = False
    """Whether clang compiles the CUDA kernels, and not nvcc."""
    regions: dict[str, TargetRegion] = field(default_factory=dict)
    """Outlined OpenMP target regions, filled while host functions are lowered."""
    units: dict[str, int] = field(default_factory=dict)
    """Function -> number of the unit that defines it."""
    region_modules: dict[int, RegionModule] = field(default_factory=dict)
    """Unit -> what the OpenMP target regions in it have in common, filled when first asked for."""
    likely: dict[str, str] = field(default_factory=dict)
    """Kernel templates that nothing instantiates -> the instances that they were read as, by name."""
    variants: dict[str, tuple[FunctionVariant, ...]] = field(default_factory=dict)
    """Bare name of a function -> its OpenMP variants."""
    directives: dict[str, tuple[Directive, ...]] = field(default_factory=dict)
    """Function -> the OpenMP directives in it, outermost first, filled when first asked for."""
    team_variables: dict[str, tuple[frozenset[str], frozenset[str]]] = field(default_factory=dict)
    """Function -> variables that its parallel regions use, and scalars that they assign or load anew, filled likewise."""
    declarations: dict[str, tuple[VariableDeclaration, ...]] = field(default_factory=dict)
    """Function -> the variables declared in it, filled likewise."""
    lowered: dict[tuple[str, bool], Lowered] = field(default_factory=dict)
    """(Function, whether as host code) -> its code, filled when first asked for."""
    _by_name: dict[tuple[str, int], list[Function]] = field(default_factory=dict)
    _leaves: dict[str, tuple[Leaf, ...]] = field(default_factory=dict)
    """Record -> its scalar parts, filled when first asked for."""
    _record_sizes: dict[str, int] = field(default_factory=dict)
    """Sizes in bytes of the records, by name with and without scope, found when first asked for."""
    _records_sized: int = 0
    """How many records there were then."""

    def take_over(self, unit: Unit) -> None:
        """Put the functions and records of a part that was parsed anew in the place of those of the same keys."""
        self.functions.update(unit.functions)
        self.records.update(unit.records)
        for name, declaration in unit.globals.items():
            self.globals.setdefault(name, declaration)
        self.directives.clear()
        self.team_variables.clear()
        self.declarations.clear()
        self.lowered.clear()
        self._by_name.clear()
        self._leaves.clear()
        self._records_sized = 0

    def renewed(self) -> Program:
        """The same program before it is run: what was found of its code alone is kept."""
        return replace(self, regions={}, used_values=set())

    def unchanged_variables(self, function: Function, mutated: frozenset[str]) -> dict[str, Expr]:
        """Return the first values of the variables of a function that nothing changes, by key."""
        declared = self.declarations.get(function.key)
        if declared is None:
            declared = tuple(
                node for node in walk(function.body) if isinstance(node, VariableDeclaration)
            )
            self.declarations[function.key] = declared
        return {
            variable.key: variable.initializer
            for variable in declared
            if variable.initializer is not None and variable.key not in mutated
        }

    def record_size(self, name: str) -> int | None:
        """Size in bytes of a record, by its name with or without scope."""
        if self._records_sized != len(self.records):
            self._record_sizes.clear()
            for record in self.records.values():
                self._record_sizes.setdefault(record.name, record.size_bytes)
            for record in self.records.values():
                bare = record.name.rsplit("::", 1)[-1]
                self._record_sizes.setdefault(bare, record.size_bytes)
            self._records_sized = len(self.records)
        return self._record_sizes.get(name)

    def function(self, key: str, name: str, arguments: Sequence[Type]) -> Function | None:
        """The function that a call names.

        Where the declaration that the call saw is spelled otherwise than the definition in another unit, their keys
        differ; then the only function of that name with as many parameters is meant, as far as it takes records where
        the call has some: ``float4 sqrtf(float4)`` is no square root of a number.
        """
        found = self.functions.get(key)
        if found is not None or name.startswith("std::"):
            return found
        if not self._by_name:
            for function in self.functions.values():
                signature = (function.name, len(function.parameters))
                self._by_name.setdefault(signature, []).append(function)
        candidates = self._by_name.get((name, len(arguments)), [])
        if len(candidates) != 1:
            return None
        parameters = candidates[0].parameters
        fits = all(
            _is_record(parameter.type) == _is_record(argument)
            for parameter, argument in zip(parameters, arguments, strict=True)
        )
        return candidates[0] if fits else None

    def leaves(self, type_: Type) -> tuple[Leaf, ...]:
        """Scalar parts of a type, by offset; arrays are spelled out."""
        match type_:
            case ScalarType(scalar=scalar):
                return (Leaf(0, scalar),) if scalar is not Scalar.VOID else ()
            case PointerType():
                return (Leaf(0, Scalar.U64),)
            case ArrayType(element=element, length=length):
                inner = self.leaves(element)
                size = element.size_bytes
                return tuple(
                    Leaf(index * size + leaf.offset_bytes, leaf.scalar)
                    for index in range(length or 0)
                    for leaf in inner
                )
            case RecordType():
                return self._record_leaves(type_)
            case _:
                return (Leaf(0, Scalar.U64),) if type_.size_bytes == 8 else ()

    def first_leaf(self, type_: Type) -> Leaf | None:
        """The first of the scalar parts, found without those of arrays being spelled out."""
        if isinstance(type_, ArrayType):
            return self.first_leaf(type_.element) if type_.length else None
        record = self.records.get(type_.key) if isinstance(type_, RecordType) else None
        if record is None or record.is_union or _is_word(type_):
            return next(iter(self.leaves(type_)), None)
        found = [
            Leaf(part.offset_bytes + leaf.offset_bytes, leaf.scalar)
            for part in record.fields
            if (leaf := self.first_leaf(part.type)) is not None
        ]
        return min(found, key=lambda leaf: leaf.offset_bytes, default=None)

    def _record_leaves(self, type_: RecordType) -> tuple[Leaf, ...]:
        half = HALF_RECORDS.get(type_.name)
        if half is not None:
            return (Leaf(0, half),)
        if type_.name in PACKED_RECORDS:
            return (Leaf(0, Scalar.U32),)
        known = self._leaves.get(type_.key)
        if known is None:
            known = self._leaves[type_.key] = self._leaves_of_fields(type_.key)
        return known

    def _leaves_of_fields(self, key: str) -> tuple[Leaf, ...]:
        record = self.records.get(key)
        if record is None:
            return ()
        fields = record.fields
        if record.is_union and fields:
            fields = (max(fields, key=lambda item: item.type.size_bytes),)
        found: dict[int, Leaf] = {}
        for part in fields:
            for leaf in self.leaves(part.type):
                offset = part.offset_bytes + leaf.offset_bytes
                found.setdefault(offset, Leaf(offset, leaf.scalar))
        return tuple(found[offset] for offset in sorted(found))

    def scalar_of(self, type_: Type) -> Scalar | None:
        """The register type that holds a value of this type; None for records and arrays."""
        match type_:
            case ScalarType(scalar=scalar):
                return scalar
            case PointerType():
                return Scalar.U64
            case RecordType(name=name):
                return HALF_RECORDS.get(name)
            case _:
                return (
                    Scalar.U64
                    if type_.size_bytes == 8 and not isinstance(type_, ArrayType)
                    else None
                )


def _is_word(type_: Type) -> bool:
    """Whether a type is that of a record which is held as one number."""
    return isinstance(type_, RecordType) and (
        type_.name in HALF_RECORDS or type_.name in PACKED_RECORDS
    )


def _is_record(type_: Type) -> bool:
    """Whether a type is that of a record, or of a reference to one."""
    if isinstance(type_, PointerType) and type_.is_reference:
        type_ = type_.pointee
    return isinstance(type_, RecordType)


def bare_name(name: str) -> str:
    """A name without what qualifies it."""
    return name.rsplit("::", 1)[-1]


def link(units: Iterable[Unit]) -> Program:
    """Merge units; the first definition of a key wins, as with inline functions in headers."""
    functions: dict[str, Function] = {}
    global_variables: dict[str, VariableDeclaration] = {}
    records: dict[str, Record] = {}
    kernels: dict[str, None] = {}
    call_operators: dict[str, str] = {}
    mains: list[str] = []
    numbers: dict[str, int] = {}
    variants: dict[str, dict[FunctionVariant, None]] = {}
    likely: dict[str, str] = {}
    for number, unit in enumerate(units):
        for variant in unit.variants:
            variants.setdefault(bare_name(variant.base), {})[variant] = None
        for key, function in unit.functions.items():
            functions.setdefault(key, function)
            numbers.setdefault(key, number)
        for key, declaration in unit.globals.items():
            known = global_variables.get(key)
            if known is None or (known.initializer is None and declaration.initializer is not None):
                global_variables[key] = declaration
        for key, record in unit.records.items():
            records.setdefault(key, record)
        kernels.update(dict.fromkeys(unit.kernels))
        call_operators.update(unit.call_operators)
        likely.update((template.name, template.instance) for template in unit.likely)
        if unit.main is not None:
            mains.append(unit.main)
    return Program(
        functions=functions,
        globals=global_variables,
        records=records,
        kernels=tuple(kernels),
        call_operators=call_operators,
        mains=tuple(mains),
        variants={base: tuple(found) for base, found in variants.items()},
        units=numbers,
        likely=likely,
    )
