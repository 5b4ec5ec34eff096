"""How the work of a kernel grows with what the user gives: each number is doubled in turn and the analysis repeated."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern
from roofstat.analysis.assumptions import refused_sizes
from roofstat.report import AssumptionKind, LaunchSource

if TYPE_CHECKING:
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.report import KernelReport

__all__ = ["scaled_kernels"]

_Identity = tuple[str, str, str | None, int]
_NUMBER = pattern(r"[1-9]\d{0,17}")
_FACTOR = 2
_MOST_PARAMETERS = 4
_NOTICEABLE = 0.02


def scaled_kernels(
    kernels: Sequence[KernelReport],
    options: AnalysisOptions,
    analyze: Callable[[AnalysisOptions], Sequence[KernelReport] | None],
) -> tuple[KernelReport, ...]:
    """Return the kernels with the exponents by which their quantities grow with each parameter.

    Args:
        kernels: Of the analysis under the options.
        options: Program arguments and stated values in them that are numbers are the parameters.
        analyze: Repeats the analysis under other options; None where there is no time for that, which ends the search.
    """
    scaled = list(kernels)
    for parameter, value, changed in _variations(options):
        others = analyze(changed)
        if others is None:
            break
        for position, other in enumerate(_counterparts(kernels, others)):
            if other is not None and not refused_sizes(kernels[position]):
                scaled[position] = _with_growth(scaled[position], other, parameter, value)
    return tuple(scaled)


def _with_growth(
    kernel: KernelReport, other: KernelReport, parameter: str, value: float
) -> KernelReport:
    """The kernel with its growth up to the other one, where the parameter is doubled; what is no law of growth is unknown."""
    place, doubled = f"scaling.{parameter}", value * _FACTOR
    found: dict[str, float] = {}
    reasons: dict[str, str] = {}
    refused = refused_sizes(other)
    if refused:
        reasons[place] = f"at {doubled:,} the launch fails: {refused[0]}"
    elif _assumed(kernel) != _assumed(other):
        reasons[place] = f"what is launched at {value:,} and at {doubled:,} is not assumed alike"
    else:
        found = _exponents(kernel, other)
        if "dram" in found and _repeats(kernel) != _repeats(other):
            del found["dram"]
            reasons[f"{place}.dram"] = f"from {value:,} to {doubled:,} the data outgrow the L2"
    return dataclasses.replace(
        kernel,
        scaling={**kernel.scaling, parameter: found} if found else kernel.scaling,
        unknown={**kernel.unknown, **reasons},
    )


def _assumed(kernel: KernelReport) -> tuple[bool, int]:
    """Whether the configuration is assumed, and how many values are where the kernel is launched."""
    launch = kernel.launch
    if launch is None:
        return False, 0
    values = sum(
        item.kind is AssumptionKind.VALUE and (item.file, item.line) == (launch.file, launch.line)
        for item in kernel.assumptions
    )
    return launch.source is LaunchSource.ASSUMED, values


def _repeats(kernel: KernelReport) -> bool:
    """Whether most DRAM traffic is data that the L2 did not keep until they were needed again."""
    terms = kernel.traffic.dram_terms
    if terms is None:
        return False
    repeated = terms.repeated_read_bytes + terms.repeated_write_bytes
    return repeated > terms.distinct_read_bytes + terms.distinct_write_bytes


def _variations(options: AnalysisOptions) -> Iterator[tuple[str, float, AnalysisOptions]]:
    """Each parameter with its value and the options in which it alone is doubled."""
    numbers = [
        position for position, text in enumerate(options.program_args) if _NUMBER.fullmatch(text)
    ]
    for position in numbers[:_MOST_PARAMETERS]:
        arguments = list(options.program_args)
        value = int(arguments[position])
        arguments[position] = str(value * _FACTOR)
        yield (
            f"argv[{position + 1}]",
            value,
            dataclasses.replace(options, program_args=tuple(arguments)),
        )
    for name in sorted(options.values)[: _MOST_PARAMETERS - len(numbers[:_MOST_PARAMETERS])]:
        if options.values[name] > 0:
            values = {**options.values, name: options.values[name] * _FACTOR}
            yield name, options.values[name], dataclasses.replace(options, values=values)


def _counterparts(
    kernels: Sequence[KernelReport], others: Sequence[KernelReport]
) -> list[KernelReport | None]:
    """The same launches in the other analysis, by their order; None where a kernel is launched in other ways there."""
    groups: dict[_Identity, list[KernelReport]] = {}
    for other in others:
        groups.setdefault(_identity(other), []).append(other)
    total = Counter(map(_identity, kernels))
    seen: Counter[_Identity] = Counter()
    found: list[KernelReport | None] = []
    for kernel in kernels:
        key = _identity(kernel)
        group = groups.get(key, [])
        found.append(group[seen[key]] if len(group) == total[key] else None)
        seen[key] += 1
    return found


def _identity(kernel: KernelReport) -> _Identity:
    return kernel.file, kernel.signature, kernel.function, kernel.line


def _exponents(kernel: KernelReport, other: KernelReport) -> dict[str, float]:
    found = {}
    for name, amount in _quantities(kernel).items():
        doubled = _quantities(other)[name]
        if not amount or not doubled:
            continue
        exponent = round(math.log(doubled / amount, _FACTOR), 2)
        if abs(exponent) >= _NOTICEABLE:
            found[name] = exponent
    return found


def _quantities(kernel: KernelReport) -> dict[str, float | None]:
    counts = kernel.counts
    return {
        "threads": float(kernel.launch.threads) if kernel.launch is not None else None,
        "launches": kernel.launch.count if kernel.launch is not None else None,
        "sp_flop": counts.sp_flop,
        "dp_flop": counts.dp_flop,
        "hp_flop": counts.hp_flop,
        "tensor_flop": counts.tensor_flop,
        "int_op": counts.int_op,
        "dram": kernel.traffic.dram(kernel.regime).total_bytes,
        "modelled_time": kernel.modelled_time_s,
    }
