"""Branches on marks that the host has given to elements: few are left out, unless kernels change the marks."""

import pytest

THREADS = 1024


def additions(run, body):
    """Additions of a kernel, for each thread; `m` and `c` hold what nobody knows."""
    text = (
        "__global__ void k(int *m, const int *c, const float *x, float *out) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x; float s = 0; {body} out[i] = s; }}"
    )
    sizes = {"m": THREADS, "c": 8 * THREADS, "x": THREADS, "out": THREADS}
    return run(text, grid=4, block=256, arguments=sizes).flop / THREADS


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("if (m[i]) return; s = x[i] + 1;", 0.9),
        ("if (m[i] == 0) return; s = x[i] + 1;", 0.9),
        ("if (!m[i]) s += x[i];", 0.9),
        ("if (m[i] != 0) { s += x[i]; }", 0.9),
        ("int j = m[i]; if (j >= 0) s += x[j];", 0.9),
        ("int j = m[i]; if (j == -1) return; s += x[j];", 0.9),
        ("if (i < 1020 && !m[i]) s += x[i];", 0.9),
        ("if (i >= 1020 || m[i]) return; s = x[i] + 1;", 0.9),
        # one of two ways, a sign, no mark but a number
        ("if (m[i]) s += x[i]; else out[0] = 1;", 0.5),
        ("if (m[i] >= 0) s += x[i];", 0.75),
        ("if (m[i] > 7) return; s = x[i] + 1;", 0.5),
        ("if (x[i] > 0) return; s = x[i] + 1;", 0.5),
        # one number for all is no mark of an element
        ("if (c[7]) return; s = x[i] + 1;", 0.5),
        # the front of a search
        ("if (!m[i]) return; m[i] = 0; s = x[i] + 1;", 0.5),
    ],
)
def test_few_elements_are_marked_to_be_left_out(run, body, share):
    assert additions(run, body) == pytest.approx(share, abs=0.1)


def test_marks_that_an_earlier_kernel_has_left_say_nothing(host):
    hosted = host("""
    #include <cstdio>
    __global__ void spread(int *m, const int *from) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      m[i] = from[i] * from[i + 1];
    }
    __global__ void work(const int *m, const float *x, float *out) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (m[i]) return;
      out[i] = x[i] + 1;
    }
    int main() {
      int *m, *from; float *x, *out; char text[65540];
      cudaMalloc(&m, 65536); cudaMalloc(&from, 65540); cudaMalloc(&x, 65536); cudaMalloc(&out, 65536);
      fread(text, 1, 65540, stdin);
      cudaMemcpy(from, text, 65540, cudaMemcpyHostToDevice); cudaMemcpy(x, text, 65536, cudaMemcpyHostToDevice);
      work<<<64, 256>>>(from, x, out);
      spread<<<64, 256>>>(m, from);
      work<<<32, 256>>>(m, x, out);
    }
    """)
    told = [
        any("marked" in item.text for item in each.trace.assumptions) for each in hosted.launches
    ]
    assert told == [True, False, False]
