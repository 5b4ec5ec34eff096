"""Sample reports: every field filled, numbers that follow from a saxpy of n elements."""

import argparse
import dataclasses
import io

import pytest

from roofstat.cli.console import Console
from roofstat.hardware import load_gpu, occupancy
from roofstat.report import (
    AccessReport,
    AnalysisError,
    Assumption,
    AssumptionKind,
    Compiler,
    Counts,
    Diagnostic,
    Direction,
    DramBytes,
    ErrorKind,
    KernelReport,
    Language,
    LatencyReport,
    Launch,
    LaunchSource,
    LineReport,
    LoopReport,
    MemoryLevel,
    MemorySpace,
    OccupancyReport,
    Report,
    Severity,
    Tool,
    TrafficBytes,
    TrafficRegime,
    TripCountSource,
    Verdict,
    WarpStep,
    ranked,
)
from roofstat.roofline import Work, place

_BLOCK = 256


def build_kernel(gpu=None, *, n=1 << 24, sp_per_element=2, int_per_element=3, **changes):
    """A saxpy: 8 bytes read and 4 written for each element."""
    gpu = gpu or load_gpu("a100")
    work = Work(
        sp_flop=sp_per_element * n,
        int_op=int_per_element * n,
        dram_bytes=12 * n,
        l2_bytes=12 * n,
    )
    placed = place(work, gpu, assumption_weights=[0.2])
    resident = occupancy(gpu, threads_per_block=_BLOCK, registers_per_thread=16)
    counts = Counts(
        sp_flop=work.sp_flop,
        dp_flop=0,
        hp_flop=0,
        tensor_flop=0,
        int_op=work.int_op,
        special_op=0,
        instructions=(sp_per_element + int_per_element + 1) * n,
    )
    dram = DramBytes(read_bytes=8 * n, write_bytes=4 * n)
    kernel = KernelReport(
        name="saxpy",
        signature="saxpy(int, float, const float *, float *)",
        language=Language.CUDA,
        file="examples/saxpy.cu",
        line=3,
        end_line=6,
        compiler=Compiler.NVCC,
        launch=Launch(
            grid=(max(n // _BLOCK, 1), 1, 1),
            block=(_BLOCK, 1, 1),
            count=100,
            source=LaunchSource.HOST_CODE,
            file="examples/saxpy.cu",
            line=20,
        ),
        counts=counts,
        traffic=TrafficBytes(
            profiled=DramBytes(read_bytes=8 * n, write_bytes=3 * n),
            steady=dram,
            l2_bytes=12 * n,
            global_ld_requests=n / 16,
            global_ld_sectors=n / 4,
            global_st_requests=n / 32,
            global_st_sectors=n / 8,
            local_bytes=0,
            shared_bytes=0,
        ),
        verdicts={TrafficRegime.STEADY: placed.verdict, TrafficRegime.PROFILED: placed.verdict},
        intensity=placed.intensity,
        intensity_interval=placed.intensity_interval,
        ridge=placed.ridge,
        verdict=placed.verdict,
        limiter=placed.limiter,
        bound_by=placed.bound_by,
        confidence=placed.confidence,
        times_s=placed.times_s,
        attainable_time_s=placed.attainable_time_s,
        modelled_time_s=placed.modelled_time_s,
        occupancy=OccupancyReport(
            registers_per_thread=16,
            shared_bytes_per_block=0,
            blocks_per_sm=resident.blocks_per_sm,
            warps_per_sm=resident.warps_per_sm,
            share=resident.share,
            limiter=resident.limiter,
            waves=n / _BLOCK / resident.blocks_per_sm / gpu.sm_count,
        ),
        latency=LatencyReport(
            time_s=(65 * (30 + 600 + 20) + 1410) / gpu.clock_hz,
            waves=65,
            step_clocks={WarpStep.ISSUE: 30, WarpStep.LOAD: 600, WarpStep.ARITHMETIC: 20},
            rare_clocks=1410,
            load_clocks=300,
            load_lines={("examples/saxpy.cu", 4): 600},
            level_clocks={MemoryLevel.L1: 33, MemoryLevel.L2: 200, MemoryLevel.DRAM: 400},
            level_shares={MemoryLevel.L1: 0, MemoryLevel.L2: 0.5, MemoryLevel.DRAM: 0.5},
        ),
        scaling={"n": {"sp_flop": 1.0, "dram": 1.0}},
        assumptions=(
            Assumption(
                kind=AssumptionKind.TRIP_COUNT,
                text="the loop runs 20 times: log2 of the size of the sorted array",
                file="examples/saxpy.cu",
                line=4,
                weight=0.2,
            ),
        ),
        loops=(
            LoopReport(line=4, depth=0, trip_count=4096, source=TripCountSource.CODE, share=0.9),
            LoopReport(line=5, depth=1, trip_count=20, source=TripCountSource.ASSUMED),
        ),
        accesses=(
            AccessReport(
                line=5,
                array="x",
                space=MemorySpace.GLOBAL,
                direction=Direction.READ,
                element_bytes=4,
                sectors_per_request=32,
                ideal_sectors_per_request=4,
                stride_bytes=128,
                footprint_bytes=4 * n,
                share=2 / 3,
            ),
            AccessReport(
                line=5,
                array="y",
                space=MemorySpace.GLOBAL,
                direction=Direction.WRITE,
                element_bytes=4,
                sectors_per_request=4,
                ideal_sectors_per_request=4,
                stride_bytes=4,
                footprint_bytes=4 * n,
                share=1 / 3,
            ),
        ),
        lines=(LineReport(line=5, counts=counts, dram_bytes=12 * n, executions=n),),
    )
    return dataclasses.replace(kernel, **changes)


def build_unknown_kernel():
    """A kernel of which nothing but the name is known."""
    return KernelReport(
        name="declared",
        signature="declared(int)",
        language=Language.CUDA,
        file="examples/api.cuh",
        line=1,
        end_line=1,
        compiler=Compiler.NVCC,
        verdict=Verdict.UNKNOWN,
        unknown={"verdict": "the kernel has no body"},
    )


def build_report(*kernels, gpu=None, **changes):
    """A report with a remark and an error."""
    report = Report(
        tool=Tool(version="0.1.0"),
        gpu=gpu or load_gpu("a100"),
        kernels=ranked(kernels or [build_kernel(), build_unknown_kernel()]),
        diagnostics=(
            Diagnostic(
                code="RS901",
                severity=Severity.WARNING,
                message="a launch is lost to an error in its arguments",
                file="examples/saxpy.cu",
                line=20,
                help="define N with -D",
            ),
        ),
        errors=(
            AnalysisError(
                kind=ErrorKind.CRASH,
                file="examples/bad.cu",
                message="the analysis process ended by SIGSEGV",
                signal="SIGSEGV",
            ),
        ),
        files=3,
    )
    return dataclasses.replace(report, **changes)


def run_subcommand(command, arguments, *rest, width=100, source=None, interactive=False):
    """Status, standard output and standard error of a subcommand's module; `rest` goes to its `run`."""
    own = command.add_parser(argparse.ArgumentParser().add_subparsers())
    out, err = io.StringIO(), io.StringIO()
    console = Console(
        out=out,
        err=err,
        source=io.BytesIO() if source is None else source,
        width=width,
        colour=False,
        unicode=True,
        interactive=interactive,
    )
    status = command.run(own.parse_intermixed_args([*map(str, arguments)]), console, *rest)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="session")
def run_command():
    return run_subcommand


@pytest.fixture(scope="session")
def make_kernel():
    return build_kernel


@pytest.fixture(scope="session")
def make_unknown_kernel():
    return build_unknown_kernel


@pytest.fixture(scope="session")
def make_report():
    return build_report
