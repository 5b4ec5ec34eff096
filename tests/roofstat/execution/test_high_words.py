"""The high word of a product of 128 bits, which lanes do not hold."""

from __future__ import annotations

import pytest

BLOCKS, THREADS = 4, 128


def stores(run, body):
    """Stores of a thread in the mean."""
    text = (
        "typedef unsigned long long u64; __global__ void k(const u64 *data, u64 *out) {"
        f" u64 i = blockIdx.x * blockDim.x + threadIdx.x + 1; {body} }}"
    )
    ran = run(text, grid=BLOCKS, block=THREADS, arguments={"data": 4096, "out": 4096})
    return ran.stores("out") / (BLOCKS * THREADS)


@pytest.mark.parametrize(
    "high",
    [
        "u64 h = (u64)(((unsigned __int128)(i << 60) * 48) >> 64);",
        "unsigned __int128 w = (unsigned __int128)(i << 60) * 48; u64 h = (u64)(w >> 64);",
        "u64 h = __umul64hi(i << 60, 48);",
    ],
)
def test_the_high_word_of_a_product_is_known(run, high):
    # i * 3 for i below 16: the loop runs so often
    body = f"i = i % 16; {high} for (u64 n = 0; n < h; n++) out[n] = 1;"
    assert stores(run, body) == pytest.approx(3 * 7.5)


def test_a_shift_within_the_product(run):
    body = "i = i % 16; u64 h = (u64)(((unsigned __int128)(i << 60) * 48) >> 65); for (u64 n = 0; n < h; n++) out[n] = 1;"
    assert stores(run, body) == pytest.approx(sum(3 * i // 2 for i in range(16)) / 16)


def test_other_high_words_are_not_taken_to_be_zero(run):
    body = """unsigned __int128 w = data[i]; w = w << 64; w += i;
      if ((u64)(w >> 64) == 0) out[i] = 1;"""
    assert 0.0 < stores(run, body) < 1.0
