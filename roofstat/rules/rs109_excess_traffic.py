"""RS109: a bandwidth-bound kernel moves more than its distinct bytes."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import (
    AccessReport,
    BoundBy,
    Direction,
    Evidence,
    KernelReport,
    MemorySpace,
    TrafficBytes,
    TrafficRegime,
    Verdict,
)
from roofstat.rules.accesses import excess_factor, name_of
from roofstat.rules.gains import speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_EXCESS = 1.3
_MOST = 0.5
_IN_DRAM = (MemorySpace.GLOBAL, MemorySpace.LOCAL)


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    moved = kernel.traffic.dram(TrafficRegime.STEADY).total_bytes
    needed = kernel.traffic.compulsory_bytes
    if (
        kernel.verdict is not Verdict.BANDWIDTH
        or not moved
        or not needed
        or moved < _EXCESS * needed
    ):
        return
    worst = _worst(kernel, moved, moved - needed)
    if worst is not None and _is_uncoalesced(worst):
        return  # what lies between is fetched again and again: RS101 and RS102 say so
    why, remedy = _cause(kernel.traffic, worst)
    yield Finding(
        message=f"{figure(moved / needed)} times the distinct bytes go through DRAM"
        + (f", most of the excess for {name_of(worst)}" if worst is not None else "")
        + f": {why}",
        line=worst.line if worst is not None else None,
        column=worst.column if worst is not None else None,
        file=worst.file if worst is not None else None,
        help=remedy,
        evidence=(
            Evidence(name="DRAM traffic", value=moved, unit="B"),
            Evidence(name="distinct bytes", value=needed, unit="B"),
        ),
        speedup_bound=speedup_bound(kernel, {BoundBy.DRAM: 1.0 - needed / moved}),
    )


def _worst(kernel: KernelReport, moved: float, excess: float) -> AccessReport | None:
    """The access that moves most of the array to which most of the excess belongs; None where no array has most of it."""
    arrays: dict[tuple[MemorySpace, str], list[AccessReport]] = {}
    for access in kernel.accesses:
        if access.space in _IN_DRAM:
            # members of records name their array first
            key = access.space, access.array.partition(".")[0]
            arrays.setdefault(key, []).append(access)
    beyond = {
        key: sum(each.share or 0.0 for each in accesses) * moved - _needed_bytes(accesses)
        for key, accesses in arrays.items()
    }
    worst = max(beyond, key=beyond.__getitem__, default=None)
    if worst is None or beyond[worst] < _MOST * excess:
        return None
    return max(arrays[worst], key=lambda access: access.share or 0.0)


def _needed_bytes(accesses: list[AccessReport]) -> float:
    """Bytes of one array that must move once in each direction; local memory need not move at all."""
    largest: dict[Direction, float] = {}
    for access in accesses:
        if access.space is MemorySpace.GLOBAL:
            footprint = access.footprint_bytes or 0.0
            largest[access.direction] = max(largest.get(access.direction, 0.0), footprint)
    return sum(largest.values())


def _is_uncoalesced(access: AccessReport) -> bool:
    is_plain = access.space is MemorySpace.GLOBAL and access.direction is not Direction.ATOMIC
    return is_plain and excess_factor(access) is not None


def _cause(traffic: TrafficBytes, worst: AccessReport | None) -> tuple[str, str]:
    """Why bytes move more than once, and what to do."""
    if worst is not None and worst.space is MemorySpace.LOCAL:
        return (
            "an array of each thread in local memory, and all of them together are more than L2 keeps",
            "index it by constants in unrolled loops, so that it fits into registers, make it smaller, or put it into shared memory",
        )
    terms = traffic.dram_terms
    if terms is not None:
        repeated = terms.repeated_read_bytes + terms.repeated_write_bytes
        if terms.fill_bytes > max(repeated, terms.beside_read_bytes):
            return (
                "sectors are written in part, and memory reads the rest of each before it stores it",
                "let neighbouring threads write all of each sector (32 bytes), or put what is written side by side",
            )
        if terms.beside_read_bytes > repeated:
            return (
                "DRAM gives several sectors at a time, and scattered accesses use one of them",
                "keep side by side what is used together (buckets, wider records), or sort or bin the indices",
            )
    why = "data fall out of L2 before they are used again"
    if worst is not None and excess_factor(worst) is not None:
        return (
            why,
            "sort or bin the indices, so that what updates one part of the array runs together",
        )
    return (
        why,
        "work on tiles that fit into L2 or shared memory, or let blocks that run together share their data",
    )


_SOURCE = """__global__ void sweep(const float *in, float *out, long n, int passes) {{
  long threads = (long)gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
{body}
}}
int main() {{
  long n = 1L << 27;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  sweep<<<864, 256>>>(in, out, n, 8);
}}
"""

RULE = Rule(
    code="RS109",
    name="excess-traffic",
    detects="A bandwidth-bound kernel whose DRAM traffic exceeds the distinct bytes that it touches by at least 30 %.",
    costs="DRAM bandwidth limits such a kernel: every byte that is fetched again costs as much as one that is new.",
    wrong_when="The order of the accesses is fixed by the algorithm and no tile of it fits into the caches.",
    bad=Example(
        source=_SOURCE.format(
            body="""  float sum = 0.0f;
  for (int pass = 0; pass < passes; pass++)
    for (long i = first; i < n; i += threads) sum += in[i] * pass;
  out[first] = sum;"""
        )
    ),
    good=Example(
        source=_SOURCE.format(
            body="""  float sum = 0.0f;
  for (long i = first; i < n; i += threads) {
    float value = in[i];
    for (int pass = 0; pass < passes; pass++) sum += value * pass;
  }
  out[first] = sum;"""
        )
    ),
    check=_check,
)
