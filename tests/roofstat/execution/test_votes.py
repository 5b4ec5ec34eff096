"""Of 32 lanes, or of a block, nearly always one votes for what half of them do."""

import pytest

THREADS = 4096


@pytest.mark.parametrize(
    ("body", "share"),
    [
        ("if (__any_sync(~0u, n > 3)) out[i] = 1;", 1),
        ("unsigned b = __ballot_sync(~0u, n > 3); if (b) out[i] = 1;", 1),
        ("unsigned b = __ballot_sync(~0u, n > 3); if (b == 0) return; out[i] = 1;", 1),
        ("unsigned b = __ballot_sync(~0u, n > 3); if (!b) out[i] = 1;", 0),
        (
            "unsigned b = __ballot_sync(~0u, n > 3); if (threadIdx.x % 32 == 0 && b) out[i] = 1;",
            1 / 32,
        ),
        ("int s = __reduce_add_sync(~0u, n); if (threadIdx.x % 32 == 0 && s) out[i] = 1;", 1 / 32),
        ("int s = __syncthreads_count(n > 3); if (threadIdx.x == 0 && s > 0) out[i] = 1;", 1 / 256),
        ("if (__syncthreads_or(n > 3)) out[i] = 1;", 1),
        # all of them, one of them, and how many
        (
            "unsigned b = __ballot_sync(~0u, n > 3); if (b >> (threadIdx.x % 32) & 1) out[i] = 1;",
            0.5,
        ),
        ("int s = __syncthreads_count(n > 3); if (s > 100) out[i] = 1;", 0.5),
        ("int s = __reduce_max_sync(~0u, n); if (s) out[i] = 1;", 0.5),
    ],
)
def test_somebody_votes_for_it(run, body, share):
    text = (
        "__global__ void k(const int *c, float *out) {"
        f" int i = blockIdx.x * blockDim.x + threadIdx.x, n = c[i]; {body} }}"
    )
    ran = run(text, grid=16, block=256, arguments={"c": 1 << 20, "out": 1 << 20})
    assert ran.stores("out") / THREADS == pytest.approx(share, abs=0.2 if share == 0.5 else 1e-3)
