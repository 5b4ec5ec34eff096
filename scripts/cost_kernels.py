"""Turns cases into one CUDA file and builds it with nvcc or clang."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cost_cases import C_TYPES, Case
from sass_text import Function, parse_sass

# Byte offsets in the thread's slice of shared memory. Its address costs the same in a case and in
# its baseline, and a load with an immediate offset needs no integer instruction.
OPERAND_OFFSETS = (0, 8, 16, 24)
RESULT_OFFSET = 32
RESULT2_OFFSET = 40
SLICE_BYTES = 256

_CARRIER = {
    "half": "unsigned short",
    "bfloat16": "unsigned short",
    "half2": "unsigned int",
    "bfloat162": "unsigned int",
}
_WRAP = {
    "half": "__ushort_as_half({})",
    "bfloat16": "__ushort_as_bfloat16({})",
    "half2": "as_half2({})",
    "bfloat162": "as_bfloat162({})",
}
_UNWRAP = {
    "half": "__half_as_ushort({})",
    "bfloat16": "__bfloat16_as_ushort({})",
    "half2": "as_word({})",
    "bfloat162": "as_word({})",
}

_PRELUDE = """\
#include <cmath>
#include <cuda_fp16.h>
{includes}
#define V(q) (*(volatile unsigned int*)(q))
extern __shared__ double slices[];
static __device__ __forceinline__ __half2 as_half2(unsigned int w) {{
  __half2 h; *(unsigned int*)&h = w; return h; }}
static __device__ __forceinline__ unsigned int as_word(__half2 h) {{ return *(unsigned int*)&h; }}
"""
_BFLOAT16_PRELUDE = """\
static __device__ __forceinline__ __nv_bfloat162 as_bfloat162(unsigned int w) {
  __nv_bfloat162 h; *(unsigned int*)&h = w; return h; }
static __device__ __forceinline__ unsigned int as_word(__nv_bfloat162 h) {
  return *(unsigned int*)&h; }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """A compiler with its flags, and how to disassemble what it makes.

    Attributes:
        name: `nvcc` or `clang`.
        command: executable.
        version: as the compiler reports it.
        flags: always given.
        fast_flags: given for fast math.
        includes: folders with further headers.
        cuobjdump: disassembler.
        assembler: version of `ptxas`, which turns PTX into SASS.
    """

    name: str
    command: str
    version: str
    flags: tuple[str, ...]
    fast_flags: tuple[str, ...]
    includes: tuple[Path, ...]
    cuobjdump: str
    assembler: str

    def compile_line(
        self, source: Path, cubin: Path, architecture: str, *, fast: bool
    ) -> list[str]:
        """The command that builds `cubin`."""
        includes = [f"-I{folder}" for folder in self.includes]
        extra = [*self.flags, *(self.fast_flags if fast else ()), *includes]
        if self.name == "nvcc":
            return [
                self.command,
                "-cubin",
                f"-arch={architecture}",
                *extra,
                str(source),
                "-o",
                str(cubin),
            ]
        return [
            self.command,
            "--cuda-device-only",
            f"--cuda-gpu-arch={architecture}",
            *extra,
            "-c",
            str(source),
            "-o",
            str(cubin),
        ]


class BuildError(RuntimeError):
    """A compiler or disassembler failed on more than single cases."""


def body_of(case: Case, statements: str | None) -> str:
    """Kernel body of a case (or of its baseline when `statements` is `None`)."""
    lines = ["volatile char* p = (volatile char*)slices + threadIdx.x * " + f"{SLICE_BYTES};"]
    for letter, kind, offset in zip("abcd", case.operands, OPERAND_OFFSETS, strict=False):
        carrier = _CARRIER.get(kind, C_TYPES[kind])
        load = f"*(volatile {carrier}*)(p + {offset})"
        lines.append(f"{C_TYPES[kind]} {letter} = {_WRAP.get(kind, '{}').format(load)};")
    if case.result:
        lines.append(f"{C_TYPES[case.result]} r;")
    if case.result2:
        lines.append(f"{C_TYPES[case.result2]} r2;")
    lines.append(statements if statements is not None else _neutral(case))
    for output, name, offset in (
        (case.result, "r", RESULT_OFFSET),
        (case.result2, "r2", RESULT2_OFFSET),
    ):
        if output:
            carrier = _CARRIER.get(output, C_TYPES[output])
            value = _UNWRAP.get(output, "{}").format(name)
            lines.append(f"*(volatile {carrier}*)(p + {offset}) = {value};")
    return "\n  ".join(lines)


def _neutral(case: Case) -> str:
    """Statements of a baseline: the results without the operation."""
    parts = []
    for kind, name in ((case.result, "r"), (case.result2, "r2")):
        if kind is None:
            continue
        if case.operands and kind == case.operands[0]:
            parts.append(f"{name} = a;")
        elif kind in _WRAP:
            parts.append(f"{name} = {_WRAP[kind].format('0')};")
        else:
            parts.append(f"{name} = ({C_TYPES[kind]})0;")
    return " ".join(parts)


def baseline_key(case: Case) -> str:
    """Cases with one key share a baseline."""
    if case.subtract is not None:
        return f"own {case.function} {case.scalar}"
    return f"{case.operands} {case.result} {case.result2}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """Functions of one build by kernel name, and the binary they stand in."""

    functions: dict[str, Function]
    image: bytes
    refused: tuple[int, ...]


def kernel_name(index: int) -> str:
    """Name of the kernel of the case with this index."""
    return f"case_{index:04d}"


def baseline_names(cases: Sequence[Case]) -> dict[str, str]:
    """Baseline key to kernel name."""
    keys = dict.fromkeys(baseline_key(case) for case in cases)
    return {key: f"base_{number:04d}" for number, key in enumerate(keys)}


def source_of(cases: Sequence[Case], skip: frozenset[int], *, bfloat16: bool) -> str:
    """The CUDA file with every case (one line each, so that errors name their case)."""
    includes = ["#include <cuda_bf16.h>", "#include <cuda_fp8.h>"] if bfloat16 else []
    if any(case.device_state for case in cases):
        includes.append("#include <curand_kernel.h>")
    parts = [_PRELUDE.format(includes="\n".join(includes))]
    if bfloat16:
        parts.append(_BFLOAT16_PRELUDE)
    names = baseline_names(cases)
    written: set[str] = set()
    for index, case in enumerate(cases):
        if index in skip:
            continue
        key = baseline_key(case)
        if key not in written:
            written.add(key)
            parts.append(_kernel(names[key], body_of(case, case.subtract)))
        parts.append(_kernel(kernel_name(index), body_of(case, case.body)))
    return "\n".join(parts) + "\n"


def _kernel(name: str, body: str) -> str:
    flat = body.replace("\n", " ")
    return f'extern "C" __global__ void {name}(void* g) {{ {flat} }}'


def build(
    cases: Sequence[Case], toolchain: Toolchain, architecture: str, folder: Path, *, fast: bool
) -> Built:
    """Compile and disassemble; cases that the compiler rejects are left out and reported.

    Raises:
        BuildError: the compiler failed for another reason than single cases.
    """
    skip = {i for i, case in enumerate(cases) if toolchain.name not in case.compilers}
    mode = "fast" if fast else "precise"
    stem = folder / f"{toolchain.name}_{architecture}_{mode}"
    source, cubin = stem.with_suffix(".cu"), stem.with_suffix(".cubin")
    for _attempt in range(8):
        text = source_of(cases, frozenset(skip), bfloat16=toolchain.name == "nvcc")
        source.write_text(text, encoding="utf-8")
        command = toolchain.compile_line(source, cubin, architecture, fast=fast)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        refused = _refused(done.stderr, source, text)
        if not refused - skip:
            raise BuildError(f"{' '.join(command)}\n{done.stderr[:4000]}")
        skip |= refused
    else:
        raise BuildError(f"{toolchain.name} {architecture}: errors remain after eight attempts")
    listing = subprocess.run(
        [toolchain.cuobjdump, "-sass", str(cubin)], capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        raise BuildError(listing.stderr)
    stem.with_suffix(".sass").write_text(listing.stdout, encoding="utf-8")
    functions = {function.name: function for function in parse_sass(listing.stdout)}
    return Built(functions=functions, image=cubin.read_bytes(), refused=tuple(sorted(skip)))


def _refused(errors: str, source: Path, text: str) -> set[int]:
    """Indices of the cases on the lines that the compiler complains about."""
    lines = text.splitlines()
    found = set()
    for match in re.finditer(rf"{re.escape(source.name)}[:(](\d+)[:)]?.*?error", errors):
        kernel = re.search(r"void case_(\d+)", lines[int(match[1]) - 1])
        if kernel:
            found.add(int(kernel[1]))
    return found


def find_toolchain(
    name: str, *, command: str | None, cuda: Path | None, cuobjdump: str, includes: Sequence[Path]
) -> Toolchain | None:
    """The compiler on this machine, or `None`."""
    executable = command or shutil.which("nvcc" if name == "nvcc" else "clang-19")
    if executable is None:
        return None
    report = subprocess.run([executable, "--version"], capture_output=True, text=True, check=True)
    if name == "nvcc":
        match = re.search(r"release [\d.]+, V([\d.]+)", report.stdout)
        return Toolchain(
            name=name,
            command=executable,
            version=f"nvcc {match[1] if match else 'unknown'}",
            flags=("-O3", "-std=c++17", "-w"),
            fast_flags=("-use_fast_math",),
            includes=tuple(includes),
            cuobjdump=cuobjdump,
            assembler=_assembler("ptxas"),
        )
    match = re.search(r"clang version ([\d.]+)", report.stdout)
    path = (f"--cuda-path={cuda}",) if cuda else ()
    return Toolchain(
        name=name,
        command=executable,
        version=f"clang {match[1] if match else 'unknown'}",
        flags=("-O3", "-std=c++17", "-w", "-x", "cuda", *path),
        fast_flags=("-ffast-math", "-fgpu-flush-denormals-to-zero"),
        includes=tuple(includes),
        cuobjdump=cuobjdump,
        assembler=_assembler(str(cuda / "bin" / "ptxas") if cuda else "ptxas"),
    )


def _assembler(command: str) -> str:
    try:
        done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return "ptxas unknown"
    match = re.search(r"V([\d.]+)", done.stdout)
    return f"ptxas {match[1] if match else 'unknown'}"
