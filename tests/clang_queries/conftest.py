"""One-line helpers: source text to units, functions and their printed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ir_text import dump

from clang_queries.command_line import Language, ParseOptions
from clang_queries.ir import expressions as ex, statements as st
from clang_queries.unit import lower_unit


@pytest.fixture
def lower() -> Callable[..., st.Unit]:
    """Lowers a text; CUDA unless said otherwise."""

    def run(
        text: str | bytes, language: Language = Language.CUDA, path: str = "", **flags: Any
    ) -> st.Unit:
        names = {Language.CUDA: "test.cu", Language.HIP: "test.hip", Language.OPENMP: "test.cpp"}
        return lower_unit(path or names[language], ParseOptions(language=language, **flags), text)

    return run


@pytest.fixture
def function(lower: Callable[..., st.Unit]) -> Callable[..., st.Function]:
    """Lowers a text without errors and gives its function `name`."""

    def run(text: str, name: str = "f", **options: Any) -> st.Function:
        unit = lower(text, **options)
        assert [item.text for item in unit.diagnostics] == []
        found = [item for item in unit.functions.values() if item.name == name]
        assert len(found) == 1, [item.name for item in unit.functions.values()]
        return found[0]

    return run


@pytest.fixture
def body(function: Callable[..., st.Function]) -> Callable[..., list[str]]:
    """The lines of a function's printed body, without indentation and local numbering."""

    def run(text: str, name: str = "f", **options: Any) -> list[str]:
        lines = dump(function(text, name, **options)).splitlines()
        return [line.strip() for line in lines[2:-1]]

    return run


def walk(item: Any) -> Iterator[Any]:
    """Every IR node under a node."""
    yield item
    for name in getattr(item, "__dataclass_fields__", {}):
        value = getattr(item, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, tuple):
                for inner in part:
                    yield from walk(inner)
            elif isinstance(part, (ex.Expr, st.Stmt, st.Case, st.Clause, st.VariableDeclaration)):
                yield from walk(part)


@pytest.fixture
def nodes() -> Callable[..., list[Any]]:
    """All nodes of a class in a function."""

    def find(function: st.Function, kind: type) -> list[Any]:
        return [node for node in walk(function.body) if isinstance(node, kind)]

    return find
