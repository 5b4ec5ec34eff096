"""What is said of a program beside its numbers: messages of the parser, launches that are lost, wrong or missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.statements import DiagnosticKind
from clang_queries.quick_pattern import pattern
from roofstat.analysis.assumptions import refused_sizes
from roofstat.analysis.default_runs import host_reason
from roofstat.program.openmp import invalid_clauses
from roofstat.report import AnalysisError, AssumptionKind, Diagnostic, ErrorKind, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.statements import LeftOutCode, ParseDiagnostic, Unit
    from roofstat.analysis.options import AnalysisOptions
    from roofstat.execution.host.defects import Defect
    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.execution.host.run import HostRun
    from roofstat.hardware import Gpu
    from roofstat.program.link import Program
    from roofstat.program.own_definitions import Clash
    from roofstat.report import KernelReport

_ASKED_MACRO = pattern(r"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t]*\(?[ \t]*|[ \t]+)(\w+)[ \t]*\)?")
"""A condition on one macro."""
_TOO_DEEP = "instantiation exceeded maximum depth"
"""What the parser says where it gives up making instances of templates: calls of the others have no body."""
_FARTHEST_ERROR = 20
"""Lines of a launch within which the parser says what is wrong with it."""


def remarks_on(units: Sequence[Unit], run: HostRun) -> Iterator[Diagnostic]:
    """Remarks on the units and on what the run of main() has met."""
    instantiated = {unit.functions[key].name for unit in units for key in unit.kernels}
    for unit in units:
        for error in unit.diagnostics:
            if error.kind is not DiagnosticKind.INVALID:
                yield parse_remark(error, unit)
        for position in unit.lost_launches:
            yield _lost_launch(unit, position)
        for template in unit.likely:
            yield _uninstantiated(
                template.name,
                template.position.file,
                template.position.line,
                f"is analysed as {template.instance}: {template.reason}",
            )
        for template in unit.uninstantiated:
            if template.name not in instantiated:
                yield _uninstantiated(
                    template.name,
                    template.position.file,
                    template.position.line,
                    f"is not analysed: {template.reason}",
                )
    if not run.program.regions and not any(unit.kernels for unit in units):
        found = (_left_out(code) for unit in units for code in unit.left_out)
        yield from dict.fromkeys(remark for remark in found if remark is not None)
    for key, region in run.program.regions.items():
        reason = host_reason(run, key)
        if reason and key not in run.launcher.launched:
            yield Diagnostic(
                code="not-launched",
                severity=Severity.NOTE,
                message=f"this target region is not launched: {reason}",
                file=region.position.file,
                line=region.line,
                help="state a launch with --launch to have it analysed all the same",
            )
    for note in run.notes:
        yield Diagnostic(
            code=note.kind,
            severity=Severity.NOTE,
            message=note.text,
            file=note.position.file,
            line=note.position.line or None,
        )


def build_macros(options: AnalysisOptions, file: str) -> Iterator[Diagnostic]:
    """What the makefile of a program has defined where the user did not say otherwise."""
    stated = {macro.partition("=")[0] for macro in options.defines}
    stated |= {flag[2:] for flag in options.extra_flags if flag.startswith("-U")}
    taken = [macro for macro in options.build_defines if macro.partition("=")[0] not in stated]
    if not taken or options.compile_commands or options.makefile is None:
        return
    flags = " ".join(f"-D {macro}" for macro in taken)
    yield Diagnostic(
        code="build-macros",
        severity=Severity.NOTE,
        message=f"compiled as {options.makefile.name} says, with {flags}",
        file=file,
        help="-D NAME=VALUE states another value, -U NAME none",
    )


def _lost_launch(unit: Unit, place: Position) -> Diagnostic:
    """A launch that the tree does not hold: of a template that nothing instantiates, or one with an error in it."""
    is_lowered = any(
        item.position.file == place.file and item.position.line <= place.line <= item.end_line
        for item in unit.functions.values()
    )
    is_wrong = any(
        item.position.file == place.file and abs(item.position.line - place.line) <= _FARTHEST_ERROR
        for item in unit.diagnostics
    )
    if is_lowered or is_wrong:
        message, severity = "a launch here could not be read", Severity.WARNING
    else:
        message, severity = "nothing instantiates the template of this launch", Severity.NOTE
    return Diagnostic(
        code="lost-launch",
        severity=severity,
        message=message,
        file=place.file,
        line=place.line,
        help="state it with --launch KERNEL:grid=...,block=...",
    )


def parse_remark(error: ParseDiagnostic, unit: Unit) -> Diagnostic:
    """Return what is said of a message of the parser."""
    place = unit.functions.get(error.function) if error.function is not None else None
    return Diagnostic(
        code=error.kind.value,
        severity=Severity.WARNING,
        message=f"{error.text} (in {place.name})" if place is not None else error.text,
        file=error.position.file,
        line=error.position.line or None,
        column=error.position.column or None,
        help=error.remedy or _parse_help(error.text),
    )


def _parse_help(text: str) -> str:
    """What to do about a message of the parser."""
    if "reference to __global__ function" in text:
        return "launches from device code are not followed: state that kernel's own with --launch"
    if "file not found" in text:
        return "give the folder of the header with -I"
    if any(word in text for word in ("'concept'", "'requires'", "'co_await'", "'co_yield'")):
        return "choose a later standard, such as -std=c++20"
    if any(
        word in text
        for word in ("undeclared", "unknown type name", "no member named", "no template named")
    ):
        return "give the missing header with -I, or the missing macro with -D"
    return "what it concerns is left out of the counts; mend the source"


def _left_out(code: LeftOutCode) -> Diagnostic | None:
    asked = _ASKED_MACRO.fullmatch(code.condition)
    if asked and asked[1].startswith("_"):
        return None  # what a compiler for the GPU defines itself: the file is one for the host here
    return Diagnostic(
        code="left-out-code",
        severity=Severity.WARNING,
        message=f"GPU code here is left out by {code.condition} in line {code.condition_line}",
        file=code.position.file,
        line=code.position.line,
        help=f"define what it asks for with -D {asked[1] if asked else 'MACRO'}",
    )


def _uninstantiated(name: str, file: str, line: int, what: str) -> Diagnostic:
    return Diagnostic(
        code="uninstantiated-template",
        severity=Severity.NOTE,
        message=f"template {name} {what}",
        file=file,
        line=line,
        help="launch it, or instantiate it explicitly",
    )


def impossible_launches(kernels: Sequence[KernelReport], gpu: Gpu) -> Iterator[Diagnostic]:
    """Launches that fail on the card."""
    for kernel in kernels:
        launch, problems = kernel.launch, refused_sizes(kernel)
        if launch is not None and problems:
            yield Diagnostic(
                code="impossible-launch",
                severity=Severity.WARNING,
                message=f"this launch of {kernel.name} fails on {gpu.name}: {', and '.join(problems)}",
                file=launch.file or kernel.file,
                line=launch.line or kernel.line,
                help="its numbers are those of a launch that succeeds: check what --args, --set and --gpu lead to, or give --launch",
            )


def overflowing_indices(kernels: Sequence[KernelReport]) -> Iterator[Diagnostic]:
    """Places where an index does not fit its type, each once for all launches."""
    found = {
        (item.file or kernel.file, item.line, kernel.name): item.text
        for kernel in kernels
        for item in kernel.assumptions
        if item.kind is AssumptionKind.OVERFLOW
    }
    for (file, line, name), text in found.items():
        yield Diagnostic(
            code="index-overflow",
            severity=Severity.WARNING,
            message=f"{name}: {text}",
            file=file,
            line=line,
            help="compute it in 64 bits: (size_t)row * columns + column, size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x",
        )


def duplicate_definitions(clashes: Sequence[Clash]) -> Iterator[Diagnostic]:
    """Files that define the same kernels or host functions, as those of different programs do."""
    between: dict[tuple[str, str], list[Clash]] = {}
    for clash in clashes:
        files = clash.first.position.file, clash.second.position.file
        between.setdefault(files, []).append(clash)
    for (first, second), found in between.items():
        names = list(dict.fromkeys(clash.second.name for clash in found))
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Diagnostic(
            code="duplicate-definition",
            severity=Severity.NOTE,
            message=f"{names[0]}{others} of this file is also defined in {first}:{found[0].first.position.line}, so that "
            f"they cannot be of one program: each file is analysed with its own, other files with those of {first}",
            file=second,
            line=found[0].second.position.line,
        )


def body_errors(units: Sequence[Unit]) -> dict[str, list[ParseDiagnostic]]:
    """Errors of the parser inside of functions, by their keys; under the empty key those after which it makes no more instances of templates."""
    found: dict[str, list[ParseDiagnostic]] = {}
    for unit in units:
        for error in unit.diagnostics:
            if error.kind is not DiagnosticKind.PARSE:
                continue
            if _TOO_DEEP in error.text:
                found.setdefault("", []).append(error)
            elif error.function is not None:
                found.setdefault(error.function, []).append(error)
    return found


def note_parse_errors(
    launch: HostLaunch, errors: Mapping[str, Sequence[ParseDiagnostic]], program: Program
) -> None:
    """Have a kernel in whose body the parser has mended something say so beside its numbers."""
    if any(item.kind == "parse-error" for item in launch.trace.code.assumptions):
        return
    region = program.regions.get(launch.kernel)
    inside = [
        item
        for item in errors.get(launch.kernel if region is None else region.function_key, ())
        if region is None or region.line <= item.position.line <= region.end_line
    ]
    if any(item.kind == "library-call" for item in launch.trace.code.assumptions):
        inside += errors.get("", ())
    if inside:
        last = inside[-1]
        what = "" if _TOO_DEEP in last.text else " of the body"
        text = f"line {last.position.line}{what} did not parse: {last.text}"
        launch.notes.append(("parse-error", text))


def invalid_directives(units: Sequence[Unit], program: Program) -> Iterator[AnalysisError]:
    """Directives that no compiler takes."""
    found = {
        (item.position, item.text): item.remedy
        for unit in units
        for item in unit.diagnostics
        if item.kind is DiagnosticKind.INVALID
    }
    for function in program.functions.values():
        for problem in invalid_clauses(program, function):
            found[problem.position, problem.text] = problem.remedy
    for (position, text), remedy in found.items():
        yield AnalysisError(
            kind=ErrorKind.PARSE,
            file=position.file,
            line=position.line or None,
            message=text,
            remedy=remedy,
        )


def defect_error(defect: Defect) -> AnalysisError:
    """A defect of this program that cost a launch, or the rest of the host code."""
    lost = (
        "host code is followed no further" if defect.kernel is None else "this launch is left out"
    )
    return AnalysisError(
        kind=ErrorKind.INTERNAL,
        file=defect.position.file,
        line=defect.position.line or None,
        message=f"internal error while {defect.name} was run: {defect.error}; {lost}",
        remedy="please report it with the file",
        detail=defect.trace,
    )
