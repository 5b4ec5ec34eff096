"""Where the bundled headers are and how libclang is told of them."""

from __future__ import annotations

from pathlib import Path


def bundled_headers_directory() -> Path:
    """The folder that holds the bundled headers."""
    return Path(__file__).parent / "headers"


def include_arguments(language: str, system_headers: bool = False) -> tuple[str, ...]:
    """Libclang's arguments for the bundled headers of a language (``cuda``, ``hip`` or ``openmp``)."""
    if system_headers:
        return ()
    root = bundled_headers_directory()
    folders = ("hip", "cuda", "std", "c") if language == "hip" else ("cuda", "hip", "std", "c")
    arguments = ["-nostdinc", "-nostdinc++"]
    for folder in folders:
        arguments += ["-isystem", str(root / folder)]
    if language != "openmp":
        arguments += ["-include", "cq_prelude.h"]
    return tuple(arguments)
