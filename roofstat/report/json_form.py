"""The JSON form of a report: plain dictionaries with stable keys in stable order.

A number is never NaN or infinite: it becomes null, and `unknown` says why, under the path of the value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from roofstat.hardware import Gpu
from roofstat.report.amounts import (
    Counts,
    DramBytes,
    LatencyReport,
    Launch,
    OccupancyReport,
    TrafficBytes,
)
from roofstat.report.kinds import TrafficRegime
from roofstat.report.opinion import opinion_to_json
from roofstat.report.places import AccessReport, LineReport, LoopReport, PatternReport
from roofstat.report.records import SCHEMA_NAME, KernelReport, Report
from roofstat.report.remarks import AnalysisError, Assumption, Diagnostic
from roofstat.report.whole_numbers import MOST_EXACT, without_noise
from roofstat.roofline import ridges

__all__ = ["gpu_to_json", "kernel_to_json", "to_json"]

_NOT_STATED = "nothing was found out about it"


def to_json(report: Report) -> dict[str, Any]:
    """Return the whole report as plain data that `json.dumps` takes with `allow_nan=False`."""
    return {
        "schema": SCHEMA_NAME,
        "tool": {"name": report.tool.name, "version": report.tool.version},
        "gpu": gpu_to_json(report.gpu),
        "files": report.files,
        "kernels": [kernel_to_json(kernel) for kernel in report.kernels],
        "diagnostics": [_diagnostic_to_json(diagnostic) for diagnostic in report.diagnostics],
        "errors": [_error_to_json(error) for error in report.errors],
    }


def gpu_to_json(gpu: Gpu) -> dict[str, Any]:
    """Return a card's peaks, bandwidths and ridges."""
    return {
        "id": gpu.id,
        "name": gpu.name,
        "vendor": gpu.vendor.value,
        "architecture": gpu.architecture,
        "target": gpu.target,
        "validated": gpu.validated,
        "clock_hz": _number(gpu.clock_hz),
        "sm_count": gpu.sm_count,
        "peaks": {
            "fp32_flop_per_s": _number(gpu.fp32_flop_per_s),
            "fp64_flop_per_s": _number(gpu.fp64_flop_per_s),
            "fp16_flop_per_s": _number(gpu.fp16_flop_per_s),
            "fp16_counted_flop_per_s": _number(gpu.fp16_counted_flop_per_s),
            "int_op_per_s": _number(gpu.int_op_per_s),
            "special_op_per_s": _number(gpu.special_op_per_s),
            "tensor_flop_per_s": {
                kind.value: _number(peak) for kind, peak in gpu.tensor_flop_per_s.items()
            },
        },
        "dram_bytes_per_s": _number(gpu.dram_bytes_per_s),
        "l2_bytes_per_s": _number(gpu.l2_bytes_per_s),
        "shared_bytes_per_s": _number(gpu.shared_bytes_per_s),
        "l2_bytes": gpu.l2_bytes,
        "ridges": {kind.value: _number(ridge) for kind, ridge in ridges(gpu).items()},
    }


def kernel_to_json(kernel: KernelReport) -> dict[str, Any]:
    """Return one kernel; every null amount has its reason in `unknown`."""
    data: dict[str, Any] = {
        "name": kernel.name,
        "signature": kernel.signature,
        "function": kernel.function,
        "directive": kernel.directive,
        "language": kernel.language.value,
        "file": kernel.file,
        "line": kernel.line,
        "column": kernel.column,
        "end_line": kernel.end_line,
        "compiler": kernel.compiler.value,
        "launch": _launch(kernel.launch) if kernel.launch else None,
        "counts": _counts(kernel.counts),
        "bytes": _traffic(kernel.traffic),
        "intensity": _by_kind(kernel.intensity),
        "intensity_interval": {
            kind.value: [_number(interval.low), _number(interval.high)]
            for kind, interval in kernel.intensity_interval.items()
        },
        "ridge": _by_kind(kernel.ridge),
        "traffic": kernel.regime.value,
        "verdict": kernel.verdict.value,
        "verdicts": {regime.value: verdict.value for regime, verdict in kernel.verdicts.items()},
        "limiter": kernel.limiter.value if kernel.limiter else None,
        "bound_by": kernel.bound_by.value if kernel.bound_by else None,
        "confidence": _number(kernel.confidence),
        "highest_confidence": _number(kernel.highest_confidence),
        "times_s": _by_kind(kernel.times_s),
        "attainable_time_s": _number(kernel.attainable_time_s),
        "modelled_time_s": _number(kernel.modelled_time_s),
        "occupancy": _occupancy(kernel.occupancy) if kernel.occupancy else None,
        "latency": _latency(kernel.latency) if kernel.latency else None,
        "scaling": {
            name: {quantity: _number(power) for quantity, power in powers.items()}
            for name, powers in kernel.scaling.items()
        },
        "assumptions": [_assumption(assumption) for assumption in kernel.assumptions],
        "loops": [_loop(loop) for loop in kernel.loops],
        "accesses": [_access(access) for access in kernel.accesses],
        "lines": [_line(line) for line in kernel.lines],
        "patterns": [_pattern(pattern) for pattern in kernel.patterns],
        "unknown": {},
    }
    data["unknown"] = _reasons(kernel, data)
    if kernel.llm is not None:
        data["llm"] = opinion_to_json(kernel.llm)
    if kernel.library is not None:
        data["library"] = asdict(kernel.library)
    return data


def _diagnostic_to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return one diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "help": diagnostic.help,
        "kernel": diagnostic.kernel,
        "evidence": [
            {"name": item.name, "value": _number(item.value), "unit": item.unit}
            for item in diagnostic.evidence
        ],
        "speedup_bound": _number(diagnostic.speedup_bound),
        "fix": [
            {
                "line": edit.line,
                "column": edit.column,
                "end_column": edit.end_column,
                "text": edit.text,
            }
            for edit in diagnostic.fix
        ],
    }


def _error_to_json(error: AnalysisError) -> dict[str, Any]:
    """Return one error."""
    return {
        "kind": error.kind.value,
        "file": error.file,
        "line": error.line,
        "message": error.message,
        "remedy": error.remedy,
        "signal": error.signal,
        "detail": error.detail,
    }


def _number(value: float | None) -> float | int | None:
    """Return a finite number, whole ones as integers; None for anything else."""
    if value is None or not math.isfinite(value):
        return None
    found = without_noise(value)
    return found if isinstance(found, int) and abs(found) < MOST_EXACT else float(found)


def _by_kind(values: Mapping[Any, float | None]) -> dict[str, float | int | None]:
    return {kind.value: _number(value) for kind, value in values.items()}


def _launch(launch: Launch) -> dict[str, Any]:
    return {
        "grid": list(launch.grid),
        "block": list(launch.block),
        "shared_bytes": launch.shared_bytes,
        "count": _number(launch.count),
        "index": launch.index,
        "source": launch.source.value,
        "file": launch.file,
        "line": launch.line,
    }


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "sp_flop": _number(counts.sp_flop),
        "dp_flop": _number(counts.dp_flop),
        "hp_flop": _number(counts.hp_flop),
        "tensor_flop": _number(counts.tensor_flop),
        "int_op": _number(counts.int_op),
        "special_op": _number(counts.special_op),
        "instructions": _number(counts.instructions),
    }


def _dram(dram: DramBytes) -> dict[str, Any]:
    return {
        "dram_read": _number(dram.read_bytes),
        "dram_write": _number(dram.write_bytes),
        "dram": _number(dram.total_bytes),
    }


def _traffic(traffic: TrafficBytes) -> dict[str, Any]:
    return {
        "profiled": _dram(traffic.dram(TrafficRegime.PROFILED)),
        "steady": _dram(traffic.dram(TrafficRegime.STEADY)),
        "compulsory": _number(traffic.compulsory_bytes),
        "l2": _number(traffic.l2_bytes),
        "global_requests": _number(traffic.global_requests),
        "global_sectors": _number(traffic.global_sectors),
        "global_ld_requests": _number(traffic.global_ld_requests),
        "global_ld_sectors": _number(traffic.global_ld_sectors),
        "global_st_requests": _number(traffic.global_st_requests),
        "global_st_sectors": _number(traffic.global_st_sectors),
        "local": _number(traffic.local_bytes),
        "l1": _number(traffic.l1_bytes),
        "shared": _number(traffic.shared_bytes),
        "shared_bank_conflicts": _number(traffic.shared_bank_conflicts),
    }


def _occupancy(occupancy: OccupancyReport) -> dict[str, Any]:
    return {
        "registers_per_thread": occupancy.registers_per_thread,
        "shared_bytes_per_block": occupancy.shared_bytes_per_block,
        "blocks_per_sm": occupancy.blocks_per_sm,
        "warps_per_sm": occupancy.warps_per_sm,
        "share": _number(occupancy.share),
        "limiter": occupancy.limiter.value,
        "waves": _number(occupancy.waves),
    }


def _latency(latency: LatencyReport) -> dict[str, Any]:
    return {
        "time_s": _number(latency.time_s),
        "waves": latency.waves,
        "step_clocks": {
            step.value: _number(clocks) for step, clocks in latency.step_clocks.items()
        },
        "rare_clocks": _number(latency.rare_clocks),
        "load_clocks": _number(latency.load_clocks),
        "load_lines": [
            {"file": file, "line": line, "clocks": _number(clocks)}
            for (file, line), clocks in latency.load_lines.items()
        ],
        "level_clocks": {
            level.value: _number(clocks) for level, clocks in latency.level_clocks.items()
        },
        "level_shares": {
            level.value: _number(share) for level, share in latency.level_shares.items()
        },
    }


def _assumption(assumption: Assumption) -> dict[str, Any]:
    return {
        "kind": assumption.kind.value,
        "text": assumption.text,
        "file": assumption.file,
        "line": assumption.line,
        "weight": _number(assumption.weight),
    }


def _loop(loop: LoopReport) -> dict[str, Any]:
    return {
        "line": loop.line,
        "file": loop.file,
        "depth": loop.depth,
        "trip_count": _number(loop.trip_count),
        "source": loop.source.value,
        "share": _number(loop.share),
    }


def _access(access: AccessReport) -> dict[str, Any]:
    return {
        "line": access.line,
        "column": access.column,
        "file": access.file,
        "array": access.array,
        "index": access.index,
        "record": access.record,
        "space": access.space.value,
        "direction": access.direction.value,
        "element_bytes": access.element_bytes,
        "requests": _number(access.requests),
        "threads": _number(access.threads),
        "sectors_per_request": _number(access.sectors_per_request),
        "ideal_sectors_per_request": _number(access.ideal_sectors_per_request),
        "wavefronts_per_request": _number(access.wavefronts_per_request),
        "stride_bytes": _number(access.stride_bytes),
        "footprint_bytes": _number(access.footprint_bytes),
        "share": _number(access.share),
        "row_bytes": _number(access.row_bytes),
        "alignment_bytes": access.alignment_bytes,
        "lanes_per_address": _number(access.lanes_per_address),
        "addresses": _number(access.addresses),
    }


def _pattern(pattern: PatternReport) -> dict[str, Any]:
    return {
        "kind": pattern.kind.value,
        "line": pattern.line,
        "column": pattern.column,
        "file": pattern.file,
        "subject": pattern.subject,
        "executions": _number(pattern.executions),
        "needed": _number(pattern.needed),
        "lanes": _number(pattern.lanes),
        "share": _number(pattern.share),
        "spans": [
            {"line": span.line, "column": span.column, "text": span.text} for span in pattern.spans
        ],
        "is_generic": pattern.is_generic,
    }


def _line(line: LineReport) -> dict[str, Any]:
    return {
        "line": line.line,
        "file": line.file,
        **_counts(line.counts),
        "dram_bytes": _number(line.dram_bytes),
        "executions": _number(line.executions),
    }


def _reasons(kernel: KernelReport, data: Mapping[str, Any]) -> dict[str, str]:
    """Give every null amount of the kernel a reason: the stated one, or what the value was."""
    reasons = dict(kernel.unknown)
    lost = reasons.get("counts.int_op")
    rest = f"the work is unknown: {lost}" if lost is not None else _NOT_STATED
    for path in _null_amounts(data):
        reasons.setdefault(path, rest)
    for kind, value in kernel.intensity.items():
        if value is not None and math.isinf(value):
            reasons[f"intensity.{kind.value}"] = "infinite: there is work but no DRAM traffic"
    return dict(sorted(reasons.items()))


def _null_amounts(data: Mapping[str, Any]) -> list[str]:
    found = [
        f"{table}.{key}"
        for table in ("counts", "intensity", "ridge")
        for key, value in data[table].items()
        if value is None
    ]
    for key, value in data["bytes"].items():
        if value is None:
            found.append(f"bytes.{key}")
        elif isinstance(value, dict):
            found += [f"bytes.{key}.{part}" for part, amount in value.items() if amount is None]
    scalars = ("confidence", "attainable_time_s", "modelled_time_s", "bound_by")
    return found + [key for key in scalars if data[key] is None]
