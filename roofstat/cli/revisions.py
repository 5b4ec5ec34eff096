"""What git knows: lines that changed since a revision, and the files as they were then."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from clang_queries.quick_pattern import pattern
from roofstat.errors import UsageError

__all__ = ["changed_lines", "export_revision", "renamed_files", "repository_root", "tracked_files"]

_HEAD = "HEAD"
_SINCE_BRANCHING = "..."
_HUNK = pattern(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NEW_NAME = "+++ "
_ESCAPE = pattern(rb"\\([0-7]{3}|.)")
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}  # fmt: skip
_DIFF = (
    "diff", "--unified=0", "--inter-hunk-context=0", "--find-renames", "--text", "--ignore-cr-at-eol", "--no-color",
    "--no-ext-diff", "--no-textconv", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options",
)  # fmt: skip
"""Whatever the user's configuration says; a change of line ends is none."""
_PLACES = frozenset(
    {
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    }
)  # fmt: skip
"""What git tells its hooks of the repository at hand, which need not be the one that a path lies in."""


def repository_root(paths: Iterable[Path]) -> Path:
    """Return the top of the repository that paths lie in.

    Raises:
        UsageError: They lie in none, or in several.
    """
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    roots = dict.fromkeys(map(_root, folders))
    if len(roots) > 1:
        raise UsageError(
            f"--diff: the paths lie in several repositories: {', '.join(map(str, roots))}",
            remedy="analyse each on its own",
        )
    return next(iter(roots))


def _root(folder: Path) -> Path:
    return Path(os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")))


def changed_lines(root: Path, revision: str) -> Mapping[Path, frozenset[int] | None]:
    """Return the lines of each file that are not as in a revision; None for all lines of a file that git does not track.

    Raises:
        UsageError: There is no such revision.
    """
    text = _git(root, "-c", "core.quotePath=false", *_DIFF, _commit(root, revision), "--")
    found = {
        (root / name).resolve(): frozenset(lines)
        for name, lines in _changes(text.decode("utf-8", "surrogateescape")).items()
    }
    fresh = _git(root, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    untracked = {(root / os.fsdecode(name)).resolve(): None for name in fresh if name}
    return {**found, **untracked}


def tracked_files(root: Path) -> tuple[Path, ...]:
    """Return the files of a repository that git knows or would take.

    Raises:
        UsageError: It is no repository.
    """
    listed = _git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    return tuple(root / os.fsdecode(name) for name in dict.fromkeys(listed.split(b"\0")) if name)


def renamed_files(root: Path, revision: str) -> Mapping[Path, Path]:
    """Return the files that had another name in a revision, with that name.

    Raises:
        UsageError: There is no such revision.
    """
    text = _git(
        root, "diff", "--name-status", "-z", "--find-renames", "--diff-filter=R", "--no-ext-diff", "--no-relative",
        "--end-of-options", _commit(root, revision), "--",
    )  # fmt: skip
    names = [(root / os.fsdecode(name)).resolve() for name in text.split(b"\0")[:-1]]
    # A letter with a number, the old name, the new name, and so on.
    return dict(zip(names[2::3], names[1::3], strict=True))


def _changes(text: str) -> dict[str, set[int]]:
    """The files that a diff has a new side of, each with its new lines."""
    found: dict[str, set[int]] = {}
    lines: set[int] = set()
    inside = 0
    for line in text.split("\n"):
        if inside and line[:1] in {"+", "-"}:
            inside -= 1  # content, whatever it looks like
        elif line.startswith(_NEW_NAME):
            lines = set()
            name = _unquoted(line.removeprefix(_NEW_NAME).removesuffix("\t"))
            if name.startswith("b/"):  # not that of a deleted file
                found[name.removeprefix("b/")] = lines
        elif hunk := _HUNK.match(line):
            first, count = int(hunk[2]), int(hunk[3] or 1)
            lines.update(range(first, first + count))
            inside = int(hunk[1] or 1) + count
    return found


def _unquoted(name: str) -> str:
    """A name as git writes it: in quotes where characters in it would mislead."""
    if not name.startswith('"'):
        return name
    inner = name[1:-1].encode("utf-8", "surrogateescape")
    return os.fsdecode(
        _ESCAPE.sub(
            lambda found: (
                bytes([int(found[1], 8)]) if len(found[1]) > 1 else _ESCAPES.get(found[1], found[1])
            ),
            inner,
        )
    )


def export_revision(root: Path, revision: str, directory: Path) -> None:
    """Write the files of a revision below a directory.

    Raises:
        UsageError: There is no such revision.
    """
    with tempfile.TemporaryDirectory(prefix="roofstat-") as place:
        index = {"GIT_INDEX_FILE": str(Path(place) / "index")}
        # Large files that stand elsewhere are no sources.
        index["GIT_LFS_SKIP_SMUDGE"] = "1"
        _git(root, "read-tree", _commit(root, revision), more=index)
        _git(root, "checkout-index", "--all", "--quiet", f"--prefix={directory}/", more=index)


def _commit(root: Path, revision: str) -> str:
    """The hash of a revision; of `REV...` that of the last commit that it has in common with `HEAD`.

    Before the first commit `HEAD` is the empty tree.
    """
    name, since_branching, other = revision.partition(_SINCE_BRANCHING)
    if since_branching and other in {"", _HEAD}:
        return _branching_point(root, name or _HEAD)
    found = _resolve(root, revision)
    if found is None and revision == _HEAD:
        return _git(root, "hash-object", "-t", "tree", os.devnull).decode().strip()
    if found is None:
        raise _unknown(root, revision)
    return found


def _branching_point(root: Path, name: str) -> str:
    commits = [_resolve(root, each) for each in (name, _HEAD)]
    if None in commits:
        raise _unknown(root, name)
    try:
        return _git(root, "merge-base", *filter(None, commits)).decode().split()[0]
    except UsageError as error:
        raise UsageError(
            f"--diff {name}{_SINCE_BRANCHING}: it has no commit in common with HEAD",
            remedy=_DEEPER if _is_shallow(root) else "name a related branch",
        ) from error


_DEEPER = "the clone is shallow: fetch its history (git fetch --unshallow; fetch-depth: 0)"


def _unknown(root: Path, revision: str) -> UsageError:
    return UsageError(
        f"--diff {revision}: git knows no such revision",
        remedy=_DEEPER
        if _is_shallow(root)
        else "name a commit, branch or tag, or BRANCH... for what is new since it was left",
    )


def _is_shallow(root: Path) -> bool:
    return _git(root, "rev-parse", "--is-shallow-repository").strip() == b"true"


def _resolve(root: Path, revision: str) -> str | None:
    named = f"{revision}^{{commit}}"
    try:
        return _git(root, "rev-parse", "--verify", "--end-of-options", named).decode().strip()
    except UsageError:
        return None


def _git(directory: Path, *arguments: str, more: Mapping[str, str] | None = None) -> bytes:
    command = ["git", "-C", str(directory), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _PLACES}
    try:
        return subprocess.run(  # noqa: S603
            command, check=True, capture_output=True, env={**environment, **(more or {})}
        ).stdout
    except FileNotFoundError as error:
        raise UsageError("git is needed and not there", remedy="install git") from error
    except (subprocess.CalledProcessError, ValueError) as error:
        text = getattr(error, "stderr", b"").decode("utf-8", "replace") or str(error)
        what = next(word for word in arguments if not word.startswith(("-", "core.")))
        raise UsageError(
            f"git {what} failed: {text.strip().splitlines()[-1]}",
            remedy="run it in a git repository",
        ) from error
