"""From the trace of a launch to its report: counts, traffic, placement, and the lists that explain them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis.assumptions import assumptions_of, confidence_cap
from roofstat.analysis.certain_work import PIPE_INSTRUCTIONS, certain_work
from roofstat.analysis.details import access_reports, counts_of, line_reports, loop_reports
from roofstat.analysis.judging import judged
from roofstat.analysis.latency import latency_report
from roofstat.analysis.launch_limits import exceeded_limits
from roofstat.analysis.patterns import patterns_of
from roofstat.analysis.settings import cost_compiler, report_compiler
from roofstat.analysis.unseen import unseen_reason
from roofstat.hardware import TensorType, occupancy
from roofstat.hardware.units import LINE_BYTES, SHARED_WAVEFRONT_BYTES
from roofstat.instructions.model import count_instructions
from roofstat.memory.local import HiddenWords
from roofstat.memory.model import model_memory
from roofstat.program.code import Op, Space, TensorOperation
from roofstat.report import (
    Counts,
    DramBytes,
    KernelReport,
    Language,
    Launch,
    LaunchSource,
    OccupancyReport,
    TrafficBytes,
    TrafficRegime,
    strongest_weights,
)
from roofstat.roofline import UNKNOWN_WORK, Placement, Work, display_read_bytes, place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clang_queries.command_line import ParseOptions
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.analysis.patterns.source_text import SourceTexts
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.trace import LaunchTrace
    from roofstat.instructions.model import CompilerFlags, InstructionCounts
    from roofstat.memory.records import MemoryTraffic
    from roofstat.program.link import Program
    from roofstat.program.openmp import TargetRegion
    from roofstat.report import LatencyReport


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelContext:
    """What all launches of one program share."""

    options: AnalysisOptions
    parse: ParseOptions
    flags: CompilerFlags
    program: Program
    languages: Mapping[str, str]
    texts: SourceTexts


def kernel_report(launch: HostLaunch, context: KernelContext) -> KernelReport:
    """Model one traced launch."""
    gpu = context.options.gpu
    subject = _subject(launch.kernel, context)
    language = subject.language
    compiler = report_compiler(context.options, language)
    trace = launch.trace
    architecture = gpu.target if gpu.target.startswith("sm_") else "sm_80"
    counts = count_instructions(
        trace, compiler=cost_compiler(compiler), architecture=architecture, flags=context.flags
    )
    memory = model_memory(
        trace,
        gpu,
        registers_per_thread=counts.registers_per_thread,
        code_instructions=counts.code_instructions,
        local_slots=counts.local_slots,
        indexed_by_data=counts.indexed_by_data,
        known_loads=counts.known_loads,
        hidden_words=HiddenWords(
            argument_copy_bytes=counts.copied_arguments.size_bytes,
            frame_bytes=counts.frame.size_bytes,
            stored=counts.frame.stored,
            spilled_bytes=counts.spilled.size_bytes,
            spilled=counts.spilled.stored,
            reloaded=counts.spilled.loaded,
        ),
        coefficient_loads=counts.coefficient_loads,
        argument_sites=counts.copied_arguments.sites,
        load_batches=counts.load_batches,
        vanished_loops=counts.vanished_loops,
    )
    residency = _occupancy(trace, counts, context)
    exceeded = exceeded_limits(launch, gpu, residency, context.program)
    assumptions = assumptions_of(launch, counts, memory, context.flags, exceeded)
    regime = context.options.traffic
    unseen = unseen_reason(launch, counts, memory)
    latency = latency_report(trace, counts, memory, regime, gpu, residency.waves)
    works = {
        each: UNKNOWN_WORK if unseen else _work(counts, memory, trace, context, each, latency)
        for each in TrafficRegime
    }
    display_bytes = display_read_bytes(works[TrafficRegime.PROFILED], gpu)
    works[TrafficRegime.PROFILED] = _beside_display(works[TrafficRegime.PROFILED], display_bytes)
    placements = {
        each: place(
            work,
            gpu,
            certain=None if unseen else certain_work(work, counts, memory, trace, each),
            assumption_weights=strongest_weights(assumptions),
        )
        for each, work in works.items()
    }
    report = KernelReport(
        name=subject.name,
        signature=subject.signature,
        function=subject.function,
        directive=subject.directive,
        language=language,
        file=subject.file,
        line=subject.line,
        column=max(subject.column, 1),
        end_line=max(subject.end_line, subject.line),
        compiler=compiler,
        launch=_launch(launch),
        counts=Counts() if unseen else counts_of(counts.totals),
        traffic=TrafficBytes() if unseen else _traffic(memory, display_bytes),
        regime=regime,
        occupancy=residency,
        latency=None if unseen else latency,
        assumptions=assumptions,
        loops=loop_reports(trace, counts, launch, subject.file),
        accesses=access_reports(memory, trace, context.texts, subject.file),
        lines=line_reports(counts, memory, subject.file, regime),
        patterns=()
        if unseen or not context.options.patterns
        else patterns_of(launch, counts, context.program, context.texts, subject.file),
        unknown=_unknown(placements[regime], unseen),
    )
    return judged(report, placements, highest=confidence_cap(launch, exceeded))


def _unknown(placement: Placement, unseen: str | None) -> dict[str, str]:
    """Reasons of unknown values by their place in the report."""
    found = {f"intensity.{kind.value}": reason for kind, reason in placement.unknown.items()}
    if unseen is not None:
        found |= {f"counts.{field.name}": unseen for field in fields(Counts)}
        found |= {
            f"bytes.{regime.value}.{part}": unseen
            for regime in TrafficRegime
            for part in ("dram_read", "dram_write", "dram")
        }
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What a report is about: a kernel function, or a target region."""

    name: str
    signature: str
    function: str | None
    directive: str | None
    language: Language
    file: str
    line: int
    column: int
    end_line: int


def _subject(key: str, context: KernelContext) -> _Subject:
    region = context.program.regions.get(key)
    if region is not None:
        signature = enclosing_signature(context.program, region)
        return _Subject(
            name=f"{region.function.rsplit('::', 1)[-1]}:{region.line}",
            signature=signature,
            function=signature,
            directive=region.directive,
            language=Language.OPENMP,
            file=region.position.file,
            line=region.position.line,
            column=region.position.column,
            end_line=region.end_line,
        )
    function = context.program.functions[key]
    return _Subject(
        name=function.name.rsplit("::", 1)[-1],
        signature=function.signature,
        function=None,
        directive=None,
        language=Language(context.languages.get(key, "cuda")),
        file=function.position.file,
        line=function.position.line,
        column=function.position.column,
        end_line=function.end_line,
    )


def enclosing_signature(program: Program, region: TargetRegion) -> str:
    """Signature of the function around a target region."""
    function = program.functions.get(region.function_key)
    return function.signature if function is not None else region.function


def _launch(launch: HostLaunch) -> Launch:
    return Launch(
        grid=launch.grid,
        block=launch.block,
        shared_bytes=launch.shared_bytes,
        count=0 if launch.is_untaken else round(launch.count),
        index=launch.index,
        source=LaunchSource(launch.source),
        file=launch.position.file or None,
        line=launch.position.line or None,
    )


def _beside_display(work: Work, display_bytes: float) -> Work:
    if not display_bytes or work.dram_bytes is None:
        return work
    return replace(work, dram_bytes=work.dram_bytes + display_bytes)


def _traffic(memory: MemoryTraffic, display_bytes: float) -> TrafficBytes:
    return TrafficBytes(
        profiled=DramBytes(
            read_bytes=memory.profiled.read_bytes + display_bytes,
            write_bytes=memory.profiled.write_bytes,
        ),
        steady=DramBytes(
            read_bytes=memory.steady.read_bytes, write_bytes=memory.steady.write_bytes
        ),
        dram_terms=replace(memory.dram_terms, display_bytes=display_bytes),
        compulsory_bytes=memory.unique_read_bytes + memory.unique_write_bytes,
        l2_bytes=memory.l2_bytes,
        global_ld_requests=memory.global_load_requests,
        global_ld_sectors=memory.global_load_sectors,
        global_st_requests=memory.global_store_requests,
        global_st_sectors=memory.global_store_sectors,
        local_bytes=memory.local_bytes,
        shared_bytes=memory.shared_wavefronts * SHARED_WAVEFRONT_BYTES,
        l1_bytes=memory.l1_passes * LINE_BYTES,
        shared_bank_conflicts=memory.shared_bank_conflicts,
    )


def _work(
    counts: InstructionCounts,
    memory: MemoryTraffic,
    trace: LaunchTrace,
    context: KernelContext,
    regime: TrafficRegime,
    latency: LatencyReport,
) -> Work:
    """What a launch does; its latency is that of the regime to judge by, which alone is reported."""
    gpu = context.options.gpu
    dram = memory.steady if regime is TrafficRegime.STEADY else memory.profiled
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    scattered = memory.atomic_addresses * 8 >= memory.atomic_threads
    return Work(
        sp_flop=counts.sp_flop,
        dp_flop=counts.dp_flop,
        hp_flop=counts.hp_flop,
        int_op=counts.int_op,
        special_op=counts.special_op,
        instructions={kind: counts.total(each) for kind, each in PIPE_INSTRUCTIONS.items()},
        tensor_flop={_tensor_type(trace): counts.tensor_flop} if counts.tensor_flop else {},
        dram_bytes=dram.total_bytes,
        l2_bytes=memory.l2_bytes,
        shared_bytes=memory.shared_wavefronts * SHARED_WAVEFRONT_BYTES,
        l1_bytes=memory.l1_passes * LINE_BYTES,
        constant_address=memory.constant_addresses,
        issued_op=counts.instructions,
        shared_atomic_op=memory.shared_atomic_threads,
        global_atomic_op=memory.atomic_threads,
        global_atomic_sector_op=memory.atomic_threads if scattered else 0.0,
        global_atomic_same_address_op=memory.atomic_contention_float,
        global_atomic_same_address_int_op=memory.atomic_contention_int,
        global_atomic_same_sector_request=memory.atomic_contention_sector,
        busy_sm_share=min(1.0, blocks / gpu.sm_count),
        latency_s=latency.time_s,
    )


_TENSOR_TYPES = {
    "half": TensorType.FP16,
    "__half": TensorType.FP16,
    "f16": TensorType.FP16,
    "bf16": TensorType.FP16,
    "float": TensorType.TF32,
    "tf32": TensorType.TF32,
    "f32": TensorType.TF32,
    "double": TensorType.FP64,
    "f64": TensorType.FP64,
    "s8": TensorType.INT8,
    "u8": TensorType.INT8,
    "char": TensorType.INT8,
    "e4m3": TensorType.FP8,
    "e5m2": TensorType.FP8,
}


def _tensor_type(trace: LaunchTrace) -> TensorType:
    for _, item in trace.code.instructions():
        detail = item.detail
        if item.op is Op.TENSOR and isinstance(detail, TensorOperation) and detail.kind == "mma":
            name = detail.input_type.rsplit("::", 1)[-1]
            return _TENSOR_TYPES.get(name, TensorType.FP16)
    return TensorType.FP16


def _occupancy(
    trace: LaunchTrace, counts: InstructionCounts, context: KernelContext
) -> OccupancyReport:
    gpu = context.options.gpu
    threads = trace.block[0] * trace.block[1] * trace.block[2]
    static = sum(
        slot.size_bytes
        for slot in trace.code.slots
        if slot.space is Space.SHARED and not slot.is_dynamic_shared
    )
    shared = static + trace.dynamic_shared_bytes
    registers = min(counts.registers_per_thread, gpu.max_registers_per_thread)
    found = occupancy(
        gpu,
        threads_per_block=threads,
        registers_per_thread=registers,
        shared_bytes_per_block=shared,
    )
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    return OccupancyReport(
        registers_per_thread=registers,
        shared_bytes_per_block=shared,
        blocks_per_sm=found.blocks_per_sm,
        warps_per_sm=found.warps_per_sm,
        share=found.share,
        limiter=found.limiter,
        waves=blocks / (max(found.blocks_per_sm, 1) * gpu.sm_count),
    )
