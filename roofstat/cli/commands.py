"""The sub-commands. A module is imported only when its command runs; each has `add_parser(sub)` and `run(args, console)`.

A new command is one module and one line here.
"""

from __future__ import annotations

import argparse
import importlib
from typing import Protocol, TypeAlias, cast

from clang_queries.quick_dataclass import dataclass
from roofstat.cli.console import Console

__all__ = [
    "COMMANDS",
    "CONFIGURED",
    "DEFAULT_COMMAND",
    "Command",
    "CommandModule",
    "SubParsers",
]

SubParsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""What `ArgumentParser.add_subparsers` returns."""


class CommandModule(Protocol):
    """What the module of a command offers."""

    def add_parser(self, sub: SubParsers) -> argparse.ArgumentParser:
        """Add the command's parser and return it."""

    def run(self, args: argparse.Namespace, console: Console) -> int:
        """Carry the command out and return the exit status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One sub-command.

    Attributes:
        module: Where it lives.
        summary: One line for the list of commands.
        runs_program: Whether what stands after `--` is a program with its arguments (`args.program_line`), not paths.
    """

    module: str
    summary: str
    runs_program: bool = False

    def load(self) -> CommandModule:
        """Import the command's module."""
        return cast("CommandModule", importlib.import_module(self.module))


DEFAULT_COMMAND = "analyze"
CONFIGURED = frozenset({DEFAULT_COMMAND, "baseline", "cc", "explain"})
"""Commands whose options configuration files set."""
COMMANDS = {
    DEFAULT_COMMAND: Command(
        module="roofstat.cli.analyze", summary="analyse files or directories (the default)"
    ),
    "explain": Command(
        module="roofstat.cli.explain", summary="derive every number of one kernel, line by line"
    ),
    "eval": Command(
        module="roofstat.cli.evaluate", summary="compare predictions with profiled label tables"
    ),
    "profile": Command(
        module="roofstat.cli.profile",
        summary="measure a program's kernels with a profiler and write a label table",
        runs_program=True,
    ),
    "llm": Command(
        module="roofstat.cli.llm", summary="show a language model's answers, or fine-tune a model"
    ),
    "gpus": Command(
        module="roofstat.cli.gpus", summary="list the GPUs, or describe one with its sources"
    ),
    "baseline": Command(
        module="roofstat.cli.baseline", summary="write what is found now, for --baseline"
    ),
    "cc": Command(
        module="roofstat.cli.compiler",
        summary="run a compiler and report on what it compiles",
        runs_program=True,
    ),
    "lsp": Command(
        module="roofstat.cli.lsp", summary="serve editors in the Language Server Protocol"
    ),
    "rules": Command(
        module="roofstat.cli.rules", summary="list the rules, or describe one with its examples"
    ),
    "cache": Command(
        module="roofstat.cli.cache", summary="show or clear what is kept of earlier runs"
    ),
    "schema": Command(module="roofstat.cli.schema", summary="print the JSON Schema of a report"),
}
