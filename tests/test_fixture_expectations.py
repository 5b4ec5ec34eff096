"""The reader of fixture headers, and the fixtures' own consistency."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fixture_expectations import (
    Bound,
    FixtureError,
    Quantity,
    Tolerance,
    evaluate,
    parse_fixtures,
    read_fixtures,
)

_FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


_FILE = Path("kernel.cu")
_HEADER = """/* roofstat-fixture
kernel: saxpy<.*>                  # regex
args: "1000 3"
gpu: a100
options: "--set 'n=10 # 5' --compiler nvcc"
launch_index: 2
derivation: |
  One FFMA: 2 FLOP.

  # this stays, it is text
expect:
  let: {n: 1000, T: 256*ceil(n/256)}
  grid: [ceil(n/256), 1, 1]
  block: [256, 1, 1]
  sp_flop: 2*n            ± 0%      # tolerance after the sign
  dp_flop: 0
  int_op: 2*T + 2*n       ± 25%
  dram_read: <= 8*n
  steady_dram: 12*n ± 64
  array_ld_sectors: {x: min(4, 32), y: 4} ± 5%
  array_st_sectors: {y: 4}
  verdict: bandwidth
*/
__global__ void saxpy() {}
"""
_PATHS = [
    path for pattern in ("cuda/**/*.cu", "openmp/*.cpp") for path in sorted(_FIXTURES.glob(pattern))
]
_ALL = [fixture for path in _PATHS for fixture in read_fixtures(path)]


def _one(text: str = _HEADER) -> Any:
    (fixture,) = parse_fixtures(text, _FILE)
    return fixture


def _with_expected(line: str) -> str:
    return _HEADER.replace("  verdict: bandwidth\n", f"  {line}\n")


def test_top_level_keys() -> None:
    fixture = _one()
    assert fixture.kernel == "saxpy<.*>"
    assert fixture.function is None
    assert fixture.args == "1000 3"
    assert fixture.gpu == "a100"
    assert fixture.options == ("--set", "n=10 # 5", "--compiler", "nvcc")
    assert fixture.launch_index == 2
    assert fixture.paths == (_FILE,)
    assert fixture.line == 1


def test_derivation_is_text() -> None:
    assert _one().derivation == "One FFMA: 2 FLOP.\n\n# this stays, it is text"


def test_let_is_evaluated_in_order() -> None:
    assert _one().variables == {"n": 1000, "T": 1024}


def test_dimensions() -> None:
    fixture = _one()
    assert fixture.grid == (4, 1, 1)
    assert fixture.block == (256, 1, 1)


def test_numbers_carry_formula_value_and_tolerance() -> None:
    numbers = {number.quantity: number for number in _one().numbers}
    assert numbers[Quantity.SP_FLOP].value == 2000
    assert numbers[Quantity.INT_OP].formula == "2*T + 2*n"
    assert numbers[Quantity.INT_OP].value == 2 * 1024 + 2 * 1000
    assert numbers[Quantity.INT_OP].tolerance == Tolerance(relative=0.25)
    assert numbers[Quantity.DRAM_READ].tolerance.bound is Bound.AT_MOST
    assert numbers[Quantity.STEADY_DRAM].tolerance == Tolerance(absolute=64)


def test_sectors_of_arrays() -> None:
    found = [(entry.array, entry.is_store, entry.value) for entry in _one().sectors]
    assert found == [("x", False, 4), ("y", False, 4), ("y", True, 4)]


def test_words() -> None:
    assert _one().words == {"verdict": "bandwidth"}


def test_openmp_header_and_program_files() -> None:
    text = _HEADER.replace(
        "kernel: saxpy<.*>  ", 'function: main\ndirective_line: 31\npaths: "a.cpp b.cpp"\n#'
    )
    (fixture,) = parse_fixtures(text, Path("dir/b.cpp"))
    assert (fixture.kernel, fixture.function, fixture.directive_line) == (None, "main", 31)
    assert fixture.paths == (Path("dir/a.cpp"), Path("dir/b.cpp"))


def test_several_headers_in_one_file() -> None:
    second = _HEADER.replace("1000 3", "7 3")
    first, other = parse_fixtures(_HEADER + second, _FILE)
    assert (first.args, other.args) == ("1000 3", "7 3")
    assert other.line == _HEADER.count("\n") + 1


def test_a_file_without_header_has_no_fixture() -> None:
    assert parse_fixtures("int main() {}\n", _FILE) == ()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2*n + 1", 21),
        ("n/4", 2.5),
        ("n//4", 2),
        ("n % 4", 2),
        ("-n + 2**3", -2),
        ("ceil(n/4) + floor(n/4)", 5),
        ("log2(8)*n", 30),
        ("max(n, 3) - min(n, 3)", 7),
        ("(n + 2)*(n - 2)", 96),
        ("4**(-1)", 0.25),
    ],
)
def test_arithmetic(expression: str, value: float) -> None:
    assert evaluate(expression, {"n": 10}) == value


@pytest.mark.parametrize(
    "expression",
    [
        "m",
        "__import__('os')",
        "n.real",
        "[n][0]",
        "lambda: 1",
        "open('x')",
        "n if n else 1",
        "n and 1",
        "'text'",
        "True",
        "abs(n)",
        "min(n, key=n)",
        "n / 0",
        "9**9**9",
        "2*",
        "",
    ],
)
def test_nothing_but_arithmetic(expression: str) -> None:
    with pytest.raises(FixtureError):
        evaluate(expression, {"n": 10})


@pytest.mark.parametrize(
    ("tolerance", "low", "high"),
    [
        (Tolerance(), 100.0, 100.0),
        (Tolerance(relative=0.1), 90.0, 110.0),
        (Tolerance(absolute=3), 97.0, 103.0),
        (Tolerance(bound=Bound.AT_MOST), 0.0, 100.0),
        (Tolerance(bound=Bound.AT_LEAST), 100.0, 1e9),
    ],
)
def test_tolerance_ends(tolerance: Any, low: float, high: float) -> None:
    assert tolerance.accepts(low, 100.0)
    assert tolerance.accepts(high, 100.0)
    if tolerance.bound is not Bound.AT_MOST:
        assert not tolerance.accepts(low - 0.01, 100.0)
    if tolerance.bound is not Bound.AT_LEAST:
        assert not tolerance.accepts(high + 0.01, 100.0)


def test_unknown_is_a_deviation() -> None:
    number = _one().numbers[0]
    assert number.deviation(2000) is None
    assert "unknown" in number.deviation(None)
    assert "0.500 times" in number.deviation(1000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_HEADER.replace("gpu: a100\n", ""), "gpu is missing"),
        (_HEADER.replace("kernel: saxpy<.*>", "author: someone"), "unknown keys"),
        (_HEADER.replace("gpu: a100", "gpu: a100\nfunction: f"), "either a kernel or a function"),
        (_HEADER.replace("gpu: a100", "gpu: a100\ngpu: h100"), "stands twice"),
        (_HEADER.replace("gpu: a100", "what is this"), "cannot read"),
        (
            re.sub(r"derivation: \|\n(  .*\n|\n)*", "derivation: |\n", _HEADER),
            "derivation is missing",
        ),
        (_with_expected("flops: 3"), "unknown quantity"),
        (_with_expected("dram: 2*q"), "unknown name q"),
        (_with_expected("dram: 2 ± x%"), "unknown name x"),
        (_HEADER.replace("[256, 1, 1]", "[256, 1]"), "three whole numbers"),
        (_HEADER.replace("[256, 1, 1]", "[0.5, 1, 1]"), "three whole numbers"),
        (_HEADER.replace("[256, 1, 1]", "256"), "not of the form"),
        (_HEADER.replace("{n: 1000,", "{n: 1000, n: 2,"), "n is taken"),
        (_HEADER.replace("{n: 1000,", "{min: 1000,"), "min is taken"),
        (_HEADER.replace("{y: 4}", "y: 4"), "not of the form"),
    ],
)
def test_bad_headers_name_file_and_line(text: str, message: str) -> None:
    with pytest.raises(FixtureError, match=re.escape(message)) as caught:
        parse_fixtures("\n" + text, _FILE)
    assert str(caught.value).startswith("kernel.cu:2: ")


@pytest.mark.parametrize("path", _PATHS, ids=lambda path: path.stem)
def test_every_file_has_a_header_first(path: Path) -> None:
    """Only the helper files of a program carry none."""
    mentioned = {part for fixture in _ALL for part in fixture.paths}
    fixtures = read_fixtures(path)
    assert fixtures or path in mentioned
    if fixtures:
        assert fixtures[0].line == 1


@pytest.mark.parametrize("fixture", _ALL, ids=[fixture.identifier for fixture in _ALL])
def test_sizes_differ(fixture: Any) -> None:
    """A swapped dimension cannot pass where no two sizes are equal."""
    sizes = fixture.args.split()
    assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize("fixture", _ALL, ids=[fixture.identifier for fixture in _ALL])
def test_paths_and_directives_exist(fixture: Any) -> None:
    """Named files exist, and a directive line holds a directive."""
    assert all(path.is_file() for path in fixture.paths)
    if fixture.directive_line is not None:
        line = fixture.path.read_text(encoding="utf-8").splitlines()[fixture.directive_line - 1]
        assert line.strip().startswith("#pragma omp target")


def test_identifiers_are_unique() -> None:
    """One file may check two kernels at one size, so the line belongs to the identity."""
    keys = [(fixture.identifier, fixture.line) for fixture in _ALL]
    assert len(set(keys)) == len(keys)
