from __future__ import annotations

import pytest

from roofstat.errors import LabelError
from roofstat.evaluation.labels import (
    InputState,
    Quantity,
    program_family,
    read_label_table,
    read_label_tables,
)
from roofstat.report import Language
from roofstat.roofline import NumberType, Verdict


def test_every_cell_becomes_a_typed_value(make_table, make_cells):
    (row,) = read_label_table(make_table([make_cells(grid_y=3, time_ns=2500)]))
    assert row.language is Language.CUDA
    assert row.label is Verdict.BANDWIDTH
    assert row.sources == ("scale-cuda/main.cu",)
    assert row.flags == ("-Iscale-cuda", "-DN=4", "-std=c++17")
    assert row.args == ("1000",)
    assert row.grid == (8, 3, 1)
    assert row.block == (128, 1, 1)
    assert row.time_s == pytest.approx(2500e-9)
    assert row.measured == {
        Quantity.SP_FLOP: 1000,
        Quantity.DP_FLOP: 0,
        Quantity.INT_OP: 4000,
        Quantity.DRAM_BYTES: 1000,
    }
    assert row.ridge_op_per_byte == {
        NumberType.FP32: 20,
        NumberType.FP64: 10,
        NumberType.INT: 5,
    }
    assert (row.table, row.table_line) == ("invented", 2)


def test_missing_columns_are_unknown_and_not_zero(make_table):
    (row,) = read_label_table(
        make_table(
            [{"program": "p", "language": "cuda", "kernel": "k(int)"}],
            header=("program", "language", "kernel"),
        )
    )
    assert row.measured == {}
    assert row.ridge_op_per_byte == {}
    assert (row.grid, row.block, row.gpu, row.args, row.time_s, row.label) == (None,) * 6
    assert row.input_state is InputState.NO_FILE


def test_an_empty_args_cell_means_no_arguments_and_a_missing_column_means_unknown(
    make_table, make_cells
):
    (row,) = read_label_table(make_table([make_cells(args="")]))
    assert row.args == ()


def test_empty_measurements_are_unknown(make_table, make_cells):
    (row,) = read_label_table(make_table([make_cells(int_op="")]))
    assert Quantity.INT_OP not in row.measured


def test_unknown_columns_are_ignored(make_table, make_cells):
    table = make_table([{**make_cells(), "remark": "x"}], header=(*make_cells(), "remark"))
    assert len(read_label_table(table)) == 1


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    file = tmp_path / "bom.csv"
    file.write_bytes(b"\xef\xbb\xbfprogram,language,kernel\np,cuda,k\n")
    assert read_label_table(file)[0].program == "p"


def test_quoted_cells_keep_commas_and_quoted_arguments_keep_spaces(make_table, make_cells):
    (row,) = read_label_table(make_table([make_cells(args='"a file.txt" -n 3')]))
    assert row.kernel == "scale(float *, int)"
    assert row.args == ("a file.txt", "-n", "3")


def test_several_tables_keep_their_order(make_table, make_cells):
    tables = [make_table([make_cells(program=name)], f"{name}.csv") for name in ("b", "a")]
    assert [row.table for row in read_label_tables(tables)] == ["b", "a"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"int_op": "many"}, "int_op is 'many'"),
        ({"int_op": "-3"}, "int_op is -3"),
        ({"int_op": "nan"}, "int_op is nan"),
        ({"language": "fortran"}, "language is 'fortran'"),
        ({"language": ""}, "no language"),
        ({"program": ""}, "no program"),
        ({"label": "unknown"}, "label is 'unknown'"),
        ({"kernel": ""}, "names no kernel"),
        ({"language": "openmp", "function": "main", "line": ""}, "without function or line"),
        ({"grid_x": "0"}, "grid is"),
        ({"block_x": "64", "block_y": "32"}, "2,048 threads in a block"),
        ({"line": "1.5"}, "not a whole number"),
        ({"args": '"open'}, "args: No closing quotation"),
    ],
)
def test_a_malformed_row_is_named_with_file_line_and_remedy(make_table, make_cells, changes, words):
    table = make_table([make_cells(), make_cells(**changes)])
    with pytest.raises(LabelError) as caught:
        read_label_table(table)
    assert caught.value.file == str(table)
    assert caught.value.line == 3
    assert words in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column"),
        ("program,language\np,cuda\n", "names no kernels"),
        ("language,kernel\ncuda,k\n", "no column program"),
        ("program,language,kernel\n", "holds no rows"),
        ("program,language,kernel\np,cuda,k(int, int)\n", "more cells than the header"),
        ("program,language,kernel\np,cuda\n", "fewer cells than the header"),
        ("program,language,kernel,kernel\np,cuda,k,j\n", "column kernel more than once"),
    ],
)
def test_a_table_without_what_it_needs_is_refused(tmp_path, text, words):
    file = tmp_path / "table.csv"
    file.write_text(text)
    with pytest.raises(LabelError, match=words):
        read_label_table(file)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('program,language,kernel\np,cuda,k\np,cuda,"j\np,cuda,i\n', 3, "not CSV"),
        ("program,language,kernel\np,cuda,k\np,cuda,j\np,cuda,k\n", 4, "repeats line 2"),
    ],
)
def test_an_open_quote_and_a_repeated_row_are_named_with_their_line(tmp_path, text, line, words):
    """The quote swallows what follows, which would be one row less without a word; a repeated row would count twice."""
    file = tmp_path / "table.csv"
    file.write_text(text)
    with pytest.raises(LabelError, match=words) as caught:
        read_label_table(file)
    assert caught.value.line == line


def test_a_missing_file_and_a_binary_file_are_refused(tmp_path):
    with pytest.raises(LabelError, match="no such file"):
        read_label_table(tmp_path / "none.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(LabelError, match="UTF-8"):
        read_label_table(binary)


def test_the_forms_of_a_program_are_one_family():
    assert {program_family(name) for name in ("bfs-cuda", "bfs-omp", "bfs-hip")} == {"bfs"}
    assert program_family("bfs-cuda-v2") == "bfs-cuda-v2"
    # forms that differ in their type alone are twins
    twins = ("mm_fp32", "mm_fp64-cuda", "mm-half2", "mm_u32", "mm_double", "mm")
    assert {program_family(name) for name in twins} == {"mm"}
    assert [program_family(name) for name in ("fp32", "sha256", "lu_16", "print")] == [
        "fp32",
        "sha256",
        "lu_16",
        "print",
    ]
