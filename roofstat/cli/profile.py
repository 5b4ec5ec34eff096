"""`roofstat profile`: measured launches as a label table, and what the analysis says of them."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roofstat.cli.console import Console
from roofstat.cli.option_values import jobs_of, program_args_of, regular_expression
from roofstat.cli.output import check_output, view_text, write_output
from roofstat.cli.profile_options import AUTO, add_parser
from roofstat.errors import ProfileError, UsageError

if TYPE_CHECKING:
    from roofstat.hardware import Gpu
    from roofstat.profiling import ProfiledLaunch, RowFacts
    from roofstat.profiling.launches import Selection
    from roofstat.profiling.ncu import NcuRun

__all__ = ["add_parser", "run"]

_EXIT_FAILED = 1
_PLACES = {
    "ncu": ("/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*"),
    "nvcc": ("/usr/local/cuda/bin",),
}


def run(args: argparse.Namespace, console: Console) -> int:
    """Measure or read, write the table, return the exit status.

    Raises:
        UsageError: Options that do not go together, or an output that must not be written.
        ProfileError: Nothing was measured.
        HardwareError: `--gpu` names no card.
    """
    program: Sequence[str] = args.program_line
    _check(args, program)
    output = Path(args.out) if args.out else None
    if output is not None:
        check_output(output, args.imports, replace=args.force)
    gpu = _card(args.gpu)
    if args.ceilings:
        return _ceilings(args, gpu, output, console)
    measured = _imported(args, console) if args.imports else _profiled(args, program, console)
    return _report(args, program, measured, gpu, output, console)


def _check(args: argparse.Namespace, program: Sequence[str]) -> None:
    given = [bool(program), bool(args.imports), args.ceilings]
    if sum(given) != 1:
        raise UsageError(
            "give a program after --, or --import FILE, or --ceilings"
            if not any(given)
            else "a program, --import and --ceilings exclude each other",
            remedy="for example: roofstat profile -o labels.csv -- ./app 1000",
        )
    if args.max_launches < 1:
        raise UsageError(f"--max-launches {args.max_launches}", remedy="give at least 1")
    if args.timeout is not None and not args.timeout > 0:
        raise UsageError(f"--timeout {args.timeout:g}", remedy="give seconds above 0")
    if args.compare and not args.sources:
        raise UsageError(
            "--compare needs the source to predict from", remedy="name it with --source FILE"
        )
    if args.kernel is not None:
        regular_expression("--kernel", args.kernel)
    missing = [name for name in args.sources if not Path(name).is_file()]
    if args.compare and missing:
        raise UsageError(
            "no such file", file=missing[0], remedy="mend --source; --compare reads it from here"
        )


def _card(name: str) -> Gpu | None:
    from roofstat.hardware import load_gpu

    return None if name == AUTO else load_gpu(name)


def _ceilings(
    args: argparse.Namespace, gpu: Gpu | None, output: Path | None, console: Console
) -> int:
    from roofstat.profiling.ceilings import ceilings_toml, measure_ceilings

    nvcc = _tool("nvcc", args.nvcc)
    console.complain("measuring DRAM bandwidth and peak rates; it takes some seconds")
    text = ceilings_toml(measure_ceilings(nvcc), gpu=gpu)
    if output is None:
        console.write(text)
    else:
        write_output(output, text)
        console.complain(f"wrote {output}; use it with --gpu {output}")
    return 0


def _profiled(args: argparse.Namespace, program: Sequence[str], console: Console) -> NcuRun:
    from roofstat.profiling.ncu import NcuOptions, run_ncu

    if shutil.which(program[0]) is None:
        raise UsageError(
            "there is no such program, or it cannot be executed",
            file=program[0],
            remedy="give its path, such as ./app",
        )
    options = NcuOptions(
        ncu=_tool("ncu", args.ncu),
        kernel=args.kernel,
        every=args.all_launches,
        most=args.max_launches,
        timeout_s=args.timeout,
    )

    def show(count: int, kernel: str) -> None:
        console.complain(f"{count} profiled: {kernel}")

    return run_ncu(program, options, show)


def _tool(name: str, given: str | None) -> Path:
    """The path of a tool: the one given, the one on the search path, or one in a usual place."""
    if given is not None:
        found = shutil.which(given)
        if found is None:
            raise UsageError(
                "it is not there, or cannot be executed", file=given, remedy=f"mend --{name}"
            )
        return Path(found)
    places = [str(place) for text in _PLACES[name] for place in sorted(Path("/").glob(text[1:]))]
    found = shutil.which(name) or shutil.which(name, path=":".join(reversed(places)))
    if found is None:
        package = "Nsight Compute" if name == "ncu" else "the CUDA toolkit"
        raise ProfileError(
            f"{name} is not on the search path",
            remedy=f"install {package}, or give its path with --{name}; elsewhere, ncu --import FILE.ncu-rep --csv --page raw "
            "makes a table of a report, which --import reads without it",
        )
    return Path(found)


def _imported(args: argparse.Namespace, console: Console) -> NcuRun:
    from roofstat.profiling.imports import read_exports
    from roofstat.profiling.ncu import NcuRun

    done = read_exports(args.imports, lambda: _tool("ncu", args.ncu))
    for note in done.notes:
        console.complain(f"note: {note}")
    if not args.all_launches:
        for name, count in done.repeated.items():
            console.complain(
                f"note: {count} launches of {name} are left out: files before it measured the same kernels and "
                "configurations; import it alone, or keep all with --all-launches"
            )
    return NcuRun(launches=done.launches)


def _report(
    args: argparse.Namespace,
    program: Sequence[str],
    measured: NcuRun,
    gpu: Gpu | None,
    output: Path | None,
    console: Console,
) -> int:
    """Write the rows of a run, and what is to be said of them; return the exit status."""
    from roofstat.profiling import select, table_text
    from roofstat.profiling.cards import card_named
    from roofstat.profiling.ncu import ending

    chosen = select(
        measured.launches,
        kernel=None if args.kernel is None else regular_expression("--kernel", args.kernel),
        every=args.all_launches,
        most=args.max_launches,
    )

    def card_of(launch: ProfiledLaunch) -> Gpu | None:
        return gpu or (card_named(launch.device) if launch.device else None)

    table = table_text(chosen.launches, _facts(args, program), card_of)
    unknown = {
        launch.device or "a card without a name"
        for launch in chosen.launches
        if card_of(launch) is None
    }
    for note in _notes(args, chosen, gpu, unknown):
        console.complain(f"note: {note}")
    if output is not None:
        write_output(output, table)
        console.complain(f"wrote {len(chosen.launches)} rows to {output}")
    elif not args.compare:
        console.write(table)
    if args.compare:
        console.write(_comparison(table, gpu, console))
    if measured.stopped:
        console.complain(
            f"note: the program was stopped {measured.stopped}; the table holds what was profiled by then"
        )
    if measured.status is not None:
        console.complain(
            f"error: the program {ending(measured.status)}; the table holds the launches before that"
        )
        return _EXIT_FAILED
    return 0


def _notes(
    args: argparse.Namespace, chosen: Selection, gpu: Gpu | None, unknown: set[str]
) -> Iterator[str]:
    """What the table lacks, and how to have it."""
    from roofstat.profiling import lacking_notes
    from roofstat.profiling.cards import card_named

    if chosen.failed:
        names = ", ".join(dict.fromkeys(chosen.failed))
        yield f"{len(chosen.failed)} launches failed on the GPU and are no rows: {names}"
    yield from lacking_notes(chosen.launches)
    if gpu is not None and card_named(gpu.id) != gpu:
        yield f"the rows name the card {gpu.id}; roofstat eval finds it with --gpu {args.gpu}"
    if unknown:
        cards = ", ".join(sorted(unknown))
        yield f"measured on {cards}; without --gpu NAME rows have no card and no label"
    if not args.sources:
        yield "roofstat eval needs the source of the kernels; name it with --source FILE"
    if chosen.left_out:
        yield f"{chosen.left_out} more launches are left out; raise --max-launches"


def _facts(args: argparse.Namespace, program: Sequence[str]) -> RowFacts:
    from roofstat.profiling import RowFacts
    from roofstat.profiling.table import EVERY, FIRST_OF_EACH

    known = program_args_of(args.args) if args.args is not None else None
    return RowFacts(
        program=args.program or (Path(program[0]).name if program else ""),
        suite=args.suite,
        sources=tuple(args.sources),
        flags=args.flags,
        compiler=args.compiler,
        args=tuple(program[1:]) if program else known,
        selection=EVERY if args.all_launches else FIRST_OF_EACH,
        note=args.note,
    )


def _comparison(table: str, gpu: Gpu | None, console: Console) -> str:
    """Predict the rows of a table as `roofstat eval` does and set both beside each other."""
    from roofstat.evaluation import evaluate, read_label_table
    from roofstat.profiling.comparison import render_comparison

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "measured.csv"
        file.write_text(table, "utf-8")
        rows = read_label_table(file)
    evaluation = evaluate(rows, Path(), gpu=gpu, jobs=jobs_of(None))
    return view_text(render_comparison(evaluation), console)
