"""Conversions from and to eight-bit floats, `cuda_fp8.h`.

One instruction each where the hardware has the formats (sm_89 and later), bit arithmetic before.
"""

from __future__ import annotations

from collections.abc import Iterator

from cost_cases import Case, Sample

_FORMATS = ("e4m3", "e5m2")
_NUMBERS: Sample = (1.5, -0.75, 20.0, 3.25)
_MORE_NUMBERS: Sample = (-2.5, 0.0625, 0.4, 150.0)
_TINY = 0.001
"""Below the smallest normal number of E4M3."""


def narrow_floats() -> Iterator[Case]:
    """`float_to_e4m3` to `e5m2x2_to_half2`; a wider result is named after its elements."""
    for kind in _FORMATS:
        constant = f"__NV_{kind.upper()}"
        for source in ("float", "double", "half"):
            raw = "halfraw" if source == "half" else source
            yield _encoding(
                f"{source}_to_{kind}",
                "uint8",
                (source,),
                f"r = __nv_cvt_{raw}_to_fp8(a, __NV_SATFINITE, {constant});",
                value=f"{kind}.bits(a)",
            )
        pair = f"__nv_cvt_float2_to_fp8x2(make_float2({{}}), __NV_SATFINITE, {constant})"
        yield _encoding(
            f"float2_to_{kind}x2",
            "uint16",
            ("float", "float"),
            f"r = {pair.format('a, b')};",
            value=f"{kind}.bits(a) | {kind}.bits(b) << 8",
        )
        yield _encoding(
            f"float4_to_{kind}x4",
            "uint32",
            ("float",) * 4,
            f"__nv_fp8x4_{kind} f(make_float4(a, b, c, d)); r = f.__x;",
        )
        for source, raw in (("half2", "halfraw2"), ("bfloat162", "bfloat16raw2")):
            yield _encoding(
                f"{source}_to_{kind}x2",
                "uint16",
                (source,),
                f"r = __nv_cvt_{raw}_to_fp8x2(a, __NV_SATFINITE, {constant});",
            )
            yield _encoding(
                f"two_{source}_to_{kind}x4",
                "uint32",
                (source, source),
                f"__nv_fp8x4_{kind} f(a, b); r = f.__x;",
            )
        yield _decoding(
            f"{kind}_to_half",
            "uint8",
            "uint16",
            f"__half h = __nv_cvt_fp8_to_halfraw(a, {constant}); r = __half_as_ushort(h);",
        )
        yield _decoding(
            f"{kind}x2_to_half2",
            "uint16",
            "uint32",
            f"__half2 h = __nv_cvt_fp8x2_to_halfraw2(a, {constant}); r = as_word(h);",
        )


def _encoding(
    name: str, result: str, operands: tuple[str, ...], body: str, value: str | None = None
) -> Case:
    count = len(operands)
    return Case(
        function=name,
        scalar=result,
        operands=operands,
        result=result,
        body=body,
        samples=(_NUMBERS[:count], _MORE_NUMBERS[:count]),
        slow=((_TINY,) * count,),
        value=value,
        compilers=("nvcc",),
    )


def _decoding(name: str, operand: str, result: str, body: str) -> Case:
    """The result is the bits: what a half costs that they become stands elsewhere."""
    return Case(
        function=name,
        scalar=result,
        operands=(operand,),
        result=result,
        body=body,
        samples=((0x3C41,), (0x4A35,)) if operand == "uint16" else ((0x3C,), (0xB5,)),
        slow=((0x0302,),) if operand == "uint16" else ((0x03,),),
        compilers=("nvcc",),
    )
