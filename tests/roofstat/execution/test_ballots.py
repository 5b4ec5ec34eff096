"""Which lanes vote for what nobody knows is drawn, so that what follows a vote follows from the same lanes."""

import pytest

THREADS = 4096
VOTE = "bool p = n > 3; unsigned m = __ballot_sync(~0u, p), lane = threadIdx.x % 32;"
ALIKE = "unsigned m = __match_any_sync(~0u, {}), lane = threadIdx.x % 32;"
LEADS = "if (lane == __ffs(m) - 1) out[i] = 1;"
NARROW_LEADERS = 8 * (1 - (7 / 8) ** 32) / 32
"""Of 32 lanes with one of 8 numbers each, the share that is the first with its number."""
OPEN_LEADERS = 10 * (1 - 0.9**32) / 32
"""The same where two of ten lanes have the same number, as of data of which nothing is known."""


@pytest.fixture
def stored(run):
    """Code that follows `n`, a number that nobody knows, to the share of the threads that store."""

    def share(body):
        text = (
            "__global__ void k(const int *c, float *out) {"
            f" int i = blockIdx.x * blockDim.x + threadIdx.x, n = c[i]; {body} }}"
        )
        ran = run(text, grid=16, block=256, arguments={"c": 1 << 20, "out": 1 << 20})
        return ran.stores("out") / THREADS

    return share


@pytest.mark.parametrize(
    "body",
    [
        LEADS,
        "if (p && lane == __ffs(m) - 1) out[i] = 1;",
        "if (lane == 31 - __clz(m)) out[i] = 1;",
        "if (p && __popc(m & ((1u << lane) - 1)) == 0) out[i] = 1;",
        "if (m && lane == 0) out[i] = 1;",
    ],
)
def test_one_lane_of_each_warp_counts_for_all_that_voted(stored, body):
    assert stored(VOTE + body) == pytest.approx(1 / 32)


def test_a_branch_on_what_lanes_have_voted_on_takes_those_lanes(stored):
    assert stored(VOTE + "if (p) { if (!(m >> lane & 1)) out[i] = 1; }") == 0
    assert stored(VOTE + "if (!p) { if (m >> lane & 1) out[i] = 1; }") == 0
    assert stored(VOTE + "if (p) out[i] = 1;") == pytest.approx(0.5, abs=0.05)


def test_few_lanes_vote_for_two_numbers_that_are_equal(stored):
    vote = "unsigned m = __ballot_sync(~0u, n == (int)out[i]);"
    assert stored(vote + "if (m >> threadIdx.x % 32 & 1) out[i] = 1;") == pytest.approx(
        0.1, abs=0.03
    )


@pytest.mark.parametrize(
    ("number", "share", "error"),
    [
        ("i / 4", 8 / 32, 0),  # eight groups of four
        ("blockIdx.x", 1 / 32, 0),
        ("n & 7", NARROW_LEADERS, 0.02),
        ("n", OPEN_LEADERS, 0.02),
    ],
)
def test_one_lane_of_those_with_the_same_number_leads(stored, number, share, error):
    assert stored(ALIKE.format(number) + LEADS) == pytest.approx(share, abs=error or 1e-6)


def test_numbers_that_are_made_of_a_vote_and_stored_are_not_known(run):
    """As the first place of the run that a pixel is in: what is read there later is near, not anywhere."""
    text = (
        "__global__ void k(const int *c, int *first, float *out) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;"
        " unsigned m = __ballot_sync(~0u, c[i] > 3) & (~0u >> (31 - lane));"
        " first[i] = i - lane + 31 - __clz(m); if (m & 1) out[i] = 1; }"
    )
    ran = run(text, grid=16, block=256, arguments={"c": 1 << 20, "first": 1 << 20, "out": 1 << 20})
    # a branch on what nobody knows, the same in each warp, where lanes that were drawn would leave out no whole warp
    assert ran.stores("out") / THREADS == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("number", "doubt"), [("n", 1), ("i % 3", 0)], ids=["drawn lanes", "known lanes"]
)
def test_what_drawn_lanes_decide_is_in_doubt(run, number, doubt):
    text = (
        "__global__ void k(const int *c, int *out) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x, n = c[i];"
        f" unsigned m = __ballot_sync(~0u, {number} > 1);"
        " if (threadIdx.x % 32 == 0 && m) atomicAdd(out, __popc(m)); }"
    )
    trace = run(text, grid=16, block=256, arguments={"c": 1 << 20, "out": 1 << 20}).trace
    site = max(trace.sites.values(), key=lambda site: site.doubtful_threads)
    assert site.doubtful_threads == pytest.approx(doubt * THREADS / 32)
