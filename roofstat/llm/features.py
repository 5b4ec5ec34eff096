"""The static features of a kernel as a model reads them: few characters, units in the names, unknowns left out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from roofstat.report import AccessReport, DramBytes, KernelReport, LoopReport

__all__ = ["feature_table", "features_text"]

_MAX_LOOPS: Final = 24
_MAX_ACCESSES: Final = 32
_MAX_ASSUMPTIONS: Final = 12


def feature_table(kernel: KernelReport) -> dict[str, Any]:
    """Return what the analysis knows of a kernel; absent values are unknown."""
    traffic = kernel.traffic
    limit = sorted(kernel.accesses, key=lambda access: -(access.share or 0))[:_MAX_ACCESSES]
    return _known(
        {
            "counts": _known(
                {
                    name: getattr(kernel.counts, name)
                    for name in (
                        "sp_flop",
                        "dp_flop",
                        "hp_flop",
                        "tensor_flop",
                        "int_op",
                        "special_op",
                    )
                }
            ),
            "dram_bytes_one_isolated_launch": _dram(traffic.profiled),
            "dram_bytes_in_a_running_program": _dram(traffic.steady),
            "l2_bytes": traffic.l2_bytes,
            "local_memory_bytes": traffic.local_bytes or None,
            "intensity_op_per_dram_byte": _known(
                {kind.value: value for kind, value in kernel.intensity.items() if value}
            ),
            "static_verdict": kernel.verdict.value,
            "static_confidence": kernel.confidence,
            "loops": [_loop(loop) for loop in kernel.loops[:_MAX_LOOPS]],
            "accesses": [_access(access) for access in limit],
            "assumptions": [
                _known(
                    {
                        "kind": item.kind.value,
                        "text": item.text,
                        "line": item.line,
                        "log_spread": item.weight,
                    }
                )
                for item in sorted(kernel.assumptions, key=lambda item: -item.weight)[
                    :_MAX_ASSUMPTIONS
                ]
            ],
        }
    )


def features_text(features: Mapping[str, Any]) -> str:
    """Return the features as JSON, one entry of a list a line.

    >>> print(features_text({"l2_bytes": 4096, "loops": [{"line": 3}, {"line": 5}]}))
    {
    "l2_bytes": 4096,
    "loops": [
      {"line":3},
      {"line":5}]
    }
    """
    lines = []
    for name, value in features.items():
        if isinstance(value, list) and value:
            entries = ",\n".join(f"  {_compact(entry)}" for entry in value)
            lines.append(f"{json.dumps(name)}: [\n{entries}]")
        else:
            lines.append(f"{json.dumps(name)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _dram(dram: DramBytes) -> dict[str, Any]:
    return _known({"read": dram.read_bytes, "write": dram.write_bytes})


def _loop(loop: LoopReport) -> dict[str, Any]:
    return _known(
        {
            "line": loop.line,
            "file": _name(loop.file),
            "depth": loop.depth,
            "mean_trip_count": loop.trip_count,
            "trip_count_from": loop.source.value,
            "share_of_operations": loop.share,
        }
    )


def _access(access: AccessReport) -> dict[str, Any]:
    return _known(
        {
            "line": access.line,
            "file": _name(access.file),
            "array": access.array,
            "space": access.space.value,
            "direction": access.direction.value,
            "element_bytes": access.element_bytes,
            "stride_bytes": access.stride_bytes,
            "sectors_per_request": access.sectors_per_request,
            "ideal_sectors_per_request": access.ideal_sectors_per_request,
            "footprint_bytes": access.footprint_bytes,
            "share_of_dram": access.share,
        }
    )


def _name(file: str | None) -> str | None:
    return None if file is None else PurePath(file).name


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that are known, numbers with four significant digits."""
    found = {name: _rounded(value) for name, value in values.items() if value is not None}
    return {name: value for name, value in found.items() if value is not None}


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        return "infinite" if value > 0 else None
    short = float(f"{value:.4g}")
    return int(short) if short == int(short) else short
