"""Inline PTX: one instruction for each PTX statement, with values where a mnemonic is simple."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_pattern import pattern
from roofstat.program.atomics import atomic_operation
from roofstat.program.code import (
    SHARED_WINDOW,
    MemoryAccess,
    Op,
    SpecialRegister,
    TensorOperation,
)
from roofstat.program.context import INDEX, Place
from roofstat.program.expressions import lower_value
from roofstat.program.memory_access import load_place, place_address, store_place
from roofstat.program.memory_functions import ASYNC_UNITS, emit_async_copy
from roofstat.program.places import lower_place
from roofstat.program.ptx_values import (
    PTX_TYPES,
    as_type,
    ptx_conversion,
    ptx_literal,
    ptx_value,
)
from roofstat.program.register_arithmetic import convert

if TYPE_CHECKING:
    from clang_queries.ir.statements import Asm
    from roofstat.program.context import Context

_STATEMENT = pattern(r"(?:@!?[%\w]+\s+)?([a-z][\w.:]*)\s*([^;]*);?")
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
_SHAPE = pattern(r"m(\d+)n(\d+)k(\d+)")


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


_ATOMICS = frozenset({"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"})
_SHUFFLES = {"up": "up", "down": "down", "bfly": "xor", "idx": "idx"}
_NO_ARITHMETIC = frozenset(
    {"prefetch", "prefetchu", "discard", "applypriority", "createpolicy", "griddepcontrol"}
    | {
        "nanosleep",
        "mbarrier",
        "trap",
        "brkpt",
        "pmevent",
        "setmaxnreg",
        "elect",
        "clusterlaunchcontrol",
    }
)
"""What has no result that is counted and moves no data."""
_OPERAND = pattern(r"\[[^\]]*\]|\{[^}]*\}|[^,{}\[\]]+")


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
        if parts[0] in ("mma", "wmma", "wgmma") and ("mma" in parts or "mma_async" in parts):
            self._matrix_product(mnemonic, operands)
            return
        if mnemonic.startswith("cp.async") and self._async_copy(parts, operands):
            return
        if parts[0] in _NO_ARITHMETIC or mnemonic.startswith(("wgmma.", "bar.arrive")):
            return
        barrier = _barrier(mnemonic)
        if barrier:
            builder.emit(Op.BARRIER, Scalar.VOID, detail=barrier)
            return
        is_of_words = parts[0] == "mov" and any(item.startswith("{") for item in operands)
        if is_of_words and self._move_words(operands):
            return
        types = [PTX_TYPES[part] for part in parts if part in PTX_TYPES]
        # A conversion and a comparison with a result name the type of that first.
        scalar = types[-1] if types else Scalar.U32
        if parts[0] == "cvt" and types:
            scalar = types[0]
        value = self._value(parts, operands, scalar)
        if value is None:
            known = [self.registers[item] for item in operands if item in self.registers]
            builder.emit(Op.ASM, scalar, *known, detail=mnemonic)
        elif operands:
            self.registers[operands[0].partition("|")[0]] = value

    def _value(self, parts: list[str], operands: list[str], scalar: Scalar) -> int | None:
        builder = self.context.builder
        name = parts[0]
        if name in ("mov", "cvta", "cvt") and len(operands) == 2:
            special = _SPECIAL.get(operands[1])
            if special is not None:
                return builder.value(Op.SPECIAL, Scalar.U32, detail=special)
            source = self._operand(operands[1], scalar)
            return None if source is None else ptx_conversion(self.context, parts, source, scalar)
        if name in ("ld", "ldmatrix", "st") and len(operands) == 2:
            return self._access(parts, operands, scalar)
        if name in ("atom", "red"):
            return self._atomic(parts, operands, scalar)
        values = [self._operand(item, scalar) for item in operands[1:]]
        known = [value for value in values if value is not None]
        if len(known) != len(values):
            return None
        if name in ("shfl", "vote", "match", "redux", "activemask"):
            return self._across_lanes(parts, known, scalar)
        return ptx_value(self.context, parts, known, scalar) if known else None

    def _across_lanes(self, parts: list[str], values: list[int], scalar: Scalar) -> int | None:
        """Shuffles and votes; the last operand of one is the mask of its lanes, which nothing depends on here."""
        builder = self.context.builder
        name = parts[0]
        modes = [part for part in parts[1:] if part not in ("sync", "aligned")]
        if name == "activemask":
            return builder.value(Op.VOTE, Scalar.U32, detail="activemask")
        if not modes or not values:
            return None
        if name == "shfl":
            kind = _SHUFFLES.get(modes[0])
            if kind is None or len(values) < 2:
                return None
            return builder.value(Op.SHUFFLE, scalar, *values[:2], detail=kind)
        kind = {"match": f"match_{modes[0]}", "redux": f"reduce_{modes[0]}"}.get(name, modes[0])
        return builder.value(Op.VOTE, scalar, values[0], detail=kind)

    def _atomic(self, parts: list[str], operands: list[str], scalar: Scalar) -> int | None:
        """`atom` and, without a result, `red`."""
        returns = parts[0] == "atom"
        place = self._address(operands[1 if returns else 0], parts) if len(operands) > 1 else None
        values = [self._operand(item, scalar) for item in operands[2 if returns else 1 :]]
        known = [as_type(self.context, value, scalar) for value in values if value is not None]
        name = next((part for part in parts if part in _ATOMICS), None)
        if place is None or name is None or len(known) != len(values):
            return None
        context = self.context
        return atomic_operation(context, place, name, scalar, known, discard=not returns)

    def _move_words(self, operands: list[str]) -> bool:
        """`mov` between a register and the words that it consists of, which takes nothing."""
        builder = self.context.builder
        if len(operands) != 2:
            return False
        to, source = operands
        names = [
            name.strip() for name in (to if to.startswith("{") else source).strip("{}").split(",")
        ]
        if len(names) != 2:
            return False
        if to.startswith("{"):
            whole = self._operand(source, Scalar.U64)
            if whole is None or builder.register_types[whole].size_bytes != Scalar.U64.size_bytes:
                return False
            bits = as_type(self.context, whole, Scalar.U64)
            upper = builder.value(Op.SHR, Scalar.U64, bits, builder.constant(32, Scalar.U64))
            for name, part in zip(names, (bits, upper), strict=True):
                self.registers[name] = convert(self.context, part, Scalar.U32)
            return True
        words = [self._operand(name, Scalar.U32) for name in names]
        if None in words:
            return False
        low, high = (convert(self.context, word, Scalar.U64) for word in words if word is not None)
        upper = builder.value(Op.SHL, Scalar.U64, high, builder.constant(32, Scalar.U64))
        self.registers[to] = builder.value(Op.OR, Scalar.U64, upper, low)
        return True

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
            base = convert(self.context, as_type(self.context, register, Scalar.U32), Scalar.U64)
            register = builder.value(Op.PTR_ADD, Scalar.U64, base, window, scalar=INDEX, detail=1)
        return Place(register, offset_bytes)

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
        literal = ptx_literal(text, scalar)
        return None if literal is None else builder.constant(literal, scalar)


def _barrier(mnemonic: str) -> str | None:
    parts = mnemonic.split(".")
    if parts[0] in ("membar", "fence"):
        return "fence"
    if parts[0] in ("bar", "barrier") and "sync" in parts:
        return "warp" if "warp" in parts else "block"
    return None


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
