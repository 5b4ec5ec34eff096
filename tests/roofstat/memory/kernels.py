"""Synthetic kernels of the usual shapes, small enough to run in full."""

from __future__ import annotations

import numpy as np
from synthetic import Access, Kernel

from roofstat.program.code import Op

STORE = Op.STORE


def elementwise(n: int, block: int = 256) -> Kernel:
    """c[i] = a[i] + b[i] for i < n."""
    grid = (-(-n // block), 1, 1)

    def inside(t):
        return t.x < n

    return Kernel(
        grid,
        (block, 1, 1),
        [
            Access(lambda t: t.x * 4, buffer=0, active=inside),
            Access(lambda t: t.x * 4, buffer=1, active=inside),
            Access(lambda t: t.x * 4, buffer=2, op=STORE, active=inside),
        ],
    )


def stencil_1d(n: int, radius: int) -> Kernel:
    """b[i] from a[i - radius .. i + radius], written out."""

    def inside(t):
        return (t.x >= radius) & (t.x < n - radius)

    reads = [
        Access(lambda t, d=d: (t.x + d) * 4, active=inside) for d in range(-radius, radius + 1)
    ]
    write = Access(lambda t: t.x * 4, op=STORE, buffer=1, active=inside)
    return Kernel((-(-n // 128), 1, 1), (128, 1, 1), [*reads, write])


def stencil_2d(nx: int, ny: int) -> Kernel:
    """Five points, rows of nx."""

    def inside(t):
        return (t.x > 0) & (t.x < nx - 1) & (t.y > 0) & (t.y < ny - 1)

    reads = [
        Access(lambda t, d=d: (t.y * nx + t.x + d) * 4, active=inside) for d in (0, 1, -1, nx, -nx)
    ]
    write = Access(lambda t: (t.y * nx + t.x) * 4, op=STORE, buffer=1, active=inside)
    return Kernel((-(-nx // 32), -(-ny // 8), 1), (32, 8, 1), [*reads, write])


def stencil_3d(nx: int, ny: int, nz: int) -> Kernel:
    """Seven points in double precision; a thread walks along z."""

    def inside(t, k):
        return (t.x > 0) & (t.x < nx - 1) & (t.y > 0) & (t.y < ny - 1)

    def index(t, k):
        return ((k + 1) * ny + t.y) * nx + t.x

    offsets = (0, 1, -1, nx, -nx, nx * ny, -nx * ny)
    reads = [
        Access(lambda t, k, d=d: (index(t, k) + d) * 8, 8, active=inside, loops=(nz - 2,))
        for d in offsets
    ]
    write = Access(
        lambda t, k: index(t, k) * 8, 8, op=STORE, buffer=1, active=inside, loops=(nz - 2,)
    )
    return Kernel((-(-nx // 32), -(-ny // 4), 1), (32, 4, 1), [*reads, write])


def transpose(n: int) -> Kernel:
    """b[x][y] = a[y][x] without shared memory."""
    return Kernel(
        (n // 16, n // 16, 1),
        (16, 16, 1),
        [
            Access(lambda t: (t.y * n + t.x) * 4),
            Access(lambda t: (t.x * n + t.y) * 4, op=STORE, buffer=1),
        ],
    )


def matmul_naive(m: int, n: int, k: int) -> Kernel:
    """C[m][n] = A[m][k] B[k][n], one thread for each element."""
    return Kernel(
        (n // 16, m // 16, 1),
        (16, 16, 1),
        [
            Access(lambda t, i: (t.y * k + i) * 4, loops=(k,)),
            Access(lambda t, i: (i * n + t.x) * 4, buffer=1, loops=(k,)),
            Access(lambda t: (t.y * n + t.x) * 4, op=STORE, buffer=2),
        ],
    )


def matmul_tiled(m: int, n: int, k: int) -> Kernel:
    """The same through 16 x 16 tiles in shared memory (only the global accesses)."""
    return Kernel(
        (n // 16, m // 16, 1),
        (16, 16, 1),
        [
            Access(lambda t, i: (t.y * k + i * 16 + t.tx) * 4, loops=(k // 16,)),
            Access(lambda t, i: ((i * 16 + t.ty) * n + t.x) * 4, buffer=1, loops=(k // 16,)),
            Access(lambda t: (t.y * n + t.x) * 4, op=STORE, buffer=2),
        ],
    )


def strided(threads: int, stride_bytes: int) -> Kernel:
    """Every thread reads 4 bytes, `stride_bytes` apart."""
    return Kernel((threads // 128, 1, 1), (128, 1, 1), [Access(lambda t: t.x * stride_bytes)])


def array_of_structs(threads: int, record_bytes: int, fields: int) -> Kernel:
    """Every thread reads the first `fields` floats of its record."""
    return Kernel(
        (threads // 128, 1, 1),
        (128, 1, 1),
        [Access(lambda t, f=f: t.x * record_bytes + 4 * f) for f in range(fields)],
    )


def broadcast(table: int, blocks: int) -> Kernel:
    """All threads read one table in step."""
    return Kernel(
        (blocks, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t, i: t.x * 0 + i * 4, loops=(table,)),
            Access(lambda t: t.x * 4, op=STORE, buffer=1),
        ],
    )


def gather(threads: int, elements: int) -> Kernel:
    """x[index[i]] with random indices that nobody knows."""
    index = np.random.default_rng(7).integers(0, elements, threads)
    return Kernel(
        (threads // 128, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t: index[t.x % threads] * 4, is_guess=True),
            Access(lambda t: t.x * 4, buffer=1),
        ],
        {0: 4 * elements},
    )


def block_reduction(blocks: int) -> Kernel:
    """Every thread reads, one thread of each block writes."""
    return Kernel(
        (blocks, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t: t.x * 4),
            Access(lambda t: t.bx * 4, op=STORE, buffer=1, active=lambda t: t.tx == 0),
        ],
    )


def grid_stride(n: int, blocks: int) -> Kernel:
    """for (i = x; i < n; i += all threads) b[i] = a[i]."""
    threads = 128 * blocks
    trips = -(-n // threads)

    def inside(t, i):
        return t.x + i * threads < n

    return Kernel(
        (blocks, 1, 1),
        (128, 1, 1),
        [
            Access(lambda t, i: (t.x + i * threads) * 4, loops=(trips,), active=inside),
            Access(
                lambda t, i: (t.x + i * threads) * 4,
                op=STORE,
                buffer=1,
                loops=(trips,),
                active=inside,
            ),
        ],
    )


def padded_rows(width: int, pitch: int, rows: int) -> Kernel:
    """A linear index split by width: a[i / width * pitch + i % width], v[i % width], w[i / width]."""
    n = width * rows
    return Kernel(
        (-(-n // 128), 1, 1),
        (128, 1, 1),
        [
            Access(lambda t: (t.x // width * pitch + t.x % width) * 4, active=lambda t: t.x < n),
            Access(lambda t: t.x % width * 4, buffer=1, active=lambda t: t.x < n),
            Access(lambda t: t.x // width * 4, buffer=2, active=lambda t: t.x < n),
        ],
    )
