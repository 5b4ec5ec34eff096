"""Reduced results still say what a change did."""

from __future__ import annotations

import json
from pathlib import Path

from keep_result import reduced

from roofstat.evaluation.comparison import compare, read_result

ROW = {
    "table": "t",
    "program": "a",
    "kernel": "k(int)",
    "function": None,
    "directive_line": None,
    "gpu": "a100",
    "key": ["t", "a", "k(int)", "a100", "", ""],
    "label": "compute",
    "verdict": "compute",
    "right": True,
    "confidence": 0.91234567,
    "reason": "not read (/home/me/suite/src/a/main.cu:3)",
    "measured": {"int_op": 100.0},
    "predicted": {"int_op": 123.456789},
}


def test_a_reduced_result_can_be_compared_with(tmp_path):
    result = {"schema": "roofstat-eval/1", "rows": 1, "seconds": 3.0, "per_row": [ROW]}
    file = tmp_path / "kept.json"
    file.write_text(reduced(result, "1a2b3c4", Path("/home/me/suite")), "utf-8")
    kept = read_result(file)
    assert kept["per_row"][0]["predicted"] == {"int_op": 123.46}
    assert kept["commit"] == "1a2b3c4"
    assert kept["per_row"][0]["reason"] == "not read (src/a/main.cu:3)"
    assert "measured" not in file.read_text("utf-8")
    changed = {**ROW, "verdict": "bandwidth", "right": False, "predicted": {"int_op": 50.0}}
    found = compare(kept, {**result, "per_row": [changed]})
    assert (found.shared, len(found.broken), len(found.farther)) == (1, 1, 1)
    assert json.loads(file.read_text("utf-8"))["rows"] == 1
