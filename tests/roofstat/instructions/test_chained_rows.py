"""Rows at equal distances in a basic block; expected counts are the integer instructions in SASS of nvcc 13.0 for sm_90."""

from __future__ import annotations

import re

import pytest
from builder import Run, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

_HEAD = """
int x = blockIdx.x * blockDim.x + threadIdx.x;
int y = blockIdx.y * blockDim.y + threadIdx.y;
int z = blockIdx.z * blockDim.z + threadIdx.z;
"""
_PARAMETERS = "float *o, const float *__restrict__ a, const float *__restrict__ b, int nx, int ny"
_WIDE = r"(((size_t)(\3) * ny + (\2)) * nx + (\1))"
_WORD = r"(((\3) * ny + (\2)) * nx + (\1))"
_PLACES = re.compile(r"\[([^],]*),([^],]*),([^],]*)\]")


def _integers(expression: str, index: str, **options: object) -> float:
    """Of `o[x, y, z] = expression`, where places in three dimensions are indices."""
    places = _PLACES.sub(rf"[{index}]", f"o[x,y,z] = {expression};")
    return integer_ops(
        count(_PARAMETERS, _HEAD + places, Run(default_trips=3), architecture="sm_90", **options)
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # 12 for the index, 2 for each address on another array, 2 for each plane that follows one.
        ("a[0] + b[x,y,z] + b[x,y,z+1] + b[x,y,z+2] + a[1]", 20),
        ("a[0] + b[x,y,z] + b[x,y,z-1] + b[x,y,z-2] + a[1]", 20),
        # Five accesses: each plane has an index of its own, of 8 operations.
        ("b[x,y,z] + b[x,y,z+1] + b[x,y,z+2] + a[1]", 32),
        # One plane on either side, and planes at different distances.
        ("a[0] + b[x,y,z] + b[x,y,z+1] + b[x,y,z-1] + a[1]", 32),
        ("a[0] + b[x,y,z] + b[x,y,z+1] + b[x,y,z+3] + a[1]", 32),
        # Neighbours that are accessed at once cost nothing; those that are accessed later keep the planes apart.
        (
            "b[x,y,z] + b[x+1,y,z] + b[x,y,z+1] + b[x+1,y,z+1] + b[x,y,z+2] + b[x+1,y,z+2]",
            20,
        ),
        (
            "b[x,y,z] + b[x,y,z+1] + b[x,y,z+2] + b[x+1,y,z] + b[x+1,y,z+1] + b[x+1,y,z+2]",
            32,
        ),
        (
            "b[x,y,z] + b[x,y+1,z] + b[x,y+2,z] + b[x,y,z+1] + b[x,y+1,z+1] + b[x,y+2,z+1]",
            29,
        ),
        (
            "a[x,y,z] + a[x,y,z+1] + a[x,y,z+2] + b[x,y,z] + b[x,y,z+1] + b[x,y,z+2]",
            26,
        ),
    ],
)
def test_planes_of_wide_indices(expression: str, expected: float):
    assert _integers(expression, _WIDE) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # A multiply-add each; the product of both lengths is in an ordinary register.
        ("a[0] + b[x,y,z] + b[x,y,z+1] + b[x,y,z+2] + a[1]", 10),
        ("a[0] + b[x,y,z] + b[x,y+1,z] + b[x,y+2,z] + a[1]", 9),
        # The first access is beside the row's own place: that is in a second register, for two rows.
        (
            (
                "b[x-1,y-1,z] + b[x,y-1,z] + b[x+1,y-1,z] + b[x-1,y,z] + b[x,y,z] + b[x+1,y,z]"
                "+ b[x-1,y+1,z] + b[x,y+1,z] + b[x+1,y+1,z]"
            ),
            14,
        ),
    ],
)
def test_planes_of_words(expression: str, expected: float):
    assert _integers(expression, _WORD) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Five accesses, and seven.
        ("for (int j = 0; j < 4; j++) s += b[(size_t)(y + 16 * j) * nx + x]; o[x] = s;", 19),
        ("for (int j = 0; j < 6; j++) s += b[(size_t)(y + 16 * j) * nx + x]; o[x] = s;", 12),
        ("for (int j = 0; j < 6; j++) o[(size_t)(y + 16 * j) * nx + x] = j + 1;", 11),
        # 27 neighbours: of nine rows three follow one another, on the diagonal.
        (
            (
                "for (int k = -1; k <= 1; k++) for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++)"
                "s += b[((z + k) * ny + (y + j)) * nx + (x + i)]; o[x] = s;"
            ),
            34,
        ),
    ],
)
def test_unrolled_loops(body: str, expected: float):
    run = Run(default_trips=3)
    counts = count(_PARAMETERS, _HEAD + "float s = 0;" + body, run, architecture="sm_90")
    assert integer_ops(counts) == pytest.approx(expected, abs=2)


def test_only_nvcc_chains_planes():
    """SASS of clang 18 for sm_86 has an index for each plane, whatever the block accesses."""
    few = "b[x,y,z] + b[x,y,z+1] + b[x,y,z+2] + a[1]"
    found = [
        _integers(each, _WIDE, compiler=Compiler.CLANG) for each in (few, few + " + a[0] + a[2]")
    ]
    assert found[1] == pytest.approx(found[0], abs=1)
