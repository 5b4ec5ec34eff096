"""Files that were made elsewhere, put together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from roofstat.errors import ProfileError
from roofstat.evaluation.labels import Quantity
from roofstat.profiling import select
from roofstat.profiling.imports import read_exports

INTEGER = "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"
READ = "dram__bytes_read.sum"


def export(column, unit, *launches):
    """A table with one counter; a launch is kernel and cell."""
    rows = [f'"{at}","{kernel}","(4, 1, 1)","{cell}"' for at, (kernel, cell) in enumerate(launches)]
    return "\n".join(
        (f'"ID","Kernel Name","Grid Size","{column}"', f'"","","","{unit}"', *rows, "")
    )


@pytest.fixture
def read(tmp_path):
    def call(*contents):
        files = [tmp_path / f"{at}.csv" for at in range(len(contents))]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_exports([str(file) for file in files], lambda: Path("ncu"))

    return call


def test_other_counters_of_the_same_launches_make_one_row(read):
    done = read(
        export(READ, "byte", ("k(int)", 32), ("k(int)", 64)),
        export(INTEGER, "inst", ("k(int)", 5), ("k(int)", 6), ("other(int)", 7)),
    )
    assert [dict(launch.measured) for launch in done.launches] == [
        {Quantity.DRAM_READ_BYTES: 32, Quantity.INT_OP: 5},
        {Quantity.DRAM_READ_BYTES: 64, Quantity.INT_OP: 6},
        {Quantity.INT_OP: 7},
    ]
    assert done.repeated == Counter()


def test_the_same_counters_again_are_another_run(read):
    done = read(
        export(INTEGER, "inst", ("k(int)", 5)),
        export(INTEGER, "inst", ("k(int)", 6), ("other(int)", 7)),
    )
    assert [launch.measured[Quantity.INT_OP] for launch in done.launches] == [5, 6, 7]
    assert list(done.repeated.values()) == [1]
    kept = select(done.launches).launches
    assert [launch.measured[Quantity.INT_OP] for launch in kept] == [5, 7]


def test_names_without_signature_do_not_make_one_row_of_two_kernels(read):
    bare = export(INTEGER, "inst", ("scale", 5), ("scale", 5), ("scale", 9))
    done = read(bare)
    assert "names without signature" in done.notes[0]
    kept = select(done.launches).launches
    assert [launch.measured[Quantity.INT_OP] for launch in kept] == [5, 9]
    assert "without signature" in kept[0].note
    signed = read(bare.replace("scale", "scale(int)"))
    assert signed.notes == ()
    assert len(select(signed.launches).launches) == 1


def test_an_export_without_any_counter_is_refused(read):
    with pytest.raises(ProfileError, match="none of the counters") as caught:
        read(export("gpu__time_duration.sum", "ns", ("k(int)", 5)))
    assert INTEGER in (caught.value.remedy or "")


def test_texts_of_other_encodings(read):
    text = export(INTEGER, "inst", ("k(int)", 5)).replace("Grid Size", "Grid Sizeé")
    for content in (text.encode("utf-16"), text.encode("latin-1"), text.encode("utf-8-sig")):
        (launch,) = read(content).launches
        assert launch.measured[Quantity.INT_OP] == 5
    with pytest.raises(ProfileError, match="not text"):
        read(b"\x7fELF\0\0")
