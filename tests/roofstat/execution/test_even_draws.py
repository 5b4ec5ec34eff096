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
