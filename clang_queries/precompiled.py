"""A precompiled form of the bundled prelude: most of the parse time of a short CUDA file goes into it.

One file for each set of flags that it depends on. Its name holds a digest of its content, since libclang loads a damaged
file without a check; libclang itself compares the headers' dates and sizes. A stale, damaged or foreign file is made
again, and where that fails the prelude's text is parsed as before.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import stat
import tempfile
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_void_p
from functools import lru_cache
from pathlib import Path

from clang_queries._cindex import Clang
from clang_queries.header_paths import bundled_headers_directory, shadowing_names

_INCOMPLETE = 0x02
_FOR_SERIALIZATION = 0x10
_FORMAT = "libclang-18.1.1"
_DIGEST_LENGTH = 24


def with_precompiled_prelude(
    clang: Clang,
    language_flags: Sequence[str],
    header_flags: Sequence[str],
    user_directories: Sequence[str],
    directory: str,
) -> list[str] | None:
    """Header flags that load the precompiled prelude instead of including it.

    Args:
        clang: the library.
        language_flags: what the prelude's meaning depends on: language, standard, architecture, level of optimisation.
        header_flags: the flags of the bundled headers.
        user_directories: where the user's includes are looked up; the text is needed where they hold a bundled name.
        directory: where precompiled files are kept; made if need be.

    Returns:
        None where there is no prelude or it cannot be precompiled.
    """
    flags = list(header_flags)
    if "-include" not in flags or any(map(shadowing_names, user_directories)):
        return None
    place = flags.index("-include")
    prelude = Path(flags[place + 1])
    rest = flags[:place] + flags[place + 2 :]
    arguments = [*language_flags, *rest]
    key = _digest("\0".join([_FORMAT, str(prelude), *arguments]).encode())
    folder = Path(directory)
    target = _sound_file(folder, key) or _build(clang, arguments, prelude, folder, key)
    return [*rest, "-include-pch", str(target)] if target is not None else None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_DIGEST_LENGTH]


def _sound_file(folder: Path, key: str) -> Path | None:
    """The file of that key which is whole, this user's, and newer than every bundled header."""
    try:
        found = [path for path in folder.iterdir() if path.match(f"prelude-{key}-*.pch")]
        return next((path for path in found if _is_sound(path)), None)
    except OSError:
        return None


def _is_sound(path: Path) -> bool:
    facts = path.stat(follow_symlinks=False)
    owner = getattr(os, "getuid", lambda: facts.st_uid)()
    return (
        stat.S_ISREG(facts.st_mode)
        and facts.st_uid == owner
        and facts.st_mtime_ns > _newest_header_ns()
        and _is_whole(path, facts.st_mtime_ns)
    )


@lru_cache(maxsize=64)
def _is_whole(path: Path, _changed_ns: int) -> bool:
    return path.stem.endswith(f"-{_digest(path.read_bytes())}")


@lru_cache(maxsize=1)
def _newest_header_ns() -> int:
    return max(
        Path(folder, name).stat().st_mtime_ns
        for folder, _, names in os.walk(bundled_headers_directory())
        for name in names
    )


def _build(
    clang: Clang, arguments: Sequence[str], prelude: Path, folder: Path, key: str
) -> Path | None:
    lib = clang.lib
    encoded = [argument.encode("utf-8", "surrogateescape") for argument in arguments]
    array = (c_char_p * len(encoded))(*encoded)
    index = lib.clang_createIndex(0, 0)
    handle = c_void_p()
    try:
        status = lib.clang_parseTranslationUnit2(
            index,
            str(prelude).encode(),
            ctypes.cast(array, POINTER(c_char_p)),
            len(encoded),
            None,
            0,
            _INCOMPLETE | _FOR_SERIALIZATION,
            byref(handle),
        )
        if status != 0 or not handle.value:
            return None
        return _save(clang, handle.value, folder, key)
    finally:
        if handle.value:
            lib.clang_disposeTranslationUnit(handle)
        lib.clang_disposeIndex(index)


def _save(clang: Clang, handle: int, folder: Path, key: str) -> Path | None:
    """Writes beside the target and renames, so that other processes see whole files only."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
        os.close(descriptor)
        written = Path(name)
        if clang.lib.clang_saveTranslationUnit(handle, name.encode(), 0) != 0:
            written.unlink(missing_ok=True)
            return None
        for stale in folder.glob(f"prelude-{key}-*.pch"):
            stale.unlink(missing_ok=True)
        return written.replace(folder / f"prelude-{key}-{_digest(written.read_bytes())}.pch")
    except OSError:
        return None
