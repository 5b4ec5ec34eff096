"""PTX instructions that inline assembly uses and no function of CUDA stands for."""

from __future__ import annotations

from collections.abc import Iterator

from cost_cases import Case, Sample

_WORDS: tuple[Sample, ...] = ((0x1234567, 0x89ABCD, 0xFEDCBA), (77, 12, 5))
_FIELDS: tuple[Sample, ...] = ((0x12345678, 4, 12), (0x7FEDCBA9, 0, 32))
_POSITIVE: tuple[Sample, ...] = ((0.37,), (1.7,), (23.5,))
_PAIRS: tuple[Sample, ...] = ((1.7, 2.3), (-0.4, 3.1))

_CONSTRAINTS = {"float": "f", "uint32": "r", "int32": "r"}


def ptx_instructions() -> Iterator[Case]:
    """`ptx_bfe` to `ptx_ex2_approx_ftz`: the mnemonic without its types."""
    yield _case("lop3", "uint32", "lop3.b32 %0, %1, %2, %3, 0x96;", _WORDS, "a ^ b ^ c")
    yield _case("bfe", "uint32", "bfe.u32 %0, %1, %2, %3;", _FIELDS, "a >> b & (1 << c) - 1")
    yield _case(
        "bfe", "int32", "bfe.s32 %0, %1, %2, %3;", ((0x345678, 4, 24), (77, 2, 8)), "a >> b"
    )
    insertion = "bfi.b32 %0, %1, %2, %3, 8;"
    yield _case("bfi", "uint32", insertion, ((0x5A, 0x1234567, 4),), "b & ~0xFF0 | a << 4")
    yield _case("bfind", "uint32", "bfind.u32 %0, %1;", ((0x1234567,), (12,)), "a.bit_length() - 1")
    # With the carry of a sum of words that is not there without it.
    carried = "{ .reg .u32 t; add.cc.u32 t, %1, %3; addc.u32 %0, %2, t; }"
    yield _case("addc", "uint32", carried, _WORDS, "a + b + c", subtract="r = a + c;")
    for name, value in (
        ("ex2", "2 ** a"),
        ("lg2", "math.log2(a)"),
        ("rcp", "1 / a"),
        ("sqrt", "math.sqrt(a)"),
        ("rsqrt", "1 / math.sqrt(a)"),
    ):
        for ending in ("approx", "approx_ftz"):
            statement = f"{name}.{ending.replace('_', '.')}.f32 %0, %1;"
            yield _case(f"{name}_{ending}", "float", statement, _POSITIVE, value)
    yield _case("tanh_approx", "float", "tanh.approx.f32 %0, %1;", _POSITIVE, None)
    for ending in ("approx", "approx_ftz", "full", "full_ftz"):
        statement = f"div.{ending.replace('_', '.')}.f32 %0, %1, %2;"
        yield _case(f"div_{ending}", "float", statement, _PAIRS, "a / b")


def _case(
    mnemonic: str,
    scalar: str,
    statement: str,
    samples: tuple[Sample, ...],
    value: str | None,
    subtract: str | None = None,
) -> Case:
    letter = _CONSTRAINTS[scalar]
    count = len(samples[0])
    inputs = ", ".join(f'"{letter}"({name})' for name in "abc"[:count])
    return Case(
        function=f"ptx_{mnemonic}",
        scalar=scalar,
        operands=(scalar,) * count,
        result=scalar,
        body=f'asm volatile("{statement}" : "={letter}"(r) : {inputs});',
        samples=samples,
        value=value,
        subtract=subtract,
    )
