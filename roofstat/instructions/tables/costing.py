"""Bridge from the cost tables to amounts, with a record of what the tables do not know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clang_queries.ir.types import Scalar
from roofstat.hardware.units import WARP_SIZE
from roofstat.instructions.graph.memory_state import RootKind, root_of
from roofstat.instructions.graph.values import Pseudo
from roofstat.instructions.tables.costs import Compiler, cost_of, table_label
from roofstat.instructions.tables.openmp_costs import runtime_amounts
from roofstat.instructions.tables.quantities import Amounts, Quantity, issued_in
from roofstat.instructions.tables.special_unit import special_unit_op
from roofstat.program.code import (
    ABORTING_CALLS,
    AtomicAccess,
    LibraryCall,
    Op,
    TensorOperation,
)

if TYPE_CHECKING:
    from roofstat.instructions.graph.values import Value
    from roofstat.instructions.tables.costs import Cost

_COPY_WORD_BYTES = 8
_OWN_PLACE = 2.0
"""Integer operations that add the place of a thread within a matrix to the pointer."""
_PAIR_BYTES = 4
"""A register holds two elements of two bytes."""
_PACKED: Final = "packed."
_PACKED_LABELS: Final = {Scalar.F16: ("half2",), Scalar.BF16: ("bfloat162", "half2")}
"""Tables of pairs of halves; clang's have no bfloat16, whose instructions are those of halves."""
_SAME_COST: Final = {
    "all_less": "less",
    "less_mask": "less",
    "__fsub_rn": "__fadd_rn",
    "__dsub_rn": "__dadd_rn",
}
_OTHER_SIGN = {
    Scalar.I32: Scalar.U32,
    Scalar.U32: Scalar.I32,
    Scalar.I64: Scalar.U64,
    Scalar.U64: Scalar.I64,
}


_UNCOUNTED_PTX = frozenset(
    {"ld", "st", "mov", "cp", "atom", "red", "tex", "tld4", "suld", "sust", "ldmatrix", "stmatrix"}
    | {"movmatrix", "multimem", "tcgen05", "mapa", "cvta", "isspacep", "getctarank"}
    | {"bra", "brx", "call", "ret", "exit"}
)
"""What moves data or leads elsewhere."""
_QUANTITY_OF = {
    Scalar.F16: Quantity.HP_FLOP,
    Scalar.BF16: Quantity.HP_FLOP,
    Scalar.F32: Quantity.SP_FLOP,
    Scalar.F64: Quantity.DP_FLOP,
}


class CostSource:
    """Costs of functions for one compiler and architecture."""

    def __init__(self, compiler: Compiler, architecture: str, *, fast_math: bool) -> None:
        self._compiler = compiler
        self._architecture = architecture
        self._fast_math = fast_math
        self._known: dict[tuple[str, Scalar, bool], Amounts] = {}
        self.missing: dict[str, str] = {}
        """Functions without a cost, with the reason; they were counted as nothing."""

    @property
    def merges_reciprocal_root(self) -> bool:
        """Whether ``1.0f / sqrtf(x)`` is one instruction: clang's root is the approximate one, which merges."""
        return self._compiler is Compiler.CLANG or self._fast_math

    def function(self, name: str, scalar: Scalar, *, is_unusual: bool = False) -> Amounts:
        """What one thread executes for a call: on its ordinary path, or on the one for unusual operands."""
        if name.endswith(".second") or name in ABORTING_CALLS:
            return {}  # the other result of a function that was counted with its first; what is never called
        if name == "packed.permute":
            return {Quantity.MOVES: 1.0}
        name = name.removesuffix(".high")  # the same work on the other half
        key = (name, scalar, is_unusual)
        known = self._known.get(key)
        if known is None:
            cost = self._look_up(name, scalar)
            if cost is None:
                self.missing[name] = f"no cost is known for {name} on {scalar.label}"
            elif is_unusual and cost.slow_path is not None:
                cost = cost.slow_path
            known = self._amounts(cost, name, scalar)
            self._known[key] = known
        return known

    def _amounts(self, cost: Cost | None, name: str, scalar: Scalar) -> Amounts:
        found = _counted(cost)
        if cost is None:
            return found
        on_unit = special_unit_op(
            cost,
            function=name.removeprefix(_PACKED),
            label=table_label(scalar.label),
            architecture=self._architecture,
        )
        return {**found, Quantity.SPECIAL_UNIT_OP: on_unit} if on_unit else found

    def _look_up(self, name: str, scalar: Scalar) -> Cost | None:
        """The tables know functions by one spelling, and many for one signedness only."""
        labels: tuple[str, ...] = (scalar.label, _OTHER_SIGN.get(scalar, scalar).label)
        if name.startswith(_PACKED):
            name = name.removeprefix(_PACKED)
            labels = _PACKED_LABELS[scalar]
        elif scalar is Scalar.BF16:
            labels = (scalar.label, Scalar.F16.label)
        plain = name.removeprefix("__")
        spellings = (name, plain, plain.removesuffix("ll"), _SAME_COST.get(name, name))
        for spelling in dict.fromkeys(spellings):
            for label in dict.fromkeys(labels):
                cost = cost_of(spelling, label, self._compiler, self._architecture, self._fast_math)
                if cost is not None:
                    return cost
        return None

    def effect(self, value: Value) -> Amounts:
        """What one thread executes for an operation with effects, memory accesses apart."""
        match value.op:
            case Op.SHUFFLE:
                return {Quantity.SHUFFLES: 2.0 if value.scalar.size_bytes == 8 else 1.0}
            case Op.VOTE:
                return {Quantity.MOVES: 1.0}
            case Op.BARRIER:
                return {Quantity.BARRIERS: 1.0}
            case Op.ATOMIC:
                return self._atomic(value)
            case Op.TENSOR:
                return _tensor(value)
            case Op.LIBRARY if isinstance(value.detail, LibraryCall):
                runtime = runtime_amounts(value.detail.name, value.scalar, self._architecture)
                if runtime is not None:
                    return runtime
                return self.function(value.detail.name, value.scalar)
            case Op.ASM:
                return self._inline(value)
            case Op.COPY if isinstance(value.detail, int):
                return {Quantity.MOVES: float(-(-value.detail // _COPY_WORD_BYTES))}
            case _:
                return {}

    def _inline(self, value: Value) -> Amounts:
        """A PTX instruction that nothing is known of: one of its type, or a movement of data."""
        mnemonic = str(value.detail)
        if mnemonic.partition(".")[0] in _UNCOUNTED_PTX:
            self.missing[mnemonic] = (
                f"{mnemonic} in inline PTX is not understood: counted as nothing"
            )
            return {}
        self.missing[mnemonic] = (
            f"{mnemonic} in inline PTX is not understood: counted as one operation"
        )
        return {_QUANTITY_OF.get(value.scalar, Quantity.INT_OP): 1.0}

    def _atomic(self, value: Value) -> Amounts:
        """The instruction itself, and the work around it that the tables know (shared float adds are loops)."""
        access = value.detail
        found: Amounts = {Quantity.ATOMICS: 1.0}
        if not isinstance(access, AtomicAccess):
            return found
        name = f"atomic{_ATOMIC_NAMES.get(access.name, access.name.capitalize())}"
        place = "shared" if root_of(value.args[0]).kind is RootKind.SLOT else "global"
        cost = cost_of(
            f"{name}_{place}",
            value.scalar.label,
            self._compiler,
            self._architecture,
            self._fast_math,
        )
        return {**_counted(cost), **found}


_ATOMIC_NAMES = {"cas": "CAS"}


def _tensor(value: Value) -> Amounts:
    operation = value.detail
    if not isinstance(operation, TensorOperation):
        return {}
    if operation.kind != "mma":
        # Counts of matrix instructions are those of warps.
        return {
            Quantity.MOVES: float(WARP_SIZE),
            Quantity.INT_OP: WARP_SIZE * _fragment_index_ops(value, operation),
        }
    flop = 2.0 * operation.m * operation.n * operation.k
    return {Quantity.TENSOR_FLOP: flop, Quantity.TENSOR_INSTRUCTIONS: 1.0}


def _fragment_index_ops(value: Value, operation: TensorOperation) -> float:
    """Integer operations by which a thread finds its elements of a fragment that is loaded, its address apart.

    Read off SASS of nvcc 13.0 (products of halves in loops of four copies and of one, sm_80 and sm_90). From shared memory
    one, for the address of LDSM. From global memory the thread's own place is added, a sum of two words: once before the
    loop where the pointer to the matrix marches on its own, and with a wide sum more where that marches from a place that is
    computed before the loop. Lines that only the run knows the distance of have a pointer each, and elements that are
    loaded one by one are put in pairs. Stores stand behind loops.
    """
    if operation.kind != "load" or operation.tile is None:
        return 0.0
    if root_of(value.args[0]).kind is RootKind.SLOT:
        return 1.0
    tile = operation.tile
    lines, along = tile.steps
    is_alone = tile.lane_bytes == tile.element_bytes < _PAIR_BYTES
    pairing = lines * along / 2 if is_alone else 0.0
    pointer = value.args[0]
    if pointer.op is Pseudo.OFFSET:
        pointer = pointer.args[0]
    is_stream = pointer.op is Pseudo.STREAM
    if is_stream and all(part.is_constant for part in pointer.args[1:]):
        return pairing
    of_lines = 0 if value.args[1].is_constant else lines - 1
    return _OWN_PLACE + is_stream + of_lines + pairing


def _counted(cost: Cost | None) -> Amounts:
    if cost is None:
        return {}
    counted = {
        Quantity.SP_FLOP: cost.fp32_flop,
        Quantity.DP_FLOP: cost.fp64_flop,
        Quantity.HP_FLOP: cost.fp16_flop,
        Quantity.INT_OP: cost.int_op,
        Quantity.SPECIAL_OP: cost.special_op,
        Quantity.CONVERSIONS: cost.conversion_op,
        Quantity.BRANCHES: cost.branch_op,
        # Library code is mostly fused multiply-adds, so an instruction is taken for two FLOP.
        Quantity.FP32_INSTRUCTIONS: cost.fp32_flop / 2.0,
        Quantity.FP64_INSTRUCTIONS: cost.fp64_flop / 2.0,
        Quantity.FP16_INSTRUCTIONS: cost.fp16_flop / 2.0,
    }
    counted[Quantity.MOVES] = max(cost.instructions - issued_in(counted), 0.0)
    return {quantity: float(amount) for quantity, amount in counted.items() if amount}
