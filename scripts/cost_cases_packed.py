"""Video and dynamic-programming intrinsics on packed words, and packed half precision."""

from __future__ import annotations

from collections.abc import Iterator

from cost_cases import Case, Sample

_COMPARISONS = ("eq", "ne", "ges", "geu", "gts", "gtu", "les", "leu", "lts", "ltu")
_ONE_WORD = ("abs", "absss", "neg", "negss")
_TWO_WORDS = (
    *("add", "addss", "addus", "sub", "subss", "subus", "avgs", "avgu", "haddu"),
    *("absdiffs", "absdiffu", "maxs", "maxu", "mins", "minu", "sads", "sadu"),
    *(f"cmp{name}" for name in _COMPARISONS),
    *(f"set{name}" for name in _COMPARISONS),
)
_WORDS: tuple[Sample, ...] = (
    (0x01020304, 0x10203040, 5),
    (0x00070009, 0x00090002, 0x00030003),
)
_PAIRS_OF_HALVES: tuple[Sample, ...] = ((1.5, 0.75), (0.625, 2.5))


def packed_words() -> Iterator[Case]:
    """`__vadd2` to `__vsetltu4`, `__vimax3_s32` to `__vibmin_u16x2`."""
    for lanes in ("2", "4"):
        for name in _ONE_WORD:
            yield _word(f"__v{name}{lanes}", "uint32", 1)
        for name in _TWO_WORDS:
            yield _word(f"__v{name}{lanes}", "uint32", 2)
    for kind, scalar in (
        ("s32", "int32"),
        ("u32", "uint32"),
        ("s16x2", "uint32"),
        ("u16x2", "uint32"),
    ):
        for side in ("max", "min"):
            yield _word(f"__vi{side}3_{kind}", scalar, 3)
            yield _word(f"__viadd{side}_{kind}", scalar, 3)
            if kind.startswith("s"):
                yield _word(f"__vi{side}3_{kind}_relu", scalar, 3)
                yield _word(f"__viadd{side}_{kind}_relu", scalar, 3)
                yield _word(f"__vi{side}_{kind}_relu", scalar, 2)
            yield _which(f"__vib{side}_{kind}", scalar, 2 if "x2" in kind else 1)


def packed_halves() -> Iterator[Case]:
    """What `half2` and `bfloat162` have beside arithmetic: extremes, comparisons, conversions."""
    for kind, single, brain in (("half2", "half", ""), ("bfloat162", "bfloat16", "bfloat16")):
        compilers = ("nvcc",) if brain else ("nvcc", "clang")
        for name, body, count in (
            ("abs", "__habs2(a)", 1),
            ("neg", "__hneg2(a)", 1),
            ("min", "__hmin2(a, b)", 2),
            ("max", "__hmax2(a, b)", 2),
            ("less", "__hlt2(a, b)", 2),
        ):
            yield _halves(name, kind, (kind,) * count, kind, f"r = {body};", compilers)
        yield _halves("all_less", kind, (kind,) * 2, "int32", "r = __hblt2(a, b);", compilers)
        yield _halves("less_mask", kind, (kind,) * 2, "uint32", "r = __hlt2_mask(a, b);", compilers)
        unpack = "__bfloat1622float2" if brain else "__half22float2"
        yield Case(
            function="to_float2",
            scalar=kind,
            operands=(kind,),
            result="float",
            result2="float",
            body=f"float2 f = {unpack}(a); r = f.x; r2 = f.y;",
            samples=_PAIRS_OF_HALVES,
            compilers=compilers,
        )
        packed = f"__floats2{'bfloat162' if brain else 'half2'}_rn(a, b)"
        yield Case(
            function=f"to_{kind}",
            scalar="float",
            operands=("float", "float"),
            result=kind,
            body=f"r = {packed};",
            samples=_PAIRS_OF_HALVES,
            compilers=compilers,
        )
        if brain:
            for name, body, count in (
                ("add", "__hadd2(a, b)", 2),
                ("sub", "__hsub2(a, b)", 2),
                ("mul", "__hmul2(a, b)", 2),
                ("div", "__h2div(a, b)", 2),
                ("fma", "__hfma2(a, b, b)", 2),
            ):
                yield _halves(name, kind, (kind,) * count, kind, f"r = {body};", compilers)
            functions = ("exp", "exp2", "exp10", "log", "log2", "log10", "sqrt", "rsqrt", "rcp")
            for name in (*functions, "sin", "cos", "floor", "ceil", "rint", "trunc"):
                yield _halves(name, kind, (kind,), kind, f"r = h2{name}(a);", compilers)
        for name in ("tanh", "tanh_approx"):
            yield _halves(name, single, (single,), single, f"r = h{name}(a);", compilers)
            yield _halves(name, kind, (kind,), kind, f"r = h2{name}(a);", compilers)


def _word(name: str, scalar: str, count: int) -> Case:
    return Case(
        function=name,
        scalar=scalar,
        operands=(scalar,) * count,
        result=scalar,
        body=f"r = {name}({', '.join('abc'[:count])});",
        samples=tuple(row[:count] for row in _WORDS),
    )


def _which(name: str, scalar: str, lanes: int) -> Case:
    """An extreme that also says which operand it is."""
    if lanes == 1:
        body = f"bool x; r = {name}(a, b, &x); r2 = x;"
    else:
        body = f"bool x, y; r = {name}(a, b, &x, &y); r2 = x + 2 * y;"
    return Case(
        function=name,
        scalar=scalar,
        operands=(scalar, scalar),
        result=scalar,
        result2="int32",
        body=body,
        samples=tuple(row[:2] for row in _WORDS),
    )


def _halves(
    name: str,
    kind: str,
    operands: tuple[str, ...],
    result: str,
    body: str,
    compilers: tuple[str, ...],
) -> Case:
    return Case(
        function=name,
        scalar=kind,
        operands=operands,
        result=result,
        body=body,
        samples=tuple(row[: len(operands)] for row in _PAIRS_OF_HALVES),
        compilers=compilers,
    )
