"""A baseline: findings that are known and stay quiet, and verdicts that later ones are compared with.

A finding is known by its rule, its file, its kernel and the text of its line, so that it may move.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import UsageError
from roofstat.report import Diagnostic, KernelReport, NumberType, Report, Verdict
from roofstat.rules import rs901_verdict_changed
from roofstat.rules.registry import RULES
from roofstat.rules.rule import KernelKey, PreviousVerdict, kernel_key
from roofstat.rules.suppressions import ReadLines

__all__ = ["Baseline", "line_text", "parse_baseline"]

_SCHEMA = "roofstat-baseline/1"
_KNOWN_CODES = frozenset(rule.code for rule in RULES) - {rs901_verdict_changed.RULE.code}

FindingKey = tuple[str, str, str, str]
"""Code, file, kernel, text of the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What an earlier run found.

    Attributes:
        gpu: Id of the card that it was made for.
        findings: How often each finding is there.
        verdicts: What it said of each kernel.
    """

    gpu: str
    findings: Mapping[FindingKey, int] = field(default_factory=dict)
    verdicts: Mapping[KernelKey, PreviousVerdict] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report, root: Path, read_lines: ReadLines) -> Baseline:
        """Return the baseline that a report makes, with file names relative to a directory."""
        return cls(
            gpu=report.gpu.id,
            findings=Counter(
                _finding_key(item, root, read_lines)
                for item in report.diagnostics
                if item.code in _KNOWN_CODES
            ),
            verdicts={
                kernel_key(kernel, _relative_name(kernel.file, root)): PreviousVerdict.of(kernel)
                for kernel in report.kernels
            },
        )

    def previous(
        self,
        kernels: Iterable[KernelReport],
        root: Path,
        renamed: Mapping[Path, Path] = MappingProxyType({}),
    ) -> dict[KernelKey, PreviousVerdict]:
        """Return the verdicts by the keys that the kernels of a report have.

        Args:
            kernels: Those of the report.
            root: Directory that the names here are relative to.
            renamed: Files that have another name here.
        """
        found = {}
        for kernel in kernels:
            file = Path(kernel.file).resolve()
            name = _relative_name(str(renamed.get(file, file)), root)
            known = self.verdicts.get(kernel_key(kernel, name))
            if known is not None:
                found[kernel_key(kernel)] = known
        return found

    def new(
        self, diagnostics: Iterable[Diagnostic], root: Path, read_lines: ReadLines
    ) -> tuple[Diagnostic, ...]:
        """Return the diagnostics that are not known."""
        left = Counter(self.findings)
        kept = []
        for item in diagnostics:
            key = _finding_key(item, root, read_lines)
            if left[key] > 0:
                left[key] -= 1
            else:
                kept.append(item)
        return tuple(kept)

    def gone(
        self,
        diagnostics: Iterable[Diagnostic],
        kernels: Iterable[KernelReport],
        codes: Collection[str],
        root: Path,
        read_lines: ReadLines,
    ) -> int:
        """Return how many known findings of these rules in these kernels are no longer there."""
        left = Counter(self.findings)
        left.subtract(_finding_key(item, root, read_lines) for item in diagnostics)
        signatures = {kernel.signature for kernel in kernels}
        return sum(
            count
            for (code, _, kernel, _), count in left.items()
            if count > 0 and code in codes and kernel in signatures
        )

    def to_text(self) -> str:
        """Return the file's content: sorted, one finding a line, so that it merges well."""
        findings = [
            json.dumps(
                dict(zip(("code", "file", "kernel", "text"), key, strict=True)) | {"count": count}
            )
            for key, count in sorted(self.findings.items())
        ]
        kernels = [
            json.dumps(
                {
                    "file": file,
                    "kernel": signature,
                    "launch": index,
                    "verdict": verdict.verdict.value,
                    "limiter": verdict.limiter.value if verdict.limiter is not None else None,
                    "intensity": {
                        kind.value: float(f"{value:.4g}")
                        for kind, value in verdict.intensity.items()
                    },
                }
            )
            for (file, signature, index), verdict in sorted(
                self.verdicts.items(), key=lambda pair: pair[0]
            )
        ]
        head = f'{{\n"schema": {json.dumps(_SCHEMA)},\n"gpu": {json.dumps(self.gpu)},\n'
        return f'{head}"findings": [{_lines(findings)}],\n"kernels": [{_lines(kernels)}]\n}}\n'


def parse_baseline(text: str, file: str) -> Baseline:
    """Read a baseline file.

    Raises:
        UsageError: It is none.
    """
    try:
        data = json.loads(text)
        if data.get("schema") != _SCHEMA:
            raise UsageError(
                f"it is no {_SCHEMA} file", file=file, remedy="write one with roofstat baseline"
            )
        return Baseline(
            gpu=data["gpu"],
            findings={
                (item["code"], item["file"], item["kernel"], item["text"]): int(item["count"])
                for item in data["findings"]
            },
            verdicts={
                (item["file"], item["kernel"], int(item["launch"])): _verdict(item)
                for item in data["kernels"]
            },
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"it cannot be read as a baseline: {type(error).__name__}: {error}",
            file=file,
            remedy="write it anew with roofstat baseline",
        ) from error


def _relative_name(file: str, root: Path) -> str:
    """Return a file's name below a directory, with slashes; its absolute name where it lies elsewhere."""
    place = Path(file).resolve()
    try:
        return place.relative_to(root.resolve()).as_posix()
    except ValueError:
        return place.as_posix()


def _verdict(item: Mapping[str, Any]) -> PreviousVerdict:
    return PreviousVerdict(
        verdict=Verdict(item["verdict"]),
        limiter=NumberType(item["limiter"]) if item["limiter"] is not None else None,
        intensity={NumberType(kind): float(value) for kind, value in item["intensity"].items()},
    )


def _finding_key(item: Diagnostic, root: Path, read_lines: ReadLines) -> FindingKey:
    text = line_text(item, read_lines)
    return item.code, _relative_name(item.file, root), item.kernel or "", text


def line_text(item: Diagnostic, read_lines: ReadLines) -> str:
    """Return the line of a finding, however it is indented; empty where it has none."""
    lines = read_lines(item.file)
    if item.line is None or not 0 < item.line <= len(lines):
        return ""
    return " ".join(lines[item.line - 1].split())


def _lines(items: Sequence[str]) -> str:
    return "\n" + ",\n".join(items) + "\n" if items else ""
