"""The kernel IR as compact pseudo-C, in which tests expect it."""

from __future__ import annotations

from functools import singledispatch

from clang_queries.ir import expressions as ex, statements as st, types as ty


def dump(function: st.Function) -> str:
    """A function as text: every conversion, address and load base that the IR holds is visible.

    Example:
        ``(f32)i`` is a `Cast`, ``p[i]`` a `Subscript`, ``&x`` an `AddressOf`, ``s.f@4`` a `Member` at offset 4.
    """
    parameters = ", ".join(f"{type_name(item.type)} {item.key}" for item in function.parameters)
    head = f"{function.side.value} {type_name(function.result)} {function.name}({parameters})"
    return "\n".join([head, *_lines(function.body, 0)]) + "\n"


def dump_statement(statement: st.Stmt) -> str:
    """A statement as text."""
    return "\n".join(_lines(statement, 0)) + "\n"


def type_name(type_: ty.Type) -> str:
    """A type in short form: ``f32``, ``i32*``, ``f32[4]``, ``Pair``."""
    if isinstance(type_, ty.ScalarType):
        return type_.scalar.label
    if isinstance(type_, ty.PointerType):
        const = f"{'const ' if type_.is_const else ''}{'volatile ' if type_.is_volatile else ''}"
        return f"{const}{type_name(type_.pointee)}{'&' if type_.is_reference else '*'}"
    if isinstance(type_, ty.ArrayType):
        extents = ""
        element: ty.Type = type_
        while isinstance(element, ty.ArrayType):
            extents += f"[{'' if element.length is None else element.length}]"
            element = element.element
        return type_name(element) + extents
    if isinstance(type_, ty.FunctionType):
        return f"{type_name(type_.result)}()"
    return type_.name


@singledispatch
def text(expression: ex.Expr) -> str:
    """An expression in one line."""
    return f"<{type(expression).__name__}>"


def _list(items: tuple[ex.Expr, ...]) -> str:
    return ", ".join(text(item) for item in items)


@text.register
def _constant(e: ex.Constant) -> str:
    if isinstance(e.value, bool):
        return "true" if e.value else "false"
    if isinstance(e.type, ty.PointerType):
        return "null" if e.value == 0 else f"({type_name(e.type)}){e.value}"
    is_int = e.type == ty.I32 or not isinstance(e.type, ty.ScalarType)
    suffix = "" if is_int or e.type == ty.F64 else f"_{type_name(e.type)}"
    return f"{e.value}{suffix}"


@text.register
def _string(e: ex.StringLiteral) -> str:
    return '"' + e.value.encode("unicode_escape").decode().replace('"', '\\"') + '"'


@text.register
def _variable(e: ex.Variable) -> str:
    is_local = e.key == "this" or e.key.startswith(f"{e.name}#")
    return e.key if is_local else e.name or e.key


@text.register
def _function_name(e: ex.FunctionName) -> str:
    arguments = f"<{', '.join(e.template_arguments)}>" if e.template_arguments else ""
    return f"{e.name}{arguments}"


@text.register
def _deref(e: ex.Deref) -> str:
    return f"*{_operand(e.pointer)}"


@text.register
def _subscript(e: ex.Subscript) -> str:
    return f"{_operand(e.base)}[{text(e.index)}]"


@text.register
def _member(e: ex.Member) -> str:
    bits = "" if e.bit_width is None else f":{e.bit_offset}+{e.bit_width}"
    return f"{_operand(e.base)}.{e.name}@{e.offset_bytes}{bits}"


@text.register
def _address(e: ex.AddressOf) -> str:
    return f"&{_operand(e.operand)}"


@text.register
def _unary(e: ex.Unary) -> str:
    return f"{e.op.value}{_operand(e.operand)}"


@text.register
def _step(e: ex.IncDec) -> str:
    sign = "++" if e.delta > 0 else "--"
    return f"{sign}{_operand(e.target)}" if e.is_prefix else f"{_operand(e.target)}{sign}"


@text.register
def _binary(e: ex.Binary) -> str:
    return f"{_operand(e.left)} {e.op.value} {_operand(e.right)}"


@text.register
def _logical(e: ex.Logical) -> str:
    return f"{_operand(e.left)} {e.op.value} {_operand(e.right)}"


@text.register
def _conditional(e: ex.Conditional) -> str:
    return f"{_operand(e.condition)} ? {_operand(e.then)} : {_operand(e.otherwise)}"


@text.register
def _assign(e: ex.Assign) -> str:
    return f"{text(e.target)} = {_operand(e.value)}"


@text.register
def _compound_assign(e: ex.CompoundAssign) -> str:
    computed = "" if e.computation_type == e.target.type else f"{{{type_name(e.computation_type)}}}"
    return f"{text(e.target)} {e.op.value}={computed} {_operand(e.value)}"


@text.register
def _cast(e: ex.Cast) -> str:
    return f"({type_name(e.type)}){_operand(e.operand)}"


@text.register
def _bit_cast(e: ex.BitCast) -> str:
    return f"bit_cast<{type_name(e.type)}>({text(e.operand)})"


@text.register
def _call(e: ex.Call) -> str:
    virtual = "virtual " if e.is_virtual else ""
    return f"{virtual}{_operand(e.callee)}({_list(e.arguments)})"


@text.register
def _construct(e: ex.Construct) -> str:
    if e.constructor is None:
        return f"copy {type_name(e.type)}({_list(e.arguments)})"
    return f"new-value {text(e.constructor)}({_list(e.arguments)})"


@text.register
def _init_list(e: ex.InitList) -> str:
    parts = ", ".join(f"@{offset}: {text(value)}" for offset, value in e.elements)
    return f"{type_name(e.type)}{{{parts}}}" + ("" if e.zero_fill else "~")


@text.register
def _comma(e: ex.Comma) -> str:
    return f"{_operand(e.left)}, {_operand(e.right)}"


@text.register
def _statement_expression(e: ex.StatementExpr) -> str:
    return "({ " + " ".join(line.strip() for line in _lines(e.body, 0)) + " })"


@text.register
def _launch(e: ex.Launch) -> str:
    shared = "" if e.shared_bytes is None else f", {text(e.shared_bytes)}"
    return (
        f"{_operand(e.kernel)}<<<{text(e.grid)}, {text(e.block)}{shared}>>>({_list(e.arguments)})"
    )


@text.register
def _new(e: ex.New) -> str:
    count = "" if e.count is None else f"[{text(e.count)}]"
    value = "" if e.initializer is None else f"({text(e.initializer)})"
    return f"new {type_name(e.allocated)}{count}{value}"


@text.register
def _delete(e: ex.Delete) -> str:
    return f"delete {_operand(e.operand)}"


@text.register
def _opaque(e: ex.OpaqueExpr) -> str:
    return f"opaque[{e.reason}]({_list(e.operands)})"


_COMPOSITE = (ex.Binary, ex.Logical, ex.Conditional, ex.Assign, ex.CompoundAssign, ex.Comma)
_PREFIX = (ex.Deref, ex.AddressOf, ex.Cast, ex.Unary)


def _operand(e: ex.Expr) -> str:
    return f"({text(e)})" if isinstance(e, (*_COMPOSITE, *_PREFIX)) else text(e)


@singledispatch
def _render(statement: st.Stmt, depth: int) -> list[str]:
    return [_indented(f"<{type(statement).__name__}>", depth)]


def _lines(statement: st.Stmt, depth: int) -> list[str]:
    return _render(statement, depth)


def _indented(line: str, depth: int) -> str:
    return "  " * depth + line


def _nested(statement: st.Stmt, depth: int) -> list[str]:
    if isinstance(statement, st.Compound):
        return [line for item in statement.body for line in _lines(item, depth)]
    return _lines(statement, depth)


@_render.register
def _(s: st.Compound, depth: int) -> list[str]:
    return [_indented("{", depth), *_nested(s, depth + 1), _indented("}", depth)]


@_render.register
def _(s: st.Declare, depth: int) -> list[str]:
    v = s.variable
    storage = "" if v.storage is st.Storage.LOCAL else f"{v.storage.value} "
    length = "" if v.length is None else f" length {text(v.length)}"
    value = "" if v.initializer is None else f" = {text(v.initializer)}"
    is_local = v.storage is st.Storage.LOCAL
    return [
        _indented(
            f"{storage}{type_name(v.type)} {v.key if is_local else v.name}{length}{value};", depth
        )
    ]


@_render.register
def _(s: st.Evaluate, depth: int) -> list[str]:
    return [_indented(f"{text(s.expression)};", depth)]


@_render.register
def _(s: st.If, depth: int) -> list[str]:
    lines = [_indented(f"if ({text(s.condition)})", depth), *_nested(s.then, depth + 1)]
    if s.otherwise is not None:
        lines += [_indented("else", depth), *_nested(s.otherwise, depth + 1)]
    return lines


@_render.register
def _(s: st.Loop, depth: int) -> list[str]:
    unroll = "" if s.unroll is None else f" unroll {s.unroll}"
    initial = " ".join(line.strip() for item in s.initial for line in _lines(item, 0))
    condition = "" if s.condition is None else text(s.condition)
    step = "" if s.step is None else text(s.step)
    word = "for" if s.tests_before else "do"
    head = f"{word} ({initial or ';'} {condition}; {step}){unroll}"
    return [_indented(head, depth), *_nested(s.body, depth + 1)]


@_render.register
def _(s: st.Switch, depth: int) -> list[str]:
    lines = [_indented(f"switch ({text(s.selector)})", depth)]
    for case in s.cases:
        labels = [f"{low}" if low == high else f"{low}..{high}" for low, high in case.values]
        labels += ["default"] if case.is_default else []
        lines.append(_indented(f"case {', '.join(labels)}:", depth + 1))
        lines += [line for item in case.body for line in _lines(item, depth + 2)]
    return lines


@_render.register
def _(_s: st.Break, depth: int) -> list[str]:
    return [_indented("break;", depth)]


@_render.register
def _(_s: st.Continue, depth: int) -> list[str]:
    return [_indented("continue;", depth)]


@_render.register
def _(s: st.Return, depth: int) -> list[str]:
    return [_indented("return;" if s.value is None else f"return {text(s.value)};", depth)]


@_render.register
def _(s: st.Goto, depth: int) -> list[str]:
    return [_indented(f"goto {s.label};", depth)]


@_render.register
def _(s: st.Label, depth: int) -> list[str]:
    return [_indented(f"{s.label}:", depth), *_nested(s.body, depth)]


@_render.register
def _(s: st.Asm, depth: int) -> list[str]:
    template = s.template.encode("unicode_escape").decode()
    return [_indented(f'asm "{template}" -> ({_list(s.outputs)}) <- ({_list(s.inputs)});', depth)]


@_render.register
def _(s: st.Directive, depth: int) -> list[str]:
    clauses = " ".join(
        f"{clause.name}({clause.text})" if clause.text else clause.name for clause in s.clauses
    )
    lines = [_indented(f"#omp {s.name} {clauses}".rstrip(), depth)]
    return lines if s.body is None else [*lines, *_nested(s.body, depth + 1)]


@_render.register
def _(s: st.OpaqueStmt, depth: int) -> list[str]:
    return [_indented(f"opaque[{s.reason}]({_list(s.operands)});", depth)]
