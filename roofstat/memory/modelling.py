"""Fit the sites of a trace; sites that are shifted copies of each other (stencil neighbours) are fitted once."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from roofstat.execution.stored.distinct import distinct
from roofstat.memory.affine import fit_site
from roofstat.memory.coalescing import count_requests
from roofstat.memory.complements import left_out
from roofstat.memory.fits import BLOCK_AXIS, LOOP_AXIS, phase_bytes
from roofstat.memory.footprint import ModelledSite
from roofstat.memory.guards import guard_scatter
from roofstat.memory.lane_pairs import LanePairs

if TYPE_CHECKING:
    from roofstat.execution.trace import LaunchTrace
    from roofstat.memory.fits import Fit
    from roofstat.memory.sites import AccessSite

_MAX_TRIED = 4
"""Earlier sites that a site is compared with."""

_FAR_BEYOND = 2
"""Sizes of the buffer."""

_ActivityKey = tuple[int, tuple[int, ...], tuple[int, ...], bytes]


class SiteModeller:
    """Turns sites into modelled sites, remembering the fits of earlier ones."""

    def __init__(self, trace: LaunchTrace) -> None:
        self._trace = trace
        self._pairs = LanePairs(trace)
        self._known: dict[_ActivityKey, list[ModelledSite]] = {}

    def model(self, site: AccessSite) -> ModelledSite:
        """Fit a site, count its requests and find out what its guards leave."""
        key = (site.element_bytes, site.loops, site.address.shape, site.active.tobytes())
        earlier = self._known.setdefault(key, [])
        for other in earlier[-_MAX_TRIED:]:
            shift = _constant_shift(site, other.site)
            if shift is not None:
                fit = dataclasses.replace(other.fit, origin=other.fit.origin + shift)
                return self._modelled(site, fit, other.scatter, other.block_extents)
        fit = fit_site(site, self._pairs)
        scatter = guard_scatter(site, fit, self._trace.lanes)
        modelled = self._modelled(site, fit, scatter, self._block_extents(site))
        earlier.append(modelled)
        return modelled

    def _modelled(
        self, site: AccessSite, fit: Fit, scatter: float, extents: tuple[float, float, float]
    ) -> ModelledSite:
        is_chased, is_mixed = self._pairs.chase(site)
        return ModelledSite(
            site=site,
            requests=count_requests(
                site, phase_bytes(fit, self._trace.block, _loops_seen(site, fit))
            ),
            fit=fit,
            scatter=scatter,
            block_extents=extents,
            is_decided=self._pairs.is_decided(site.instruction),
            is_chased=is_chased,
            is_mixed=is_mixed,
            hashed_share=self._pairs.hashed_share(site),
            counters=self._pairs.shared_elements(site.instruction),
            is_beyond=_is_beyond(site),
            left_out=left_out(site, fit, self._trace.lanes),
        )

    def _block_extents(self, site: AccessSite) -> tuple[float, float, float]:
        lanes = np.any(site.active, axis=0)
        blocks = self._pairs.used(lanes)[1]
        axes = [self._pairs.axis(BLOCK_AXIS + axis) for axis in range(3)]
        extents = [axis.extent(axis.active(blocks))[1] for axis in axes]
        return extents[0], extents[1], extents[2]


def _loops_seen(site: AccessSite, fit: Fit) -> set[int]:
    """Axes of the loops all iterations of which are among the samples."""
    found = set()
    for axis in fit.axes:
        if axis.axis >= LOOP_AXIS and axis.extent <= len(site.address):
            seen = site.iterations[site.loops.index(axis.axis - LOOP_AXIS), :, 0]
            if len(distinct(seen)) >= axis.extent:
                found.add(axis.axis)
    return found


def _is_beyond(site: AccessSite) -> bool:
    """Whether accesses do not belong to their buffer: most lie beyond its end, or some far beyond.

    Then they reach other buffers as well (a pointer into one of several).
    """
    if site.buffer is None or not site.buffer.size_bytes:
        return False
    place = site.address - site.buffer.base
    beyond = site.active & (place >= site.buffer.size_bytes)
    if not beyond.any():
        return False
    if int(place[beyond].max()) >= _FAR_BEYOND * site.buffer.size_bytes:
        return True
    return float(site.weight[beyond].sum()) > 0.5 * float(site.weight.sum())


def _constant_shift(site: AccessSite, other: AccessSite) -> int | None:
    """Distance of the addresses, where it is the same for all lanes in all executions."""
    shift = int(site.address.flat[0]) - int(other.address.flat[0])
    if np.array_equal(site.address, other.address + shift):
        return shift
    distance = (site.address - other.address)[site.active]
    if len(distance) and bool((distance == distance[0]).all()):
        return int(distance[0])
    return None
