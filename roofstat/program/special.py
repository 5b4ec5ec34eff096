"""threadIdx and its kin: which register an expression reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.expressions import Member, Variable
from clang_queries.ir.types import Scalar
from roofstat.program.code import Op, SpecialRegister
from roofstat.program.context import Place
from roofstat.program.memory_access import store_place

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Expr
    from roofstat.program.context import Context

_VECTORS = {
    "threadIdx": (SpecialRegister.TID_X, SpecialRegister.TID_Y, SpecialRegister.TID_Z),
    "blockIdx": (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z),
    "blockDim": (SpecialRegister.NTID_X, SpecialRegister.NTID_Y, SpecialRegister.NTID_Z),
    "gridDim": (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z),
    "hipThreadIdx": (SpecialRegister.TID_X, SpecialRegister.TID_Y, SpecialRegister.TID_Z),
    "hipBlockIdx": (SpecialRegister.CTAID_X, SpecialRegister.CTAID_Y, SpecialRegister.CTAID_Z),
    "hipBlockDim": (SpecialRegister.NTID_X, SpecialRegister.NTID_Y, SpecialRegister.NTID_Z),
    "hipGridDim": (SpecialRegister.NCTAID_X, SpecialRegister.NCTAID_Y, SpecialRegister.NCTAID_Z),
}


def special_register(expression: Expr) -> SpecialRegister | None:
    """The special register that ``threadIdx.x`` and so on name, or None."""
    match expression:
        case Member(base=Variable(name=name), offset_bytes=offset) if (
            name in _VECTORS and offset in (0, 4, 8)
        ):
            return _VECTORS[name][offset // 4]
        case Variable(name="warpSize"):
            return SpecialRegister.WARP_SIZE
        case _:
            return None


def special_variable_place(context: Context, variable: Variable) -> Place | None:
    """A temporary that holds all of ``threadIdx``, where the whole vector is used as a value."""
    registers = _VECTORS.get(variable.name)
    if registers is None:
        return None
    builder = context.builder
    index = builder.local_slot(variable.name, 12, host=context.is_host, element=Scalar.U32)
    place = Place(builder.slot_address(index))
    for number, register in enumerate(registers):
        value = builder.value(Op.SPECIAL, Scalar.U32, detail=register)
        store_place(context, Place(place.address, 4 * number), value, Scalar.U32)
    return place
