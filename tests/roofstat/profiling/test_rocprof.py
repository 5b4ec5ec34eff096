"""CSV of AMD's profilers, written here after the tables in their documentation."""

from __future__ import annotations

import pytest

from roofstat.errors import ProfileError
from roofstat.evaluation.labels import Quantity
from roofstat.profiling.rocprof import UNTESTED, is_rocprof_csv, read_rocprof_csv
from roofstat.report import Language

_LONG = (
    '"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name",'
    '"Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name",'
    '"Counter_Value","Start_Timestamp","End_Timestamp"\n'
)


def line(dispatch, counter, value, kernel="axpy(float*, int)"):
    return f'1,{dispatch},"Agent 4",1,9,9,65536,7,"{kernel}",256,0,0,8,0,16,"{counter}",{value},1000,3500\n'


def test_a_row_for_each_dispatch_and_counter():
    # 65,536 work items are 1,024 waves of 64 lanes: one fused multiply-add each is 2 * 65,536 FLOP.
    text = _LONG + line(1, "SQ_INSTS_VALU_ADD_F32", 0) + line(1, "SQ_INSTS_VALU_MUL_F32", 0)
    text += line(1, "SQ_INSTS_VALU_FMA_F32", 1024) + line(1, "FETCH_SIZE", 512)
    assert is_rocprof_csv(text)
    (launch,) = read_rocprof_csv([(text, "f")])
    assert launch.measured == {
        Quantity.SP_FLOP: 2 * 65536,
        Quantity.DRAM_READ_BYTES: 512 * 1024,
    }
    assert launch.time_s == pytest.approx(2.5e-6)
    assert (launch.grid, launch.block) == (None, None)
    assert "65536 work items in groups of 256" in launch.note
    assert UNTESTED in launch.note
    assert launch.language is Language.HIP


def test_passes_of_one_run_are_put_together():
    first = _LONG + line(1, "FETCH_SIZE", 2) + line(2, "FETCH_SIZE", 4)
    second = _LONG + line(1, "WRITE_SIZE", 1) + line(2, "WRITE_SIZE", 3)
    launches = read_rocprof_csv([(first, "1"), (second, "2")])
    assert [launch.measured[Quantity.DRAM_BYTES] for launch in launches] == [3 * 1024, 7 * 1024]


def test_passes_of_different_runs_are_refused():
    other = _LONG + line(1, "WRITE_SIZE", 1, kernel="copy(float*)")
    with pytest.raises(ProfileError, match="dispatch 1 is another kernel"):
        read_rocprof_csv([(_LONG + line(1, "FETCH_SIZE", 2), "1"), (other, "2")])


def test_a_column_for_each_counter():
    text = (
        "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Kernel_Name,SQ_INSTS_VALU_INT32,SQ_INSTS_VALU_INT64,"
        "SQ_INSTS_VALU_MFMA_MOPS_F16,Start_Timestamp,End_Timestamp\n"
        "0,2,128,64,k,10,1,5,0,10\n"
    )
    assert is_rocprof_csv(text)
    (launch,) = read_rocprof_csv([(text, "f")])
    assert launch.measured == {Quantity.INT_OP: 11 * 64}
    assert launch.tensor is True


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_LONG, "no dispatch"),
        (_LONG + line(1, "FETCH_SIZE", "many"), "not a number"),
        (_LONG + line(1, "GRBM_COUNT", 5), "none of the counters"),
    ],
)
def test_what_cannot_be_read_is_said(text, problem):
    with pytest.raises(ProfileError, match=problem):
        read_rocprof_csv([(text, "f")])


def test_exports_of_the_other_profiler_are_told_apart(recorded):
    assert not is_rocprof_csv(recorded("base_units.csv"))
