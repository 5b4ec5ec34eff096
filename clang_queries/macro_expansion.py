"""Textual macro expansion, as far as ``_Pragma`` operators need it: arguments, stringizing, pasting, nested macros."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clang_queries.lexing import Macro, balanced, split_list
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

_TOKEN = pattern(
    r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_]\w*|\.?\d[\w.]*|\#\#|\s+|.', re.DOTALL
)
_OPENING = pattern(r"\s*\(")
_PARAMETER = pattern(
    r"(?P<paste>\s*\#\#\s*)|\#\s*(?P<string>\w+)|(?P<word>[A-Za-z_]\w*)"
    r'|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|.',
    re.DOTALL,
)
_OPEN, _CLOSE = "\x02", "\x03"
"""Around what a use of a macro has written as its arguments: that stands at a place of its own in the file."""
ARGUMENT = _OPEN
_MARKS = str.maketrans("", "", _OPEN + _CLOSE)
_MAXIMUM_LENGTH = 20_000
"""Longer texts are left as they are: no directive is that long."""


@dataclass(frozen=True, slots=True)
class PlaceInUse:
    """Where a ``_Pragma`` stands in the expansion of a macro, relative to the loops that the same use yields."""

    loops_before: int
    follower: str
    """The token behind it, further pragmas skipped; `ARGUMENT` where an argument of the use stands there."""


@dataclass(frozen=True, slots=True)
class ExpandedPragma:
    """The text of a ``_Pragma`` operator."""

    text: str
    place: PlaceInUse


def expanded_pragmas(use: str, macros: Mapping[str, Macro]) -> list[ExpandedPragma]:
    """The ``_Pragma`` operators that a use of a macro yields, those in its arguments left out.

    Example:
        >>> quote, omp = Macro("QUOTE", ("x",), "#x"), Macro("OMP", ("x",), "_Pragma(QUOTE(omp x))")
        >>> [item.text for item in expanded_pragmas("OMP(parallel for)", {"QUOTE": quote, "OMP": omp})]
        ['omp parallel for']
    """
    expanded = expand(_marked(use), macros)
    found: list[tuple[str, int]] = []
    followers: list[str] = []
    loops = depth = place = 0
    while place < len(expanded):
        match = _TOKEN.match(expanded, place)
        assert match is not None
        piece, place = match[0], match.end()
        if piece == _OPEN and not depth:
            followers.extend([ARGUMENT] * (len(found) - len(followers)))
        depth += (piece == _OPEN) - (piece == _CLOSE)
        if depth or not piece.strip(f" \t\r\n;{_CLOSE}"):
            continue
        if piece == "_Pragma":
            opening = expanded.find("(", place)
            place = balanced(expanded, opening) if opening >= 0 else len(expanded)
            inner = expanded[opening + 1 : place - 1].translate(_MARKS).strip()
            text = _literal_text(inner)
            if text is not None:
                found.append((text, loops))
            continue
        followers.extend([piece] * (len(found) - len(followers)))
        loops += piece == "for"
    followers.extend([""] * (len(found) - len(followers)))
    return [
        ExpandedPragma(text, PlaceInUse(before, follower))
        for (text, before), follower in zip(found, followers, strict=True)
    ]


_LITERAL = pattern(
    r'(?:u8|[LuU])?(?:"(?P<plain>(?:[^"\\]|\\.)*)"|R"(?P<mark>[^("]*)\((?P<raw>.*)\)(?P=mark)")',
    re.DOTALL,
)


def _literal_text(literal: str) -> str | None:
    """The text of a string literal as ``_Pragma`` reads it, its prefix dropped."""
    match = _LITERAL.fullmatch(literal)
    if match is None:
        return None
    if match["raw"] is not None:
        return match["raw"]
    return re.sub(r'\\(["\\])', r"\1", match["plain"])


def _marked(use: str) -> str:
    opening = use.find("(")
    if opening < 0 or use.startswith("_Pragma"):
        return use
    inner = use[opening + 1 : balanced(use, opening) - 1]
    return f"{use[:opening]}({','.join(_OPEN + item + _CLOSE for item in split_list(inner))})"


def expand(text: str, macros: Mapping[str, Macro], active: frozenset[str] = frozenset()) -> str:
    """The text with its macros replaced; those in `active` are being replaced already and stay."""
    parts: list[str] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None
        word = match[0]
        place = match.end()
        macro = macros.get(word)
        if macro is None or word in active or len(text) > _MAXIMUM_LENGTH:
            parts.append(word)
            continue
        arguments: list[str] = []
        if macro.parameters is not None:
            opening = place + len(text[place:]) - len(text[place:].lstrip())
            if text[opening : opening + 1] != "(":
                parts.append(word)
                continue
            place = balanced(text, opening)
            arguments = _arguments(macro, text[opening + 1 : place - 1])
        replaced = expand(_replaced(macro, arguments, macros, active), macros, active | {word})
        last = _last_word(replaced)
        if (
            _has_parameters(last, macros)
            and last not in active
            and text[place:].lstrip()[:1] == "("
        ):
            # the arguments of a macro that this one ends with stand behind it
            parts.append(replaced.rstrip().removesuffix(last))
            text, place = last + text[place:], 0
            continue
        parts.append(replaced)
    return "".join(parts)


def expand_outside_parentheses(text: str, macros: Mapping[str, Macro]) -> str:
    """The text of a directive with the macros replaced that stand for its words and clauses.

    Example:
        >>> macros = {"DIR": Macro("DIR", None, "target teams"), "TEAMS": Macro("TEAMS", ("n",), "num_teams(n)")}
        >>> expand_outside_parentheses("DIR TEAMS(4) map(DIR)", macros)
        'target teams num_teams(4) map(DIR)'
    """
    parts: list[str] = []
    place = 0
    while (match := _TOKEN.match(text, place)) is not None:
        start, place = place, match.end()
        if match[0] == "(":
            place = balanced(text, start)
        elif match[0] in macros:
            behind = _OPENING.match(text, place)
            if behind is not None and _has_parameters(match[0], macros):
                place = balanced(text, behind.end() - 1)
            parts.append(expand(text[start:place], macros))
            continue
        parts.append(text[start:place])
    return "".join(parts)


def _last_word(text: str) -> str:
    match = re.search(r"[A-Za-z_]\w*\Z", text.rstrip())
    return match[0] if match is not None else ""


def _has_parameters(word: str, macros: Mapping[str, Macro]) -> bool:
    macro = macros.get(word)
    return macro is not None and macro.parameters is not None


def takes_arguments(word: str, macros: Mapping[str, Macro]) -> bool:
    """Whether a use of a macro goes on with the parentheses behind it: its own, or those of what it expands to."""
    if word == "_Pragma" or _has_parameters(word, macros):
        return True
    last = _last_word(expand(word, macros))
    return last == "_Pragma" or _has_parameters(last, macros)


def _arguments(macro: Macro, text: str) -> list[str]:
    names = macro.parameters or ()
    if len(names) == 1:
        return [text.strip()]
    found = split_list(text)
    if names and names[-1].endswith("..."):
        fixed = len(names) - 1
        return [*found[:fixed], ", ".join(found[fixed:])]
    return found


def _replaced(
    macro: Macro, arguments: list[str], macros: Mapping[str, Macro], active: frozenset[str]
) -> str:
    """The body with its parameters replaced: stringized, pasted, or expanded first."""
    names = [name.removesuffix("...").strip() or "__VA_ARGS__" for name in macro.parameters or ()]
    given = dict(zip(names, arguments, strict=False))
    parts: list[str] = []
    is_pasted = False
    matches = list(_PARAMETER.finditer(macro.body))
    for index, match in enumerate(matches):
        if match["paste"]:
            is_pasted = True
            continue
        if match["string"] in given:
            plain = " ".join(given[match["string"]].translate(_MARKS).split())
            escaped = re.sub(r'(["\\])', r"\\\1", plain)
            parts.append(f'"{escaped}"')
        elif match["word"] in given:
            next_pastes = index + 1 < len(matches) and bool(matches[index + 1]["paste"])
            raw = given[match["word"]]
            is_joined = is_pasted or next_pastes
            parts.append(raw.translate(_MARKS) if is_joined else expand(raw, macros, active))
        else:
            parts.append(match[0])
        is_pasted = False
    return "".join(parts)
