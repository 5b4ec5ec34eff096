"""OpenMP directives, read from the source text and bound to the statements that follow them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import RECORD_KINDS, Kind
from clang_queries.clause_expressions import ClauseNames, lower_clause_expression
from clang_queries.combiners import DeclaredReduction, combiner_of, declared_reduction
from clang_queries.context_selectors import declared_function, selectors
from clang_queries.directive_syntax import (
    DECLARATIVE,
    STANDALONE,
    attribute_directives,
    chosen_variant,
    clause_items,
    is_clause,
    parse_directive,
    unknown_schedule,
)
from clang_queries.ir.expressions import Position
from clang_queries.ir.statements import (
    Clause,
    Compound,
    DiagnosticKind,
    Directive,
    FunctionVariant,
    OpaqueStmt,
    ParseDiagnostic,
    Selector,
    Stmt,
)
from clang_queries.ir.types import BOOL
from clang_queries.lexing import (
    Lexeme,
    LexemeKind,
    Lines,
    Macro,
    Skipped,
    balanced,
    directive_text,
    lexemes,
    macro_of,
    spliced,
)
from clang_queries.loop_transformations import tile_sizes, tiled
from clang_queries.lowering.scope import Scope
from clang_queries.lowering.unit_context import UnitContext
from clang_queries.macro_expansion import (
    ARGUMENT,
    PlaceInUse,
    expand_outside_parentheses,
    expanded_pragmas,
    takes_arguments,
)
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from clang_queries.variant_blocks import renamed_functions

_PRAGMA = pattern(r"(?:#|%:)\s*pragma\s+omp\b(.*)", re.DOTALL)
_BLANK = rb"(?:\s++|//[^\n]*+|/\*(?>.*?\*/)|(?:#|%:)(?:\\\r?\n|/\*(?>.*?\*/)|[^\n])*+)*+"
_NO_STATEMENT = pattern(_BLANK + rb"(?:\}|\Z)", re.DOTALL)
"""Blanks, comments and preprocessor lines up to the end of a block or file."""
_NO_CODE = pattern(
    rb"(?:" + _BLANK + rb"(?:_Pragma\s*+\((?:\s*+\"(?:[^\"\\]|\\.)*+\")++\s*+\))?)", re.DOTALL
)
_TEMPLATE_PARAMETERS = frozenset(
    {Kind.TYPE_PARAMETER, Kind.NON_TYPE_PARAMETER, Kind.TEMPLATE_TEMPLATE_PARAMETER}
)
_LOOPS = frozenset({Kind.FOR_STMT, Kind.FOR_RANGE_STMT})
_INTEGRAL = 4
"""``CXTemplateArgumentKind_Integral``."""


@dataclass(frozen=True, slots=True)
class SourceDirective:
    """A directive in the source."""

    offset: int
    position: Position
    name: str
    clauses: tuple[tuple[str, str], ...]

    in_use: PlaceInUse | None = None
    """Its place among the loops that the same use of a macro yields; None outside of macros."""
    end: int = 0
    """Where it ends, or the use of the macro."""
    limit: int = sys.maxsize
    """Where the next directive stands, if there is code before it: its statement starts before that."""

    def is_lost_at(self, offset: int) -> bool:
        """Whether a statement at the offset is another directive's, because the parser has lost its own."""
        return not self.is_standalone and self.limit <= offset

    @property
    def is_target(self) -> bool:
        """Whether it starts a target region."""
        words = self.name.split()
        return words[0] == "target" and not set(words) & {"data", "enter", "exit", "update"}

    @property
    def is_standalone(self) -> bool:
        """Whether no statement belongs to it."""
        waits = any(name in ("depend", "doacross") for name, _ in self.clauses)
        return self.name in STANDALONE or (self.name == "ordered" and waits)


class DirectiveTable:
    """The directives of the project's files and the macros that clauses may use."""

    def __init__(self, context: UnitContext, defines: tuple[str, ...]) -> None:
        self.macros: dict[str, Macro] = {}
        for define in defines:
            name, _, value = define.partition("=")
            self.macros[name] = Macro(name, None, value or "1")
        self._context = context
        self._by_file: dict[int, list[SourceDirective]] = {}
        self._variants: list[FunctionVariant] = []
        self._reductions: dict[str, list[DeclaredReduction]] = {}
        self._has_all_reductions = False
        for handle in context.unit.included_files():
            if not context.unit.is_bundled(handle):
                self._read_macros(handle)
        self._makers = _makers(self.macros)

    def of(self, handle: int) -> list[SourceDirective]:
        """The directives of a file in order."""
        found = self._by_file.get(handle)
        if found is None:
            found = self._by_file[handle] = self._read(handle)
        return found

    def _read_macros(self, handle: int) -> None:
        text = self._context.unit.contents(handle)
        if b"define" not in text:
            return
        skipped = Skipped(self._context.unit.skipped_ranges(handle))
        for lexeme in lexemes(text):
            if lexeme.kind is LexemeKind.DIRECTIVE and not skipped.covers(lexeme.begin):
                macro = macro_of(directive_text(text[lexeme.begin : lexeme.end]))
                if macro is not None:
                    self.macros[macro.name] = macro

    def _read(self, handle: int) -> list[SourceDirective]:
        text = self._context.unit.contents(handle)
        if b"omp" not in text and not self._makers:
            return []
        skipped = Skipped(self._context.unit.skipped_ranges(handle))
        lines = Lines(text)
        name = self._context.unit.file_name(handle)
        found: list[SourceDirective] = []
        blocks: list[tuple[tuple[Selector, ...], Position]] = []
        block_start = 0
        for lexeme in lexemes(text, words=bool(self._makers) or b"_Pragma" in text):
            if skipped.covers(lexeme.begin):
                continue
            position = Position(name, *lines.place(lexeme.begin))
            bodies, end = self._bodies(lexeme, text)
            for body, in_use in bodies:
                directive, clauses = self._parsed(body)
                if directive == "metadirective":
                    variant = chosen_variant(clauses)
                    self._remark_variant(variant, position)
                    directive, clauses = self._parsed(variant)
                if not directive and (words := body.split()):
                    self._remark_no_directive(words[0], position)
                if directive == "declare variant":
                    self._declare_variant(clauses, text[end : end + 4000], position)
                if directive == "declare reduction":
                    reduction = declared_reduction(clauses)
                    if reduction is not None:
                        self._reductions.setdefault(reduction.name, []).append(reduction)
                if directive in ("begin declare variant", "end declare variant"):
                    self._declare_block(text[block_start : lexeme.begin], blocks)
                    block_start = end
                    if directive.startswith("begin"):
                        context = dict(clauses).get("match", "")
                        blocks.append((selectors(context), position))
                    elif blocks:
                        blocks.pop()
                if directive and directive.partition(" ")[0] not in DECLARATIVE:
                    self._remark_unknown(directive, clauses, position)
                    item = SourceDirective(lexeme.begin, position, directive, clauses, in_use, end)
                    if item.is_standalone or in_use or not _NO_STATEMENT.match(text, end):
                        found.append(item)
                    else:
                        self._remark_bare(item)
        return _with_limits(found, text, skipped)

    def _bodies(
        self, lexeme: Lexeme, text: bytes
    ) -> tuple[Sequence[tuple[str, PlaceInUse | None]], int]:
        """The directives that begin at a lexeme, without `#pragma omp` or the like, and where they end."""
        raw = text[lexeme.begin : lexeme.end]
        if lexeme.kind is LexemeKind.DIRECTIVE:
            match = _PRAGMA.match(directive_text(raw))
            return [] if match is None else [(match[1], None)], lexeme.end
        is_operator = raw == b"_Pragma" or raw.decode() in self._makers
        if lexeme.kind is not LexemeKind.ATTRIBUTE and not is_operator:
            return [], lexeme.end
        tail = text[lexeme.begin : lexeme.begin + 4000].decode("utf-8", "replace")
        if lexeme.kind is LexemeKind.ATTRIBUTE:
            length = balanced(tail, 0, "[]")
            inner = tail[len(raw) : length].rstrip("] \t\r\n")
            bodies = [(body, None) for body in attribute_directives(spliced(inner))]
            return bodies, lexeme.begin + len(tail[:length].encode())
        use = tail[: self._use_length(raw.decode(), tail)]
        return self._from_operator(raw.decode(), use), lexeme.begin + len(use.encode())

    def declared_reductions(self, clause: str) -> list[DeclaredReduction]:
        """What the files declare under the name that a reduction clause gives."""
        if not self._has_all_reductions:
            self._has_all_reductions = True
            self._read_all(b"declare")
        name = re.match(r"(?:[^:]*,)?\s*([A-Za-z_]\w*)\s*:(?!:)", clause)
        return self._reductions.get(name[1], []) if name is not None else []

    def _read_all(self, word: bytes) -> None:
        """Read the directives of the project's files that hold a word."""
        for handle in self._context.unit.included_files():
            is_own = not self._context.unit.is_bundled(handle)
            if is_own and word in self._context.unit.contents(handle):
                self.of(handle)

    def _parsed(self, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Name and clauses of a directive; macros in arguments of clauses are left to those who read them."""
        return parse_directive(expand_outside_parentheses(text, self.macros))

    def variants(self) -> tuple[FunctionVariant, ...]:
        """What the files say about variants of functions."""
        self._read_all(b"variant")
        return tuple(self._variants)

    def _declare_variant(
        self, clauses: tuple[tuple[str, str], ...], rest: bytes, position: Position
    ) -> None:
        base = declared_function(rest.decode("utf-8", "replace"))
        name = next((text for word, text in clauses if not word), "")
        context = next((text for word, text in clauses if word == "match"), "")
        if base is None or not name or not context:
            text = "this declare variant could not be read: left out"
            remedy = "write declare variant(FUNCTION) match(...) before a declaration"
            self._remark(text, position, DiagnosticKind.INVALID, remedy)
            return
        self._variants.append(
            FunctionVariant(base=base, name=name, selectors=selectors(context), position=position)
        )

    def _declare_block(
        self, text: bytes, blocks: list[tuple[tuple[Selector, ...], Position]]
    ) -> None:
        """The functions in a part of ``begin declare variant`` blocks, which all have to match."""
        if not blocks:
            return
        wanted = tuple(item for found, _ in blocks for item in found)
        for name, base in renamed_functions(text.decode("utf-8", "replace")).items():
            self._variants.append(
                FunctionVariant(base=base, name=name, selectors=wanted, position=blocks[-1][1])
            )

    def _remark_variant(self, variant: str, position: Position) -> None:
        read_as = f"read as '#pragma omp {variant}'" if variant else "left out"
        text = f"which variant the metadirective takes is not evaluated: {read_as}"
        remedy = "write that variant as a directive of its own where another one is meant"
        self._remark(text, position, DiagnosticKind.READING, remedy)

    def _remark_unknown(
        self, directive: str, clauses: tuple[tuple[str, str], ...], position: Position
    ) -> None:
        for word in (name for name, _ in clauses if not is_clause(name)):
            text = f"'{word}' is no clause of '#pragma omp {directive}': read without it"
            remedy = "mend the spelling of the clause"
            self._remark(text, position, DiagnosticKind.READING, remedy)
        for name, argument in clauses:
            kind = unknown_schedule(name, argument)
            if kind is not None:
                text = f"'{kind}' in {name}({argument}) is no kind of schedule: read without it"
                remedy = "write static, dynamic, guided, auto or runtime"
                self._remark(text, position, DiagnosticKind.READING, remedy)

    def _remark_no_directive(self, word: str, position: Position) -> None:
        text = f"'{word}' is no directive of OpenMP that is known here: left out"
        self._remark(text, position, DiagnosticKind.READING, "mend the spelling of the directive")

    def _remark_bare(self, directive: SourceDirective) -> None:
        text = f"no statement follows '#pragma omp {directive.name}': left out"
        remedy = "write the loop or block that it is for behind it"
        self._remark(text, directive.position, DiagnosticKind.INVALID, remedy)

    def remark_lost(self, directive: SourceDirective) -> None:
        """Says of a directive that the parser has lost its statement."""
        text = f"what follows '#pragma omp {directive.name}' could not be read: its work is unknown"
        remedy = "mend the errors of the parser there"
        self._remark(text, directive.position, DiagnosticKind.READING, remedy)

    def remark_untransformed(self, directive: Directive) -> None:
        """Says that a loop transformation has no effect."""
        text = (
            f"the loops under '#pragma omp {directive.name}' are read as if it did not stand there"
        )
        remedy = "write loops that count upwards by a constant, one the whole body of the other"
        self._remark(text, directive.position, DiagnosticKind.READING, remedy)

    def _remark(self, text: str, position: Position, kind: DiagnosticKind, remedy: str) -> None:
        self._context.remarks.append(
            ParseDiagnostic(text=text, position=position, kind=kind, remedy=remedy)
        )

    def _from_operator(self, word: str, use: str) -> list[tuple[str, PlaceInUse | None]]:
        """Directives of ``_Pragma("omp ...")``, written out or behind a macro."""
        found: list[tuple[str, PlaceInUse | None]] = []
        for item in expanded_pragmas(spliced(use), self.macros):
            first, *rest = item.text.split(maxsplit=1)
            body = rest[0] if rest else ""
            if first == "omp":
                found.append((body, None if word == "_Pragma" else item.place))
        return found

    def _use_length(self, word: str, tail: str) -> int:
        if not takes_arguments(word, self.macros):
            return len(word)
        rest = tail[len(word) :]
        blanks = len(rest) - len(rest.lstrip())
        if not rest[blanks:].startswith("("):
            return len(word)
        return balanced(tail, len(word) + blanks)

    def has_target(self, function: Cursor) -> bool:
        """Whether a function holds a directive that starts a target region."""
        clang = self._context.clang
        handle, _, _, begin = clang.start(function)
        end = clang.end(function)[3]
        return any(begin <= item.offset < end and item.is_target for item in self.of(handle))

    def attach(self, scope: Scope, function: Cursor) -> None:
        """Prepares a function's scope to bind the directives inside it."""
        handle, _, _, begin = scope.clang.start(function)
        end = scope.clang.end(function)[3]
        inside = [item for item in self.of(handle) if begin <= item.offset < end]
        if inside or b"#include" in self._context.unit.contents(handle)[begin:end]:
            owner = scope.unit.qualified_name(function).rpartition("::")
            names = ClauseNames(
                self.macros,
                _class_constants(scope, function) | template_values(scope, function),
                "".join(owner[:2]),
            )
            binder = _Binder(self, handle, inside, names)
            scope.statement_hook = binder.before_statement
            scope.skip_hook = lambda cursor: binder.skip(scope, cursor)
            scope.end_hook = binder.at_end


def _with_limits(
    directives: list[SourceDirective], text: bytes, skipped: Skipped
) -> list[SourceDirective]:
    """The directives with what bounds the start of their statements; those of macros have no place of their own."""
    found: list[SourceDirective] = []
    following: SourceDirective | None = None
    for item in reversed(directives):
        limit = sys.maxsize
        if following is not None and item.in_use is None and item.end <= following.offset:
            has_code = _has_code(text, item.end, following.offset, skipped)
            limit = following.offset if has_code else following.limit
        following = replace(item, limit=limit)
        found.append(following)
    return found[::-1]


def _has_code(text: bytes, begin: int, end: int, skipped: Skipped) -> bool:
    """Whether something other than blanks, comments and directives stands between two places."""
    place = begin
    while place < end:
        match = _NO_CODE.match(text, place, end)
        after = skipped.behind(max(place, match.end() if match is not None else place))
        if after == place:
            return True
        place = after
    return False


def template_values(scope: Scope, function: Cursor) -> dict[str, int]:
    """The integral template arguments of an instance (and of its class) by the names of their parameters."""
    clang, lib = scope.clang, scope.clang.lib
    found: dict[str, int] = {}
    for cursor in (clang.semantic_parent(function), function):
        count = lib.clang_Cursor_getNumTemplateArguments(cursor)
        if count <= 0:
            continue
        template = lib.clang_getSpecializedCursorTemplate(cursor)
        parameters = [
            child for child in clang.children(template) if child.kind in _TEMPLATE_PARAMETERS
        ]
        for index, parameter in enumerate(parameters[:count]):
            if lib.clang_Cursor_getTemplateArgumentKind(cursor, index) == _INTEGRAL:
                value = int(lib.clang_Cursor_getTemplateArgumentValue(cursor, index))
                is_bool = scope.types.of(parameter) == BOOL
                found[clang.spelling(parameter)] = abs(value) if is_bool else value
    return found


def _class_constants(scope: Scope, function: Cursor) -> dict[str, int]:
    """The integral constants that the class of a method declares, by name; an instance has those of its template."""
    clang = scope.clang
    record = clang.semantic_parent(function)
    if record.kind not in RECORD_KINDS:
        return {}
    template = clang.lib.clang_getSpecializedCursorTemplate(record)
    found: dict[str, int] = {}
    for child in clang.children(record if is_null(template) else template):
        value = scope.unit.constant_of(child) if child.kind == Kind.VAR else None
        if isinstance(value, int):
            found[clang.spelling(child)] = value
    return found


def _makers(macros: dict[str, Macro]) -> frozenset[str]:
    """Macros whose expansion has a ``_Pragma``."""
    found = {name for name, macro in macros.items() if "_Pragma" in macro.body}
    if not found:
        return frozenset()
    words = {name: set(re.findall(r"[A-Za-z_]\w*", macro.body)) for name, macro in macros.items()}
    size = 0
    while size < len(found):
        size = len(found)
        found |= {name for name, used in words.items() if used & found}
    return frozenset(found)


def _of_same_use(directive: SourceDirective, offset: int) -> bool:
    """Whether a directive comes from the macro that a statement at the offset comes from: then it may follow it."""
    return directive.in_use is not None and directive.offset <= offset < directive.end


class _Queue:
    """The directives of one file that still wait for their statement."""

    def __init__(self, directives: list[SourceDirective]) -> None:
        self._directives = directives
        self._next = 0

    def take(self, is_before: Callable[[SourceDirective], bool]) -> list[SourceDirective]:
        """Hands out the next directives as long as they stand before a place."""
        start = self._next
        while self._next < len(self._directives) and is_before(self._directives[self._next]):
            self._next += 1
        return self._directives[start : self._next]


class _Binder:
    """Hands the directives of one function, in order, to the statements that follow them."""

    def __init__(
        self,
        table: DirectiveTable,
        handle: int,
        directives: list[SourceDirective],
        names: ClauseNames,
    ) -> None:
        self._table = table
        self._queues = {handle: _Queue(directives), 0: _Queue([])}
        self._names = names
        self._loops: dict[int, int] = {}
        """Offset -> loops that were lowered of the macro that is used there."""

    def _queue(self, handle: int) -> _Queue:
        """The queue of a file; another than the function's own is included in its body."""
        found = self._queues.get(handle)
        if found is None:
            found = self._queues[handle] = _Queue(self._table.of(handle))
        return found

    def before_statement(self, scope: Scope, cursor: Cursor) -> list[Stmt]:
        """Lowers a statement under the directives before it."""
        handle, _, _, offset = scope.clang.start(cursor)
        queue = self._queue(handle)
        kind = cursor.kind
        taken = queue.take(lambda item: self._is_bound(item, offset, kind))
        if kind in _LOOPS:
            self._loops[offset] = self._loops.get(offset, 0) + 1
        lowered = [(directive, self._lower(scope, directive)) for directive in taken]
        statements = scope.plain_statements(cursor)
        end_handle, _, _, end = scope.clang.end(cursor)
        if end_handle == handle:
            # what is left inside this statement belongs to the function of a lambda
            queue.take(lambda item: item.offset < end and not _of_same_use(item, offset))
        return self._wrapped(scope, lowered, statements, offset)

    def _wrapped(
        self,
        scope: Scope,
        lowered: list[tuple[SourceDirective, Directive]],
        statements: list[Stmt],
        offset: int,
    ) -> list[Stmt]:
        """Statements that start at an offset under the directives before them."""
        lost_before = -1
        for directive, record in reversed(lowered):
            if directive.is_standalone:
                statements = [record, *statements]
                continue
            if directive.is_lost_at(offset):
                if directive.limit != lost_before:
                    statements = [self._lost(scope, directive), *statements]
                lost_before = directive.limit
                body, *rest = statements
            else:
                rest = []
                body = (
                    statements[0]
                    if len(statements) == 1
                    else Compound(record.position, tuple(statements))
                )
            made = self._transformed(scope, record, body, is_taken=directive is not lowered[0][0])
            statements = [made or replace(record, body=body), *rest]
        return statements

    def _transformed(
        self, scope: Scope, record: Directive, body: Stmt, *, is_taken: bool
    ) -> Stmt | None:
        """The loops that a loop transformation makes; None for other directives.

        A partly unrolled loop that no other directive takes runs its iterations as before.
        """
        sizes = tile_sizes(record)
        if sizes is None or (record.name == "unroll" and not is_taken):
            return None
        found = tiled(scope, body, sizes)
        if found is None:
            self._table.remark_untransformed(record)
        return found

    def _is_bound(self, item: SourceDirective, offset: int, kind: int) -> bool:
        """Whether a directive stands before the statement that starts at the offset."""
        if item.in_use is None or offset >= item.end:
            return item.offset < offset
        if offset < item.offset or item.in_use.loops_before != self._loops.get(item.offset, 0):
            return False
        follower = item.in_use.follower
        if (follower == ARGUMENT) != (offset > item.offset):
            return False
        if follower == ARGUMENT:
            return True
        if follower == "for":
            return kind in _LOOPS
        return (kind == Kind.COMPOUND_STMT) == (follower == "{") and kind not in _LOOPS

    def at_end(self, scope: Scope, cursor: Cursor) -> list[Stmt]:
        """The directives behind the last statement of a block."""
        handle, _, _, offset = scope.clang.end(cursor)
        _, _, _, begin = scope.clang.start(cursor)
        taken = self._queue(handle).take(
            lambda item: item.offset < offset and not _of_same_use(item, begin)
        )
        lowered = [(directive, self._lower(scope, directive)) for directive in taken]
        return self._wrapped(scope, lowered, [], sys.maxsize)

    def skip(self, scope: Scope, cursor: Cursor) -> None:
        """Drops the directives in a statement that is not lowered."""
        handle, _, _, begin = scope.clang.start(cursor)
        end = scope.clang.end(cursor)[3]
        self._queue(handle).take(lambda item: item.offset < end and item.offset >= begin)

    def _lost(self, scope: Scope, directive: SourceDirective) -> Stmt:
        """What stands for a directive's statement that the parser has lost."""
        self._table.remark_lost(directive)
        lost = scope.take_lost(directive.end, directive.limit)
        if not lost:
            text = f"what follows '#pragma omp {directive.name}' could not be read"
            lost = [OpaqueStmt(directive.position, text, is_lost=True)]
        return Compound(directive.position, tuple(lost))

    def _lower(self, scope: Scope, directive: SourceDirective) -> Directive:
        clauses = tuple(
            self._clause(scope, name, text, directive.position) for name, text in directive.clauses
        )
        return Directive(directive.position, directive.name, clauses, None)

    def _clause(self, scope: Scope, name: str, text: str, position: Position) -> Clause:
        items = clause_items(name, text)
        names = self._names
        expressions = tuple(lower_clause_expression(scope, item, position, names) for item in items)
        declared = self._table.declared_reductions(text) if "reduction" in name else []
        combiners = tuple(
            combiner_of(scope, item, declared, position, names)
            for item in (expressions if declared else ())
        )
        return Clause(name, text, expressions, combiners)
