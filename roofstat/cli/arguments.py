"""Options that every analysing command takes, and their translation into the analysis' own record."""

from __future__ import annotations

import argparse
import dataclasses
import math
import operator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roofstat.cli.caching import add_cache_option
from roofstat.cli.config import FromFile, add_config_option
from roofstat.cli.option_values import (
    jobs_of,
    macro_name_of,
    macro_of,
    probability_of,
    program_args_of,
    regular_expression,
    standard_of,
    timeout_s_of,
)
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from roofstat.analysis import AnalysisOptions

__all__ = ["WORKER_MEMORY_BYTES", "add_analysis_options", "analysis_options"]

_Value = TypeVar("_Value")
_DEFAULT_TIMEOUT_S = 60.0
# Far above what an analysis needs, and low enough that one runaway input cannot take the machine down.
WORKER_MEMORY_BYTES = 8 * 1024**3


def add_analysis_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say what to analyse and for which card."""
    card = parser.add_argument_group("card and program")
    card.add_argument(
        "--gpu",
        default="a100",
        metavar="NAME|FILE",
        help="GPU to place kernels on (default a100; see roofstat gpus)",
    )
    card.add_argument(
        "--clock", default="boost", metavar="CLOCK", help="base, boost or MHz (default boost)"
    )
    card.add_argument(
        "--args", default="", metavar="TEXT", help='arguments of main(), such as "1000 10"'
    )
    card.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="integer or number that source alone cannot tell: a variable or parameter, in kernels, launches, num_teams and "
        "loop bounds, or a call such as omp_get_max_threads; repeatable",
    )
    card.add_argument(
        "--launch",
        action="append",
        default=[],
        metavar="KERNEL:grid=..,block=..",
        help="launch configuration of a kernel, such as saxpy:grid=1024x2,block=256,shared=0; repeatable",
    )
    card.add_argument(
        "--kernel", metavar="REGEX", help="only kernels whose name or signature matches"
    )
    card.add_argument(
        "--traffic",
        choices=("steady", "profiled"),
        default="steady",
        help="judge by the DRAM bytes of a running program, or of one isolated launch as a profiler sees it",
    )
    card.add_argument(
        "--compiler",
        choices=("nvcc", "clang"),
        help="whose code generation (default nvcc; clang for OpenMP and HIP)",
    )
    card.add_argument(
        "--min-confidence",
        default="0",
        metavar="P",
        help="show verdicts less sure than this as uncertain (0 to 1)",
    )
    flags = parser.add_argument_group("source")
    flags.add_argument(
        "-I",
        dest="include_dirs",
        action="append",
        default=[],
        metavar="DIR",
        help="include directory",
    )
    flags.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="macro"
    )
    flags.add_argument(
        "-U",
        dest="undefines",
        action="append",
        default=[],
        metavar="NAME",
        help="no such macro, whatever defines it",
    )
    flags.add_argument(
        "-p",
        dest="build_dir",
        metavar="DIR",
        help="build directory with compile_commands.json, whose flags files are read with",
    )
    flags.add_argument("-std", "--std", metavar="STD", help="language standard, such as c++17")
    _add_code_generation(flags)
    flags.add_argument(
        "--system-headers",
        action="store_true",
        help="use the machine's headers instead of the bundled ones",
    )
    work = parser.add_argument_group("work")
    add_config_option(work)
    work.add_argument(
        "-j", "--jobs", type=int, metavar="N", help="worker processes (default: all cores)"
    )
    work.add_argument(
        "--timeout",
        type=float,
        default=_DEFAULT_TIMEOUT_S,
        metavar="S",
        help=f"seconds for each file, 0 for no limit (default {_DEFAULT_TIMEOUT_S:g})",
    )
    add_cache_option(work)


def _add_code_generation(flags: argparse._ArgumentGroup) -> None:
    """Add the flags of nvcc and clang that change what the compiler makes of a kernel."""
    flags.add_argument(
        "-use_fast_math",
        "--use_fast_math",
        "-ffast-math",
        dest="fast_math",
        action="store_true",
        help="approximate division, square root and functions",
    )
    flags.add_argument(
        "-fmad",
        "--fmad",
        choices=("true", "false"),
        help="whether multiplications and additions are fused (default true)",
    )
    flags.add_argument(
        "-O",
        dest="optimisation",
        choices=("0", "1", "2", "3"),
        help="level of optimisation of device code (default 3)",
    )
    flags.add_argument(
        "-maxrregcount",
        "--maxrregcount",
        type=int,
        metavar="N",
        help="most registers of a thread",
    )
    flags.add_argument(
        "-G", dest="device_debug", action="store_true", help="device code for a debugger"
    )


def _compiler_flags(args: argparse.Namespace) -> tuple[str, ...]:
    """The flags as a compiler takes them."""
    if args.maxrregcount is not None and args.maxrregcount < 1:
        raise UsageError(
            f"-maxrregcount {args.maxrregcount}: a thread needs registers",
            remedy="write, for example, -maxrregcount 64",
        )
    return (
        *(("-use_fast_math",) if args.fast_math else ()),
        *((f"--fmad={args.fmad}",) if args.fmad is not None else ()),
        *((f"-O{args.optimisation}",) if args.optimisation is not None else ()),
        *((f"-maxrregcount={args.maxrregcount}",) if args.maxrregcount is not None else ()),
        *(("-G",) if args.device_debug else ()),
        *(f"-U{macro_name_of(text)}" for text in args.undefines),
    )


def analysis_options(args: argparse.Namespace) -> AnalysisOptions:
    """Return the options of an analysis.

    Raises:
        UsageError: An option has a value that makes no sense.
        HardwareError: The GPU or its clock is unknown.
    """
    from roofstat.analysis import AnalysisOptions, parse_launch, parse_set
    from roofstat.analysis.compile_commands import read_compile_commands
    from roofstat.hardware import load_gpu
    from roofstat.hardware.units import MAX_BLOCK
    from roofstat.report import Compiler, TrafficRegime

    gpu = load_gpu(args.gpu).with_clock(args.clock)
    if args.kernel is not None:
        regular_expression("--kernel", args.kernel)
    launches = _merged("--launch", args.launch, parse_launch)
    for name, launch in launches.items():
        if launch.block is not None and math.prod(launch.block) > gpu.max_threads_per_block:
            raise UsageError(
                f"--launch {name}: {math.prod(launch.block):,} threads in a block",
                remedy=f"{gpu.name} takes at most {gpu.max_threads_per_block:,}",
            )
        if launch.block is not None and any(map(operator.gt, launch.block, MAX_BLOCK)):
            raise UsageError(
                f"--launch {name}: a block has at most {'x'.join(map(str, MAX_BLOCK))} threads along its axes",
                remedy="write, for example, block=16x16",
            )
        if (launch.shared_bytes or 0) > gpu.shared_bytes_per_block:
            raise UsageError(
                f"--launch {name}: {launch.shared_bytes:,} bytes of shared memory in a block",
                remedy=f"{gpu.name} has at most {gpu.shared_bytes_per_block:,}",
            )
    return AnalysisOptions(
        gpu=gpu,
        program_args=program_args_of(args.args),
        launches=launches,
        values=_merged("--set", args.set, parse_set),
        kernel_pattern=args.kernel,
        traffic=TrafficRegime(args.traffic),
        compiler=Compiler(args.compiler) if args.compiler else None,
        include_dirs=tuple(Path(directory) for directory in args.include_dirs),
        defines=tuple(macro_of(text) for text in args.defines),
        std=standard_of(args.std),
        extra_flags=_compiler_flags(args),
        compile_commands=read_compile_commands(Path(args.build_dir)) if args.build_dir else {},
        system_headers=args.system_headers,
        jobs=jobs_of(args.jobs),
        timeout_s=timeout_s_of(args.timeout),
        memory_limit_bytes=WORKER_MEMORY_BYTES,
        min_confidence=probability_of(args.min_confidence),
        scaling=True,
    )


def _merged(
    option: str, texts: Sequence[str], parse: Callable[[str], tuple[str, _Value]]
) -> dict[str, _Value]:
    """What an option states by name; the command line goes before a configuration file."""
    found: dict[str, _Value] = {}
    for name, value in (parse(text) for text in texts if not isinstance(text, FromFile)):
        known = found.get(name, value)
        joined = _joined(known, value)
        if joined is None:
            raise UsageError(
                f"{option} {name} is given as {_stated(known)} and as {_stated(value)}",
                remedy="leave one out",
            )
        found[name] = joined
    return dict(parse(text) for text in texts if isinstance(text, FromFile)) | found


def _joined(one: _Value, other: _Value) -> _Value | None:
    """Two statements as one; None where they contradict each other."""
    from roofstat.analysis import LaunchOverride

    if one == other:
        return one
    if not isinstance(one, LaunchOverride):
        return None
    parts: dict[str, Any] = {}
    for name in ("grid", "block", "shared_bytes"):
        given = {getattr(one, name), getattr(other, name)} - {None}
        if len(given) > 1:
            return None
        parts[name] = next(iter(given), None)
    return dataclasses.replace(one, **parts)


def _stated(value: object) -> str:
    """A statement as the command line gives it."""
    from roofstat.analysis import LaunchOverride

    if not isinstance(value, LaunchOverride):
        return str(value)
    parts = [
        f"{name}={'x'.join(map(str, size))}"
        for name, size in (("grid", value.grid), ("block", value.block))
        if size is not None
    ]
    parts += [f"shared={value.shared_bytes}"] if value.shared_bytes is not None else []
    return ",".join(parts)
