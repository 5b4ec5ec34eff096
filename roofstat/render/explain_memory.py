"""Derivations of residency and of memory traffic, for `roofstat explain`."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from roofstat.hardware import Gpu, OccupancyLimiter, occupancy
from roofstat.hardware.units import SECTOR_BYTES, SHARED_WAVEFRONT_BYTES
from roofstat.render.kernel_view import plain_table
from roofstat.render.quantities import count, percent, plain, quantity, significant, trimmed
from roofstat.render.words import line_of
from roofstat.report import AccessReport, KernelReport, MemorySpace, TrafficRegime


def occupancy_derivation(kernel: KernelReport, gpu: Gpu) -> list[RenderableType]:
    """What each resource of an SM allows, and the least of them."""
    resident = kernel.occupancy
    if resident is None or kernel.launch is None:
        return []
    threads = kernel.launch.threads_per_block
    limits = occupancy(
        gpu,
        threads_per_block=threads,
        registers_per_thread=resident.registers_per_thread,
        shared_bytes_per_block=resident.shared_bytes_per_block,
    ).limits
    warps = -(-threads // gpu.warp_size)
    terms = {
        OccupancyLimiter.BLOCKS: f"at most {gpu.max_blocks_per_sm} an SM",
        OccupancyLimiter.THREADS: f"{gpu.max_warps_per_sm} warps an SM / {warps} warps a block",
        OccupancyLimiter.REGISTERS: (
            f"{gpu.registers_per_sm:,} an SM / ({resident.registers_per_thread} × {gpu.warp_size} a warp, in units of "
            f"{gpu.register_unit}, in each of {gpu.sub_partitions} files)"
        ),
        OccupancyLimiter.SHARED: (
            f"{gpu.shared_bytes_per_sm:,} B an SM / ({resident.shared_bytes_per_block:,} + {gpu.shared_reserved_bytes:,} "
            f"reserved, in units of {gpu.shared_unit_bytes})"
        ),
    }
    rows: list[RenderableType] = []
    for limit, blocks in limits.items():
        text = Text(f"{limit.value}: {terms[limit]} = {blocks} blocks")
        if limit is resident.limiter:
            text.stylize("bold")
        rows.append(text)
    blocks = kernel.launch.blocks
    rows.append(
        Text(
            f"{resident.blocks_per_sm} blocks × {warps} warps / {gpu.max_warps_per_sm} = {percent(resident.share)}; "
            f"{blocks:,} blocks / ({max(resident.blocks_per_sm, 1)} × {gpu.sm_count} SMs) = {significant(resident.waves)} waves"
        )
    )
    return rows


def traffic_derivation(kernel: KernelReport) -> list[RenderableType]:
    """Bytes of every access: its requests times what one of them touches, and its part of the DRAM traffic."""
    dram = kernel.traffic.dram(kernel.regime).total_bytes
    known = [access for access in kernel.accesses if access.requests]
    if not known:
        return []
    table = plain_table()
    table.add_column("line", justify="right", style="dim")
    table.add_column("access", no_wrap=True, overflow="ellipsis", max_width=28)
    for title in ("requests", "each", "moved", "distinct", "DRAM"):
        table.add_column(title, justify="right")
    for access in known:
        each = _bytes_of_request(access)
        part = dram * access.share if dram is not None and access.share is not None else None
        table.add_row(
            line_of(access.line, access.file),
            Text(f"{access.direction.value} {plain(access.array)}"),
            count(access.requests),
            _request_text(access),
            "-"
            if each is None or access.requests is None
            else quantity(access.requests * each, "B"),
            "-" if access.footprint_bytes is None else quantity(access.footprint_bytes, "B"),
            "" if not part else quantity(part, "B"),
        )
    return [table]


def dram_derivation(kernel: KernelReport) -> list[RenderableType]:
    """The DRAM bytes of the kernel's regime as sums."""
    terms = kernel.traffic.dram_terms
    if terms is None:
        return []
    is_profiled = kernel.regime is TrafficRegime.PROFILED
    moved = kernel.traffic.dram(kernel.regime)
    fill = terms.profiled_fill_bytes if is_profiled else terms.fill_bytes
    reads = [
        (terms.distinct_read_bytes, "distinct"),
        (terms.beside_read_bytes, "beside them, as DRAM gives several sectors at a time"),
        (terms.repeated_read_bytes, "read again, beyond the L2"),
        (fill, "to complete sectors written in part"),
    ]
    writes = [
        (terms.distinct_write_bytes, "distinct"),
        (terms.repeated_write_bytes, "written again, beyond the L2"),
        (-terms.kept_bytes if is_profiled else 0.0, "that stay in L2"),
        (terms.foreign_bytes if is_profiled else 0.0, "of others, swept out of the L2"),
    ]
    rows: list[RenderableType] = []
    for name, parts, total in (
        ("read", reads, moved.read_bytes),
        ("written", writes, moved.write_bytes),
    ):
        text = _sum_text(parts)
        if terms.factor != 1.0:
            text = f"({text}) × {terms.factor:g} for error correction"
        if name == "read":
            text += f" + {quantity(terms.launch_bytes, 'B')} code and launch"
        if name == "read" and is_profiled and terms.display_bytes:
            text += f" + {quantity(terms.display_bytes, 'B')} of the card's display"
        rows.append(Text(f"{name}: {text} = {quantity(total, 'B')}"))
    return rows


def _sum_text(parts: list[tuple[float, str]]) -> str:
    text = ""
    for amount, what in parts:
        if abs(amount) < 1.0 and text:
            continue
        sign = "" if not text else " + " if amount >= 0 else " - "
        text += f"{sign}{quantity(abs(amount), 'B')} {what}"
    return text


def _bytes_of_request(access: AccessReport) -> float | None:
    if access.sectors_per_request is not None:
        return access.sectors_per_request * SECTOR_BYTES
    if access.wavefronts_per_request is not None and access.space is MemorySpace.SHARED:
        return access.wavefronts_per_request * SHARED_WAVEFRONT_BYTES
    return None


def _request_text(access: AccessReport) -> str:
    if access.sectors_per_request is not None:
        return f"{trimmed(access.sectors_per_request)} × {SECTOR_BYTES} B"
    if access.wavefronts_per_request is not None and access.space is MemorySpace.CONSTANT:
        return f"{trimmed(access.wavefronts_per_request)} addresses"
    if access.wavefronts_per_request is not None:
        return f"{trimmed(access.wavefronts_per_request)} × {SHARED_WAVEFRONT_BYTES} B"
    return "cached" if access.space is MemorySpace.CONSTANT else "-"
