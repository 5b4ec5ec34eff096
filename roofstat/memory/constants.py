"""Constant memory: threads of a warp that want different addresses are served one address after the other.

So says NVIDIA's programming guide ("a request is then split into as many separate requests as there are different memory
addresses in the initial request"). What an address costs stands with the cards (`constant_per_clk`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.hardware.units import WARP_SIZE
from roofstat.memory.coalescing import count_distinct, in_step
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.memory.sites import AccessSite

__all__ = ["ScatteredConstant", "scattered_constants"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatteredConstant:
    """A load from constant memory whose threads want different addresses."""

    site: AccessSite
    addresses_per_request: float
    """Mean of those that the threads of a warp want, at least one."""

    @property
    def addresses(self) -> float:
        """Addresses of all requests of the launch."""
        return self.addresses_per_request * self.site.warps


def scattered_constants(sites: list[AccessSite]) -> list[ScatteredConstant]:
    """Return the loads from constant memory at more than one address a request.

    What all threads of a warp load from one address comes with the instruction, or costs no more than it does.
    """
    found = [
        ScatteredConstant(site=site, addresses_per_request=_addresses_per_request(site))
        for site in sites
        if site.space is Space.CONSTANT
    ]
    return [each for each in found if each.addresses_per_request > 1.0]


def _addresses_per_request(site: AccessSite) -> float:
    shape = (len(site.address), -1, WARP_SIZE)
    distinct = count_distinct(np.where(site.active, in_step(site), -1).reshape(shape))
    weight = float(site.warp_weight.sum())
    return float((distinct * site.warp_weight).sum()) / weight if weight > 0.0 else 0.0
