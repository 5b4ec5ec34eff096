"""Host loops whose condition reads memory in the right operand of ``&&``: a member that the loop counts down."""

import pytest

SOURCE = """
struct Stream {
  long left;
  size_t read(float *to, int width, int most) {
    size_t count = 0;
    for (int i = 0; i < most && left > 0; i++) {
      for (int k = 0; k < width; k++) to[i * width + k] = k;
      left--;
      count++;
    }
    return count;
  }
};
__global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main(int argc, char **argv) {
  int width = 16, chunk = atoi(argv[2]);
  Stream *stream = new Stream;
  stream->left = atol(argv[1]);
  float *rows = (float *)malloc(chunk * width * sizeof(float)), *d;
  cudaMalloc(&d, chunk * width * sizeof(float));
  while (stream->left > 0) {
    size_t n = stream->read(rows, width, chunk) * width;
    scale<<<(n + 255) / 256, 256>>>(d, n);
  }
}
"""


@pytest.mark.parametrize(
    ("rows", "chunk", "grids"),
    [
        # ceil(16 rows / 256) blocks for each chunk, the last one short
        (60_000, 60_000, [(3750, 1)]),
        (50_000, 80_000, [(3125, 1)]),
        (65_536, 5_000, [(313, 13), (34, 1)]),  # 65,536 = 13 x 5,000 + 536
    ],
)
def test_a_reader_stops_at_its_buffer_or_at_the_end_of_the_stream(host, rows, chunk, grids):
    found = [
        (launch.grid[0], launch.count)
        for launch in host(SOURCE, argv=[str(rows), str(chunk)]).launches
    ]
    assert found == grids
