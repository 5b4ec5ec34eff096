"""The part of a program that one kernel needs: its body, what that refers to, and where it is launched.

Declarations come from the parser (`clang_queries.declarations`); which of them belong together is decided by the names
in their text, so that a macro is found like a function. A name that two declarations share brings both: a slice may
hold a little too much, never too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from clang_queries.declarations import Declaration, DeclarationKind, declared_source
from clang_queries.errors import ParseError
from clang_queries.quick_dataclass import dataclass
from roofstat.analysis.settings import parse_options
from roofstat.llm.launch_site import launch_site
from roofstat.llm.quoting import SourcePiece
from roofstat.report import KernelReport, Language

if TYPE_CHECKING:
    from roofstat.analysis import AnalysisOptions

__all__ = ["ProgramSource", "read_program", "slice_kernel"]

_MAX_VARIABLE_LINES: Final = 24
"""Of one variable's initialiser: tables of constants say little after their first lines."""
_MAX_CHARACTERS: Final = 48_000
"""Of a slice: about 14,000 tokens. What is farthest from the kernel goes first."""
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NO_CODE: Final = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSource:
    """The own files of a program and what they declare."""

    lines: dict[str, tuple[str, ...]]
    declarations: tuple[Declaration, ...]

    def words(self, declaration: Declaration) -> set[str]:
        """The names that a declaration's code mentions."""
        return words_of(self.lines[declaration.file][declaration.line - 1 : declaration.end_line])


def read_program(files: Sequence[Path], options: AnalysisOptions) -> ProgramSource:
    """Parse the units of a program; one that cannot be parsed is left out."""
    parse = parse_options(options)
    lines: dict[str, tuple[str, ...]] = {}
    declarations: dict[Declaration, None] = {}
    for file in files:
        name = str(file)
        try:
            found = declared_source(name, parse, options.unsaved.get(name))
        except ParseError:
            continue
        lines |= {path: tuple(text.splitlines()) for path, text in found.texts.items()}
        declarations |= dict.fromkeys(found.declarations)
    return ProgramSource(lines=lines, declarations=tuple(declarations))


def slice_kernel(program: ProgramSource, kernel: KernelReport) -> tuple[SourcePiece, ...]:
    """Return what a reader needs to judge a kernel; empty where the program does not hold it."""
    own = program.lines.get(kernel.file)
    if own is None:
        return ()
    site = _site(program, kernel)
    start = kernel.line
    if kernel.language is not Language.OPENMP:
        # The head of a template stands above the line that the report names.
        start = min(
            (item.line for item in program.declarations if _holds(item, kernel)), default=start
        )
    names = words_of(own[start - 1 : kernel.end_line])
    needed = _closure(program, names, DeclarationKind)
    # Host functions are not followed: what they compute stands in the launch.
    for_site = _closure(
        program, words_of(text for _, _, text in site), set(DeclarationKind) - {_FUNCTION}
    )
    ranked = [(kernel.file, line, line) for line in range(start, kernel.end_line + 1)]
    ranked += [(file, line, line) for file, line, _ in site]
    ranked += [(item.file, item.line, item.end_line) for item in (*needed, *for_site)]
    kept = _within_limit(program, ranked)
    pieces = _pieces(program, kept, _long_variables(program.declarations))
    left_out = len(set(ranked)) - len(kept)
    if left_out and pieces:
        note = f"{left_out} more lines and declarations left out: there is too much source"
        pieces[-1] = SourcePiece(
            file=pieces[-1].file, line=pieces[-1].line, lines=pieces[-1].lines, note=note
        )
    return tuple(pieces)


_FUNCTION: Final = DeclarationKind.FUNCTION
_Span = tuple[str, int, int]


def words_of(lines: Iterable[str]) -> set[str]:
    """The names in some lines of code, without those in comments and strings."""
    return set(_WORD.findall(_NO_CODE.sub(" ", "\n".join(lines))))


def _holds(declaration: Declaration, kernel: KernelReport) -> bool:
    return (
        declaration.kind is _FUNCTION
        and declaration.file == kernel.file
        and declaration.line <= kernel.line <= declaration.end_line
    )


def _site(program: ProgramSource, kernel: KernelReport) -> list[tuple[str, int, str]]:
    """Lines of host code around the launch (or the directive), with their places."""
    launch = kernel.launch
    openmp = kernel.language is Language.OPENMP
    file = kernel.file if openmp else launch.file if launch is not None else None
    line = kernel.line if openmp else launch.line if launch is not None else None
    if file is None or line is None or file not in program.lines:
        return []
    around = [
        item
        for item in program.declarations
        if item.kind is _FUNCTION and item.file == file and item.line <= line <= item.end_line
    ]
    if not around:
        return []
    function = max(around, key=lambda item: item.line)
    text = program.lines[file][function.line - 1 : function.end_line]
    end = kernel.end_line if openmp else line
    chosen = launch_site(text, line - function.line, end - function.line)
    return [(file, function.line + number, text[number]) for number in chosen]


def _closure(
    program: ProgramSource, names: set[str], kinds: Iterable[DeclarationKind]
) -> list[Declaration]:
    """Declarations of some kinds that names lead to, the nearest first."""
    wanted = frozenset(kinds)
    by_name: dict[str, list[Declaration]] = {}
    for declaration in program.declarations:
        if declaration.kind in wanted:
            for name in declaration.names:
                by_name.setdefault(name, []).append(declaration)
    found: dict[Declaration, None] = {}
    front = sorted(names)
    while front:
        fresh = {
            item: None for name in front for item in by_name.get(name, ()) if item not in found
        }
        found |= fresh
        front = sorted({word for item in fresh for word in program.words(item)} & by_name.keys())
        front = [name for name in front if any(item not in found for item in by_name[name])]
    return list(found)


def _within_limit(program: ProgramSource, spans: Sequence[_Span]) -> set[_Span]:
    """As many spans from the start as fit; the first always does."""
    kept: set[_Span] = set()
    total = 0
    for span in spans:
        if span in kept:
            continue
        file, line, end = span
        total += sum(min(len(text), 400) + 6 for text in program.lines[file][line - 1 : end])
        if kept and total > _MAX_CHARACTERS:
            break
        kept.add(span)
    return kept


def _long_variables(declarations: Sequence[Declaration]) -> dict[tuple[str, int], int]:
    """The last line of each variable with a long initialiser, by its first."""
    return {
        (item.file, item.line): item.end_line
        for item in declarations
        if item.kind is DeclarationKind.VARIABLE
        and item.end_line - item.line >= _MAX_VARIABLE_LINES
    }


def _pieces(
    program: ProgramSource, spans: Iterable[_Span], long_variables: dict[tuple[str, int], int]
) -> list[SourcePiece]:
    """The lines of the spans in the order of the files, adjacent ones together."""
    chosen: dict[str, set[int]] = {}
    cut_after: dict[tuple[str, int], str] = {}
    for file, line, end in spans:
        last = end
        if long_variables.get((file, line)) == end:
            last = line + _MAX_VARIABLE_LINES // 2
            cut_after[file, last] = f"{end - last} more lines of this variable left out"
        chosen.setdefault(file, set()).update(range(line, last + 1))
    pieces: list[SourcePiece] = []
    for file in program.lines:
        text = program.lines[file]
        run: list[int] = []
        for number in [*sorted(chosen.get(file, ())), None]:
            ends = bool(run) and (number != run[-1] + 1 or (file, run[-1]) in cut_after)
            if ends:
                pieces.append(
                    SourcePiece(
                        file=file,
                        line=run[0],
                        lines=text[run[0] - 1 : run[-1]],
                        note=cut_after.get((file, run[-1]), ""),
                    )
                )
                run = []
            if number is not None:
                run.append(number)
    return pieces
