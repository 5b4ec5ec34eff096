"""Entry point of the memory model."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from roofstat.execution.trace import RunAssumption
from roofstat.hardware import occupancy
from roofstat.hardware.units import LINE_BYTES, SECTOR_BYTES, WARP_SIZE
from roofstat.memory.bursts import find_bursts
from roofstat.memory.caches import BufferTraffic, GlobalTraffic, Residency, global_traffic
from roofstat.memory.coalescing import Requests, count_bank_use, lane_stride_bytes
from roofstat.memory.constants import ScatteredConstant, scattered_constants
from roofstat.memory.footprint import Level, ModelledSite, site_footprint_bytes
from roofstat.memory.l2_room import doubtful_room
from roofstat.memory.local import (
    HiddenWords,
    LocalTraffic,
    in_memory,
    local_sectors_per_request,
    local_traffic,
)
from roofstat.memory.modelling import SiteModeller
from roofstat.memory.parameters import MemoryParameters, memory_parameters
from roofstat.memory.records import (
    AccessSummary,
    AtomicContention,
    Direction,
    DramTerms,
    DramTraffic,
    FootprintMethod,
    MemoryTraffic,
)
from roofstat.memory.reuse import BufferSites, Part, group_by_buffer
from roofstat.memory.rows import with_joined_rows
from roofstat.memory.shared_footprint import shared_footprint
from roofstat.memory.sites import AccessSite, UnseenSite, collect_sites
from roofstat.memory.write_back import kept_in_l2, swept_out
from roofstat.program.code import Space

if TYPE_CHECKING:
    from collections.abc import Mapping

    from roofstat.execution.trace import LaunchTrace
    from roofstat.hardware import Gpu
    from roofstat.memory.fits import Fit

_GLOBAL = frozenset({Space.GLOBAL, Space.GENERIC, Space.TEXTURE, Space.HOST})
_COUNTED = frozenset({Space.GLOBAL, Space.GENERIC, Space.HOST})
"""Texture fetches are no global loads."""


def model_memory(
    trace: LaunchTrace,
    gpu: Gpu,
    *,
    registers_per_thread: int,
    code_instructions: float,
    local_slots: frozenset[int],
    indexed_by_data: frozenset[int] = frozenset(),
    known_loads: frozenset[int] = frozenset(),
    hidden_words: HiddenWords | None = None,
    coefficient_loads: float = 0.0,
    argument_sites: frozenset[int] = frozenset(),
    load_batches: Mapping[int, int] | None = None,
    vanished_loops: frozenset[int] = frozenset(),
) -> MemoryTraffic:
    """Return the memory traffic of a launch.

    Args:
        trace: What the abstract machine saw.
        gpu: The card.
        registers_per_thread: For the occupancy.
        code_instructions: Machine instructions that are fetched.
        local_slots: Slots of the code that stay in local memory; the others live in registers.
        indexed_by_data: Sites of accesses to such slots at an index that no unrolling makes constant.
        known_loads: Sites of loads whose values the compiler knows.
        hidden_words: What lies in local memory without a private array.
        coefficient_loads: Loads of the math library's coefficients, each by a warp; all lie in a few lines.
        argument_sites: Sites of loads from copies of arguments there.
        load_batches: For each loop, the iterations whose loads the compiler lets go out together; one where none are given.
        vanished_loops: Loops of which the compiler leaves nothing but copies of their bodies.
    """
    parameters = memory_parameters()
    trace = with_joined_rows(trace)
    bursts = find_bursts(trace, load_batches or {}, vanished_loops)
    seen, unseen = collect_sites(trace, local_slots, known_loads, bursts)
    modeller = SiteModeller(trace)
    residency = _residency(trace, gpu, registers_per_thread)
    sites = [modeller.model(site) for site in seen if site.space in _GLOBAL]
    groups = group_by_buffer(sites)
    traffic = global_traffic(trace, gpu, sites, groups, residency, parameters, bursts)
    room = doubtful_room(
        lambda others: global_traffic(trace, gpu, sites, groups, residency, others, bursts),
        traffic,
        gpu,
        parameters,
        sites,
    )
    total = traffic.total
    private = [
        (site, local_sectors_per_request(site))
        for site in in_memory([s for s in seen if s.space is Space.LOCAL], indexed_by_data)
    ]
    private += [
        (site, local_sectors_per_request(site)) for site in seen if site.number in argument_sites
    ]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    beside = LINE_BYTES * total.written_lines + parameters.clean_weight * total.dram_read_bytes
    local = local_traffic(
        trace,
        gpu,
        private,
        residency,
        parameters,
        indexed_by_data,
        beside * residency.blocks / blocks,
        hidden_words,
    )
    shared = [site for site in seen if site.space is Space.SHARED]
    constants = scattered_constants(seen)
    wavefronts, conflicts, certain_wavefronts = _shared_use(shared)
    unknown = [site for site in unseen if site.space in _GLOBAL]
    hidden = _hidden_bytes(trace, unknown, groups)
    profiled, steady, terms = _dram(trace, gpu, total, local, hidden, parameters, code_instructions)
    loads = _requests(sites, unknown, Direction.READ)
    stores = _requests(sites, unknown, Direction.WRITE)
    atomic_sites = [s for s in sites if s.site.direction is Direction.ATOMIC]
    whole = _whole(trace)
    contention = _contention(trace, groups, whole)
    return MemoryTraffic(
        profiled=profiled,
        steady=steady,
        dram_terms=terms,
        l2_bytes=total.l2_read_bytes
        + traffic.l2_write_bytes
        + local.l2_bytes
        + sum(_unseen_bytes(site) for site in unknown),
        l2_load_bytes=total.l2_read_bytes
        + sum(_unseen_bytes(site) for site in unknown if site.direction is Direction.READ),
        l1_passes=_l1_passes(sites, unknown, local, WARP_SIZE / gpu.load_lanes_per_clk)
        + coefficient_loads,
        constant_addresses=sum(each.addresses for each in constants),
        global_load_requests=loads.requests + coefficient_loads,
        global_load_sectors=loads.sectors_per_request * loads.requests
        + coefficient_loads * parameters.coefficient_sectors,
        global_store_requests=stores.requests,
        global_store_sectors=stores.sectors_per_request * stores.requests,
        local_bytes=local.requested_bytes,
        shared_wavefronts=wavefronts,
        shared_bank_conflicts=conflicts,
        atomic_threads=sum(s.site.threads for s in atomic_sites),
        atomic_addresses=sum(
            BufferSites(buffer=g.buffer, reads=[], writes=g.atomics).granules(Part.WRITES, whole)
            for g in groups
        ),
        atomic_contention_int=contention.integer,
        atomic_contention_float=contention.floating,
        atomic_contention_sector=contention.sector,
        shared_atomic_threads=sum(s.threads for s in shared if s.direction is Direction.ATOMIC),
        unique_read_bytes=total.unique_read_bytes,
        unique_write_bytes=total.unique_write_bytes,
        certain=traffic.certain,
        certain_shared_wavefronts=certain_wavefronts,
        certain_atomic_threads=sum(s.site.threads * s.site.certain_share for s in atomic_sites),
        certain_scattered_threads=sum(
            s.site.threads * s.site.certain_share * (1.0 - s.site.guess_share) for s in atomic_sites
        ),
        certain_contention=_contention(trace, groups, whole, is_certain=True),
        certain_shared_atomic_threads=sum(
            s.threads * s.certain_share for s in shared if s.direction is Direction.ATOMIC
        ),
        accesses=_summaries(
            sites,
            private,
            shared,
            constants,
            unknown,
            whole,
            _dram_by_site(groups, traffic, parameters.partial_fill(gpu)),
            local,
            hidden,
            -(-math.prod(trace.block) // WARP_SIZE),
        ),
        assumptions=(*_assumptions(sites, unknown), *room),
    )


def _whole(trace: LaunchTrace) -> Level:
    return Level((float(trace.grid[0]), float(trace.grid[1]), float(trace.grid[2])), 0)


def _residency(trace: LaunchTrace, gpu: Gpu, registers_per_thread: int) -> Residency:
    shared = trace.dynamic_shared_bytes + sum(
        slot.size_bytes
        for slot in trace.code.slots
        if slot.space is Space.SHARED and not slot.is_dynamic_shared
    )
    result = occupancy(
        gpu,
        threads_per_block=trace.block[0] * trace.block[1] * trace.block[2],
        registers_per_thread=min(registers_per_thread, gpu.max_registers_per_thread),
        shared_bytes_per_block=min(shared, gpu.shared_bytes_per_block),
    )
    blocks_per_sm = max(result.blocks_per_sm, 1)
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    return Residency(
        blocks_per_sm=blocks_per_sm,
        blocks=min(blocks, blocks_per_sm * gpu.sm_count),
        shared_bytes_per_sm=float(shared * min(blocks_per_sm, -(-blocks // gpu.sm_count))),
    )


def _shared_use(sites: list[AccessSite]) -> tuple[float, float, float]:
    """Wavefronts, those beyond what the widths need, and the fewest of accesses that surely run at known addresses."""
    wavefronts = conflicts = certain = 0.0
    for site in sites:
        use = count_bank_use(site)
        wavefronts += use.wavefronts_per_request * site.warps
        conflicts += use.conflicts_per_request * site.warps
        known = use.wavefronts_per_request - site.guess_share * use.conflicts_per_request
        certain += min(known, use.fewest_per_request) * site.warps * site.certain_share
    return wavefronts, conflicts, certain


def _l1_passes(
    sites: list[ModelledSite], unseen: list[UnseenSite], local: LocalTraffic, fewest: float
) -> float:
    """Passes of the L1s; lanes of a request without a known address have a sector in a line of its own each.

    Loads of 16 bytes that are 16, 32, 64, 128 and 256 bytes apart take 4.1, 8.0, 16.0, 32.0 and 32.0 clocks a request on an
    H200 where they hit: a clock for each line. Stores are taken to be like them.
    """
    seen = sum(max(s.lines_per_request, fewest) * s.site.warps for s in sites)
    hidden = sum(max(_unseen_bytes(s) / SECTOR_BYTES, fewest * s.warps) for s in unseen)
    return seen + hidden + local.requested_bytes / LINE_BYTES


def _contention(
    trace: LaunchTrace, groups: list[BufferSites], whole: Level, *, is_certain: bool = False
) -> AtomicContention:
    """What meets at one place of the buffer where most does; if `is_certain`, without what only a guess lets run."""
    return AtomicContention(
        **{
            name: max(
                (_meeting(trace, g, whole, is_float, is_certain) for g in groups), default=0.0
            )
            for name, is_float in (("integer", False), ("floating", True))
        },
        sector=max((_sector_contention(g, whole, is_certain) for g in groups), default=0.0),
    )


def _meeting(
    trace: LaunchTrace, group: BufferSites, whole: Level, is_float: bool, is_certain: bool
) -> float:
    """Atomics of one buffer that meet at one address, if all its addresses are hit alike.

    Integer atomics of a warp on one address count as one, since compilers merge them.
    """
    sites = [s for s in group.atomics if s.site.instruction.scalar.is_float is is_float]
    if not sites:
        return 0.0
    element = min(s.site.element_bytes for s in sites)
    alone = BufferSites(buffer=group.buffer, reads=[], writes=sites)
    addresses = alone.granules(Part.WRITES, whole, element)
    meeting = 0.0
    for each in sites:
        lanes = 1.0 if is_float else max(trace.atomic_conflicts.get(each.site.number, 1.0), 1.0)
        threads = each.site.threads * (each.site.certain_share if is_certain else 1.0)
        meeting += threads / lanes
    return meeting / max(addresses, 1.0)


def _sector_contention(group: BufferSites, whole: Level, is_certain: bool) -> float:
    alone = BufferSites(buffer=group.buffer, reads=[], writes=group.atomics)
    requested = sum(
        s.requests.sectors * (s.site.certain_share if is_certain else 1.0) for s in group.atomics
    )
    return requested / max(alone.granules(Part.WRITES, whole), 1.0)


def _unseen_bytes(site: UnseenSite) -> float:
    """Every thread moves its own bytes, adjacent ones sharing sectors: the middle between one sector each and broadcast."""
    return max(site.threads * site.element_bytes, site.warps * SECTOR_BYTES)


def _hidden_bytes(
    trace: LaunchTrace, unseen: list[UnseenSite], groups: list[BufferSites]
) -> dict[Direction, float]:
    """DRAM bytes of accesses without a known address: new bytes each time, but no more than there are.

    Where an instruction was seen at other times, those are what is left of the arrays that it was seen at, else what all
    known arrays hold. Atomics meet at few addresses, as a rule (counters, histograms).
    """
    reach = sum(buffer.size_bytes or 0 for buffer in trace.buffers.values()) or math.inf
    whole = _whole(trace)
    hidden = dict.fromkeys(Direction, 0.0)
    for site in unseen:
        if site.direction is Direction.ATOMIC:
            continue
        part = Part.READS if site.direction is Direction.READ else Part.WRITES
        seen_at = [
            group
            for group in groups
            if any(each.site.number == site.instruction.site for each in group.sites(part))
        ]
        left = sum(_untouched_bytes(group, part, whole) for group in seen_at) if seen_at else reach
        hidden[site.direction] += min(_unseen_bytes(site), left)
    return hidden


def _untouched_bytes(group: BufferSites, part: Part, whole: Level) -> float:
    size = group.buffer.size_bytes if group.buffer is not None else None
    return math.inf if not size else max(size - SECTOR_BYTES * group.granules(part, whole), 0.0)


def _requests(
    sites: list[ModelledSite], unseen: list[UnseenSite], direction: Direction
) -> Requests:
    mine = [s for s in sites if s.site.direction is direction and s.site.space in _COUNTED]
    hidden = [s for s in unseen if s.direction is direction and s.space in _COUNTED]
    requests = sum(s.site.warps for s in mine) + sum(s.warps for s in hidden)
    sectors = sum(s.requests.sectors for s in mine)
    sectors += sum(_unseen_bytes(s) / SECTOR_BYTES for s in hidden)
    return Requests(sectors_per_request=sectors / requests if requests else 0.0, requests=requests)


def _dram(
    trace: LaunchTrace,
    gpu: Gpu,
    traffic: BufferTraffic,
    local: LocalTraffic,
    hidden: dict[Direction, float],
    parameters: MemoryParameters,
    code_instructions: float,
) -> tuple[DramTraffic, DramTraffic, DramTerms]:
    """Profiled and steady DRAM traffic, and what both are made of."""
    code_bytes = code_instructions * parameters.instruction_bytes
    lines = math.ceil(code_bytes / parameters.code_line_bytes)
    constants = sum(parameter.size_bytes for parameter in trace.code.parameters)
    floor = parameters.launch_bytes + parameters.code_line_bytes * max(lines, 1)
    floor += SECTOR_BYTES * (constants // 256)
    reads = traffic.dram_read_bytes + local.dram_read_bytes + hidden[Direction.READ]
    writes = traffic.dram_write_bytes + local.dram_write_bytes + hidden[Direction.WRITE]
    fill = parameters.partial_fill(gpu) * traffic.partial_write_bytes
    # What is written where it was read takes no further room, however often it was read.
    read = max(traffic.unique_read_bytes, traffic.overwritten_bytes, SECTOR_BYTES)
    elsewhere = traffic.dram_read_bytes * (1.0 - traffic.overwritten_bytes / read)
    elsewhere += hidden[Direction.READ] + max(local.dram_read_bytes - local.dirty_bytes, 0.0)
    kept, foreign = _write_back_residue(
        gpu, elsewhere, fill, writes, traffic, hidden, parameters, local
    )
    factor = gpu.ecc_dram_factor
    left = writes - kept if writes - kept >= SECTOR_BYTES else 0.0
    filled = fill * _filled_share(gpu, traffic, parameters)
    profiled = DramTraffic(
        read_bytes=floor + factor * (reads + filled), write_bytes=factor * (left + foreign)
    )
    steady = DramTraffic(read_bytes=floor + factor * (reads + fill), write_bytes=factor * writes)
    distinct_reads = min(traffic.distinct_read_bytes + hidden[Direction.READ], reads)
    beside_reads = min(traffic.beside_read_bytes, reads - distinct_reads)
    distinct_writes = min(traffic.unique_write_bytes, writes)
    terms = DramTerms(
        launch_bytes=floor,
        distinct_read_bytes=distinct_reads,
        beside_read_bytes=beside_reads,
        repeated_read_bytes=reads - distinct_reads - beside_reads,
        fill_bytes=fill,
        profiled_fill_bytes=filled,
        distinct_write_bytes=distinct_writes,
        repeated_write_bytes=writes - distinct_writes,
        kept_bytes=writes - left,
        factor=factor,
        foreign_bytes=foreign,
    )
    return profiled, steady, terms


def _write_back_residue(
    gpu: Gpu,
    elsewhere: float,
    fill: float,
    writes: float,
    traffic: BufferTraffic,
    hidden: dict[Direction, float],
    parameters: MemoryParameters,
    local: LocalTraffic,
) -> tuple[float, float]:
    """Dirty bytes that still sit in L2 when the launch ends, beside those of private arrays, and those of others that do not.

    A line with one dirty sector takes as much room as one with four: what the L2 keeps is counted in lines.
    """
    unique = traffic.unique_write_bytes + hidden[Direction.WRITE]
    written = LINE_BYTES * traffic.written_lines + hidden[Direction.WRITE]
    dirty = written + local.dirty_bytes
    stored = max(writes, dirty)
    share = stored / max(elsewhere + fill + stored, 1.0)
    foreign = swept_out(gpu, elsewhere + fill + dirty, written, share, parameters)
    if writes <= 0.0 or unique <= 0.0:
        return 0.0, foreign
    return kept_in_l2(gpu, dirty, share, parameters) * unique / dirty, foreign


def _filled_share(gpu: Gpu, traffic: BufferTraffic, parameters: MemoryParameters) -> float:
    """Share of the partly written sectors that the L2 completes before the launch ends."""
    if traffic.partial_lines <= 0.0:
        return 0.0
    unfilled = parameters.unfilled_l2_share * gpu.l2_bytes / LINE_BYTES
    return max(0.0, 1.0 - unfilled / traffic.partial_lines)


def _dram_by_site(
    groups: list[BufferSites], traffic: GlobalTraffic, partial_fill: float
) -> dict[int, float]:
    """DRAM bytes of each modelled site by its identity: those of its buffer, in proportion to the sectors asked for.

    What is read to complete sectors is of the stores that leave them incomplete.
    """
    found: dict[int, float] = {}
    for group, its in zip(groups, traffic.by_buffer, strict=True):
        read = its.dram_read_bytes
        written = its.dram_write_bytes + partial_fill * its.partial_write_bytes
        for amount, members in ((read, group.reads or group.writes), (written, group.writes)):
            sectors = sum(site.requests.sectors for site in members)
            for site in members:
                part = amount * site.requests.sectors / sectors if sectors else 0.0
                found[id(site)] = found.get(id(site), 0.0) + part
    return found


def _summaries(
    sites: list[ModelledSite],
    private: list[tuple[AccessSite, float]],
    shared: list[AccessSite],
    constants: list[ScatteredConstant],
    unseen: list[UnseenSite],
    whole: Level,
    dram: dict[int, float],
    local: LocalTraffic,
    hidden_bytes: dict[Direction, float],
    warps_per_block: int,
) -> tuple[AccessSummary, ...]:
    """What each access does, with its share of the DRAM bytes."""
    moved = [
        (
            dram.get(id(modelled), 0.0),
            _summary(
                modelled.site,
                modelled.requests.sectors_per_request,
                site_footprint_bytes(modelled, whole),
                modelled.method,
                modelled.fit,
            ),
        )
        for modelled in sites
    ]
    loads = [entry for entry in private if entry[0].direction is Direction.READ]
    stores = [entry for entry in private if entry[0].direction is not Direction.READ]
    # Without loads, stores alone bring something in: to complete sectors.
    stored = local.dram_write_bytes + (0.0 if loads else local.dram_read_bytes)
    for entries, spilled in ((loads, local.dram_read_bytes), (stores, stored)):
        asked = sum(per_request * site.warps for site, per_request in entries) or 1.0
        for site, per_request in entries:
            sectors = per_request * site.warps
            summary = _summary(site, per_request, sectors * SECTOR_BYTES, FootprintMethod.AFFINE)
            moved.append((spilled * sectors / asked, summary))
    for site in shared:
        wavefronts = count_bank_use(site).wavefronts_per_request
        size = shared_footprint(site, warps_per_block)
        moved.append((0.0, _summary(site, wavefronts, size, FootprintMethod.AFFINE)))
    for each in constants:
        size = shared_footprint(each.site, warps_per_block)
        summary = _summary(each.site, each.addresses_per_request, size, FootprintMethod.AFFINE)
        moved.append((0.0, summary))
    for hidden in unseen:
        size = _unseen_bytes(hidden)
        alike = sum(_unseen_bytes(site) for site in unseen if site.direction is hidden.direction)
        part = hidden_bytes[hidden.direction] * size / alike if alike else 0.0
        moved.append((part, _unseen_summary(hidden, size)))
    total = sum(amount for amount, _ in moved) or 1.0
    return tuple(
        dataclasses.replace(summary, share=amount / total)
        for amount, summary in sorted(moved, key=lambda entry: entry[1].site)
    )


def _summary(
    site: AccessSite,
    per_request: float,
    footprint: float,
    method: FootprintMethod,
    fit: Fit | None = None,
) -> AccessSummary:
    stride = fit.stride(0) if fit is not None else None
    if stride is None:
        stride = lane_stride_bytes(site)
    return AccessSummary(
        site=site.number,
        position=site.instruction.position,
        array=site.array,
        space=site.space,
        direction=site.direction,
        element_bytes=site.element_bytes,
        requests=site.warps,
        sectors_per_request=per_request,
        stride_bytes=stride,
        footprint_bytes=footprint,
        share=0.0,
        method=method,
        is_guess=site.guess_share > 0.5,
    )


def _unseen_summary(site: UnseenSite, size: float) -> AccessSummary:
    return AccessSummary(
        site=site.instruction.site,
        position=site.instruction.position,
        array="",
        space=site.space,
        direction=site.direction,
        element_bytes=site.element_bytes,
        requests=site.warps,
        sectors_per_request=size / SECTOR_BYTES / max(site.warps, 1.0),
        stride_bytes=None,
        footprint_bytes=size,
        share=0.0,
        method=FootprintMethod.UNKNOWN,
        is_guess=True,
    )


def _assumptions(sites: list[ModelledSite], unseen: list[UnseenSite]) -> tuple[RunAssumption, ...]:
    total = sum(s.requests.sectors for s in sites)
    total += sum(_unseen_bytes(s) / SECTOR_BYTES for s in unseen)
    found = []
    for site in sites:
        buffer = site.site.buffer
        weight = site.requests.sectors / total if total else 0.0
        if site.method is FootprintMethod.RANDOM:
            found.append(
                RunAssumption(
                    kind="gather",
                    text=f"accesses of {site.site.array or 'memory'} are taken to be spread evenly over it",
                    position=site.site.instruction.position,
                    weight=weight,
                )
            )
        if buffer is not None and buffer.size_is_assumed and site.fit.core is not None:
            found.append(
                RunAssumption(
                    kind="buffer-size",
                    text=f"the size of {buffer.name} is assumed",
                    position=site.site.instruction.position,
                    weight=weight,
                )
            )
    found.extend(
        RunAssumption(
            kind="unknown-address",
            text="an address could not be found: every access counts as new bytes",
            position=hidden.instruction.position,
            weight=_unseen_bytes(hidden) / SECTOR_BYTES / total if total else 1.0,
        )
        for hidden in unseen
    )
    return tuple(found)
