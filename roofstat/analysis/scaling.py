"""How the work of a kernel grows with what the user gives: each number is doubled in turn and the analysis repeated."""

from __future__ import annotations

import dataclasses
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.report import KernelReport

__all__ = ["scaled_kernels"]

_Identity = tuple[str, str, str | None, int]
_NUMBER = re.compile(r"[1-9]\d{0,17}")
_FACTOR = 2
_MOST_PARAMETERS = 4
_NOTICEABLE = 0.02


def scaled_kernels(
    kernels: Sequence[KernelReport],
    options: AnalysisOptions,
    analyze: Callable[[AnalysisOptions], Sequence[KernelReport]],
) -> tuple[KernelReport, ...]:
    """Return the kernels with the exponents by which their quantities grow with each parameter.

    Args:
        kernels: Of the analysis under the options.
        options: Program arguments and stated values in them that are numbers are the parameters.
        analyze: Repeats the analysis under other options.
    """
    scaling: list[dict[str, dict[str, float]]] = [{} for _ in kernels]
    for parameter, changed in _variations(options):
        for powers, kernel, other in zip(
            scaling, kernels, _counterparts(kernels, analyze(changed)), strict=True
        ):
            found = _exponents(kernel, other) if other is not None else {}
            if found:
                powers[parameter] = found
    return tuple(
        dataclasses.replace(kernel, scaling=powers) if powers else kernel
        for kernel, powers in zip(kernels, scaling, strict=True)
    )


def _variations(options: AnalysisOptions) -> Iterator[tuple[str, AnalysisOptions]]:
    """Each parameter with the options in which it alone is doubled."""
    numbers = [
        position for position, text in enumerate(options.program_args) if _NUMBER.fullmatch(text)
    ]
    for position in numbers[:_MOST_PARAMETERS]:
        arguments = list(options.program_args)
        arguments[position] = str(int(arguments[position]) * _FACTOR)
        yield (
            f"argv[{position + 1}]",
            dataclasses.replace(options, program_args=tuple(arguments)),
        )
    for name in sorted(options.values)[: _MOST_PARAMETERS - len(numbers[:_MOST_PARAMETERS])]:
        if options.values[name] > 0:
            values = {**options.values, name: options.values[name] * _FACTOR}
            yield name, dataclasses.replace(options, values=values)


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
