"""All launches of a program's kernels: those of main(), those that it may make otherwise, and those that nothing makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.default_runs import default_run, host_reason, position_of, stated_launch
from roofstat.analysis.settings import device_model
from roofstat.execution.host.defects import DEFECTS, defect_of
from roofstat.execution.host.host_threads import ASSUMED_THREADS, HostThreads, note_influence
from roofstat.execution.host.run import HostRun
from roofstat.execution.host.uncalled_launchers import call_launchers
from roofstat.execution.watch import Watch
from roofstat.program.lowering import lower_host_function
from roofstat.program.openmp import region_functions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofstat.analysis.options import AnalysisOptions
    from roofstat.analysis.wanted import Wanted
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.program.link import Program

__all__ = ["LaunchSearch"]

_FURTHER_RUNS = 8
"""Runs of main() that take branches to kernels which no run before has launched."""


class LaunchSearch:
    """Finds the launches; each way to look for them is taken for the kernels that those before have not launched.

    Attributes:
        run: The first run of main(), with the state at its end.
        launches: What runs of the host code launch.
        is_plain: Whether that run has launched all kernels.
        used_launches: Names of the stated launch configurations that a kernel has.
    """

    def __init__(
        self,
        program: Program,
        options: AnalysisOptions,
        wanted: Wanted,
        *,
        keeps_inputs: bool,
        for_launches: bool,
    ) -> None:
        """Search.

        Args:
            program: The linked units.
            options: The card, the program's arguments and the stated launches.
            wanted: Which kernels are asked for.
            keeps_inputs: Whether launches keep what it takes to repeat them.
            for_launches: Whether nothing else is asked for: no remarks on host code behind them.
        """
        self._program = program
        self._options = options
        self._wanted = wanted
        self._keeps_inputs = keeps_inputs
        self.used_launches: set[str] = set()
        threads = HostThreads()
        self.run = self._host_run(threads, for_launches=for_launches)
        self.launches = self.run.launcher.table.entries()
        if threads.asked:
            other = self._host_run(HostThreads(2 * ASSUMED_THREADS), for_launches=True)
            note_influence(self.launches, other.launcher.table.entries(), threads.asked)
        self._find_regions()
        missing = set(self._missing())
        self.is_plain = not missing
        self._take_other_branches(missing)
        self._call_launchers()

    def _host_run(
        self,
        threads: HostThreads,
        sought: frozenset[str] = frozenset(),
        before: HostRun | None = None,
        *,
        for_launches: bool = False,
    ) -> HostRun:
        """Run main(), for some kernels only where they are given."""
        started = HostRun(
            self._program,
            device_model(self._options.gpu),
            arguments=self._options.program_args,
            overrides=lambda key: stated_launch(
                self._options, self._program, key, self.used_launches
            ),
            wanted=lambda key: (not sought or key in sought) and self._wanted(key),
            sought=sought,
            before=before,
            for_launches=for_launches,
            deadline=self._wanted.deadline,
        )
        started.state[HostThreads.__name__] = threads
        started.launcher.keeps_inputs = self._keeps_inputs
        Watch(self._wanted.rest_s).run(started.run_main)
        return started

    def _missing(self) -> list[str]:
        """The kernels and regions that are asked for and have no launch yet."""
        known = {launch.kernel for launch in self.launches}
        known |= {defect.kernel for defect in self.run.defects if defect.kernel is not None}
        return [
            key
            for key in (*self._program.kernels, *self._program.regions)
            if key not in known and self._wanted(key)
        ]

    def _find_regions(self) -> None:
        """Outline the target regions of functions that the run did not reach."""
        found = {region.function_key for region in self._program.regions.values()}
        for function in region_functions(self._program):
            if function.key not in found:
                lower_host_function(self._program, function.key)

    def _take_other_branches(self, missing: set[str]) -> None:
        """Run main() again and take the branches to what it has passed by."""
        sought = self.run.passed_by() & missing
        for _ in range(_FURTHER_RUNS):
            if not sought:
                break
            search = self._host_run(HostThreads(), sought, self.run, for_launches=True)
            self.launches += search.launcher.table.entries()
            self.run.input_files |= search.input_files
            # A run that leaves with what it has found comes by no other arm.
            sought, before = (sought | search.passed_by()) & set(self._missing()), sought
            if sought == before:
                break

    def _call_launchers(self) -> None:
        """Call the functions that launch and that nothing calls."""
        lost = set(self._missing())
        # Without main() and a stated launch, regions get that of the run time and what is stated of its sizes.
        has_launches = bool(self._program.mains or self._options.launches)
        called = lost if has_launches else lost & set(self._program.kernels)
        Watch(self._wanted.rest_s).run(lambda: call_launchers(self.run, called))
        found = self.run.launcher.table.entries()
        self.launches += [entry for entry in found if entry.kernel in lost]

    def default_launches(self) -> Iterator[HostLaunch]:
        """Launch what nothing launches, as the user states or by default, each when it is asked for."""
        for key in self._missing():
            if not self._wanted(key):
                continue  # the time has run out since the kernels were looked up
            override = stated_launch(self._options, self._program, key, self.used_launches)
            if override is None and host_reason(self.run, key):
                continue
            try:
                yield default_run(self.run, key, self._options, override)
            except DEFECTS as error:
                position = position_of(self._program, key)
                self.run.defects.append(defect_of(error, key, self.run.name_of(key), position))
