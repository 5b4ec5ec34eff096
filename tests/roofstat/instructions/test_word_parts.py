"""Words of 64-bit logic that uses ask for: executed SASS of clang 18.1.6 (sm_90 and sm_86) and nvcc 13.0 (sm_90) without the addresses."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, count, integer_ops

from roofstat.instructions.tables.costs import Compiler

ARGUMENTS = "const unsigned long long* a, unsigned* o, double* d, unsigned long long c"
ADDRESSES = 3
"""The thread's number, and a multiply-add for each array."""


def ops(body: str, compiler: Compiler = Compiler.CLANG) -> float:
    text = f"{GLOBAL_INDEX} unsigned long long s = a[i]; {body}"
    counted = count(ARGUMENTS, text, compiler=compiler, architecture="sm_90")
    return integer_ops(counted) - ADDRESSES


@pytest.mark.parametrize(
    ("body", "clang", "nvcc"),
    [
        # The upper words alone.
        ("o[i] = (s ^ c) >> 37;", 2, 2),
        # No bit of the shifted number is asked for.
        ("o[i] = (s ^ (s >> 31)) >> 40;", 1, 1),
        # Two shifts and LOP3 of a word; nvcc leaves the shift behind it.
        ("o[i] = (s ^ (s >> 17)) >> 9;", 3, 5),
        # The upper part is a word, and so is what it changes.
        ("d[i] = (s ^ (s >> 31)) >> 11;", 4, 6),
        ("d[i] = (s ^ (s >> 7)) >> 11;", 6, 6),
        # Exchanged words cost nothing.
        ("s = s * s + c; s = (s >> 32) | (s << 32); o[i] = s >> 12;", 4 + 1, 4 + 1),
    ],
)
def test_logic_of_what_is_asked_for(body, clang, nvcc):
    assert ops(body) == pytest.approx(clang)
    assert ops(body, Compiler.NVCC) == pytest.approx(nvcc)


@pytest.mark.parametrize(
    ("operation", "whole", "low"),
    [("% 10", 11, 8), ("/ 10", 8, 7)],
)
def test_low_words_of_quotients_and_remainders(operation, whole, low):
    assert ops(f"((unsigned long long*)d)[i] = s {operation}ull;") == pytest.approx(whole)
    assert ops(f"o[i] = s {operation}ull;") == pytest.approx(low)
