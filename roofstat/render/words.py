"""How the report's words are said to a reader, the same in every form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from clang_queries.quick_pattern import pattern
from roofstat.hardware import OccupancyLimiter
from roofstat.render.quantities import count, dim3, duration, percent, plural, ratio_to_ridge
from roofstat.report import (
    AnalysisError,
    BoundBy,
    Diagnostic,
    ErrorKind,
    KernelReport,
    Language,
    LaunchSource,
    LoopReport,
    NumberType,
    Report,
    Severity,
    TripCountSource,
    Verdict,
)

__all__ = [
    "ARITHMETIC",
    "BOUND_NAMES",
    "KNOWN_BIASES",
    "LANGUAGE_NAMES",
    "RESOURCE_NAMES",
    "TRIP_SOURCES",
    "TYPE_NAMES",
    "TYPE_UNITS",
    "confidence_text",
    "error_text",
    "grouped_remarks",
    "instance_name",
    "is_uncertain",
    "launch_source_text",
    "launch_text",
    "launches_text",
    "line_of",
    "loop_share",
    "lost_files",
    "no_kernel_text",
    "of_ridge",
    "place_text",
    "readable_signature",
    "time_text",
    "types_in_use",
    "verdict_text",
]

_NUMBER_TYPE = pattern(r"\((?:unsigned |signed )?(?:bool|char|short|int|long long|long)\)(?=-?\w)")
_TRUTH = pattern(r"\(bool\)([01])\b")
_PARAMETER = pattern(r"\bT(\d+)\b")
TYPE_NAMES = {
    NumberType.FP32: "FP32",
    NumberType.FP64: "FP64",
    NumberType.FP16: "FP16",
    NumberType.INT: "INT",
    NumberType.TENSOR: "tensor",
}
TYPE_UNITS = {kind: "op" if kind is NumberType.INT else "FLOP" for kind in NumberType}
RESOURCE_NAMES = {
    OccupancyLimiter.THREADS: "threads",
    OccupancyLimiter.REGISTERS: "registers",
    OccupancyLimiter.SHARED: "shared memory",
    OccupancyLimiter.BLOCKS: "blocks",
}

BOUND_NAMES = {
    BoundBy.DRAM: "DRAM bandwidth",
    BoundBy.L2: "L2 bandwidth",
    BoundBy.SHARED: "L1 and shared memory",
    BoundBy.CONSTANT: "constant cache",
    BoundBy.FP32: "FP32 arithmetic",
    BoundBy.FP64: "FP64 arithmetic",
    BoundBy.FP16: "FP16 arithmetic",
    BoundBy.INT: "integer arithmetic",
    BoundBy.SPECIAL: "special-function unit",
    BoundBy.TENSOR: "tensor cores",
    BoundBy.ISSUE: "instruction issue",
    BoundBy.ATOMICS: "atomics",
    BoundBy.LATENCY: "latency",
    BoundBy.LAUNCH: "launch overhead",
}
KNOWN_BIASES = "in the median over label tables, modelled times are 0.9 of the measured ones (OpenMP: 0.7) and L2 bytes 0.6"
"""What the numbers without a verdict are worth: medians weighted by rows, of 8,583 rows with a time and 8,987 with L2 bytes
(`counts` of docs/results, 0.88 and 0.61; the tables of OpenMP 0.61 to 0.83)."""
ARITHMETIC = (
    BoundBy.FP32,
    BoundBy.FP64,
    BoundBy.FP16,
    BoundBy.INT,
    BoundBy.SPECIAL,
    BoundBy.TENSOR,
)
"""The pipes that compute."""
LANGUAGE_NAMES = {Language.CUDA: "CUDA", Language.OPENMP: "OpenMP", Language.HIP: "HIP"}
TRIP_SOURCES = {
    TripCountSource.CODE: "from the code",
    TripCountSource.HOST_CODE: "from the host code",
    TripCountSource.FLAG: "from a flag",
    TripCountSource.DATA: "from the data",
    TripCountSource.ASSUMED: "assumed",
}
_LAUNCH_SOURCES = {
    LaunchSource.FLAG: "given by a flag",
    LaunchSource.LABEL: "given by the label",
    LaunchSource.HOST_CODE: "from the host code",
    LaunchSource.ASSUMED: "assumed",
}


def is_uncertain(kernel: KernelReport, report: Report) -> bool:
    """Return whether the verdict is less sure than the user wants to see as one."""
    return (
        kernel.verdict is not Verdict.UNKNOWN
        and kernel.confidence is not None
        and kernel.confidence < report.min_confidence
    )


def verdict_text(kernel: KernelReport, report: Report) -> str:
    """Return the verdict in one or two words."""
    if is_uncertain(kernel, report):
        return "uncertain"
    match kernel.verdict:
        case Verdict.BANDWIDTH:
            return "bandwidth-bound"
        case Verdict.COMPUTE:
            return "compute-bound"
        case Verdict.UNKNOWN:
            return "unknown"


def confidence_text(kernel: KernelReport) -> str:
    """Return how sure the verdict is; never rounded up to certainty."""
    if kernel.confidence is None or kernel.verdict is Verdict.UNKNOWN:
        return "-"
    return percent(min(kernel.confidence, 0.99))


def place_text(file: str, line: int | None) -> str:
    """Return `file:line`."""
    return file if line is None else f"{file}:{line}"


def error_text(error: AnalysisError) -> str:
    """Return what kept a file from having a result, with the remedy."""
    return f"{error.message}; {error.remedy}" if error.remedy else error.message


def lost_files(report: Report) -> int:
    """Return how many of the files that were read have no result, or not all of it."""
    return len({error.file for error in report.errors if error.kind is not ErrorKind.READ})


def no_kernel_text(report: Report) -> str:
    """Return what is said of a report without kernels."""
    files, lost = plural(report.files, "file"), lost_files(report)
    if not lost:
        return f"no kernel found in {files}"
    if lost >= report.files:
        return f"nothing is known of {files}"
    return f"no kernel found in {files}, of which {lost} {'has' if lost == 1 else 'have'} no result"


def time_text(kernel: KernelReport) -> str:
    """Return the modelled time of one launch."""
    return duration(kernel.modelled_time_s)


def launch_source_text(kernel: KernelReport) -> str:
    """Return where the launch configuration comes from."""
    if kernel.launch is None:
        return "no launch is known"
    text = _LAUNCH_SOURCES[kernel.launch.source]
    if kernel.launch.file is not None and kernel.launch.source is LaunchSource.HOST_CODE:
        text += f", {place_text(kernel.launch.file, kernel.launch.line)}"
    return text


def launch_text(kernel: KernelReport) -> str:
    """Return grid, block and shared memory."""
    launch = kernel.launch
    if launch is None:
        return "no launch is known"
    text = f"{_blocks(launch.grid)} of {_threads(launch.block)}"
    return f"{text}, {launch.shared_bytes:,} B dynamic shared" if launch.shared_bytes else text


def _blocks(grid: tuple[int, int, int]) -> str:
    """Return the grid with its noun."""
    return f"{dim3(grid)} " + ("block" if grid == (1, 1, 1) else "blocks")


def _threads(block: tuple[int, int, int]) -> str:
    """Return the block with its noun."""
    return f"{dim3(block)} " + ("thread" if block == (1, 1, 1) else "threads")


def launches_text(kernel: KernelReport) -> str:
    """Return how often the configuration is launched."""
    if kernel.launch is None:
        return ""
    number = kernel.launch.count
    if number is None:
        return "an unknown number of launches"
    if number == 0:
        return "never launched by main(), shown as it would be"
    return "1 launch" if number == 1 else f"{count(number)} launches"


def grouped_remarks(remarks: Sequence[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Return each distinct remark of a file once, with how often it occurs; the gravest and most costly first."""
    groups: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for remark in remarks:
        groups.setdefault((remark.file, remark.code, remark.message), []).append(remark)
    order = tuple(reversed(Severity))
    return sorted(
        ((group[0], len(group)) for group in groups.values()),
        key=lambda pair: (order.index(pair[0].severity), -(pair[0].speedup_bound or 0.0)),
    )


def types_in_use(kernel: KernelReport) -> tuple[NumberType, ...]:
    """Return the types with work, or with an unknown amount of it, in the order of the enum."""
    return tuple(
        kind for kind in NumberType if kernel.counts.of(kind) != 0 and kind in kernel.intensity
    )


def of_ridge(kernel: KernelReport, kind: NumberType | None) -> str:
    """Return the intensity of a type over its ridge; a dash where that is unknown."""
    ratio = kernel.over_ridge(kind)
    return "-" if ratio is None else ratio_to_ridge(ratio)


def line_of(line: int, file: str | None) -> str:
    """Return a line for a table, with the file's name where it is not the kernel's own.

    >>> line_of(12, None), line_of(12, "include/tile.cuh")
    ('12', 'tile.cuh:12')
    """
    return str(line) if file is None else f"{PurePath(file).name}:{line}"


def loop_share(loop: LoopReport) -> str:
    """Return which part of the work a loop holds; that of unrolled ones beside other work in their lines is not told apart."""
    return "unrolled" if loop.share is None else percent(loop.share)


def instance_name(kernel: KernelReport) -> str:
    """Return a kernel's name with its template arguments, without scope, parameters and the types of numbers."""
    signature = _plain_numbers(kernel.signature)
    start = signature.find(f"{kernel.name}<", 0, _end_of_name(signature))
    return signature[start : _end_of_name(signature)] if start >= 0 else kernel.name


def readable_signature(kernel: KernelReport) -> str:
    """Return a kernel's signature as its source would write the instance: numbers without types, arguments for parameters of templates."""
    signature = _plain_numbers(kernel.signature)
    end = _end_of_name(signature)
    arguments = _template_arguments(signature[:end])

    def argument(found: re.Match[str]) -> str:
        number = int(found[1])
        return arguments[number - 1] if 0 < number <= len(arguments) else found[0]

    return signature[:end] + _PARAMETER.sub(argument, signature[end:])


def _plain_numbers(signature: str) -> str:
    named = _TRUTH.sub(lambda found: "true" if found[1] == "1" else "false", signature)
    return _NUMBER_TYPE.sub("", named)


def _end_of_name(signature: str) -> int:
    """Where the parameters begin."""
    depth = 0
    for position, character in enumerate(signature):
        if character == "(" and depth == 0:
            return position
        depth += (character == "<") - (character == ">")
    return len(signature)


def _template_arguments(name: str) -> list[str]:
    """The arguments of the template that a name ends with; none of any other name."""
    if not name.endswith(">"):
        return []
    parts, depth = [""], 0
    for character in reversed(name[:-1]):
        depth += (character in ">)") - (character in "<(")
        if depth < 0:
            break
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] = character + parts[-1]
    return [part.strip() for part in reversed(parts)]
