"""RS103: accesses that begin off the boundaries that the hardware moves."""

from __future__ import annotations

from collections.abc import Iterator

from clang_queries.quick_pattern import pattern
from roofstat.report import AccessReport, Evidence, KernelReport
from roofstat.rules.accesses import aligned_sectors, global_accesses, name_of, sector_evidence
from roofstat.rules.gains import excess_sector_savings, speedup_bound
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_VECTOR = pattern(r"u?(?:char|short|int|long|longlong|float|double)[24]")
_VECTOR_BYTES = 8
_EXTRA_SECTOR = 0.5


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    for access in global_accesses(kernel):
        if _is_misaligned_vector(access):
            yield Finding(
                message=f"{name_of(access)} is accessed {access.element_bytes} B at once at addresses that are multiples of "
                f"{access.alignment_bytes} B only: the access faults",
                line=access.line,
                column=access.column,
                file=access.file,
                help=f"begin at a multiple of {access.element_bytes} B, or access single elements",
                evidence=(
                    Evidence(
                        name="alignment of the addresses",
                        value=access.alignment_bytes or 0,
                        unit="B",
                    ),
                    Evidence(name="size of the access", value=access.element_bytes, unit="B"),
                ),
            )
        elif _crosses_sectors(access):
            yield Finding(
                message=f"warps begin inside a sector of {name_of(access)}: {figure(access.sectors_per_request)} sectors a request "
                f"where {figure(access.ideal_sectors_per_request)} would do",
                line=access.line,
                column=access.column,
                file=access.file,
                help="let the first thread of each warp begin at a multiple of 32 B: pad rows, or shift the index",
                evidence=sector_evidence(access),
                speedup_bound=speedup_bound(kernel, excess_sector_savings(kernel, (access,))),
            )


def _is_misaligned_vector(access: AccessReport) -> bool:
    aligned = access.alignment_bytes
    return (
        aligned is not None
        and access.element_bytes >= _VECTOR_BYTES
        and _is_vector(access.record)
        and aligned < access.element_bytes
    )


def _is_vector(record: str | None) -> bool:
    """Whether it is a type that is aligned to its size; other records are moved member by member."""
    return record is None or _VECTOR.fullmatch(record) is not None


def _crosses_sectors(access: AccessReport) -> bool:
    touched, ideal = access.sectors_per_request, access.ideal_sectors_per_request
    if touched is None or ideal is None or access.stride_bytes is None:
        return False
    if abs(access.stride_bytes) != access.element_bytes:
        return False
    return touched >= max(ideal, aligned_sectors(access) or 0.0) + _EXTRA_SECTOR


_SOURCE = """__global__ void copy(const float *from, float4 *to, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 *vectors = reinterpret_cast<const float4 *>(from + {offset});
  if (i < n) to[i] = vectors[i];
}}
int main() {{
  int n = 1 << 20;
  float *from;
  float4 *to;
  cudaMalloc(&from, 4 * (n + 1) * sizeof(float));
  cudaMalloc(&to, n * sizeof(float4));
  copy<<<n / 256, 256>>>(from, to, n);
}}
"""

RULE = Rule(
    code="RS103",
    name="misaligned-access",
    detects="Adjacent threads that access adjacent elements, but from an address inside a 32-byte sector; and vector "
    "accesses at addresses that are no multiple of their size.",
    costs="A warp that begins inside a sector touches one sector more than its data fill, a quarter more for 4-byte "
    "elements. A vector access off its own alignment is a fault (misaligned address) on NVIDIA GPUs.",
    wrong_when="The shift is inherent, as in a stencil that reads both neighbours: L1 then serves the second access.",
    bad=Example(source=_SOURCE.format(offset=1)),
    good=Example(source=_SOURCE.format(offset=4)),
    check=_check,
)
