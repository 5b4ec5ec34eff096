"""Names of files as services know them."""

from __future__ import annotations

import os.path
from pathlib import PurePath

__all__ = ["repository_name"]


def repository_name(file: str) -> str:
    """Return a name without detours and with slashes: services compare it with those of a repository, letter by letter.

    >>> repository_name("src/../inc/ops.cuh"), repository_name("./k.cu")
    ('inc/ops.cuh', 'k.cu')
    """
    return PurePath(os.path.normpath(file)).as_posix()
