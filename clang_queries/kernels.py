"""What is lowered first: the functions and variables of the project's own files, kernels and their templates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from clang_queries._cindex import Cursor
from clang_queries._kinds import FUNCTION_KINDS, RECORD_KINDS, Kind
from clang_queries.ir.statements import UninstantiatedKernel
from clang_queries.likely_instances import likely_instance
from clang_queries.lowering import variables
from clang_queries.lowering.functions import body_of
from clang_queries.lowering.scope import Scope
from clang_queries.lowering.unit_context import UnitContext
from clang_queries.quick_dataclass import dataclass

_CONTAINERS = frozenset({Kind.NAMESPACE, Kind.LINKAGE_SPEC, *RECORD_KINDS})

_TYPE_DECLARATIONS = frozenset({Kind.TYPEDEF, Kind.TYPE_ALIAS, Kind.ENUM, *RECORD_KINDS})


@dataclass(slots=True)
class Roots:
    """Declarations of the project's files."""

    functions: list[Cursor] = field(default_factory=list)
    variables: list[Cursor] = field(default_factory=list)
    kernel_templates: list[Cursor] = field(default_factory=list)
    other_templates: list[Cursor] = field(default_factory=list)
    """Further function templates with a body, and functions of class templates."""


def find_roots(context: UnitContext) -> Roots:
    """Walks namespaces and classes; bundled and system headers are left out."""
    roots = Roots()
    finder = _Finder(context, roots)
    finder.walk(context.unit.root, is_top_level=True)
    return roots


class _Finder:
    """Collects the roots of one unit."""

    def __init__(self, context: UnitContext, roots: Roots) -> None:
        self.context = context
        self.roots = roots
        self.foreign: dict[int, bool] = {0: True}

    def walk(self, parent: Cursor, *, is_top_level: bool) -> None:
        """Looks at the declarations in a unit, namespace or class."""
        clang = self.context.clang
        for cursor in clang.children(parent):
            kind = cursor.kind
            if Kind.FIRST_PREPROCESSING <= kind <= Kind.LAST_PREPROCESSING:
                continue
            if is_top_level and self._is_foreign(cursor):
                continue
            if kind in _TYPE_DECLARATIONS:
                self.context.named_types[clang.spelling(cursor)] = cursor
            if kind in FUNCTION_KINDS:
                if body_of(self.context, cursor) is not None and not self._is_pattern(cursor):
                    self.roots.functions.append(cursor)
            elif kind == Kind.VAR:
                self.roots.variables.append(cursor)
            elif kind == Kind.ENUM:
                self.context.add_enumerators(cursor)
            elif kind == Kind.FUNCTION_TEMPLATE:
                self._template(cursor)
            elif kind in _CONTAINERS or kind in (Kind.UNEXPOSED_DECL, Kind.CLASS_TEMPLATE):
                if kind == Kind.CLASS_TEMPLATE:
                    self._class_template(cursor)
                else:
                    self.walk(cursor, is_top_level=False)

    def _is_pattern(self, cursor: Cursor) -> bool:
        """Whether the function waits for another: a member of a class template, or of a lambda.

        The body of a lambda can be read only when the function around it has told what is captured.
        """
        parent = self.context.clang.semantic_parent(cursor)
        if parent.kind == Kind.CLASS and self.context.clang.spelling(parent).startswith("(lambda"):
            return True
        while parent.kind in RECORD_KINDS:
            parent = self.context.clang.semantic_parent(parent)
        return parent.kind in (Kind.CLASS_TEMPLATE, Kind.CLASS_TEMPLATE_PARTIAL)

    def _template(self, cursor: Cursor) -> None:
        children = self.context.clang.children(cursor)
        if not children or children[-1].kind != Kind.COMPOUND_STMT:
            return
        is_kernel = any(child.kind == Kind.CUDA_GLOBAL_ATTR for child in children)
        roots = self.roots
        (roots.kernel_templates if is_kernel else roots.other_templates).append(cursor)

    def _class_template(self, cursor: Cursor) -> None:
        for child in self.context.clang.children(cursor):
            if child.kind in FUNCTION_KINDS and body_of(self.context, child) is not None:
                self.roots.other_templates.append(child)

    def _is_foreign(self, cursor: Cursor) -> bool:
        handle = self.context.clang.place(cursor)[0]
        known = self.foreign.get(handle)
        if known is None:
            location = self.context.clang.lib.clang_getCursorLocation(cursor)
            in_system = bool(self.context.clang.lib.clang_Location_isInSystemHeader(location))
            known = in_system or self.context.unit.is_bundled(handle)
            self.foreign[handle] = known
            if not known:
                self.context.project_files.add(handle)
        return known


def declare_global(scope: Scope, cursor: Cursor) -> None:
    """Puts a variable of the project and its initialiser on the worklist."""
    variables.global_declaration(scope, cursor)


def uninstantiated(
    context: UnitContext, roots: Roots, has_region: Callable[[Cursor], bool]
) -> tuple[UninstantiatedKernel, ...]:
    """The templates of kernels, and of functions that `has_region` tells, of which no instance was lowered."""
    return tuple(
        UninstantiatedKernel(
            name=context.qualified_name(template),
            position=context.position(template),
            reason="nothing in this unit instantiates it",
            instance=likely_instance(context, template)
            if template.kind == Kind.FUNCTION_TEMPLATE
            and context.position(template).file == context.unit.path
            else "",
        )
        for template in (*roots.kernel_templates, *filter(has_region, roots.other_templates))
        if template.d0 not in context.instantiated
    )
