"""Which function lowers which cursor kind; filled by decorators when the modules of this package are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clang_queries._cindex import Cursor
    from clang_queries._kinds import Kind
    from clang_queries.ir.expressions import Expr
    from clang_queries.ir.statements import Stmt
    from clang_queries.lowering.scope import Scope

    ExpressionHandler = Callable[[Scope, Cursor], Expr]
    StatementHandler = Callable[[Scope, Cursor], list[Stmt]]

EXPRESSIONS: dict[int, ExpressionHandler] = {}
STATEMENTS: dict[int, StatementHandler] = {}


def expression(*kinds: Kind) -> Callable[[ExpressionHandler], ExpressionHandler]:
    """Registers a function that lowers expressions of some kinds."""

    def register(handler: ExpressionHandler) -> ExpressionHandler:
        for kind in kinds:
            EXPRESSIONS[int(kind)] = handler
        return handler

    return register


def statement(*kinds: Kind) -> Callable[[StatementHandler], StatementHandler]:
    """Registers a function that lowers statements of some kinds."""

    def register(handler: StatementHandler) -> StatementHandler:
        for kind in kinds:
            STATEMENTS[int(kind)] = handler
        return handler

    return register
