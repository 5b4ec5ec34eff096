"""A precompiled form of the bundled prelude: half of a CUDA file's parse time goes into it.

One file for each set of flags that it depends on. libclang checks the headers' dates and sizes when it loads one; a stale
or broken one is made again, and where that fails the prelude's text is parsed as before.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_void_p
from pathlib import Path

from clang_queries._cindex import Clang

_INCOMPLETE = 0x02
_FOR_SERIALIZATION = 0x10
_FORMAT = "libclang-18.1.1"


def with_precompiled_prelude(
    clang: Clang, language_flags: Sequence[str], header_flags: Sequence[str], directory: str
) -> list[str] | None:
    """Header flags that load the precompiled prelude instead of including it.

    Args:
        clang: the library.
        language_flags: what the prelude's meaning depends on: language, standard, architecture, level of optimisation.
        header_flags: the flags of the bundled headers.
        directory: where precompiled files are kept; made if need be.

    Returns:
        None where there is no prelude or it cannot be precompiled.
    """
    flags = list(header_flags)
    if "-include" not in flags:
        return None
    place = flags.index("-include")
    prelude = Path(flags[place + 1])
    if not prelude.is_absolute():
        folders = [Path(flag) for flag in flags if not flag.startswith("-")]
        prelude = next(
            (folder / prelude for folder in folders if (folder / prelude).is_file()), prelude
        )
    rest = flags[:place] + flags[place + 2 :]
    arguments = [*language_flags, *rest]
    digest = hashlib.sha256("\0".join([_FORMAT, str(prelude), *arguments]).encode()).hexdigest()[
        :24
    ]
    target = Path(directory) / f"prelude-{digest}.pch"
    if not (_is_current(target, prelude) or _build(clang, arguments, prelude, target)):
        return None
    return [*rest, "-include-pch", str(target)]


def _is_current(target: Path, prelude: Path) -> bool:
    """Whether the file exists and is newer than every bundled header."""
    try:
        built = target.stat().st_mtime_ns
        folders = prelude.parent.parent
        return all(
            entry.stat().st_mtime_ns < built
            for folder in os.scandir(folders)
            if folder.is_dir()
            for entry in os.scandir(folder.path)
        )
    except OSError:
        return False


def _build(clang: Clang, arguments: Sequence[str], prelude: Path, target: Path) -> bool:
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
            return False
        return _save(clang, handle.value, target)
    finally:
        if handle.value:
            lib.clang_disposeTranslationUnit(handle)
        lib.clang_disposeIndex(index)


def _save(clang: Clang, handle: int, target: Path) -> bool:
    """Writes beside the target and renames, so that other processes see whole files only."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, suffix=".tmp")
        os.close(descriptor)
        if clang.lib.clang_saveTranslationUnit(handle, name.encode(), 0) != 0:
            Path(name).unlink(missing_ok=True)
            return False
        Path(name).replace(target)
    except OSError:
        return False
    return True
