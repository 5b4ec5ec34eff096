"""Statements, declarations, functions and the translation unit of the kernel IR."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from clang_queries.command_line import ParseOptions
    from clang_queries.ir.expressions import Expr, Position
    from clang_queries.ir.types import Record, Type


class Storage(Enum):
    """Where a variable lives."""

    LOCAL = "local"
    PARAMETER = "parameter"
    STATIC = "static"
    """Function-local static or namespace-scope host variable."""
    SHARED = "shared"
    DYNAMIC_SHARED = "dynamic-shared"
    """``extern __shared__ T name[]``."""
    CONSTANT = "constant"
    DEVICE = "device"
    MANAGED = "managed"


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableDeclaration:
    """A variable; `initializer` is its value expression (an lvalue's address for references), or None."""

    key: str
    name: str
    type: Type
    storage: Storage
    position: Position
    initializer: Expr | None = None
    length: Expr | None = None
    """Element count of a variable-length array."""
    is_const: bool = False
    is_volatile: bool = False


@dataclass(frozen=True, slots=True)
class Stmt:
    """Base of all statements."""

    position: Position


@dataclass(frozen=True, slots=True)
class Compound(Stmt):
    """``{ ... }``."""

    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Declare(Stmt):
    """Declaration of a local variable, at the place where it is initialised."""

    variable: VariableDeclaration


@dataclass(frozen=True, slots=True)
class Evaluate(Stmt):
    """An expression statement."""

    expression: Expr


@dataclass(frozen=True, slots=True)
class If(Stmt):
    """``if``; ``if constexpr`` is resolved by the front end where its condition is a constant."""

    condition: Expr
    then: Stmt
    otherwise: Stmt | None


@dataclass(frozen=True, slots=True)
class Loop(Stmt):
    """``for``, ``while`` and ``do``: initial statement, condition (None: always true), step, body.

    `tests_before` is False for ``do``. `unroll` is the number in ``#pragma unroll N``, 0 for a plain
    ``#pragma unroll`` (complete), 1 for ``nounroll``, None without a pragma. Range-based ``for`` comes in this form too.
    """

    initial: tuple[Stmt, ...]
    condition: Expr | None
    step: Expr | None
    body: Stmt
    tests_before: bool = True
    unroll: int | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled run of statements of a switch; control falls through to the next case unless it breaks.

    `values` are inclusive ranges (low, high); `is_default` may hold besides them.
    """

    values: tuple[tuple[int, int], ...]
    is_default: bool
    body: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Switch(Stmt):
    """``switch``."""

    selector: Expr
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Break(Stmt):
    """``break``."""


@dataclass(frozen=True, slots=True)
class Continue(Stmt):
    """``continue``."""


@dataclass(frozen=True, slots=True)
class Return(Stmt):
    """``return value``; an address where the function returns a reference."""

    value: Expr | None


@dataclass(frozen=True, slots=True)
class Goto(Stmt):
    """``goto label``."""

    label: str


@dataclass(frozen=True, slots=True)
class Label(Stmt):
    """``label: statement``."""

    label: str
    body: Stmt


@dataclass(frozen=True, slots=True)
class Asm(Stmt):
    """Inline PTX: the template text and the operand expressions (outputs are lvalues)."""

    template: str
    outputs: tuple[Expr, ...]
    inputs: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Combiner:
    """What ``declare reduction`` says, on variables whose keys are ``omp_out``, ``omp_in``, ``omp_priv``, ``omp_orig``."""

    effects: tuple[Expr, ...]
    """Put ``omp_in`` into ``omp_out``."""
    initial: tuple[Expr, ...]
    """Set ``omp_priv``; empty where nothing but zeros was seen."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One OpenMP clause: its name, spelled arguments, and the expressions it holds where they are values."""

    name: str
    text: str
    expressions: tuple[Expr, ...] = ()
    combiners: tuple[Combiner | None, ...] = ()
    """Of each expression, in a reduction that the program declares."""


@dataclass(frozen=True, slots=True)
class Directive(Stmt):
    """An OpenMP directive and the statement bound to it (None for a standalone directive)."""

    name: str
    """Normalised words without clauses, for example ``target teams distribute parallel for``."""
    clauses: tuple[Clause, ...]
    body: Stmt | None


@dataclass(frozen=True, slots=True)
class OpaqueStmt(Stmt):
    """A statement the front end could not lower; its expressions that it could are kept."""

    reason: str
    operands: tuple[Expr, ...] = ()
    is_lost: bool = False
    """Whether the parser has lost it: nothing at all is known of what it does."""


class Side(Enum):
    """Who may call a function."""

    KERNEL = "kernel"
    DEVICE = "device"
    HOST = "host"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function with its body; methods have ``this`` as their first parameter.

    Constructors initialise bases and members by leading statements of the body.
    """

    key: str
    """USR of the declaration, with template arguments where it is an instance; the same in all units."""
    name: str
    """Qualified, without template arguments."""
    signature: str
    """Demangled as a profiler prints it: ``void kernel<float, (int)4>(const float *, int)`` without the result type."""
    symbol: str
    """Mangled name, empty where libclang gives none."""
    side: Side
    result: Type
    parameters: tuple[VariableDeclaration, ...]
    body: Compound
    position: Position
    end_line: int
    body_bytes: tuple[int, int] | None = None
    """Where the body begins and ends in its file, braces included; None for one without text of its own."""
    template_arguments: tuple[str, ...] = ()
    max_threads_per_block: int | None = None
    min_blocks_per_sm: int | None = None
    is_inline_hint: bool = False
    is_noinline: bool = False
    has_cluster_sizes: bool = False
    """Whether it is a kernel whose launches make clusters of blocks (`__cluster_dims__`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UninstantiatedKernel:
    """A kernel template that nothing instantiates."""

    name: str
    position: Position
    reason: str
    instance: str = ""
    """The instance that it is most likely meant for; empty where nothing says one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutCode:
    """GPU code that the preprocessor leaves out."""

    position: Position
    condition: str
    """The directive that leaves it out, as it is written."""
    condition_line: int


class DiagnosticKind(Enum):
    """What a message about the source is about."""

    PARSE = "parse-error"
    """The parser could not read something."""
    READING = "directive-reading"
    """A directive is read in another way than it is written."""
    INVALID = "invalid-directive"
    """A directive that no compiler takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseDiagnostic:
    """A message about the source: an error of the parser, or how a directive is read."""

    text: str
    position: Position
    function: str | None = None
    """Key of the function whose body holds it."""
    kind: DiagnosticKind = DiagnosticKind.PARSE
    remedy: str = ""
    """What to do about it, where the text does not say."""


@dataclass(frozen=True, slots=True)
class Selector:
    """One trait of an OpenMP context: ``kind(gpu)`` in ``device={kind(gpu)}``."""

    set: str
    trait: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionVariant:
    """What ``declare variant`` says: calls of one function are those of another where a context matches."""

    base: str
    """The function as its declaration spells it."""
    name: str
    """The variant as the directive spells it."""
    selectors: tuple[Selector, ...]
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Everything the analysis needs of one translation unit, without cursors; can be pickled."""

    path: str
    language: str
    """``cuda``, ``hip`` or ``openmp``."""
    options: ParseOptions = field(compare=False)
    """Flags that it was read with in the end."""
    functions: dict[str, Function]
    globals: dict[str, VariableDeclaration]
    records: dict[str, Record]
    kernels: tuple[str, ...]
    """Keys of the `__global__` functions with a body (instances of templates included), in source order."""
    call_operators: dict[str, str] = field(default_factory=dict)
    """Record key -> key of its ``operator()``, for closures and functors."""
    main: str | None = None
    uninstantiated: tuple[UninstantiatedKernel, ...] = ()
    likely: tuple[UninstantiatedKernel, ...] = ()
    """Templates that were read as their likely instances."""
    launch_tokens: tuple[Position, ...] = ()
    """Positions of the ``<<<`` tokens that the preprocessor kept."""
    lost_launches: tuple[Position, ...] = ()
    """Those of them that no `Launch` expression covers."""
    left_out: tuple[LeftOutCode, ...] = ()
    """GPU code in branches of ``#if`` that are not taken, where the unit has no kernel."""
    diagnostics: tuple[ParseDiagnostic, ...] = ()
    variants: tuple[FunctionVariant, ...] = ()
    included_files: tuple[str, ...] = ()
    """Files that the parser read, by the names it opened them under, each once; bundled headers are left out."""
    statement_count: int = 0
    opaque_count: int = 0
    """Expressions and statements that became opaque, over all lowered functions."""
