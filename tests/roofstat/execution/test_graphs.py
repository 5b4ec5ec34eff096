"""Graphs of launches: captured ones, nodes, graphs inside of graphs, and how often they are launched."""

from __future__ import annotations

HEAD = """
#include <cuda_runtime.h>
__global__ void one(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
"""
START = """
cudaStream_t s; cudaStreamCreate(&s);
cudaGraph_t g; cudaGraphExec_t e;
"""
CAPTURE = """
cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
for (int k = 0; k < 10; k++) one<<<8, 64, 0, s>>>(x, 512);
cudaStreamEndCapture(s, &g);
cudaGraphInstantiate(&e, g, 0);
"""
NODE = """
void *arguments[] = {&x, &n};
cudaGraphNode_t node; cudaKernelNodeParams p = {};
p.func = (void *)one; p.gridDim = dim3(4); p.blockDim = dim3(64); p.kernelParams = arguments;
cudaGraphAddKernelNode(&node, g, 0, 0, &p);
"""


def launches(host, body):
    """(blocks, count) of each entry."""
    text = f"{HEAD}int main() {{ float *x; int n = 256; cudaMalloc(&x, 1 << 20); {START}{body} }}"
    return [(item.grid[0], item.count) for item in host(text).launches]


def test_a_captured_launch_counts_whenever_the_graph_is_launched(host):
    body = CAPTURE + "for (int r = 0; r < 100; r++) cudaGraphLaunch(e, s); one<<<8, 64>>>(x, 512);"
    assert launches(host, body) == [(8, 1001)]


def test_a_graph_that_is_not_launched_keeps_its_launches(host):
    assert launches(host, CAPTURE) == [(8, 10)]


def test_a_graph_of_one_launch_each(host):
    assert launches(host, CAPTURE + "cudaGraphLaunch(e, s);") == [(8, 10)]


def test_nodes_count_with_the_parameters_that_they_have_then(host):
    body = f"""cudaGraphCreate(&g, 0); {NODE} cudaGraphInstantiate(&e, g, 0);
    for (int r = 0; r < 7; r++) cudaGraphLaunch(e, s);
    p.gridDim = dim3(2); cudaGraphExecKernelNodeSetParams(e, node, &p);
    for (int r = 0; r < 5; r++) cudaGraphLaunch(e, s);"""
    assert launches(host, body) == [(4, 7), (2, 5)]


def test_graphs_inside_of_graphs(host):
    body = f"""{CAPTURE}
    cudaGraph_t outer; cudaGraphExec_t all; cudaGraphNode_t inner;
    cudaGraphCreate(&outer, 0); cudaGraphAddChildGraphNode(&inner, outer, 0, 0, g);
    cudaGraphInstantiate(&all, outer, 0);
    cudaGraphLaunch(all, s); cudaGraphLaunch(all, s); cudaGraphLaunch(e, s);"""
    assert launches(host, body) == [(8, 30)]


def test_launches_of_a_graph_are_the_same_launch_beside_others_of_its_kernel(host):
    body = f"""one<<<4, 64>>>(x, 256); {CAPTURE.replace("k < 10", "k < 1")}
    for (int r = 0; r < 5; r++) cudaGraphLaunch(e, s);"""
    text = f"{HEAD}int main() {{ float *x; int n = 256; cudaMalloc(&x, 1 << 20); {START}{body} }}"
    found = [(item.grid[0], item.count, item.folded) for item in host(text).launches]
    assert found == [(4, 1, 0), (8, 5, 0)]
