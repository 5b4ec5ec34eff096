"""The calibration is fitted to full results only."""

from __future__ import annotations

from pathlib import Path

import pytest
from fit_confidence import rows_of

KEPT = Path(__file__).parents[2] / "docs" / "results" / "h100.json"


def test_a_reduced_result_is_refused_with_the_reason():
    with pytest.raises(SystemExit, match=r"h100\.json: its rows are reduced"):
        rows_of(KEPT)
