"""HBM reads each sector that is written in part: how many are follows from the bytes that nobody writes."""

import numpy as np
import pytest
from synthetic import Access, Kernel, analyse

from roofstat.program.code import Op

THREADS = 1 << 22
SECTORS = THREADS / 8


def _chance(x):
    """A number in [0, 1) for each thread that has nothing to do with its neighbours'."""
    mixed = (x * 2654435761) & 0xFFFFFFFF
    return (((mixed >> 15) ^ mixed) * 2246822519 & 0xFFFFFFFF) / 2**32


def filled(*accesses, element_bytes=4):
    """Sectors that a launch reads, over those of its array."""
    stores = [
        Access(offset, element_bytes, op=Op.STORE, active=active) for offset, active in accesses
    ]
    kernel = Kernel((THREADS // 256, 1, 1), (256, 1, 1), stores)
    floor = analyse(Kernel((1, 1, 1), (32, 1, 1), [])).steady.read_bytes
    return (analyse(kernel).steady.read_bytes - floor) / (32 * SECTORS)


@pytest.mark.parametrize(
    ("active", "share"),
    [
        (lambda t: t.x >= 0, 0),
        (lambda t: t.x % 2 == 1, 1),
        (lambda t: t.x % 3 == 0, 1),
        (lambda t: _chance(t.x) < 0.5, 1),
        # a sector of eight words is left alone with 0.9 ^ 8
        (lambda t: _chance(t.x) < 0.9, 1 - 0.9**8),
        # one word of each 64 is left out, that of one sector of eight
        (lambda t: t.x % 64 != 5, 1 / 8),
        # rows of words that begin at a place of their own: the next row fills the sector
        (lambda t: t.x % 1024 < 1000, 0),
    ],
)
def test_sectors_with_a_word_that_no_thread_writes_are_read(active, share):
    assert filled((lambda t: t.x * 4, active)) == pytest.approx(
        share, rel=0.06, abs=0.03 if share else 1e-6
    )


def test_stores_that_fill_each_others_gaps_read_nothing():
    odd = (lambda t: t.x * 4, lambda t: t.x % 2 == 1)
    even = (lambda t: t.x * 4, lambda t: t.x % 2 == 0)
    assert filled(odd, even) == pytest.approx(0, abs=1e-6)


def test_padding_of_records_is_read():
    """Members of records of 40 bytes, 4 of which are padding: 4 of 5 sectors; an H100 read 404 of 531 MB of them."""
    members = [(lambda t, k=k: t.x * 40 + k, None) for k in range(0, 40, 4) if k != 20]
    assert filled(*members) == pytest.approx(0.8 * 10, rel=0.02)


def test_what_is_read_to_complete_sectors_belongs_to_the_stores():
    half = lambda t: t.x % 2 == 1  # noqa: E731
    load = Access(lambda t: t.x * 4, buffer=0, active=half)
    store = Access(lambda t: t.x * 4, buffer=1, op=Op.STORE, active=half)
    memory = analyse(Kernel((THREADS // 256, 1, 1), (256, 1, 1), [load, store]))
    # read once, against written and read to complete
    shares = [access.share for access in memory.accesses]
    assert np.allclose(shares, [1 / 3, 2 / 3], atol=0.01)
