"""Texture fetches read the memory that host code bound: coordinates become addresses there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from roofstat.execution.host.launch_table import HostLaunch
from roofstat.memory.sites import AccessSite, collect_sites
from roofstat.program.code import Space

W, H = 64, 32

KERNELS = """
#include <cuda_runtime.h>
texture<float, 1> reference;
__global__ void linear(float* o, cudaTextureObject_t t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = tex1Dfetch<float>(t, i); }
__global__ void image(float* o, cudaTextureObject_t t, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; float4 v = tex2D<float4>(t, x + 0.5f, y + 0.5f); o[y * w + x] = v.x + v.w; }
__global__ void normal(float* o, cudaTextureObject_t t, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y; o[y * w + x] = tex2D<float>(t, (x + 0.5f) / w, (y + 0.5f) / h); }
__global__ void surface_(cudaSurfaceObject_t s) {
  int x = threadIdx.x, y = blockIdx.y; float v; surf2Dread(&v, s, x * 4, y); surf2Dwrite(2 * v, s, x * 4, y); }
__global__ void bound(float* o) { int i = blockIdx.x * blockDim.x + threadIdx.x; o[i] = tex1Dfetch(reference, i); }
__global__ void cube(float* o, cudaTextureObject_t t) { o[threadIdx.x] = tex3D<float>(t, threadIdx.x, 2.0f, 3.0f); }
"""

LINEAR = """
int main() {
  float *d, *o; cudaMalloc(&d, 4096); cudaMalloc(&o, 4096);
  cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = d;
  r.res.linear.desc = cudaCreateChannelDesc<float>(); r.res.linear.sizeInBytes = 4096;
  cudaTextureDesc td = {}; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &td, 0);
  linear<<<8, 128>>>(o, t);
}"""

ARRAY = f"""
int main() {{
  float* o; cudaMalloc(&o, {W * H * 4});
  cudaArray_t a; cudaChannelFormatDesc c = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);
  cudaMallocArray(&a, &c, {W}, {H});
  cudaResourceDesc r = {{}}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaTextureDesc td = {{}}; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &td, 0);
  image<<<dim3({W // 32}, {H}), 32>>>(o, t, {W});
}}"""

PITCHED = f"""
int main() {{
  float *o, *p; size_t pitch; cudaMalloc(&o, {W * H * 4}); cudaMallocPitch(&p, &pitch, {W * 4}, {H});
  cudaResourceDesc r = {{}}; r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = p;
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  r.res.pitch2D.width = {W}; r.res.pitch2D.height = {H}; r.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc td = {{}}; td.normalizedCoords = 1;
  cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &td, 0);
  normal<<<dim3({W // 32}, {H}), 32>>>(o, t, {W}, {H});
}}"""

SURFACE = f"""
int main() {{
  cudaArray_t a; cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
  cudaMallocArray(&a, &c, {W}, {H}, cudaArraySurfaceLoadStore);
  cudaResourceDesc r = {{}}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &r);
  surface_<<<dim3(1, {H}), {W}>>>(s);
}}"""

REFERENCE = """
int main() {
  float *d, *o; cudaMalloc(&d, 4096); cudaMalloc(&o, 4096);
  cudaBindTexture(0, reference, d, 4096);
  bound<<<8, 128>>>(o);
}"""

CUBE = f"""
int main() {{
  float* o; cudaMalloc(&o, 128);
  cudaArray_t a; cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&a, &c, make_cudaExtent({W}, {H}, 8));
  cudaResourceDesc r = {{}}; r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaTextureDesc td = {{}}; cudaTextureObject_t t; cudaCreateTextureObject(&t, &r, &td, 0);
  cube<<<1, 32>>>(o, t);
}}"""


def fetches(launch: HostLaunch, direction: str = "read") -> AccessSite:
    """The only texture access of a launch."""
    found = [
        site
        for site in collect_sites(launch.trace)[0]
        if site.space is Space.TEXTURE and site.direction.value == direction
    ]
    assert len(found) == 1
    return found[0]


def offsets(site: AccessSite) -> np.ndarray:
    """Distinct offsets into the buffer."""
    assert site.buffer is not None
    return np.unique(site.address[site.active] - site.buffer.base)


def test_linear_memory_is_indexed_exactly(host: Callable) -> None:
    site = fetches(host(KERNELS + LINEAR).only())
    assert site.buffer is not None
    assert (site.buffer.name, site.buffer.size_bytes, site.element_bytes) == ("d", 4096, 4)
    assert set(offsets(site)) <= set(range(0, 4096, 4))
    assert offsets(site).max() == 4092
    assert site.warps == 32


def test_an_array_is_a_matrix_of_its_elements(host: Callable) -> None:
    site = fetches(host(KERNELS + ARRAY).only())
    assert site.buffer is not None
    # One fetch of float4, whatever components are used.
    assert (site.buffer.size_bytes, site.element_bytes) == (W * H * 16, 16)
    assert offsets(site).max() == (W * H - 1) * 16
    assert site.threads == W * H


def test_normalized_coordinates_of_pitched_memory(host: Callable) -> None:
    site = fetches(host(KERNELS + PITCHED).only())
    pitch = 512  # rows of 256 bytes, padded by cudaMallocPitch
    assert offsets(site).max() == (H - 1) * pitch + (W - 1) * 4
    assert set(offsets(site) % pitch) == set(range(0, W * 4, 4))


def test_surfaces_are_read_and_written_at_byte_coordinates(host: Callable) -> None:
    launch = host(KERNELS + SURFACE).only()
    for direction in ("read", "write"):
        site = fetches(launch, direction)
        assert offsets(site).max() == (W * H - 1) * 4
        assert site.threads == W * H


def test_a_texture_reference_is_bound_to_memory(host: Callable) -> None:
    site = fetches(host(KERNELS + REFERENCE).only())
    assert site.buffer is not None
    assert (site.buffer.name, offsets(site).max()) == ("d", 4092)


def test_slices_of_a_volume(host: Callable) -> None:
    site = fetches(host(KERNELS + CUBE).only())
    row, slice_ = W * 4, W * H * 4
    assert list(offsets(site)) == [3 * slice_ + 2 * row + 4 * x for x in range(32)]


@pytest.mark.parametrize("kernel", ["linear", "normal"])
def test_an_unknown_texture_has_memory_of_its_own(run: Callable, kernel: str) -> None:
    arguments = {"o": 2048, "t": 0} | ({"w": W, "h": H} if kernel == "normal" else {})
    ran = run(KERNELS, kernel=kernel, grid=(W // 32, H), block=32, arguments=arguments)
    site = next(site for site in collect_sites(ran.trace)[0] if site.space is Space.TEXTURE)
    assert site.buffer is not None
    assert site.buffer.size_bytes is None
    # Neighbours fetch neighbouring elements, with coordinates up to 1 as well.
    steps = np.diff(site.address[0][:32])
    assert set(steps) == {4}
