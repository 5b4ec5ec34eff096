"""Constants of the model, read from `data/lowering.toml`."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Any, NamedTuple

from clang_queries.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrollPolicy:
    """Thresholds for unrolling; sizes are operations after optimisation."""

    full_size: float
    """Largest unrolled size of a loop with known trip count that vanishes."""
    local_full_size: float
    """The same of a loop whose counter is in the index of a private array, which then is kept in registers; 0 where that is no matter."""
    nest_full_size: float
    """The same of a loop around copies of one of unknown trip count."""
    plain_full_size: float
    """The same of a loop of arithmetic and accesses in one piece, each access having an address; 0 where the first one holds for all."""
    plain_rounds_size: float
    """The same where that takes few rounds of its copies."""
    plain_nest_size: float
    """The same of a loop around loops that vanished."""
    nest_rounds_size: float
    """The same where that takes few rounds of its copies."""
    surely_rolled: float
    """Times the size that is unrolled fully from which on a private array that a loop indexes is in memory: beyond what sizes can be wrong by."""
    copies_setup_size: float
    """What such a loop adds to that besides its copies and those that are left over: tests and counters; 0 where its copies come later."""
    full_trips: int
    analysed_trips: int
    """Up to this trip count the compiler simulates the iterations of an innermost loop, and lets what folds raise `full_size`."""
    pragma_size: float
    copies_size: float
    """Largest size of a partly unrolled body."""
    runtime_copies_size: float
    """The same where only the run knows the trip count."""
    runtime_copies: int
    """Copies of a body whose trip count only the run knows."""
    few_trips: int
    """Most iterations, known by the bound, of a loop outside of others that is not copied then; 0 where that is no matter."""
    joins_tests: bool
    """Whether loops that several tests of counters end are copied as those of one (`joined_tests`)."""
    unrolls_breaks_alone: bool
    """Whether loops of known length that end with a break are unrolled where they stand outside of others (`last_breaks`)."""
    fewest_with_break: int
    """Iterations from which on others of these stay rolled."""
    advancing_size: float
    """Largest body, copies included, in which pointers advance, and that in innermost loops alone; 0 where they do in any."""
    live_values: int
    """Values alive in a loop of four or more copies from which on no pointer advances in it, beside one sum, pointer and counter."""
    copies_barriers: bool
    size_offset: float
    """Operations of a rolled loop (counter, test) that thresholds do not count."""
    known_size_offset: float
    """The same where the trip count is known."""
    address_size: float
    """Size of one address computation."""
    indexed_load_size: float
    """What index and address add to a load in a loop around loops that vanished; 0 where those are looked at as others are."""
    further_load_size: float
    """What such a load adds in other loops where its address is that of another access and a constant: a conversion and an address."""
    further_store_size: float
    """The same of a store or an atomic operation."""
    branch_size: float
    """Size of the jump at the end of a branch's arm."""
    known_address_size: float
    """The same where the trip count is known: constant offsets then need no instructions."""
    cast_size: float
    """Size of one conversion, those of word indices to 64 bits included."""
    drops_unused: bool
    """Whether sizes leave out what folding has left without a use."""
    weighs_pairs: bool
    """Whether arithmetic of 64 bits weighs twice that of words."""
    effect_size: float
    """Size of a store, atomic operation or branch beyond that of what it computes."""
    expands_builtins: bool
    """Whether some shuffles and magnitudes are more than one operation (`expanded_size`)."""
    jump_size: float
    """Size of a branch inside the loop, and of the jump at the end of each of its arms."""
    unrolls_fully_first: bool
    """Whether loops are unrolled fully before loops inside them are copied."""
    assembler_copies: int
    """Copies that the assembler makes of what the compiler left as a loop."""
    assembler_size: float
    """Heaviest loop that it copies, all copies of the compiler together, for unknown trip counts (`loop_weight`)."""
    doubles_known_copies: bool
    """The same for known trip counts."""
    unrolls_runtime_steps: bool
    """Whether loops with a step that only the run knows are unrolled, at the price of a division."""
    unrolls_wrapping_counters: bool
    """Whether loops are unrolled whose counter may wrap around, in constant steps above one."""
    needs_plain_trip_count: bool
    """Whether loops that start anywhere with a step above one are not unrolled."""
    assembler_needs_pointers: bool
    """Whether it leaves alone loops that compute addresses from their counter."""
    assembler_weighs: bool
    """Whether its choice is modelled by weight and by where the loop's test stands (`_is_repeated`), not by size."""


class PointerCosts(NamedTuple):
    """Integer instructions for a pointer that advances in a loop that the compiler unrolled partly."""

    start: float
    """Whenever the loop starts: what its addresses have in common."""
    before_rounds: float
    """Where the copies run at all: its first address."""
    before_rest: float
    """Where iterations are left to the loop behind them: its address there."""
    in_rest: float
    """In each of those, beyond its advance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationLimits:
    """Operations in the arms of a branch up to which they are computed in any case."""

    arm: float
    """In one of them."""
    both: float
    """In both together, where both compute something."""
    nested: float
    """In the only one that computes something, if a branch in it became a choice already and no inlining has them looked at again."""
    further_choice: float
    """What each variable but one that they leave with different values counts beside them."""
    word_extremum: float
    """What the minimum or maximum of two words counts."""
    weighs_pairs: bool
    """Whether arithmetic of 64 bits counts twice (`pair_size`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesCosts:
    """Integer instructions around the copies of a loop whose trip count only the run knows."""

    start: float
    """Whenever the loop starts: tests for rounds and for a rest."""
    start_anywhere: float
    """The same where the counter starts anywhere or takes larger steps."""
    start_by_thread: float
    """What starting takes more where threads do not share the trip count."""
    start_of_runtime_step: float
    """All of them where the trip count takes a division by the step."""
    wide_step: PointerCosts
    """The same of a counter of 64 bits: the division of pairs of words, the counter where copies run, and in each iteration that is left."""
    wide_step_pointer: PointerCosts
    """What each array takes there more than its share in the copies."""
    before_rounds: float
    """Where the copies run at all, and what is left of the count decides it."""
    before_repeats: float
    """The same where the assembler unrolled them again."""
    before_rest: float
    """Where iterations are left at all."""
    in_rest: float
    """In each iteration that is left, beyond what is shared by copies."""
    counter_pointer: PointerCosts
    """Its index is the counter, which threads start elsewhere."""
    plain_pointer: PointerCosts
    """Its index is one word with more in it."""
    row_pointer: PointerCosts
    """Its index has two parts that are widened apart."""
    scaled_pointer: PointerCosts
    """Its index is a multiple of the counter that advances as a word."""
    strided_pointer: PointerCosts
    """It advances by a stride that only the run knows."""
    uniform_pointer: PointerCosts
    """It is the same in all threads of a warp."""
    word_pointer: PointerCosts
    """It is one word, as into shared memory; of nests alone."""
    uniform_word_pointer: PointerCosts
    """The same where all threads of a warp have it."""
    product_of_row: PointerCosts
    """What a row at a product of 64 bits takes more (`x[(size_t)row * n + k]`), for all arrays with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsCosts:
    """Integer instructions for the bounds of a team and what is compared with them, while they are in ordinary registers."""

    chunk: float = 0.0
    """For each chunk, beyond what the lowered code states."""
    chunk_pointer: float = 0.0
    """For each chunk and pointer that advances with the counter."""
    start: float = 0.0
    """For a team with a chunk."""
    start_of_nest: float = 0.0
    """The same where the counter is that of a collapsed nest."""
    start_pointer: float = 0.0
    """The same for each pointer."""
    signed_round: float = 0.0
    """For each iteration of a signed counter of 32 bits: copies of the two words that it is stepped in."""
    most_registers: int = 255
    """Registers of the body, those for its pointers among them, from which on bounds go to the uniform datapath."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoweringParameters:
    """How one compiler lowers for one architecture."""

    unroll: UnrollPolicy
    type_based_aliasing: bool
    negates_after_products: bool
    """Whether a negative product is a multiply-add onto nothing instead of a product of negative operands."""
    coefficient_loads: int
    """Loads of the library's coefficients for one sine or cosine in double precision."""
    strips_negative_constants: bool
    """Whether an access at `base[i - c]` computes `i` as the common index (clang), not `i - c` (nvcc)."""
    advances_by_runtime_strides: bool
    """Whether accesses with a stride that only the run knows become pointers that advance."""
    loads_in_assembly: bool
    """Whether the headers write `__ldg` and its kin as assembly, whose pointers the compiler keeps apart."""
    advances_shared_pointers: bool
    """Whether accesses to shared memory in loops have pointers that advance too, of one word."""
    scales_copied_counter: bool
    """Whether loops that the compiler alone copied scale their counter for such accesses instead."""
    bounds_unsigned_sums: bool
    """Whether sums of unsigned thread indices and constants are known not to wrap around."""
    reorders_words: bool
    """Whether sums of words are put in order before pointers advance, which loses that they do not overflow (`factored_words`)."""
    advances_scaled_words: bool
    """Whether an index that multiplies a counter may advance as a word (see `ScaledWords`)."""
    tests_offsets: bool
    """Whether loops of known length test an offset that their pointers add (`tested_offsets`)."""
    advances_by_bounded_rows: bool
    """Whether sums of thread indices and loop counters are known not to wrap around, so that pointers advance."""
    chooses_exchanged: bool
    """Whether arms that only exchange variables, or set them, have no branch however many those are, but for comparisons of floats."""
    widens_choices: bool
    """Whether a choice between a word and a constant that no comparison of words decides is an index of 64 bits."""
    makes_tests_again: bool
    """Whether conditions of several comparisons that share some make those again (`logic`)."""
    tests_signs: bool
    """Whether an index that a test keeps from being negative is extended by zeros, on its own (`tested_signs`)."""
    compares_terms: bool
    """Whether a constant that a product or sum of a signed word is compared with is divided, or less what is added (`x * 8 + 3 < 100`)."""
    moves_before_unrolling: bool
    """Whether addresses under conditions leave a loop before that is unrolled."""
    keeps_shared_sums: bool
    """Whether a sum with a constant that all copies of an unrolled loop multiply is one value (`(2 * t + 1) * step`)."""
    extends_counters: bool
    """Whether a counter that is not negative is extended by zeros, and one that falls is multiplied anew in each copy of a loop."""
    shifts_parts: bool
    """Whether logic on a shifted number that is shifted to the right is done on parts that are shifted each (`(x ^ x >> 31) >> 11`)."""
    steps_to_multiples: bool
    """Whether the address of a multiple of a word is made from that of another multiple, by one operation (`a[x]`, `a[x * 8]`)."""
    hoists_from_short_arms: bool
    """Whether the arithmetic of a short arm without a counterpart is done before the branch, indices included."""
    folds_halving_late: bool
    """Whether halvings of a loop variable that is positive are shifts before the word in front of them is carried (`halved_counters`)."""
    moves_guarded_functions: bool
    """Whether library functions of what a loop leaves alone are moved out of it from behind a condition (`guarded_operations`)."""
    merges_paths: bool
    """Whether an address that any two paths compute is computed once, before they part."""
    finds_distances: bool
    """Whether the larger of two signed words less the smaller is the absolute value of their difference."""
    finds_bit_counts: bool
    """Whether bits that masks and shifts sum up are counted by one instruction."""
    narrows_masked_bytes: bool
    """Whether the low byte of a byte and a word in one logic operation is made of half words, apart from the mask."""
    shifts_masked_indices: bool
    """Whether an index with a constant mask is scaled before the mask, which takes a multiply-add apart."""
    chains_addresses: bool
    """Whether an address that differs from an earlier one by a stride is made from that one (IMAD.WIDE)."""
    least_accesses_of_chains: int
    """Accesses of a basic block whose addresses at equal distances are made one from the other (`chained_rows`); 0: none are."""
    least_rows_of_chains: int
    """Addresses that must be at equal distances for that."""
    keeps_constants_of_atomics: bool
    """Whether a constant leaves the index of an atomic only where the address without it is there before (`Addresses`)."""
    adds_terms_to_pointers: bool
    """Whether the terms of a 64-bit sum that is but an index are added to the pointer one by one."""
    adds_indices_of_rows: bool
    """Whether `row[i]` with `row = x + r` is `x[r + i]`, the sum in 64 bits."""
    shares_scaled_indices: bool
    """Whether one product scales an index for arrays in shared and in global memory."""
    parts_guarded_loops: bool
    """Whether a loop is parted where a branch on its counter goes the other way (`guarded_loops`)."""
    widens_used_words: bool
    """Whether the masked low word of a pair is a masked pair where it is widened, though used as a word too."""
    permutes_bytes: bool
    """Whether a byte or half word is taken out of a register by a byte permutation, which is no integer operation."""
    copies_arguments: bool
    """Whether each thread has a copy of arguments that are indexed by what only the run knows (`copied_arguments`)."""
    sums_byte_products: bool
    """Whether four products of bytes in a sum are one instruction."""
    packs_bytes: bool
    """Whether a byte is put beside lower ones by a byte permutation, instead of being scaled and added."""
    extends_vector_bytes: bool
    """Whether a byte of a vector of four is extended and cleared before it is converted."""
    hoisted_tests: int
    """Comparisons for branches in a loop with which the assembler takes them out of it (`remade_tests`)."""
    choice_of_predicates: float
    """Operations for a choice between two comparisons, beside selects."""
    uniform_stream: float
    """Operations for each advance of a pointer that is the same for the whole warp, in an unrolled loop."""
    uniform_stream_rolled: float
    """The same in a loop of one copy."""
    keeps_uniform_stream_base: bool
    """Whether a pointer that advances by a constant stays uniform and the thread's part is added (one operation)."""
    counter_on_vector: float
    """Share of uniform loop counters that are kept in ordinary registers."""
    rolled_counter_on_vector: float
    """The same of counters of loops of one copy whose trip count only the run knows."""
    shifted_counter_on_vector: float
    """The same of counters that double or halve in each iteration."""
    uniform_on_vector: float
    """Share of warp-uniform integer work that runs on the ordinary datapath all the same."""
    fuses_shared_products: bool
    """Whether a product that is also used otherwise is still fused into additions (and computed twice)."""
    speculation: SpeculationLimits
    """Branches of which both arms are computed and a result is selected."""
    counts_remaining: bool
    """Whether a partly unrolled loop has a second counter, of the iterations that are left."""
    copies: CopiesCosts
    """Around loops that the compiler unrolled partly."""
    nested_copies: CopiesCosts | None = None
    """The same inside of other loops, where what is left is no loop; None where it is one there, too."""
    inner_copies: CopiesCosts | None = None
    """The same inside of other loops, where what is left is a loop there, too; None where that makes no difference."""
    test_on_vector: float
    """Share of uniform tests outside loops that take an ordinary comparison."""
    test_in_loop_on_vector: float
    """The same in loops."""
    start_of_further_test: float
    """Where a loop of several tests starts that is copied: what each but one adds to the count of its iterations."""
    scales_shared_indices: bool
    """Whether shared accesses scale their index register, so that such addresses cost nothing."""
    speculated_logic: float
    """Operations of the second operand of a short-circuit operator up to which it is computed in any case."""
    predicates_increments: bool
    """Whether a variable that a condition changes by a constant takes a predicated addition of nothing besides."""
    contracts_brain_floats: bool
    """Whether products and sums of bfloat16 contract; before sm_90 each is a multiply-add of its own in the toolkit's header."""
    team_bounds: BoundsCosts = BoundsCosts()
    """For target regions."""
    lanes_tidy_jumps: bool
    """Whether shuffles, votes and barriers of a warp make the assembler tidy the jumps of a function (`jump_cleanup`)."""
    fuses_minimum: bool
    """Whether an addition is fused into the minimum or maximum that takes it."""
    scaled_counter_round: float
    """Further operations for each round of an unrolled loop whose indices multiply the counter by a constant."""
    multiplied_counter_copy: float
    """The same for each copy and index where the constant is no power of two; 0 where that makes no difference."""
    called_on_constants: tuple[str, ...]
    """Library functions that the compiler computes at run time even where their arguments are constants."""
    moves_bases: bool
    """Whether array and constant leave a loop together where full unrolling made the constant (see `MovedBases`)."""
    advances_indices: bool
    """Whether an index of products that a loop's counter moves on is a word that advances, from which others follow."""
    loses_inner_constants: bool
    """Whether constants inside sums of words never become offsets of accesses."""
    copies_stack_pointer: bool
    """Whether every kernel begins with a register copy."""
    reads_warp_size: bool
    """Whether `warpSize` is a register to the compiler, so that what is divided by it takes a division; else it is 32."""
    limits_code_beside_choices: bool
    """Whether long private arrays stay in registers beside little other code alone (nvcc, from sm_90 on)."""
    parameters_in_constant_bank: bool
    """Whether parameters are constant operands, of which an instruction takes one (before sm_90)."""
    evens_pipes: bool
    """Whether copies are divided so that both pipes get the same, not by the ratio of what else they get."""
    fuses_statements: bool
    """Whether in target regions a product and a sum of one statement are one operation to the unroller, which
    `-ffp-contract=on` makes them; CUDA has `fast`, which leaves them two."""
    evens_blocks: bool
    """Whether target regions are relocatable code, of which each block is evened by itself."""
    copies_per_join: float
    """Register copies for each value that depends on the path taken."""
    copies_per_uniform_pointer: float
    """Register copies of each pointer that advances on the uniform datapath, in a loop of one copy."""
    copies_per_start: float
    """Register copies for each loop variable that starts at a constant."""

    def costs_of_copies(self, *, unrolls_rest: bool, is_inner: bool) -> CopiesCosts:
        """What stands around the copies of a loop, by whether what is left over is no loop, and whether a loop stands around it."""
        if unrolls_rest and self.nested_copies is not None:
            return self.nested_copies
        if is_inner and self.inner_copies is not None:
            return self.inner_copies
        return self.copies


@functools.cache
def _table() -> dict[str, Any]:
    text = resources.files("roofstat.instructions").joinpath("data/lowering.toml").read_text()
    return tomllib.loads(text)


@functools.cache
def lowering_parameters(
    compiler: str, architecture: str, *, is_region: bool = False
) -> LoweringParameters:
    """The parameters for a compiler (``nvcc``, ``clang``) and an architecture (``sm_80``).

    What is known of sums of 64 bits was not seen in target regions; fused statements and blocks that are evened by
    themselves are theirs alone.

    An architecture without a row of its own takes that of the nearest older one that has one,
    else the oldest.
    """
    table = _table()[compiler]
    rows = sorted(table["architectures"], key=lambda row: int(row["sm"]))
    wanted = _number(architecture)
    chosen = rows[0]
    for row in rows:
        if int(row["sm"]) <= wanted:
            chosen = row
    merged = {**table["common"], **{k: v for k, v in chosen.items() if k != "sm"}}
    merged.update(dict.fromkeys(_NOT_IN_REGIONS if is_region else _IN_REGIONS, False))
    bounds = BoundsCosts(**merged.pop("team_bounds", {}))
    copies, nested = merged.pop("copies"), merged.pop("nested_copies", None)
    inner = merged.pop("inner_copies", None)
    return LoweringParameters(
        unroll=UnrollPolicy(**table["unroll"]),
        team_bounds=bounds,
        copies=_copies_costs(copies),
        speculation=SpeculationLimits(**merged.pop("speculation")),
        inner_copies=None if inner is None else _copies_costs(copies | inner),
        nested_copies=None if nested is None else _copies_costs(copies | nested),
        **merged,
    )


def _copies_costs(costs: dict[str, Any]) -> CopiesCosts:
    pointers = {name: PointerCosts(*costs[name]) for name in _POINTERS}
    return CopiesCosts(**(costs | pointers))


_IN_REGIONS = ("fuses_statements", "evens_blocks")
_NOT_IN_REGIONS = ("adds_terms_to_pointers",)
_KINDS = (
    *("counter", "plain", "row", "scaled", "strided", "uniform", "word", "uniform_word"),
    "wide_step",
)
_POINTERS = ("wide_step", "product_of_row", *(f"{kind}_pointer" for kind in _KINDS))


def _number(architecture: str) -> int:
    digits = "".join(character for character in architecture if character.isdigit())
    return int(digits) if digits else 0
