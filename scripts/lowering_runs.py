"""Instructions that kernels execute, the model against emulated SASS, without a GPU.

Each kernel of a case file says how it is launched and with what; the file is compiled, its SASS is executed for
some threads of the launch, and what a thread executes on average stands beside what the model counts. Trip counts,
unrolling, remainder loops and branches are in the numbers, which `lowering_table.py` leaves out. Threads run alone:
kernels whose control flow depends on other threads (shuffles, flags in shared memory) do not fit. Arrays are kept as
they are given; addresses that nothing wrote read as zero.

A case is a comment before its kernel. Formulas of arrays are arithmetic of `i` that C++ and Python agree on:

    // run: k <<<2x1,128>>> a=float[4096] b=int[4096]:i*7%64 n=100 s:float=1.5
    extern "C" __global__ void k(float* a, const int* b, int n, float s) ...

Example:
    python scripts/lowering_runs.py cases.cu --compiler nvcc --arch sm_90 --only k --lines
    python scripts/lowering_runs.py cases.cu --compiler clang++-18 --arch sm_86 -- --cuda-path=TOOLKIT
"""

from __future__ import annotations

import argparse
import math
import re
import struct
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sass_emulator import execute
from sass_machine import Binary, Machine, Thread, UnsupportedError, read_binary
from sass_oracle import compile_cubin, disassemble, parsed

import roofstat
from roofstat.instructions.tables.opcodes import OpcodeClass, classify
from roofstat.report import Compiler

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sass_text import Function

    from roofstat.report import Counts

GPU_OF_ARCH = {"sm_80": "a100", "sm_86": "rtx3080", "sm_90": "h100-sxm"}
ARGUMENTS_AT = {"sm_80": 0x160, "sm_86": 0x160, "sm_90": 0x210}
COUNTED = {OpcodeClass.INTEGER: "int", OpcodeClass.FP32: "fp32", OpcodeClass.FP64: "fp64"}
WITHIN = 0.2
_FIRST_ADDRESS = 0x7F0000000000
_FORMATS = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "unsigned": "I",
    "long": "q", "size_t": "Q", "float": "f", "double": "d",
}  # fmt: skip
_CASE = re.compile(
    r"^// run: (?P<name>\w+) <<<(?P<grid>[\dx]+),(?P<block>[\dx]+)>>>(?P<rest>.*)$",
    re.MULTILINE,
)
_ARRAY = re.compile(r"\w+=(?P<type>\w+)\[(?P<size>\d+)\](?::(?P<formula>\S+))?")
_SCALAR = re.compile(r"\w+(?::(?P<type>\w+))?=(?P<value>-?[\d.e-]+)")
_HOST_TYPES = {"uchar": "unsigned char", "ushort": "unsigned short", "long": "long long"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """An argument that points to `size` elements; element i is the formula's value."""

    type_name: str
    size: int
    formula: str

    def content(self) -> bytes:
        """Bytes of the array."""
        code = compile(self.formula, "formula", "eval")
        values = [eval(code, {"i": i}) for i in range(self.size)]  # noqa: S307
        if _FORMATS[self.type_name] not in "fd":
            values = [int(value) for value in values]
        return struct.pack(f"<{self.size}{_FORMATS[self.type_name]}", *values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """An argument by value."""

    type_name: str
    text: str

    def content(self) -> bytes:
        """Bytes of the value."""
        letter = _FORMATS[self.type_name]
        return struct.pack(f"<{letter}", float(self.text) if letter in "fd" else int(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A kernel with one launch."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[Array | Scalar, ...]

    def threads(self, count: int) -> Iterator[Thread]:
        """Some threads of the launch, the same in each run; all of them where there are no more."""
        sizes = (*self.block, *self.grid)
        total = math.prod(sizes)
        stride = max(total // count, 1) | 1
        for number in range(0, total, stride) if total > count else range(total):
            places = []
            rest = number
            for size in sizes:
                places.append(rest % size)
                rest //= size
            x, y, z, block_x, block_y, block_z = places
            yield Thread(
                grid=self.grid,
                block=self.block,
                block_index=(block_x, block_y, block_z),
                thread_index=(x, y, z),
            )

    def layout(self) -> tuple[bytes, dict[int, int]]:
        """Arguments in the constant bank, and global memory by byte."""
        bank = b""
        memory: dict[int, int] = {}
        address = _FIRST_ADDRESS
        for argument in self.arguments:
            content = argument.content()
            if isinstance(argument, Array):
                memory.update(zip(range(address, address + len(content)), content, strict=True))
                value = struct.pack("<Q", address)
                address += len(content) + 0x1FF & ~0xFF
            else:
                value = content
            bank += b"\0" * (-len(bank) % len(value)) + value
        return bank, memory

    def host_code(self) -> str:
        """A function that fills the arguments and launches the kernel."""
        lines = [f"void run_{self.name}() {{"]
        names = []
        for number, argument in enumerate(self.arguments):
            kind = _HOST_TYPES.get(argument.type_name, argument.type_name)
            name = f"v{number}"
            names.append(name)
            if isinstance(argument, Scalar):
                lines.append(f"  {kind} {name} = {argument.text};")
                continue
            size = argument.size
            lines += [
                f"  {kind} *h{number} = new {kind}[{size}], *{name};",
                f"  for (int i = 0; i < {size}; i++) h{number}[i] = {argument.formula};",
                f"  cudaMalloc(&{name}, {size} * sizeof({kind}));",
                f"  cudaMemcpy({name}, h{number}, {size} * sizeof({kind}), cudaMemcpyHostToDevice);",
            ]
        grid, block = (f"dim3({x}, {y}, {z})" for x, y, z in (self.grid, self.block))
        lines += [f"  {self.name}<<<{grid}, {block}>>>({', '.join(names)});", "}"]
        return "\n".join(lines)


def _extents(text: str) -> tuple[int, int, int]:
    parts = [int(part) for part in text.split("x")] + [1, 1]
    return parts[0], parts[1], parts[2]


def cases_of(text: str) -> list[Case]:
    """The cases of a file.

    Raises:
        SystemExit: an argument is neither an array nor a number.
    """
    found = []
    for match in _CASE.finditer(text):
        arguments: list[Array | Scalar] = []
        for part in match["rest"].split():
            if array := _ARRAY.fullmatch(part):
                formula = array["formula"] or "0"
                arguments.append(
                    Array(type_name=array["type"], size=int(array["size"]), formula=formula)
                )
            elif scalar := _SCALAR.fullmatch(part):
                arguments.append(Scalar(type_name=scalar["type"] or "int", text=scalar["value"]))
            else:
                raise SystemExit(f"{match['name']}: not understood: {part}")
        found.append(
            Case(
                name=match["name"],
                grid=_extents(match["grid"]),
                block=_extents(match["block"]),
                arguments=tuple(arguments),
            )
        )
    return found


def executed(
    function: Function, binary: Binary, case: Case, arch: str, threads: int
) -> tuple[Counter[str], Counter[tuple[int, str]], int]:
    """What the threads execute: by class, opcodes by source line; and how many threads were run."""
    totals: Counter[str] = Counter()
    lines: Counter[tuple[int, str]] = Counter()
    bank, memory = case.layout()
    chosen = list(case.threads(threads))
    for thread in chosen:
        machine = Machine(
            binary=binary,
            kernel=function.name,
            thread=thread,
            arguments=bank,
            arguments_at=ARGUMENTS_AT[arch],
        )
        machine.memories["global"] = dict(memory)
        for instruction in execute(function, machine):
            counted = classify(instruction.opcode, instruction.operands)
            if counted.kind in COUNTED:
                totals[COUNTED[counted.kind]] += counted.amount
            if counted.kind is OpcodeClass.INTEGER:
                lines[instruction.line, instruction.opcode] += 1
    return totals, lines, len(chosen)


def predicted(source: Path, arch: str, compiler: Compiler) -> dict[str, roofstat.KernelReport]:
    """Reports of the kernels of a file by name."""
    options = roofstat.AnalysisOptions(
        gpu=roofstat.load_gpu(GPU_OF_ARCH[arch]), compiler=compiler, timeout_s=None
    )
    return {kernel.name: kernel for kernel in roofstat.analyze_paths([source], options).kernels}


def _by_thread(counts: Counts, threads: int) -> dict[str, float]:
    """What the model counts for a thread, as far as it is known."""
    found = {"int": counts.int_op, "fp32": counts.sp_flop, "fp64": counts.dp_flop}
    return {key: value / threads for key, value in found.items() if value is not None}


def _row(name: str, model: Mapping[str, float], sass: Mapping[str, float]) -> str:
    parts = []
    for key, there in sass.items():
        if there or model.get(key):
            ratio = f"{model[key] / there:.2f}" if there and key in model else "-"
            parts.append(f"{key} {model.get(key, math.nan):.1f} of {there:.1f} ({ratio})")
    return f"{name}: {', '.join(parts)}"


def _by_line(
    report: roofstat.KernelReport,
    case: Case,
    lines: Mapping[tuple[int, str], float],
    text: Sequence[str],
) -> Iterator[str]:
    """Integer operations of a thread on each source line: the model's, SASS's, the line and its opcodes."""
    threads = math.prod((*case.grid, *case.block))
    model = {line.line: _by_thread(line.counts, threads).get("int", 0.0) for line in report.lines}
    for line in sorted(set(model) | {line for line, _ in lines}):
        names = {op: amount for (at, op), amount in lines.items() if at == line}
        ranked = sorted(names.items(), key=lambda item: -item[1])[:9]
        listed = ", ".join(f"{op} {amount:.3g}" for op, amount in ranked)
        source = text[line - 1].strip()[:60] if 0 < line <= len(text) else ""
        total = sum(names.values())
        yield f"  {line:5} {model.get(line, 0):8.2f} {total:8.2f}  {source}\n{'':26}{listed}"


def main(argv: Sequence[str] | None = None) -> int:
    """Compile, execute, predict and print one row for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", type=Path, nargs="+", help="CUDA sources with cases")
    parser.add_argument("--arch", default="sm_90", choices=GPU_OF_ARCH)
    parser.add_argument("--threads", type=int, default=12, help="threads to execute of each launch")
    parser.add_argument("--only", default="", help="regular expression for names of kernels")
    parser.add_argument("--lines", action="store_true", help="integer work by source line")
    options = parsed(parser, argv)
    is_clang = "clang" in Path(options.compiler).name
    compiler = Compiler.CLANG if is_clang else Compiler.NVCC
    ratios = []
    for file in options.files:
        text = file.read_text()
        wanted = [case for case in cases_of(text) if re.search(options.only, case.name)]
        with tempfile.TemporaryDirectory() as folder:
            hosts = [case.host_code() for case in wanted]
            calls = " ".join(f"run_{case.name}();" for case in wanted)
            source = Path(folder) / file.name
            source.write_text("\n".join([text, *hosts, f"int main() {{ {calls} }}", ""]))
            arguments = argparse.Namespace(
                compiler=options.compiler,
                language="cuda",
                arch=options.arch,
                flags=options.flags,
                source=source,
            )
            cubin = compile_cubin(arguments, Path(folder))
            functions = {f.name: f for f in disassemble(options.nvdisasm, cubin)}
            binary = read_binary(cubin.read_bytes())
            reports = predicted(source, options.arch, compiler)
        for case in wanted:
            if case.name not in reports:
                print(f"{case.name}: no report")
                continue
            function = functions[case.name]
            try:
                totals, lines, run = executed(function, binary, case, options.arch, options.threads)
            except UnsupportedError as error:
                print(f"{case.name}: not executed: {error}")
                continue
            sass = {key: totals[key] / run for key in COUNTED.values()}
            model = _by_thread(reports[case.name].counts, math.prod((*case.grid, *case.block)))
            print(_row(case.name, model, sass))
            if "int" in model and sass["int"]:
                ratios.append(model["int"] / sass["int"])
            if options.lines:
                by_thread = {key: amount / run for key, amount in lines.items()}
                print("\n".join(_by_line(reports[case.name], case, by_thread, text.splitlines())))
    within = sum(abs(ratio - 1) <= WITHIN for ratio in ratios)
    print(f"integer work of {within} of {len(ratios)} kernels within {WITHIN:.0%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
