"""`roofstat cache`: what is kept of earlier runs, and how to be rid of it."""

from __future__ import annotations

import argparse

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.user_directories import cache_directory
from roofstat.errors import UsageError

__all__ = ["add_parser", "run"]

_MIB = 1024**2


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `cache`."""
    parser = sub.add_parser(
        "cache",
        help="show or clear what is kept of earlier runs",
        description="Show where results and precompiled headers of earlier runs are kept, and how much there is.\n"
        "A result is used again only while every file that it rests on is unchanged.\n"
        "ROOFSTAT_CACHE_DIR names another directory.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--clear", action="store_true", help="remove all of it")
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Write the state of the cache, after clearing it if asked."""
    from roofstat.analysis.result_cache import ResultCache

    directory = cache_directory()
    if directory is None:
        raise UsageError(
            "there is no home directory to keep results in",
            remedy="name a directory in ROOFSTAT_CACHE_DIR",
        )
    cache = ResultCache(directory)
    before = len(list(cache.entries()))
    if args.clear:
        cache.trim(0)
        left = len(list(cache.entries()))
        console.write(f"{directory}: {before - left} files removed\n")
        if left:
            raise UsageError(
                f"{left} files could not be removed",
                file=str(directory),
                remedy="check the permissions of the directory",
            )
        return 0
    size = sum(facts.st_size for _, facts in cache.entries())
    console.write(f"{directory}: {before} files, {size / _MIB:.1f} MiB\n")
    return 0
