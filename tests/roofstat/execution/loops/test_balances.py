"""Counters that go up and down: a stack is as high in the middle of a long loop as it was once it had filled."""

import pytest

THREADS, LENGTH = 1024, 1400


def kernel(body):
    return (
        "__global__ void k(const float *x, int n, float *out) {"
        " int c = blockIdx.x * blockDim.x + threadIdx.x; float st[64]; int top = 0;"
        f" for (int i = 0; i < n; i++) {{\n {body} }} }}"
    )


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        # One is put on the stack in each iteration, two are taken in each second one: as many as from the fourth on.
        (
            (
                "st[top++] = x[i * 1024 + c]; while (top >= 4) {"
                " float a = fabsf(st[top - 2] - st[top - 3]); if (a > fabsf(st[top - 1] - st[top - 2])) break;"
                " out[i * 1024 + c] = a; top -= 2; }"
            ),
            0.5,
        ),
        # A stack that is emptied once it holds five: by one iteration in five.
        ("if (++top == 5) { while (top > 0) top--; out[i * 1024 + c] = 1; }", 0.2),
        # What goes up by more than it goes down rises.
        (
            "top += 2; if (x[i * 1024 + c] < 1) top -= 1; if (top > 700) out[i * 1024 + c] = 1;",
            2 / 3,
        ),
    ],
)
def test_stacks_stay_as_high_as_they_are(run, body, stores):
    arguments = {"x": THREADS * LENGTH, "n": LENGTH, "out": THREADS * LENGTH}
    ran = run(kernel(body), grid=4, block=256, arguments=arguments)
    assert ran.stores("out") / THREADS / LENGTH == pytest.approx(stores, rel=0.2)
