"""RS101: a warp's threads access addresses that lie far apart."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.report import AccessReport, KernelReport
from roofstat.rules.accesses import (
    EXCESS,
    aligned_sectors,
    distance_text,
    excess_factor,
    global_accesses,
    is_interleaved,
    name_of,
    sector_evidence,
    sector_share,
)
from roofstat.rules.gains import bound_beyond_l1, excess_sector_savings
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_SHARE = 0.05
"""Of the global sectors that the kernel touches."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for access in global_accesses(kernel):
        if excess_factor(access) is None or is_interleaved(access) or _begins_inside(access):
            continue
        if sector_share(kernel, (access,)) < _SHARE:
            continue
        bound, severity = bound_beyond_l1(kernel, excess_sector_savings(kernel, (access,)))
        yield Finding(
            message=f"{_how(access)}: {figure(access.sectors_per_request)} sectors a request "
            f"where {figure(access.ideal_sectors_per_request)} hold its data",
            line=access.line,
            column=access.column,
            file=access.file,
            help=_remedy(access),
            evidence=sector_evidence(access),
            speedup_bound=bound,
            severity=severity,
        )


def _is_in_rows(access: AccessReport) -> bool:
    return access.stride_bytes == access.element_bytes


def _begins_inside(access: AccessReport) -> bool:
    """Whether rows that are whole sectors begin inside of one: RS103 says so."""
    ideal = access.ideal_sectors_per_request or 0.0
    return _is_in_rows(access) and (aligned_sectors(access) or 0.0) < EXCESS * ideal


def _how(access: AccessReport) -> str:
    if _is_in_rows(access):
        return f"a warp accesses {name_of(access)} in rows of {figure(access.row_bytes)} B"
    return f"adjacent threads access {name_of(access)} {distance_text(access)}"


def _remedy(access: AccessReport) -> str:
    if _is_in_rows(access):
        return "let adjacent threads take at least 32 B of a row (wider blocks, wider loads), or go through shared memory"
    if not access.stride_bytes:  # as in `distance_text`
        return "sort or bin the indices, or read through shared memory"
    return "let adjacent threads take adjacent elements: exchange the indices, transpose the array, or go through shared memory"


RULE = Rule(
    code="RS101",
    name="uncoalesced-access",
    detects="A load or store of global memory for which the threads of a warp touch at least half more 32-byte sectors than "
    "their data fill, and which makes up at least 5 % of the sectors of the kernel, since adjacent threads are far apart, at irregular addresses, or in rows shorter than a sector.",
    costs="Memory moves in sectors of 32 bytes. A warp that reads 4-byte values from 32 different sectors moves 1024 bytes "
    "for 128 that it needs, through L1 and L2 and, where the rest is evicted before its turn, from DRAM. Where only L1 and "
    "L2 carry it and the model sees no gain, it is a warning without a bound if L2 at half its rate would decide the time, "
    "else a note.",
    wrong_when="The rest of each sector is used soon after by the same thread and L1 keeps it, or the order of the "
    "indices comes from data and cannot be changed.",
    bad=Example(
        source="""__global__ void row_sums(const float *m, float *sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int j = 0; j < columns; j += 8) sum += m[row * columns + j];
  sums[row] = sum;
}
int main() {
  int rows = 1 << 18, columns = 512;
  float *m, *sums;
  cudaMalloc(&m, sizeof(float) * rows * columns);
  cudaMalloc(&sums, sizeof(float) * rows);
  row_sums<<<rows / 256, 256>>>(m, sums, rows, columns);
}
"""
    ),
    good=Example(
        source="""__global__ void row_sums(const float *transposed, float *sums, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int j = 0; j < columns; j += 8) sum += transposed[j * rows + row];
  sums[row] = sum;
}
int main() {
  int rows = 1 << 18, columns = 512;
  float *m, *sums;
  cudaMalloc(&m, sizeof(float) * rows * columns);
  cudaMalloc(&sums, sizeof(float) * rows);
  row_sums<<<rows / 256, 256>>>(m, sums, rows, columns);
}
"""
    ),
    check=_check,
)
