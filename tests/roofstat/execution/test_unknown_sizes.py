"""Sizes that only an unread file knows, and choices between two known addresses."""

from __future__ import annotations

import numpy as np

from roofstat.analysis.settings import device_model
from roofstat.execution.host.launches import LaunchOverride
from roofstat.execution.host.run import HostRun
from roofstat.hardware import load_gpu
from roofstat.program.code import Op

READ = """
#include <cuda_runtime.h>
#include <stdio.h>
void read_sizes(const char *name, int *w, int *h);
"""
SHIFT = """
__global__ void shift(const float4 *in, float4 *out, const int *cut, int w, int h, int width) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < h && column < width - 1)
    out[row * w + column] = column >= cut[row] ? in[row * w + column + 1] : in[row * w + column];
}
"""
MAIN = """
int main(int argc, char **argv) {
  int w, h, *cut; float4 *in, *out;
  read_sizes(argv[1], &w, &h);
  int width = w;
  cudaMalloc(&in, w * h * sizeof(float4)); cudaMalloc(&out, w * h * sizeof(float4));
  cudaMalloc(&cut, h * sizeof(int));
  dim3 grid((width - 1) / 32 + 1, (h - 1) / 8 + 1), block(32, 8);
  shift<<<grid, block>>>(in, out, cut, w, h, width);
}
"""


def stated(hosted_program, grid, block):
    """The launch of the program's kernel with a stated configuration."""
    run = HostRun(
        hosted_program,
        device_model(load_gpu("a100")),
        arguments=["image"],
        overrides=lambda _: LaunchOverride(grid=grid, block=block),
    )
    run.run_main()
    (launch,) = run.launcher.table.entries()
    return launch


def arguments(launch):
    """What the notes say that each unknown argument was taken as."""
    return {
        text.split()[1]: int(text.rsplit(" ", 1)[1])
        for kind, text in launch.notes
        if kind == "argument"
    }


def test_arguments_made_of_one_unknown_agree(program):
    """`w` bounds no thread index, but it is the number that `width` is a copy of: 13 blocks of 32 columns."""
    launch = stated(program(READ + SHIFT + MAIN), (13, 35, 1), (32, 8, 1))
    assert arguments(launch) == {"w": 13 * 32, "h": 35 * 8, "width": 13 * 32}


def test_a_bound_that_is_a_product_is_shared_out(program):
    text = """
    __global__ void clear(float *out, int w, int h) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < w * h) out[i] = 0.0f;
    }
    int main(int argc, char **argv) {
      int w, h; float *out;
      read_sizes(argv[1], &w, &h);
      cudaMalloc(&out, w * h * sizeof(float));
      clear<<<(w * h + 255) / 256, 256>>>(out, w, h);
    }"""
    launch = stated(program(READ + text), (256, 1, 1), (256, 1, 1))
    assert arguments(launch) == {"w": 256, "h": 256}


def test_a_choice_between_neighbours_stays_near_them(run):
    """Each load is of element i or i + 1, whatever the data say: not of a random one."""
    n = 1 << 18
    text = """
    __global__ void pick(const float4 *in, float4 *out, const int *cut, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n - 1) out[i] = cut[i] > 0 ? in[i + 1] : in[i];
    }"""
    ran = run(
        text,
        grid=n // 256,
        block=256,
        arguments={"in": n, "out": n, "cut": n, "n": n},
    )
    sites = [
        item.site
        for _, item in ran.code.instructions()
        if item.op is Op.LOAD and item.detail.array != "cut"
    ]
    event = next(item for item in ran.trace.events if item.site in sites)
    steps = np.diff(event.address[:32])
    assert np.isin(steps, [0, 16, 32]).all()


def test_an_index_counted_from_one_stays_in_its_array(run):
    """`x[column[i] - 1]`: the address of element -1 lies before the array, but no access does."""
    n = 1 << 16
    text = """
    __global__ void gather(const int *column, const float *x, float *out, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] = x[column[i] - 1];
    }"""
    ran = run(text, grid=n // 256, block=256, arguments={"column": n, "x": n, "out": n, "n": n})
    names = {item.number: item.name for item in ran.trace.buffers.values()}
    touched = [names.get(event.buffer) for event in ran.trace.events]
    assert touched == ["column", "x", "out"]
