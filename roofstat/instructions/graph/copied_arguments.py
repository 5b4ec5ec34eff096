"""Arguments by value that lie in local memory because only the run knows an index into them.

nvcc copies such a record to a private array, all of it when the kernel begins, and loads the elements at places of the run
from there; those at known places still come from constant memory. Records of more than 128 bytes are loaded from constant
memory at any index, and so are those of which only the constants of unrolled loops are indices. clang loads from constant
memory, but where a choice is made between two elements of a record. Read off SASS of nvcc 13.0 and of clang 18.1.6 with
ptxas 12.6 (sm_90): 170 own kernels with records of 12 to 512 bytes of pointers, words, doubles and bytes, indexed by data,
blocks and counters. Arrays of words may stay in registers (`element_choices`), but not where the copies of a loop take
elements beside one another.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.instructions.graph.memory_state import RootKind, is_at_known_place, root_of
from roofstat.instructions.graph.values import Pseudo, Value
from roofstat.program.code import Op, Space

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from roofstat.program.code import Code

__all__ = ["CopiedArguments", "copied_arguments"]

_LARGEST_BYTES = 128
"""LLVM expands copies of up to so many bytes into loads and stores, which it then cannot take for the argument itself."""
_CHOICES = frozenset({Pseudo.JOIN, Op.SELECT})


@dataclass(frozen=True, slots=True)
class CopiedArguments:
    """What each thread keeps of its arguments in local memory."""

    size_bytes: int = 0
    """Stored by each thread when the kernel begins."""
    sites: frozenset[int] = frozenset()
    """Sites of the loads from there."""


def copied_arguments(
    live: Iterable[Value], code: Code, *, copies_indexed: bool
) -> Mapping[int, tuple[Value, ...]]:
    """By slot of an argument that is copied, the loads from its copy.

    Args:
        live: Live values in order of creation.
        code: Their code.
        copies_indexed: Whether an index that only the run knows is enough, as for nvcc.
    """
    arguments = {
        parameter.slot: parameter.size_bytes
        for parameter in code.parameters
        if parameter.slot is not None and code.slots[parameter.slot].space is Space.CONSTANT
    }
    if not arguments:
        return {}
    loads: dict[int, list[Value]] = defaultdict(list)
    chosen: set[int] = set()
    for value in live:
        if value.op is Op.LOAD:
            slot = _argument(value, arguments)
            if slot is not None and not is_at_known_place(value):
                loads[slot].append(value)
        elif value.op in _CHOICES:
            between = [_argument(arg, arguments) for arg in value.args if arg.op is Op.LOAD]
            if len(between) > 1 and between[0] == between[1] and between[0] is not None:
                chosen.add(between[0])
    return {
        slot: tuple(found)
        for slot, found in loads.items()
        if (arguments[slot] <= _LARGEST_BYTES if copies_indexed else slot in chosen)
    }


def _argument(load: Value, arguments: Mapping[int, int]) -> int | None:
    root = root_of(load.args[0])
    is_slot = root.kind is RootKind.SLOT and isinstance(root.identity, int)
    return root.identity if is_slot and root.identity in arguments else None  # type: ignore[return-value]
