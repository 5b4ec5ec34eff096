"""Failures of this package: one tree, raised at its edge, carrying what a message needs."""

from __future__ import annotations


class ClangQueriesError(Exception):
    """Base of everything this package raises on purpose."""


class ParseError(ClangQueriesError):
    """A source that yields no translation unit at all (mere errors inside one are diagnostics).

    Attributes:
        path: the file as given.
        problem: what went wrong, one sentence.
        remedy: what the user can do about it, one sentence; empty where nothing is known.
    """

    def __init__(self, path: str, problem: str, remedy: str = "") -> None:
        super().__init__(path, problem, remedy)
        self.path = path
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.path}: {self.problem}"
        return f"{text} ({self.remedy})" if self.remedy else text


class FrontEndUnavailableError(ClangQueriesError):
    """libclang cannot be loaded, or it is a version with another interface."""
