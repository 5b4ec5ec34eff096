"""Bits that a mask leaves of a word that nobody knows: each is set in half of the words, and no number lies between them."""

import pytest

THREADS = 8192


@pytest.mark.parametrize(
    ("test", "share"),
    [
        ("(w & 8) != 0", 1 / 2),
        ("!(w & 128)", 1 / 2),
        ("(w & 8) && !(w & 1)", 1 / 4),
        ("(w & 5) == 5", 1 / 4),
        ("(w & 0x90) == 0", 1 / 4),
        ("(w & 0x90) == 0x40", 0),
        # rows of ones, which leave any number of their range
        ("(w & 7) == 0", 1 / 8),
        ("(w & 255) < 64", 1 / 4),
    ],
)
def test_bits_are_set_in_half_of_the_words(run, test, share):
    text = (
        "__global__ void k(const unsigned char *a, float *out) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned char w = a[i];"
        f" if ({test}) out[i] = 1; }}"
    )
    ran = run(text, grid=32, block=256, arguments={"a": THREADS, "out": THREADS})
    assert ran.stores("out") / THREADS == pytest.approx(share, abs=0.05)


def test_bits_of_several_words_are_put_together_lane_by_lane(run):
    # Bit 3 is set in one of two words in three of four cases, in both in one.
    for test, share in (("((w & 8) | (v & 8)) != 0", 3 / 4), ("((w & 8) & (v & 8)) != 0", 1 / 4)):
        text = (
            "__global__ void k(const unsigned char *a, float *out) {"
            " int i = blockIdx.x * blockDim.x + threadIdx.x; unsigned char w = a[i], v = a[i + 8192];"
            f" if ({test}) out[i] = 1; }}"
        )
        ran = run(text, grid=32, block=256, arguments={"a": 2 * THREADS, "out": THREADS})
        assert ran.stores("out") / THREADS == pytest.approx(share, abs=0.05)
