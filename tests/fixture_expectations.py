"""Reader of the expectations that stand in the header comment of every fixture.

A header is a C comment that begins with `roofstat-fixture`; a file has one for each problem size that it is
checked at, all of them before the code. fixtures/README.md describes the keys. Expected values are arithmetic
over the names in `let` and are evaluated through the syntax tree: nothing in a header can run code.
"""

from __future__ import annotations

import ast
import enum
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "ArraySectors",
    "Bound",
    "ExpectedNumber",
    "Fixture",
    "FixtureError",
    "Quantity",
    "Tolerance",
    "evaluate",
    "parse_fixtures",
    "read_fixtures",
]

_HEADER = re.compile(r"/\*\s*roofstat-fixture[ \t]*\n(?P<body>.*?)\*/", re.DOTALL)
_TOP_KEY = re.compile(r"(?P<key>[a-z_]+):[ \t]*(?P<value>.*)")
_LARGEST_EXPONENT = 64
_DIMENSIONS = 3


class FixtureError(ValueError):
    """A header that cannot be understood; the message names the file and the line."""


class Quantity(enum.Enum):
    """What a header can put a number on; all of them for one launch of the kernel, except `LAUNCHES`."""

    SP_FLOP = "sp_flop"
    DP_FLOP = "dp_flop"
    HP_FLOP = "hp_flop"
    TENSOR_FLOP = "tensor_flop"
    INT_OP = "int_op"
    SPECIAL_OP = "special_op"
    DRAM_READ = "dram_read"
    DRAM_WRITE = "dram_write"
    DRAM = "dram"
    STEADY_READ = "steady_read"
    STEADY_WRITE = "steady_write"
    STEADY_DRAM = "steady_dram"
    LOCAL_BYTES = "local_bytes"
    GLOBAL_LD_REQUESTS = "global_ld_requests"
    GLOBAL_LD_SECTORS = "global_ld_sectors"
    GLOBAL_ST_REQUESTS = "global_st_requests"
    GLOBAL_ST_SECTORS = "global_st_sectors"
    GLOBAL_LD_SECTORS_PER_REQUEST = "global_ld_sectors_per_request"
    GLOBAL_ST_SECTORS_PER_REQUEST = "global_st_sectors_per_request"
    SHARED_BYTES = "shared_bytes"
    LAUNCHES = "launches"


class Bound(enum.Enum):
    """How a measured value must stand to the expected one."""

    WITHIN = "±"
    AT_MOST = "<="
    AT_LEAST = ">="


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a value may lie from the expected one.

    Attributes:
        bound: Side on which it must lie; `WITHIN` for both.
        relative: Allowed distance as a share of the expected value.
        absolute: Allowed distance in the unit of the value.
    """

    bound: Bound = Bound.WITHIN
    relative: float = 0.0
    absolute: float = 0.0

    def accepts(self, actual: float, expected: float) -> bool:
        """Say whether `actual` is close enough; 1e-9 of the value is always forgiven as rounding."""
        slack = max(self.relative, 1e-9) * abs(expected) + self.absolute
        difference = actual - expected
        match self.bound:
            case Bound.AT_MOST:
                return difference <= slack
            case Bound.AT_LEAST:
                return difference >= -slack
            case Bound.WITHIN:
                return abs(difference) <= slack

    def __str__(self) -> str:
        """Return the form that a header uses."""
        if self.bound is not Bound.WITHIN:
            return f"({self.bound.value})"
        return f"± {self.absolute:g}" if self.absolute else f"± {100 * self.relative:g}%"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedNumber:
    """One number of a header.

    Attributes:
        quantity: What it is the amount of.
        formula: Expression as written.
        value: Its value over the names in `let`.
        tolerance: Allowed deviation.
    """

    quantity: Quantity
    formula: str
    value: float
    tolerance: Tolerance

    def deviation(self, actual: float | None) -> str | None:
        """Return what is wrong with `actual`, None where it agrees."""
        if actual is not None and self.tolerance.accepts(actual, self.value):
            return None
        got = "unknown" if actual is None else f"{actual:g}"
        ratio = f", {actual / self.value:.3f} times" if actual is not None and self.value else ""
        return f"{self.quantity.value}: {got}, expected {self.formula} = {self.value:g} {self.tolerance}{ratio}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySectors:
    """Mean 32-byte sectors of a warp request on one array.

    Attributes:
        array: Name in the kernel.
        is_store: Direction.
        value: Sectors for each request.
        tolerance: Allowed deviation.
    """

    array: str
    is_store: bool
    value: float
    tolerance: Tolerance


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One header: a kernel at one problem size on one GPU.

    Attributes:
        path: The source file that carries the header.
        paths: What to analyse: the file itself unless the header names the files of a program.
        line: 1-based line on which the header begins.
        kernel: Regular expression for the demangled name (CUDA); None for OpenMP.
        function: Function around the directive (OpenMP); None for CUDA.
        directive_line: 1-based line of the directive (OpenMP); None for CUDA.
        args: Program arguments.
        gpu: Name of the GPU.
        options: Further command-line options.
        launch_index: Which of the kernel's launches is meant.
        derivation: Text for a reader.
        variables: Names in `let` with their values.
        grid: Blocks in x, y, z; None where the header does not say.
        block: Threads in x, y, z; None where the header does not say.
        numbers: Expected amounts.
        sectors: Expected sectors for single arrays.
        words: Expected words: `verdict`, `steady_verdict`, `limiter`, `bound_by`, `launch_source`.
    """

    path: Path
    paths: tuple[Path, ...]
    line: int
    kernel: str | None
    function: str | None
    directive_line: int | None
    args: str
    gpu: str
    options: tuple[str, ...] = ()
    launch_index: int = 0
    derivation: str
    variables: Mapping[str, float] = field(default_factory=dict)
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    numbers: tuple[ExpectedNumber, ...] = ()
    sectors: tuple[ArraySectors, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def identifier(self) -> str:
        """Short name for a test: file, arguments and GPU."""
        parts = (self.path.parent.name, self.path.stem, *self.args.split(), self.gpu)
        return "-".join(parts)


_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "log2": math.log2,
    "min": min,
    "max": max,
}
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_TOP_KEYS = {
    *("kernel", "function", "directive_line"),
    *("args", "gpu", "options", "launch_index", "paths"),
}
_WORD_KEYS = ("verdict", "steady_verdict", "limiter", "bound_by", "launch_source")
_SECTOR_KEYS = {"array_ld_sectors": False, "array_st_sectors": True}


def evaluate(expression: str, variables: Mapping[str, float]) -> float:
    """Evaluate arithmetic over `variables`.

    Args:
        expression: Numbers, names, `+ - * / // % **`, parentheses and the functions ceil, floor, log2, min, max.
        variables: Values of the names.

    Returns:
        The value; whole where only whole numbers and whole operations are involved.

    Raises:
        FixtureError: For anything else in the expression, an unknown name or an impossible operation.
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        return _value(tree.body, variables)
    except (SyntaxError, ArithmeticError, ValueError, TypeError) as error:
        raise FixtureError(f"cannot evaluate {expression.strip()!r}: {error}") from error


def _value(node: ast.expr, variables: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=bool()):
            raise FixtureError("a truth value is no number")
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.Name(id=name):
            raise FixtureError(f"unknown name {name}")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            exponent = _value(right, variables)
            if abs(exponent) > _LARGEST_EXPONENT:
                raise FixtureError(f"exponent {exponent} is too large")
            power: float = _value(left, variables) ** exponent
            return power
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _OPERATORS[type(operator)](_value(left, variables), _value(right, variables))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*(_value(argument, variables) for argument in arguments))
        case _:
            raise FixtureError(f"{ast.unparse(node)} is not arithmetic")


def read_fixtures(path: Path) -> tuple[Fixture, ...]:
    """Read every header of a file.

    Raises:
        FixtureError: For a header that cannot be understood.
        OSError: For a file that cannot be read.
    """
    return parse_fixtures(path.read_text(encoding="utf-8"), path)


def parse_fixtures(text: str, path: Path) -> tuple[Fixture, ...]:
    """Parse every header in `text`; `path` is only recorded.

    Raises:
        FixtureError: For a header that cannot be understood.
    """
    found = []
    for match in _HEADER.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        try:
            found.append(_fixture(match["body"], path, line))
        except FixtureError as error:
            raise FixtureError(f"{path}:{line}: {error}") from error
    return tuple(found)


def _fixture(body: str, path: Path, line: int) -> Fixture:
    top, derivation, expect = _sections(body)
    for key in ("args", "gpu"):
        if key not in top:
            raise FixtureError(f"the key {key} is missing")
    unknown = set(top) - _TOP_KEYS
    if unknown:
        raise FixtureError(f"unknown keys {sorted(unknown)}")
    if ("kernel" in top) == ("function" in top):
        raise FixtureError("a header names either a kernel or a function")
    if "kernel" in top:
        re.compile(top["kernel"])
    variables = _variables(expect.pop("let", "{}"))
    return Fixture(
        path=path,
        paths=tuple(path.parent / name for name in shlex.split(top.get("paths", path.name))),
        line=line,
        kernel=top.get("kernel"),
        function=top.get("function"),
        directive_line=int(top["directive_line"]) if "directive_line" in top else None,
        args=top["args"],
        gpu=top["gpu"],
        options=tuple(shlex.split(top.get("options", ""))),
        launch_index=int(top.get("launch_index", "0")),
        derivation=derivation,
        variables=variables,
        grid=_dimensions(expect.pop("grid", None), variables),
        block=_dimensions(expect.pop("block", None), variables),
        words={key: expect.pop(key) for key in _WORD_KEYS if key in expect},
        sectors=tuple(
            entry
            for key, is_store in _SECTOR_KEYS.items()
            for entry in _array_sectors(expect.pop(key, None), variables, is_store=is_store)
        ),
        numbers=tuple(_number(key, value, variables) for key, value in expect.items()),
    )


def _sections(body: str) -> tuple[dict[str, str], str, dict[str, str]]:
    """Split a header into its top-level keys, the derivation and the entries under `expect`."""
    top: dict[str, str] = {}
    expect: dict[str, str] = {}
    derivation: list[str] = []
    section = ""
    for raw in body.splitlines():
        indented = raw.startswith(("  ", "\t"))
        if not raw.strip():
            if section == "derivation":
                derivation.append("")
            continue
        if section == "derivation" and indented:
            derivation.append(raw[2:])
            continue
        content = _without_comment(raw).strip()
        if not content:
            continue
        match = _TOP_KEY.fullmatch(content)
        if match is None or indented != (section == "expect" and indented):
            raise FixtureError(f"cannot read the line {raw.strip()!r}")
        key, value = match["key"], match["value"].strip()
        target = expect if indented else top
        if key in target:
            raise FixtureError(f"the key {key} stands twice")
        if not indented and key in {"derivation", "expect"}:
            section = key
        else:
            section = section if indented else ""
            target[key] = _unquoted(value)
    if not any(derivation):
        raise FixtureError("the derivation is missing")
    return top, "\n".join(derivation).strip(), expect


def _without_comment(line: str) -> str:
    """Cut a trailing `# ...`, except inside quotes."""
    quoted = False
    for position, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        if character == "#" and not quoted and (position == 0 or line[position - 1].isspace()):
            return line[:position]
    return line


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1]
    return value


def _split(text: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth, current = [], 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part.strip() for part in [*parts, current] if part.strip()]


def _mapping(text: str) -> list[tuple[str, str]]:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise FixtureError(f"{text!r} is not of the form {{name: value, ...}}")
    pairs = []
    for entry in _split(text[1:-1]):
        name, colon, value = entry.partition(":")
        if not colon or not name.strip().isidentifier():
            raise FixtureError(f"{entry!r} is not of the form name: value")
        pairs.append((name.strip(), value.strip()))
    return pairs


def _variables(text: str) -> dict[str, float]:
    """Evaluate `let` in order, so that later names may use earlier ones."""
    variables: dict[str, float] = {}
    for name, expression in _mapping(text):
        if name in variables or name in _FUNCTIONS:
            raise FixtureError(f"the name {name} is taken")
        variables[name] = evaluate(expression, variables)
    return variables


def _dimensions(text: str | None, variables: Mapping[str, float]) -> tuple[int, ...] | None:
    if text is None:
        return None
    if not (text.startswith("[") and text.endswith("]")):
        raise FixtureError(f"{text!r} is not of the form [x, y, z]")
    values = [evaluate(part, variables) for part in _split(text[1:-1])]
    if len(values) != _DIMENSIONS or any(value != int(value) or value < 1 for value in values):
        raise FixtureError(f"{text!r} does not give three whole numbers")
    return tuple(int(value) for value in values)


def _tolerance(text: str) -> tuple[str, Tolerance]:
    """Split `expression ± 5%`, `expression ± 300`, `<= expression` or `>= expression`."""
    for bound in (Bound.AT_MOST, Bound.AT_LEAST):
        if text.startswith(bound.value):
            return text.removeprefix(bound.value).strip(), Tolerance(bound=bound)
    expression, sign, width = text.partition("±")
    width = width.strip()
    if not sign:
        return expression.strip(), Tolerance()
    if width.endswith("%"):
        return expression.strip(), Tolerance(relative=evaluate(width[:-1], {}) / 100)
    return expression.strip(), Tolerance(absolute=evaluate(width, {}))


def _number(key: str, text: str, variables: Mapping[str, float]) -> ExpectedNumber:
    try:
        quantity = Quantity(key)
    except ValueError as error:
        raise FixtureError(f"unknown quantity {key}") from error
    formula, tolerance = _tolerance(text)
    return ExpectedNumber(
        quantity=quantity, formula=formula, value=evaluate(formula, variables), tolerance=tolerance
    )


def _array_sectors(
    text: str | None, variables: Mapping[str, float], *, is_store: bool
) -> list[ArraySectors]:
    if text is None:
        return []
    mapping, tolerance = _tolerance(text)
    return [
        ArraySectors(
            array=name,
            is_store=is_store,
            value=evaluate(expression, variables),
            tolerance=tolerance,
        )
        for name, expression in _mapping(mapping)
    ]
