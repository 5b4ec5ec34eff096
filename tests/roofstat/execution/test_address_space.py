"""Allocations: which of them an address lies in, also where one was found just before."""

from __future__ import annotations

from roofstat.execution.stored.address_space import AddressSpace
from roofstat.program.code import Space


def test_an_allocation_is_found_by_its_addresses_and_by_the_one_behind_them() -> None:
    memory = AddressSpace()
    first, second = (memory.allocate(100, Space.GLOBAL, name) for name in "ab")
    host = memory.allocate(100, Space.HOST, "c")
    for found in (first, second, first, host, second):
        assert memory.find(found.base) is found
        assert memory.find(found.base + 99) is found
        assert memory.find(found.end) is found
        assert memory.find(found.end + 1) is None


def test_what_was_found_before_does_not_hide_what_has_changed() -> None:
    memory = AddressSpace()
    first = memory.allocate(4096, Space.GLOBAL, "a")
    assert memory.find(first.base + 4000) is first
    first.resize(64)
    assert memory.find(first.base + 4000) is None
    memory.go_on_at(Space.GLOBAL, first.base + 1024)
    between = memory.allocate(64, Space.GLOBAL, "b")
    assert memory.find(between.base) is between
