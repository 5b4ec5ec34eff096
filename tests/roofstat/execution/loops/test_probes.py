"""Searches in tables with open addressing: two places in the mean, and lanes end on their own."""

import pytest

LANES = 40 * 256
TABLE = 1 << 20

FOR_EVER = """while (true) {
  int found = table[place];
  if (found == -1) return;
  if (found == key) { out[i] = place; return; }
  place = (place + 1) & (size - 1);
}"""
WHILE = """int found = table[place];
while (found != -1 && found != key) { place = (place + 1) % size; found = table[place]; }
out[i] = place;"""
BOUNDED = """for (int k = 0; k < size; k++) {
  if (table[(place + k) & (size - 1)] == key) { out[i] = k; break; }
}"""
BACK_TO_THE_START = (
    "while (table[place] != key) { if (++place == size) place = 0; } out[i] = place;"
)
PACKED = """while (true) {
  long long found = entries[place];
  if ((int)(found >> 32) == key) { out[i] = (int)found; break; }
  place = (place + 1) & (size - 1);
}"""


SWAPPED = "while (atomicCAS((int *)table + place, -1, key) != -1) place = (place + 1) & (size - 1);"
SWAPPED_OR_FOUND = """while (true) {
  int old = atomicCAS((int *)table + place, -1, key);
  if (old == -1 || old == key) { out[i] = place; break; }
  place = (place + 1) & (size - 1);
}"""
TESTED_THEN_SWAPPED = """for (int probe = 0; probe < size; probe++) {
  int found = table[place];
  if (found == key) { out[i] = place; break; }
  if (found == -1) {
    int old = atomicCAS((int *)table + place, -1, key);
    if (old == -1 || old == key) { out[i] = place; break; }
  }
  place = (place + 1) & (size - 1);
}"""


def search(run, loop):
    text = (
        "__global__ void k(const int *table, const long long *entries, const int *keys, int *out, int size) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; int key = keys[i];"
        f" int place = (key * 40503) & (size - 1); {loop} }}"
    )
    buffers = {"table": TABLE, "entries": TABLE, "keys": LANES, "out": LANES}
    return run(text, grid=40, block=256, arguments=buffers | {"size": TABLE})


@pytest.mark.parametrize(
    ("loop", "name"),
    [
        (FOR_EVER, "table"),
        (WHILE, "table"),
        (BOUNDED, "table"),
        (BACK_TO_THE_START, "table"),
        (PACKED, "entries"),
    ],
)
def test_a_search_looks_at_two_places(run, loop, name):
    # Half full: 1.5 places to find a key, 2.5 to find a free place.
    assert search(run, loop).loads(name) / LANES == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("loop", [SWAPPED, SWAPPED_OR_FOUND, TESTED_THEN_SWAPPED])
def test_so_does_an_insertion_by_swaps(run, loop):
    ran = search(run, loop)
    passed = sum(totals.iterations for totals in ran.trace.loops.values()) / LANES
    # The condition of the first form looks at one place more than the body passes.
    assert passed + (loop is SWAPPED) == pytest.approx(2, rel=0.1)


def test_a_warp_waits_for_its_longest_search(run):
    # The longest of 32 searches that end at each place with probability 1/2: 6.4 places, over some 24 warps +- 0.4.
    ran = search(run, BACK_TO_THE_START)
    longest = sum(1 - (1 - 0.5**place) ** 32 for place in range(64))
    assert ran.warps("table") * 32 / LANES == pytest.approx(longest, abs=0.9)


@pytest.mark.parametrize(
    "loop",
    [
        "while (table[place] != key) place++;",  # along an array, not round a table
        "for (int k = 0; k < size; k++) if (table[(place + k) & (size - 1)] > key) break;",
        "while (atomicCAS((int *)table + place, -1, key) != -1) ;",  # a lock
    ],
)
def test_other_loops_are_no_searches(run, loop):
    assumptions = search(run, loop).trace.assumptions
    assert not any("search in a table" in item.text for item in assumptions)
