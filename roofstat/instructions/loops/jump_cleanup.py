"""Whether the assembler tidies the jumps of a function before it copies loops.

LLVM ends many loops with a conditional exit and an unconditional jump back. As it stands the assembler does not copy such a
loop; where it has tidied the jumps of the function before, all its loops end with their test. SASS of 200 small kernels
(clang 18.1.6 with ptxas 12.6, sm_86) shows what makes it do so: operations that wait for the other lanes of the warp (not on sm_90), operations
that become calls or come with arms of their own, a loop inside a loop, a branch inside a loop, and a branch with two arms
that is the next one after a loop (LLVM then gives it two jumps).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.instructions.integers.arithmetic import PURE
from roofstat.instructions.integers.widths import WIDE
from roofstat.instructions.loops import loop_facts
from roofstat.program.code import (
    Block,
    If,
    Instruction,
    Leave,
    LibraryCall,
    Loop,
    Op,
    Scope,
    blocks,
    children,
)
from roofstat.program.openmp.runtime_calls import RuntimeCall

if TYPE_CHECKING:
    from roofstat.program.code import Code, Region

_FUNCTIONS = {
    Scalar.F32: frozenset({"tgamma", "lgamma", "sinh", "tanh", "fmod", "remainder"}),
    Scalar.F64: frozenset(
        {
            *("tgamma", "lgamma", "sinh", "tanh", "fmod", "remainder"),
            *("sqrt", "atan2", "acos", "log1p"),
        }
    ),
}
"""Functions whose code makes the assembler tidy jumps; of 79 that were tried in front of a loop and behind it."""
_MOST_CHOSEN = 4
"""Operations in arms up to which LLVM computes both and selects."""
_MOST_UNROLLED = 300
"""Operations up to which a loop of known trip count inside another vanishes."""


def tidies_jumps(code: Code, *, lanes_tidy: bool) -> bool:
    """Whether the loops of a function end with their test, whatever LLVM wrote.

    Args:
        code: the function.
        lanes_tidy: whether operations that wait for the other lanes make the assembler do it.
    """
    return (
        has_calls(code, lanes_tidy=lanes_tidy)
        or any(_has_arms(item, code) for _, item in code.instructions())
        or _visit(code.body, code)
    )


def has_calls(code: Code, *, lanes_tidy: bool) -> bool:
    """Whether it has operations that make the assembler tidy its jumps in any surroundings, target regions included."""
    return any(
        _is_called(item, code) or (lanes_tidy and _waits_for_lanes(item))
        for _, item in code.instructions()
    )


def _waits_for_lanes(item: Instruction) -> bool:
    match item.op:
        case Op.SHUFFLE:
            return True
        case Op.VOTE:
            return item.detail != "activemask"
        case Op.BARRIER:
            return item.detail == "warp"
        case Op.LIBRARY if isinstance(item.detail, LibraryCall):
            return item.detail.name.startswith(RuntimeCall.REDUCE_THREADS)
        case _:
            return False


def _has_arms(item: Instruction, code: Code) -> bool:
    if item.op is not Op.MATH:
        return False
    name = str(item.detail).removesuffix("f")
    if name == "pow":
        return _is_multiple_of_half(code.constants.get(item.args[-1]))
    return name in _FUNCTIONS.get(item.scalar, ())


def _is_called(item: Instruction, code: Code) -> bool:
    """Whether a division is a call: of long integers by a variable, of doubles unless it is a reciprocal or a product."""
    if item.op not in {Op.DIV, Op.REM}:
        return False
    divisor = code.constants.get(item.args[1])
    if item.scalar in WIDE:
        return divisor is None
    if item.scalar is not Scalar.F64:
        return False
    if code.constants.get(item.args[0]) == 1.0:
        return False
    return not isinstance(divisor, float) or not _is_power_of_two(divisor)


def _is_power_of_two(number: float) -> bool:
    return abs(number).hex().startswith("0x1.0000000000000p")


def _is_multiple_of_half(exponent: float | None) -> bool:
    return exponent is not None and (2.0 * exponent).is_integer()


def _visit(regions: list[Region], code: Code) -> bool:
    for number, region in enumerate(regions):
        if isinstance(region, Loop):
            before = regions[number - 1] if number else None
            if _has_branches(region, before, code):
                return True
            if region.leaves_backwards and _comes_to_arms(regions[number + 1 :]):
                return True
        elif any(_visit(part, code) for part in children(region)):
            return True
    return False


def _has_branches(loop: Loop, before: Region | None, code: Code) -> bool:
    """Whether a loop that stays has a loop or an arm with accesses or much arithmetic in it."""
    if _vanishes(loop, before, code):
        return any(_visit(part, code) for part in children(loop))
    return any(map(_stays, _inside(children(loop), code)))


def _inside(parts: tuple[list[Region], ...], code: Code) -> list[Region]:
    """Branches and loops that stay inside regions, those of loops that vanish included."""
    found: list[Region] = []
    for part in parts:
        for before, region in zip([None, *part], part, strict=False):
            vanishes = isinstance(region, Loop) and _vanishes(region, before, code)
            if isinstance(region, Scope) or vanishes:
                found += _inside(children(region), code)
            elif isinstance(region, If) and region.kind == "if":
                found.append(region)
                found += _inside(children(region), code)
            elif isinstance(region, Loop):
                found.append(region)
    return found


def _stays(region: Region) -> bool:
    return isinstance(region, Loop) or (
        isinstance(region, If)
        and any(_computes(arm, and_stores=True) > _MOST_CHOSEN for arm in children(region))
    )


def _vanishes(loop: Loop, before: Region | None, code: Code) -> bool:
    """Whether a loop has a known trip count and is unrolled fully; `before` is what stands in front of it."""
    starts: dict[int, loop_facts.Known] = {}
    if isinstance(before, Block):
        for item in before.instructions:
            if item.op is Op.MOV and item.args[0] in code.constants:
                starts[item.dest] = code.constants[item.args[0]]
            else:
                starts.pop(item.dest, None)
    facts = loop_facts.loop_facts(loop, code.variables)
    trips = loop_facts.constant_trips(loop, facts, code, starts.get)
    return trips is not None and trips * len(facts.instructions) <= _MOST_UNROLLED


def _comes_to_arms(regions: list[Region]) -> bool:
    """Whether the next branch has two arms and one of them more than LLVM computes without need."""
    for region in regions:
        match region:
            case Block():
                continue
            case If() if region.kind != "logical":
                sizes = [_computes(arm, and_stores=False) for arm in children(region)]
                return min(sizes) > 0 and max(sizes) > _MOST_CHOSEN
            case Scope():
                return _comes_to_arms(region.body)
            case _:
                return False
    return False


def _computes(arm: list[Region], *, and_stores: bool) -> int:
    """Operations of an arm, accesses as many; none where it ends with a jump.

    LLVM makes one of the last stores of both arms (`and_stores` false).
    """
    if any(isinstance(region, Leave) for region in arm):
        return 0
    size = 0
    for block in blocks(arm):
        for item in block.instructions:
            if item.op in _EFFECTS or (and_stores and item.op is Op.STORE):
                size += _MOST_CHOSEN + 1
            elif item.op in PURE:
                size += 2 if item.scalar.is_float else 1
    return size


_EFFECTS = frozenset({Op.LOAD, Op.ATOMIC, Op.LIBRARY, Op.CALL})
