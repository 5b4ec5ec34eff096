"""Loads and stores of matrix tiles: every byte of the tile once, in requests of a warp."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from roofstat.execution.trace import AccessEvent
from roofstat.memory.sites import collect_sites
from roofstat.program.code import Op, Space, TensorOperation, TensorTile
from roofstat.program.implied_accesses import implied_accesses, tile_position

PRELUDE = "#include <mma.h>\nusing namespace nvcuda;\n"

# use, shape, type, layout -> requests of a warp and bytes of a lane, as nvcc 13 emits them on sm_90.
OPERANDS = [
    pytest.param("matrix_a", (16, 16, 16), "half", "row", 4, 4, id="a-row"),
    pytest.param("matrix_a", (16, 16, 16), "half", "col", 4, 4, id="a-col"),
    pytest.param("matrix_b", (16, 16, 16), "half", "row", 4, 4, id="b-row"),
    pytest.param("matrix_b", (16, 16, 16), "half", "col", 4, 4, id="b-col"),
    pytest.param("matrix_a", (16, 16, 16), "signed char", "row", 2, 4, id="bytes-row"),
    pytest.param("matrix_a", (16, 16, 16), "signed char", "col", 8, 1, id="bytes-col"),
    pytest.param("matrix_a", (32, 8, 16), "half", "row", 8, 4, id="tall"),
]


def load_text(use: str, shape: tuple[int, int, int], element: str, layout: str) -> str:
    """A kernel that loads one operand."""
    m, n, k = shape
    return f"""{PRELUDE}
    __global__ void k(const {element}* a, int stride, float* o) {{
      wmma::fragment<wmma::{use}, {m}, {n}, {k}, {element}, wmma::{layout}_major> f;
      wmma::load_matrix_sync(f, a, stride);
      o[threadIdx.x] = (float)f.x[0];
    }}"""


def touched(events: list[AccessEvent], base: int, width: int) -> np.ndarray:
    """Byte offsets of all lanes of the first warp, with repetitions."""
    starts = np.concatenate([event.address[:32] - base for event in events])
    return (starts[:, None] + np.arange(width)).ravel()


@pytest.mark.parametrize(("use", "shape", "element", "layout", "requests", "lane_bytes"), OPERANDS)
def test_operand_loads_touch_the_tile_once(
    run: Callable,
    use: str,
    shape: tuple[int, int, int],
    element: str,
    layout: str,
    requests: int,
    lane_bytes: int,
) -> None:
    stride = 64
    ran = run(
        load_text(use, shape, element, layout), arguments={"a": 64 * 64, "stride": stride, "o": 32}
    )
    sites = [site for site in collect_sites(ran.trace)[0] if site.array == "a"]
    assert len(sites) == requests
    assert {site.element_bytes for site in sites} == {lane_bytes}
    assert sum(site.warps for site in sites) == requests
    events = [event for event in ran.trace.events if event.site in {site.number for site in sites}]
    found = touched(events, sites[0].buffer.base, lane_bytes)
    m, n, k = shape
    rows, columns = (m, k) if use == "matrix_a" else (k, n)
    lines, length = (rows, columns) if layout == "row" else (columns, rows)
    size = 2 if element == "half" else 1
    expected = [
        line * stride * size + byte for line in range(lines) for byte in range(length * size)
    ]
    assert sorted(found) == expected


STORE = """{prelude}
__global__ void k({element}* o, int stride) {{
  {declaration}
  wmma::fragment<wmma::accumulator, 16, 16, 16, {element}> f;
  wmma::fill_fragment(f, 0.0f);
  wmma::store_matrix_sync({target}, f, stride, wmma::mem_{layout}_major);
}}"""


@pytest.mark.parametrize(
    ("element", "layout", "requests", "lane_bytes"),
    [("float", "row", 4, 8), ("float", "col", 8, 4), ("half", "row", 4, 4)],
)
def test_accumulator_stores(
    run: Callable, element: str, layout: str, requests: int, lane_bytes: int
) -> None:
    text = STORE.format(prelude=PRELUDE, element=element, declaration="", target="o", layout=layout)
    ran = run(text, grid=5, arguments={"o": 4096, "stride": 32})
    sites = collect_sites(ran.trace)[0]
    assert [site.element_bytes for site in sites] == [lane_bytes] * requests
    # All 16 x 16 elements once for each of the five warps.
    assert sum(site.threads * site.element_bytes for site in sites) == 5 * 256 * (
        4 if element == "float" else 2
    )
    assert {site.direction.value for site in sites} == {"write"}


def test_a_tile_in_shared_memory_is_shared_traffic(run: Callable) -> None:
    text = STORE.format(
        prelude=PRELUDE,
        element="float",
        declaration="__shared__ float s[512];",
        target="s",
        layout="row",
    )
    sites = collect_sites(run(text, arguments={"o": 32, "stride": 16}).trace)[0]
    assert {site.space for site in sites} == {Space.SHARED}


def test_an_unknown_leading_dimension_is_said(run: Callable) -> None:
    text = f"""{PRELUDE}
    __global__ void k(const half* a, const int* stride, float* o) {{
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
      wmma::load_matrix_sync(f, a, stride[0]);
      o[threadIdx.x] = (float)f.x[0];
    }}"""
    assert "unknown-address" in run(text, arguments={"a": 256, "stride": 1, "o": 32}).kinds


def test_products_move_no_memory(run: Callable) -> None:
    text = f"""{PRELUDE}
    __global__ void k(float* o) {{
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      wmma::mma_sync(c, a, b, c);
      o[threadIdx.x] = 1;
    }}"""
    ran = run(text, arguments={"o": 32})
    kinds = [item.detail for _, item in ran.code.instructions() if item.op is Op.TENSOR]
    assert [isinstance(kind, TensorOperation) and kind.kind for kind in kinds] == ["mma"]
    assert [item for _, item in ran.code.instructions() if implied_accesses(item)] == []


def test_results_of_a_product_are_unknown_afterwards(run: Callable) -> None:
    text = f"""{PRELUDE}
    __global__ void k(float* o) {{
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
      c.x[0] = 7;
      wmma::fill_fragment(c, 1.0f);
      if (c.x[0] == 7) o[threadIdx.x] = 1;
    }}"""
    # Were the old value still taken for known, all threads would store.
    assert run(text, grid=32, arguments={"o": 32}).stores("o") < 32 * 32


@pytest.mark.parametrize("is_crossed", [False, True])
def test_tile_positions_cover_a_tile(is_crossed: bool) -> None:
    tile = TensorTile(lines=16, line_bytes=64, element_bytes=4, lane_bytes=4, is_crossed=is_crossed)
    lines, along = tile.steps
    found = [
        tile_position(tile, request, lane) for request in range(lines * along) for lane in range(32)
    ]
    assert sorted(found) == [(line, byte) for line in range(16) for byte in range(0, 64, 4)]
