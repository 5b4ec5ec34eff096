r"""Integer and floating-point instructions of loop bodies and straight-line kernels, the model against SASS.

Compiles the programs of a label table (or single files), pairs the bodies of each kernel or target region with the
model's and says how many are within 20 %. Kernels count equally, however many bodies or template instances they have.
Compilers differ by version: rows of a label table say theirs (`clang-18`: `--compiler clang++-18`).
Target regions need clang and, among its flags, the device run time (`--libomptarget-nvptx-bc-path`) and `omp.h`.

Example:
    python scripts/lowering_table.py --labels labels.csv --sources DIR --compiler nvcc --arch sm_90
    python scripts/lowering_table.py --compiler clang++-19 --arch sm_86 --worst 20 own.cu -- --cuda-path=TOOLKIT
    python scripts/lowering_table.py --labels labels.csv --sources DIR --language openmp --compiler clang++-19 \
        --arch sm_86 -- --cuda-path=TOOLKIT --libomptarget-nvptx-bc-path=libomptarget-nvptx-sm_86.bc
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lowering_bodies import Pair, model_bodies, pairs, sass_bodies
from sass_oracle import compile_cubin, disassemble, parsed

from clang_queries.command_line import ParseOptions, parse_command_line
from clang_queries.errors import ClangQueriesError
from clang_queries.unit import lower_unit
from roofstat.instructions.model import CompilerFlags
from roofstat.instructions.tables.costs import Compiler
from roofstat.program.link import link
from roofstat.program.lowering import lower_host_function, lower_kernel
from roofstat.program.openmp import region_functions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from roofstat.program.code import Code
    from roofstat.program.link import Program

KINDS = ("int", "fp32", "fp64")
WITHIN = 0.2


_REGION = re.compile(r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(?P<region>.+_l\d+(?:_\d+)?)")
"""Entry point of a target region: device and file number, then function and line."""


def programs(labels: Path, sources: Path, language: str) -> Iterator[tuple[str, Path, list[str]]]:
    """Name, source and flags of each translation unit of a label table in one language."""
    seen = set()
    with labels.open(newline="") as table:
        for row in csv.DictReader(table):
            for source in row["sources"].split(";"):
                path = sources / source
                if row["language"] != language or path in seen or not path.exists():
                    continue
                seen.add(path)
                yield row["program"], path, absolute(shlex.split(row["flags"]), sources)


def absolute(flags: Sequence[str], sources: Path) -> list[str]:
    """Flags with include folders that do not depend on the working directory."""
    return [f"-I{sources / flag[2:]}" if flag.startswith("-I") else flag for flag in flags]


def compare(name: str, source: Path, flags: list[str], options: argparse.Namespace) -> list[Pair]:
    """Pairs of bodies of all kernels of one file; none where it does not compile."""
    arguments = argparse.Namespace(
        compiler=options.compiler,
        language=options.language,
        arch=options.arch,
        flags=[*flags, *options.flags],
        source=source,
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            cubin = built(arguments, Path(folder), options.keep)
            functions = {
                _name(function.name): function for function in disassemble(options.nvdisasm, cubin)
            }
    except SystemExit:
        print(f"{source}: not compiled", file=sys.stderr)
        return []
    parse, _ = parse_command_line(flags, ParseOptions())
    try:
        unit = lower_unit(str(source), replace(parse, gpu_architecture=options.arch))
    except ClangQueriesError as error:
        print(f"{source}: {error}", file=sys.stderr)
        return []
    compiler = Compiler.CLANG if "clang" in Path(options.compiler).name else Compiler.NVCC
    wanted = CompilerFlags(fast_math=parse.fast_math, fmad=parse.fuse_multiply_add)
    found: list[Pair] = []
    program = link([unit])
    program.is_clang = compiler is Compiler.CLANG
    for title, symbol, code in entry_points(program):
        sass = functions.get(symbol)
        if sass is not None:
            model = model_bodies(code, compiler, options.arch, wanted)
            found += pairs(f"{name}:{title}", model, sass_bodies(sass))[0]
    return found


def built(arguments: argparse.Namespace, folder: Path, keep: Path | None) -> Path:
    """The compiled source, from where earlier runs kept it or compiled now.

    Raises:
        SystemExit: the compiler failed, now or in the run that kept its failure.
    """
    if keep is None:
        return compile_cubin(arguments, folder)
    key = repr(sorted((name, str(value)) for name, value in vars(arguments).items()))
    kept = keep / f"{hashlib.sha256(key.encode()).hexdigest()[:20]}.cubin"
    if not kept.exists():
        keep.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy(compile_cubin(arguments, folder), kept)
        except SystemExit:
            kept.touch()
            raise
    if not kept.stat().st_size:
        raise SystemExit(f"{arguments.source}: failed before")
    return kept


def _name(symbol: str) -> str:
    """Name of an entry point without the numbers that differ between machines."""
    found = _REGION.fullmatch(symbol)
    return found["region"] if found is not None else symbol


def entry_points(program: Program) -> Iterator[tuple[str, str, Code]]:
    """What to call them, their names in SASS, and code of the kernels and target regions of a program."""
    for key in program.kernels:
        function = program.functions[key]
        yield function.name, function.symbol, lower_kernel(program, key)
    for function in region_functions(program):
        lower_host_function(program, function.key)
    for region in program.regions.values():
        symbol = program.functions[region.function_key].symbol
        number = region.key.split(":")[2].partition("_")[2]
        line = f"l{region.line}{f'_{number}' if number else ''}"
        yield f"{region.function}:{line}", f"{symbol}_{line}", region.code


def summary(found: Sequence[Pair]) -> list[str]:
    """Rows of a Markdown table, the last one over all pairs of a body and a class."""
    number = Counter((pair.kernel, pair.is_loop) for pair in found)
    rows = [
        "| class | bodies | kernels | within 20 % | below | above | median |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    together: list[tuple[float, float]] = []
    for kind in KINDS:
        for label, is_loop in (("loops", True), ("straight line", False)):
            ratios = [
                (pair.counts(kind)[0] / pair.counts(kind)[1], 1 / number[pair.kernel, is_loop])
                for pair in found
                if pair.is_loop == is_loop and pair.counts(kind)[1] > 0
            ]
            together += ratios
            rows += _row(f"{kind}, {label}", ratios)
    rows += _row("all, kernels equal", together)
    return rows + _row("all, bodies equal", [(ratio, 1.0) for ratio, _ in together])


def _row(label: str, ratios: Sequence[tuple[float, float]]) -> list[str]:
    """The row of some ratios with their weights, none where there are none."""
    total = sum(weight for _, weight in ratios)
    if not total:
        return []
    within = sum(weight for ratio, weight in ratios if abs(ratio - 1) <= WITHIN) / total
    below = sum(weight for ratio, weight in ratios if ratio < 1 - WITHIN) / total
    median = sorted(ratio for ratio, _ in ratios)[len(ratios) // 2]
    shares = f"{within:.1%} | {below:.1%} | {1.0 - within - below:.1%}"
    return [f"| {label} | {len(ratios)} | {total:.0f} | {shares} | {median:.2f} |"]


def worst(found: Sequence[Pair], count: int) -> Iterator[str]:
    """The bodies whose integer counts are farthest off, with the operations of both sides."""
    ranked = sorted(found, key=lambda pair: -abs(pair.counts("int")[0] - pair.counts("int")[1]))
    for pair in ranked[:count]:
        model, sass = pair.counts("int")
        yield f"{pair.kernel} {'loop' if pair.is_loop else 'straight'} {model:.1f} of {sass:.1f}"
        for side, body in (("model", pair.model), ("SASS", pair.sass)):
            names = Counter(
                {k[3:]: v / body.copies for k, v in body.totals.items() if k[:3] == "op:"}
            )
            parts = (f"{name} {amount:.3g}" for name, amount in names.most_common(10))
            yield f"    {side}: {', '.join(parts)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", type=Path, nargs="*", help="own CUDA sources")
    parser.add_argument("--labels", type=Path, help="label table whose programs are compiled")
    parser.add_argument("--sources", type=Path, default=Path(), help="folder of their sources")
    parser.add_argument("--language", choices=("cuda", "openmp"), default="cuda")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--keep", type=Path, help="folder that keeps what was compiled")
    parser.add_argument("--worst", type=int, default=0, help="how many deviations to list")
    options = parsed(parser, argv)
    jobs: list[tuple[str, Path, list[str]]] = [(file.stem, file, []) for file in options.files]
    if options.labels is not None:
        jobs += programs(options.labels, options.sources.resolve(), options.language)
    found = [pair for job in jobs for pair in compare(*job, options)]
    print("\n".join([*summary(found), *worst(found, options.worst)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
