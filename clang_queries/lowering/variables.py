"""Variables of namespace scope, static members and static locals."""

from __future__ import annotations

from collections.abc import Callable

from clang_queries._cindex import Cursor, is_null
from clang_queries._kinds import Kind, StorageClass
from clang_queries.ir.expressions import Constant, Expr
from clang_queries.ir.statements import Storage, VariableDeclaration
from clang_queries.lowering.scope import Scope, use_variable

FOLDED: list[Callable[[Scope, Cursor, float], Constant | None]] = []
_STORAGE_ATTRIBUTES = {
    int(Kind.CUDA_SHARED_ATTR): Storage.SHARED,
    int(Kind.CUDA_CONSTANT_ATTR): Storage.CONSTANT,
    int(Kind.CUDA_DEVICE_ATTR): Storage.DEVICE,
}


def storage_of(scope: Scope, cursor: Cursor, children: list[Cursor], default: Storage) -> Storage:
    """Where a variable lives, from its attributes and storage class."""
    found = default
    for child in children:
        if child.kind == Kind.ANNOTATE_ATTR and scope.clang.spelling(child) == "managed":
            return Storage.MANAGED
        storage = _STORAGE_ATTRIBUTES.get(child.kind)
        if storage is not None and found is not Storage.CONSTANT:
            found = storage
    storage_class = scope.clang.lib.clang_Cursor_getStorageClass(cursor)
    if found is Storage.SHARED and storage_class == StorageClass.EXTERN:
        return Storage.DYNAMIC_SHARED
    if found is Storage.LOCAL and storage_class in (StorageClass.STATIC, StorageClass.EXTERN):
        return Storage.STATIC
    return found


def is_global(scope: Scope, cursor: Cursor) -> bool:
    """Whether a name that is no local stands for a variable.

    libclang has no kind for an instance of a variable template; of its nameless kinds only that has a storage class.
    """
    if cursor.kind == Kind.UNEXPOSED_DECL:
        return bool(scope.clang.lib.clang_Cursor_getStorageClass(cursor))
    return cursor.kind == Kind.VAR


def use_global(scope: Scope, cursor: Cursor, variable: Cursor) -> Expr:
    """A use of a variable that is no local of the function; its declaration is put on the worklist."""
    value = scope.unit.constant_of(variable)
    if value is not None:
        for fold in FOLDED:
            folded = fold(scope, cursor, value)
            if folded is not None:
                return folded
    return use_variable(global_declaration(scope, variable), scope.position(cursor))


def global_declaration(scope: Scope, variable: Cursor) -> VariableDeclaration:
    """The declaration of a global, without its initialiser until the worklist reaches it."""
    unit = scope.unit
    local = unit.static_locals.get(variable.d0 or 0)
    if local is not None:
        return unit.globals.setdefault(local.key, local)
    key = unit.key_of(variable)
    known = unit.globals.get(key)
    if known is not None:
        return known
    definition = scope.clang.definition(variable)
    cursor = variable if is_null(definition) else definition
    children = scope.clang.children(cursor)
    storage = storage_of(scope, cursor, children, Storage.STATIC)
    ctype = scope.clang.cursor_type(cursor)
    declaration = VariableDeclaration(
        key=key,
        name=unit.qualified_name(cursor),
        type=scope.types.resolve(ctype),
        storage=storage,
        position=scope.position(cursor),
        is_const=scope.types.is_const(ctype),
        is_volatile=scope.types.is_volatile(ctype),
    )
    unit.globals[key] = declaration
    if not is_null(scope.clang.initializer(cursor)):
        unit.pending_globals.append((key, cursor))
    return declaration
