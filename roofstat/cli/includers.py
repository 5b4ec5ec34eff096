"""`--includers`: what a changed header does to the kernels that include it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

__all__ = ["with_includers"]


def with_includers(paths: Sequence[str]) -> list[str]:
    """Return the paths with the sources of the repository that include the headers among them.

    Raises:
        UsageError: The headers, or files without a header among them, lie in no git repository.
    """
    from roofstat.analysis.discovery import including_units, is_header
    from roofstat.cli.revisions import repository_root, tracked_files

    headers = [path for path in map(Path, paths) if is_header(path) and path.is_file()]
    root = repository_root(headers or map(Path, paths[:1]))
    if not headers:
        return list(paths)
    found = including_units(headers, tracked_files(root))
    given = {os.path.realpath(path) for path in paths}
    more = [path for path in found if os.path.realpath(path) not in given]
    return [*paths, *(os.path.relpath(path) for path in more)]
