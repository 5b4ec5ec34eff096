"""OpenMP programs for tests: run main() and count what its target regions do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clang_queries.command_line import Language, ParseOptions
from clang_queries.unit import lower_unit
from roofstat.analysis.settings import device_model
from roofstat.execution.host.launch_table import HostLaunch
from roofstat.execution.host.run import HostRun
from roofstat.hardware import load_gpu
from roofstat.program.code import AtomicAccess, MemoryAccess, Op, Space
from roofstat.program.link import link

_FLOAT = (Op.ADD, Op.SUB, Op.MUL, Op.DIV)


@dataclass(frozen=True, slots=True)
class Region:
    """A launch of a target region with counts by what stands in the source."""

    launch: HostLaunch

    @property
    def shape(self) -> tuple[int, int]:
        """Teams and threads of each."""
        return self.launch.grid[0], self.launch.block[0]

    def executions(self, *ops: Op) -> float:
        """Thread-level executions of float operations."""
        trace = self.launch.trace
        return sum(
            trace.block_threads.get(block.number, 0.0)
            for block, item in trace.code.instructions()
            if item.op in ops and item.scalar.is_float
        )

    @property
    def flop(self) -> float:
        """Float additions, subtractions, multiplications and divisions."""
        return self.executions(*_FLOAT)

    def accesses(self, op: Op, array: str) -> float:
        """Thread-level accesses through a name."""
        trace = self.launch.trace
        return sum(
            trace.sites[item.site].threads
            for _, item in trace.code.instructions()
            if item.op is op
            and isinstance(item.detail, MemoryAccess | AtomicAccess)
            and item.detail.array == array
            and item.site in trace.sites
        )

    def calls(self, name: str) -> float:
        """Thread-level calls of a function of the run time."""
        trace = self.launch.trace
        return sum(
            trace.block_threads.get(block.number, 0.0)
            for block, item in trace.code.instructions()
            if item.op is Op.LIBRARY and getattr(item.detail, "name", "") == name
        )

    def space(self, array: str) -> Space:
        """Where an array of the region lives."""
        return next(slot.space for slot in self.launch.trace.code.slots if slot.name == array)


def regions(*texts: str, argv: Sequence[str] = (), suffix: str = "cpp") -> list[Region]:
    """Run main() of an OpenMP program; its launches in order."""
    units = [
        lower_unit(f"unit{number}.{suffix}", ParseOptions(language=Language.OPENMP), text)
        for number, text in enumerate(texts)
    ]
    assert [item.text for unit in units for item in unit.diagnostics] == []
    run = HostRun(link(units), device_model(load_gpu("a100")), arguments=argv)
    run.run_main()
    return [Region(launch) for launch in run.launcher.table.entries()]


def elementwise(directive: str, n: int, *, loop: str | None = None, before: str = "") -> Region:
    """One region around ``y[i] = 2 x[i]``, i < n."""
    nest = loop or "for (int i = 0; i < n; i++) y[i] = 2.0f * x[i];"
    text = f"""
    #include <omp.h>
    #include <stdlib.h>
    int main() {{
      int n = {n};
      float *x = (float *)malloc(n * sizeof(float)), *y = (float *)malloc(n * sizeof(float));
      {before}
      {directive}
      {nest}
      return 0;
    }}
    """
    found = regions(text)
    assert len(found) == 1
    return found[0]
