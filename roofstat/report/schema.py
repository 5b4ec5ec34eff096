"""JSON Schema (draft 2020-12) of `roofstat-report/1`."""

from __future__ import annotations

import enum
from typing import Any

from roofstat.hardware import OccupancyLimiter, TensorType, Vendor
from roofstat.instructions.timing.warp_steps import WarpStep
from roofstat.report.kinds import (
    AssumptionKind,
    Compiler,
    Direction,
    ErrorKind,
    Language,
    LaunchSource,
    MemoryLevel,
    MemorySpace,
    PatternKind,
    Severity,
    TrafficRegime,
    TripCountSource,
)
from roofstat.report.opinion import opinion_schema
from roofstat.report.records import SCHEMA_NAME
from roofstat.roofline import BoundBy, NumberType, Verdict

__all__ = ["report_schema"]

_Schema = dict[str, Any]

_TEXT: _Schema = {"type": "string"}
_AMOUNT: _Schema = {"type": ["number", "null"], "minimum": 0}
_NUMBER: _Schema = {"type": "number"}
_NUMBER_OR_NULL: _Schema = {"type": ["number", "null"]}
_POSITIVE: _Schema = {"type": "number", "exclusiveMinimum": 0}
_RATE: _Schema = {"type": "number", "minimum": 0}
_WHOLE: _Schema = {"type": "integer", "minimum": 0}
_LINE: _Schema = {"type": "integer", "minimum": 1}
_SHARE: _Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_DIM3: _Schema = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1},
    "minItems": 3,
    "maxItems": 3,
}
_COUNTS: dict[str, _Schema] = dict.fromkeys(
    ("sp_flop", "dp_flop", "hp_flop", "tensor_flop", "int_op", "special_op", "instructions"),
    _AMOUNT,
)


def report_schema() -> dict[str, Any]:
    """Return the schema that every report of `--format json` satisfies."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:roofstat:{SCHEMA_NAME}",
        "title": "roofstat report",
        "description": "Amounts are for one launch, in base units. null is unknown; `unknown` says why.",
        **_record(
            {
                "schema": {"const": SCHEMA_NAME},
                "tool": _record({"name": _TEXT, "version": _TEXT}),
                "gpu": {"$ref": "#/$defs/gpu"},
                "files": _WHOLE,
                "kernels": _list({"$ref": "#/$defs/kernel"}),
                "diagnostics": _list({"$ref": "#/$defs/diagnostic"}),
                "errors": _list({"$ref": "#/$defs/error"}),
            }
        ),
        "$defs": {
            "gpu": _gpu(),
            "kernel": _kernel(),
            "launch": _launch(),
            "dram": _record({"dram_read": _AMOUNT, "dram_write": _AMOUNT, "dram": _AMOUNT}),
            "diagnostic": _diagnostic(),
            "error": _error(),
        },
    }


def _record(properties: dict[str, _Schema], *, optional: tuple[str, ...] = ()) -> _Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: _Schema) -> _Schema:
    return {"type": "array", "items": items}


def _words(kind: type[enum.Enum]) -> _Schema:
    return {"enum": [member.value for member in kind]}


def _or_null(schema: _Schema) -> _Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _by(kind: type[enum.Enum], value: _Schema) -> _Schema:
    return {"type": "object", "propertyNames": _words(kind), "additionalProperties": value}


def _gpu() -> _Schema:
    return _record(
        {
            "id": _TEXT,
            "name": _TEXT,
            "vendor": _words(Vendor),
            "architecture": _TEXT,
            "target": _TEXT,
            "validated": {
                "type": "boolean",
                "description": "whether verdicts for this chip were ever checked against profiled labels",
            },
            "clock_hz": _POSITIVE,
            "sm_count": _LINE,
            "peaks": _record(
                {
                    "fp32_flop_per_s": _RATE,
                    "fp64_flop_per_s": _RATE,
                    "fp16_flop_per_s": _RATE,
                    "fp16_counted_flop_per_s": {
                        **_RATE,
                        "description": "the peak that times and `ridges` use: a packed instruction counts once in `hp_flop`, and"
                        " twice in `fp16_flop_per_s`",
                    },
                    "int_op_per_s": _RATE,
                    "special_op_per_s": _RATE,
                    "tensor_flop_per_s": _by(TensorType, _RATE),
                }
            ),
            "dram_bytes_per_s": _POSITIVE,
            "l2_bytes_per_s": _POSITIVE,
            "shared_bytes_per_s": _POSITIVE,
            "l2_bytes": _LINE,
            "ridges": _by(NumberType, _POSITIVE),
        }
    )


def _launch() -> _Schema:
    return _record(
        {
            "grid": _DIM3,
            "block": _DIM3,
            "shared_bytes": _WHOLE,
            "count": _or_null(_WHOLE),
            "index": _WHOLE,
            "source": _words(LaunchSource),
            "file": _or_null(_TEXT),
            "line": _or_null(_LINE),
        }
    )


def _bytes() -> _Schema:
    amounts = (
        "compulsory",
        "l2",
        "global_requests",
        "global_sectors",
        "global_ld_requests",
        "global_ld_sectors",
        "global_st_requests",
        "global_st_sectors",
        "local",
        "l1",
        "shared",
        "shared_bank_conflicts",
    )
    return _record(
        {
            "profiled": {"$ref": "#/$defs/dram"},
            "steady": {"$ref": "#/$defs/dram"},
            **dict.fromkeys(amounts, _AMOUNT),
        }
    )


def _kernel() -> _Schema:
    return _record(
        {
            "name": _TEXT,
            "signature": _TEXT,
            "function": _or_null(_TEXT),
            "directive": _or_null(_TEXT),
            "language": _words(Language),
            "file": _TEXT,
            "line": _LINE,
            "column": _LINE,
            "end_line": _LINE,
            "compiler": _words(Compiler),
            "launch": _or_null({"$ref": "#/$defs/launch"}),
            "counts": _record(_COUNTS),
            "bytes": _bytes(),
            "intensity": _by(NumberType, _AMOUNT),
            "intensity_interval": _by(
                NumberType, {"type": "array", "items": _RATE, "minItems": 2, "maxItems": 2}
            ),
            "ridge": _by(NumberType, _POSITIVE),
            "traffic": _words(TrafficRegime),
            "verdict": _words(Verdict),
            "verdicts": _by(TrafficRegime, _words(Verdict)),
            "limiter": _or_null(_words(NumberType)),
            "bound_by": _or_null(_words(BoundBy)),
            "confidence": _SHARE,
            "highest_confidence": _SHARE,
            "times_s": _by(BoundBy, _RATE),
            "attainable_time_s": _AMOUNT,
            "modelled_time_s": _AMOUNT,
            "occupancy": _or_null(_occupancy()),
            "latency": _or_null(_latency()),
            "scaling": _map(_map(_NUMBER)),
            "assumptions": _list(_assumption()),
            "loops": _list(_loop()),
            "accesses": _list(_access()),
            "lines": _list(_line()),
            "patterns": _list(_pattern()),
            "unknown": _map(_TEXT),
            "llm": opinion_schema(),
            "library": _record(
                {
                    "name": _TEXT,
                    "call": _TEXT,
                    "variant": _TEXT,
                    "element": _TEXT,
                    "items": _or_null(_WHOLE),
                }
            ),
        },
        optional=("llm", "library"),
    )


def _map(value: _Schema) -> _Schema:
    return {"type": "object", "additionalProperties": value}


def _occupancy() -> _Schema:
    return _record(
        {
            "registers_per_thread": _WHOLE,
            "shared_bytes_per_block": _WHOLE,
            "blocks_per_sm": _WHOLE,
            "warps_per_sm": _WHOLE,
            "share": _SHARE,
            "limiter": _words(OccupancyLimiter),
            "waves": _RATE,
        }
    )


def _latency() -> _Schema:
    return _record(
        {
            "time_s": _RATE,
            "waves": _WHOLE,
            "step_clocks": _by(WarpStep, _RATE),
            "rare_clocks": _RATE,
            "load_clocks": _RATE,
            "load_lines": _list(_record({"file": _TEXT, "line": _LINE, "clocks": _RATE})),
            "level_clocks": _by(MemoryLevel, _RATE),
            "level_shares": _by(MemoryLevel, _SHARE),
        }
    )


def _assumption() -> _Schema:
    return _record(
        {
            "kind": _words(AssumptionKind),
            "text": _TEXT,
            "file": _or_null(_TEXT),
            "line": _or_null(_LINE),
            "weight": _RATE,
        }
    )


def _loop() -> _Schema:
    return _record(
        {
            "line": _LINE,
            "file": _or_null(_TEXT),
            "depth": _WHOLE,
            "trip_count": _AMOUNT,
            "source": _words(TripCountSource),
            "share": _SHARE,
        }
    )


def _access() -> _Schema:
    return _record(
        {
            "line": _LINE,
            "column": _or_null(_LINE),
            "file": _or_null(_TEXT),
            "array": _TEXT,
            "index": _or_null(_TEXT),
            "record": _or_null(_TEXT),
            "space": _words(MemorySpace),
            "direction": _words(Direction),
            "element_bytes": _WHOLE,
            "requests": _AMOUNT,
            "threads": _AMOUNT,
            "sectors_per_request": _AMOUNT,
            "ideal_sectors_per_request": _AMOUNT,
            "wavefronts_per_request": _AMOUNT,
            "stride_bytes": {"type": ["number", "null"]},
            "footprint_bytes": _AMOUNT,
            "share": _SHARE,
            "row_bytes": _AMOUNT,
            "alignment_bytes": _or_null(_LINE),
            "lanes_per_address": _AMOUNT,
            "addresses": _AMOUNT,
        }
    )


def _pattern() -> _Schema:
    return _record(
        {
            "kind": _words(PatternKind),
            "line": _LINE,
            "column": _or_null(_LINE),
            "file": _or_null(_TEXT),
            "subject": _TEXT,
            "executions": _AMOUNT,
            "needed": _AMOUNT,
            "lanes": _AMOUNT,
            "share": _SHARE,
            "spans": _list(_record({"line": _LINE, "column": _LINE, "text": _TEXT})),
            "is_generic": {"type": "boolean"},
        }
    )


def _line() -> _Schema:
    return _record(
        {
            "line": _LINE,
            "file": _or_null(_TEXT),
            **_COUNTS,
            "dram_bytes": _AMOUNT,
            "executions": _AMOUNT,
        }
    )


def _diagnostic() -> _Schema:
    return _record(
        {
            "code": _TEXT,
            "severity": _words(Severity),
            "message": _TEXT,
            "file": _TEXT,
            "line": _or_null(_LINE),
            "column": _or_null(_LINE),
            "help": _or_null(_TEXT),
            "kernel": _or_null(_TEXT),
            "evidence": _list(_record({"name": _TEXT, "value": _NUMBER_OR_NULL, "unit": _TEXT})),
            "speedup_bound": _AMOUNT,
            "fix": _list(
                _record({"line": _LINE, "column": _LINE, "end_column": _LINE, "text": _TEXT})
            ),
        }
    )


def _error() -> _Schema:
    return _record(
        {
            "kind": _words(ErrorKind),
            "file": _TEXT,
            "line": _or_null(_LINE),
            "message": _TEXT,
            "remedy": _or_null(_TEXT),
            "signal": _or_null(_TEXT),
            "detail": _or_null(_TEXT),
        }
    )
