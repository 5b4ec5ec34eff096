"""RS107: many threads of a block load the same data from global memory."""

from __future__ import annotations

from collections.abc import Iterator

from roofstat.hardware.units import LINE_BYTES, SECTOR_BYTES, WARP_SIZE
from roofstat.report import BoundBy, Direction, Evidence, KernelReport
from roofstat.rules.accesses import excess_factor, global_accesses, name_of
from roofstat.rules.gains import load_wait_share, speedup_bound, unit_share
from roofstat.rules.rule import Example, Finding, Rule, RuleContext
from roofstat.rules.wording import figure

_REUSE = 8.0
_SMALLEST_BYTES = 1024
"""A few values are what L1 and registers hold anyway."""


def _check(kernel: KernelReport, _context: RuleContext) -> Iterator[Finding]:
    l2 = kernel.traffic.l2_bytes
    in_loops = {
        (pattern.line, pattern.column) for pattern in kernel.patterns if pattern.needed is not None
    }
    for access in global_accesses(kernel):
        if access.direction is not Direction.READ or excess_factor(access) is not None:
            continue
        if not access.requests or not access.sectors_per_request or not access.footprint_bytes:
            continue
        if access.footprint_bytes < _SMALLEST_BYTES or (access.line, access.column) in in_loops:
            continue
        loaded = access.requests * access.sectors_per_request * SECTOR_BYTES
        is_uniform = access.stride_bytes == 0
        wanted = access.requests * access.element_bytes if is_uniform else loaded
        reuse = wanted / access.footprint_bytes
        # Each warp of a block asks for what is the same for all of them.
        warps = kernel.launch.threads_per_block / WARP_SIZE if kernel.launch is not None else 1.0
        least = _REUSE * max(warps, 1.0) if is_uniform else _REUSE
        if reuse < least or not l2:
            continue
        beyond = min(loaded - access.footprint_bytes, max(l2 - access.footprint_bytes, 0.0))
        bound = speedup_bound(
            kernel,
            {
                # Registers may hold it; a tile in shared memory is read through the same unit.
                BoundBy.SHARED: 0.0
                if is_uniform
                else unit_share(kernel, max(loaded, access.requests * LINE_BYTES)),
                BoundBy.L2: beyond / l2,
                BoundBy.DRAM: access.share or 0.0,
                # One word for a whole warp comes from L1 nearly as fast as from shared memory.
                BoundBy.LATENCY: 0.0 if is_uniform else load_wait_share(kernel, access.requests),
            },
        )
        yield Finding(
            message=f"each byte of {name_of(access)} is loaded {figure(reuse)} times from global memory",
            line=access.line,
            column=access.column,
            file=access.file,
            help="load a tile into shared memory once a block, or compute several results a thread from registers",
            evidence=(
                Evidence(name="bytes loaded", value=loaded, unit="B"),
                Evidence(name="distinct bytes", value=access.footprint_bytes, unit="B"),
            ),
            speedup_bound=bound,
        )


RULE = Rule(
    code="RS107",
    name="unshared-reuse",
    detects="A well coalesced load that fetches each byte of its array at least 8 times in a launch, in a kernel that the "
    "memory system limits.",
    costs="Every further load goes to L1 or L2 again: hundreds of clocks and L2 bandwidth for what shared memory or a "
    "register could hold.",
    wrong_when="L1 serves the repeated loads, or blocks share nothing within themselves.",
    bad=Example(
        source="""__global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
int main() {
  int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  matmul<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n);
}
"""
    ),
    good=Example(
        source="""#define TILE 32
__global__ void matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < n; start += TILE) {
    left[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
int main() {
  int n = 2048;
  float *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
}
"""
    ),
    check=_check,
)
