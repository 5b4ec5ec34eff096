"""`roofstat gpus [NAME]`: the cards that are known, and where their figures come from."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.output import view_text

if TYPE_CHECKING:
    from roofstat.hardware import Gpu

__all__ = ["add_parser", "run"]


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `gpus`."""
    parser = sub.add_parser(
        "gpus",
        help="list the GPUs",
        description="List the GPUs that --gpu knows, or describe one with the source of every figure.",
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", metavar="NAME|FILE", help="a GPU to describe")
    parser.add_argument(
        "--clock", default="boost", metavar="CLOCK", help="base, boost or MHz (default boost)"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="form (default text)"
    )
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Write the list, or one card."""
    from roofstat.hardware import available_gpus, load_gpu

    if args.name is not None:
        gpu = load_gpu(args.name).with_clock(args.clock)
        console.write(_describe_json(gpu) if args.format == "json" else _describe(gpu, console))
        return 0
    gpus = [load_gpu(name) for name in available_gpus()]
    console.write(_list_json(gpus) if args.format == "json" else _list(gpus, console))
    return 0


def _list_json(gpus: list[Gpu]) -> str:
    from roofstat.report import gpu_to_json

    return json.dumps([gpu_to_json(gpu) for gpu in gpus], indent=2, allow_nan=False) + "\n"


def _describe_json(gpu: Gpu) -> str:
    from roofstat.report import gpu_to_json

    figures: dict[str, Any] = {
        key: {
            "value": figure.value,
            "source": figure.source,
            "status": figure.status.value,
            "note": figure.note,
        }
        for key, figure in gpu.figures.items()
    }
    return json.dumps({**gpu_to_json(gpu), "figures": figures}, indent=2, allow_nan=False) + "\n"


def _list(gpus: list[Gpu], console: Console) -> str:
    from rich.table import Table

    from roofstat.hardware import gpu_aliases
    from roofstat.render.quantities import quantity, significant
    from roofstat.roofline import NumberType, ridges

    names: dict[str, list[str]] = {}
    for alias, identifier in gpu_aliases().items():
        names.setdefault(identifier, []).append(alias)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("also", overflow="fold", style="dim", max_width=24)
    table.add_column("target", no_wrap=True)
    for column in ("DRAM", "FP32", "ridge FP32", "FP64", "INT"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("checked", no_wrap=True)
    for gpu in gpus:
        ridge = ridges(gpu)
        table.add_row(
            gpu.id,
            ", ".join(names.get(gpu.id, ())),
            gpu.target,
            quantity(gpu.dram_bytes_per_s, "B/s"),
            quantity(gpu.fp32_flop_per_s, "FLOP/s"),
            *(
                significant(ridge.get(kind, 0.0))
                for kind in (NumberType.FP32, NumberType.FP64, NumberType.INT)
            ),
            "yes" if gpu.validated else "no",
        )
    closing = (
        "Ridges are in op for each DRAM byte. checked: verdicts on this chip were compared with profiled labels.\n"
        "roofstat gpus NAME shows every figure with its source; --gpu FILE.toml takes a card of your own.\n"
    )
    return view_text(table, console) + "\n" + closing


def _describe(gpu: Gpu, console: Console) -> str:
    from rich.table import Table
    from rich.text import Text

    from roofstat.hardware.catalogue import figure_sources
    from roofstat.hardware.figures import FIGURES
    from roofstat.render.quantities import significant
    from roofstat.roofline import ridges

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("figure", no_wrap=True, style="bold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("source", no_wrap=True)
    table.add_column("meaning", overflow="fold", style="dim")
    cited: set[str] = set()
    for key, spec in FIGURES.items():
        figure = gpu.figures.get(key)
        if figure is None:
            continue
        cited |= set(figure.source.split())
        style = "" if figure.status.value in {"confirmed", "measured"} else "yellow"
        meaning = f"{spec.meaning}; {figure.note}" if figure.note else spec.meaning
        table.add_row(
            key,
            f"{figure.value:,g}",
            spec.unit,
            Text(figure.status.value, style=style),
            figure.source,
            Text(meaning),
        )
    known = figure_sources()
    lines = [f"{key}: {known[key]}" for key in sorted(cited, key=_source_order) if key in known]
    ridge = ", ".join(f"{kind.value} {significant(value)}" for kind, value in ridges(gpu).items())
    checked = gpu.validated_on or "unvalidated: no verdict on this chip was ever checked"
    head = f"{gpu.id}: {gpu.name}, {gpu.architecture}, {gpu.target}\nridges in op/byte: {ridge}\nchecked on: {checked}\n\n"
    return head + view_text(table, console) + "\n" + "\n".join(lines) + "\n"


def _source_order(key: str) -> tuple[str, int]:
    return (key[:1], int(key[1:]) if key[1:].isdigit() else 0)
