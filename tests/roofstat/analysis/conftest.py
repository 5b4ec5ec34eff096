"""One-line ways from a text to what the analysis of it says."""

import pytest

from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu


@pytest.fixture(scope="session")
def result_of(tmp_path_factory):
    """The result of a text on a card, of CUDA unless a file name says otherwise."""

    def run(text, gpu="a100", name="a.cu", **options):
        path = tmp_path_factory.mktemp("program") / name
        path.write_text(text)
        return analyze_program([path], AnalysisOptions(gpu=load_gpu(gpu), **options))

    return run


@pytest.fixture(scope="session")
def kernel_of(result_of):
    """The report of the only kernel of a text."""

    def run(text, *where, **options):
        (found,) = result_of(text, *where, **options).kernels
        return found

    return run
