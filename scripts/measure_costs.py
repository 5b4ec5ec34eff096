"""Measures what a compiler emits for every operator and math function.

Each operation is compiled alone, its SASS is executed for chosen arguments by `sass_emulator`, and
the instructions with a true guard are counted by the classes of `roofstat.instructions.tables.opcodes`;
the count of a baseline kernel (loads and stores alone) is taken off. Results go to
`roofstat/instructions/data/`. Needs a CUDA toolkit's `nvcc` or a clang with the NVPTX back end,
`ptxas` and `cuobjdump`.

Example:
    python scripts/measure_costs.py --compiler nvcc --arch sm_80 sm_86 sm_90 --write
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cost_cases import (
    FLOATS,
    Case,
    Sample,
    conversions,
    floating_operators,
    integer_operators,
)
from cost_cases_device import atomics, random_generators, warp_operations
from cost_cases_math import half_precision, intrinsics, library
from cost_cases_narrow import narrow_floats
from cost_cases_packed import packed_halves, packed_words
from cost_cases_ptx import ptx_instructions
from cost_kernels import (
    OPERAND_OFFSETS,
    RESULT_OFFSET,
    Built,
    Toolchain,
    baseline_key,
    baseline_names,
    build,
    find_toolchain,
    kernel_name,
)
from cost_tables import add_entries, is_measured, write_tables
from sass_emulator import run, shared_base
from sass_machine import Binary, UnsupportedError, read_binary
from sass_text import Function, Instruction
from sass_values import NARROW, bits_of, double_of, float_of, half_bits, half_of, signed, word_of

from roofstat.instructions.tables.opcodes import OpcodeClass, classify

_COUNTED = {
    OpcodeClass.FP32: "fp32",
    OpcodeClass.FP64: "fp64",
    OpcodeClass.FP16: "fp16",
    OpcodeClass.INTEGER: "int",
    OpcodeClass.SPECIAL: "special",
    OpcodeClass.CONVERSION: "conversion",
    OpcodeClass.BRANCH: "branch",
}
_FORMATS = {name.lower(): narrow for name, narrow in NARROW.items()}
# Frame of the kernel, the same in a case and in its baseline but for scheduling.
_FRAME = frozenset({"EXIT", "NOP"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Counts of one operation: mean over its ordinary arguments, and over its slow ones.

    Attributes:
        opcodes: Instructions behind `fast` by opcode, such as additions, multiplications and fused ones apart.
    """

    fast: Mapping[str, float]
    slow: Mapping[str, float] | None
    opcodes: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An operation that could not be measured, or whose emulated result is wrong."""

    case: Case
    text: str


def all_cases() -> list[Case]:
    """Every measured operation."""
    return [
        *floating_operators(),
        *integer_operators(),
        *conversions(),
        *library(),
        *intrinsics(),
        *half_precision(),
        *packed_halves(),
        *packed_words(),
        *narrow_floats(),
        *ptx_instructions(),
        *warp_operations(),
        *atomics(),
        *random_generators(),
    ]


def encode(kind: str, value: float) -> bytes:
    """Bytes of an operand."""
    if kind == "float":
        return struct.pack("<I", word_of(value))
    if kind == "double":
        return struct.pack("<Q", bits_of(value))
    if kind in ("half", "bfloat16"):
        return struct.pack("<H", half_bits(value, brain=kind == "bfloat16"))
    if kind in ("half2", "bfloat162"):
        bits = half_bits(value, brain=kind == "bfloat162")
        return struct.pack("<HH", bits, bits)
    size = _integer_bytes(kind)
    return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")


def _integer_bytes(kind: str) -> int:
    """Of `int32` and the like."""
    return int(kind.partition("int")[2]) // 8


def decode(kind: str, word: int) -> float:
    """Value of a stored result."""
    if kind == "float":
        return float_of(word)
    if kind == "double":
        return double_of(word)
    if kind in ("half", "bfloat16", "half2"):
        return half_of(word, brain=kind == "bfloat16")
    bits = 8 * _integer_bytes(kind)
    return signed(word, bits) if kind.startswith("int") else word & (1 << bits) - 1


def shared_memory(case: Case, sample: Sample) -> dict[int, bytes]:
    """Operands at their places, and a pseudo-random generator state behind them."""
    memory = {
        offset: encode(kind, value)
        for offset, kind, value in zip(OPERAND_OFFSETS, case.operands, sample, strict=False)
    }
    if case.device_state:
        state = 0x9E3779B9
        for offset in range(128, 192, 4):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            memory[offset] = state.to_bytes(4, "little")
    return memory


def counts_of(executed: Iterable[Instruction]) -> Counter[str]:
    """Executed instructions by class, FLOP for the floating classes."""
    counts: Counter[str] = Counter()
    for instruction in executed:
        name = instruction.opcode.partition(".")[0]
        if name in _FRAME or _sets_stack_pointer(instruction):
            continue
        counted = classify(instruction.opcode, instruction.operands)
        counts["instructions"] += 1
        if counted.kind in _COUNTED:
            counts[_COUNTED[counted.kind]] += counted.amount
    return counts


def opcodes_of(executed: Iterable[Instruction]) -> Counter[str]:
    """Executed instructions by opcode, without its modifiers."""
    names = (i.opcode.partition(".")[0] for i in executed if not _sets_stack_pointer(i))
    return Counter(name for name in names if name not in _FRAME)


def _sets_stack_pointer(instruction: Instruction) -> bool:
    """The kernel's first instruction, a MOV or an IMAD.MOV as the scheduler likes."""
    operands = instruction.operands
    return len(operands) > 1 and operands[0] == "R1" and operands[-1].startswith("c[0x0]")


def _mean(
    function: Function,
    baseline: Function,
    binary: Binary,
    case: Case,
    samples: Sequence[Sample],
    count: Callable[[Iterable[Instruction]], Counter[str]] = counts_of,
) -> dict[str, float]:
    total: Counter[str] = Counter()
    for sample in samples:
        memory = shared_memory(case, sample)
        executed, _ = run(function, binary, memory)
        total.update(count(executed))
        base, _ = run(baseline, binary, memory)
        total.subtract(count(base))
    return {k: max(v / len(samples), 0.0) for k, v in sorted(total.items()) if v > 0}


def check_value(function: Function, binary: Binary, case: Case, *, fast: bool) -> Iterator[str]:
    """Differences between the emulated and the expected results."""
    if case.value is None or case.result is None:
        return
    tolerance = 2e-2 if fast else {"double": 1e-9, "float": 2e-5}.get(case.result, 0)
    if case.result == "double" and "float" in case.operands:
        tolerance = 1e-6
    for sample in case.samples:
        _, machine = run(function, binary, shared_memory(case, sample))
        size = 8 if "64" in case.result or case.result == "double" else 4
        got = decode(
            case.result, machine.load("shared", shared_base(function) + RESULT_OFFSET, size)
        )
        names = dict(zip("abc", _as_stored(case, sample), strict=False))
        expected = eval(case.value, {"math": math, **_FORMATS}, names)  # noqa: S307
        if not math.isclose(got, expected, rel_tol=tolerance, abs_tol=tolerance):
            yield f"{case.function}({sample}) of {case.scalar}: {got}, expected {expected}"


def _as_stored(case: Case, sample: Sample) -> list[float]:
    """Operands after rounding to their types."""
    return [
        decode(kind, int.from_bytes(encode(kind, value), "little"))
        if kind in FLOATS or kind == "half"
        else int(value)
        for kind, value in zip(case.operands, sample, strict=True)
    ]


def measure(
    cases: Sequence[Case], built: Built, *, fast: bool
) -> tuple[dict[tuple[str, str], Measured], list[Problem]]:
    """Counts of every case of a build, and what went wrong."""
    binary = read_binary(built.image)
    baselines = baseline_names(cases)
    results: dict[tuple[str, str], Measured] = {}
    problems: list[Problem] = []
    for index, case in enumerate(cases):
        if index in built.refused:
            continue
        function = built.functions[kernel_name(index)]
        baseline = built.functions[baselines[baseline_key(case)]]
        try:
            fast_path = _mean(function, baseline, binary, case, case.samples)
            slow = _mean(function, baseline, binary, case, case.slow) if case.slow else None
            opcodes = _mean(function, baseline, binary, case, case.samples, opcodes_of)
            problems += [
                Problem(case=case, text=text)
                for text in check_value(function, binary, case, fast=fast)
            ]
        except (UnsupportedError, KeyError, ValueError, IndexError, OverflowError) as error:
            problems.append(Problem(case=case, text=f"{type(error).__name__}: {error}"))
            continue
        if slow == fast_path:
            slow = None
        results[case.function, case.scalar] = Measured(fast=fast_path, slow=slow, opcodes=opcodes)
    return results, problems


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--compiler", choices=("nvcc", "clang"), default="nvcc")
    parser.add_argument("--command", help="compiler executable")
    parser.add_argument("--cuda", type=Path, help="toolkit for clang")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("--include", type=Path, action="append", default=[])
    parser.add_argument("--arch", nargs="+", default=["sm_80", "sm_86", "sm_90"])
    parser.add_argument("--work", type=Path, help="keep sources and listings here")
    parser.add_argument("--only", help="one function, printed as JSON lines")
    parser.add_argument("--add", action="store_true", help="measure what the data files lack")
    parser.add_argument("--write", action="store_true", help="write the data files")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, report problems on standard error, write the tables when asked."""
    arguments = _arguments(argv)
    toolchain = find_toolchain(
        arguments.compiler,
        command=arguments.command,
        cuda=arguments.cuda,
        cuobjdump=arguments.cuobjdump,
        includes=arguments.include,
    )
    if toolchain is None or shutil.which(arguments.cuobjdump) is None:
        print(f"{arguments.compiler} or {arguments.cuobjdump} not found", file=sys.stderr)
        return 2
    cases = [c for c in all_cases() if arguments.only in (None, c.function)]
    target = Path(__file__).resolve().parent.parent / "roofstat" / "instructions" / "data"
    if arguments.add:
        cases = [c for c in cases if not is_measured(target, toolchain, c.function, c.scalar)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        tables = _measure_all(cases, toolchain, arguments.arch, folder)
    if arguments.only:
        for (architecture, fast), table in tables.items():
            for (function, scalar), measured in table.items():
                row = {"architecture": architecture, "fast_math": fast, "function": function}
                row |= {"scalar": scalar, "fast": measured.fast, "slow": measured.slow}
                row |= {"opcodes": measured.opcodes}
                print(json.dumps(row))
    if arguments.write:
        write_tables(target, toolchain, tables, dt.datetime.now(tz=dt.UTC).date())
    if arguments.add:
        add_entries(target, toolchain, tables)
    return 0


def _measure_all(
    cases: Sequence[Case], toolchain: Toolchain, architectures: Sequence[str], folder: Path
) -> dict[tuple[str, bool], dict[tuple[str, str], Measured]]:
    tables = {}
    for architecture in architectures:
        for fast in (False, True):
            built = build(cases, toolchain, architecture, folder, fast=fast)
            results, problems = measure(cases, built, fast=fast)
            tables[architecture, fast] = results
            refused = [f"{cases[i].function}/{cases[i].scalar}" for i in built.refused]
            print(
                f"{toolchain.version} {architecture} fast_math={fast}: {len(results)} measured, "
                f"not offered: {' '.join(refused) or 'none'}",
                file=sys.stderr,
            )
            for problem in problems:
                print(
                    f"  {problem.case.function}/{problem.case.scalar}: {problem.text}",
                    file=sys.stderr,
                )
    return tables


if __name__ == "__main__":
    raise SystemExit(main())
