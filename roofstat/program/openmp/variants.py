"""Which function a call means where ``declare variant`` gives others for some contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.program.link import bare_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clang_queries.ir.expressions import FunctionName
    from clang_queries.ir.statements import Function, FunctionVariant, Selector
    from clang_queries.ir.types import Type
    from roofstat.program.context import Context

_DEVICE = {
    "kind": frozenset({"any", "nohost", "gpu"}),
    "arch": frozenset({"nvptx64", "nvptx"}),
}
_HOST = {
    "kind": frozenset({"any", "host", "cpu"}),
    "arch": frozenset({"x86_64", "x86"}),
}
_KNOWN = {
    "kind": frozenset({"any", "host", "nohost", "cpu", "gpu", "fpga"}),
    "arch": frozenset(
        {"nvptx64", "nvptx", "x86_64", "x86", "amdgcn", "aarch64", "arm", "ppc64le", "ppc", "ppc64"}
    ),
}
_VENDORS = frozenset(
    {"amd", "arm", "bsc", "cray", "fujitsu", "gnu", "ibm", "intel", "llvm", "nec", "nvidia", "pgi", "ti", "unknown"}
)  # fmt: skip


def chosen_function(
    context: Context, callee: FunctionName, arguments: Sequence[Type]
) -> Function | None:
    """The variant that a call means; None where it means the function that it names."""
    program = context.program
    best: tuple[int, Function] | None = None
    for variant in program.variants.get(bare_name(callee.name), ()):
        score = _score(context, variant)
        if score is None:
            continue
        function = _function(context, variant.name, callee.name, arguments)
        if function is None:
            context.builder.assume(
                "openmp",
                f"'{variant.name}', the variant of '{variant.base}' here, is not visible: taken as the function itself",
            )
        elif function.key != callee.key and (best is None or score > best[0]):
            best = score, function
    return best[1] if best is not None else None


def _function(context: Context, name: str, base: str, arguments: Sequence[Type]) -> Function | None:
    """The function of a variant: as it is spelled, or beside the one that it stands for."""
    scope = base.rpartition("::")[0]
    for spelled in (name, f"{scope}::{name}"):
        found = context.program.function("", spelled, arguments)
        if found is not None:
            return found
    return None


def _score(context: Context, variant: FunctionVariant) -> int | None:
    """How specific a variant is whose context matches, as OpenMP counts; None where it does not match."""
    traits = _construct_traits(context)
    wanted = [item.trait for item in variant.selectors if item.set == "construct"]
    places = _places(wanted, traits)
    if places is None:
        return None
    score = sum(1 << place for place in places)
    for selector in variant.selectors:
        if selector.set == "construct":
            continue
        matches = _matches(context, selector)
        if matches is None:
            written = f"{selector.set}={{{selector.trait}({', '.join(selector.properties)})}}"
            context.builder.assume(
                "openmp",
                f"whether {written} holds is not known: '{variant.name}' does not replace '{variant.base}'",
            )
        if not matches:
            return None
        weight = {"kind": 0, "arch": 1, "isa": 2}.get(selector.trait)
        if selector.set == "device" and weight is not None:
            score += 1 << (len(traits) + weight)
    return score


def _construct_traits(context: Context) -> list[str]:
    """The constructs around a call, outermost first; a function sees those in its own body alone."""
    state = context.openmp
    return state.constructs if state is not None and len(context.frames) == 1 else []


def _places(wanted: list[str], traits: list[str]) -> list[int] | None:
    """Where the wanted constructs are among those around, in the same order; None where one is missing."""
    found: list[int] = []
    start = 0
    for word in wanted:
        if word not in traits[start:]:
            return None
        found.append(traits.index(word, start))
        start = found[-1] + 1
    return found


def _matches(context: Context, selector: Selector) -> bool | None:
    """Whether a trait holds; None where it is not known."""
    match selector.set, selector.trait:
        case ("device", "kind" | "arch"):
            here = (_HOST if context.is_host else _DEVICE)[selector.trait]
            if not set(selector.properties) <= _KNOWN[selector.trait]:
                return None
            return set(selector.properties) <= here
        case ("implementation", "vendor") if set(selector.properties) <= _VENDORS:
            return selector.properties == ("llvm",)
        case ("user", "condition") if len(selector.properties) == 1:
            text = selector.properties[0]
            return bool(int(text)) if text.isdigit() else {"true": True, "false": False}.get(text)
        case _:
            return None
