"""What git knows: lines that changed since a revision, and the files as they were then."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path

from roofstat.errors import UsageError

__all__ = ["changed_lines", "export_revision", "repository_root"]

_HEAD = "HEAD"
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def repository_root(path: Path) -> Path:
    """Return the top of the repository that a path lies in.

    Raises:
        UsageError: It lies in none.
    """
    directory = path if path.is_dir() else path.parent
    return Path(_git(directory, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def changed_lines(root: Path, revision: str) -> Mapping[Path, frozenset[int] | None]:
    """Return the lines of each file that are not as in a revision; None for all lines of a file that git does not track.

    Raises:
        UsageError: There is no such revision.
    """
    text = _git(
        root, "-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff",
        "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", _commit(root, revision), "--",
    ).decode("utf-8", "replace")  # fmt: skip
    found: dict[Path, set[int]] = {}
    lines: set[int] = set()
    for line in text.splitlines():
        if line.startswith("+++ b/"):
            name = line.removeprefix("+++ b/").rstrip("\t")
            lines = found.setdefault((root / name).resolve(), set())
        elif line.startswith("+++ "):
            lines = set()  # deleted
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    fresh = _git(root, "ls-files", "--others", "--exclude-standard", "-z").decode(
        "utf-8", "replace"
    )
    untracked = {(root / name).resolve(): None for name in fresh.split("\0") if name}
    return {**{file: frozenset(numbers) for file, numbers in found.items()}, **untracked}


def export_revision(root: Path, revision: str, directory: Path) -> None:
    """Write the files of a revision below a directory.

    Raises:
        UsageError: There is no such revision.
    """
    content = _git(root, "archive", "--format=tar", _commit(root, revision))
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(directory, filter="data")


def _commit(root: Path, revision: str) -> str:
    """The hash of a revision; before the first commit `HEAD` is the empty tree."""
    found = _resolve(root, revision)
    if found is None and revision == _HEAD:
        return _git(root, "hash-object", "-t", "tree", os.devnull).decode().strip()
    if found is None:
        raise UsageError(
            f"--diff {revision}: git knows no such revision", remedy="name a commit, branch or tag"
        )
    return found


def _resolve(root: Path, revision: str) -> str | None:
    named = f"{revision}^{{commit}}"
    try:
        return _git(root, "rev-parse", "--verify", "--end-of-options", named).decode().strip()
    except UsageError:
        return None


def _git(directory: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(directory), *arguments]
    try:
        return subprocess.run(command, check=True, capture_output=True).stdout  # noqa: S603
    except FileNotFoundError as error:
        raise UsageError("--diff needs git, which is not there", remedy="install git") from error
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UsageError(
            f"git {arguments[0]} failed: {reason[-1] if reason else 'without a reason'}",
            remedy="run it in a git repository",
        ) from error
