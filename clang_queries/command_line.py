"""What a user passes to a compiler, as one frozen record, and what libclang needs to be told for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from pathlib import PurePath

from clang_queries.quick_dataclass import dataclass


class Language(Enum):
    """How a source is read."""

    CUDA = "cuda"
    HIP = "hip"
    OPENMP = "openmp"


_CUDA_SUFFIXES = frozenset({".cu", ".cuh"})
_HIP_SUFFIXES = frozenset({".hip"})
_C_SUFFIXES = frozenset({".c"})
_NEWEST_KNOWN_ARCHITECTURE = 90
"""libclang 18 refuses what is newer; later architectures are parsed as this one with their `__CUDA_ARCH__`."""
_OLDEST_KNOWN_ARCHITECTURE = 50
_USUAL_WARP_SIZE = 32
_OPENMP_VERSION = 201811
_CUDA_VERSION = (12, 6)


def language_of(path: str) -> Language:
    """The language that a file name suggests; C and C++ files are read as OpenMP."""
    suffix = PurePath(path).suffix.lower()
    if suffix in _CUDA_SUFFIXES:
        return Language.CUDA
    if suffix in _HIP_SUFFIXES:
        return Language.HIP
    return Language.OPENMP


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """Flags that change what the source means or what a compiler makes of it.

    Attributes:
        language: None takes it from the file name.
        standard: for example ``c++17``; empty takes the compiler's default.
        defines: ``NAME`` or ``NAME=VALUE``.
        gpu_architecture: for example ``sm_80``.
        warp_size: threads of a warp, as `warpSize` tells them.
        system_headers: use the headers of the machine instead of the bundled ones.
        optimisation: the level behind ``-O``.
        fast_math: ``-use_fast_math`` or ``-ffast-math``.
        fuse_multiply_add: whether contraction into FMA is allowed (``--fmad``).
        max_registers: ``-maxrregcount``, None without.
        device_debug: ``-G``: device code is not optimised.
        extra_flags: handed to libclang as they are.
        precompiled_directory: where the precompiled prelude is kept; empty: it is not precompiled.
        likely_instances: whether kernel templates of the file that nothing instantiates are read as the instances that they are
            most likely meant for.
    """

    language: Language | None = None
    standard: str = ""
    include_directories: tuple[str, ...] = ()
    quote_directories: tuple[str, ...] = ()
    system_directories: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    gpu_architecture: str = "sm_80"
    warp_size: int = 32
    system_headers: bool = False
    optimisation: str = "3"
    fast_math: bool = False
    fuse_multiply_add: bool = True
    max_registers: int | None = None
    device_debug: bool = False
    extra_flags: tuple[str, ...] = ()
    precompiled_directory: str = ""
    likely_instances: bool = False

    @property
    def search_directories(self) -> tuple[str, ...]:
        """Where includes are looked up besides the folder of the including file and the bundled headers."""
        return (*self.quote_directories, *self.include_directories, *self.system_directories)

    def language_for(self, path: str) -> Language:
        """The language of a file under these options."""
        return self.language or language_of(path)


_NO_BUILTINS = tuple(
    f"-fno-builtin-std-{name}"
    for name in (
        "move",
        "move_if_noexcept",
        "forward",
        "forward_like",
        "as_const",
        "addressof",
        "__addressof",
    )
)
"""Clang never instantiates the bodies of these, which device code calls like any other function."""


def is_c(path: str, options: ParseOptions) -> bool:
    """Whether a file is read as C; with a C++ standard, a C++ compiler is used."""
    is_host = options.language_for(path) is Language.OPENMP
    return is_host and PurePath(path).suffix in _C_SUFFIXES and "++" not in options.standard


def clang_arguments(options: ParseOptions, path: str) -> tuple[str, ...]:
    """The arguments for libclang, without those of the bundled headers."""
    return (*language_arguments(options, path), *_user_arguments(options))


def language_arguments(options: ParseOptions, path: str) -> tuple[str, ...]:
    """Those of the arguments on which the meaning of the bundled headers depends."""
    language = options.language_for(path)
    arguments = [
        "-ferror-limit=0",
        "-Wno-everything",
        "-fbracket-depth=4096",
        "-ftemplate-depth=1024",
        f"-O{options.optimisation}",
        *_NO_BUILTINS,
    ]
    if language is Language.OPENMP:
        in_c = is_c(path, options)
        standard = options.standard or ("gnu17" if in_c else "gnu++17")
        arguments += ["-x", "c" if in_c else "c++", f"-std={standard}"]
        arguments.append(f"-D_OPENMP={_OPENMP_VERSION}")
    else:
        arguments += ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib"]
        arguments += _architecture_arguments(options.gpu_architecture)
        arguments.append(f"-std={options.standard or 'gnu++17'}")
        if options.warp_size != _USUAL_WARP_SIZE:
            arguments.append(f"-DCQ_WARP_SIZE={options.warp_size}")
        if language is Language.CUDA:
            arguments += [
                "-D__CUDACC__=1",
                "-D__NVCC__=1",
                f"-D__CUDACC_VER_MAJOR__={_CUDA_VERSION[0]}",
                f"-D__CUDACC_VER_MINOR__={_CUDA_VERSION[1]}",
            ]
    if options.fast_math:
        arguments += ["-D__FAST_MATH__=1", "-D__USE_FAST_MATH__=1"]
    return tuple(arguments)


def _user_arguments(options: ParseOptions) -> list[str]:
    arguments = [f"-D{define}" for define in options.defines]
    arguments += [f"-U{name}" for name in options.undefines]
    arguments += [f"-I{directory}" for directory in options.include_directories]
    for directory in options.quote_directories:
        arguments += ["-iquote", directory]
    for directory in options.system_directories:
        arguments += ["-isystem", directory]
    arguments += options.extra_flags
    for header in options.forced_includes:
        arguments += ["-include", header]
    return arguments


def _architecture_arguments(architecture: str) -> list[str]:
    match = re.fullmatch(r"(?:sm|compute|lto)_(\d+)([af]?)", architecture)
    if match is None:
        return ["--cuda-gpu-arch=sm_80"]
    number = int(match[1])
    known = min(max(number, _OLDEST_KNOWN_ARCHITECTURE), _NEWEST_KNOWN_ARCHITECTURE)
    suffix = "a" if match[2] == "a" and number == _NEWEST_KNOWN_ARCHITECTURE else ""
    supported = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}
    parsed_as = max(value for value in supported if value <= known)
    arguments = [f"--cuda-gpu-arch=sm_{parsed_as}{suffix}"]
    if parsed_as != number:
        arguments += ["-U__CUDA_ARCH__", f"-D__CUDA_ARCH__={number * 10}"]
    return arguments


_TAKES_VALUE = frozenset(
    {
        "-o", "--output-file", "-ccbin", "--compiler-bindir", "-Xptxas", "--ptxas-options", "-Xlinker", "-Xnvlink",
        "-Xarchive", "-MF", "-MT", "-MQ", "-mllvm", "-include-pch", "-Xarch_host", "-Xcuda-ptxas", "-Xcuda-fatbinary", "-Xoffload-linker", "-L", "-l", "-target", "--target", "-code",
        "--gpu-code", "-t", "--threads", "-rdc", "--relocatable-device-code", "-default-stream", "-T", "-odir",
        "-Xfatbin", "-Xassembler", "-isysroot", "--sysroot", "-dumpdir", "-Xcudafe",
        "-dopt", "-diag-suppress", "-ptxas-path",
    }
)  # fmt: skip
_ARCHITECTURE_FLAGS = (
    "-arch", "--gpu-architecture", "--cuda-gpu-arch", "--offload-arch", "-gencode", "--generate-code",
)  # fmt: skip
_HOST_FLAG_HOLDERS = frozenset({"-Xcompiler", "--compiler-options"})
_FRONT_END = "-Xclang"
_FALSE = frozenset({"false", "0", "no", "off"})


def parse_command_line(
    arguments: Sequence[str], options: ParseOptions | None = None
) -> tuple[ParseOptions, tuple[str, ...]]:
    """Reads flags in the spelling of nvcc, clang or hipcc; what does not change the analysis is dropped.

    Args:
        arguments: without the name of the compiler.
        options: what the flags are added to.

    Returns:
        The options, and the arguments that are no flags (sources).

    Example:
        >>> options, sources = parse_command_line(["-arch=sm_90", "-DN=4", "-c", "k.cu"])
        >>> options.gpu_architecture, options.defines, sources
        ('sm_90', ('N=4',), ('k.cu',))
    """
    reader = _Reader(options or ParseOptions())
    reader.read(list(arguments))
    return reader.finish(), tuple(reader.sources)


class _Reader:
    """Collects flags in their order; lives for one command line."""

    def __init__(self, options: ParseOptions) -> None:
        self.options = options
        self.sources: list[str] = []
        self.lists: dict[str, list[str]] = {
            name: list(getattr(options, name))
            for name in (
                "include_directories", "quote_directories", "system_directories", "defines", "undefines",
                "forced_includes",
            )
        }  # fmt: skip
        self.architectures: list[int] = []
        self.values: dict[str, object] = {}

    def finish(self) -> ParseOptions:
        """The options with everything read."""
        if self.architectures:
            self.values["gpu_architecture"] = f"sm_{max(self.architectures)}"
        lists = {name: tuple(values) for name, values in self.lists.items()}
        return replace(self.options, **lists, **self.values)  # type: ignore[arg-type]

    def read(self, arguments: list[str]) -> None:
        """Reads every argument in turn; those behind `-Xclang` are such as others, each with a flag of its own."""
        arguments = [word for word in arguments if word != _FRONT_END]
        position = 0
        while position < len(arguments):
            position += self._read_one(arguments, position)

    def _read_one(self, arguments: list[str], position: int) -> int:
        argument = arguments[position]
        following = arguments[position + 1] if position + 1 < len(arguments) else ""
        if argument in _TAKES_VALUE:
            return 2
        for flag, name in _LIST_FLAGS:
            if argument == flag:
                self.lists[name].append(following)
                return 2
            if argument.startswith(flag):
                self.lists[name].append(argument[len(flag) :].removeprefix("="))
                return 1
        flag, _, value = argument.partition("=")
        if flag in _HOST_FLAG_HOLDERS:
            self.read([part for part in re.split(r"[,\s]+", value or following) if part])
            return 1 if value else 2
        if flag in _ARCHITECTURE_FLAGS:
            numbers = re.findall(r"(?:sm|compute|lto)_(\d+)", argument if value else following)
            self.architectures += [int(number) for number in numbers]
            return 1 if value else 2
        if flag in {"-x", "--x"}:
            self._read_language(value or following)
            return 1 if value else 2
        if flag in {"-std", "--std"}:
            self.values["standard"] = value or following
            return 1 if value else 2
        if flag in {"-maxrregcount", "--maxrregcount"}:
            count = value or following
            self.values["max_registers"] = int(count) if count.isdigit() else None
            return 1 if value else 2
        if flag in {"-fmad", "--fmad"}:
            self.values["fuse_multiply_add"] = (value or following).lower() not in _FALSE
            return 1 if value else 2
        if self._read_toggle(argument):
            return 1
        if not argument.startswith("-") and argument:
            self.sources.append(argument)
        return 1

    def _read_toggle(self, argument: str) -> bool:
        if argument in {"-use_fast_math", "--use_fast_math", "-ffast-math", "-Ofast"}:
            self.values["fast_math"] = True
            return True
        if argument == "-ffp-contract=off":
            self.values["fuse_multiply_add"] = False
            return True
        if argument in {"-G", "--device-debug"}:
            self.values["device_debug"] = True
            return True
        match = re.fullmatch(r"-O([0-3sgz]?)", argument)
        if match is not None:
            self.values["optimisation"] = match[1] or "1"
            return True
        return False

    def _read_language(self, name: str) -> None:
        known = {"cu": Language.CUDA, "cuda": Language.CUDA, "hip": Language.HIP}
        self.values["language"] = known.get(name, Language.OPENMP)


_LIST_FLAGS = (
    ("--include-path", "include_directories"),
    ("-isystem", "system_directories"),
    ("--system-include", "system_directories"),
    ("-cxx-isystem", "system_directories"),
    ("-idirafter", "system_directories"),
    ("-iquote", "quote_directories"),
    ("-imacros", "forced_includes"),
    ("--pre-include", "forced_includes"),
    ("-include", "forced_includes"),
    ("--define-macro", "defines"),
    ("--undefine-macro", "undefines"),
    ("-I", "include_directories"),
    ("-D", "defines"),
    ("-U", "undefines"),
)
