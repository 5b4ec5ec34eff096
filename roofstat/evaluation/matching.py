"""Which analysed kernel a label row speaks of."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.evaluation.labels import Dim3, LabelRow
from roofstat.evaluation.signatures import WILDCARD, Signature, parse_signature
from roofstat.evaluation.type_names import normal_type
from roofstat.libraries.table import variants_of
from roofstat.report import Language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class MatchLevel(IntEnum):
    """How well a name fits, best first."""

    FULL = 1
    """Scope, name, template arguments and parameters are equal."""
    UNSCOPED = 2
    """The same without the namespaces, which profilers may leave out."""
    INSTANCE = 3
    """Name and template arguments are equal, the parameters are not known to differ."""
    ARGUMENTS = 4
    """Name and template arguments are equal; the parameters are spelt differently."""
    COMPATIBLE = 5
    """Name equal, template arguments may be the same (enumerator against number, defaults left out, lambdas)."""
    PLACE = 6
    """OpenMP: the directive's line or the function fits, not both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What matching needs to know of one analysed kernel.

    Attributes:
        signature: Demangled name with template arguments; the function's for an OpenMP region.
        directive_line: OpenMP: line of the directive.
        index: Order of the launch in the program; the first is compared when nothing else decides.
        library: Kernels of libraries: their variant and the type of their elements; None for kernels of the source.
    """

    language: Language
    signature: str
    directive_line: int | None
    file: str
    grid: Dim3 | None
    block: Dim3 | None
    index: int
    library: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The candidate that a row speaks of.

    Attributes:
        position: Index into the candidates.
        level: How well the name fits.
        alternatives: Other kernels (not launches of the same) that fit as well.
    """

    position: int
    level: MatchLevel
    alternatives: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMatch:
    """No candidate fits; the reason names what is there instead."""

    reason: str


def match_row(
    row: LabelRow, candidates: Sequence[Candidate], *, by_launch: bool
) -> Match | NoMatch:
    """Find the kernel that a row speaks of.

    Args:
        row: The label row.
        candidates: Kernels of the row's program.
        by_launch: Prefer the launch whose grid and block are the row's; otherwise the first launch is taken.
    """
    if row.language is Language.OPENMP:
        fits = _openmp_fits(row, candidates)
    else:
        fits = _kernel_fits(row, candidates)
    if not fits:
        return NoMatch(reason=_reason(row, candidates))
    best = min(fits.values())
    chosen = [position for position, level in fits.items() if level == best]
    kernels = {_identity(candidates[position]) for position in chosen}
    ordered = sorted(
        chosen, key=lambda position: _preference(row, candidates[position], by_launch=by_launch)
    )
    return Match(position=ordered[0], level=best, alternatives=len(kernels) - 1)


def _identity(candidate: Candidate) -> tuple[str, int | None, str]:
    # a kernel in a header is one kernel, whichever file launches it; a directive's line needs its file
    file = candidate.file if candidate.language is Language.OPENMP else ""
    return (candidate.signature, candidate.directive_line, file)


def _preference(
    row: LabelRow, candidate: Candidate, *, by_launch: bool
) -> tuple[bool, int, bool, bool, int]:
    same_file, element = _file_rank(row, candidate), _element_rank(row, candidate)
    if not by_launch:
        return (same_file, element, False, False, candidate.index)
    is_other = candidate.block != row.block, candidate.grid != row.grid
    return (same_file, element, *is_other, candidate.index)


def _element_rank(row: LabelRow, candidate: Candidate) -> int:
    """Kernels of libraries: where among a row's template arguments their type stands; that of the elements goes before others."""
    if candidate.library is None or not candidate.library[1]:
        return 0
    full_name = row.kernel or row.symbol or ""
    found = re.search(rf"\b{candidate.library[1]}\b", full_name)
    return found.start() if found else len(full_name)


def _file_rank(row: LabelRow, candidate: Candidate) -> bool:
    """False (first) for a candidate in one of the row's own translation units."""
    names = {PurePath(source).name for source in row.sources}
    return PurePath(candidate.file).name not in names


def _kernel_fits(row: LabelRow, candidates: Sequence[Candidate]) -> dict[int, MatchLevel]:
    fits: dict[int, MatchLevel] = {}
    wanted = parse_signature(row.kernel or row.symbol or "")
    for position, candidate in enumerate(candidates):
        if candidate.language is Language.OPENMP:
            continue
        if candidate.library is not None:
            if wanted.name == parse_signature(candidate.signature).name:
                fits[position] = _library_level(row, candidate.library[0])
        elif (level := _signature_level(wanted, parse_signature(candidate.signature))) is not None:
            fits[position] = level
    return fits


def _library_level(row: LabelRow, variant: str) -> MatchLevel:
    """Kernels of libraries are known without their template arguments: what is among a row's says which is meant."""
    is_meant = variant in variants_of(row.kernel or row.symbol or "")
    return MatchLevel.INSTANCE if is_meant else MatchLevel.COMPATIBLE


def _openmp_fits(row: LabelRow, candidates: Sequence[Candidate]) -> dict[int, MatchLevel]:
    wanted = parse_signature(row.function or "")
    by_line: dict[int, MatchLevel] = {}
    by_function: dict[int, MatchLevel] = {}
    for position, candidate in enumerate(candidates):
        if candidate.language is not Language.OPENMP:
            continue
        found = parse_signature(candidate.signature)
        level = _signature_level(wanted, found)
        if candidate.directive_line == row.line:
            # an equal name that does not fit is another instance of the same template
            if level is not None or found.name != wanted.name:
                by_line[position] = MatchLevel.PLACE if level is None else level
        elif level is not None:
            by_function[position] = MatchLevel.PLACE
    if by_line:
        return by_line
    # a directive whose line is off by an edit still has one possible meaning where the function holds one region
    lines = {
        (candidates[position].file, candidates[position].directive_line) for position in by_function
    }
    return by_function if len(lines) == 1 else {}


def _signature_level(wanted: Signature, found: Signature) -> MatchLevel | None:
    """How well two names fit; None where they cannot be the same kernel."""
    if wanted.name != found.name:
        return None
    if wanted == found:
        return MatchLevel.FULL
    wanted, found = _unscoped(wanted), _unscoped(found)
    if wanted == found:
        return MatchLevel.UNSCOPED
    given, other = wanted.template_arguments, found.template_arguments
    parameters_fit = _parameters_fit(wanted.parameters, found.parameters)
    if given == other and WILDCARD not in (given or ()):
        return MatchLevel.INSTANCE if parameters_fit else MatchLevel.ARGUMENTS
    if _arguments_fit(given, other):
        return MatchLevel.COMPATIBLE
    return None


_SCOPE: Final = re.compile(r"\b[A-Za-z_]\w*(?:<[^<>]*>)?::")


def _unscoped(signature: Signature) -> Signature:
    def strip(parts: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if parts is None else tuple(_SCOPE.sub("", part) for part in parts)

    return Signature(
        (), signature.name, strip(signature.template_arguments), strip(signature.parameters)
    )


def _all_fit(
    wanted: tuple[str, ...], found: tuple[str, ...], fit: Callable[[str, str], bool]
) -> bool:
    return all(fit(left, right) for left, right in zip(wanted, found, strict=False))


def _parameters_fit(wanted: tuple[str, ...] | None, found: tuple[str, ...] | None) -> bool:
    if wanted is None or found is None:
        return True
    return len(wanted) == len(found) and _all_fit(wanted, found, _wild_equal)


def _wild_equal(left: str, right: str) -> bool:
    return left == right or WILDCARD in left or WILDCARD in right


def _arguments_fit(wanted: tuple[str, ...] | None, found: tuple[str, ...] | None) -> bool:
    """Whether two lists may be the same instance: no argument is known to differ (trailing ones may be left out)."""
    return wanted is None or found is None or _all_fit(wanted, found, _may_be_equal)


_NUMBER: Final = re.compile(r"-?\d+")
_KNOWN_TYPES: Final = frozenset(
    normal_type(name)
    for name in (
        *("bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int"),
        *("unsigned int", "long", "unsigned long", "long long", "unsigned long long", "void"),
        *("float", "double", "half", "half2", "nv_bfloat16", "nv_bfloat162"),
    )
)


def _may_be_equal(left: str, right: str) -> bool:
    if _wild_equal(left, right):
        return True
    left_number, right_number = _NUMBER.fullmatch(left), _NUMBER.fullmatch(right)
    if left_number or right_number:
        # a number against an enumerator or a constant's name may be the same value
        return (
            not (left_number and right_number)
            and left not in _KNOWN_TYPES
            and right not in _KNOWN_TYPES
        )
    # a typedef's name against a type may be the same; two types known by name are not
    return not (_stem(left) in _KNOWN_TYPES and _stem(right) in _KNOWN_TYPES)


def _stem(text: str) -> str:
    return text.removeprefix("const ").rstrip("*&")


def _reason(row: LabelRow, candidates: Sequence[Candidate]) -> str:
    kind = "region" if row.language is Language.OPENMP else "kernel"
    if not candidates:
        return f"the analysis found no {kind} in the program"
    wanted = parse_signature(
        (row.function if row.language is Language.OPENMP else row.kernel or row.symbol) or ""
    )
    near = [
        candidate
        for candidate in candidates
        if parse_signature(candidate.signature).name == wanted.name
    ]
    if near:
        places = _listed(map(_place, near), 4)
        return f"no {kind} fits {row.kernel_id}; of that name there are: {places}"
    names = _listed((parse_signature(candidate.signature).name for candidate in candidates), 6)
    return f"no {kind} is called {wanted.name}; found: {names}"


def _listed(names: Iterable[str], most: int) -> str:
    """Names without repetition, of which so many are written out."""
    found = list(dict.fromkeys(names))
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _place(candidate: Candidate) -> str:
    if candidate.language is Language.OPENMP:
        return f"line {candidate.directive_line} of {PurePath(candidate.file).name}"
    return candidate.signature
