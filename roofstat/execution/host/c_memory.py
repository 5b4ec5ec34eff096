"""Host memory: allocation, copies and fills of the C library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.vectors import expected, is_told
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.stored.fill import Fill, Pattern
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject


def allocate(
    call: HostCall, size: Value, space: Space, name: str = "", initial: Value | None = None
) -> MemoryObject:
    """A new allocation; of the expected size where only bounds are known."""
    known = expected(size)
    is_exact = is_told(size)
    return call.machine.memory.allocate(known, space, name, initial=initial, assumed=not is_exact)


@models("malloc", "valloc", "operator new", "operator new[]", "alloca", "__builtin_alloca")
def _malloc(call: HostCall) -> Value:
    return allocate(call, call.arguments[0], Space.HOST).base


@models("calloc")
def _calloc(call: HostCall) -> Value:
    count, size = call.integer(0), call.integer(1)
    total = count * size if count is not None and size is not None else None
    return call.machine.memory.allocate(total, Space.HOST, "", initial=0).base


@models("aligned_alloc", "memalign", "_mm_malloc", "_aligned_malloc")
def _aligned(call: HostCall) -> Value:
    is_first = call.name.endswith(("_mm_malloc", "_aligned_malloc"))
    return allocate(call, call.arguments[0 if is_first else 1], Space.HOST).base


@models("posix_memalign")
def _posix_memalign(call: HostCall) -> Value:
    call.store(0, Scalar.U64, allocate(call, call.arguments[2], Space.HOST).base)
    return 0


@models("realloc")
def _realloc(call: HostCall) -> Value:
    found = allocate(call, call.arguments[1], Space.HOST)
    source = call.object(0)
    if source is not None:
        found.contents = source[0].contents.copied_to(found.contents)
    return found.base


@models("mmap")
def _mmap(call: HostCall) -> Value:
    return allocate(call, call.arguments[1], Space.HOST).base


@models("free", "munmap", "operator delete", "operator delete[]", "_mm_free", "mlock", "madvise")
def _free(call: HostCall) -> Value:
    return 0


def copy_contents(
    target: tuple[MemoryObject, int] | None,
    source: tuple[MemoryObject, int] | None,
    size: int | None,
) -> None:
    """What is known of the source becomes known of the target."""
    if target is None:
        return
    found, at = target
    if source is None:
        found.contents.forget()
        return
    origin, start = source
    reach = origin.buffer.size_bytes, found.buffer.size_bytes
    is_whole = size is None or any(extent is not None and size >= extent for extent in reach)
    if start == 0 and at == 0 and is_whole:
        found.contents = origin.contents.copied_to(found.contents)
    elif size is None:
        found.contents.forget()
    elif size > 0:
        found.contents.copy_range(origin.contents, start, size, at)
    if origin.text is not None and found.text is None and at == 0 and start == 0:
        for index, character in enumerate(origin.text[: size if size is not None else 4096][:4096]):
            found.contents.store(index, Scalar.I8, ord(character) & 0x7F)
        if size is None or size > len(origin.text):
            found.contents.store(len(origin.text), Scalar.I8, 0)


@models("memcpy", "memmove", "mempcpy")
def _memcpy(call: HostCall) -> Value:
    size = call.integer(2)
    target, source = call.object(0), call.object(1)
    copy_contents(target, source, size)
    if target is not None and size is not None and size <= 128 and call.machine.loop_stack:
        # Small copies in loops fill arrays, as stores do.
        for part in range(size):
            cell = target[0].contents.cells.get(target[1] + part)
            if cell is not None:
                call.store(0, cell[0], cell[1], part)
    return call.arguments[0]


def fill_bytes(place: tuple[MemoryObject, int] | None, value: int | None, size: int | None) -> None:
    """memset: bytes of 0 and 255 mean the same in every integer type, others are put together where they are read."""
    if place is None:
        return
    found, at = place
    first = None if value is None else {0: 0, 255: -1}.get(value & 255, value & 255)
    extent = found.buffer.size_bytes
    if at == 0 and (size is None or extent is None or size >= extent):
        found.contents.clear_to(first if first in (0, -1) else None)
        size = extent if first not in (None, 0, -1) else None
    if size:
        found.contents.add_fill(
            Fill(
                start=at,
                dims=((1, size),),
                scalar=Scalar.U8,
                pattern=Pattern.UNKNOWN if first is None else Pattern.CONSTANT,
                first=first or 0,
                key=new_key(),
            )
        )


@models("memset", "bzero", "explicit_bzero")
def _memset(call: HostCall) -> Value:
    is_zero = call.name.endswith("bzero")
    fill_bytes(call.object(0), 0 if is_zero else call.integer(1), call.integer(1 if is_zero else 2))
    return call.arguments[0]


@models("memcmp", pure=True)
def _memcmp(call: HostCall) -> Value:
    return call.unknown("a comparison of memory")
