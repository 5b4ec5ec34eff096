"""Empirical ceilings: measure what a card reaches and write it as a GPU file.

The program `data/ceilings.cu` measures; what it prints becomes the figures of a file that inherits the rest from the
known card. Rates are stated at the clock that the card held under the load of the FP32 pipe, so that the peaks that
`--gpu FILE.toml` has are the measured rates themselves.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofstat.errors import ProfileError, reason_of
from roofstat.profiling.cards import card_named, card_of_target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from roofstat.hardware import Gpu

_PIPES: Final = ("fp64", "fp32", "fp16", "int32", "special")
_SOURCE: Final = "roofstat profile --ceilings"
_KIB: Final = 1024
_MIB: Final = 1024**2


def measure_ceilings(nvcc: Path) -> str:
    """Compile and run the program of the ceilings on the first card, and return what it prints.

    Raises:
        ProfileError: It cannot be compiled, or fails on the card.
    """
    source = resources.files("roofstat.profiling") / "data" / "ceilings.cu"
    with resources.as_file(source) as file, tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "ceilings"
        command = [str(nvcc), "-O3", "-std=c++17", "-arch=native", "-o", str(program), str(file)]
        _run(command, "the program of the ceilings does not compile", "try it with --nvcc PATH")
        return _run(
            [str(program)],
            "the program of the ceilings failed",
            "check with nvidia-smi that a GPU is there and free",
        )


def _run(command: Sequence[str], problem: str, remedy: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise ProfileError(f"cannot run {command[0]}: {reason_of(error)}", remedy=remedy) from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ProfileError(f"{problem}: {said[0] if said else done.returncode}", remedy=remedy)
    return done.stdout


def ceilings_toml(printed: str, *, gpu: Gpu | None = None) -> str:
    """The GPU file that follows from what the program printed.

    Args:
        printed: Lines of `name value`.
        gpu: The card to inherit from; by default the one of that name, else the nearest of the same architecture.

    Raises:
        ProfileError: A line is missing, or no card of the architecture is known.
    """
    facts = dict(line.split(" ", 1) for line in printed.splitlines() if " " in line)
    try:
        name, target = facts["device_name"], f"sm_{facts['compute_capability']}"
        figures = _figures(
            {key: float(text) for key, text in facts.items() if key != "device_name"}
        )
        memory_bytes = float(facts["memory_bytes"])
    except (KeyError, ValueError) as error:
        raise ProfileError(
            f"the program of the ceilings printed no number for {error}",
            remedy="please report it with the card's name",
        ) from error
    parent = gpu or card_named(name) or card_of_target(target, memory_bytes)
    if parent is None:
        raise ProfileError(
            f"no card of {target} is known to inherit from", remedy="name one with --gpu"
        )
    lines = [
        'schema = "roofstat-gpu/1"',
        f"name = {json.dumps(f'{name}, measured ceilings')}",
        f'inherit = "{parent.id}"',
        "",
        "[figures]",
    ]
    return "\n".join((*lines, *(_figure_line(*figure) for figure in figures))) + "\n"


def _figures(facts: Mapping[str, float]) -> list[tuple[str, float, str]]:
    clock_hz = facts["fp32_clock_hz"]
    per_clk = clock_hz * facts["sm_count"]
    buffers = f"two buffers of {facts['buffer_bytes'] / 2**30:g} GiB"
    return [
        ("sm_count", facts["sm_count"], ""),
        ("boost_mhz", clock_hz / 1e6, "held while the FP32 pipe was full"),
        *(
            (
                f"{pipe}_per_clk",
                facts[f"{pipe}_results_per_s"] / per_clk,
                f"{facts[f'{pipe}_results_per_s'] / 1e12:.4g} T results/s at {facts[f'{pipe}_clock_hz'] / 1e6:.0f} MHz",
            )
            for pipe in _PIPES
        ),
        (
            "dram_gb_per_s",
            facts["dram_copy_bytes_per_s"] / 1e9,
            f"copy, bytes read and written, {buffers}; reading alone {facts['dram_read_bytes_per_s'] / 1e9:.0f}",
        ),
        ("memory_gb", facts["memory_bytes"] / 1e9, ""),
        ("l2_mib", facts["l2_bytes"] / _MIB, ""),
        ("shared_kib_per_sm", facts["shared_bytes_per_sm"] / _KIB, ""),
        ("shared_kib_per_block", facts["shared_bytes_per_block"] / _KIB, ""),
        ("registers_per_sm", facts["registers_per_sm"], ""),
        ("max_threads_per_sm", facts["threads_per_sm"], ""),
    ]


def _figure_line(key: str, value: float, note: str) -> str:
    text = str(int(value)) if value == int(value) else f"{value:.5g}"
    remark = f", note = {json.dumps(note)}" if note else ""
    return f'{key} = {{ value = {text}, source = "{_SOURCE}", status = "measured"{remark} }}'
