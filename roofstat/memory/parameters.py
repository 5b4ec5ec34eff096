"""Constants of the memory model, read once from `data/model.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from roofstat.hardware import Gpu


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParameters:
    """See the data file for how each was fitted."""

    launch_bytes: float
    instruction_bytes: float
    code_line_bytes: float
    l1_usable_share: float
    l1_minimum_bytes: float
    coefficient_sectors: float
    l2_usable_share: float
    l2_partitioned_usable_share: float
    l1_lost_at: float
    l2_lost_at: float
    room_factor: float
    shared_request_share: float
    drift: float
    hbm_fetch_bytes: int
    atomic_fetch_share: float
    leaking_from: float
    clean_weight: float
    l1_swept: tuple[float, float]
    l2_swept: tuple[float, float]
    own_turns: float
    left_early: float
    leaving: tuple[float, float]
    hbm_fill: float
    inline_ecc_fill: float
    plain_fill: float
    unfilled_l2_share: float
    foreign_bytes: float
    foreign_l2_share: float
    sweep: tuple[float, float]
    partitioned_sweep: tuple[float, float]

    def usable_l2_bytes(self, gpu: Gpu) -> float:
        """Working set that the L2 of this card can hold."""
        return gpu.l2_bytes * self.l2_usable_share

    def copies_of_shared(self, gpu: Gpu) -> float:
        """Room that data which several SMs read takes, over its size."""
        if gpu.l2_partitions > 1:
            return self.l2_usable_share / self.l2_partitioned_usable_share
        return 1.0

    def usable_l1_bytes(self, gpu: Gpu, shared_bytes: float) -> float:
        """L1 of one SM when its resident blocks take `shared_bytes` of shared memory."""
        free = max(gpu.l1_bytes_per_sm - shared_bytes, self.l1_minimum_bytes)
        return free * self.l1_usable_share

    def request_share(self, gpu: Gpu) -> float:
        """Requests for data that all SMs read together that reach the L2."""
        return self.shared_request_share if gpu.l2_partitions > 1 else 1.0

    def fetch_bytes(self, gpu: Gpu) -> int:
        """What the L2 reads from DRAM for a sector that is missing."""
        return self.hbm_fetch_bytes if gpu.memory_type.startswith("HBM") else gpu.sector_bytes

    def sweep_l2_shares(self, gpu: Gpu) -> tuple[float, float]:
        """Traffic, in sizes of the L2, from which on others' dirty lines leave it, and after which none is left."""
        return self.partitioned_sweep if gpu.l2_partitions > 1 else self.sweep

    def partial_fill(self, gpu: Gpu) -> float:
        """DRAM bytes read for each byte of a partly written sector that leaves the L2."""
        if gpu.ecc_dram_factor > 1.0:
            return self.inline_ecc_fill
        return self.hbm_fill if gpu.memory_type.startswith("HBM") else self.plain_fill


@functools.cache
def memory_parameters() -> MemoryParameters:
    """Return the constants that ship with the package."""
    text = resources.files("roofstat.memory").joinpath("data/model.toml").read_text("utf-8")
    data = tomllib.loads(text)
    return MemoryParameters(
        launch_bytes=data["floor"]["launch_bytes"],
        instruction_bytes=data["floor"]["instruction_bytes"],
        code_line_bytes=data["floor"]["code_line_bytes"],
        l1_usable_share=data["l1"]["usable_share"],
        l1_minimum_bytes=data["l1"]["minimum_bytes"],
        coefficient_sectors=data["l1"]["coefficient_sectors"],
        l2_usable_share=data["l2"]["usable_share"],
        l2_partitioned_usable_share=data["l2"]["partitioned_usable_share"],
        l1_lost_at=data["l1"]["lost_at"],
        l2_lost_at=data["l2"]["lost_at"],
        room_factor=data["l2"]["room_factor"],
        shared_request_share=data["l2"]["shared_request_share"],
        drift=data["l2"]["drift"],
        hbm_fetch_bytes=data["l2"]["hbm_fetch_bytes"],
        atomic_fetch_share=data["l2"]["atomic_fetch_share"],
        leaking_from=data["l2"]["leaking_from"],
        clean_weight=data["l2"]["clean_weight"],
        l1_swept=tuple(data["private_turns"]["l1_swept"]),
        l2_swept=tuple(data["private_turns"]["l2_swept"]),
        own_turns=data["private_turns"]["own_turns"],
        left_early=data["private_turns"]["left_early"],
        leaving=tuple(data["private_turns"]["leaving"]),
        hbm_fill=data["partial_writes"]["hbm_fill"],
        inline_ecc_fill=data["partial_writes"]["inline_ecc_fill"],
        plain_fill=data["partial_writes"]["plain_fill"],
        unfilled_l2_share=data["partial_writes"]["unfilled_l2_share"],
        foreign_bytes=data["foreign"]["bytes"],
        foreign_l2_share=data["foreign"]["l2_share"],
        sweep=tuple(data["foreign"]["sweep"]),
        partitioned_sweep=tuple(data["foreign"]["partitioned_sweep"]),
    )
