"""The one entry point: a source file to a `Unit` of the kernel IR."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from clang_queries import kernels, launches
from clang_queries._cindex import Cursor
from clang_queries.command_line import Language, ParseOptions
from clang_queries.deep_stack import with_deep_stack
from clang_queries.diagnostics import parse_diagnostics
from clang_queries.implied_headers import implied_headers
from clang_queries.inactive_code import left_out_code
from clang_queries.instances import REFERENCE_PREFIX, with_references
from clang_queries.ir.expressions import Expr
from clang_queries.ir.statements import ParseDiagnostic, Side, UninstantiatedKernel, Unit
from clang_queries.ir.types import VOID
from clang_queries.likely_instances import with_instances
from clang_queries.lowering.aggregates import initial_value
from clang_queries.lowering.functions import lower_function
from clang_queries.lowering.records import complete_records
from clang_queries.lowering.scope import Scope
from clang_queries.lowering.unit_context import UnitContext
from clang_queries.pragmas import DirectiveTable
from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern
from clang_queries.shared_attributes import mended_headers, with_attributes_first
from clang_queries.translation_unit import Parser, TranslationUnit, parse, read_source
from clang_queries.variant_blocks import with_renamed_variants

_NOTHING_UNSAVED: Mapping[str, bytes] = MappingProxyType({})


def lower_unit(
    path: str,
    options: ParseOptions | None = None,
    text: str | bytes | None = None,
    unsaved: Mapping[str, bytes] = _NOTHING_UNSAVED,
    parser: Parser = parse,
) -> Unit:
    """Parses a file and lowers every function that the analysis may need.

    Args:
        path: the file; with `text` merely its name.
        options: flags, none by default.
        text: the content, where it is not the file's.
        unsaved: contents of files that it may include, where they are not those on disk.
        parser: what parses, where units are to be kept for a next time.

    Raises:
        ParseError: the file cannot be read, or libclang gives no tree for it. Mere errors in the source are
            `Unit.diagnostics`.

    Example:
        >>> unit = lower_unit("k.cu", text="__global__ void k(int *p) { *p = 1; }")
        >>> [unit.functions[key].name for key in unit.kernels]
        ['k']
    """
    chosen = options or ParseOptions()
    request = _Request(path, _content(path, text), unsaved, parser)
    with _without_collector():
        return with_deep_stack(lambda: _lower(request, chosen))


def lower_functions(
    path: str,
    options: ParseOptions,
    keys: frozenset[str],
    text: str | bytes | None = None,
    unsaved: Mapping[str, bytes] = _NOTHING_UNSAVED,
    parser: Parser = parse,
) -> Unit:
    """Parses a file and lowers some functions that are no templates, with what they use.

    Args:
        path: as for `lower_unit`.
        options: flags, those under which the file was read before, language included.
        keys: the functions; those that the file does not have are passed over.
        text: as for `lower_unit`.
        unsaved: as for `lower_unit`.
        parser: as for `lower_unit`.

    Raises:
        ParseError: as for `lower_unit`.

    Example:
        >>> text = "__device__ int twice(int x) { return 2 * x; } __global__ void a() {} __global__ void b(int *p) { *p = twice(*p); }"
        >>> key = lower_unit("k.cu", text=text).kernels[1]
        >>> [function.name for function in lower_functions("k.cu", ParseOptions(), frozenset({key}), text).functions.values()]
        ['b', 'twice']
    """
    request = _Request(path, _content(path, text), unsaved, parser)

    def lower() -> Unit:
        with request.parse(options) as unit:
            return _Lowering(unit, options).run(keys)

    with _without_collector():
        return with_deep_stack(lower)


def _content(path: str, text: str | bytes | None) -> bytes:
    source = read_source(path) if text is None else text.encode() if isinstance(text, str) else text
    return with_attributes_first(with_renamed_variants(source))


@dataclass(frozen=True, slots=True)
class _Request:
    """A file to be read, whatever the flags turn out to be."""

    path: str
    source: bytes
    unsaved: Mapping[str, bytes]
    parser: Parser

    def parse(self, options: ParseOptions) -> TranslationUnit:
        """Parse it under some flags, with what only nvcc understands of its headers put otherwise."""
        unit = self.parser(self.path, options, self.source, self.unsaved)
        mended = mended_headers(unit)
        if not mended:
            return unit
        with unit:
            return self.parser(self.path, options, self.source, {**self.unsaved, **mended})


def _lower(request: _Request, options: ParseOptions) -> Unit:
    found = _lower_completed(request, options)
    if options.language is not None or not _is_cuda_by_content(found):
        return found
    # A program built with `nvcc -x cu` or as CUDA by its build system: the file names do not say so.
    return _lower_completed(request, replace(options, language=Language.CUDA))


def _lower_completed(request: _Request, options: ParseOptions) -> Unit:
    """Lowers a file; headers of the standard library that only others would have included are added."""
    with request.parse(options) as unit:
        errors = unit.errors()
        headers = () if options.system_headers else implied_headers(item.text for item in errors)
        if headers:
            flags = tuple(flag for header in headers for flag in ("-include", header))
            extended = replace(options, extra_flags=(*options.extra_flags, *flags))
            with request.parse(extended) as completed:
                if len(completed.errors()) < len(errors):
                    return _lower_as_told(request, extended, completed)
        return _lower_as_told(request, options, unit)


def _is_cuda_by_content(unit: Unit) -> bool:
    """Whether a file that was read as C or C++ by its name launches kernels or uses CUDA's built-in variables."""
    if unit.language != Language.OPENMP.value:
        return False
    return bool(unit.launch_tokens) or any(
        _CUDA_WORD.search(item.text) for item in unit.diagnostics
    )


_CUDA_WORD = pattern(r"'(__(global|device|shared|constant)__|(thread|block)Idx|(block|grid)Dim)'")


def _lower_as_told(request: _Request, options: ParseOptions, unit: TranslationUnit) -> Unit:
    """Lowers a parsed file, and once more with the instances that only a reference brings about."""
    found = _Lowering(unit, options).run()
    if not found.uninstantiated and not found.lost_launches:
        return found
    extended = with_references(request.source)
    if extended is not None:
        request = replace(request, source=extended)
        found = _lower_once(request, options)
    return _with_likely_instances(request, options, found) if options.likely_instances else found


def _lower_once(request: _Request, options: ParseOptions) -> Unit:
    with request.parse(options) as unit:
        return _Lowering(unit, options).run()


def _with_likely_instances(request: _Request, options: ParseOptions, found: Unit) -> Unit:
    """The unit with likely instances of its kernel templates, but for those whose bodies do not take them."""
    templates = [template for template in found.uninstantiated if template.instance]

    def lower(chosen: list[UninstantiatedKernel]) -> Unit | None:
        if not chosen:
            return None
        source = with_instances(request.source, [template.instance for template in chosen])
        unit = _lower_once(replace(request, source=source), options)
        if len(unit.diagnostics) > len(found.diagnostics):
            return None
        return replace(unit, likely=tuple(chosen))

    fitting = lower(templates)
    if fitting is None and len(templates) > 1:
        fitting = lower([template for template in templates if lower([template]) is not None])
    return fitting or found


@contextmanager
def _without_collector() -> Iterator[None]:
    """Switches the cyclic garbage collector off: the IR holds no cycles, and scanning it costs a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(slots=True)
class _Failure:
    """A defect of the lowering itself, kept so that one function does not lose the file."""

    key: str
    text: str


class _Lowering:
    """Works through one translation unit."""

    def __init__(self, unit: TranslationUnit, options: ParseOptions) -> None:
        self.unit = unit
        self.options = options
        self.context = UnitContext(unit)
        self.failures: list[_Failure] = []

    def run(self, only: frozenset[str] | None = None) -> Unit:
        """Lowers everything reachable from the project's own files, or from some of their functions."""
        context = self.context
        roots = kernels.find_roots(context)
        if only is not None:
            roots.functions = [each for each in roots.functions if context.key_of(each) in only]
        scope = Scope(context, "", VOID)
        directives = None
        if self.unit.language is Language.OPENMP:
            directives = DirectiveTable(context, self.options.defines)
            context.prepare = directives.attach
        for cursor in roots.functions:
            context.reference(cursor)
        for cursor in roots.variables:
            kernels.declare_global(scope, cursor)
        self._drain()
        variants = directives.variants() if directives is not None else ()
        found = [
            function for function in context.functions.values() if function.side is Side.KERNEL
        ]
        found.sort(
            key=lambda function: (function.position.file != self.unit.path, function.position.line)
        )
        tokens = launches.launch_tokens(context)
        lost = launches.lost_launches(context, tokens)
        main = next(
            (key for key, function in context.functions.items() if function.name == "main"), None
        )
        return Unit(
            path=self.unit.path,
            language=self.unit.language.value,
            options=self.options,
            functions=context.functions,
            globals={
                key: item
                for key, item in context.globals.items()
                if REFERENCE_PREFIX not in item.name
            },
            records=context.types.records,
            kernels=tuple(function.key for function in found),
            call_operators=context.call_operators,
            main=main,
            uninstantiated=kernels.uninstantiated(
                context,
                roots,
                lambda cursor: directives is not None and directives.has_target(cursor),
            ),
            launch_tokens=tuple(token.position for token in tokens),
            lost_launches=lost,
            left_out=() if found else tuple(left_out_code(context)),
            diagnostics=(
                *parse_diagnostics(context),
                *dict.fromkeys(context.remarks),
                *map(self._diagnostic, self.failures),
            ),
            variants=variants,
            included_files=tuple(
                dict.fromkeys(
                    self.unit.file_name(handle)
                    for handle in self.unit.included_files()
                    if not self.unit.is_bundled(handle)
                )
            ),
            statement_count=context.statement_count,
            opaque_count=sum(context.opaque_reasons.values()),
        )

    def _drain(self) -> None:
        context = self.context
        completed: set[str] = set()
        while context.pending or context.pending_globals:
            if context.pending:
                self._guarded(self._function, *context.pending.popleft())
            else:
                self._guarded(self._global, *context.pending_globals.popleft())
            if not context.pending and not context.pending_globals:
                complete_records(context, completed)

    def _function(self, key: str, cursor: Cursor) -> None:
        function = lower_function(self.context, key, cursor)
        if function is not None:
            self.context.functions[key] = function

    def _global(self, key: str, cursor: Cursor) -> None:
        context = self.context
        scope = Scope(context, key, VOID)
        initializer = context.clang.initializer(cursor)
        declaration = context.globals[key]
        value: Expr = initial_value(scope, initializer, declaration.type)
        context.globals[key] = replace(declaration, initializer=value)

    def _guarded(self, action: Callable[[str, Cursor], None], key: str, cursor: Cursor) -> None:
        """Lowers one function or variable; a defect of the lowering loses it alone, and is reported."""
        try:
            action(key, cursor)
        except (RecursionError, LookupError, TypeError, ValueError, AttributeError) as error:
            self.failures.append(
                _Failure(key, f"front end failed here: {type(error).__name__}: {error}")
            )

    def _diagnostic(self, failure: _Failure) -> ParseDiagnostic:
        position = self.context.position(self.unit.root)
        return ParseDiagnostic(text=failure.text, position=position, function=failure.key)
