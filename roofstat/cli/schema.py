"""`roofstat schema`: the JSON Schema of a report."""

from __future__ import annotations

import argparse
import json

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console

__all__ = ["add_parser", "run"]


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `schema`."""
    return sub.add_parser(
        "schema",
        help="print the JSON Schema of a report",
        description="Print the JSON Schema (draft 2020-12) that --format json satisfies.",
        allow_abbrev=False,
    )


def run(_args: argparse.Namespace, console: Console) -> int:
    """Write the schema."""
    from roofstat.report import report_schema

    console.write(json.dumps(report_schema(), indent=2) + "\n")
    return 0
