"""Walks through trees that arrays hold: how many nodes a thread looks at, with a stack of its own or along links.

A walk that leaves out what cannot matter to it (rays and ranges in a hierarchy of boxes) looked at 1.65 to 3.35 nodes for
each level of a balanced binary tree, counted in four walks through trees of 2^14 and 2^18 nodes; half of them were entered,
and nine of ten of those were inner nodes. One that takes what is far away as a whole (gravity by a tree of cells) looked at
45 and 58 nodes for each doubling of the bodies at an opening angle of 0.6 (18 at 1.0, 120 to 280 at 0.3), counted with
12,000 and 150,000 bodies: four of five were taken as a whole, and of the rest three of four were opened.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.numbers.unknowns import new_unknown
from roofstat.execution.numbers.values import Mixed, Unknown
from roofstat.execution.stored.kernel_stores import forget_lanes
from roofstat.program.code import (
    If,
    Loop,
    Op,
    Space,
    blocks,
    children,
    every_region,
    instructions_of,
    writers,
)
from roofstat.program.comparisons import COMPARISONS
from roofstat.program.slices import COPIES, backward_slice, variable_behind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from roofstat.execution.loops.entry import LoopEntry
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.machine import Machine
    from roofstat.execution.mask import Mask
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import Instruction, Region

CULLED_NODES = 2.3
"""Nodes for each level: the geometric mean of those counted."""
SUMMED_NODES = 50.0
_ENTERED = 0.55
"""The part of the nodes that is entered; where children are tested before they are put on the stack, no others are looked at."""
_INNER = 0.9
_TAKEN_WHOLE = 0.8
_OPENED = 0.75
_LEAVES = 0.5
_LEAST, _MOST = 0.5, 1.5
"""Walks are between half and one and a half times as long as the mean; they spread by 0.3 to 0.4 of it within a picture."""
FEWEST_NODES = 1024.0
"""Nodes of a tree of which nothing is known, at least."""
_WHY = "walk through a tree"
_FOUND = "what a walk through a tree has found"
_FINDS = 0.5
"""The part of the walks that find something: 0.21 to 0.42 of those counted did, whose rays were aimed at the ground and at the sky."""


@dataclass(frozen=True, slots=True)
class TreeWalk:
    """What the code of a loop says of its walk."""

    register: int | None
    """The variable that counts what is on the stack; None of walks along links."""
    lowest: int
    """What that holds at least while the walk goes on."""
    stacks: tuple[int, ...]
    """Registers of the addresses of stacks."""
    exit: int | None
    """Number of the branch that ends the walk; None where that is the condition of the loop."""
    leaves_if_true: bool
    nodes: frozenset[int]
    """Registers of the addresses of arrays that hold the nodes."""
    arrays: Mapping[int, int]
    """Register of the address of an array that is read -> bytes between its elements."""
    chances: Mapping[int, float]
    """Numbers of branches -> how likely each is taken."""
    for_each: float
    """Nodes that are looked at for each level."""


def tree_walk_of(machine: Machine, loop: Loop, facts: LoopFacts) -> TreeWalk | None:
    """A kernel's walk through a tree that nobody knows; None for other loops."""
    known = machine.facts.tree_walks
    if loop.number not in known:
        known[loop.number] = None if machine.is_host else _Reader(machine, loop, facts).walk()
    found = known[loop.number]
    if found is None:
        return None
    trees = [_array(machine, register) for register in found.nodes]
    return None if any(tree is not None and _is_known(tree) for tree in trees) else found


def _array(machine: Machine, register: int) -> MemoryObject | None:
    """What the address in a register leads to; None where that is not one known place."""
    address = machine.frames[-1].registers[register]
    return machine.memory.find(address) if isinstance(address, int) else None


def _is_known(tree: MemoryObject) -> bool:
    """Whether most of an array is known element by element."""
    if tree.contents.is_lost or tree.buffer.size_is_assumed or not tree.buffer.size_bytes:
        return False
    known = sum(scalar.size_bytes for scalar, _ in tree.contents.cells.values())
    return 2 * known >= tree.buffer.size_bytes


def begin_walk(machine: Machine, entry: LoopEntry, walk: TreeWalk, mask: Mask) -> None:
    """State how many nodes each lane looks at."""
    elements = max(
        (_elements(machine, base, stride) for base, stride in walk.arrays.items()), default=0.0
    )
    elements = max(elements, FEWEST_NODES)
    mean = min(walk.for_each * math.log2(elements), elements)
    draws = machine.draws(new_unknown(_WHY))
    entry.forced = np.maximum(np.round(mean * (_LEAST + (_MOST - _LEAST) * draws)), 1.0)
    machine.assume(
        "trip-count",
        f"{_WHY}: {mean:.3g} nodes, {walk.for_each:.3g} for each doubling of its {elements:,.0f} elements",
        entry.loop.position,
        mask,
    )


def goes_on_walking(machine: Machine, region: If) -> NDArray[np.bool_] | None:
    """The condition of a branch that ends the walk through a tree in the running loop, by its stated length; None of others."""
    entry = machine.loop_stack[-1] if machine.loop_stack else None
    if entry is None or entry.walk is None or entry.frame is not machine.frames[-1]:
        return None
    if entry.walk.exit != region.number or entry.forced is None:
        return None
    done = np.asarray(entry.coordinate.iteration) + 1
    goes_on = np.broadcast_to(done < np.asarray(entry.forced), (machine.lane_count,))
    keep_stack(machine, entry.walk)
    return ~goes_on if entry.walk.leaves_if_true else goes_on.copy()


def keep_stack(machine: Machine, walk: TreeWalk) -> None:
    """Who goes on has something on the stack, of which nobody knows what it is where guesses had emptied it."""
    if walk.register is None:
        return
    registers = machine.frames[-1].registers
    count = registers[walk.register]
    if not isinstance(count, int | np.ndarray) or not np.any(np.less(count, walk.lowest)):
        return
    registers[walk.register] = (
        np.maximum(count, walk.lowest) if isinstance(count, np.ndarray) else walk.lowest
    )
    for register in walk.stacks:
        found = _array(machine, register)
        if found is not None:
            found.contents.forget()
            forget_lanes(found, machine.run_number)


def chance_on_walk(machine: Machine, region: If, unknown: Unknown) -> tuple[float, str] | None:
    """(probability, why) of a branch that says what a walk does at a node, or that asks whether it has found anything."""
    if unknown.reason == _FOUND:
        return _FINDS, "walks that find something"
    walk = _walk_around(machine)
    chance = None if walk is None else walk.chances.get(region.number)
    return None if chance is None else (chance, _WHY)


def _walk_around(machine: Machine) -> TreeWalk | None:
    """The innermost walk that is running in the present function."""
    for entry in machine.loop_stack[::-1]:
        if entry.frame is not machine.frames[-1]:
            break
        if entry.walk is not None:
            return entry.walk
    return None


def forget_found(
    machine: Machine, loop: Loop, walk: TreeWalk, facts: LoopFacts, mask: Mask
) -> None:
    """After a walk: which nodes and what in them mattered, that nobody knows, nor whether any did."""
    outer = frozenset[int]().union(
        *(machine.facts.loops[entry.loop.number].carried for entry in machine.loop_stack)
    )
    registers, types = machine.frames[-1].registers, machine.frames[-1].code.register_types
    inside = {id(item) for item in instructions_of([loop])}
    for variable in facts.assigned - facts.sums - outer - {walk.register}:
        if all(id(item) in inside for item in machine.facts.writers[variable]):
            continue
        value = registers[variable]
        if not types[variable].is_integer or value is None or isinstance(value, Unknown):
            continue
        known = value.values if isinstance(value, Mixed) else value
        values = np.broadcast_to(np.asarray(known), (machine.lane_count,))
        unknown = new_unknown(_FOUND)
        is_everywhere = bool(mask.lanes.all())
        registers[variable] = unknown if is_everywhere else Mixed(values, ~mask.lanes, unknown)


def leaf_trips(machine: Machine, unknown: Unknown) -> tuple[float, str] | None:
    """Elements of a leaf, with the reason, for a loop whose ends stand in the tree that is walked through; None for others.

    Half of the nodes of a binary tree are leaves, which share out the elements of other arrays.
    """
    walk = _walk_around(machine)
    if walk is None:
        return None
    nodes = elements = 0.0
    for base, stride in walk.arrays.items():
        size = _elements(machine, base, stride)
        found = _array(machine, base)
        if base not in walk.nodes:
            elements = max(elements, size)
        elif found is not None and found.buffer.number == unknown.origin:
            nodes = size
    leaves = nodes * _LEAVES
    if not nodes or elements <= leaves:
        return None
    why = f"leaves, half of {nodes:,.0f} nodes, share out {elements:,.0f} elements"
    return elements / leaves, why


def _elements(machine: Machine, base: int, stride: int) -> float:
    """Elements of an array of known size; 0 of others."""
    found = _array(machine, base)
    if found is None or not found.buffer.size_bytes or found.buffer.size_is_assumed:
        return 0.0
    return found.buffer.size_bytes / stride if found.buffer.space is Space.GLOBAL else 0.0


class _Reader:
    """Looks for a walk in the code of a loop."""

    def __init__(self, machine: Machine, loop: Loop, facts: LoopFacts) -> None:
        self._machine = machine
        self._loop = loop
        self._facts = facts
        self._regions = [*loop.condition, *loop.body, *loop.step]
        self._writers = writers(self._regions)

    def walk(self) -> TreeWalk | None:
        """The walk: one that ends when its stack is empty, or when it has come to the end of all nodes."""
        return self._with_stack() or self._along_links()

    # Ends

    def _with_stack(self) -> TreeWalk | None:
        for counter in self._facts.sums:
            pushes = [item for item in self._accesses(Op.STORE) if self._is_at(item, counter)]
            pops = [item for item in self._accesses(Op.LOAD) if self._is_at(item, counter)]
            if not pushes or not pops or not {1, -1} <= self._signs(counter):
                continue
            if {id(item) for item in pushes} & self._in_inner_loops():
                continue  # an iteration goes down by many nodes
            popped = {item.dest for item in pops}
            nodes, end = self._nodes_at(popped), self._end_by(counter, popped)
            if nodes and end is not None:
                stacks = tuple(self._base(item) for item in (*pushes, *pops))
                return self._made(counter, end, stacks, nodes, pushes)
        return None

    def _along_links(self) -> TreeWalk | None:
        register = self._loop.condition_register
        comparison = self._machine.facts.definitions.get(-1 if register is None else register)
        if comparison is None or comparison.op not in COMPARISONS:
            return None
        for compared in comparison.args:
            place = self._variable(compared)
            if place not in self._facts.carried or not comparison.scalar.is_integer:
                continue
            written = self._writers.get(place, [])
            steps = [item for item in written if self._adds_to(item, place)]
            links = [item for item in written if self._is_link(item, place)]
            nodes = self._nodes_at({place})
            if steps and links and nodes and len(steps) + len(links) == len(written):
                return self._made(None, (0, None, False), (), nodes, steps)
        return None

    def _end_by(self, counter: int, popped: set[int]) -> tuple[int, int | None, bool] | None:
        """(the lowest count that goes on, number of the branch that ends, whether it leaves if true) by a counter or what was on top."""
        register = self._loop.condition_register
        if register is not None:
            lowest = self._lowest(register, counter, popped, stays_if_true=True)
            return None if lowest is None else (lowest, None, False)
        for region in self._branches(self._regions):
            leaves = self._machine.facts.leaving_labels(region) - self._facts.inner_labels
            for arm, leaves_if_true in ((region.then, True), (region.otherwise, False)):
                if leaves and arm:
                    stays_if_true = not leaves_if_true
                    lowest = self._lowest(
                        region.condition, counter, popped, stays_if_true=stays_if_true
                    )
                    if lowest is not None:
                        return lowest, region.number, leaves_if_true
        return None

    def _lowest(
        self, register: int, counter: int, popped: set[int], *, stays_if_true: bool
    ) -> int | None:
        """The lowest count by which a condition lets a loop go on; None where it asks for something else."""
        item, is_negated = self._machine.facts.behind_negations(register)
        if self._variable(register) == counter:
            return 1 if stays_if_true else None
        if item is None or item.op is Op.MOV:
            source = register if item is None else item.args[0]
            operands = self._machine.facts.short_circuits.get(source, ())
            found = (
                self._lowest(operand, counter, popped, stays_if_true=stays_if_true)
                for operand in operands
            )
            return next((lowest for lowest in found if lowest is not None), None)
        if item.op not in COMPARISONS or not item.scalar.is_integer:
            return None
        if any(self._is_popped(operand, popped) for operand in item.args):
            return 1  # a mark lies below all nodes
        bound = self._constants.get(item.args[1])
        if self._variable(item.args[0]) != counter or not isinstance(bound, int):
            return None
        stays = stays_if_true ^ is_negated
        if item.op in ((Op.GT, Op.NE) if stays else (Op.LE, Op.EQ)):
            return bound + 1
        return bound if item.op is (Op.GE if stays else Op.LT) else None

    def _is_popped(self, register: int, popped: set[int]) -> bool:
        """Whether a register holds what was taken from the stack."""
        return any(
            item.dest in popped
            for item in backward_slice(self._writers, register, lambda item: item.op in COPIES)
        )

    # Parts

    def _made(
        self,
        counter: int | None,
        end: tuple[int, int | None, bool],
        stacks: tuple[int, ...],
        nodes: frozenset[int],
        descents: Sequence[Instruction],
    ) -> TreeWalk:
        lowest, number, leaves_if_true = end
        arrays: dict[int, int] = {}
        for item in self._accesses(Op.LOAD):
            base, stride = self._base(item), self._stride(item)
            if base not in self._facts.computed | self._facts.assigned and stride:
                arrays[base] = stride
        chances, is_sum, are_tested = self._chances(descents)
        for_each = SUMMED_NODES if is_sum else CULLED_NODES * (_ENTERED if are_tested else 1.0)
        return TreeWalk(
            counter, lowest, stacks, number, leaves_if_true, nodes, arrays, chances, for_each
        )

    def _chances(self, descents: Sequence[Instruction]) -> tuple[dict[int, float], bool, bool]:
        """(number of each branch on the way to the children -> how likely it is taken, whether what is far is taken as a whole, whether children are tested first)."""
        wanted = {id(item) for item in descents}
        chances: dict[int, float] = {}
        sums = False
        way: list[tuple[If, bool, bool]] = []
        for region in self._branches(self._regions):
            inside = [
                any(id(item) in wanted for item in instructions_of(arm))
                for arm in (region.then, region.otherwise)
            ]
            if inside[0] == inside[1]:
                continue
            other = region.otherwise if inside[0] else region.then
            asks_floats = self._asks_floats(region.condition)
            way.append((region, inside[0], asks_floats))
            if asks_floats and self._sums_up(other):
                sums = True
                chances[region.number] = (1.0 - _TAKEN_WHOLE) if inside[0] else _TAKEN_WHOLE
        opened = _OPENED if sums else _INNER
        for region, is_first, asks_floats in way:
            if asks_floats:
                if region.number not in chances:
                    chances[region.number] = _ENTERED if is_first else 1.0 - _ENTERED
                continue
            chances[region.number] = opened if is_first else 1.0 - opened
        are_tested = sum(asks_floats for _, _, asks_floats in way) > 1
        return chances, sums, are_tested and not sums

    def _asks_floats(self, register: int) -> bool:
        """Whether a condition compares numbers that are no whole ones."""
        return any(
            item.op in COMPARISONS and item.scalar.is_float
            for item in backward_slice(
                self._writers,
                register,
                lambda item: item.scalar.size_bytes == 1 or item.op in COPIES,
            )
        )

    def _sums_up(self, arm: list[Region]) -> bool:
        """Whether an arm adds to numbers that the loop carries along."""
        return any(
            item.op is Op.MOV and item.scalar.is_float and item.dest in self._facts.sums
            for block in blocks(arm)
            for item in block.instructions
        )

    def _branches(self, regions: Sequence[Region]) -> Iterator[If]:
        for region in regions:
            if isinstance(region, If):
                yield region
            for part in children(region):
                yield from self._branches(part)

    def _accesses(self, op: Op) -> list[Instruction]:
        return [item for item in instructions_of(self._regions) if item.op is op and item.args]

    def _address(self, item: Instruction) -> Instruction | None:
        address = self._machine.facts.definitions.get(item.args[0])
        return address if address is not None and address.op is Op.PTR_ADD else None

    def _base(self, item: Instruction) -> int:
        address = self._address(item)
        while address is not None:
            register = address.args[0]
            below = self._machine.facts.definitions.get(register)
            if below is None or below.op is not Op.PTR_ADD:
                return register
            address = below
        return item.args[0]

    def _stride(self, item: Instruction) -> int:
        address = self._address(item)
        return address.detail if address is not None and isinstance(address.detail, int) else 0

    def _is_at(self, item: Instruction, counter: int) -> bool:
        """Whether an access is to the element of a stack that a counter leads to, in memory of the thread or the block."""
        address = self._address(item)
        if address is None:
            return False
        base = self._machine.facts.definitions.get(self._base(item))
        if base is None or base.op is not Op.SLOT:
            return False
        return any(
            counter in part.args
            for part in backward_slice(self._writers, address.args[1], self._is_arithmetic)
        )

    def _nodes_at(self, places: set[int]) -> frozenset[int]:
        """The registers of the addresses of arrays that stay and that places lead into."""
        moving = self._facts.computed | self._facts.assigned
        found: set[int] = set()
        for item in self._accesses(Op.LOAD):
            address, base = self._address(item), self._base(item)
            if address is None or base in moving:
                continue
            for part in backward_slice(self._writers, address.args[1], self._is_arithmetic):
                if places & {part.dest, *part.args}:
                    found.add(base)
        return frozenset(found)

    def _in_inner_loops(self) -> set[int]:
        return {
            id(item)
            for region in every_region(self._regions)
            if isinstance(region, Loop)
            for item in instructions_of([region])
        }

    def _signs(self, counter: int) -> set[int]:
        signs: set[int] = set()
        for item in self._writers.get(counter, []):
            step = self._step(item)
            if step:
                signs.add(1 if step > 0 else -1)
        return signs

    def _step(self, item: Instruction) -> int:
        """What an assignment adds to its variable; 0 of others."""
        source = self._machine.facts.definitions.get(item.args[0]) if item.args else None
        if source is None or source.op not in (Op.ADD, Op.SUB):
            return 0
        bound = self._constants.get(source.args[1])
        if not isinstance(bound, int) or self._variable(source.args[0]) != item.dest:
            return 0
        return bound if source.op is Op.ADD else -bound

    def _adds_to(self, item: Instruction, place: int) -> bool:
        return item.dest == place and self._step(item) > 0

    def _is_link(self, item: Instruction, place: int) -> bool:
        """Whether a variable is set to something that was read at the place that it was."""
        return any(
            part.op is Op.LOAD
            and any(
                place in inner.args
                for inner in backward_slice(self._writers, part.args[0], self._is_arithmetic)
            )
            for part in backward_slice(
                self._writers, item.args[0], lambda part: part.op in COPIES, {place}
            )
        )

    @staticmethod
    def _is_arithmetic(item: Instruction) -> bool:
        return item.op is not Op.LOAD

    def _variable(self, register: int) -> int:
        machine = self._machine
        return variable_behind(
            machine.facts.definitions, machine.frames[-1].code.variables, register
        )

    @property
    def _constants(self) -> Mapping[int, object]:
        return self._machine.frames[-1].code.constants
