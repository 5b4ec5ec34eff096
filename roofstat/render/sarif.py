"""SARIF 2.1.0, for code-scanning services: the findings and remarks of a report, with the rules behind them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from roofstat.render.file_names import repository_name
from roofstat.render.options import CharacterColumn, RenderOptions
from roofstat.render.quantities import bound
from roofstat.render.words import error_text
from roofstat.report import AnalysisError, Diagnostic, Report, Severity
from roofstat.rules import RULES, Rule

__all__ = ["render_sarif"]

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.NOTE: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}
_ROOT = "SRCROOT"
_BY_CODE = {rule.code: rule for rule in RULES}


def render_sarif(report: Report, options: RenderOptions) -> str:
    """Return the report as a SARIF log with one run; ASCII only."""
    codes = sorted({item.code for item in report.diagnostics})
    seen: Counter[str] = Counter()
    driver = {
        "name": report.tool.name,
        "semanticVersion": report.tool.version,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not report.errors,
                "toolExecutionNotifications": [_notification(error) for error in report.errors],
            }
        ],
        "results": [
            _result(item, codes, seen, options.character_column) for item in report.diagnostics
        ],
        "properties": {"gpu": report.gpu.id},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(code: str) -> dict[str, Any]:
    rule = _BY_CODE.get(code)
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.name.replace("-", " ")},
        "fullDescription": {"text": rule.detects},
        "help": {"text": _help(rule)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["performance"], "precision": "high"},
    }


def _help(rule: Rule) -> str:
    return f"{rule.detects}\n\nWhy it costs: {rule.costs}\n\nWhen it is wrong: {rule.wrong_when}"


def _result(
    item: Diagnostic, codes: list[str], seen: Counter[str], column_of: CharacterColumn
) -> dict[str, Any]:
    text = item.message
    if item.speedup_bound is not None:
        text += f"; at most {bound(item.speedup_bound)} faster"
    if item.help:
        text += f". {item.help[0].upper()}{item.help[1:]}"
    column = item.column
    if item.line is not None and column is not None:
        column = column_of(item.file, item.line, column)
    location: dict[str, Any] = {"physicalLocation": _place(item.file, item.line, column)}
    if item.kernel is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": item.kernel, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": codes.index(item.code),
        "level": _LEVELS[item.severity],
        "message": {"text": f"{text}."},
        "locations": [location],
        "partialFingerprints": {"roofstat/v1": _fingerprint(item, seen)},
    }
    if item.evidence or item.speedup_bound is not None:
        result["properties"] = {
            "evidence": [
                {"name": each.name, "value": each.value, "unit": each.unit}
                for each in item.evidence
            ],
            "speedupBound": item.speedup_bound,
        }
    if item.fix:
        result["fixes"] = [_fix(item, column_of)]
    return result


def _fix(item: Diagnostic, column_of: CharacterColumn) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": column_of(item.file, edit.line, edit.column),
                "endColumn": column_of(item.file, edit.line, edit.end_column),
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in item.fix
    ]
    change = {"artifactLocation": _artifact(item.file), "replacements": replacements}
    return {"description": {"text": item.help or item.message}, "artifactChanges": [change]}


def _fingerprint(item: Diagnostic, seen: Counter[str]) -> str:
    """What a finding keeps when lines move: rule, file, kernel, and its number among those."""
    text = "\0".join((item.code, repository_name(item.file), item.kernel or item.message))
    seen[text] += 1
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{digest[:16]}:{seen[text]}"


def _notification(error: AnalysisError) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": error_text(error)},
        "locations": [{"physicalLocation": _place(error.file, error.line, None)}],
    }


def _place(file: str, line: int | None, column: int | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if line is not None:
        place["region"] = {"startLine": line} | ({"startColumn": column} if column else {})
    return place


def _artifact(file: str) -> dict[str, str]:
    path = repository_name(file)
    name = quote(path.encode("utf-8", "surrogateescape"))
    if PurePath(path).is_absolute():
        return {"uri": f"file://{name}"}
    return {"uri": name, "uriBaseId": _ROOT}
