"""Opcode counts of each basic block of a kernel, from the SASS that a compiler makes.

The counts are static: what one thread executes in one pass through a block, predicated
instructions included. Loops are natural loops of the control flow graph; subroutines (division
slow paths) stand apart. Needs a compiler and `nvdisasm`.

Example:
    python scripts/sass_oracle.py kernel.cu --arch sm_90 -- -Iinclude -DN=64
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import networkx as nx  # type: ignore[import-untyped]
from sass_text import Function, Instruction, parse_sass

from roofstat.instructions.tables.opcodes import OpcodeClass, classify

_FIELDS = {
    OpcodeClass.FP32: "fp32_flop",
    OpcodeClass.FP64: "fp64_flop",
    OpcodeClass.FP16: "fp16_flop",
    OpcodeClass.INTEGER: "int_op",
    OpcodeClass.SPECIAL: "special_op",
    OpcodeClass.CONVERSION: "conversion_op",
    OpcodeClass.BRANCH: "branch_op",
    OpcodeClass.TENSOR: "tensor_op",
    OpcodeClass.MEMORY: "memory_op",
}
_ENDS = frozenset({"BRA", "BRX", "BRXU", "JMP", "JMX", "EXIT", "RET", "CALL"})
_LABEL = re.compile(r"`\((?P<label>[^)]+)\)|BRANCH_TARGETS (?P<targets>[^\"]+)")
_NEVER = frozenset({"EXIT", "RET", "BRA", "BRX", "BRXU", "JMP", "JMX"})


@dataclass(slots=True, kw_only=True)
class Block:
    """One basic block; `subroutine` names the routine it belongs to, empty for the kernel."""

    instructions: list[Instruction]
    subroutine: str
    successors: list[int] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)

    @property
    def start(self) -> int:
        """Address of the first instruction."""
        return self.instructions[0].address


def targets_of(instruction: Instruction, function: Function) -> list[int]:
    """Addresses that a branch may go to."""
    found: list[int] = []
    for match in _LABEL.finditer(" ".join(instruction.operands)):
        names = [match["label"]] if match["label"] else re.split(r"[,\s]+", match["targets"])
        found += [function.labels[name] for name in names if name in function.labels]
    return found


def split_blocks(function: Function) -> dict[int, Block]:
    """Basic blocks by start address, with their successors."""
    leaders = {0, *function.labels.values()}
    previous_ends = False
    for instruction in function.instructions:
        if previous_ends:
            leaders.add(instruction.address)
        name = instruction.opcode.partition(".")[0]
        previous_ends = name in _ENDS
        if previous_ends:
            leaders.update(targets_of(instruction, function))
    routines = sorted((a, n) for n, a in function.labels.items() if "$" in n)
    blocks: dict[int, Block] = {}
    current: Block | None = None
    for instruction in function.instructions:
        if instruction.address in leaders or current is None:
            owner = [name for address, name in routines if address <= instruction.address]
            current = Block(instructions=[], subroutine=owner[-1] if owner else "")
            blocks[instruction.address] = current
        current.instructions.append(instruction)
    _connect(function, blocks)
    return blocks


def _connect(function: Function, blocks: dict[int, Block]) -> None:
    starts = sorted(blocks)
    names = {address: name for name, address in function.labels.items()}
    for position, start in enumerate(starts):
        block = blocks[start]
        last = block.instructions[-1]
        name = last.opcode.partition(".")[0]
        targets = targets_of(last, function)
        if name == "CALL":
            block.calls += [names.get(target, hex(target)) for target in targets]
        elif name in _ENDS:
            block.successors += [target for target in targets if target in blocks]
        conditional = bool(last.predicate) or _guarded(last)
        if (name not in _NEVER or conditional) and position + 1 < len(starts):
            block.successors.append(starts[position + 1])


def _guarded(instruction: Instruction) -> bool:
    """A branch with a predicate or a divergence test among its operands (`BRA P1, ...`)."""
    return instruction.opcode.startswith("BRA") and len(instruction.operands) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """A natural loop: all back edges to one header."""

    header: int
    body: frozenset[int]


def natural_loops(blocks: dict[int, Block]) -> list[Loop]:
    """Loops of the blocks that the entry reaches, innermost last."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(blocks)
    graph.add_edges_from((s, t) for s, block in blocks.items() for t in block.successors)
    entry = min(blocks)
    reached = graph.subgraph({entry, *nx.descendants(graph, entry)})
    parent = nx.immediate_dominators(reached, entry)

    def dominates(header: int, node: int) -> bool:
        while node != header:
            above = parent.get(node)
            if above is None or above == node:
                return False
            node = above
        return True

    bodies: dict[int, set[int]] = {}
    for source, header in reached.edges:
        if not dominates(header, source):
            continue
        body = bodies.setdefault(header, {header})
        stack = [source]
        while stack:
            node = stack.pop()
            if node not in body:
                body.add(node)
                stack += list(reached.predecessors(node))
    loops = [Loop(header=header, body=frozenset(body)) for header, body in bodies.items()]
    return sorted(loops, key=lambda loop: -len(loop.body))


def _is_filler(block: Block) -> bool:
    """Behind the code: NOPs and an endless branch to itself."""
    code = [i for i in block.instructions if i.opcode != "NOP"]
    return not code or (len(code) == 1 and block.successors == [block.start])


def counts_of(instructions: Sequence[Instruction]) -> dict[str, int]:
    """Counts by class of one pass."""
    counts: Counter[str] = Counter()
    for instruction in instructions:
        if instruction.opcode == "NOP":
            continue
        counted = classify(instruction.opcode, instruction.operands)
        counts["instructions"] += 1
        counts["predicated"] += bool(instruction.predicate)
        if counted.kind in _FIELDS:
            counts[_FIELDS[counted.kind]] += counted.amount
    return {name: counts[name] for name in (*_FIELDS.values(), "predicated", "instructions")}


def describe(function: Function) -> dict[str, object]:
    """JSON record of one kernel."""
    blocks = split_blocks(function)
    loops = natural_loops(blocks)
    records = []
    for start, block in sorted(blocks.items()):
        if _is_filler(block):
            continue
        around = [loop for loop in loops if start in loop.body]
        records.append(
            {
                "start": start,
                "subroutine": block.subroutine,
                "loop_depth": len(around),
                "loop_header": around[-1].header if around else None,
                "successors": sorted(block.successors),
                "calls": block.calls,
                **_positions([] if block.subroutine else block.instructions),
                **counts_of(block.instructions),
                "opcodes": dict(
                    sorted(Counter(i.opcode.partition(".")[0] for i in block.instructions).items())
                ),
            }
        )
    return {
        "kernel": function.name,
        "demangled": demangled(function.name),
        "blocks": records,
        "loops": [
            {
                "header": loop.header,
                "depth": sum(loop.body <= other.body for other in loops),
                "innermost": not any(other.body < loop.body for other in loops),
                "blocks": sorted(loop.body),
                **_positions([i for b in sorted(loop.body) for i in blocks[b].instructions]),
                **counts_of([i for b in sorted(loop.body) for i in blocks[b].instructions]),
            }
            for loop in loops
        ],
    }


def _positions(instructions: Sequence[Instruction]) -> dict[str, list[str] | list[int]]:
    """Source lines: `lines` as `file:line` of the innermost function, `kernel_lines` outermost."""
    inner = {f"{Path(i.file).name}:{i.line}" for i in instructions if i.line}
    outer = {i.outer_line for i in instructions if i.outer_line}
    return {"lines": sorted(inner), "kernel_lines": sorted(outer)}


def demangled(name: str) -> str:
    """Source-level name, or the mangled one where no `c++filt` is installed."""
    tool = shutil.which("c++filt")
    if tool is None:
        return name
    done = subprocess.run([tool, name], capture_output=True, text=True, check=False)
    return done.stdout.strip() or name


def compile_cubin(arguments: argparse.Namespace, folder: Path) -> Path:
    """Build the source with line information.

    Raises:
        SystemExit: the compiler failed.
    """
    cubin = folder / "out.cubin"
    if arguments.language == "openmp":
        command = [
            arguments.compiler,
            *("-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "--offload-device-only", "-c"),
            *("-O3", "-gline-tables-only", "-Xopenmp-target", f"-march={arguments.arch}"),
        ]
    elif "clang" in Path(arguments.compiler).name:
        command = [
            arguments.compiler,
            *("-x", "cuda", "--cuda-device-only", "-O3", "-gline-tables-only", "-c"),
            f"--cuda-gpu-arch={arguments.arch}",
        ]
    else:
        command = [arguments.compiler, "-cubin", "-lineinfo", "-O3", f"-arch={arguments.arch}"]
    command += [*arguments.flags, str(arguments.source), "-o", str(cubin)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    # Without device code in the source some compilers write nothing and call it success.
    if done.returncode != 0 or not cubin.exists():
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    return cubin


def disassemble(nvdisasm: str, cubin: Path) -> list[Function]:
    """Kernels of a cubin, with source lines.

    Raises:
        SystemExit: the disassembler failed.
    """
    done = subprocess.run(
        [nvdisasm, "-gi", "-c", str(cubin)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return [function for function in parse_sass(done.stdout) if function.instructions]


def parsed(
    parser: argparse.ArgumentParser, argv: Sequence[str] | None = None
) -> argparse.Namespace:
    """Arguments of a script that compiles and disassembles; the compiler's own, behind `--`, are `flags`."""
    parser.epilog = "compiler flags follow --"
    parser.add_argument("--compiler", default="nvcc", help="nvcc or a clang executable")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    given = list(sys.argv[1:] if argv is None else argv)
    split = given.index("--") if "--" in given else len(given)
    arguments = parser.parse_args(given[:split])
    arguments.flags = given[split + 1 :]
    for tool in (arguments.compiler, arguments.nvdisasm):
        if shutil.which(tool) is None:
            parser.error(f"{tool} not found")
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Print the records as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("source", type=Path, help="source, or a .cubin")
    parser.add_argument("--language", choices=("cuda", "openmp"), default="cuda")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--kernel", default="", help="only kernels whose name contains this")
    arguments = parsed(parser, argv)
    with tempfile.TemporaryDirectory() as folder:
        cubin = arguments.source
        if cubin.suffix != ".cubin":
            cubin = compile_cubin(arguments, Path(folder))
        functions = disassemble(arguments.nvdisasm, cubin)
    chosen = [f for f in functions if arguments.kernel in f.name]
    print(json.dumps([describe(function) for function in chosen], indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
