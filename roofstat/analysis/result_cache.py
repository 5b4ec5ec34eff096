"""Results of earlier runs, kept in a directory of the user.

One file a program and set of options. It holds the digests of all files that the result rests on (see `inputs`), which
are checked before it is used. Files are written beside their place and renamed; what is damaged, foreign or cannot be
read or written is as if it were not there.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.util
import io
import os
import pickle
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from roofstat import __version__, hardware, report, roofline
from roofstat.analysis.inputs import Inputs, digest_of
from roofstat.analysis.options import AnalysisOptions
from roofstat.analysis.result import ProgramResult

__all__ = ["ResultCache"]

_SUFFIX = ".result"
_DIGEST_BYTES = 32
_LIMIT_BYTES = 256 * 1024 * 1024
_PACKAGES = ("roofstat", "clang_queries")
_LIBRARIES = ("numpy", "clang")
_RECORDS = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (
        Inputs,
        ProgramResult,
        *(
            getattr(module, name)
            for module in (hardware, report, roofline)
            for name in module.__all__
            if isinstance(getattr(module, name), type)
        ),
    )
}


class ResultCache:
    """Results by program and options."""

    def __init__(self, directory: Path, *, salt: str = "", limit_bytes: int = _LIMIT_BYTES) -> None:
        """Use a directory; it is made when the first result is kept.

        Args:
            directory: Belongs to this cache alone.
            salt: What else the results depend on, such as environment variables of the front end.
            limit_bytes: The oldest files go when all of them are larger than this.
        """
        self.directory = directory
        self._salt = salt
        self._limit_bytes = limit_bytes
        self._digests: dict[str, str | None] = {}
        self._has_written = False
        self._program: str | None = None

    @property
    def precompiled_directory(self) -> Path:
        """Where the front end may keep the precompiled forms of its headers."""
        return self.directory

    def load(self, files: Sequence[Path], options: AnalysisOptions) -> ProgramResult | None:
        """Return the result of a program, if it is known and still holds."""
        path = self._path(files, options)
        if path is None:
            return None
        try:
            content = _read_own(path)
            if content is None or _digest(content[_DIGEST_BYTES:]) != content[:_DIGEST_BYTES]:
                return None
            result = _Reader(io.BytesIO(content[_DIGEST_BYTES:])).load()
        except Exception:  # noqa: BLE001 - unpickling may raise anything; an unreadable entry is no entry
            return None
        if not isinstance(result, ProgramResult) or result.inputs is None:
            return None
        if not result.inputs.hold(self._digest_of):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return result

    def store(self, files: Sequence[Path], options: AnalysisOptions, result: ProgramResult) -> None:
        """Keep a result, unless it has errors or rests on what cannot be checked."""
        path = self._path(files, options)
        if path is None or result.inputs is None or result.errors:
            return
        content = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
        with contextlib.suppress(OSError):
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self.directory, suffix=".tmp")
            try:
                with os.fdopen(descriptor, "wb") as stream:
                    stream.write(_digest(content) + content)
                Path(name).replace(path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                return
            self._has_written = True

    def close(self) -> None:
        """Keep the directory within its limit, if this run has added to it."""
        if self._has_written:
            self.trim(self._limit_bytes)

    def trim(self, limit_bytes: int) -> None:
        """Remove files, least recently used first, until the rest is within a limit."""
        entries = sorted(self.entries(), key=lambda entry: entry[1].st_mtime_ns, reverse=True)
        total = 0
        for path, facts in entries:
            total += facts.st_size
            if total > limit_bytes:
                with contextlib.suppress(OSError):
                    path.unlink()

    def entries(self) -> Iterator[tuple[Path, os.stat_result]]:
        """Yield the files of the cache; what does not look like one of them is left alone."""
        try:
            found = list(os.scandir(self.directory))
        except OSError:
            return
        for entry in found:
            with contextlib.suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                if entry.name.endswith((_SUFFIX, ".pch", ".tmp")) and stat.S_ISREG(facts.st_mode):
                    yield Path(entry.path), facts

    def _path(self, files: Sequence[Path], options: AnalysisOptions) -> Path | None:
        """Where the result of a program under some options is kept."""
        neutral = dataclasses.replace(
            options,
            jobs=1,
            timeout_s=None,
            memory_limit_bytes=None,
            min_confidence=0.0,
            precompiled_dir=None,
        )
        if self._program is None:
            self._program = _program_state()
        try:
            folder = str(Path.cwd())
        except OSError:
            return None
        key = repr((self._program, self._salt, folder, tuple(map(str, files)), neutral))
        return (
            self.directory
            / f"{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}{_SUFFIX}"
        )

    def _digest_of(self, path: str) -> str | None:
        """The digest of a file, read once a run."""
        if path not in self._digests:
            self._digests[path] = digest_of(path)
        return self._digests[path]


class _Reader(pickle.Unpickler):
    """Makes records of the report and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that an entry may hold."""
        if (module, name) == ("builtins", "getattr"):
            return _member
        try:
            return _RECORDS[module, name]
        except KeyError as error:
            raise pickle.UnpicklingError(f"{module}.{name} is no record of a report") from error


def _member(kind: object, name: str) -> Enum:
    """A member of an enumeration of the report, which Python 3.11.0 to 3.11.3 write down as `getattr(kind, name)`."""
    if isinstance(kind, type) and issubclass(kind, Enum) and kind in _RECORDS.values():
        return kind[name]
    raise pickle.UnpicklingError(f"{name} is no member of a record of a report")


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _read_own(path: Path) -> bytes | None:
    """The content of a regular file of this user."""
    with path.open("rb") as stream:
        facts = os.fstat(stream.fileno())
        own = getattr(os, "getuid", lambda: facts.st_uid)()
        return stream.read() if stat.S_ISREG(facts.st_mode) and facts.st_uid == own else None


def _program_state() -> str:
    """What this very program is: its version, and the date and size of each of its files and of its libraries."""
    state: list[object] = [__version__, sys.version]
    for package in (*_PACKAGES, *_LIBRARIES):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        root = Path(spec.origin)
        if package in _PACKAGES:
            state += _states_below(str(root.parent))
        else:
            facts = root.stat()
            state.append((str(root), facts.st_size, facts.st_mtime_ns))
    return repr(state)


def _states_below(folder: str) -> Iterator[tuple[str, int, int]]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name == "__pycache__":
            continue
        if entry.is_dir():
            yield from _states_below(entry.path)
        else:
            facts = entry.stat()
            yield entry.path, facts.st_size, facts.st_mtime_ns
