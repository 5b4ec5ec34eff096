"""Translations between the user's options and what the stages take."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from clang_queries.command_line import ParseOptions, parse_command_line
from roofstat.analysis.compile_commands import common_options, options_for
from roofstat.analysis.kernel_names import names_kernel
from roofstat.execution.host.device_model import DeviceModel
from roofstat.execution.host.launches import LaunchOverride as RunOverride
from roofstat.hardware.units import DEFAULT_SHARED_BYTES
from roofstat.instructions.model import CompilerFlags
from roofstat.instructions.tables.costs import Compiler as CostCompiler
from roofstat.report import Compiler, Language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from clang_queries.ir.statements import Function
    from roofstat.analysis.options import AnalysisOptions, LaunchOverride
    from roofstat.hardware import Gpu
    from roofstat.program.openmp import TargetRegion

_CDNA_FOR_CUDA = "sm_80"
"""Architecture whose lowering stands in for targets that are no NVIDIA card."""


def parse_options(options: AnalysisOptions, files: Sequence[Path] = ()) -> ParseOptions:
    """What the front end is told about a file, or about the files of a program together."""
    base = ParseOptions()
    if options.compile_commands:
        found = [options_for(file, options.compile_commands) for file in files]
        only = found[0] if len(found) == 1 else None
        base = only if only is not None else common_options(found)
    chosen, _ = parse_command_line(options.extra_flags, base)
    build = () if options.compile_commands else options.build_defines
    target = options.gpu.target if options.gpu.target.startswith("sm_") else _CDNA_FOR_CUDA
    return replace(
        chosen,
        gpu_architecture=target,
        warp_size=options.gpu.warp_size,
        include_directories=(
            *(str(path) for path in options.include_dirs),
            *chosen.include_directories,
        ),
        # Of two definitions the later one holds.
        defines=(*build, *chosen.defines, *options.defines),
        standard=options.std or chosen.standard,
        system_headers=options.system_headers,
        precompiled_directory=str(options.precompiled_dir or ""),
    )


def compiler_flags(parse: ParseOptions) -> CompilerFlags:
    """Flags that the instruction model honours."""
    level = parse.optimisation
    return CompilerFlags(
        fast_math=parse.fast_math,
        fmad=parse.fuse_multiply_add,
        opt_level=int(level) if level.isdigit() else 2,
        max_registers=parse.max_registers,
        debug=parse.device_debug,
    )


def report_compiler(options: AnalysisOptions, language: Language) -> Compiler:
    """The compiler to assume: the user's choice, else nvcc for CUDA and clang for the rest."""
    if options.compiler is not None:
        return options.compiler
    return Compiler.NVCC if language is Language.CUDA else Compiler.CLANG


def cost_compiler(compiler: Compiler) -> CostCompiler:
    """The same compiler as the cost tables name it."""
    return CostCompiler(compiler.value)


def device_model(gpu: Gpu) -> DeviceModel:
    """What host code is told when it asks for device properties."""
    match = re.fullmatch(r"sm_(\d+)(\d)[af]?", gpu.target)
    major, minor = (int(match.group(1)), int(match.group(2))) if match else (9, 0)
    return DeviceModel(
        name=gpu.name,
        sm_count=gpu.sm_count,
        compute_major=major,
        compute_minor=minor,
        max_threads_per_block=gpu.max_threads_per_block,
        max_threads_per_sm=gpu.max_threads_per_sm,
        max_blocks_per_sm=gpu.max_blocks_per_sm,
        shared_bytes_per_block=min(gpu.shared_bytes_per_block, DEFAULT_SHARED_BYTES),
        shared_bytes_per_sm=gpu.shared_bytes_per_sm,
        registers_per_sm=gpu.registers_per_sm,
        l2_bytes=gpu.l2_bytes,
        memory_bytes=int(gpu.memory_bytes or 16e9),
        clock_hz=gpu.clock_hz,
        memory_bytes_per_s=gpu.dram_bytes_per_s,
        warp_size=gpu.warp_size,
        # Sold by the gigabyte, they are made by the GiB.
        allocatable_bytes=(gpu.memory_bytes or math.inf) / 1e9 * 2**30,
    )


StatedLaunch = tuple[str, RunOverride]
"""A launch configuration with the name under which the user gave it."""


def region_override(
    options: AnalysisOptions, region: TargetRegion, signature: str
) -> StatedLaunch | None:
    """The launch configuration stated for a target region, by function and line of the directive."""
    bare = region.function.rsplit("::", 1)[-1]
    names = (signature, region.function, bare)
    for name in (*(f"{name}:{region.line}" for name in names), *names):
        found = options.launches.get(name)
        if found is not None:
            return name, _run_override(found)
    return None


def launch_override(options: AnalysisOptions, function: Function) -> StatedLaunch | None:
    """The launch configuration that the user (or a label) states for a kernel, by name, signature or symbol."""
    names = (
        function.signature,
        f"void {function.signature}",
        function.symbol,
        function.name,
        function.name.rsplit("::", 1)[-1],
    )
    for name in names:
        found = options.launches.get(name)
        if found is not None:
            return name, _run_override(found)
    for name, found in options.launches.items():
        if names_kernel(
            name, name=function.name, signature=function.signature, symbol=function.symbol
        ):
            return name, _run_override(found)
    return None


def _run_override(found: LaunchOverride) -> RunOverride:
    return RunOverride(
        grid=found.grid,
        block=found.block,
        shared_bytes=found.shared_bytes,
        source=found.source.value,
    )
