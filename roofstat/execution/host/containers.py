"""std::vector, std::string, thrust vectors and random distributions, as far as they decide sizes and contents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.contents import Fill, Pattern
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.address_space import MemoryObject
    from roofstat.execution.values import Value


@dataclass(slots=True, eq=False)
class VectorState:
    """What is known of one vector object."""

    storage: MemoryObject
    count: int | None
    element_bytes: int


_SIZES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "unsigned short": 2,
    "int": 4, "unsigned int": 4, "float": 4, "int32_t": 4, "uint32_t": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "double": 8, "size_t": 8, "int64_t": 8, "uint64_t": 8,
}  # fmt: skip
_ELEMENT = re.compile(r"(?:vector|array|deque|list)<\s*(.*)>\s*$")
_VECTOR_KINDS = ("vector", "device_vector", "host_vector", "universal_vector")


def _names(method: str) -> tuple[str, ...]:
    return tuple(f"{kind}::{method}" for kind in _VECTOR_KINDS)


def _element_bytes(call: HostCall) -> int:
    match = _ELEMENT.search(call.detail.object_type)
    if match:
        name = re.sub(r",\s*(std|thrust)::.*allocator.*$", "", match.group(1)).strip()
        name = name.removeprefix("struct ").removeprefix("class ").removeprefix("const ")
        if name.endswith("*"):
            return 8
        if name in _SIZES:
            return _SIZES[name]
        if name.startswith("std::vector"):
            return 24
        for record in call.run.program.records.values():
            if record.name == name:
                return record.size_bytes
    return call.detail.result_pointee_bytes or 4


def vector(call: HostCall, address_index: int = 0) -> VectorState | None:
    """The state of the vector whose address is an argument."""
    address = call.integer(address_index)
    states = call.run.state.setdefault("vectors", {})
    assert isinstance(states, dict)
    found = states.get(address)
    if isinstance(found, VectorState):
        return found
    if address is None:
        return None
    created = _inherited(call, address) or _new_state(call, None)
    states[address] = created
    return created


def _inherited(call: HostCall, address: int) -> VectorState | None:
    """A vector that is an element of a vector: like the last one that was put in."""
    holder = call.machine.memory.find(address)
    template = holder.state.get("element") if holder is not None else None
    return template if isinstance(template, VectorState) else None


def _new_state(call: HostCall, count: int | None) -> VectorState:
    size = _element_bytes(call)
    space = (
        Space.GLOBAL
        if "device_vector" in call.detail.object_type or "device_vector" in call.name
        else Space.HOST
    )
    # An empty vector will grow: its range of addresses is left open.
    total = count * size if count else None
    initial = None if count is None else 0
    return VectorState(call.machine.memory.allocate(total, space, "vector", initial=initial), count, size)


def _set(call: HostCall, state: VectorState) -> None:
    states = call.run.state.setdefault("vectors", {})
    assert isinstance(states, dict)
    states[call.integer(0)] = state


@models(*(f"{kind}::{kind}" for kind in _VECTOR_KINDS))
def _construct(call: HostCall) -> Value:
    states = call.run.state.setdefault("vectors", {})
    assert isinstance(states, dict)
    if len(call.arguments) < 2:
        _set(call, _new_state(call, 0))
        return 0
    other = states.get(call.integer(1))
    if isinstance(other, VectorState) and len(call.arguments) == 2:
        copied = _new_state(call, other.count)
        copied.storage.contents = other.storage.contents.copy()
        _set(call, copied)
        return 0
    first = call.object(1)
    if first is not None and len(call.arguments) > 2:
        return _construct_range(call, first)
    count = call.integer(1)
    state = _new_state(call, count)
    _set(call, state)
    if len(call.arguments) > 2 and count:
        _fill(state, call.arguments[2], call)
    return 0


def _construct_range(call: HostCall, first: tuple[MemoryObject, int]) -> Value:
    end = call.integer(2)
    begin = call.integer(1)
    size = _element_bytes(call)
    count = (end - begin) // size if end is not None and begin is not None else None
    state = _new_state(call, count)
    state.storage.contents = first[0].contents.copy()
    _set(call, state)
    return 0


def _fill(state: VectorState, value: Value, call: HostCall) -> None:
    """All elements become one value (passed by reference: through its address)."""
    if isinstance(value, int):
        found = call.machine.memory.find(value)
        if found is not None:
            for scalar in (cell[0] for cell in found.contents.cells.values()):
                value = found.contents.load(
                    int(value) - found.base, scalar, found.buffer.number, "a value"
                )
                break
    if state.count and isinstance(value, int | float):
        state.storage.contents.add_fill(
            Fill(
                start=0,
                dims=((state.element_bytes, state.count),),
                scalar=_scalar(state.element_bytes, is_float=isinstance(value, float)),
                pattern=Pattern.CONSTANT,
                first=value,
                key=new_key(),
            )
        )
    elif state.count:
        state.storage.contents.forget()


def _scalar(size: int, *, is_float: bool) -> Scalar:
    if is_float:
        return Scalar.F64 if size == 8 else Scalar.F32
    return {1: Scalar.I8, 2: Scalar.I16, 8: Scalar.I64}.get(size, Scalar.I32)


@models(*_names("size"), *_names("capacity"))
def _size(call: HostCall) -> Value:
    state = vector(call)
    if state is None or state.count is None:
        return call.unknown("size of a vector")
    return state.count


@models(*_names("empty"))
def _empty(call: HostCall) -> Value:
    state = vector(call)
    return (
        call.unknown("size of a vector")
        if state is None or state.count is None
        else state.count == 0
    )


@models(*_names("data"), *_names("begin"), *_names("cbegin"), *_names("front"))
def _data(call: HostCall) -> Value:
    state = vector(call)
    return state.storage.base if state is not None else call.unknown("data of a vector")


@models(*_names("end"), *_names("cend"), *_names("back"))
def _end(call: HostCall) -> Value:
    state = vector(call)
    if state is None or state.count is None:
        return call.unknown("end of a vector")
    last = state.count - 1 if call.name.endswith("back") else state.count
    return state.storage.base + max(last, 0) * state.element_bytes


@models(*_names("operator[]"), *_names("at"))
def _index(call: HostCall) -> Value:
    from roofstat.execution.memory_operations import pointer_add

    state = vector(call)
    if state is None:
        return call.unknown("element of a vector")
    return pointer_add(call.machine, state.storage.base, call.arguments[1], state.element_bytes)


@models(*_names("push_back"), *_names("emplace_back"))
def _push_back(call: HostCall) -> Value:
    state = vector(call)
    if state is None or state.count is None:
        return 0
    if len(call.arguments) > 1:
        _append(call, state)
    state.count += _repetition(call)
    return 0


def _append(call: HostCall, state: VectorState) -> None:
    """Store the new element, a scalar or a vector, at the end."""
    assert state.count is not None
    offset = state.count * state.element_bytes
    states = call.run.state.setdefault("vectors", {})
    assert isinstance(states, dict)
    argument = call.arguments[1]
    inner = states.get(argument)
    if isinstance(inner, VectorState):
        state.storage.state["element"] = inner
        states[state.storage.base + offset] = inner
        return
    found = call.object(1)
    if found is None:
        return
    cell = found[0].contents.cells.get(found[1])
    if cell is None:
        return
    scalar, value = cell
    for entry in call.machine.loop_stack:
        entry.note_store(call.instruction.site, state.storage, offset, scalar, value)
    state.storage.contents.store(offset, scalar, value)


def _repetition(call: HostCall) -> int:
    """How often the running iteration counts, where the host loops around it are being extrapolated."""
    return max(round(float(call.machine.weight[0])), 1)


@models(*_names("resize"), *_names("assign"))
def _resize(call: HostCall) -> Value:
    state = vector(call)
    if state is None:
        return 0
    count = call.integer(1)
    fresh = _new_state(call, count)
    if not call.name.endswith("assign"):
        fresh.storage.contents = state.storage.contents.copy()
        fresh.storage.contents.initial = 0
    if len(call.arguments) > 2:
        _fill(fresh, call.arguments[2], call)
    _set(call, fresh)
    return 0


@models(*_names("reserve"), *_names("clear"), *_names("shrink_to_fit"), *_names("pop_back"))
def _reserve(call: HostCall) -> Value:
    state = vector(call)
    if state is not None and call.name.endswith("clear"):
        state.count = 0
    if state is not None and call.name.endswith("pop_back") and state.count:
        state.count -= 1
    return 0


@models(*_names("operator="))
def _assign(call: HostCall) -> Value:
    states = call.run.state.setdefault("vectors", {})
    assert isinstance(states, dict)
    other = states.get(call.integer(1))
    if isinstance(other, VectorState):
        copied = VectorState(other.storage, other.count, other.element_bytes)
        _set(call, copied)
    return call.arguments[0]


@models("std::fill", "fill", "thrust::fill", "std::fill_n")
def _fill_range(call: HostCall) -> Value:
    first = call.object(0)
    end = call.integer(1)
    begin = call.integer(0)
    if (
        first is not None
        and begin is not None
        and end is not None
        and end > begin
        and call.name != "std::fill_n"
    ):
        size = call.detail.result_pointee_bytes or 4
        state = VectorState(first[0], (end - begin) // size, size)
        _fill(state, call.arguments[2] if len(call.arguments) > 2 else 0, call)
    return 0


@models("std::iota", "iota", "thrust::sequence")
def _iota(call: HostCall) -> Value:
    first, end, begin = call.object(0), call.integer(1), call.integer(0)
    if first is not None and begin is not None and end is not None and end > begin:
        count = (end - begin) // 4
        first[0].contents.add_fill(
            Fill(
                start=first[1],
                dims=((4, count),),
                scalar=Scalar.I32,
                pattern=Pattern.AFFINE,
                first=0,
                steps=(1.0,),
                key=new_key(),
            )
        )
    return 0


# Strings


def _strings(call: HostCall) -> dict[int, str | None]:
    found = call.run.state.setdefault("strings", {})
    assert isinstance(found, dict)
    return found


@models(
    "string::string", "basic_string::basic_string", "string::operator=", "basic_string::operator="
)
def _string(call: HostCall) -> Value:
    address = call.integer(0)
    if address is not None:
        _strings(call)[address] = call.text(1) if len(call.arguments) > 1 else ""
    return call.arguments[0] if call.name.endswith("=") else 0


@models("string::c_str", "basic_string::c_str", "string::data", "basic_string::data")
def _c_str(call: HostCall) -> Value:
    text = call.text(0)
    found = call.machine.memory.allocate(
        len(text) + 1 if text is not None else None, Space.HOST, "string"
    )
    found.text = text
    return found.base


@models("string::size", "string::length", "basic_string::size", "basic_string::length")
def _length(call: HostCall) -> Value:
    text = call.text(0)
    return len(text) if text is not None else call.unknown("length of a string")


@models("string::compare", "basic_string::compare", "std::operator==", "std::operator!=")
def _compare(call: HostCall) -> Value:
    a, b = call.text(0), call.text(1)
    if a is None or b is None:
        return call.unknown("comparison with an unknown string")
    if call.name.endswith("compare"):
        return (a > b) - (a < b)
    return (a == b) == call.name.endswith("==")


# Random distributions


@models("uniform_int_distribution::uniform_int_distribution")
def _integer_distribution(call: HostCall) -> Value:
    address = call.integer(0)
    limits = call.run.state.setdefault("distributions", {})
    assert isinstance(limits, dict)
    if address is not None:
        limits[address] = (call.integer(1, 0), call.integer(2, 2147483647))
    return 0


@models("uniform_int_distribution::operator()")
def _draw_integer(call: HostCall) -> Value:
    limits = call.run.state.get("distributions")
    low, high = (
        limits.get(call.integer(0), (None, None)) if isinstance(limits, dict) else (None, None)
    )
    return Unknown(new_key(), uniform=True, low=low, high=high, reason="a random number")


@models(
    "mersenne_twister_engine::operator()",
    "mt19937::operator()",
    "default_random_engine::operator()",
    "linear_congruential_engine::operator()",
    "random_device::operator()",
)
def _draw_bits(call: HostCall) -> Value:
    return Unknown(new_key(), uniform=True, low=0, high=(1 << 32) - 1, reason="a random number")


@models(
    "uniform_real_distribution::operator()",
    "normal_distribution::operator()",
    "bernoulli_distribution::operator()",
)
def _draw_real(call: HostCall) -> Value:
    return Unknown(
        new_key(), uniform=True, reason="a random number", is_float=call.instruction.scalar.is_float
    )
