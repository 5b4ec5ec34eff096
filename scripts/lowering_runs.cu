// Cases for scripts/lowering_runs.py: small kernels of one kind each, executed and set beside the model.

typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long long ull;

// Indices that multiply the counter: words that advance, or pointers where something else needs the counter.

// run: scaled_word <<<2,128>>> a=float[4096] o=float[256] n=100
extern "C" __global__ void scaled_word(const float* a, float* o, int n) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += a[i * 32 + t];
  o[t] = v;
}

// run: scaled_members <<<2,128>>> a=float[4096] o=float[256] n=100
extern "C" __global__ void scaled_members(const float* a, float* o, int n) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += a[i * 3] * a[i * 3 + 1] + a[i * 3 + 2];
  o[t] = v;
}

// run: scaled_beside_counter <<<2,128>>> a=float[4096] b=float[4096] o=float[256] n=100
extern "C" __global__ void scaled_beside_counter(const float* a, const float* b, float* o, int n) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += a[i * 3 + t] * b[i];
  o[t] = v;
}

// run: scaled_twice <<<2,128>>> a=float[4096] o=float[256] n=100 m=8
extern "C" __global__ void scaled_twice(const float* a, float* o, int n, int m) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += a[i * 2 + t * m];
  o[t] = v;
}

// run: scaled_sum <<<2,128>>> a=float[4096] o=float[256] n=100
extern "C" __global__ void scaled_sum(const float* a, float* o, int n) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += a[(t + i) * 3] * a[(t + i) * 3 + 1];
  o[t] = v;
}

// run: scaled_from_start <<<2,128>>> a=float[4096] r=int[512]:i%128*2 o=float[256]
extern "C" __global__ void scaled_from_start(const float* a, const int* r, float* o) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = r[t]; i < r[t] + 96; i++)
    v += a[i * 3] * a[i * 3 + 1];
  o[t] = v;
}

// run: scaled_row <<<2,128>>> a=float[40000] o=float[256] n=100
extern "C" __global__ void scaled_row(const float* a, float* o, int n) {
  int t = threadIdx.x;
  const float* p = a + t * n;
  float v = 0;
  for (int i = 0; i < n; i++)
    v += p[i * 3] * p[i * 3 + 1];
  o[t] = v;
}

// Known numbers of iterations.

// run: known_1000 <<<2,128>>> a=float[4096] b=float[1024] o=float[256]
extern "C" __global__ void known_1000(const float* a, const float* b, float* o) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 1000; i++)
    v += a[i * 3 + t] * b[i];
  o[t] = v;
}

// run: known_500 <<<2,128>>> a=float[4096] b=float[1024] o=float[256]
extern "C" __global__ void known_500(const float* a, const float* b, float* o) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 500; i++)
    v += a[i * 3 + t] * b[i];
  o[t] = v;
}

// run: known_2048 <<<2,128>>> a=float[4096] o=float[256]
extern "C" __global__ void known_2048(const float* a, float* o) {
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 2048; i++)
    v += a[i + t];
  o[t] = v;
}

// Shared memory: a step from another address.

// run: shared_tree <<<2,128>>> a=float[256] o=float[256]
extern "C" __global__ void shared_tree(const float* a, float* o) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  for (int i = blockDim.x / 2; i > 0; i >>= 1) {
    if (t < i)
      s[t] += s[t + i];
    __syncthreads();
  }
  o[t] = s[0];
}

// run: shared_pair <<<2,128>>> a=float[256] o=float[256]
extern "C" __global__ void shared_pair(const float* a, float* o) {
  __shared__ float s[256];
  __shared__ int q[256];
  int t = threadIdx.x;
  s[t] = a[t];
  q[t] = t;
  __syncthreads();
  for (unsigned i = blockDim.x / 2; i > 0; i >>= 1) {
    if (t < i) {
      s[t] = s[t + i];
      q[t] = q[t + i];
    }
    __syncthreads();
  }
  o[t] = q[0] + s[0];
}

// Minima.

// run: minimum_row <<<2,128>>> a=int[16384]:i*7919%1000 o=int[256] n=64
extern "C" __global__ void minimum_row(const int* a, int* o, int n) {
  int t = threadIdx.x, m = 1 << 30;
  for (int i = 0; i < n; i++)
    m = min(m, a[t * n + i]);
  o[t] = m;
}

// run: minimum_sum <<<2,128>>> a=int[16384]:i*7919%1000 b=int[4096]:i%77 o=int[256] n=64
extern "C" __global__ void minimum_sum(const int* a, const int* b, int* o, int n) {
  int t = threadIdx.x, m = 1 << 30;
  for (int i = 0; i < n; i++)
    m = min(m, a[t * n + i] + b[i * 32 + t]);
  o[t] = m;
}

// run: maximum_of_three <<<2,128>>> a=int[1024]:i*31%97 r=int[256]:i%7 o=int[256] p=3
extern "C" __global__ void maximum_of_three(const int* a, const int* r, int* o, int p) {
  int t = threadIdx.x;
  o[t] = max(max(a[t] + r[t], a[t + 1] - p), a[t + 32] - p);
}

// Constant memory.

struct Member {
  float x, y, z, w;
};
__constant__ float table[4096];
__constant__ Member members[256];
__constant__ uchar bytes[256];

// run: constant_index <<<2,128>>> a=int[256]:i*5%256 o=float[256]
extern "C" __global__ void constant_index(const int* a, float* o) {
  int t = threadIdx.x;
  o[t] = table[a[t]];
}

// run: constant_mask <<<2,128>>> a=unsigned[256]:i*40503%65536 o=float[256]
extern "C" __global__ void constant_mask(const uint* a, float* o) {
  int t = threadIdx.x;
  uint b = a[t];
  float s = 0;
  for (int i = 0; i < 8; i++)
    s += table[(b >> (2 * i)) & 3] * i;
  o[t] = s;
}

// run: constant_member <<<2,128>>> a=int[256]:i*5%256 o=float[256]
extern "C" __global__ void constant_member(const int* a, float* o) {
  int t = threadIdx.x, k = a[t];
  o[t] = members[k].x + members[k].y * members[k].z;
}

// run: constant_taps <<<2,128>>> a=float[4096] o=float[256] n=64
extern "C" __global__ void constant_taps(const float* a, float* o, int n) {
  int t = threadIdx.x;
  float s = 0;
  for (int i = 0; i < n; i++)
    s += a[t + i] * table[i];
  o[t] = s;
}

// run: constant_members <<<2,128>>> a=float[4096] b=float[4096] o=float[256] n=64
extern "C" __global__ void constant_members(const float* a, const float* b, float* o, int n) {
  int t = threadIdx.x;
  float s = 0, x = a[t];
  for (int i = 0; i < n; i++)
    s += a[i] * (members[i].x * x + members[i].y) - b[i];
  o[t] = s;
}

// The assembler copies a loop that ends with an unconditional jump only where it tidies the jumps of the function.

// run: lone_sum <<<2x1,64>>> o=float[128] a=float[512]:i%7 n=130
extern "C" __global__ void lone_sum(float* o, const float* a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = 0; d < n; d++) s += a[d];
  o[x] = s;
}

// run: sum_before_division <<<2x1,64>>> o=double[128] a=float[512]:i%7 q=double[4]:i+1 n=130
extern "C" __global__ void sum_before_division(double* o, const float* a, const double* q, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = 0; d < n; d++) s += a[d];
  o[x] = s / q[0];
}

// run: sum_before_arms <<<2x1,64>>> o=float[512] a=float[512]:i%7 n=130 w=40 h=200
extern "C" __global__ void sum_before_arms(float* o, const float* a, int n, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = 0; d < n; d++) s += a[d];
  if (x < w) {
    o[h + x] = a[x + 1] * s;
  } else {
    o[x] = a[x] + a[w];
  }
}

// run: sum_beside_nest <<<2x1,64>>> o=float[128] a=float[8192]:i%7 b=float[8192]:i%5 n=130 w=6
extern "C" __global__ void sum_beside_nest(float* o, const float* a, const float* b, int n, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = 0; d < n; d++) s += a[d];
  for (int i = 0; i < w; i++)
    for (int d = 0; d < n; d++) s += b[i * 77 + d * i];
  o[x] = s;
}

// Loads of consecutive words of shared memory become one, which leaves room for copies.

// run: shared_product <<<2x1,64>>> o=float[128] a=float[512]:i%7 n=64 w=5
extern "C" __global__ void shared_product(float* o, const float* a, int n, int w) {
  __shared__ float t[64], u[64];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 64; i++) t[i] = u[i] = a[i];
  float s = 0;
  for (int i = 0; i < w; i++) {
    for (int d = 0; d < n; d++) s += t[d] * u[d];
    s *= 0.7f;
  }
  o[x] = s;
}

// Clang leaves loops whose trip count takes many operations to the assembler.

// run: from_own_index <<<2x1,64>>> o=float[128] a=float[1024]:i%7 n=600
extern "C" __global__ void from_own_index(float* o, const float* a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = x; d < n; d++) s += a[d];
  o[x] = s;
}

// run: own_length <<<2x1,64>>> o=float[128] a=float[1024]:i%7 e=int[256]:i n=100
extern "C" __global__ void own_length(float* o, const float* a, const int* e, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  int first = e[x];
  for (int d = first; d < first + n; d++) s += a[d];
  o[x] = s;
}

// Windows that start and end anywhere: each copy adds to the word and scales it.

// run: window <<<2x1,64>>> o=float[256] a=float[1024]:i%7 r=20
extern "C" __global__ void window(float* o, const float* a, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 64;
  float s = 0;
  for (int d = -r; d <= r; d++) s += a[x + d];
  o[x] = s;
}

// run: half_open_window <<<2x1,64>>> o=float[256] a=float[1024]:i%7 r=20
extern "C" __global__ void half_open_window(float* o, const float* a, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 64;
  float s = 0;
  for (int d = -r; d < r; d++) s += a[x + d];
  o[x] = s;
}

// run: window_of_rows <<<2x2,64>>> o=float[16384] a=float[16384]:i%7 w=128 r=4
extern "C" __global__ void window_of_rows(float* o, const float* a, int w, int r) {
  int x = blockIdx.x * blockDim.x / 2 + threadIdx.x / 2 + 8, y = blockIdx.y + 8;
  float s = 0;
  for (int i = -r; i <= r; i++)
    for (int j = -r; j <= r; j++) s += a[(y + i) * w + x + j];
  o[y * w + x] = s;
}

// Constants of an index have no size where clang weighs a loop.

// run: far_taps <<<2x1,64>>> o=float[128] a=float[1024]:i%7 f:float=0.5
extern "C" __global__ void far_taps(float* o, const float* a, float f) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int d = 0; d < 7; d++) {
    s = s * f + a[x + d];
    s = s * f + a[x + d + 17];
    s = s * f + a[x + d + 34];
    s = s * f + a[x + d + 51];
    s = s * f + a[x + d + 68];
    s = s * f + a[x + d + 85];
    s = s * f + a[x + d + 102];
    s = s * f + a[x + d + 119];
    s = s * f + a[x + d + 136];
    s = s * f + a[x + d + 153];
    s = s * f + a[x + d + 170];
    s = s * f + a[x + d + 187];
  }
  o[x] = s;
}

// The assembler copies loops over bytes where clang left one copy.

// run: bytes_of_own_length <<<2x1,64>>> o=float[128] a=char[4096]:i%7 e=int[128]:i h=40 w=3
extern "C" __global__ void bytes_of_own_length(float* o, const char* a, const int* e, int h, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, first = e[x];
  float s = 0;
  for (int i = 0; i < w; i++)
    for (int d = first; d < first + h; d++) s += a[d];
  o[x] = s;
}

// Runtime strides that a 64-bit index widens: one multiply-add where the trip count is known (nvcc).

// run: widened_stride <<<4x3,128>>> a=float[1000000] b=float[1000000] w=float[16] o=float[100000] n=512
extern "C" __global__ void widened_stride(const float* __restrict__ a, const float* __restrict__ b, const float* w,
                                          float* __restrict__ o, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 8
  for (int k = 0; k < 16; k++) {
    size_t at = ((size_t)blockIdx.y * 16 + k) * n + x;
    s += w[k] * (a[at] - b[at]);
  }
  o[x] = s;
}

// run: widened_stride_of_few <<<4x1,128>>> a=float[100000] o=float[1024] n=512
extern "C" __global__ void widened_stride_of_few(const float* __restrict__ a, float* __restrict__ o, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
#pragma unroll 4
  for (int k = 0; k < 64; k++) s += a[(size_t)k * n + x];
  o[x] = s;
}

// run: widened_stride_of_runtime_trips <<<4x1,128>>> a=float[100000] o=float[1024] n=512 m=64
extern "C" __global__ void widened_stride_of_runtime_trips(const float* __restrict__ a, float* __restrict__ o, int n,
                                                           int m) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < m; k++) s += a[(size_t)k * n + x];
  o[x] = s;
}

// Counters that start shifted are shifted as signed numbers, in ordinary registers; a choice of two comparisons.

// run: halved_partners <<<4x1,256>>> a=float[1024] o=float[1024] n=64
extern "C" __global__ void halved_partners(const float* a, float* o, int n) {
  int x = threadIdx.x;
  float s = 0;
  for (int k = 2; k <= n; k <<= 1)
    for (int d = k >> 1; d > 0; d >>= 1) s = s * a[x ^ d] + 1;
  o[x] = s;
}

// run: either_comparison <<<4x1,256>>> a=float[1024]:i%7 o=float[1024] n=64
extern "C" __global__ void either_comparison(const float* a, float* o, int n) {
  int x = threadIdx.x;
  float first = a[x], second = a[x + 1];
  if ((x & n) ? first < second : first > second) o[x] = 1;
}

// A number of several words that is shifted: one shift of a pair for each.

// run: shifted_words <<<4x1,128>>> m=unsigned[8192]:(i*2654435761)%4294967296 o=unsigned[8192]
extern "C" __global__ void shifted_words(const uint* m, uint* o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint a = m[i], b = m[i + 1], c = m[i + 2], d = m[i + 3];
  o[i] = (a << 1) | (b >> 31);
  o[i + 512] = (b << 1) | (c >> 31);
  o[i + 1024] = (c << 1) | (d >> 31);
  o[i + 2048] = d << 1;
}

// Loops in which no pointer advances: around others, of two copies, with long bodies.

// run: rows_around <<<2,64>>> x=float[16384] o=float[128] n=24 m=128 w:float=3
extern "C" __global__ void rows_around(const float* __restrict__ x, float* o, int n, int m, float w) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++) {
    v += x[(size_t)i * m + t];
    while (v < 0.f)
      v = v * v - w;
  }
  o[t] = v;
}

// run: columns_around <<<2,64>>> x=float[16384] o=float[128] n=24 w:float=3
extern "C" __global__ void columns_around(const float* __restrict__ x, float* o, int n, float w) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0;
  for (int i = 0; i < n; i++) {
    v += x[i * 64 + t];
    while (v < 0.f)
      v = v * v - w;
  }
  o[t] = v;
}

// run: cascade <<<2,64>>> x=float[16384] z=float[16384] o=float[128] n=24 m=128 a:float=0.5 b:float=0.25
extern "C" __global__ void cascade(const float* __restrict__ x, float* __restrict__ z, float* o, int n, int m, float a, float b) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float p[8] = {};
  for (int i = 0; i < n; i++) {
    float v = x[(size_t)i * m + t];
    for (int k = 0; k < 8; k += 2) {
      float u = a * v + p[k];
      p[k] = b * v - a * u + p[k + 1];
      p[k + 1] = b * v - b * u;
      v = u;
    }
    z[(size_t)i * m + t] = v;
  }
  o[t] = p[0] + p[2];
}

// run: long_tile <<<2,64>>> x=float[16384] o=float[128] n=24 m=128
extern "C" __global__ void long_tile(const float* __restrict__ x, float* o, int n, int m) {
  __shared__ float s[64];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 0, h = 1;
  for (int i = 0; i < n; i++) {
    __syncthreads();
    s[threadIdx.x] = x[(size_t)i * m + t];
    __syncthreads();
    for (int k = 0; k < 64; k++) {
      v += s[k] * h;
      h = h * 0.5f + s[k];
    }
  }
  o[t] = v;
}
