"""Where files of this user are kept from run to run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["cache_directory", "data_directory"]


def cache_directory() -> Path | None:
    """Return where results are kept; None where there is no home for them."""
    return _directory("ROOFSTAT_CACHE_DIR", "XDG_CACHE_HOME", ".cache", "Library/Caches")


def data_directory() -> Path | None:
    """Return where the log of a language model's answers is kept; None where there is no home for it."""
    macos = "Library/Application Support"
    return _directory("ROOFSTAT_DATA_DIR", "XDG_DATA_HOME", ".local/share", macos)


def _directory(own_variable: str, xdg_variable: str, elsewhere: str, macos: str) -> Path | None:
    named = os.environ.get(own_variable)
    if named:
        return Path(named)
    base = os.environ.get(xdg_variable) or os.environ.get("LOCALAPPDATA")
    if base:
        return Path(base, "roofstat")
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises where there is no home
    if not home.is_absolute():
        return None
    return home / (macos if sys.platform == "darwin" else elsewhere) / "roofstat"
