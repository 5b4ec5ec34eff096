"""The examples in docstrings hold."""

import doctest
import importlib

import pytest

MODULES = [
    "roofstat",
    "roofstat.analysis.discovery",
    "roofstat.analysis.options",
    "roofstat.hardware.catalogue",
    "roofstat.hardware.gpu",
    "roofstat.hardware.occupancy",
    "roofstat.render.quantities",
    "roofstat.roofline.confidence",
    "roofstat.roofline.placement",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    done = doctest.testmod(importlib.import_module(name))
    assert done.attempted > 0
    assert done.failed == 0
