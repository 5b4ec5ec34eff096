"""What a user can say about an analysis, as one frozen record, and the syntax of it on the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from clang_queries.command_line import ParseOptions
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from roofstat.analysis.kernel_names import finds_kernel
from roofstat.errors import UsageError
from roofstat.hardware import Gpu
from roofstat.hardware.units import MAX_GRID
from roofstat.report import Compiler, KernelReport, LaunchSource, TrafficRegime

__all__ = ["AnalysisOptions", "LaunchOverride", "parse_launch", "parse_set"]

_LAUNCH = pattern(r"(?P<kernel>.+?):\s*(?P<parts>(?:grid|block|shared)\s*=.*)", re.DOTALL)
_NAME = pattern(r"[A-Za-z_][\w:.\->]*(?:\[\d+\])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOverride:
    """A launch configuration that the user states; what is None is inferred.

    Attributes:
        grid: Blocks in x, y and z.
        block: Threads in x, y and z.
        shared_bytes: Dynamic shared memory of a block.
        source: Who states it: the user, or a label table.
    """

    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    shared_bytes: int | None = None
    source: LaunchSource = LaunchSource.FLAG


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisOptions:
    """Everything that an analysis depends on besides the source.

    Attributes:
        gpu: The card, at the clock to use.
        program_args: Arguments of `main` after the program's name.
        launches: Launch configurations by kernel name or signature.
        values: Values of variables, parameters or macros that source alone cannot tell.
        kernel_pattern: Regular expression; only kernels whose name, signature or function it finds are reported.
        traffic: Which DRAM bytes the verdict uses.
        compiler: Whose code generation to assume; None takes nvcc for CUDA and clang for OpenMP and HIP.
        include_dirs: Directories of `-I`, in order.
        defines: Macros of `-D`, as `NAME` or `NAME=VALUE`, in order.
        build_defines: Macros that a makefile defines, for where nothing else does; `makefile` says which one.
        std: Language standard, such as `c++17`; None for the front end's default.
        extra_flags: Further compiler flags that the analysis honours, such as `-use_fast_math`.
        compile_commands: Flags of single files, by real path, before `extra_flags`.
        system_headers: Use the machine's headers instead of the bundled ones.
        jobs: Worker processes.
        timeout_s: Seconds for each file; None for no limit.
        memory_limit_bytes: Data that one worker may allocate; None for no limit.
        min_confidence: Verdicts less sure than this are shown as uncertain.
        patterns: Also look in the code for what the rules need besides counts and traffic.
        scaling: Also find out how the work grows with each program argument and stated value.
        precompiled_dir: Where the front end keeps precompiled forms of its headers; None for nowhere.
        unsaved: Text of files that are not, or not yet, on disk, by path.
    """

    gpu: Gpu
    program_args: tuple[str, ...] = ()
    launches: Mapping[str, LaunchOverride] = field(default_factory=dict)
    values: Mapping[str, int | float] = field(default_factory=dict)
    kernel_pattern: str | None = None
    traffic: TrafficRegime = TrafficRegime.STEADY
    compiler: Compiler | None = None
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()
    build_defines: tuple[str, ...] = ()
    makefile: Path | None = None
    std: str | None = None
    extra_flags: tuple[str, ...] = ()
    compile_commands: Mapping[str, ParseOptions] = field(default_factory=dict)
    system_headers: bool = False
    jobs: int = 1
    timeout_s: float | None = None
    memory_limit_bytes: int | None = None
    min_confidence: float = 0.0
    patterns: bool = True
    scaling: bool = False
    precompiled_dir: Path | None = None
    unsaved: Mapping[str, str] = field(default_factory=dict)

    def wants(self, kernel: KernelReport) -> bool:
        """Return whether the kernel pattern, if any, selects this kernel."""
        if self.kernel_pattern is None:
            return True
        function = kernel.function or kernel.name
        return any(
            finds_kernel(self.kernel_pattern, name=name, signature=kernel.signature)
            for name in (kernel.name, function)
        )


def parse_launch(text: str) -> tuple[str, LaunchOverride]:
    """Read `KERNEL:grid=XxYxZ,block=XxYxZ,shared=BYTES`; at least one part, missing dimensions are 1.

    Raises:
        UsageError: The text has another form or a value that no launch can have.

    >>> name, launch = parse_launch("ns::scale<float, 4>:grid=1024x2,block=256")
    >>> name, launch.grid, launch.block
    ('ns::scale<float, 4>', (1024, 2, 1), (256, 1, 1))
    """
    match = _LAUNCH.fullmatch(text.strip())
    if match is None:
        raise _launch_error(text, "it is not KERNEL:grid=...,block=...")
    parts: dict[str, str] = {}
    for part in match["parts"].split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in {"grid", "block", "shared"}:
            raise _launch_error(text, f"{part.strip()!r} is none of grid=, block=, shared=")
        if key in parts:
            raise _launch_error(text, f"{key} is given twice")
        parts[key] = value
    grid = _dim3(text, "grid", parts["grid"]) if "grid" in parts else None
    block = _dim3(text, "block", parts["block"]) if "block" in parts else None
    if grid and any(size > most for size, most in zip(grid, MAX_GRID, strict=True)):
        raise _launch_error(text, f"a grid has at most {'x'.join(map(str, MAX_GRID))} blocks")
    shared = _shared(text, parts["shared"]) if "shared" in parts else None
    return match["kernel"].strip(), LaunchOverride(grid=grid, block=block, shared_bytes=shared)


def parse_set(text: str) -> tuple[str, int | float]:
    """Read `NAME=NUMBER`; integers may be hexadecimal, and 1e6 is the integer 1000000.

    Raises:
        UsageError: The text has another form.

    >>> parse_set("n=0x1000"), parse_set("alpha=0.5"), parse_set("m=1e6")
    (('n', 4096), ('alpha', 0.5), ('m', 1000000))
    """
    name, equals, value = (piece.strip() for piece in text.partition("="))
    if not equals or not _NAME.fullmatch(name):
        raise UsageError(
            f"--set {text!r} is not NAME=NUMBER", remedy="write, for example, --set n=4096"
        )
    number = _number(value)
    if number is None:
        raise UsageError(
            f"--set {name}: {value!r} is not a number", remedy="write, for example, --set n=4096"
        )
    return name, number


def _number(text: str) -> int | float | None:
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return None
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return int(value) if value == int(value) and "e" in text.lower() else value


def _dim3(text: str, key: str, value: str) -> tuple[int, int, int]:
    sizes = re.split(r"\s*[xX*]\s*", value.strip())
    if not 1 <= len(sizes) <= 3 or not all(re.fullmatch(r"[0-9]+", size) for size in sizes):
        raise _launch_error(text, f"{key}={value!r} is not one to three numbers with x between")
    numbers = [int(size) for size in sizes] + [1, 1]
    if min(numbers) < 1:
        raise _launch_error(text, f"{key} has a size of 0")
    return (numbers[0], numbers[1], numbers[2])


def _shared(text: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]+", value):
        raise _launch_error(text, f"shared={value!r} is not a number of bytes")
    return int(value)


def _launch_error(text: str, problem: str) -> UsageError:
    return UsageError(
        f"--launch {text!r}: {problem}",
        remedy="write, for example, --launch saxpy:grid=1024x2,block=256",
    )
