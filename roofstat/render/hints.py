"""What a reader can do with the numbers: sentences that follow from the report alone."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.render.quantities import duration, factor, percent, trimmed
from roofstat.render.words import ARITHMETIC, BOUND_NAMES, RESOURCE_NAMES, TYPE_NAMES, line_of
from roofstat.report import (
    AccessReport,
    BoundBy,
    KernelReport,
    MemorySpace,
    TrafficRegime,
    Verdict,
)

__all__ = ["conflict_ways", "hints", "wasteful"]

# An access counts as wasteful from a quarter more sectors than its bytes need.
_WASTE = 1.25
_CONFLICT = 1.5
_BANK_BYTES = 4
_LOW_OCCUPANCY = 0.34
_NEAR_RIDGE = 1.5
_BUSY = 0.5
_CACHES = {BoundBy.L2: "the L2 cache", BoundBy.SHARED: "L1 and shared memory"}
_NONE = "1×"
"""A factor that is none as it is shown."""


def hints(kernel: KernelReport) -> tuple[str, ...]:
    """Return what follows from a kernel's numbers, most telling first."""
    return (
        *_flip(kernel),
        *_regimes(kernel),
        *_time_elsewhere(kernel),
        *_limit(kernel),
        *_accesses(kernel),
        *_conflicts(kernel),
        *_residency(kernel),
    )


def wasteful(access: AccessReport) -> float | None:
    """Return how many times more sectors an access touches than its bytes need; None where it is fine."""
    if access.space is not MemorySpace.GLOBAL:
        return None
    touched, ideal = access.sectors_per_request, access.ideal_sectors_per_request
    if touched is None or not ideal or touched < _WASTE * ideal:
        return None
    return touched / ideal


def _flip(kernel: KernelReport) -> Iterator[str]:
    if kernel.limiter is None:
        return
    value, ridge = kernel.intensity.get(kernel.limiter), kernel.ridge.get(kernel.limiter)
    if not value or not ridge:
        return
    name = TYPE_NAMES[kernel.limiter]
    times = ridge / value if kernel.verdict is Verdict.BANDWIDTH else value / ridge
    more = f"{percent(times - 1)} more" if times < 2 else f"{factor(times)} the"
    if kernel.verdict is Verdict.BANDWIDTH:
        text = f"compute-bound from {more} {name} work for each DRAM byte"
    elif _types_at_ridge(kernel) == 1:
        less = (
            f"{percent(1 / times)} of" if times < 10 else f"1/{trimmed(float(f'{times:.2g}'))} of"
        )
        text = f"bandwidth-bound below {less} the {name} work for each DRAM byte"
    else:
        text = f"bandwidth-bound from {more} DRAM bytes for the same work"
    near = "; that is near, so small changes of input or compiler can flip it"
    yield text + (near if times < _NEAR_RIDGE else "")


def _types_at_ridge(kernel: KernelReport) -> int:
    return sum(
        value is not None and kind in kernel.ridge and value >= kernel.ridge[kind]
        for kind, value in kernel.intensity.items()
    )


def _regimes(kernel: KernelReport) -> Iterator[str]:
    verdicts = kernel.verdicts
    if len(set(verdicts.values())) > 1:
        other = kernel.regime.other
        how = (
            "a profiler's isolated launch"
            if other is TrafficRegime.PROFILED
            else "a launch inside a running program"
        )
        yield f"{how} gives {verdicts[other].value}, since stored data that stays in L2 counts differently"


def _time_elsewhere(kernel: KernelReport) -> Iterator[str]:
    """That what decides the time is on neither side of the verdict, or on the other."""
    sides: dict[Verdict, tuple[BoundBy, ...]] = {
        Verdict.BANDWIDTH: (BoundBy.DRAM,),
        Verdict.COMPUTE: (*ARITHMETIC, BoundBy.ISSUE),
    }
    expected = sides.get(kernel.verdict)
    bound = kernel.bound_by
    if expected is None or bound is None or bound in (*expected, BoundBy.LATENCY, BoundBy.LAUNCH):
        return
    yield f"the verdict sets arithmetic against DRAM traffic and nothing else; what takes longest is {BOUND_NAMES[bound]}"


def _limit(kernel: KernelReport) -> Iterator[str]:
    match kernel.bound_by:
        case BoundBy.LAUNCH:
            yield "too small for its launch to pay: batch, fuse or graph such launches"
        case BoundBy.LATENCY:
            yield _waiting(kernel)
        case BoundBy.ATOMICS:
            yield "atomics decide the time: reduce in registers or shared memory first"
        case BoundBy.L2 | BoundBy.SHARED:
            yield from _relieved(kernel, kernel.bound_by)
        case _:
            return


def _relieved(kernel: KernelReport, bound: BoundBy) -> Iterator[str]:
    """What fewer accesses to a cache would bring."""
    others = {part: seconds for part, seconds in kernel.times_s.items() if part is not bound}
    part = max(others, key=lambda each: others[each], default=None)
    if part is None or not others[part]:
        return
    times = factor(kernel.times_s[bound] / others[part])
    if times != _NONE:
        yield (
            f"fewer passes through {_CACHES[bound]} would leave {duration(others[part])} for {BOUND_NAMES[part]}, up to {times} faster"
        )


def _waiting(kernel: KernelReport) -> str:
    """What shorter or fewer waits of the warps would bring."""
    waiting = kernel.times_s[BoundBy.LATENCY]
    others = {
        part: seconds
        for part, seconds in kernel.times_s.items()
        if part not in (BoundBy.LATENCY, BoundBy.LAUNCH)
    }
    remedy = "more independent work for each thread or more threads would help"
    part = max(others, key=lambda each: others[each], default=None)
    if part is None or others[part] < _BUSY * waiting:
        return f"neither arithmetic nor memory is busy: {remedy}"
    times = factor(waiting / others[part])
    most = f", up to {times}" if times != _NONE else ""
    return (
        f"{BOUND_NAMES[part]} is busy {percent(others[part] / waiting)} of the time: {remedy}{most}"
    )


def _accesses(kernel: KernelReport) -> Iterator[str]:
    found = [(times, access) for access in kernel.accesses if (times := wasteful(access))]
    for times, access in sorted(found, key=lambda pair: -pair[0])[:2]:
        yield (
            f"line {line_of(access.line, access.file)}: {access.array} touches {trimmed(access.sectors_per_request or 0.0)} sectors a request where "
            f"{trimmed(access.ideal_sectors_per_request or 0.0)} hold its bytes ({factor(times)})"
        )


def _conflicts(kernel: KernelReport) -> Iterator[str]:
    if kernel.bound_by is not BoundBy.SHARED:
        return
    found = [(ways, access) for access in kernel.accesses if (ways := conflict_ways(access))]
    for ways, access in sorted(found, key=lambda pair: -pair[0])[:2]:
        yield (
            f"line {line_of(access.line, access.file)}: {trimmed(ways)}-way bank conflicts in {access.array}: "
            "pad its rows, or let adjacent threads take adjacent words"
        )


def conflict_ways(access: AccessReport) -> float | None:
    """Return how many passes of shared memory an access takes for one that would do; None without conflicts."""
    if access.wavefronts_per_request is None or access.space is not MemorySpace.SHARED:
        return None
    ways = access.wavefronts_per_request / max(access.element_bytes / _BANK_BYTES, 1.0)
    return ways if ways >= _CONFLICT else None


def _residency(kernel: KernelReport) -> Iterator[str]:
    occupancy = kernel.occupancy
    if occupancy is None:
        return
    if occupancy.blocks_per_sm == 0:
        yield f"the launch does not fit on an SM: a block has more {RESOURCE_NAMES[occupancy.limiter]} than it may"
    elif occupancy.waves < 1 and kernel.bound_by is not BoundBy.LAUNCH:
        yield f"the grid fills {percent(occupancy.waves)} of the GPU"
    elif occupancy.share < _LOW_OCCUPANCY:
        yield f"{percent(occupancy.share)} of the warps that fit are resident, held by {occupancy.limiter.value}"
