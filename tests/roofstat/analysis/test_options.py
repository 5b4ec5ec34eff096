"""The syntax of --launch and --set."""

import pytest

from roofstat.analysis import AnalysisOptions, LaunchOverride, parse_launch, parse_set
from roofstat.errors import UsageError
from roofstat.hardware import load_gpu


@pytest.mark.parametrize(
    ("text", "name", "launch"),
    [
        (
            "saxpy:grid=1024x2,block=256",
            "saxpy",
            LaunchOverride(grid=(1024, 2, 1), block=(256, 1, 1)),
        ),
        ("k:block=8X8x4", "k", LaunchOverride(block=(8, 8, 4))),
        ("k:shared=49152", "k", LaunchOverride(shared_bytes=49152)),
        (" k : grid = 3 , block = 32 ", "k", LaunchOverride(grid=(3, 1, 1), block=(32, 1, 1))),
        ("ns::k<float, 4>:grid=1", "ns::k<float, 4>", LaunchOverride(grid=(1, 1, 1))),
        ("main.cu:40:grid=7", "main.cu:40", LaunchOverride(grid=(7, 1, 1))),
    ],
)
def test_launch(text, name, launch):
    assert parse_launch(text) == (name, launch)


@pytest.mark.parametrize(
    "text",
    [
        "saxpy",
        "saxpy:",
        ":grid=1",
        "k:gird=3",
        "k:grid=",
        "k:grid=0",
        "k:grid=1x2x3x4",
        "k:grid=-1",
        "k:grid=1,grid=2",
        "k:grid=1,block",
        "k:shared=many",
        "k:grid=1x70000",
        "k:grid=1e6",
    ],
)
def test_malformed_launches_are_refused_with_an_example(text):
    with pytest.raises(UsageError, match="--launch saxpy:grid=1024x2,block=256"):
        parse_launch(text)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("n=4096", "n", 4096),
        ("n=0x10", "n", 16),
        ("n=1e6", "n", 1_000_000),
        ("a=-0.5", "a", -0.5),
        ("p->n = 3", "p->n", 3),
        ("ns::n=2", "ns::n", 2),
        ("dims[1]=9", "dims[1]", 9),
    ],
)
def test_set(text, name, value):
    parsed = parse_set(text)
    assert parsed == (name, value)
    assert type(parsed[1]) is type(value)


@pytest.mark.parametrize("text", ["n", "=3", "n=", "n=x", "n=nan", "n=inf", "3=4"])
def test_malformed_values_are_refused_with_an_example(text):
    with pytest.raises(UsageError, match="--set n=4096"):
        parse_set(text)


def test_kernel_pattern_searches_name_signature_and_function(make_kernel):
    def wanted(pattern):
        options = AnalysisOptions(gpu=load_gpu("a100"), kernel_pattern=pattern)
        return options.wants(make_kernel(function="solve"))

    assert wanted(None)
    assert wanted("^saxpy$")
    assert wanted("const float")
    assert wanted("solve")
    assert not wanted("^axpy")
