"""What nobody knows is decided as its probability says, also where few blocks stand for a launch."""

import pytest


@pytest.mark.parametrize("grid", [100, 1000, 65536])
def test_blocks_that_decide_alike_take_their_share(run, grid):
    text = """__global__ void k(const int *c, float *out) {
      int a = c[blockIdx.x], b = c[gridDim.x + blockIdx.x];
      if (a > b) out[threadIdx.x] = 1;
      if (a > 2 * b) out[threadIdx.x] = 1;
      if (a > 3 * b) out[threadIdx.x] = 1;
      if (a > 4 * b) out[threadIdx.x] = 1;
    }"""
    ran = run(text, grid=grid, block=64, arguments={"c": 1 << 24, "out": 1 << 24})
    shares = [
        ran.trace.sites[item.site].threads / (64 * grid)
        for _, item in ran.code.instructions()
        if item.op.value == "store"
    ]
    assert shares == [pytest.approx(0.5, abs=0.02)] * 4


@pytest.mark.parametrize("grid", [5000, 20000])
def test_rows_that_few_blocks_stand_for_have_the_mean_length(host, grid):
    text = f"""#include <cuda_runtime.h>
    #include <stdlib.h>
    __global__ void k(const int *rows, const int *start, float *out) {{
      for (int j = 0; j < rows[blockIdx.x]; j++) out[j * blockDim.x + threadIdx.x] += 1;
    }}
    int main() {{
      int h[{grid}], *d; float *out;
      for (int i = 0; i < {grid}; i++) h[i] = rand() % 64 + 1;
      cudaMalloc(&d, sizeof(h)); cudaMalloc(&out, 1 << 24);
      cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
      k<<<{grid}, 512>>>(d, d, out);
    }}"""
    trace = host(text).only().trace
    (loop,) = trace.loops.values()
    assert loop.iterations / (512 * grid) == pytest.approx(32.5, rel=0.05)
