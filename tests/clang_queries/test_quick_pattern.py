"""Patterns that are compiled at their first use behave like compiled ones."""

import importlib
import pkgutil
import re

import clang_queries
import roofstat
from clang_queries.quick_pattern import pattern


def test_same_as_a_compiled_one() -> None:
    own, standard = (make(r"(\w)(?P<last>\d)", re.IGNORECASE) for make in (pattern, re.compile))
    text = "xA1-b2"
    assert own.findall(text) == standard.findall(text)
    assert own.sub(r"\2", text) == standard.sub(r"\2", text)
    assert own.fullmatch("c3")["last"] == "3"
    assert own.match(text) is standard.match(text) is None
    assert own.match(text, 1).span() == standard.match(text, 1).span()
    assert (own.pattern, own.flags, own.groupindex) == (
        standard.pattern,
        standard.flags,
        standard.groupindex,
    )
    assert pattern(rb"\s+").split(b"a  b") == [b"a", b"b"]


def test_all_patterns_of_the_packages_compile() -> None:
    """A slip in one shows here, not when a run first needs it."""
    count = 0
    for package in (clang_queries, roofstat):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rsplit(".", 1)[-1] == "__main__":
                continue
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, pattern):
                    assert re.compile(value.pattern, value.flags).groups == value.groups
                    count += 1
    assert count
