"""What nobody knows is decided as its probability says, also where few blocks stand for a launch or few turns for a loop."""

import pytest

from roofstat.execution.guesses.even_draws import at_turn


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


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("turns", [3, 8, 50])
def test_turns_of_one_lane_are_spread_evenly(share, turns):
    taken = sum(at_turn(turn) < share for turn in range(1, turns + 1))
    assert taken == pytest.approx(share * turns, abs=1)


def test_the_first_turn_goes_to_the_likelier_side():
    assert [at_turn(1) < share for share in (0.1, 0.49, 0.51, 0.9)] == [False, False, True, True]
    assert at_turn(1, is_even=True) < 0.5 < at_turn(1)
