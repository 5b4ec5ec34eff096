"""Inline PTX: one instruction for each PTX statement, with values where a mnemonic is simple."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import Op, SpecialRegister, TensorOperation
from roofstat.program.expressions import lower_place, lower_value
from roofstat.program.memory_access import store_place

if TYPE_CHECKING:
    from clang_queries.ir.statements import Asm
    from roofstat.program.context import Context

_STATEMENT = re.compile(r"(?:@!?[%\w]+\s+)?([a-z][\w.:]*)\s*([^;]*);?")
_SPECIAL = {
    "%laneid": SpecialRegister.LANE_ID,
    "%tid.x": SpecialRegister.TID_X,
    "%ctaid.x": SpecialRegister.CTAID_X,
    "%ntid.x": SpecialRegister.NTID_X,
    "%nctaid.x": SpecialRegister.NCTAID_X,
    "%clock": SpecialRegister.CLOCK,
    "%clock64": SpecialRegister.CLOCK,
    "%globaltimer": SpecialRegister.CLOCK,
}
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")


def lower_asm(context: Context, statement: Asm) -> None:
    """Lower an asm statement; outputs become unknown unless the text is understood."""
    builder = context.builder
    inputs = [lower_value(context, item) for item in statement.inputs]
    statements = ptx_statements(statement.template)
    results: list[int | None] = [None] * len(statement.outputs)
    builder.position = statement.position
    for mnemonic, operands in statements:
        if mnemonic.startswith(("wmma.mma", "mma.")):
            builder.emit(Op.TENSOR, Scalar.F32, detail=_tensor(mnemonic))
            continue
        if mnemonic.startswith("mov") and operands:
            special = next((reg for name, reg in _SPECIAL.items() if name in operands), None)
            if special is not None and results:
                results[0] = builder.value(Op.SPECIAL, Scalar.U32, detail=special)
                continue
        builder.emit(Op.ASM, Scalar.I32, *inputs, detail=mnemonic)
    for output, result in zip(statement.outputs, results, strict=True):
        scalar = context.program.scalar_of(output.type) or Scalar.U32
        value = result
        if value is None:
            value = builder.unknown(scalar, "result of inline PTX", *inputs)
        store_place(context, lower_place(context, output), value, scalar)


def ptx_statements(template: str) -> list[tuple[str, str]]:
    """(mnemonic, operand text) of each statement of a PTX template; declarations and labels are left out."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", template, flags=re.DOTALL)
    text = (
        text.replace("\\n", "\n").replace("\\t", " ").replace("{", " ", 1)
        if "{\n" in text
        else text
    )
    found: list[tuple[str, str]] = []
    for part in re.split(r"[;\n]", text):
        stripped = part.strip().lstrip("{").strip()
        if not stripped or stripped.startswith((".", "}")) or stripped.endswith(":"):
            continue
        match = _STATEMENT.match(stripped)
        if match:
            found.append((match.group(1), match.group(2)))
    return found


def _tensor(mnemonic: str) -> TensorOperation:
    shape = _SHAPE.search(mnemonic)
    m, n, k = (int(part) for part in shape.groups()) if shape else (16, 8, 16)
    types = [
        part
        for part in mnemonic.split(".")
        if re.fullmatch(r"(f16|bf16|tf32|f32|f64|s8|u8|s4|u4|b1|e4m3|e5m2|s32)", part)
    ]
    return TensorOperation(
        m=m, n=n, k=k, input_type=types[1] if len(types) > 1 else "f16", kind="mma"
    )
