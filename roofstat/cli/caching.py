"""Whether the results of earlier runs are used."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from roofstat.cli.user_directories import cache_directory

if TYPE_CHECKING:
    from roofstat.analysis.result_cache import ResultCache

__all__ = ["add_cache_option", "result_cache"]

_FRONT_END_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS")
"""What the parser itself reads from the environment."""


def add_cache_option(group: argparse._ArgumentGroup) -> None:
    """Add the option that goes without the cache."""
    group.add_argument(
        "--no-cache",
        action="store_true",
        help="analyse everything anew and keep nothing (see roofstat cache)",
    )


def result_cache(args: argparse.Namespace) -> ResultCache | None:
    """Return the cache that a command is to use; None for none."""
    directory = cache_directory()
    if args.no_cache or directory is None:
        return None
    from roofstat.analysis.result_cache import ResultCache

    salt = repr([os.environ.get(name) for name in _FRONT_END_VARIABLES])
    return ResultCache(directory, salt=salt)
