"""From label rows to analyses: rows of one program, compiler and architecture make one job of several settings."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.analysis import AnalysisOptions, LaunchOverride
from roofstat.errors import HardwareError
from roofstat.evaluation.evaluation import LaunchMode
from roofstat.evaluation.outcome import Failure, FailureKind
from roofstat.evaluation.signatures import parse_signature
from roofstat.hardware import Gpu, load_gpu
from roofstat.report import Compiler, Language, LaunchSource, TrafficRegime

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from roofstat.evaluation.labels import LabelRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One analysis: options, and the rows that it answers by their position among all rows."""

    options: AnalysisOptions
    rows: tuple[tuple[int, LabelRow], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one worker does in one go: the same files under several settings."""

    program: str
    files: tuple[Path, ...]
    settings: tuple[Setting, ...]
    launch: LaunchMode

    def split(self) -> tuple[Job, ...]:
        """One job for each setting."""
        return tuple(dataclasses.replace(self, settings=(setting,)) for setting in self.settings)

    @property
    def rows(self) -> tuple[tuple[int, LabelRow], ...]:
        """All rows of the job."""
        return tuple(entry for setting in self.settings for entry in setting.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Jobs, and rows for which there is nothing to run.

    Attributes:
        gpus: Card of each row, by position; rows of unknown cards are absent.
    """

    jobs: tuple[Job, ...]
    failures: Mapping[int, Failure]
    gpus: Mapping[int, Gpu]


def make_plan(
    rows: Sequence[LabelRow], sources: Path, launch: LaunchMode, gpu: Gpu | None = None
) -> Plan:
    """Group rows into jobs.

    Args:
        rows: The label rows.
        sources: Folder that the rows' files and flags are relative to.
        launch: Whether the analysis is told the rows' launches.
        gpu: Card of rows that name none, and of those that name its id.
    """
    failures: dict[int, Failure] = {}
    gpus: dict[int, Gpu] = {}
    cards = _Cards(gpu)
    groups: dict[tuple[object, ...], list[tuple[int, LabelRow]]] = {}
    for position, row in enumerate(rows):
        card = cards.get(row.gpu)
        if isinstance(card, Failure):
            failures[position] = card
            continue
        gpus[position] = card
        if problem := _source_problem(row, sources):
            failures[position] = Failure(kind=FailureKind.SOURCE, reason=problem)
            continue
        key = (row.program, row.sources, row.flags, _compiler_of(row), card.target)
        groups.setdefault(key, []).append((position, row))
    jobs = tuple(
        Job(
            program=members[0][1].program,
            files=_existing_sources(members[0][1], sources),
            settings=_settings(members, gpus, sources, launch),
            launch=launch,
        )
        for members in groups.values()
    )
    return Plan(jobs=jobs, failures=failures, gpus=gpus)


def rows_on_card(rows: Sequence[LabelRow], gpu: Gpu) -> tuple[tuple[LabelRow, ...], bool]:
    """Select the rows of one card.

    Returns:
        The rows that name this card or none; and True. Where there are none, all rows as if they named this card; and
        False.
    """
    named = {name: _id_of(name, gpu) for name in {row.gpu for row in rows}}
    kept = tuple(dataclasses.replace(row, gpu=gpu.id) for row in rows if named[row.gpu] == gpu.id)
    if kept:
        return kept, True
    return tuple(dataclasses.replace(row, gpu=gpu.id) for row in rows), False


def has_sources(row: LabelRow, sources: Path) -> bool:
    """Return whether a file of the row's is there."""
    return bool(_existing_sources(row, sources))


def _id_of(name: str | None, default: Gpu) -> str:
    if name is None:
        return default.id
    try:
        return load_gpu(name).id
    except HardwareError:
        return name


class _Cards:
    """Cards by the tables' names, each loaded once. The card that the user gave goes before a shipped one."""

    def __init__(self, given: Gpu | None) -> None:
        self._known: dict[str | None, Gpu | Failure] = {}
        if given is not None:
            self._known = {given.id: given, None: given}

    def get(self, name: str | None) -> Gpu | Failure:
        if name not in self._known:
            self._known[name] = self._load(name)
        return self._known[name]

    def _load(self, name: str | None) -> Gpu | Failure:
        if name is None:
            return Failure(kind=FailureKind.HARDWARE, reason="the row names no card; give --gpu")
        try:
            return load_gpu(name)
        except HardwareError as error:
            return Failure(kind=FailureKind.HARDWARE, reason=str(error))


def _existing_sources(row: LabelRow, sources: Path) -> tuple[Path, ...]:
    """The row's translation units that are there.

    Builds copy files of sibling programs as `build/PROGRAM-NAME`; for such an entry, NAME is looked for in the row's
    include folders, in their order.
    """
    found = (_find_source(name, row, sources) for name in row.sources)
    return tuple(dict.fromkeys(path for path in found if path is not None))


def _find_source(name: str, row: LabelRow, sources: Path) -> Path | None:
    path = sources / name
    if path.is_file():
        return path
    if not name.startswith(_BUILD_FOLDER):
        return None
    original = path.name.removeprefix(f"{row.program}-")
    include_dirs = _read_flags(row.flags, sources)[0]
    return next((copy for folder in include_dirs if (copy := folder / original).is_file()), None)


_BUILD_FOLDER: Final = "build/"


def _source_problem(row: LabelRow, sources: Path) -> str | None:
    if not row.sources:
        return "the row names no sources"
    if not _existing_sources(row, sources):
        return f"{row.sources[0]} is not in the folder of the sources"
    return None


_COMPILER_PREFIXES: Final = (("nvcc", Compiler.NVCC), ("clang", Compiler.CLANG))


def _compiler_of(row: LabelRow) -> Compiler | None:
    """The compiler to assume, by the start of the table's word; None for the language's default."""
    word = (row.compiler or "").lower()
    for prefix, compiler in _COMPILER_PREFIXES:
        if word.startswith(prefix):
            return compiler
    return None


def _settings(
    members: Sequence[tuple[int, LabelRow]],
    gpus: Mapping[int, Gpu],
    sources: Path,
    launch: LaunchMode,
) -> tuple[Setting, ...]:
    groups: dict[tuple[object, ...], list[tuple[int, LabelRow]]] = {}
    for position, row in members:
        groups.setdefault((gpus[position].id, row.args), []).append((position, row))
    settings: list[Setting] = []
    for group in groups.values():
        base = _base_options(group[0][1], gpus[group[0][0]], sources)
        if launch is LaunchMode.INFERRED:
            settings.append(Setting(options=base, rows=tuple(group)))
            continue
        for launches, rows in _launch_groups(group):
            options = dataclasses.replace(base, launches=launches)
            settings.append(Setting(options=options, rows=tuple(rows)))
    return tuple(settings)


def _base_options(row: LabelRow, gpu: Gpu, sources: Path) -> AnalysisOptions:
    include_dirs, defines, std, extra = _read_flags(row.flags, sources)
    return AnalysisOptions(
        gpu=gpu,
        program_args=row.args or (),
        traffic=TrafficRegime.PROFILED,
        compiler=_compiler_of(row),
        include_dirs=include_dirs,
        defines=defines,
        std=std,
        extra_flags=extra,
        patterns=False,
    )


def _read_flags(
    flags: Iterable[str], sources: Path
) -> tuple[tuple[Path, ...], tuple[str, ...], str | None, tuple[str, ...]]:
    """Include folders, macros, standard and the rest, with paths made relative to the sources' folder."""
    include_dirs: list[Path] = []
    defines: list[str] = []
    extra: list[str] = []
    std: str | None = None
    words = iter(flags)
    for word in words:
        if word.startswith(("-I", "-D")):
            value = word[2:] or next(words, "")
            if word.startswith("-I"):
                include_dirs.append(sources / value)
            else:
                defines.append(value)
        elif word.startswith(("-std=", "--std=")):
            std = word.partition("=")[2]
        elif word == "-include":
            extra += [word, str(sources / next(words, ""))]
        else:
            extra.append(word)
    return tuple(include_dirs), tuple(defines), std, tuple(extra)


def _launch_groups(
    members: Sequence[tuple[int, LabelRow]],
) -> list[tuple[dict[str, LaunchOverride], list[tuple[int, LabelRow]]]]:
    """Rows that can share one analysis: no kernel is asked for with two launches."""
    names: dict[str, set[LaunchOverride]] = {}
    for _, row in members:
        names.setdefault(_base_name(row), set()).add(_override(row))
    groups: list[tuple[dict[str, LaunchOverride], list[tuple[int, LabelRow]]]] = []
    for position, row in members:
        override = _override(row)
        keys = _full_names(row)
        if len(names[_base_name(row)]) == 1:
            keys = (*keys, _base_name(row))
        entries = dict.fromkeys(keys, override) if row.grid or row.block else {}
        for launches, rows in groups:
            if all(launches.get(key, override) == override for key in keys):
                launches.update(entries)
                rows.append((position, row))
                break
        else:
            groups.append((entries, [(position, row)]))
    return groups


def _override(row: LabelRow) -> LaunchOverride:
    return LaunchOverride(grid=row.grid, block=row.block, source=LaunchSource.LABEL)


def _base_name(row: LabelRow) -> str:
    text = row.function if row.language is Language.OPENMP else row.kernel or row.symbol
    return parse_signature(text or "").name


def _full_names(row: LabelRow) -> tuple[str, ...]:
    """Names that tell the kernel from every other of its program."""
    if row.language is Language.OPENMP:
        return tuple(dict.fromkeys((f"{_base_name(row)}:{row.line}", f"{row.function}:{row.line}")))
    text = row.kernel or row.symbol or ""
    return tuple(dict.fromkeys((text, str(parse_signature(text)), row.symbol or text)))
