"""Find and read GPU descriptions: those that ship with the package, and the user's own files.

A file is TOML::

    schema  = "roofstat-gpu/1"    # optional in a user's file
    name    = "My GPU"
    inherit = "a100"              # a name that `roofstat gpus` lists, or nothing for a complete description
    target  = "sm_80"             # needed where nothing is inherited; so is vendor

    [figures]                     # the names, units and meanings are in docs/hardware.md
    sm_count = 64
    dram_gb_per_s = { value = 1200, source = "data sheet", status = "confirmed" }
"""

from __future__ import annotations

import difflib
import functools
import math
import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import HardwareError, reason_of
from roofstat.hardware.figures import FIGURES, Figure, FigureStatus
from roofstat.hardware.gpu import Gpu, TensorType, Vendor

__all__ = ["available_gpus", "figure_sources", "gpu_aliases", "load_gpu", "nearest_names"]

_SCHEMA = "roofstat-gpu/1"
_HEAD_KEYS = (
    "schema",
    "kind",
    "id",
    "name",
    "vendor",
    "architecture",
    "target",
    "memory_type",
    "inherit",
    "validated_on",
    "figures",
)
_NOT_GPUS = frozenset({"sources", "aliases"})
_MAKERS = frozenset({"nvidia", "geforce", "tesla", "quadro", "amd", "instinct", "radeon", "intel"})
_KIB = 1024
_MIB = 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Description:
    head: Mapping[str, str]
    figures: Mapping[str, Figure]


def available_gpus() -> tuple[str, ...]:
    """Return the ids of the GPUs that ship with the package, sorted."""
    return tuple(sorted(filter(_is_gpu, _shipped())))


def _is_gpu(name: str) -> bool:
    """Whether a GPU of that name ships with the package; the other descriptions are read only where need be."""
    return name in _shipped() and _read_shipped(name).get("kind") == "gpu"


@functools.cache
def gpu_aliases() -> Mapping[str, str]:
    """Return short names and the ids that they stand for."""
    return dict(tomllib.loads(_data_text("aliases")))


@functools.cache
def figure_sources() -> Mapping[str, str]:
    """Return the source keys that figures cite and what they stand for."""
    return dict(tomllib.loads(_data_text("sources")))


def nearest_names(name: str, count: int = 3) -> tuple[str, ...]:
    """Return the known GPU names closest to a misspelt one, best first."""
    known = (*available_gpus(), *gpu_aliases())
    word = _normal(name)
    close = difflib.get_close_matches(word, known, n=count, cutoff=0.55)
    inside = [known_name for known_name in known if word and word in known_name]
    return tuple(dict.fromkeys((*close, *inside)))[:count]


def load_gpu(name_or_path: str | Path) -> Gpu:
    """Return the GPU of that name, alias or TOML file, at its boost clock.

    Args:
        name_or_path: An id or alias (case, spaces and underscores do not matter), or the path of a TOML file.

    Raises:
        HardwareError: No such GPU (the message names the nearest ones), or the file lacks or misstates something
            (the message names the file, the key and the remedy).

    >>> gpu = load_gpu("h100")
    >>> gpu.id, gpu.sm_count, round(gpu.fp32_flop_per_s / gpu.dram_bytes_per_s, 2)
    ('h100-sxm', 132, 19.97)
    """
    text = str(name_or_path)
    if text.endswith(".toml") or "/" in text:
        path = Path(text)
        return _build(path.stem, _read_user(path), text)
    identifier = _resolve(text)
    return _build(identifier, _read(identifier), f"{identifier}.toml")


def _normal(name: str) -> str:
    return name.strip().lower().replace("_", "-").replace(" ", "-")


def _words(name: str) -> list[str]:
    """The words of a name without the maker and the family."""
    words = re.split(r"[\s_-]+", name.strip().lower())
    return [word for word in words if word not in _MAKERS]


def _squeezed(name: str) -> str:
    return "".join(_words(name))


def _resolve(name: str) -> str:
    word = _normal(name)
    identifier = gpu_aliases().get(word, word)
    if _is_gpu(identifier):
        return identifier
    squeezed = _squeezed(name)
    for candidate in (*available_gpus(), *gpu_aliases()):
        if _squeezed(candidate) == squeezed:
            return gpu_aliases().get(candidate, candidate)
    for candidate in available_gpus():
        if _squeezed(str(_read(candidate).head.get("name", ""))) == _squeezed(name):
            return candidate  # as a driver's tools call it
    model = next((word for word in _words(name) if re.fullmatch(r"[a-z]+\d+\w*", word)), name)
    near = nearest_names(model) or nearest_names(name)
    remedy = f"did you mean {' or '.join(near)}?" if near else "`roofstat gpus` lists those known"
    raise HardwareError(f"no GPU is called {name!r}", remedy=remedy)


@functools.cache
def _shipped() -> frozenset[str]:
    folder = resources.files("roofstat.hardware") / "data"
    names = (entry.name for entry in folder.iterdir())
    return frozenset(n.removesuffix(".toml") for n in names if n.endswith(".toml")) - _NOT_GPUS


def _data_text(name: str) -> str:
    return (resources.files("roofstat.hardware") / "data" / f"{name}.toml").read_text("utf-8")


@functools.cache
def _read_shipped(name: str) -> Mapping[str, Any]:
    return tomllib.loads(_data_text(name))


@functools.cache
def _read(name: str) -> _Description:
    return _describe(_read_shipped(name), file=f"{name}.toml", user=False)


def _read_user(path: Path) -> _Description:
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise HardwareError(
            f"cannot read it: {reason_of(error)}",
            file=str(path),
            remedy="give a name from `roofstat gpus` or a readable TOML file",
        ) from error
    except UnicodeDecodeError as error:
        raise HardwareError(
            "it is not UTF-8 text", file=str(path), remedy="save it as TOML"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise HardwareError(
            f"it is not TOML: {error}", file=str(path), remedy="mend the syntax there"
        ) from error
    return _describe(raw, file=str(path), user=True)


def _describe(raw: Mapping[str, Any], *, file: str, user: bool) -> _Description:
    if raw.get("schema", _SCHEMA) != _SCHEMA:
        raise HardwareError(
            f"schema {raw['schema']!r} is unknown", file=file, remedy=f'write schema = "{_SCHEMA}"'
        )
    for key, value in raw.items():
        if key not in _HEAD_KEYS:
            raise HardwareError(f"key {key!r} is unknown", file=file, remedy=_remedy_for(key))
        if key != "figures" and not isinstance(value, str):
            raise HardwareError(
                f"key {key!r} is not text", file=file, remedy=f'write {key} = "..."'
            )
    given = raw.get("figures", {})
    if not isinstance(given, dict):
        raise HardwareError(
            "key 'figures' is not a table", file=file, remedy="write [figures] on a line of its own"
        )
    figures = {key: _figure(key, value, file=file, user=user) for key, value in given.items()}
    head = {key: value for key, value in raw.items() if key != "figures"}
    parent_name = head.pop("inherit", None)
    if parent_name is None:
        return _Description(head=head, figures=figures)
    parent = _parent(parent_name, file=file, user=user)
    inherited = dict(parent.head)
    if user:
        # Verdicts were checked on the shipped card, not on what the user made of it.
        inherited.pop("validated_on", None)
    return _Description(head={**inherited, **head}, figures={**parent.figures, **figures})


def _remedy_for(key: str) -> str:
    if key in FIGURES:
        return f"move {key} under [figures]"
    near = difflib.get_close_matches(key, (*_HEAD_KEYS, *FIGURES), n=1)
    return f"did you mean {near[0]}?" if near else "remove it"


def _parent(name: str, *, file: str, user: bool) -> _Description:
    if not user:
        return _read(name)
    try:
        return _read(_resolve(name))
    except HardwareError as error:
        raise HardwareError(
            f"key 'inherit': {error.problem}", file=file, remedy=error.remedy
        ) from error


def _figure(key: str, value: Any, *, file: str, user: bool) -> Figure:
    spec = FIGURES.get(key)
    if spec is None:
        near = difflib.get_close_matches(key, FIGURES, n=1, cutoff=0.5)
        remedy = f"did you mean {near[0]}?" if near else "docs/hardware.md lists the names"
        raise HardwareError(f"figure {key!r} is unknown", file=file, remedy=remedy)
    entry = value if isinstance(value, dict) else {"value": value}
    number = entry.get("value")
    if (
        isinstance(number, bool)
        or not isinstance(number, (int, float))
        or not math.isfinite(number)
    ):
        raise HardwareError(
            f"figure {key!r} is not a number", file=file, remedy=f"give it in {spec.unit}"
        )
    if number < spec.minimum or (spec.exclusive and number == spec.minimum):
        bound = "above" if spec.exclusive else "at least"
        raise HardwareError(
            f"figure {key!r} is {number:g}",
            file=file,
            remedy=f"it must be {bound} {spec.minimum:g} ({spec.unit})",
        )
    if spec.whole and number != int(number):
        raise HardwareError(
            f"figure {key!r} is {number:g}",
            file=file,
            remedy=f"it must be a whole number ({spec.unit})",
        )
    source = str(entry.get("source", "")) or (file if user else "")
    status = str(entry.get("status", FigureStatus.USER.value))
    if status not in {known.value for known in FigureStatus}:
        raise HardwareError(
            f"figure {key!r} has status {status!r}",
            file=file,
            remedy=f"use one of {', '.join(known.value for known in FigureStatus)}",
        )
    return Figure(
        value=number, source=source, status=FigureStatus(status), note=str(entry.get("note", ""))
    )


def _build(identifier: str, description: _Description, file: str) -> Gpu:
    figures = description.figures
    for key, spec in FIGURES.items():
        if spec.required and key not in figures:
            raise HardwareError(
                f"figure {key!r} is missing",
                file=file,
                remedy=f'give it in {spec.unit} under [figures], or write inherit = "a100"',
            )
    if ("display_frame_mb" in figures) != ("display_hz" in figures):
        raise HardwareError(
            "figures 'display_frame_mb' and 'display_hz' need each other",
            file=file,
            remedy="give both, or neither for a card that drives no display",
        )
    head = description.head
    for key in ("vendor", "target"):
        if key not in head:
            raise HardwareError(
                f"key {key!r} is missing",
                file=file,
                remedy=f'write {key} = "..." or inherit = "a100"',
            )
    if head["vendor"] not in {vendor.value for vendor in Vendor}:
        raise HardwareError(
            f"key 'vendor' is {head['vendor']!r}", file=file, remedy="write NVIDIA, AMD or Intel"
        )
    return _record(identifier, head, figures)


def _record(identifier: str, head: Mapping[str, str], figures: Mapping[str, Figure]) -> Gpu:
    def value(key: str) -> float:
        return float(figures[key].value)

    def whole(key: str, scale: int = 1) -> int:
        return int(figures[key].value * scale)

    def optional(key: str, scale: float) -> float | None:
        return figures[key].value * scale if key in figures else None

    clock_hz = value("boost_mhz") * 1e6
    clk_sm = clock_hz * value("sm_count")
    tensor = {
        kind: figures[key].value * 1e12
        for kind in TensorType
        for key in (f"tensor_{kind.value}_{'top' if kind is TensorType.INT8 else 'tflop'}_per_s",)
        if key in figures
    }
    return Gpu(
        id=identifier,
        name=head.get("name", identifier),
        vendor=Vendor(head["vendor"]),
        architecture=head.get("architecture", head["target"]),
        target=head["target"],
        memory_type=head.get("memory_type", ""),
        validated_on=head.get("validated_on", ""),
        clock_hz=clock_hz,
        base_clock_hz=optional("base_mhz", 1e6),
        boost_clock_hz=clock_hz,
        sm_count=whole("sm_count"),
        warp_size=whole("warp_size"),
        # A result of the multiply-add pipe is two FLOP; an integer operation is one.
        fp64_flop_per_s=2 * value("fp64_per_clk") * clk_sm,
        fp32_flop_per_s=2 * value("fp32_per_clk") * clk_sm,
        fp16_flop_per_s=2 * value("fp16_per_clk") * clk_sm,
        int_op_per_s=value("int32_per_clk") * clk_sm,
        special_op_per_s=value("special_per_clk") * clk_sm,
        tensor_flop_per_s=tensor,
        memory_bytes=optional("memory_gb", 1e9),
        dram_bytes_per_s=value("dram_gb_per_s") * 1e9,
        dram_latency_s=value("dram_latency_clk") / clock_hz,
        ecc_dram_factor=value("ecc_dram_factor"),
        display_frame_bytes=optional("display_frame_mb", 1e6) or 0.0,
        display_frames_per_s=optional("display_hz", 1.0) or 0.0,
        l2_bytes=whole("l2_mib", _MIB),
        l2_partitions=whole("l2_partitions"),
        l2_bytes_per_s=value("l2_bytes_per_clk") * clock_hz,
        l2_latency_s=value("l2_latency_clk") / clock_hz,
        sector_bytes=whole("sector_bytes"),
        line_bytes=whole("line_bytes"),
        write_back_l2_share=value("write_back_l2_share"),
        write_back_write_share=value("write_back_write_share"),
        l1_bytes_per_sm=whole("l1_kib_per_sm", _KIB),
        l1_bytes_per_s=value(
            "l1_bytes_per_clk" if "l1_bytes_per_clk" in figures else "shared_bytes_per_clk"
        )
        * clk_sm,
        constant_address_per_s=optional("constant_per_clk", clk_sm),
        load_lanes_per_clk=value("lsu_per_clk" if "lsu_per_clk" in figures else "warp_size"),
        shared_bytes_per_sm=whole("shared_kib_per_sm", _KIB),
        shared_bytes_per_block=whole("shared_kib_per_block", _KIB),
        shared_unit_bytes=whole("shared_unit_bytes"),
        shared_reserved_bytes=whole("shared_reserved_bytes"),
        shared_bytes_per_s=value("shared_bytes_per_clk") * clk_sm,
        shared_atomic_op_per_s=value("shared_atomic_per_clk") * clk_sm,
        global_atomic_op_per_s=value("global_atomic_per_clk") * clock_hz,
        global_atomic_sector_op_per_s=value("global_atomic_sector_per_clk") * clock_hz,
        global_atomic_same_address_op_per_s=value("global_atomic_same_address_per_clk") * clock_hz,
        global_atomic_same_address_int_op_per_s=value("global_atomic_same_address_int_per_clk")
        * clock_hz,
        global_atomic_same_sector_request_per_s=value("global_atomic_same_sector_per_clk")
        * clock_hz,
        max_threads_per_block=whole("max_threads_per_block"),
        max_threads_per_sm=whole("max_threads_per_sm"),
        max_blocks_per_sm=whole("max_blocks_per_sm"),
        registers_per_sm=whole("registers_per_sm"),
        max_registers_per_thread=whole("max_registers_per_thread"),
        register_unit=whole("register_unit"),
        sub_partitions=whole("sub_partitions"),
        launch_overhead_s=value("launch_overhead_us") * 1e-6,
        figures=figures,
    )
