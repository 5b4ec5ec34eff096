"""One activation of a function or kernel, and what is known of the code that it runs."""

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.execution.guesses.block_scans import block_scans, summed_loads
from roofstat.execution.guesses.running_sums import running_sums
from roofstat.execution.jumps import direct_leaves
from roofstat.execution.numbers.bit_counts import bit_counts
from roofstat.execution.numbers.comparisons import short_circuits
from roofstat.program.code import Op, writers_of
from roofstat.program.comparisons import COMPARISONS

if TYPE_CHECKING:
    from roofstat.execution.guesses.best_so_far import Best
    from roofstat.execution.guesses.reservoirs import Reservoir
    from roofstat.execution.loops.best_places import Search
    from roofstat.execution.loops.convergence import Convergence
    from roofstat.execution.loops.facts import LoopFacts
    from roofstat.execution.loops.found_places import PlaceSearch
    from roofstat.execution.loops.lists import LinkedList
    from roofstat.execution.loops.probes import Probes
    from roofstat.execution.loops.tree_walks import TreeWalk
    from roofstat.execution.mask import Mask
    from roofstat.execution.numbers.keys import Activation
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.operations import Handler
    from roofstat.execution.stored.address_space import MemoryObject
    from roofstat.program.code import CalledFunction, Code, If, Instruction


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a `Code`."""

    code: Code
    registers: list[Value | None]
    arguments: list[Value]
    here: Activation
    """Which of its places is at hand."""
    slots: dict[int, MemoryObject] = field(default_factory=dict)
    function: CalledFunction | None = None
    """What of the code runs, where it is not the kernel itself."""
    mask: Mask | None = None
    """The lanes that entered it."""
    is_guessed: bool = False
    """Whether a branch in it was decided by a guess."""
    stored: dict[int, MemoryObject] = field(default_factory=dict)
    """Allocations that it has stored to as host code, by their first address."""
    facts: CodeFacts | None = None
    """What is known of the code, once asked for."""


@dataclass(slots=True, eq=False)
class CodeFacts:
    """Static facts of a `Code`, computed once."""

    number: int
    """Of the codes of a machine, in the order of their first use."""
    writers: dict[int, list[Instruction]]
    """Register -> the instructions that write it, in program order."""
    definitions: dict[int, Instruction]
    """Temporary -> the instruction that writes it; variable -> the last one, so that what follows them may go in a circle."""
    short_circuits: dict[int, tuple[int, int]]
    """Variable -> operands of the ``&&`` that it holds; in kernels the right one reads other data each time."""
    bit_counts: dict[int, int]
    """Register -> the most that it may hold, where something is shifted by it."""
    running_sums: frozenset[int]
    """Sites of stores of sums over the elements before."""
    whole_sums: frozenset[int] = frozenset()
    """Sites of stores of sums over all elements before, where a single block makes them."""
    summed_loads: frozenset[int] = frozenset()
    """Sites of the loads of what is summed."""
    steps: dict[int, list[tuple[Handler, Instruction]]] = field(default_factory=dict)
    """Block number -> its instructions with their handlers."""
    loops: dict[int, LoopFacts] = field(default_factory=dict)
    """Loop number -> what its code says."""
    votes_behind: dict[int, frozenset[Instruction]] = field(default_factory=dict)
    """Branch -> the votes that its condition is computed from, once asked for."""
    bests: dict[int, Best | None] = field(default_factory=dict)
    """If number -> what it asks for, where that is a new best."""
    extremes: dict[int, tuple[Instruction, bool] | None] = field(default_factory=dict)
    """If number -> the load of an extreme of all threads that it compares with, and whether its first arm updates that."""
    places: dict[int, Instruction | None] = field(default_factory=dict)
    """What a counter returns -> the address in a queue that it is the index of."""
    fills_queue: dict[int, bool] = field(default_factory=dict)
    """If number -> whether its first arm puts something into a queue."""
    searches: dict[int, tuple[set[int], list[Search]]] = field(default_factory=dict)
    """Loop number -> the branches that asked for a new best when it was looked at, and those that keep its place."""
    place_searches: dict[int, tuple[PlaceSearch, ...]] = field(default_factory=dict)
    """Loop number -> the branches that keep where an element is found."""
    probes: dict[int, Probes | None] = field(default_factory=dict)
    """Loop number -> what ends it, where it searches a table."""
    convergences: dict[int, Convergence | None] = field(default_factory=dict)
    """Loop number -> how it ends by a tolerance."""
    lists: dict[int, LinkedList | None] = field(default_factory=dict)
    """Loop number -> what it goes along, where that is a linked list."""
    parents: dict[int, tuple[int, int] | None] = field(default_factory=dict)
    """Loop number -> the parent that it goes on to, and its bytes, where it goes to the root of a tree."""
    tree_walks: dict[int, TreeWalk | None] = field(default_factory=dict)
    """Loop number -> how it walks through a tree."""
    reservoirs: dict[int, Reservoir | None] = field(default_factory=dict)
    """If number -> what it refills or empties, where it does."""
    cleared: dict[tuple[int, int], bool] = field(default_factory=dict)
    """(loop number, what holds a best) -> whether iterations clear it."""
    chances: dict[tuple[int, frozenset[int] | None], tuple[float, str]] = field(
        default_factory=dict
    )
    """(If number, labels inside of the innermost loop) -> how likely it is taken by what its arms do, and why."""
    marks: dict[tuple[int, frozenset[int] | None], tuple[int, float] | None] = field(
        default_factory=dict
    )
    """(If number, labels inside of the innermost loop) -> (register of the mark that it may ask for, how likely it is taken)."""
    singular: dict[int, bool | None] = field(default_factory=dict)
    """If number -> whether it is taken away from zero, where it keeps a divisor or the like from it."""
    equal: dict[int, bool | None] = field(default_factory=dict)
    """If number -> whether it is taken where two numbers are equal that seldom are."""
    runs: dict[int, bool | None] = field(default_factory=dict)
    """If number -> whether it is taken where a run of equal elements goes on."""
    leaving: dict[int, frozenset[int]] = field(default_factory=dict)
    """If number -> labels that its arms surely leave to."""
    compared: frozenset[int] | None = None
    """Registers that comparisons read, once asked for."""

    def site_of_all(self, site: int) -> int:
        """A site's number among those of all functions, whose own numbers begin at 0 each."""
        return (self.number << 24) + site

    def is_compared(self, register: int) -> bool:
        """Whether a comparison reads a register, or a copy of it."""
        if self.compared is None:
            arguments = {
                argument
                for writers in self.writers.values()
                for item in writers
                if item.op in COMPARISONS
                for argument in item.args
            }
            copies = (self.definitions.get(argument) for argument in arguments)
            self.compared = frozenset(arguments) | {
                item.args[0] for item in copies if item is not None and item.op is Op.MOV
            }
        return register in self.compared

    def behind_negations(
        self, register: int, *, through_casts: bool = False
    ) -> tuple[Instruction | None, bool]:
        """What computes a condition before it is negated, and whether it is in the end.

        Args:
            register: The condition.
            through_casts: Whether to look behind conversions, of a number to a truth value among them.
        """
        passed = (Op.NOT, Op.CAST) if through_casts else (Op.NOT,)
        found, is_negated = self.definitions.get(register), False
        while found is not None and found.op in passed and found.args[0] != found.dest:
            is_negated ^= found.op is Op.NOT
            found = self.definitions.get(found.args[0])
        return found, is_negated

    def leaving_labels(self, region: If) -> frozenset[int]:
        """Labels that the arms of the branch surely leave to."""
        found = self.leaving.get(region.number)
        if found is None:
            found = direct_leaves(region.then) | direct_leaves(region.otherwise)
            self.leaving[region.number] = found
        return found


def code_facts(code: Code, number: int) -> CodeFacts:
    """Return the facts of host code for one run."""
    return _of_run(_code_facts(code), number)


@lru_cache(maxsize=256)
def _code_facts(code: Code) -> CodeFacts:
    written = writers_of(code)
    last = {register: items[-1] for register, items in written.items()}
    return CodeFacts(0, written, last, short_circuits(code), {}, frozenset())


def kernel_facts(code: Code, number: int) -> CodeFacts:
    """Return the facts of a kernel for one run."""
    return _of_run(_kernel_facts(code), number)


def _of_run(known: CodeFacts, number: int) -> CodeFacts:
    """Facts for one run: what follows from the code alone is found once for all runs."""
    return CodeFacts(
        number,
        known.writers,
        known.definitions,
        known.short_circuits,
        known.bit_counts,
        known.running_sums,
        known.whole_sums,
        known.summed_loads,
        steps=known.steps,
        loops=known.loops,
        places=known.places,
        chances=known.chances,
        marks=known.marks,
        fills_queue=known.fills_queue,
        leaving=known.leaving,
    )


@lru_cache(maxsize=64)
def _kernel_facts(code: Code) -> CodeFacts:
    facts = code_facts(code, 0)
    facts.bit_counts, facts.running_sums = bit_counts(code), running_sums(code)
    facts.whole_sums = facts.running_sums | block_scans(code)
    facts.summed_loads = summed_loads(code)
    return facts
