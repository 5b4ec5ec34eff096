"""Parameters that are indexed by a register are read from the constant bank, unless the kernel writes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofstat.memory.sites import collect_sites
from roofstat.program.code import Code, Space

RECORD = "struct Table { int v[16]; };"
CASES = [
    pytest.param("o[i] = t.v[i % 16];", Space.CONSTANT, id="read"),
    pytest.param(
        "Table u = t; u.v[i % 16] = i; o[i] = u.v[(i + 1) % 16] + t.v[i % 16];",
        Space.CONSTANT,
        id="copied",
    ),
    pytest.param("t.v[i % 16] = i; o[i] = t.v[(i + 1) % 16];", Space.LOCAL, id="written"),
    pytest.param(
        "int* p = t.v + i % 8; *p = 1; o[i] = t.v[i % 16];",
        Space.LOCAL,
        id="written-through-a-pointer",
    ),
    pytest.param("atomicAdd(&t.v[i % 16], 1); o[i] = t.v[i % 16];", Space.LOCAL, id="atomic"),
]


@pytest.mark.parametrize(("body", "space"), CASES)
def test_space_of_a_parameter(code: Callable[..., Code], body: str, space: Space) -> None:
    built = code(f"{RECORD}__global__ void k(int* o, Table t) {{ int i = threadIdx.x; {body} }}")
    slots = [slot for slot in built.slots if slot.name == "t"]
    assert [slot.space for slot in slots] == [space]


def test_reading_a_parameter_is_no_traffic(host: Callable) -> None:
    text = f"""{RECORD}
    __global__ void k(int* o, Table t) {{ o[threadIdx.x] = t.v[threadIdx.x % 16]; }}
    int main() {{ int* o; cudaMalloc(&o, 128); Table t; for (int i = 0; i < 16; i++) t.v[i] = i; k<<<1, 32>>>(o, t); }}"""
    launch = host("#include <cuda_runtime.h>\n" + text).only()
    spaces = {site.space for site in collect_sites(launch.trace, frozenset({0}))[0]}
    assert spaces == {Space.CONSTANT, Space.GLOBAL}
