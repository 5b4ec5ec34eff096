"""The kernels that an operation launches, with how many items, on a card."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.libraries.table import (
    ANY_ELEMENT,
    ELEMENT_BYTES,
    LibraryKernel,
    bare_name,
    library_kernels,
    variants_of,
)

__all__ = [
    "UNMEASURED",
    "VECTOR_FILL",
    "LibraryLaunch",
    "LibraryUse",
    "launches_of",
    "launches_of_stated",
]

VECTOR_FILL = "thrust::device_vector of a size"
"""What runs a kernel without the name of a function: the constructor sets every element."""
UNMEASURED = ""
"""The operation of a call whose kernels do something else than what was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryUse:
    """What a host call asks a library for.

    Attributes:
        call: Name of the function.
        library: Whose it is.
        operation: What it asks for.
        element: Measured type that its elements are most like.
        element_bytes: Size of an element.
        value_bytes: Size of what travels with each element; 0 where nothing does.
        items: Of how many elements; None where that is not known.
        sorted_bits: By how many bits of a key it sorts; None for all of them.
    """

    call: str
    library: str
    operation: str
    element: str
    element_bytes: int
    value_bytes: int
    items: int | None
    sorted_bits: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryLaunch:
    """Launches of one kernel that are alike.

    Attributes:
        kernel: The kernel.
        items: Items of one launch.
        blocks: Its grid.
        element_bytes: Size of the elements, with what travels with them.
        count: How often one call launches it.
    """

    kernel: LibraryKernel
    items: int
    blocks: int
    element_bytes: float
    count: int = 1


_Name = tuple[str, str]
_SINGLE = "reduce::DeviceReduceSingleTileKernel"
_MANY = "reduce::DeviceReduceKernel"
_AGENT = "core::_kernel_agent"
_REDUCTIONS: Mapping[str, tuple[_Name | None, _Name, _Name]] = {
    **{
        operation: ((_SINGLE, variant), (_MANY, variant), (_SINGLE, partials))
        for operation, variant, partials in (
            ("sum", "sum", "sum-partials"),
            ("max", "max", "max-partials"),
            ("argmin", "argmin", "argmin-partials"),
            ("thrust-reduce", "thrust", "thrust-partials"),
            ("transform-reduce", "transform", "thrust-partials"),
            ("inner-product", "inner-product", "thrust-partials"),
            ("count", "count", "thrust-partials"),
        )
    },
    "extremum": ((_AGENT, "extremum"), (_AGENT, "extremum"), (_AGENT, "extremum-partials")),
    "dot": (None, ("dot_kernel", ""), ("reduce_1Block_kernel", "")),
    "asum": (None, ("asum_kernel", ""), ("asum_kernel", "partials")),
    "amax": (None, ("iamax_kernel", ""), ("iamax_kernel", "partials")),
}
"""The kernel for what fits into one tile (None where two are run always), the one for more, and that for its blocks."""
_COUNTED = frozenset({"count"})
"""Operations whose partial results are counts, whatever the elements are."""

_COMPACT: _Name = ("scan::DeviceCompactInitKernel", "")
_SELECT, _BY_KEY, _SCAN = (
    "select::DeviceSelectSweepKernel",
    "reduce::DeviceReduceByKeyKernel",
    "scan::DeviceScanKernel",
)
_SWEEPS: Mapping[str, tuple[_Name | None, _Name]] = {
    "exclusive-scan": (("scan::DeviceScanInitKernel", ""), (_SCAN, "exclusive")),
    "inclusive-scan": (("scan::DeviceScanInitKernel", ""), (_SCAN, "inclusive")),
    "thrust-scan": (("scan::DeviceScanInitKernel", ""), (_SCAN, "thrust")),
    "select-if": (_COMPACT, (_SELECT, "if")),
    "select-unique": (_COMPACT, (_SELECT, "unique")),
    "thrust-copy-if": (_COMPACT, (_SELECT, "thrust-if")),
    "thrust-remove": (_COMPACT, (_SELECT, "thrust-remove")),
    "reduce-by-key": (_COMPACT, (_BY_KEY, "")),
    "runs": (_COMPACT, (_BY_KEY, "runs")),
    "thrust-unique": ((_AGENT, "init"), (_AGENT, "unique")),
    "thrust-reduce-by-key": ((_AGENT, "init"), (_AGENT, "by-key")),
    "histogram": (
        ("histogram::DeviceHistogramInitKernel", ""),
        ("histogram::DeviceHistogramSweepKernel", ""),
    ),
    "transform-unary": (None, ("transform::transform_kernel", "unary")),
    "transform-binary": (None, ("transform::transform_kernel", "binary")),
    "gather": (None, ("transform::transform_kernel", "gather")),
    "fill": (None, ("for_each::static_kernel", "fill")),
    "sequence": (None, ("for_each::static_kernel", "sequence")),
    "for-each": (None, ("for_each::static_kernel", "for-each")),
    "axpy": (None, ("axpy_kernel_val", "")),
    "scal": (None, ("scal_kernel_val", "")),
    "copy-vector": (None, ("copy_kernel", "")),
    "swap": (None, ("swap_kernel", "")),
}
"""The kernel that prepares one word for each tile (None where none does), and the one that goes over the elements."""
_SORTS: Mapping[str, tuple[str, str]] = {
    "sort-keys": ("keys", ""),
    "sort-pairs": ("pairs", ""),
    "thrust-sort-keys": ("keys-long", "long"),
    "thrust-sort-pairs": ("pairs-long", "long"),
}
"""Variants of the kernels that move elements, and of those that count digits."""
_SINGLE_TILE_BYTES = 256 * 19 * 4
"""Elements of so many bytes are sorted by one block."""
_LEAST_RADIX_BYTES = 4
"""Smaller keys take other kernels, which were not measured."""
_MEASURED_VALUE_BYTES = 4
_DIGIT_BITS = 8


class _UnmeasuredError(Exception):
    """A kernel is not in the table for this type."""


def launches_of(use: LibraryUse, sm_count: int) -> tuple[LibraryLaunch, ...] | None:
    """Return what a call launches on a card; None where a kernel of it was not measured, or its items are not known."""
    if use.items is None:
        return None
    if use.items <= 0:
        return ()
    try:
        return tuple(_launches(use, use.items, sm_count))
    except _UnmeasuredError:
        return None


def _launches(use: LibraryUse, items: int, sm_count: int) -> Iterator[LibraryLaunch]:
    if use.operation in _REDUCTIONS:
        small, many, partials = _REDUCTIONS[use.operation]
        whole = _of(many, use.element)
        if small is not None and whole.tile is not None and items <= whole.tile:
            yield _launch(_of(small, use.element), items, use.element_bytes, sm_count)
            return
        if use.operation == "extremum":
            yield _launch(_of((_AGENT, "drain"), ANY_ELEMENT), 1, 1, sm_count)
        first = _launch(whole, items, use.element_bytes, sm_count)
        yield first
        element = "long" if use.operation in _COUNTED else use.element
        yield _launch(_of(partials, element), first.blocks, ELEMENT_BYTES[element], sm_count)
    elif use.operation in _SWEEPS:
        before, sweep = _SWEEPS[use.operation]
        swept = _launch(_of(sweep, use.element), items, use.element_bytes, sm_count)
        if before is not None:
            yield _launch(_of(before, ANY_ELEMENT), swept.blocks, 1, sm_count)
        yield swept
    elif use.operation in _SORTS:
        yield from _radix_sort(use, items, sm_count)
    elif use.operation == "merge-sort":
        yield from _merge_sort(use, items, sm_count)
    else:
        raise _UnmeasuredError


def _radix_sort(use: LibraryUse, items: int, sm_count: int) -> Iterator[LibraryLaunch]:
    moving, counting = _SORTS[use.operation]
    size, element = use.element_bytes, use.element
    if not _LEAST_RADIX_BYTES <= size <= ELEMENT_BYTES[element]:
        raise _UnmeasuredError
    # pairs were measured with values of 4 bytes
    moved = size * (size + use.value_bytes) / (size + (use.value_bytes and _MEASURED_VALUE_BYTES))
    name = "radix_sort::DeviceRadixSort{}Kernel".format
    if items * max(size, use.value_bytes) <= _SINGLE_TILE_BYTES:
        yield _launch(_of((name("SingleTile"), moving), element), items, moved, sm_count)
        return
    yield _launch(_of((name("Histogram"), counting), element), items, size, sm_count)
    yield _launch(_of((name("ExclusiveSum"), counting), element), items, size, sm_count)
    bits = size * 8 if use.sorted_bits is None else use.sorted_bits
    passes = math.ceil(bits / _DIGIT_BITS)
    yield _launch(_of((name("Onesweep"), moving), element), items, moved, sm_count, passes)


def _merge_sort(use: LibraryUse, items: int, sm_count: int) -> Iterator[LibraryLaunch]:
    name = "merge_sort::DeviceMergeSort{}Kernel".format
    size, element = use.element_bytes, use.element
    sorted_blocks = _launch(_of((name("BlockSort"), ""), element), items, size, sm_count)
    yield sorted_blocks
    passes = math.ceil(math.log2(sorted_blocks.blocks))
    if passes:
        tiles = sorted_blocks.blocks
        yield _launch(_of((name("Partition"), ""), element), tiles, size, sm_count, passes)
        yield _launch(_of((name("Merge"), ""), element), items, size, sm_count, passes)


def _of(name: _Name, element: str) -> LibraryKernel:
    found = library_kernels().get(name, {}).get(element)
    if found is None:
        raise _UnmeasuredError
    return found


def _launch(
    kernel: LibraryKernel, items: int, element_bytes: float, sm_count: int, count: int = 1
) -> LibraryLaunch:
    blocks = kernel.grid(items, sm_count)
    return LibraryLaunch(
        kernel=kernel, items=items, blocks=blocks, element_bytes=element_bytes, count=count
    )


_ELEMENT = pattern("|".join(rf"\b{name}\b" for name in ELEMENT_BYTES))


def launches_of_stated(
    name: str, blocks: int, threads: int | None, uses: Sequence[LibraryUse]
) -> tuple[LibraryLaunch, ...]:
    """Return the launches that a stated configuration may mean, the likeliest first.

    Args:
        name: How the kernel is called; its template arguments may be left out.
        blocks: Its grid.
        threads: Of a block; None where that is not stated.
        uses: What the program asks libraries for.
    """
    bare, arguments = bare_name(name), name.partition("<")[2]
    expected = {(key, use.element) for use in uses for key in _kernels_of(use.operation)}
    expected_keys = {key for key, _ in expected}
    words = _ELEMENT.findall(arguments)
    meant = variants_of(name) if arguments else frozenset()

    def rank(key: _Name, kernel: LibraryKernel) -> tuple[bool, bool, int, bool]:
        word = words.index(kernel.element) if kernel.element in words else len(words)
        is_asked = (key, kernel.element) in expected
        return key[1] not in meant, key not in expected_keys, word, not is_asked

    found = [
        (rank(key, kernel), kernel)
        for key, kernels in library_kernels().items()
        if bare_name(key[0]) == bare
        for kernel in kernels.values()
        if threads in (None, kernel.threads)
    ]
    return tuple(
        LibraryLaunch(
            kernel=kernel,
            items=kernel.items_of(blocks) or 0,
            blocks=blocks,
            element_bytes=ELEMENT_BYTES.get(kernel.element, 1),
        )
        for _, kernel in sorted(found, key=lambda entry: entry[0])
    )


def _kernels_of(operation: str) -> Iterator[_Name]:
    """The kernels that an operation may launch."""
    yield from (name for name in _REDUCTIONS.get(operation, ()) if name is not None)
    yield from (name for name in _SWEEPS.get(operation, ()) if name is not None)
    if operation in _SORTS:
        moving, counting = _SORTS[operation]
        for part, variant in (
            ("SingleTile", moving),
            ("Histogram", counting),
            ("ExclusiveSum", counting),
            ("Onesweep", moving),
        ):
            yield f"radix_sort::DeviceRadixSort{part}Kernel", variant
