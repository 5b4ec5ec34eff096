"""Launches through `std::function`."""

from __future__ import annotations

import pytest

HEAD = """
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <string>
#include <vector>
__global__ void one(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
void plain(float *x, int n) { one<<<n / 64, 64>>>(x, n); }
struct Job { float *x; void operator()(int n) const { one<<<n / 32, 32>>>(x, n); } };
struct Queue {
  std::function<void()> job;
  Queue(std::function<void()> given) : job(std::move(given)) {}
  void run() { if (job) job(); }
};
int each(int n, const std::function<int(int)> &f) { int sum = 0; for (int i = 1; i <= n; i++) sum += f(i); return sum; }
"""


def launches(host, body):
    """(blocks, threads of a block, count) of each entry."""
    text = f"{HEAD}int main() {{ float *x; cudaMalloc(&x, 1 << 20); {body} }}"
    return [(item.grid[0], item.block[0], item.count) for item in host(text).launches]


def test_functions_lambdas_and_objects_are_called(host):
    found = launches(
        host,
        """
        std::function<void(float *, int)> f = plain; f(x, 1024);
        std::function<void(int)> g = [&](int n) { one<<<n / 128, 128>>>(x, n); }; g(2048);
        std::function<void(int)> h; h = Job{x}; h(320);
        """,
    )
    assert found == [(16, 64, 1), (16, 128, 1), (10, 32, 1)]


def test_copies_in_members_and_containers_are_called(host):
    found = launches(
        host,
        """
        Queue queue([=] { one<<<3, 64>>>(x, 100); }); queue.run(); Queue(nullptr).run();
        std::vector<std::function<void()>> jobs;
        for (int i = 0; i < 3; i++) jobs.push_back([=] { one<<<4 << i, 64>>>(x, 100); });
        for (auto &job : jobs) job();
        """,
    )
    assert found == [(3, 64, 1), (4, 64, 1), (8, 64, 1), (16, 64, 1)]


def test_results_come_back(host):
    """1 + 4 + 9 blocks."""
    found = launches(host, "int n = each(3, [](int i) { return i * i; }); one<<<n, 64>>>(x, n);")
    assert found == [(14, 64, 1)]


FORMAT = "struct Format { const char *name; std::function<void(int)> run; };"
TWO = """{{"one", [&](int n) { one<<<n / 128, 128>>>(x, n); }}, {"two", [=](int n) { one<<<n / 64, 64>>>(x, n); }}}"""


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (f"{FORMAT} Format all[] = {TWO};", "each.run"),
        (f"{FORMAT} std::vector<Format> all = {TWO};", "each.run"),
        (
            f"std::vector<std::pair<const char *, std::function<void(int)>>> all = {TWO};",
            "each.second",
        ),
        (f"std::map<std::string, std::function<void(int)>> all = {TWO};", "each.second"),
    ],
)
def test_functions_in_braces_are_called(host, given, called):
    found = launches(host, f"{given} for (auto &each : all) {called}(2048);")
    assert found == [(16, 128, 1), (32, 64, 1)]


def test_objects_in_braces_keep_what_they_hold(host):
    body = "struct Two { std::function<void(int)> run; int n; }; Job job{x}; Two two = {job, 640}; two.run(two.n);"
    assert launches(host, body) == [(20, 32, 1)]
