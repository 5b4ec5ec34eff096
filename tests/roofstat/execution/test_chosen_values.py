"""Sizes that host code chooses: switches with initial statements, optional values, alternatives, texts read as numbers."""

from __future__ import annotations

import pytest

_HEAD = """
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
__global__ void scale(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] *= 2.0f; }
struct Pair { int a, b; Pair(int x, int y) : a(x), b(y) {} };
struct Setup { int block = 64; std::optional<int> n; int size() const { return n.value_or(64 * 7); } };
enum Mode { FAST = 1, SLOW = 2 };
"""


def _sizes(host, text, argv=(), more=""):
    """Blocks of 64 threads of each launch, in order."""
    body = f"{more} int main(int argc, char **argv) {{ float *v; cudaMalloc(&v, 1 << 24); {text} }}"
    run = host(
        f"{_HEAD}\n#define LAUNCH(n) scale<<<((n) + 63) / 64, 64>>>(v, n)\n{body}", argv=argv
    )
    assert all(launch.source == "host-code" for launch in run.launches)
    return [launch.grid[0] for launch in run.launches]


@pytest.mark.parametrize(
    "text",
    [
        "switch (Mode m = argc > 5 ? FAST : SLOW; m) { case FAST: LAUNCH(64); break; case SLOW: LAUNCH(192); break; }",
        "switch (int m = argc + 1; m) { case 1: LAUNCH(64); break; case 2: LAUNCH(192); break; default: LAUNCH(320); }",
        "switch (int m = argc; int k = m + 1) { case 1: LAUNCH(64); break; case 2: LAUNCH(192); }",
        "switch (int a = 2, b = a * argc; b) { case 1: LAUNCH(64); [[fallthrough]]; case 2: LAUNCH(192); }",
    ],
)
def test_switches_choose_by_what_their_initial_statement_declares(host, text):
    assert _sizes(host, text) == [3]


@pytest.mark.parametrize(
    "text",
    [
        "std::optional<int> o; o = 192; LAUNCH(*o);",
        "std::optional<int> o; o.emplace(192); LAUNCH(o ? *o : 64);",
        "std::optional<int> o; if (argc == 1) o = 192; LAUNCH(o.has_value() ? o.value() : 64);",
        "std::optional<int> o(64), p; p = 192; o = p; LAUNCH(o.value_or(5));",
        "std::optional<int> o(64), p(192); o.swap(p); LAUNCH(o.value_or(5));",
        "std::optional<int> o(64); o.reset(); LAUNCH(o.value_or(192));",
        "std::optional<short> o; o = 192; std::optional<int> p(o); LAUNCH(p.value_or(64));",
        "Setup s; s.n = 192; LAUNCH(s.size());",
        "std::optional<Pair> o; o.emplace(5, 192); LAUNCH(o->b);",
        "std::optional<std::vector<int>> o; o = std::vector<int>(192); LAUNCH((int)o->size());",
        "std::optional<std::unique_ptr<int>> o; o = std::make_unique<int>(192); auto p = std::move(o); LAUNCH(**p);",
    ],
)
def test_optional_values_are_filled_after_their_declaration(host, text):
    assert _sizes(host, text) == [3]


def test_an_optional_member_that_nothing_fills_is_empty(host):
    assert _sizes(host, "Setup s; LAUNCH(s.size());") == [7]


_ODD = "[](int t) { return t % 2; }"
_FILLED = "std::vector<int> a(100); std::iota(a.begin(), a.end(), 1);"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        (
            "std::vector<int> a{1, 1, 2, 2, 3}; a.erase(std::unique(a.begin(), a.end()), a.end());",
            3,
        ),
        (
            "std::vector<int> a{1, 7, 2, 7, 3}; a.erase(std::remove(a.begin(), a.end(), 7), a.end());",
            3,
        ),
        (f"{_FILLED} a.erase(std::remove_if(a.begin(), a.end(), {_ODD}), a.end());", 50),
        (f"{_FILLED} a.resize(std::remove_if(a.begin(), a.end(), {_ODD}) - a.begin());", 50),
        # Of many draws from few values each is there.
        (
            "std::vector<int> a(100000); for (auto &t : a) t = rand() % 300; std::sort(a.begin(), a.end()); a.erase(std::unique(a.begin(), a.end()), a.end());",
            300,
        ),
    ],
)
def test_erased_elements_are_gone(host, text, blocks):
    assert _sizes(host, f"{text} LAUNCH((int)a.size() * 64);") == [blocks]


def test_long_ranges_are_counted(host):
    """Of 64,000 consecutive numbers every second is even, which a sample tells."""
    text = f"std::vector<int> a(64000); std::iota(a.begin(), a.end(), 1); a.erase(std::remove_if(a.begin(), a.end(), {_ODD}), a.end());"
    assert _sizes(host, f"{text} LAUNCH((int)a.size());") == [pytest.approx(500, rel=0.1)]


_VIEW = "std::string_view s(argv[1]);"


@pytest.mark.parametrize(
    ("text", "word", "blocks"),
    [
        (
            "int n = 64; std::from_chars(argv[1], argv[1] + strlen(argv[1]), n); LAUNCH(n);",
            "192",
            3,
        ),
        ("int n = 64; std::from_chars(argv[1], argv[1] + 3, n); LAUNCH(n);", "192000", 3),
        ("int n = 64; std::from_chars(argv[1], argv[1] + 4, n); LAUNCH(n);", "many", 1),
        ("int n = 64; std::from_chars(argv[1], argv[1] + 4, n); LAUNCH(n);", "+192", 1),
        ("int n = 64; std::from_chars(argv[1], argv[1] + 2, n, 16); LAUNCH(n);", "c0", 3),
        ("double n = 64; std::from_chars(argv[1], argv[1] + 6, n); LAUNCH((int)n);", "1.92e2", 3),
        (
            "unsigned long n = 64; std::from_chars(argv[1], argv[1] + 3, n); LAUNCH((int)n);",
            "192",
            3,
        ),
        (
            f"{_VIEW} int n = 64; auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n); LAUNCH(error == std::errc() && *end == 0 ? n : 320);",
            "192",
            3,
        ),
        (
            f"{_VIEW} int n; auto r = std::from_chars(s.data(), s.data() + s.size(), n); LAUNCH(r.ec == std::errc() ? n : 320);",
            "x192",
            5,
        ),
        (f"{_VIEW} LAUNCH(std::stoi(std::string(s.substr(4))));", "--n=192", 3),
        (f"{_VIEW} std::string t(s); LAUNCH(atoi(t.c_str() + 4));", "--n=192", 3),
    ],
)
def test_numbers_are_read_from_characters_and_views(host, text, word, blocks):
    assert _sizes(host, text, [word]) == [blocks]


def test_a_number_in_an_argument_that_is_not_given_is_unknown(host):
    """The value that the variable had before is none that the program runs with."""
    text = "int n = 64; std::from_chars(argv[1], argv[1] + strlen(argv[1]), n); LAUNCH(n);"
    body = f"int main(int argc, char **argv) {{ float *v; cudaMalloc(&v, 1 << 24); {text} }}"
    run = host(f"{_HEAD}\n#define LAUNCH(n) scale<<<((n) + 63) / 64, 64>>>(v, n)\n{body}")
    assert any("argv[1] is not given: use --args" in note for _, note in run.only().notes)
