"""Matrix instructions that a card does not have."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from roofstat.program.code import Op, TensorOperation
from roofstat.report import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from roofstat.execution.host.launch_table import HostLaunch
    from roofstat.hardware import Gpu
    from roofstat.program.link import Program

__all__ = ["missing_instructions"]

_ANY = 70
"""All cards with matrix units have wmma on half precision."""
_NAMES = {
    "half": "f16",
    "__half": "f16",
    "__nv_bfloat16": "bf16",
    "double": "f64",
    "signed char": "s8",
    "unsigned char": "u8",
}


@cache
def _targets() -> Mapping[str, Mapping[str, int]]:
    file = resources.files("roofstat.analysis") / "data" / "instruction_targets.toml"
    return tomllib.loads(file.read_text("utf-8"))


def missing_instructions(
    launches: Sequence[HostLaunch], program: Program, gpu: Gpu
) -> Iterator[Diagnostic]:
    """Kernels with a matrix instruction that the card is too old for, or that other vendors do not have at all."""
    target = re.fullmatch(r"sm_(\d+)[a-z]?", gpu.target)
    has = int(target[1]) if target is not None else 0
    for launch in {launch.kernel: launch for launch in launches}.values():
        needed = {
            _least_target(item.detail): (item.detail, item.position)
            for _, item in launch.trace.code.instructions()
            if item.op is Op.TENSOR
            and isinstance(item.detail, TensorOperation)
            and item.detail.kind == "mma"
        }
        least = max(needed, default=0)
        function = program.functions.get(launch.kernel)
        if least <= has or function is None:
            continue
        operation, position = needed[least]
        what = f"{_type(operation)} in pieces of {operation.m} x {operation.n} x {operation.k}"
        lack = f"it is {gpu.target}" if has else "it is no card of NVIDIA"
        yield Diagnostic(
            code="missing-instruction",
            severity=Severity.WARNING,
            message=f"{function.name} does not run on {gpu.name}: its products of matrices of {what} need sm_{least}, {lack}",
            file=position.file,
            line=position.line or None,
            column=position.column or None,
            help="its numbers are those of a card that has the instruction: choose another with --gpu",
        )


def _type(operation: TensorOperation) -> str:
    name = operation.input_type.rsplit("::", 1)[-1]
    return _NAMES.get(name, name)


def _least_target(operation: TensorOperation) -> int:
    table = _targets()
    shape = f"{operation.m}x{operation.n}x{operation.k}"
    return max(
        _ANY,
        table["types"].get(_type(operation), 0),
        table["shapes"].get(shape, 0),
        table["rows"].get(str(operation.m), 0),
    )
