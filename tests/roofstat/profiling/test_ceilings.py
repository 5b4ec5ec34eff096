"""GPU files from what the program of the ceilings printed on a card."""

from __future__ import annotations

import pytest

from roofstat.errors import ProfileError
from roofstat.hardware import FigureStatus, load_gpu
from roofstat.profiling.ceilings import ceilings_toml, measure_ceilings


@pytest.fixture
def load(tmp_path):
    def load(text, **options):
        file = tmp_path / "card.toml"
        file.write_text(ceilings_toml(text, **options))
        return load_gpu(file)

    return load


def test_peaks_are_the_measured_rates(load, recorded):
    text = recorded("ceilings.txt")
    printed = dict(line.split(" ", 1) for line in text.splitlines())
    gpu = load(text)
    # A result of the multiply-add pipe is two FLOP.
    assert gpu.fp32_flop_per_s == pytest.approx(2 * float(printed["fp32_results_per_s"]), rel=1e-3)
    assert gpu.fp64_flop_per_s == pytest.approx(2 * float(printed["fp64_results_per_s"]), rel=1e-3)
    assert gpu.int_op_per_s == pytest.approx(float(printed["int32_results_per_s"]), rel=1e-3)
    assert gpu.dram_bytes_per_s == pytest.approx(float(printed["dram_copy_bytes_per_s"]), rel=1e-3)
    assert (gpu.sm_count, gpu.target, gpu.l2_bytes) == (132, "sm_90", 50 * 1024**2)
    assert not gpu.validated


def test_measured_rates_are_near_those_of_the_data_sheet(load, recorded):
    """No pipe can be faster than it is built; full chains come within a tenth of it."""
    measured, sheet = load(recorded("ceilings.txt")), load_gpu("h100-sxm")
    for name in (
        *("fp64_flop_per_s", "fp32_flop_per_s", "fp16_flop_per_s"),
        *("int_op_per_s", "special_op_per_s"),
    ):
        assert 0.9 < getattr(measured, name) / getattr(sheet, name) < 1.01, name
    assert 0.8 < measured.dram_bytes_per_s / sheet.dram_bytes_per_s < 1
    assert measured.clock_hz == pytest.approx(sheet.clock_hz, rel=0.02)


def test_figures_name_their_source(load, recorded):
    figure = load(recorded("ceilings.txt")).figures["dram_gb_per_s"]
    assert (figure.status, figure.source) == (FigureStatus.MEASURED, "roofstat profile --ceilings")
    assert "reading alone" in figure.note


def test_a_card_that_is_not_known_inherits_from_its_architecture(load, recorded):
    text = recorded("ceilings.txt").replace("NVIDIA H100 80GB HBM3", "NVIDIA H999")
    assert load(text).name == "NVIDIA H999, measured ceilings"
    assert load(text).target == "sm_90"
    assert load(text, gpu=load_gpu("h200")).target == "sm_90"


def test_an_architecture_that_is_not_known_needs_a_card(recorded):
    text = recorded("ceilings.txt").replace("NVIDIA H100 80GB HBM3", "NVIDIA H999")
    with pytest.raises(ProfileError, match="no card of sm_990"):
        ceilings_toml(text.replace("compute_capability 90", "compute_capability 990"))


def test_a_missing_line_is_said(recorded):
    lines = [line for line in recorded("ceilings.txt").splitlines() if "fp64_results" not in line]
    with pytest.raises(ProfileError, match="fp64_results_per_s"):
        ceilings_toml("\n".join(lines))


def test_a_compiler_that_fails_is_said(tmp_path):
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'nvcc fatal: no GPU' >&2\nexit 1\n")
    nvcc.chmod(0o755)
    with pytest.raises(ProfileError, match="does not compile: nvcc fatal: no GPU"):
        measure_ceilings(nvcc)
    with pytest.raises(ProfileError, match="cannot run"):
        measure_ceilings(tmp_path / "none")
