"""Where the bundled headers are and how libclang is told of them."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

_GPU_FOLDERS = {"cuda": ("cuda", "hip"), "hip": ("hip", "cuda")}
"""A CUDA source may include HIP headers and the other way round; its own come first."""
_LIBRARY_FOLDERS = ("std", "c", "torch")
_PRELUDE = "cq_prelude.h"
"""What the language's compiler includes before the first line of every source."""


def bundled_headers_directory() -> Path:
    """The folder that holds the bundled headers."""
    return Path(__file__).parent / "headers"


@lru_cache(maxsize=1)
def _bundled_names() -> frozenset[str]:
    return frozenset(
        entry.name
        for folder in os.scandir(bundled_headers_directory())
        if folder.is_dir()
        for entry in os.scandir(folder.path)
    )


def is_bundled_name(target: str) -> bool:
    """Whether an include of this name finds a bundled header.

    Example:
        >>> is_bundled_name("cub/cub.cuh"), is_bundled_name("kernels.cuh")
        (True, False)
    """
    return target.partition("/")[0] in _bundled_names() and any(
        (folder / target).is_file() for folder in bundled_headers_directory().iterdir()
    )


@lru_cache(maxsize=1024)
def is_bundled_file(path: str) -> bool:
    """Whether a file is one of the bundled headers.

    Example:
        >>> is_bundled_file(str(bundled_headers_directory() / "cuda" / "cuda_runtime.h")), is_bundled_file("k.cu")
        (True, False)
    """
    return path.startswith(f"{bundled_headers_directory()}{os.sep}")


def shadowing_names(directory: str) -> tuple[str, ...]:
    """Entries of a user's include directory that includes find instead of a bundled header, or of a folder of those.

    Example:
        >>> shadowing_names("/nowhere")
        ()
    """
    try:
        names = {entry.name for entry in os.scandir(directory)}
        return tuple(sorted(_bundled_names() & names))
    except OSError:
        return ()


def include_arguments(language: str, system_headers: bool = False) -> tuple[str, ...]:
    """Libclang's arguments for the bundled headers of a language.

    Args:
        language: ``cuda``, ``hip`` or ``openmp`` (C and C++ on the host).
        system_headers: take the machine's C and C++ headers, and the bundled ones only where it has none.
            The CUDA and HIP headers are the bundled ones in any case, unless an ``-I`` of the user's comes first.

    Returns:
        Arguments that name every folder on its own, as in ``("-isystem", folder)``.

    Example:
        >>> include_arguments("openmp")[:2]
        ('-nostdinc', '-nostdinc++')
    """
    root = bundled_headers_directory()
    gpu_folders = _GPU_FOLDERS.get(language, ("cuda", "hip"))
    arguments = ["-DCQ_SYSTEM_HEADERS"] if system_headers else ["-nostdinc", "-nostdinc++"]
    for folder in gpu_folders:
        arguments += ["-isystem", str(root / folder)]
    for folder in _LIBRARY_FOLDERS:
        arguments += ["-idirafter" if system_headers else "-isystem", str(root / folder)]
    if language in _GPU_FOLDERS:
        arguments += ["-include", str(root / gpu_folders[0] / _PRELUDE)]
    return tuple(arguments)
