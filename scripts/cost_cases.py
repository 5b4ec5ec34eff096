"""What `measure_costs.py` measures: one expression, its operand types and the values it runs on.

`a`, `b`, `c` are the operands, `result` and `result2` the outputs. Values in `samples` are
ordinary arguments (their mean is the cost of the fast path); `slow` holds arguments that the
implementation treats apart (denormals, huge angles, operands above 32 bits).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Value = int | float
Sample = tuple[Value, ...]

C_TYPES = {
    "float": "float",
    "double": "double",
    "half": "__half",
    "half2": "__half2",
    "bfloat16": "__nv_bfloat16",
    "bfloat162": "__nv_bfloat162",
    "int8": "signed char",
    "uint8": "unsigned char",
    "int16": "short",
    "uint16": "unsigned short",
    "int32": "int",
    "uint32": "unsigned int",
    "int64": "long long",
    "uint64": "unsigned long long",
}
FLOATS = ("float", "double")
WORDS = ("int32", "uint32")
LONGS = ("int64", "uint64")
INTEGERS = WORDS + LONGS


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One measured operation.

    Attributes:
        function: key of the table, an operator name or a function as spelled without suffix.
        scalar: type that the operation works on, the second key.
        operands: types of `a`, `b`, `c`, `d`.
        result: type of the stored value, or `None` when nothing is returned.
        body: statements that set `r` (and `r2`).
        subtract: statements of the same shape measured apart and taken off, beyond load and store.
        samples: ordinary arguments.
        slow: arguments of the exceptional path; empty where there is none.
        result2: type of a second output.
        value: the expected result as a Python expression of a, b, c (checks the emulation).
        device_state: the header of the random generators is needed.
        compilers: which compilers take it.
    """

    function: str
    scalar: str
    operands: tuple[str, ...]
    result: str | None
    body: str
    samples: tuple[Sample, ...]
    slow: tuple[Sample, ...] = ()
    subtract: str | None = None
    result2: str | None = None
    value: str | None = None
    device_state: bool = False
    compilers: tuple[str, ...] = ("nvcc", "clang")


SIGNED: tuple[Sample, ...] = ((0.37,), (-1.7,), (2.9,), (-0.62,))
SIGNED_PAIRS: tuple[Sample, ...] = ((1.7, 2.3), (-0.4, 3.1), (12.5, -0.7), (-2.9, -1.9))
TRIPLES: tuple[Sample, ...] = ((1.7, 2.3, 0.5), (0.4, 3.1, -2.0))
_SMALL_INTS: tuple[Sample, ...] = ((1234, 7), (98765, 123), (17, 5), (400000, 4096))
_NEGATIVE_INTS: tuple[Sample, ...] = ((1234, 7), (-98765, 123), (17, -5), (400000, 4096))


def _samples(kind: str, samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Integers where the type is one."""
    if kind in FLOATS:
        return tuple(samples)
    return tuple(tuple(int(v) for v in row) for row in samples)


def _binary(name: str, kind: str, body: str, samples: Sequence[Sample], **extra: object) -> Case:
    return Case(
        function=name,
        scalar=kind,
        operands=(kind, kind),
        result=str(extra.pop("result", kind)),
        body=f"r = {body};",
        samples=_samples(kind, samples),
        **extra,  # type: ignore[arg-type]
    )


def _unary(name: str, kind: str, body: str, samples: Sequence[Sample], **extra: object) -> Case:
    return Case(
        function=name,
        scalar=kind,
        operands=(kind,),
        result=str(extra.pop("result", kind)),
        body=f"r = {body};",
        samples=_samples(kind, samples),
        **extra,  # type: ignore[arg-type]
    )


def floating_operators() -> Iterator[Case]:
    """Arithmetic, comparison and selection in single and double precision."""
    for kind in FLOATS:
        one = "1.0f" if kind == "float" else "1.0"
        tiny = 1e-40 if kind == "float" else 1e-310
        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
            yield _binary(name, kind, f"a {sign} b", SIGNED_PAIRS, value=f"a {sign} b")
        yield _binary("div", kind, "a / b", SIGNED_PAIRS, value="a / b", slow=((1.5, tiny),))
        # Zero is common in data, and both divisions send it to the slow path.
        yield _binary("div_of_zero", kind, "a / b", ((0.0, 1.5), (0.0, -23.0)), value="a / b")
        yield _unary("rcp", kind, f"{one} / a", SIGNED, value="1 / a", slow=((tiny,),))
        yield _unary("div_by_constant", kind, f"a / ({one} * 3)", SIGNED, value="a / 3")
        yield _unary("div_by_power_of_two", kind, f"a / ({one} * 4)", SIGNED, value="a / 4")
        yield Case(
            function="fma_operator",
            scalar=kind,
            operands=(kind,) * 3,
            result=kind,
            body="r = a * b + c;",
            samples=TRIPLES,
            value="a * b + c",
        )
        yield _binary("neg", kind, "(-a) + b", SIGNED_PAIRS, subtract="r = a + b;", value="-a + b")
        yield _binary("neg_of_product", kind, "(-a) * b", SIGNED_PAIRS, value="-a * b")
        yield _binary("abs", kind, "fabs(a) * b", SIGNED_PAIRS, subtract="r = a * b;")
        yield _unary("neg_stored", kind, "-a", SIGNED, value="-a")
        for name, sign in (("less", "<"), ("equal", "==")):
            yield _binary(name, kind, f"a {sign} b", SIGNED_PAIRS, result="int32")
        yield _binary("min", kind, "min(a, b)", SIGNED_PAIRS, value="min(a, b)")
        yield _binary("max", kind, "max(a, b)", SIGNED_PAIRS, value="max(a, b)")
        yield Case(
            function="select",
            scalar=kind,
            operands=(kind, kind, kind),
            result=kind,
            body="r = a < b ? b : c;",
            samples=TRIPLES,
        )


def integer_operators() -> Iterator[Case]:
    """Arithmetic, logic, shifts and bit operations on 32- and 64-bit integers."""
    for kind in INTEGERS:
        signed = not kind.startswith("u")
        wide = kind in LONGS
        pairs = _NEGATIVE_INTS if signed else _SMALL_INTS
        suffix = ("ll" if signed else "ull") if wide else ("" if signed else "u")
        for name, sign in (
            ("add", "+"),
            ("sub", "-"),
            ("mul", "*"),
            ("and", "&"),
            ("or", "|"),
            ("xor", "^"),
        ):
            yield _binary(name, kind, f"a {sign} b", pairs, value=f"a {sign} b")
        slow: tuple[Sample, ...] = (
            ((3 << 61, 5 << 40), (9 << 50, 77777), (7 << 58, 3 << 33)) if wide else ()
        )
        yield _binary("div", kind, "a / b", _SMALL_INTS, slow=slow, value="a // b")
        yield _binary("rem", kind, "a % b", _SMALL_INTS, slow=slow, value="a % b")
        one_operand = tuple((p[0],) for p in pairs)
        for name, sign in (("div", "/"), ("rem", "%"), ("mul", "*")):
            yield _unary(f"{name}_by_power_of_two", kind, f"a {sign} 16{suffix}", one_operand)
            yield _unary(f"{name}_by_constant", kind, f"a {sign} 28{suffix}", one_operand)
        yield _unary("neg", kind, "-a", one_operand)
        yield _unary("not", kind, "~a", one_operand)
        yield _unary("add_constant", kind, f"a + 12345{suffix}", one_operand)
        yield _unary("shl_constant", kind, "a << 5", one_operand)
        yield _unary("shr_constant", kind, "a >> 5", one_operand)
        shifts = tuple((p[0], 3 + i) for i, p in enumerate(pairs))
        yield _binary("shl", kind, "a << (int)b", shifts)
        yield _binary("shr", kind, "a >> (int)b", shifts)
        yield _binary("less", kind, "a < b", pairs, result="int32", value="int(a < b)")
        yield _binary("equal", kind, "a == b", pairs, result="int32", value="int(a == b)")
        yield _binary("min", kind, "min(a, b)", pairs, value="min(a, b)")
        yield _binary("max", kind, "max(a, b)", pairs, value="max(a, b)")
        yield Case(
            function="mad",
            scalar=kind,
            operands=(kind,) * 3,
            result=kind,
            body="r = a * b + c;",
            samples=tuple((p[0], p[1], 11) for p in pairs),
            value="a * b + c",
        )
        yield Case(
            function="add3",
            scalar=kind,
            operands=(kind,) * 3,
            result=kind,
            body="r = a + b + c;",
            samples=tuple((p[0], p[1], 11) for p in pairs),
            value="a + b + c",
        )
        yield Case(
            function="select",
            scalar=kind,
            operands=(kind,) * 3,
            result=kind,
            body="r = a < b ? b : c;",
            samples=tuple((p[0], p[1], 11) for p in pairs),
            value="b if a < b else c",
        )
        if signed:
            absolute = "llabs" if wide else "abs"
            yield _unary("abs", kind, f"{absolute}(a)", one_operand, value="abs(a)")
        high = {"int32": "__mulhi", "uint32": "__umulhi"}
        high |= {"int64": "__mul64hi", "uint64": "__umul64hi"}
        yield _binary("mulhi", kind, f"{high[kind]}(a, b)", pairs)
        ll = "ll" if wide else ""
        for name in ("popc", "clz", "ffs", "brev"):
            yield _unary(name, kind, f"__{name}{ll}(a)", one_operand)
    yield _binary(
        "mul_wide", "int32", "(long long)a * b", _NEGATIVE_INTS, result="int64", value="a * b"
    )
    yield _binary(
        "mul_wide",
        "uint32",
        "(unsigned long long)a * b",
        _SMALL_INTS,
        result="uint64",
        value="a * b",
    )
    word_cases = {
        "__byte_perm": ("__byte_perm(a, b, c)", 3),
        "__funnelshift_l": ("__funnelshift_l(a, b, c)", 3),
        "__funnelshift_r": ("__funnelshift_r(a, b, c)", 3),
        "__dp4a": ("__dp4a(a, b, c)", 3),
        "__dp2a_lo": ("__dp2a_lo((int)a, (int)b, (int)c)", 3),
        "__sad": ("__sad((int)a, (int)b, c)", 3),
        "__umul24": ("__umul24(a, b)", 2),
        "__mul24": ("__mul24((int)a, (int)b)", 2),
        "__hadd": ("__hadd((int)a, (int)b)", 2),
        "__rhadd": ("__rhadd((int)a, (int)b)", 2),
    }
    for name, (body, count) in word_cases.items():
        yield Case(
            function=name,
            scalar="uint32",
            operands=("uint32",) * count,
            result="uint32",
            body=f"r = {body};",
            samples=((0x01020304, 0x10203040, 5), (7, 9, 3))
            if count == 3
            else ((0x01020304, 0x10203040), (7, 9)),
        )


def conversions() -> Iterator[Case]:
    """Every conversion between the arithmetic types; narrow integers by truncation."""
    kinds = ("int32", "uint32", "int64", "uint64", "half", "bfloat16", "float", "double")
    for source in kinds:
        for target in kinds:
            if source == target or {source, target} == {"half", "bfloat16"}:
                continue
            half = {"half", "bfloat16"} & {source, target}
            if half and {source, target} & {"int64", "uint64", "int32", "uint32"}:
                brain = "bfloat16" in half
                through = f"({C_TYPES[target]})(float)a"
                body = through if brain else f"({C_TYPES[target]})a"
                expression = f"({C_TYPES[target]})(float)a" if source == "half" else body
            else:
                expression = f"({C_TYPES[target]})a"
            value = None
            if target == "double" and source in (*INTEGERS, "float"):
                value = "float(a)"
            elif target in INTEGERS and source in FLOATS:
                value = "int(a)"
            yield Case(
                function=f"to_{target}",
                scalar=source,
                operands=(source,),
                result=target,
                body=f"r = {expression};",
                samples=_samples("float" if "int" not in source else source, ((3.75,), (41.5,))),
                value=value,
            )
    for target in ("int8", "uint8", "int16", "uint16"):
        for source in ("int32", "float"):
            yield Case(
                function=f"to_{target}",
                scalar=source,
                operands=(source,),
                result="int32",
                body=f"r = ({C_TYPES[target]})a;",
                samples=_samples(source, ((3.75,), (41.5,))),
                value="int(a)",
            )
    for source in ("int8", "uint8", "int16", "uint16"):
        for target in ("float", "double"):
            yield Case(
                function=f"to_{target}",
                scalar=source,
                operands=("int32",),
                result=target,
                body=f"r = ({C_TYPES[target]})({C_TYPES[source]})a;",
                samples=((3,), (41,)),
                value="float(a)",
            )
