"""Type names as calls of the library spell them: template arguments and sizes of elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar

if TYPE_CHECKING:
    from roofstat.execution.host.registry import HostCall
    from roofstat.program.link import Program

SCALARS = {
    "bool": Scalar.BOOL,
    "char": Scalar.I8,
    "signed char": Scalar.I8,
    "unsigned char": Scalar.U8,
    "int8_t": Scalar.I8,
    "uint8_t": Scalar.U8,
    "short": Scalar.I16,
    "unsigned short": Scalar.U16,
    "int16_t": Scalar.I16,
    "uint16_t": Scalar.U16,
    "int": Scalar.I32,
    "unsigned int": Scalar.U32,
    "unsigned": Scalar.U32,
    "int32_t": Scalar.I32,
    "uint32_t": Scalar.U32,
    "long": Scalar.I64,
    "unsigned long": Scalar.U64,
    "long long": Scalar.I64,
    "unsigned long long": Scalar.U64,
    "int64_t": Scalar.I64,
    "uint64_t": Scalar.U64,
    "size_t": Scalar.U64,
    "float": Scalar.F32,
    "double": Scalar.F64,
    "__half": Scalar.F16,
    "half": Scalar.F16,
    "__nv_bfloat16": Scalar.BF16,
}
_PREFIXES = ("const ", "struct ", "class ", "enum ", "typename ")
_POINTERS = 8


def template_arguments(name: str) -> list[str]:
    """Arguments of the last template in a type name: ``std::map<int, A<b>>`` gives ``int`` and ``A<b>``."""
    start = name.find("<")
    if start < 0:
        return []
    found: list[str] = []
    depth = 0
    current = ""
    for character in name[start + 1 :]:
        if character in "<([":
            depth += 1
        elif character in ">)]":
            if depth == 0:
                break
            depth -= 1
        if character == "," and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += character
    return [*found, current.strip()]


def plain(name: str) -> str:
    """A type name without qualifiers."""
    name = name.strip()
    while name.startswith(_PREFIXES):
        name = name.split(" ", 1)[1].strip()
    return name.removesuffix(" const").strip()


def scalar_named(name: str) -> Scalar | None:
    """The scalar type of a name; None for records."""
    name = plain(name)
    return Scalar.U64 if name.endswith("*") else SCALARS.get(name)


def size_named(program: Program, name: str) -> int | None:
    """Size in bytes of a type by its name; None where it is unknown."""
    name = plain(name)
    if name.endswith(("*", "&")):
        return _POINTERS
    scalar = SCALARS.get(name)
    if scalar is not None:
        return scalar.size_bytes
    return program.record_size(name) or program.record_size(name.rsplit("::", 1)[-1])


def element_scalar(call: HostCall) -> Scalar | None:
    """The scalar type of a container's elements; None for records."""
    arguments = template_arguments(call.detail.object_type)
    return scalar_named(arguments[0]) if arguments else None


def element_bytes(call: HostCall) -> int:
    """Size of the elements of the container that a method is called on."""
    arguments = template_arguments(call.detail.object_type)
    if arguments:
        size = size_named(call.run.program, arguments[0])
        if size:
            return size
    return call.detail.result_pointee_bytes or 4
