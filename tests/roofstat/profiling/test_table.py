"""Tables that `roofstat eval` reads."""

from __future__ import annotations

import dataclasses

import pytest

from roofstat.evaluation import read_label_table
from roofstat.evaluation.labels import Quantity
from roofstat.hardware import load_gpu
from roofstat.profiling import ProfiledLaunch, RowFacts, table_text
from roofstat.profiling.cards import card_named, card_of_target
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict

H100 = load_gpu("h100")
# 1 FP32 and 6 integer operations a byte: below the FP32 ridge of 20, above the integer ridge of 5.
LAUNCH = ProfiledLaunch(
    kernel="void f<int, 4>(T1 *)",
    symbol="_Z1fIiLi4EEvPT_",
    grid=(7, 2, 1),
    block=(64, 1, 1),
    configuration="7x2x1",
    process="app",
    time_s=1.5e-6,
    measured={
        Quantity.SP_FLOP: 1000.0,
        Quantity.DP_FLOP: 0.0,
        Quantity.INT_OP: 6000.0,
        Quantity.DRAM_BYTES: 1000.0,
        Quantity.DRAM_READ_BYTES: 1000.0,
        Quantity.DRAM_WRITE_BYTES: 0.0,
    },
)
FACTS = RowFacts(sources=("a.cu", "b.cu"), flags="-DN=4 -I include", args=("10", "two words"))


@pytest.fixture
def read(tmp_path):
    def read(*launches, facts=FACTS, card=H100):
        file = tmp_path / "t.csv"
        file.write_text(table_text(launches, facts, lambda _: card))
        return read_label_table(file)

    return read


def test_a_row_comes_back_as_it_was(read):
    (row,) = read(LAUNCH)
    assert row.program == "app"
    assert (row.sources, row.flags) == (("a.cu", "b.cu"), ("-DN=4", "-I", "include"))
    assert row.args == ("10", "two words")
    assert (row.language, row.kernel, row.symbol) == (Language.CUDA, LAUNCH.kernel, LAUNCH.symbol)
    assert (row.grid, row.block) == (LAUNCH.grid, LAUNCH.block)
    assert dict(row.measured) == dict(LAUNCH.measured)
    assert row.time_s == pytest.approx(1.5e-6)


def test_the_label_follows_from_the_ridges_of_the_card(read):
    (row,) = read(LAUNCH)
    assert (row.gpu, row.label) == ("h100-sxm", Verdict.COMPUTE)
    assert row.ridge_op_per_byte[NumberType.INT] == pytest.approx(4.993, rel=1e-3)
    less = {**LAUNCH.measured, Quantity.INT_OP: 4000.0}
    (row,) = read(dataclasses.replace(LAUNCH, measured=less))
    assert row.label is Verdict.BANDWIDTH


def test_no_label_without_a_card_or_a_count(read):
    assert read(LAUNCH, card=None)[0].label is None
    part = {key: value for key, value in LAUNCH.measured.items() if key is not Quantity.DP_FLOP}
    (row,) = read(dataclasses.replace(LAUNCH, measured=part))
    assert row.label is None
    assert Quantity.DP_FLOP not in row.measured


def test_kernels_of_openmp_are_named_after_their_directive(read):
    names = ("__omp_offloading_fd02_a1b2c_main_l42", "__omp_offloading_10302_2b1f__Z4stepPfi_l7")
    first, second = read(*(dataclasses.replace(LAUNCH, kernel=name, symbol=None) for name in names))
    assert (first.language, first.function, first.line) == (Language.OPENMP, "main", 42)
    assert (second.function, second.line) == ("step(float *, int)", 7)


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80"),
        ("Voodoo", None),
    ],
)
def test_cards_by_the_names_of_the_driver(name, card):
    found = card_named(name)
    assert (found.id if found else None) == card


def test_an_unknown_card_takes_the_nearest_of_its_architecture():
    found = card_of_target("sm_90", 141e9)
    assert found is not None
    assert found.id == "h200-sxm"
    assert card_of_target("sm_10", 1e9) is None
