"""Kernels that the program does not launch: under the launch that the user states, or a stated default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.assemble import enclosing_signature
from roofstat.analysis.settings import launch_override, region_override
from roofstat.execution.host.launch_table import HostLaunch
from roofstat.execution.host.openmp_runtime import default_region_launch
from roofstat.execution.kernel_run import run_kernel
from roofstat.execution.unstated.default_launch import default_arguments, default_launch
from roofstat.program.place_names import mixed, text_name

if TYPE_CHECKING:
    from clang_queries.ir.expressions import Position
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.execution.host.launch_table import Dim3
    from roofstat.execution.host.launches import LaunchOverride as RunOverride
    from roofstat.execution.host.run import HostRun
    from roofstat.program.code import Code
    from roofstat.program.link import Program
    from roofstat.program.openmp.region import TargetRegion


def stated_launch(
    options: AnalysisOptions, program: Program, key: str, used: set[str]
) -> RunOverride | None:
    """The launch configuration stated for a kernel; its name is noted as used."""
    region = program.regions.get(key)
    found = (
        region_override(options, region, enclosing_signature(program, region))
        if region is not None
        else launch_override(options, program.functions[key])
    )
    if found is None:
        return None
    used.add(found[0])
    return found[1]


def default_run(
    run: HostRun,
    key: str,
    options: AnalysisOptions,
    override: RunOverride | None,
    code: Code | None = None,
) -> HostLaunch:
    """A kernel that the program does not launch, under the user's launch or a stated default."""
    program = run.program
    region = program.regions.get(key)
    code = code or run.kernel_code(key)
    grid, block, source, notes = _configuration(run, code, region, override)
    known = region.sizes.arguments if region is not None else {}
    taken: set[str] = set()
    values, invented = default_arguments(
        program,
        code,
        grid,
        block,
        run.memory,
        {**options.values, **known},
        taken,
    )
    program.used_values.update(taken & options.values.keys())
    notes.extend(invented)
    function = program.functions[key if region is None else region.function_key]
    instance = program.likely.get(function.name)
    if instance is not None:
        notes.append(
            ("likely-instance", f"nothing instantiates this template: {instance} is assumed")
        )
    shared = (
        override.shared_bytes if override is not None and override.shared_bytes is not None else 0
    )
    trace = run_kernel(
        program,
        code,
        grid=grid,
        block=block,
        arguments=values,
        memory=run.memory,
        globals_=run.machine.globals,
        dynamic_shared_bytes=shared,
        number=_number(program, code, region),
        deadline=run.deadline,
    )
    return HostLaunch(
        kernel=key,
        grid=grid,
        block=block,
        shared_bytes=shared,
        position=position_of(program, key),
        index=0,
        count=1.0,
        source=source,
        trace=trace,
        notes=notes,
    )


def _number(program: Program, code: Code, region: TargetRegion | None) -> int:
    """What the run is told from others by: repeated after an edit it is the same."""
    if region is None:
        return text_name(code.name)
    first = program.functions[region.function_key].position.line
    return mixed(text_name(code.name), region.position.line - first)


def _configuration(
    run: HostRun, code: Code, region: TargetRegion | None, override: RunOverride | None
) -> tuple[Dim3, Dim3, str, list[tuple[str, str]]]:
    """Grid and block, where they come from, and what is to be said of them."""
    if region is None:
        grid, block = default_launch(code)
    else:
        teams, threads = default_region_launch(region)
        grid, block = (teams, 1, 1), (threads, 1, 1)
        run.program.used_values.update(region.sizes.stated)
    is_stated = region is not None and region.sizes.is_stated
    source = "flag" if is_stated else "assumed"
    if override is not None:
        grid, block = override.grid or grid, override.block or block
        source = override.source
    if is_stated or (override is not None and override.grid is not None):
        return grid, block, source, []
    unknown = region.sizes.unknown if region is not None else ()
    state = f"; {' and '.join(unknown)}: state positive numbers with --set" if unknown else ""
    text = f"{run.why_missing()}: a grid of {grid} blocks of {block} threads is assumed{state}"
    return grid, block, source, [("launch", text)]


def host_reason(run: HostRun, key: str) -> str:
    """Why a target region runs on the host instead of being launched; empty for others."""
    region = run.program.regions.get(key)
    known = run.launcher.kept_on_host.get(key, "")
    return known or (region.host_reason if region is not None else "")


def position_of(program: Program, key: str) -> Position:
    """Where a kernel or target region begins."""
    region = program.regions.get(key)
    return program.functions[key].position if region is None else region.position
