"""Analyse short programs and ask the rules about them."""

import dataclasses

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.report import Report, Tool, ranked
from roofstat.rules.rule import PreviousVerdict, RuleContext, kernel_key


@pytest.fixture
def report_of(tmp_path):
    """Text of a program to its report, without findings."""
    options = AnalysisOptions(gpu=load_gpu("a100"))

    def run(text, suffix=".cu"):
        path = tmp_path / f"example{suffix}"
        path.write_text(text)
        result = analyze_program([path], options)
        assert not result.errors
        return Report(
            tool=Tool(version="0"), gpu=options.gpu, kernels=ranked(result.kernels), files=1
        )

    return run


@pytest.fixture
def context_of():
    """The context that compares with an earlier report, or with none."""

    def run(report, before=None):
        context = RuleContext(gpu=report.gpu)
        if before is None:
            return context
        previous = {kernel_key(kernel): PreviousVerdict.of(kernel) for kernel in before.kernels}
        return dataclasses.replace(context, previous=previous)

    return run
