"""Exports of Nsight Compute, recorded from sample.cu; the expected counts are derived in its first comment."""

from __future__ import annotations

import csv
import io

import pytest

from roofstat.errors import ProfileError
from roofstat.evaluation.labels import Quantity
from roofstat.profiling.ncu_export import read_ncu_csv, with_symbols

N = 4096


def columns(text, change):
    """The export with changed columns: `change` gets the header and returns the new one; dropped where None."""
    header, *rows = csv.reader(io.StringIO(text))
    names = [change(name) for name in header]
    keep = [at for at, name in enumerate(names) if name is not None]
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([[row[at] for at in keep] for row in (names, *rows)])
    return out.getvalue()


def test_every_launch_with_its_name_and_shape(recorded):
    launches = read_ncu_csv(recorded("base_units.csv"), "f")
    assert [launch.kernel for launch in launches] == [
        *["void scale<float>(T1 *, T1, int)"] * 4,
        "void scale<double>(T1 *, T1, int)",
        *["sum(const float *, float *, int)"] * 2,
    ]
    assert [(launch.grid, launch.block) for launch in launches[2:5]] == [
        ((16, 1, 1), (256, 1, 1)),
        ((32, 1, 1), (128, 1, 1)),
        ((16, 1, 1), (256, 1, 1)),
    ]
    assert {launch.device for launch in launches} == {"NVIDIA H100 80GB HBM3"}
    assert {launch.process for launch in launches} == {"sample"}
    assert {launch.tensor for launch in launches} == {False}


def test_counts_are_those_derived_by_hand(recorded):
    launches = read_ncu_csv(recorded("base_units.csv"), "f")
    single, double, total = (launches[at].measured for at in (0, 4, 5))
    # One multiplication an element; a warp's 32 elements are one request of 4 sectors (floats) or 8 (doubles).
    assert (single[Quantity.SP_FLOP], single[Quantity.DP_FLOP]) == (N, 0)
    assert single[Quantity.GLOBAL_LD_REQUESTS] == single[Quantity.GLOBAL_ST_REQUESTS] == N / 32
    assert single[Quantity.GLOBAL_LD_SECTORS] == N / 32 * 4
    assert (double[Quantity.SP_FLOP], double[Quantity.DP_FLOP]) == (0, N)
    assert double[Quantity.GLOBAL_ST_SECTORS] == N / 32 * 8
    # A tree adds 255 times in each block of 256; one sum a block is stored.
    assert total[Quantity.SP_FLOP] == N - N / 256
    assert total[Quantity.GLOBAL_ST_SECTORS] == N / 256
    assert single[Quantity.DRAM_READ_BYTES] >= 4 * N
    assert single[Quantity.DRAM_BYTES] == (
        single[Quantity.DRAM_READ_BYTES] + single[Quantity.DRAM_WRITE_BYTES]
    )
    assert single[Quantity.LOCAL_SECTORS] == single[Quantity.SHARED_BANK_CONFLICTS] == 0
    assert launches[0].time_s == pytest.approx(2.8e-6, rel=0.2)


def test_scaled_units_mean_the_same(recorded):
    exact = read_ncu_csv(recorded("base_units.csv"), "f")
    scaled = read_ncu_csv(recorded("scaled_units.csv"), "f")
    for one, other in zip(exact, scaled, strict=True):
        assert dict(other.measured) == pytest.approx(dict(one.measured), rel=0.01)
        assert other.time_s == pytest.approx(one.time_s, rel=0.01)


def test_mangled_names_come_from_a_second_export(recorded):
    launches = with_symbols(
        read_ncu_csv(recorded("base_units.csv"), "f"),
        read_ncu_csv(recorded("mangled_names.csv"), "f"),
    )
    assert launches[4].symbol == "_Z5scaleIdEvPT_S0_i"
    assert launches[4].kernel == "void scale<double>(T1 *, T1, int)"


def test_lines_around_the_table_do_not_matter(recorded):
    text = recorded("base_units.csv")
    around = (
        f"==PROF== Connected to process 1 (x)\nresult: 4, 5\n{text}==PROF== Disconnected\nbye\n"
    )
    assert read_ncu_csv(around, "f") == read_ncu_csv(text, "f")


def test_older_exports_give_shapes_as_metrics(recorded):
    text = columns(
        recorded("base_units.csv"),
        lambda name: None if name in {"Grid Size", "Block Size"} else name,
    )
    assert "Grid Size" not in text
    assert read_ncu_csv(text, "f")[3].grid == (32, 1, 1)
    assert read_ncu_csv(text, "f")[3].block == (128, 1, 1)


def test_what_was_not_collected_is_unknown_not_zero(recorded):
    text = columns(
        recorded("base_units.csv"),
        lambda name: None if "ffma" in name or "write" in name or "tensor" in name else name,
    )
    launch = read_ncu_csv(text, "f")[0]
    assert Quantity.SP_FLOP not in launch.measured
    assert Quantity.DRAM_BYTES not in launch.measured
    assert Quantity.DRAM_READ_BYTES in launch.measured
    assert launch.tensor is None


def test_half_instructions_on_the_tensor_pipe_are_no_matrix_instructions(recorded):
    """The recorded numbers of other counters, under the names of the tensor pipe's."""
    text = recorded("base_units.csv")
    pipe = "sm__inst_executed_pipe_tensor.sum"
    half = "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"
    # 128 requests of loads and as many of stores; 512 sectors
    loads, stores = (f"l1tex__t_requests_pipe_lsu_mem_global_op_{way}.sum" for way in ("ld", "st"))
    sectors = loads.replace("requests", "sectors")

    def tensor(**names):
        renamed = {pipe: None, **{old: new for new, old in names.items()}}
        swap = {old: {"pipe": pipe, "half": half}.get(new, new) for old, new in renamed.items()}
        return read_ncu_csv(columns(text, lambda name: swap.get(name, name)), "f")[0].tensor

    assert tensor(pipe=loads, half=stores) is False
    assert tensor(pipe=sectors, half=stores) is True
    assert tensor(pipe=loads) is True


def test_dram_counters_have_other_names_on_newer_chips(recorded):
    text = columns(
        recorded("base_units.csv"),
        lambda name: name.replace("bytes_read", "bytes_op_read").replace(
            "bytes_write", "bytes_op_write"
        ),
    )
    assert read_ncu_csv(text, "f") == read_ncu_csv(recorded("base_units.csv"), "f")


def export(column, unit, cell):
    return f'"ID","Kernel Name","Grid Size","{column}"\n"","","","{unit}"\n"0","k(int)","(4, 1, 1)","{cell}"\n'


@pytest.mark.parametrize(
    ("unit", "cell", "expected_bytes"),
    [
        ("byte", "33,558,784", 33558784),
        ("Mbyte", "33.558784", 33558784),
        ("MB", "1.5", 1.5e6),
        ("kB", "2", 2000),
        ("MiB", "1.5", 1.5 * 1024**2),
        ("Kibyte", "3", 3072),
        ("Gibyte", "1", 1024**3),
        ("byte", "4.19e+06", 4190000),
        ("byte", "1,024 (1: 1,000; 2: 24)", 1024),
    ],
)
def test_units_of_bytes(unit, cell, expected_bytes):
    (launch,) = read_ncu_csv(export("dram__bytes_read.sum", unit, cell), "f")
    assert launch.measured[Quantity.DRAM_READ_BYTES] == pytest.approx(expected_bytes, rel=1e-12)


@pytest.mark.parametrize("unit", ["", "furlong", "Mbit", "us", "byte/s"])
def test_a_unit_that_is_missing_or_unknown_is_named(unit):
    with pytest.raises(ProfileError, match=r"dram__bytes_read\.sum") as caught:
        read_ncu_csv(export("dram__bytes_read.sum", unit, "5"), "f")
    assert (repr(unit) if unit else "no unit") in str(caught.value)
    with pytest.raises(ProfileError, match=r"gpu__time_duration\.sum"):
        read_ncu_csv(export("gpu__time_duration.sum", unit.replace("us", "byte"), "5"), "f")


@pytest.mark.parametrize(
    ("unit", "cell"),
    [("Mbyte", "33,558784"), ("Mbyte", "1,5"), ("byte", "33.558.784"), ("byte", "-10")],
)
def test_no_other_form_of_numbers_is_guessed(unit, cell):
    with pytest.raises(ProfileError, match=cell):
        read_ncu_csv(export("dram__bytes_read.sum", unit, cell), "f")


def test_a_count_is_a_whole_number():
    """262.144 is 262,144 in a German export."""
    column = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
    (launch,) = read_ncu_csv(export(column, "", "262,144"), "f")
    assert launch.measured[Quantity.GLOBAL_LD_REQUESTS] == 262144
    with pytest.raises(ProfileError, match=r"'262\.144', not a whole number"):
        read_ncu_csv(export(column, "", "262.144"), "f")


def test_exports_one_after_another_in_a_file(recorded):
    exact, scaled = recorded("base_units.csv"), recorded("scaled_units.csv")
    both = read_ncu_csv(exact + scaled, "f")
    assert both == (*read_ncu_csv(exact, "f"), *read_ncu_csv(scaled, "f"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no table of Nsight Compute"),
        ("==WARNING== No kernels were profiled.\n", "no profiled kernel"),
        ('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n', "page of details"),
        ('"ID","Kernel Name"\n"",""\n', "no profiled kernel"),
        ('"ID","Kernel Name"\n"",""\n"0","k","1"\n', "3 cells for 2 names"),
        (
            '"ID","Kernel Name","gpu__time_duration.sum"\n"","","ns"\n"0","k","1;5"\n',
            "not a number",
        ),
    ],
)
def test_what_is_no_export_is_said(text, problem):
    with pytest.raises(ProfileError, match=problem) as caught:
        read_ncu_csv(text, "export.csv")
    assert caught.value.file == "export.csv"
    assert caught.value.remedy
