"""Objects that host code makes where libclang shows no call: elements of containers, lists within lists, work of threads."""

from __future__ import annotations

import pytest

_HEAD = """
#include <array>
#include <future>
#include <map>
#include <thread>
#include <tuple>
#include <vector>
__global__ void scale(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] *= 2.0f; }
struct Config { int total, block; Config(int n, int b = 32) : total(n * b), block(b) {} };
struct Buffer {
  float *p = nullptr; int n;
  explicit Buffer(int m, int part = 1) : n(m / part) { cudaMalloc(&p, n * sizeof(float)); }
  ~Buffer() { cudaFree(p); }
  Buffer(Buffer &&other) noexcept : p(other.p), n(other.n) { other.p = nullptr; }
};
void work(float *v, int part, int n) { scale<<<n / 64, 64>>>(v + part * n, n); }
"""


def _launches(host, text, more=""):
    run = host(
        f"{_HEAD}{more} int main() {{ int n = 1 << 20; float *v; cudaMalloc(&v, n * 4L); {text} }}"
    )
    return sorted((launch.grid[0], launch.block[0], launch.count) for launch in run.launches)


@pytest.mark.parametrize(
    "text",
    [
        "std::vector<std::thread> ts; for (int t = 0; t < 4; t++) ts.emplace_back([=] { work(v, t, n / 4); });",
        "std::vector<std::thread> ts; for (int t = 0; t < 4; t++) ts.emplace_back(work, v, t, n / 4);",
        "std::vector<std::future<void>> fs; for (int t = 0; t < 4; t++) fs.push_back(std::async([=] { work(v, t, n / 4); }));",
        "for (int t = 0; t < 4; t++) { auto f = std::async(std::launch::async, work, v, t, n / 4); f.get(); }",
    ],
)
def test_work_of_threads_and_of_asynchronous_calls_is_done(host, text):
    """A quarter of the elements each, by blocks of 64."""
    assert _launches(host, text) == [((1 << 20) // 4 // 64, 64, 4)]


def test_elements_are_made_by_their_constructors(host):
    text = (
        "std::vector<Buffer> levels; for (int l = 0; l < 3; l++) levels.emplace_back(n >> l, 4);"
        " for (auto &l : levels) scale<<<(l.n + 127) / 128, 128>>>(l.p, l.n);"
    )
    sizes = [((1 << 20) >> level) // 4 for level in range(3)]
    assert _launches(host, text) == sorted((size // 128, 128, 1) for size in sizes)


_SHAPES = ((1024, 32), (2048, 64), (4096, 128))
_LIST = ", ".join(f"{{{n}, {b}}}" for n, b in _SHAPES)


@pytest.mark.parametrize(
    "text",
    [
        f"std::array<std::tuple<int, int>, 3> s{{{{{_LIST}}}}}; for (auto [a, b] : s) scale<<<a, b>>>(v, a * b);",
        f"std::vector<std::tuple<int, int>> s{{{_LIST}}}; for (const auto &[a, b] : s) scale<<<a, b>>>(v, a * b);",
        f"std::tuple<int, int> s[] = {{{_LIST}}}; for (auto &[a, b] : s) scale<<<a, b>>>(v, a * b);",
        f"std::vector<Config> s{{{_LIST}}}; for (auto &c : s) scale<<<c.total / c.block, c.block>>>(v, c.total);",
        "for (auto [a, b] : {std::tuple{1024, 32}, std::tuple(2048, 64), std::make_tuple(4096, 128)}) scale<<<a, b>>>(v, a * b);",
    ],
)
def test_lists_within_lists_are_what_their_types_make_of_them(host, text):
    assert _launches(host, text) == [(n, block, 1) for n, block in _SHAPES]


def test_constructors_of_lists_within_lists_take_their_defaults(host):
    text = "Config s[] = {{512}, {256, 64}}; for (auto &c : s) scale<<<c.total / c.block, c.block>>>(v, c.total);"
    assert _launches(host, text) == [(256, 64, 1), (512, 32, 1)]


def test_members_of_a_tuple_lie_where_its_layout_has_them(host):
    text = (
        "std::vector<std::tuple<char, double, int, short, long>> s{{'a', 1.5, 64, 7, 4096L}, {'b', 2.0, 128, 9, 8192L}};"
        " for (auto &[c, d, b, k, m] : s) scale<<<m / k, b>>>(v, (int)(2 * d) + c);"
    )
    assert _launches(host, text) == [(4096 // 7, 64, 1), (8192 // 9, 128, 1)]


def test_appended_pairs_vectors_and_strings_are_as_before(host):
    text = (
        "std::vector<std::pair<int, int>> p; for (int i = 0; i < 1000; i++) p.emplace_back(i, i);"
        " std::vector<std::vector<int>> w; for (int i = 0; i < 10; i++) w.emplace_back(500);"
        " scale<<<p.size(), 32>>>(v, w[3].size()); scale<<<w[5].size(), 64>>>(v, n);"
    )
    assert _launches(host, text) == [(500, 64, 1), (1000, 32, 1)]
