"""Questions that several rules ask of a memory access."""

from __future__ import annotations

import math
from collections.abc import Iterable

from roofstat.hardware.units import SECTOR_BYTES, WARP_SIZE
from roofstat.report import AccessReport, Direction, Evidence, KernelReport, MemorySpace

__all__ = [
    "EXCESS",
    "aligned_sectors",
    "distance_text",
    "excess_factor",
    "global_accesses",
    "is_interleaved",
    "name_of",
    "sector_evidence",
    "sector_share",
]

EXCESS = 1.5
"""Sectors that a request touches over those that its bytes fill, from which on it is worth a finding."""


def global_accesses(kernel: KernelReport) -> tuple[AccessReport, ...]:
    """Loads and stores of global memory; atomics are left out."""
    return tuple(
        access
        for access in kernel.accesses
        if access.space is MemorySpace.GLOBAL and access.direction is not Direction.ATOMIC
    )


def excess_factor(access: AccessReport) -> float | None:
    """Return how many times more sectors a request touches than its bytes fill; None where it is fine."""
    touched, ideal = access.sectors_per_request, access.ideal_sectors_per_request
    if touched is None or not ideal or touched < EXCESS * ideal:
        return None
    return touched / ideal


def aligned_sectors(access: AccessReport) -> float | None:
    """Return the sectors that a warp request touches if each row of adjacent data in it began with a sector; None where unknown."""
    if not access.row_bytes:
        return None
    rows = WARP_SIZE * access.element_bytes / access.row_bytes
    return rows * math.ceil(access.row_bytes / SECTOR_BYTES)


def sector_share(kernel: KernelReport, accesses: Iterable[AccessReport]) -> float:
    """Return the part of the global sectors that some accesses touch."""
    total = kernel.traffic.global_sectors
    touched = sum((each.requests or 0.0) * (each.sectors_per_request or 0.0) for each in accesses)
    return touched / total if total else 0.0


def is_interleaved(access: AccessReport) -> bool:
    """Whether what lies between the data of adjacent threads belongs to the same element of a layout."""
    stride = access.stride_bytes
    if stride is None or abs(stride) <= access.element_bytes:
        return False
    if stride % access.element_bytes:
        return False  # a mean, as between rows of unequal length
    return access.record is not None or abs(stride) <= SECTOR_BYTES


def distance_text(access: AccessReport) -> str:
    """Return how far apart the data of adjacent threads lie."""
    stride = access.stride_bytes
    if not stride:  # none, or most neighbours share an address and the others are anywhere
        return "at addresses without a common stride"
    mean = "on average " if stride % access.element_bytes else ""
    return f"{mean}{abs(stride):,.0f} B apart"


def name_of(access: AccessReport) -> str:
    """Return an access as written, as far as that is known."""
    return (
        f"{access.array}{access.index}"
        if access.index and "." not in access.array
        else access.array
    )


def sector_evidence(access: AccessReport) -> tuple[Evidence, ...]:
    """Return the numbers behind a finding about coalescing."""
    found = [
        Evidence(name="sectors of 32 B per warp request", value=access.sectors_per_request or 0.0),
        Evidence(name="sectors that hold its data", value=access.ideal_sectors_per_request or 0.0),
    ]
    if access.stride_bytes is not None:
        found.append(Evidence(name="between adjacent threads", value=access.stride_bytes, unit="B"))
    if access.requests is not None:
        found.append(Evidence(name="warp requests", value=access.requests))
    if access.share is not None:
        found.append(Evidence(name="share of the DRAM traffic", value=100 * access.share, unit="%"))
    return tuple(found)


def ordinal(number: int) -> str:
    """Return the word for a place in a row.

    >>> [ordinal(number) for number in (2, 8, 11, 13, 21, 103, 112)]
    ['2nd', '8th', '11th', '13th', '21st', '103rd', '112th']
    """
    is_teen = number // 10 % 10 == 1
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
