"""Which card a measurement was made on."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from roofstat.errors import HardwareError
from roofstat.hardware import available_gpus, load_gpu

if TYPE_CHECKING:
    from roofstat.hardware import Gpu


@functools.cache
def card_named(device: str) -> Gpu | None:
    """The card that a driver calls by this name; None where none is known."""
    try:
        return load_gpu(device)
    except HardwareError:
        return None


def card_of_target(target: str, memory_bytes: float) -> Gpu | None:
    """Of the known cards of an architecture, the one nearest in memory size; None where there is none."""
    cards = [card for card in map(load_gpu, available_gpus()) if card.target == target]
    return min(cards, key=lambda card: abs((card.memory_bytes or 0) - memory_bytes), default=None)
