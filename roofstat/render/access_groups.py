"""Accesses that differ in nothing but their offset (members of a structure, copies of an unrolled loop) as one row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roofstat.report import AccessReport


def grouped(accesses: Iterable[AccessReport]) -> list[tuple[AccessReport, int]]:
    """Each distinct row with how many accesses it stands for, in order of their first; shares and requests are sums."""
    groups: dict[AccessReport, list[AccessReport]] = {}
    for access in accesses:
        key = replace(access, requests=None, footprint_bytes=None, share=None)
        groups.setdefault(key, []).append(access)
    return [(_sum(members), len(members)) for members in groups.values()]


def _sum(members: list[AccessReport]) -> AccessReport:
    """The footprint is that of the largest member: members of one structure may share sectors or lie apart."""
    if len(members) == 1:
        return members[0]
    footprints = [each.footprint_bytes for each in members if each.footprint_bytes is not None]
    requests = [each.requests for each in members if each.requests is not None]
    shares = [each.share for each in members if each.share is not None]
    return replace(
        members[0],
        requests=sum(requests) if requests else None,
        footprint_bytes=max(footprints, default=None),
        share=sum(shares) if shares else None,
    )


def times(count: int) -> str:
    """How a row says how many accesses it stands for.

    Example:
        >>> times(16), times(1)
        (' x16', '')
    """
    return f" x{count}" if count > 1 else ""
