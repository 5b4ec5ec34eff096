"""Inline PTX: one instruction for each PTX statement, with values where a mnemonic is simple."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.program.code import (
    SHARED_WINDOW,
    MemoryAccess,
    Op,
    SpecialRegister,
    TensorOperation,
)
from roofstat.program.context import INDEX, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, store_place
from roofstat.program.memory_functions import ASYNC_UNITS, emit_async_copy
from roofstat.program.places import lower_place, place_address
from roofstat.program.register_arithmetic import convert

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
_REGISTER_BYTES = 8
_SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")


def lower_asm(context: Context, statement: Asm) -> None:
    """Lower an asm statement; outputs become unknown unless the text is understood."""
    builder = context.builder
    outputs = [lower_place(context, output) for output in statement.outputs]
    types = [context.program.scalar_of(output.type) or Scalar.U32 for output in statement.outputs]
    inputs = [lower_value(context, item) for item in statement.inputs]
    body = _PtxBody(context, outputs, types, inputs)
    builder.position = statement.position
    for mnemonic, operands in ptx_statements(statement.template):
        body.lower(mnemonic, operands)
    for number, (place, scalar) in enumerate(zip(outputs, types, strict=True)):
        value = body.registers.get(f"%{number}")
        if value is None:
            value = builder.unknown(scalar, "result of inline PTX", *inputs)
        store_place(context, place, convert(context, value, scalar), scalar)


_TYPES = {
    "f16": Scalar.F16,
    "bf16": Scalar.BF16,
    "f32": Scalar.F32,
    "f64": Scalar.F64,
    "s8": Scalar.I8,
    "u8": Scalar.U8,
    "s16": Scalar.I16,
    "u16": Scalar.U16,
    "b16": Scalar.U16,
    "s32": Scalar.I32,
    "u32": Scalar.U32,
    "b32": Scalar.U32,
    "s64": Scalar.I64,
    "u64": Scalar.U64,
    "b64": Scalar.U64,
    "pred": Scalar.BOOL,
}
_PLAIN = {
    "add": Op.ADD,
    "sub": Op.SUB,
    "div": Op.DIV,
    "rem": Op.REM,
    "and": Op.AND,
    "or": Op.OR,
    "xor": Op.XOR,
    "shl": Op.SHL,
    "shr": Op.SHR,
}
_FUNCTIONS = {
    "min": "min",
    "max": "max",
    "abs": "abs",
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "ex2": "exp2",
    "lg2": "log2",
    "sin": "__sinf",
    "cos": "__cosf",
    "rcp": "__frcp_rn",
    "tanh": "__tanhf",
    "popc": "popc",
    "clz": "clz",
    "brev": "brev",
    "prmt": "__byte_perm",
    "mul24": "__mul24",
    "dp4a": "__dp4a",
}
_COMPARISONS = {"eq": Op.EQ, "ne": Op.NE, "lt": Op.LT, "le": Op.LE, "gt": Op.GT, "ge": Op.GE}
_OPERAND = re.compile(r"\[[^\]]*\]|\{[^}]*\}|[^,{}\[\]]+")


class _PtxBody:
    """The statements of one template; names of PTX registers are bound as they are written."""

    def __init__(
        self, context: Context, outputs: list[Place], types: list[Scalar], inputs: list[int]
    ) -> None:
        self.context = context
        self.outputs = outputs
        self.types = types
        self.registers: dict[str, int] = {
            f"%{len(outputs) + number}": register for number, register in enumerate(inputs)
        }

    def lower(self, mnemonic: str, text: str) -> None:
        """Lower one statement."""
        builder = self.context.builder
        parts = mnemonic.split(".")
        text = text.replace("%%", "%")  # written so in a template that has operands
        operands = [item.strip() for item in _OPERAND.findall(text) if item.strip()]
        if parts[0] in ("mma", "wmma") and "mma" in parts:
            self._matrix_product(mnemonic, operands)
            return
        if mnemonic.startswith("cp.async") and self._async_copy(parts, operands):
            return
        scalar = next((_TYPES[part] for part in reversed(parts) if part in _TYPES), Scalar.U32)
        value = self._value(parts, operands, scalar)
        if value is None:
            known = [self.registers[item] for item in operands if item in self.registers]
            builder.emit(Op.ASM, scalar, *known, detail=mnemonic)
        elif operands:
            self.registers[operands[0]] = value

    def _value(self, parts: list[str], operands: list[str], scalar: Scalar) -> int | None:
        builder = self.context.builder
        name = parts[0]
        if name in ("mov", "cvta", "cvt") and len(operands) == 2:
            special = _SPECIAL.get(operands[1])
            if special is not None:
                return builder.value(Op.SPECIAL, Scalar.U32, detail=special)
            source = self._operand(operands[1], scalar)
            return None if source is None else convert(self.context, source, scalar)
        if name in ("ld", "ldmatrix", "st") and len(operands) == 2:
            return self._access(parts, operands, scalar)
        values = [self._operand(item, scalar) for item in operands[1:]]
        known = [value for value in values if value is not None]
        if len(known) != len(values) or not known:
            return None
        known = [self._as(value, scalar) for value in known]
        return self._arithmetic(parts, known, scalar)

    def _matrix_product(self, mnemonic: str, operands: list[str]) -> None:
        """The registers of the result are what the operation leaves in a fragment."""
        builder = self.context.builder
        groups = [[name.strip() for name in item.strip("{}").split(",")] for item in operands]
        results = groups[0] if groups else []
        inputs = [
            self.registers[name] for group in groups[1:] for name in group if name in self.registers
        ]
        slot = builder.local_slot("", max(len(results), 1) * _REGISTER_BYTES, host=False)
        fragment = builder.slot_address(slot)
        operation = replace(_tensor(mnemonic), fragments=1)
        builder.emit(Op.TENSOR, Scalar.F32, *inputs, fragment, detail=operation)
        for number, name in enumerate(results):
            match = re.fullmatch(r"%(\d+)", name)
            output = int(match.group(1)) if match else len(self.types)
            scalar = self.types[output] if output < len(self.types) else Scalar.U32
            place = Place(fragment, number * _REGISTER_BYTES)
            self.registers[name] = load_place(self.context, place, scalar)

    def _access(self, parts: list[str], operands: list[str], scalar: Scalar) -> int | None:
        """A load or store of one or several registers; `ldmatrix` moves a row a lane for each of its matrices.

        Which lane gets which part of a matrix does not change what a warp reads.
        """
        is_store = parts[0] == "st"
        address = self._address(operands[0 if is_store else 1], parts)
        names = [name.strip() for name in operands[1 if is_store else 0].strip("{}").split(",")]
        if address is None:
            return None
        if parts[0] == "ldmatrix":
            scalar = Scalar.U32
        group = self.context.builder.new_group() if len(names) > 1 else None
        width = scalar.size_bytes
        value = -1
        for number, name in enumerate(names):
            whole = width * len(names) if number == 0 else 0
            access = MemoryAccess(
                offset_bytes=address.offset_bytes + number * width,
                access_bytes=width if group is None else whole,
                group=group,
                is_volatile=parts[0] == "ldmatrix",  # what a lane gets lies at addresses of others
            )
            if not is_store:
                value = self.context.builder.load(scalar, address.address, access)
                self.registers[name] = value
                continue
            stored = self._operand(name, scalar)
            if stored is None:
                return None
            value = convert(self.context, stored, scalar)
            self.context.builder.store(scalar, address.address, value, access)
        return value

    def _async_copy(self, parts: list[str], operands: list[str]) -> bool:
        """`cp.async` from global to shared memory; committing and waiting do no work."""
        if parts[2] in ("commit_group", "wait_group", "wait_all"):
            return True
        if parts[2] not in ("ca", "cg") or len(operands) < 3:
            return False
        target = self._address(operands[0], ["shared"])
        source = self._address(operands[1], ["global"])
        size = self._operand(operands[2], Scalar.U32)
        unit = ASYNC_UNITS.get(int(self.context.builder.constants.get(size or -1, 0)))
        if target is None or source is None or unit is None:
            return False
        to, from_ = (place_address(self.context, place) for place in (target, source))
        emit_async_copy(self.context.builder, unit, to, from_)
        return True

    def _address(self, text: str, parts: list[str]) -> Place | None:
        """`[register]` or `[register+offset]`; words are offsets into shared memory."""
        builder = self.context.builder
        name, _, offset = text.strip("[] ").partition("+")
        register = self.registers.get(name.strip())
        try:
            offset_bytes = int(offset, 0) if offset.strip() else 0
        except ValueError:
            return None
        if register is None:
            return None
        if builder.register_types[register].size_bytes == Scalar.U32.size_bytes:
            if not any(part.startswith("shared") for part in parts):
                return None
            window = builder.constant(SHARED_WINDOW, INDEX)
            base = convert(self.context, self._as(register, Scalar.U32), Scalar.U64)
            register = builder.value(Op.PTR_ADD, Scalar.U64, base, window, scalar=INDEX, detail=1)
        return Place(register, offset_bytes)

    def _arithmetic(self, parts: list[str], values: list[int], scalar: Scalar) -> int | None:
        builder = self.context.builder
        name = parts[0]
        if name in _PLAIN and len(values) == 2:
            return builder.value(_PLAIN[name], scalar, *values)
        if name == "mul" and len(values) == 2:
            if "wide" in parts:
                scalar = Scalar.I64 if scalar.is_signed else Scalar.U64
                values = [convert(self.context, value, scalar) for value in values]
            return builder.value(Op.MUL, scalar, *values)
        if name in ("mad", "fma") and len(values) == 3:
            if scalar.is_float:
                return builder.value(Op.MATH, scalar, *values, detail="fma")
            product = builder.value(Op.MUL, scalar, values[0], values[1])
            return builder.value(Op.ADD, scalar, product, values[2])
        if name == "neg":
            return builder.value(Op.NEG, scalar, values[0])
        if name == "not":
            return builder.value(Op.BIT_NOT, scalar, values[0])
        if name == "lop3" and len(values) >= 3:
            # One LOP3 whatever the truth table: two dependent logic operations fuse into it.
            first = builder.value(Op.XOR, scalar, values[0], values[1])
            return builder.value(Op.AND, scalar, first, values[2])
        if name == "setp" and len(values) == 2 and len(parts) > 1 and parts[1] in _COMPARISONS:
            return builder.value(_COMPARISONS[parts[1]], Scalar.BOOL, *values, scalar=scalar)
        if name == "shf" and parts[1:2] in (["l"], ["r"]):
            return builder.value(Op.MATH, scalar, *values, detail=f"__funnelshift_{parts[1]}")
        if name in _FUNCTIONS:
            return builder.value(Op.MATH, scalar, *values, detail=_FUNCTIONS[name])
        return None

    def _operand(self, text: str, scalar: Scalar) -> int | None:
        builder = self.context.builder
        found = self.registers.get(text)
        if found is not None:
            return found
        match = re.fullmatch(r"%(\d+)", text)
        if match and int(match.group(1)) < len(self.outputs):
            number = int(match.group(1))
            value = load_place(self.context, self.outputs[number], self.types[number])
            self.registers[text] = value
            return value
        if text in _SPECIAL:
            return builder.value(Op.SPECIAL, Scalar.U32, detail=_SPECIAL[text])
        try:
            return builder.constant(
                float(text) if scalar.is_float else int(text.rstrip("U"), 0), scalar
            )
        except ValueError:
            return None

    def _as(self, value: int, scalar: Scalar) -> int:
        builder = self.context.builder
        source = builder.register_types[value]
        if source is scalar:
            return value
        if source.size_bytes == scalar.size_bytes:
            return builder.value(Op.BITCAST, scalar, value, detail=source)
        return convert(self.context, value, scalar)


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
