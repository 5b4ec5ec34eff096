"""What names that are not declared leave of the statements around them."""

import pytest
from ir_text import dump

from clang_queries.unit import lower_unit

HOST = """
__global__ void k(float *x) {{ x[threadIdx.x] = 1.0f; }}
int main() {{
  float *x; int n = 1 << 20;
  {body}
}}
"""


def dumped(text, name):
    unit = lower_unit("kernel.cu", text=text)
    return next(dump(function) for function in unit.functions.values() if function.name == name)


@pytest.mark.parametrize(
    "statement", ["y[i] = SQR(x[i]);", "y[i] = 2.0f * SQR(x[i]) + x[i];", "y[i] += SQR(x[i]);"]
)
def test_a_store_has_the_type_of_its_target(statement):
    text = f"__global__ void k(float *y, const float *x) {{ int i = threadIdx.x; {statement} }}"
    unit = lower_unit("kernel.cu", text=text)
    (kernel,) = unit.functions.values()
    assert kernel.body.body[-1].expression.type.size_bytes == 4


def test_a_launch_keeps_what_is_known_of_its_configuration():
    found = dumped(HOST.format(body="k<<<ceil_div(n, 256), 256>>>(x);"), "main")
    assert "dim3{@0: (u32)ceil_div(n#2, 256), @4: 1_u32, @8: 1_u32}" in found
    assert "dim3{@0: 256_u32, @4: 1_u32, @8: 1_u32}" in found
