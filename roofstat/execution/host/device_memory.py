"""How much device memory a program holds at once, beside what the card has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.execution.host.registry import HostCall, models

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_GIB = 2**30


class DeviceMemory:
    """The allocations on the first device that are held, as far as each is known."""

    def __init__(self) -> None:
        self._held: dict[int, int] = {}
        self._is_lost = False
        """Whether allocations may have gone or go to other devices: nothing is said any more."""

    def add(self, call: HostCall, address: int, size: Value | None) -> None:
        """An allocation; the first one that the card has no room for is said."""
        is_once = not call.machine.dry and float(call.machine.weight[0]) == 1.0
        if self._is_lost or not is_once or not isinstance(size, int) or call.run.guesses():
            return
        self._held[address] = size
        total, most = sum(self._held.values()), call.run.device.allocatable_bytes
        if total > most:
            self.lose()
            text = f"{total / _GIB:,.1f} GiB of device memory are allocated by here"
            device = f"{call.run.device.name} has {most / _GIB:,.1f} GiB"
            call.note("device-memory", f"{text}: {device}, so that this call fails")

    def remove(self, address: int | None) -> None:
        """An allocation is freed; one that nobody knows may be any."""
        if address is None:
            self.lose()
        else:
            self._held.pop(address, None)

    def lose(self) -> None:
        """Say nothing any more."""
        self._is_lost = True
        self._held.clear()


@models("cudaSetDevice")
def _set_device(call: HostCall) -> Value:
    if call.integer(0) != 0:
        call.state(DeviceMemory).lose()
    return 0
