"""Builders of label rows, kernel reports and tables. The programs and numbers are invented."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from roofstat.evaluation.labels import InputState, LabelRow, Quantity
from roofstat.evaluation.matching import MatchLevel
from roofstat.evaluation.outcome import Failure, FailureKind, Prediction, RowOutcome
from roofstat.report import (
    Compiler,
    Counts,
    DramBytes,
    KernelReport,
    Language,
    Launch,
    LaunchSource,
    TrafficBytes,
)
from roofstat.roofline import NumberType, Verdict

RIDGES = {NumberType.FP32: 20.0, NumberType.FP64: 10.0, NumberType.INT: 5.0}


def build_row(**changes: Any) -> LabelRow:
    values: dict[str, Any] = {
        "table": "invented",
        "table_line": 2,
        "suite": "own",
        "program": "scale-cuda",
        "sources": ("scale-cuda/main.cu",),
        "flags": (),
        "language": Language.CUDA,
        "kernel": "scale(float *, int)",
        "symbol": None,
        "function": None,
        "line": None,
        "args": ("1000",),
        "gpu": "h100-sxm",
        "grid": (8, 1, 1),
        "block": (128, 1, 1),
        "compiler": "nvcc-13.0",
        "selection": "first",
        "time_s": 1e-5,
        "measured": {
            Quantity.SP_FLOP: 1000.0,
            Quantity.DP_FLOP: 0.0,
            Quantity.INT_OP: 4000.0,
            Quantity.DRAM_BYTES: 1000.0,
        },
        "ridge_op_per_byte": dict(RIDGES),
        "label": Verdict.BANDWIDTH,
        "suspect": "",
        "input_state": InputState.NO_FILE,
        "tensor": False,
        "note": "",
    }
    return LabelRow(**{**values, **changes})


def build_kernel(**changes: Any) -> KernelReport:
    values: dict[str, Any] = {
        "name": "scale",
        "signature": "scale(float*, int)",
        "language": Language.CUDA,
        "file": "scale-cuda/main.cu",
        "line": 7,
        "end_line": 12,
        "compiler": Compiler.NVCC,
        "launch": Launch(grid=(8, 1, 1), block=(128, 1, 1), source=LaunchSource.HOST_CODE),
        "counts": Counts(sp_flop=1000.0, dp_flop=0.0, int_op=4000.0),
        "traffic": TrafficBytes(profiled=DramBytes(read_bytes=600.0, write_bytes=400.0)),
        "verdict": Verdict.BANDWIDTH,
        "confidence": 0.9,
        "attainable_time_s": 5e-6,
        "modelled_time_s": 8e-6,
    }
    return KernelReport(**{**values, **changes})


def build_prediction(**changes: Any) -> Prediction:
    values: dict[str, Any] = {
        "signature": "scale(float*, int)",
        "file": "scale-cuda/main.cu",
        "line": 7,
        "level": MatchLevel.FULL,
        "alternatives": 0,
        "grid": (8, 1, 1),
        "block": (128, 1, 1),
        "amounts": {
            Quantity.SP_FLOP: 1000.0,
            Quantity.DP_FLOP: 0.0,
            Quantity.INT_OP: 4000.0,
            Quantity.DRAM_BYTES: 1000.0,
        },
        "verdict": Verdict.BANDWIDTH,
        "limiter": NumberType.INT,
        "ratio": {NumberType.FP32: 0.05, NumberType.FP64: 0.0, NumberType.INT: 0.8},
        "confidence": 0.75,
        "bound_by": "dram",
        "attainable_time_s": 5e-6,
        "modelled_time_s": 8e-6,
    }
    return Prediction(**{**values, **changes})


def build_outcome(
    truth: Verdict | None, said: Verdict | None, *, confidence: float = 0.75, **row: Any
) -> RowOutcome:
    """A row with a label and what was said of it; None is a row without a prediction."""
    changes = {"label": truth, **row}
    if said is None:
        return RowOutcome(
            row=build_row(**changes),
            ridge_op_per_byte=RIDGES,
            truth=truth,
            prediction=None,
            failure=Failure(kind=FailureKind.MATCH, reason="no kernel is called scale"),
        )
    return RowOutcome(
        row=build_row(**changes),
        ridge_op_per_byte=RIDGES,
        truth=truth,
        prediction=build_prediction(verdict=said, confidence=confidence),
    )


HEADER = (
    *("suite", "program", "sources", "flags", "language", "kernel", "function", "line", "args"),
    *("gpu", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "compiler"),
    *("time_ns", "sp_flop", "dp_flop", "int_op", "dram_bytes"),
    *("ridge_sp", "ridge_dp", "ridge_int", "label"),
)


def write_table(path: Path, rows: list[dict[str, Any]], header: tuple[str, ...] = HEADER) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, header)
        writer.writeheader()
        writer.writerows(rows)
    return path


def table_cells(**changes: Any) -> dict[str, Any]:
    cells = {
        "suite": "own",
        "program": "scale-cuda",
        "sources": "scale-cuda/main.cu",
        "flags": "-Iscale-cuda -DN=4 -std=c++17",
        "language": "cuda",
        "kernel": "scale(float *, int)",
        "args": "1000",
        "gpu": "h100-sxm",
        "grid_x": 8,
        "block_x": 128,
        "compiler": "nvcc-13.0",
        "time_ns": 10_000,
        "sp_flop": 1000,
        "dp_flop": 0,
        "int_op": 4000,
        "dram_bytes": 1000,
        "ridge_sp": 20,
        "ridge_dp": 10,
        "ridge_int": 5,
        "label": "bandwidth",
    }
    return {**cells, **changes}


@pytest.fixture
def make_row():
    return build_row


@pytest.fixture
def make_kernel():
    return build_kernel


@pytest.fixture
def make_prediction():
    return build_prediction


@pytest.fixture
def make_outcome():
    return build_outcome


@pytest.fixture
def make_cells():
    return table_cells


@pytest.fixture
def make_table(tmp_path):
    def make(rows, name="invented.csv", header=HEADER):
        return write_table(tmp_path / name, rows, header)

    return make


@pytest.fixture
def sources(tmp_path):
    """A folder with the source files that the invented rows name."""
    folder = tmp_path / "sources"
    for name in ("scale-cuda/main.cu", "sum-omp/main.cpp"):
        file = folder / name
        file.parent.mkdir(parents=True)
        file.write_text("// invented\n")
    return folder
