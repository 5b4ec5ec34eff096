"""Arrays that each thread has for itself: what loops end by that decide by their elements."""

from __future__ import annotations

import numpy as np
import pytest

from clang_queries.ir.types import Scalar
from roofstat.execution.mask import Mask
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.execution.stored.lane_memory import LaneMemory

LANES = 64
ALL = Mask(np.ones(LANES, np.bool_), is_full=True)
IS_ODD = np.arange(LANES) % 2 == 1
ODD = Mask(IS_ODD)


def test_each_lane_finds_what_it_stored_where_it_stored_it():
    memory = LaneMemory(32, LANES)
    places = np.arange(LANES, dtype=np.int64) % 8 * 4
    assert memory.load(places, Scalar.I32, ALL) is None
    memory.store(places, Scalar.I32, np.arange(LANES), ALL)
    assert np.array_equal(memory.load(places, Scalar.I32, ALL), np.arange(LANES))
    assert memory.load(0, Scalar.I32, ALL) is None
    assert memory.load(4, Scalar.I32, Mask(places == 4))[1] == 1


def test_stores_of_some_lanes_leave_the_others_as_they_are():
    memory = LaneMemory(16, LANES)
    memory.store(8, Scalar.F64, 1.5, ALL)
    memory.store(8, Scalar.F64, 2.5, ODD)
    assert np.array_equal(memory.load(8, Scalar.F64, ALL), np.where(IS_ODD, 2.5, 1.5))
    memory.store(8, Scalar.F64, Mixed(np.full(LANES, 3.0), IS_ODD, Unknown(1)), ALL)
    assert memory.load(8, Scalar.F64, ALL) is None
    assert memory.load(8, Scalar.F64, ODD)[1] == 3.0


@pytest.mark.parametrize(
    ("offset", "scalar"), [(2, Scalar.I32), (64, Scalar.I32), (-4, Scalar.I32), (0, Scalar.F16)]
)
def test_odd_places_end_what_is_known(offset, scalar):
    memory = LaneMemory(16, LANES)
    memory.clear()
    assert memory.load(0, Scalar.I32, ALL)[0] == 0
    memory.store(offset, scalar, 1, ALL)
    assert memory.load(0, Scalar.I32, ALL) is None


def test_a_sorted_window_is_sorted_as_its_values_say(run):
    ran = run(
        """__global__ void k(float* o) {
          float w[10];
          for (int n = 0; n < 10; n++) {
            float v = 10 - n + threadIdx.x;
            int j = n;
            while (j > 0 && w[j - 1] > v) {
              w[j] = w[j - 1];
              j--;
            }
            w[j] = v;
          }
          o[threadIdx.x] = w[5];
        }""",
        grid=64,
        arguments={"o": 64 * 32},
    )
    assert ran.iterations(6) == pytest.approx(64 * 32 * 45)
    assert not ran.kinds & {"branch", "trip-count"}


def test_a_matrix_is_iterated_until_it_has_converged(run):
    ran = run(
        """__global__ void k(const float* x, float* o) {
          float a[6][6];
          for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) a[i][j] = i == j ? 2 : 1;
          int n = 0;
          for (; n < 50; n++) {
            float s = 0;
            for (int i = 0; i < 6; i++)
              for (int j = 0; j < i; j++) s += a[i][j] * a[i][j];
            if (s < 1) break;
            for (int i = 0; i < 6; i++)
              for (int j = 0; j < i; j++) a[i][j] *= 0.5f;
          }
          o[blockIdx.x * 32 + threadIdx.x] = n;
        }""",
        grid=64,
        arguments={"o": 64 * 32},
    )
    # 15, 3.75, 0.94
    assert ran.iterations(6) == pytest.approx(64 * 32 * 3)
    assert not ran.kinds & {"branch", "trip-count"}


def test_steps_to_an_end_are_told_by_their_pace_where_they_are_too_many(run):
    ran = run(
        """__global__ void k(double* o) {
          double y[6], d[6], t = 0, h = 1e-3;
          int steps = 0;
          for (int i = 0; i < 6; i++) y[i] = i + 1 + threadIdx.x % 4;
          while (t < 5 && steps < 900) {
            for (int i = 0; i < 6; i++) {
              double s = 0;
              for (int j = 0; j < 6; j++) s += (i + j) * y[j];
              d[i] = s * 1e-6;
            }
            double e = 0;
            for (int i = 0; i < 6; i++) e += fabs(d[i] / y[i]);
            for (int i = 0; i < 6; i++) y[i] -= h * d[i];
            t += h;
            h = e < 1 ? 1e-2 : 1e-3;
            steps++;
          }
          o[blockIdx.x * 32 + threadIdx.x] = y[0] + steps;
        }""",
        grid=256,
        arguments={"o": 256 * 32},
    )
    assert ran.iterations(5) / (256 * 32) == pytest.approx(501, rel=0.1)


def test_a_factorisation_is_not_taken_to_break_down_because_elements_were_drawn(host):
    launch = host(
        """#include <cuda_runtime.h>
        __global__ void fill(float *m, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) {
              float v = ((i * 31 + r * 17 + c * 7) % 97) / 97.0f - 0.5f;
              if (r == c) v = 4 + v;
              m[(r * 4 + c) * n + i] = v;
            }
        }
        __global__ void factor(const float *m, float *o, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          float a[4][4];
          for (int r = 0; r < 4; r++)
            for (int c = 0; c < 4; c++) a[r][c] = m[(r * 4 + c) * n + i];
          for (int c = 0; c < 4; c++) {
            float s = a[c][c];
            for (int k = 0; k < c; k++) s -= a[c][k] * a[c][k];
            if (s <= 0) break;
            o[c * n + i] = s;
          }
        }
        int main() {
          int n = 1 << 16;
          float *m, *o;
          cudaMalloc(&m, n * 64);
          cudaMalloc(&o, n * 16);
          fill<<<n / 256, 256>>>(m, n);
          factor<<<n / 256, 256>>>(m, o, n);
        }"""
    ).launches[-1]
    stored = sum(
        site.threads
        for _, item in launch.trace.code.instructions()
        if item.op.value == "store"
        and getattr(item.detail, "array", "") == "o"
        and (site := launch.trace.sites.get(item.site)) is not None
    )
    assert stored == pytest.approx(4 * (1 << 16))
