"""Graphs of launches: what is captured or added as nodes takes place whenever the graph is launched."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.launch_calls import launch_node
from roofstat.execution.host.registry import HostCall, models
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.host.launches import CountedLaunch
    from roofstat.execution.numbers.values import Value


@dataclass(slots=True, eq=False)
class Graph:
    """Launches of a graph; those of kernel nodes by the handle of the node."""

    captured: list[CountedLaunch] = field(default_factory=list)
    nodes: dict[int, list[CountedLaunch]] = field(default_factory=dict)
    children: list[Graph] = field(default_factory=list)

    def launches(self) -> list[CountedLaunch]:
        """All of them, those of graphs inside included."""
        found = [*self.captured, *(one for node in self.nodes.values() for one in node)]
        for child in self.children:
            found += child.launches()
        return found


@dataclass(slots=True, eq=False)
class Graphs:
    """Graphs of a program, by the handles of the graphs and of what is instantiated from them."""

    by_handle: dict[int, Graph] = field(default_factory=dict)


def _new_handle(call: HostCall, index: int) -> int:
    handle = call.machine.memory.allocate(8, Space.HOST, "handle").base
    call.store(index, Scalar.U64, handle)
    return handle


def _graph(call: HostCall, index: int) -> Graph:
    """The graph that an argument is a handle of."""
    handle = call.integer(index)
    graphs = call.state(Graphs).by_handle
    return Graph() if handle is None else graphs.setdefault(handle, Graph())


@models(
    "cudaGraphCreate", "cudaGraphInstantiate", "cudaGraphInstantiateWithFlags", "cudaGraphClone"
)
def _make(call: HostCall) -> Value:
    graph = Graph() if call.name == "cudaGraphCreate" else _graph(call, 1)
    call.state(Graphs).by_handle[_new_handle(call, 0)] = graph
    return 0


@models("cudaStreamBeginCapture")
def _begin(call: HostCall) -> Value:
    call.run.launcher.captured = []
    return 0


@models("cudaStreamEndCapture")
def _end(call: HostCall) -> Value:
    launcher = call.run.launcher
    graph = Graph(captured=launcher.captured or [])
    launcher.captured = None
    call.state(Graphs).by_handle[_new_handle(call, 1)] = graph
    return 0


@models("cudaGraphAddKernelNode")
def _add_node(call: HostCall) -> Value:
    _set_node(call, _graph(call, 1), _new_handle(call, 0))
    return 0


@models("cudaGraphAddChildGraphNode")
def _add_child(call: HostCall) -> Value:
    _new_handle(call, 0)
    _graph(call, 1).children.append(_graph(call, 4))
    return 0


@models("cudaGraphExecKernelNodeSetParams", "cudaGraphKernelNodeSetParams")
def _change_node(call: HostCall) -> Value:
    node = call.integer(1 if "Exec" in call.name else 0)
    graphs = call.state(Graphs).by_handle.values()
    graph = next((graph for graph in graphs if node in graph.nodes), Graph())
    _set_node(call, graph, node or 0)
    return 0


def _set_node(call: HostCall, graph: Graph, node: int) -> None:
    launcher = call.run.launcher
    outer, launcher.captured = launcher.captured, []
    launch_node(call)
    graph.nodes[node] = launcher.captured
    launcher.captured = outer


@models("cudaGraphLaunch")
def _launch(call: HostCall) -> Value:
    for launch in _graph(call, 0).launches():
        call.run.launcher.replay(launch)
    return 0
