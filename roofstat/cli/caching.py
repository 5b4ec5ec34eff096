"""Where the results of earlier runs are kept, and whether they are used."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofstat.analysis.result_cache import ResultCache

__all__ = ["add_cache_option", "cache_directory", "result_cache"]

_FRONT_END_VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS")
"""What the parser itself reads from the environment."""


def add_cache_option(group: argparse._ArgumentGroup) -> None:
    """Add the option that goes without the cache."""
    group.add_argument(
        "--no-cache",
        action="store_true",
        help="analyse everything anew and keep nothing (see roofstat cache)",
    )


def cache_directory() -> Path | None:
    """Return the directory of this user's cache; None where there is no home to keep it in."""
    named = os.environ.get("ROOFSTAT_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if base:
        return Path(base, "roofstat")
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises where there is no home
    if not home.is_absolute():
        return None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "roofstat"


def result_cache(args: argparse.Namespace) -> ResultCache | None:
    """Return the cache that a command is to use; None for none."""
    directory = cache_directory()
    if args.no_cache or directory is None:
        return None
    from roofstat.analysis.result_cache import ResultCache

    salt = repr([os.environ.get(name) for name in _FRONT_END_VARIABLES])
    return ResultCache(directory, salt=salt)
