"""Products of 64 bits in indices, against executed SASS of nvcc 13.0 (sm_90)."""

from __future__ import annotations

import pytest
from builder import GLOBAL_INDEX, Run, count, integer_ops

PARAMETERS = (
    "const float *a, const unsigned char *p, const int *b, float *o, int n, int w, int h, size_t u"
)
PLACE = GLOBAL_INDEX + "int y = b[i], x = b[i + 1];"
FOUR = GLOBAL_INDEX + "int y = b[i], x = b[i + 1], z = b[i + 2], v = b[i + 3];"


def executed(body: str) -> float:
    """Integer operations of one thread."""
    return integer_ops(count(PARAMETERS, body, architecture="sm_90"))


@pytest.mark.parametrize(
    ("body", "beyond"),
    [
        # SHF, IMAD.WIDE, and LEA, LEA.HI.X: 64 elements of 4 bytes are one shift.
        ("o[i] = a[((size_t)y * w + x) * 64 + 3];", 4),
        # Twelve bytes: IMAD.WIDE.U32, IMAD of the high word, IADD3; so are three.
        ("const float *q = a + ((size_t)y * w + x) * 3; o[i] = q[0] + q[1] + q[2];", 5),
        ("const unsigned char *q = p + ((size_t)y * w + x) * 3; o[i] = (float)q[0] + (float)q[2];", 5),
        # Bytes: the product is a multiply-add with the pointer, as is the element of a row.
        ("o[i] = (float)p[(size_t)y * w];", 1),
        ("const float *q = (const float *)(p + (size_t)y * w); o[i] = q[x];", 2),
        # IMAD.WIDE.U32, IMAD twice and a sum for a stride of 64 bits, the sign of the row.
        ("const float *q = (const float *)(p + (size_t)y * u); o[i] = q[x];", 6),
    ],
)  # fmt: skip
def test_addresses_take_in_the_product_that_their_index_is(body, beyond):
    start = 3  # the index of the thread, the addresses of b and o
    assert executed(PLACE + body) == pytest.approx(start + beyond)


def test_arrays_at_one_multiple_share_its_high_word():
    # SHF, IMAD.WIDE; two IMAD.WIDE.U32, IMAD, two IADD3.
    body = "size_t j = ((size_t)y * w + x) * 3; o[j] = a[j];"
    assert executed(PLACE + body) == pytest.approx(2 + 2 + 5)


def test_a_product_of_words_is_made_in_each_sum_that_takes_it():
    body = "o[i] = a[(size_t)y * w + x] + a[(size_t)y * w + z] + a[(size_t)v * w + x] + a[(size_t)v * w + z];"
    signs, sums, addresses = 2, 4, 8  # SHF of x and z, IMAD.WIDE, LEA and LEA.HI.X
    assert executed(FOUR + body) == pytest.approx(3 + signs + sums + addresses)


def test_what_was_widened_before_a_loop_that_vanishes_is_in_its_block():
    body = (
        GLOBAL_INDEX + "int x = i & 31, y = i >> 5; float s = 0; for (int j = 0; j < 3; j++) "
        "{ int r = min(max(y + j - 1, 0), h - 1); s += a[(size_t)r * w + x]; } o[i] = s;"
    )
    # 20 executed: index, mask, shift, address of o; limits of three rows (5 to 6), IMAD.WIDE, LEA and LEA.HI.X of each.
    assert executed(body) == pytest.approx(20, abs=0.6)


def test_words_that_step_by_what_only_the_run_knows_are_multiplied_anew_in_each_round():
    # Executed: 2,742 of 256 rounds (four copies), 300 where a pointer went on.
    body = (
        "int i = threadIdx.x, x = i & 31, y = i >> 5; float s = 0; "
        "for (int k = 0; k < n; k++) { s += a[((size_t)y * w + x) * 4]; x += h; y += (int)u; } o[i] = s;"
    )
    counts = count(PARAMETERS, body, Run(default_trips=256), architecture="sm_90")
    assert integer_ops(counts) == pytest.approx(2742, rel=0.1)
