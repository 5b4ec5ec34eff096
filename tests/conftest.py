"""Hypothesis profiles, and one-line ways from CUDA text to code, to the trace of a launch and to a host run."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from clang_queries.command_line import Language, ParseOptions
from clang_queries.unit import lower_unit
from roofstat.analysis.settings import device_model
from roofstat.execution.host.launch_table import HostLaunch
from roofstat.execution.host.run import HostRun
from roofstat.execution.kernel_run import run_kernel
from roofstat.execution.numbers.keys import restart_keys
from roofstat.execution.stored.address_space import AddressSpace
from roofstat.execution.trace import LaunchTrace
from roofstat.hardware import load_gpu
from roofstat.program.code import (
    AtomicAccess,
    Code,
    Instruction,
    MemoryAccess,
    Op,
    Space,
    loops,
)
from roofstat.program.link import Program, link
from roofstat.program.lowering import lower_kernel

# Tests run with importlib mode, which puts no folder on the path.
sys.path.insert(0, str(Path(__file__).parent))

# The tests neither use nor fill the cache of the person who runs them.
os.environ["ROOFSTAT_CACHE_DIR"] = tempfile.mkdtemp(prefix="roofstat-tests-")
atexit.register(shutil.rmtree, os.environ["ROOFSTAT_CACHE_DIR"], ignore_errors=True)

settings.register_profile("dev", deadline=None)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_FLOAT_WORK = {Op.ADD: 1, Op.SUB: 1, Op.MUL: 1, Op.DIV: 1}

Argument = int | float | None | Sequence[float]
"""A number; for pointers the element count, the known contents, or None for an unknown size."""


def build_program(*texts: str, language: Language = Language.CUDA) -> Program:
    """Parse and link texts, one translation unit each; errors in the texts fail the test."""
    suffix = {Language.CUDA: "cu", Language.HIP: "hip", Language.OPENMP: "cpp"}[language]
    units = [
        lower_unit(f"unit{number}.{suffix}", ParseOptions(language=language), text)
        for number, text in enumerate(texts)
    ]
    assert [item.text for unit in units for item in unit.diagnostics] == []
    return link(units)


@lru_cache(maxsize=64)
def _program_of(text: str) -> Program:
    return build_program(text)


def kernel_key(program: Program, name: str | None) -> str:
    """The key of a kernel by its plain name; the only one by default."""
    found = [key for key in program.kernels if name in (None, program.functions[key].name)]
    assert len(found) == 1, [program.functions[key].name for key in program.kernels]
    return found[0]


@dataclass(frozen=True, slots=True)
class Ran:
    """A trace with counts by what stands in the source."""

    trace: LaunchTrace

    @property
    def code(self) -> Code:
        """The code that ran."""
        return self.trace.code

    def instructions(self) -> Iterator[tuple[Instruction, float]]:
        """Instructions with their thread-level executions."""
        for block, item in self.code.instructions():
            yield item, self.trace.block_threads.get(block.number, 0.0)

    @property
    def flop(self) -> float:
        """Float additions, subtractions, multiplications and divisions of all threads."""
        return sum(
            threads * _FLOAT_WORK.get(item.op, 0)
            for item, threads in self.instructions()
            if item.scalar.is_float
        )

    def executions(self, op: Op, line: int | None = None) -> float:
        """Thread-level executions of an operation (on a line)."""
        return sum(
            threads
            for item, threads in self.instructions()
            if item.op is op and line in (None, item.position.line)
        )

    def float_executions(self, op: Op) -> float:
        """Thread-level executions of an operation on floats."""
        return sum(
            threads
            for item, threads in self.instructions()
            if item.op is op and item.scalar.is_float
        )

    def _accesses(self, op: Op, array: str) -> float:
        return sum(
            self.trace.sites[item.site].threads
            for _, item in self.code.instructions()
            if item.op is op
            and isinstance(item.detail, MemoryAccess | AtomicAccess)
            and item.detail.array == array
            and item.site in self.trace.sites
        )

    def loads(self, array: str) -> float:
        """Thread-level loads through a name."""
        return self._accesses(Op.LOAD, array)

    def stores(self, array: str) -> float:
        """Thread-level stores through a name."""
        return self._accesses(Op.STORE, array)

    def atomics(self, array: str) -> float:
        """Thread-level atomics through a name."""
        return self._accesses(Op.ATOMIC, array)

    def warps(self, array: str) -> float:
        """Warp-level requests through a name."""
        return sum(
            self.trace.sites[item.site].warps
            for _, item in self.code.instructions()
            if isinstance(item.detail, MemoryAccess | AtomicAccess)
            and item.detail.array == array
            and item.site in self.trace.sites
        )

    def iterations(self, line: int) -> float:
        """Thread-level iterations of the loop on a line."""
        return sum(
            self.trace.loops[loop.number].iterations
            for loop, _ in loops(self.code.body)
            if loop.position.line == line and loop.number in self.trace.loops
        )

    @property
    def kinds(self) -> set[str]:
        """Kinds of assumption that were made."""
        return {item.kind for item in self.trace.assumptions}


def run_text(
    text: str,
    *,
    grid: int | tuple[int, ...] = 1,
    block: int | tuple[int, ...] = 32,
    arguments: Mapping[str, Argument] | None = None,
    kernel: str | None = None,
    shared_bytes: int = 0,
) -> Ran:
    """Run one launch of a kernel in a text."""
    program = _program_of(text)
    code = lower_kernel(program, kernel_key(program, kernel))
    restart_keys()
    memory = AddressSpace()
    given = dict(arguments or {})
    values = []
    for parameter in code.parameters:
        value = given.pop(parameter.name, None)
        if not parameter.is_pointer:
            assert isinstance(value, int | float), parameter.name
            values.append(value)
            continue
        values.append(
            _buffer(memory, parameter.name, parameter.pointee_bytes, value, program, code)
        )
    assert not given, f"no such parameter: {sorted(given)}"
    trace = run_kernel(
        program,
        code,
        grid=_three(grid),
        block=_three(block),
        arguments=values,
        memory=memory,
        globals_={},
        dynamic_shared_bytes=shared_bytes,
    )
    return Ran(trace)


def _buffer(
    memory: AddressSpace,
    name: str,
    element_bytes: int,
    value: Argument,
    program: Program,
    code: Code,
) -> int:
    count = len(value) if isinstance(value, Sequence) else value
    size = None if count is None else int(count) * element_bytes
    found = memory.allocate(size, Space.GLOBAL, name)
    if isinstance(value, Sequence):
        declared = next(
            item for item in program.functions[code.key].parameters if item.name == name
        )
        scalar = program.scalar_of(declared.type.pointee)
        assert scalar is not None
        for index, item in enumerate(value):
            found.contents.store(index * element_bytes, scalar, item)
    return found.base


def _three(sizes: int | tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z, *_ = (*((sizes,) if isinstance(sizes, int) else sizes), 1, 1)
    return x, y, z


@dataclass(frozen=True, slots=True)
class Hosted:
    """A finished host run."""

    run: HostRun

    @property
    def launches(self) -> list[HostLaunch]:
        """Launch configurations in the order in which they first appeared."""
        return self.run.launcher.table.entries()

    @property
    def shapes(self) -> list[tuple[str, tuple[int, int, int], tuple[int, int, int], float]]:
        """(kernel, grid, block, count) of each."""
        functions = self.run.program.functions
        return [
            (functions[item.kernel].name, item.grid, item.block, item.count)
            for item in self.launches
        ]

    def only(self) -> HostLaunch:
        """The launch, where there is one."""
        assert len(self.launches) == 1, self.shapes
        return self.launches[0]

    def buffer_bytes(self, name: str) -> int | None:
        """Size of a buffer that the only launch touches."""
        found = [item for item in self.only().trace.buffers.values() if item.name == name]
        assert len(found) == 1, [item.name for item in self.only().trace.buffers.values()]
        return found[0].size_bytes

    @property
    def kinds(self) -> set[str]:
        """Kinds of note."""
        return {note.kind for note in self.run.notes}


def run_host(*texts: str, argv: Sequence[str] = ()) -> Hosted:
    """Run main() of a program on an A100."""
    program = build_program(*texts)
    run = HostRun(program, device_model(load_gpu("a100")), arguments=argv)
    run.run_main()
    return Hosted(run)


@pytest.fixture(scope="session")
def program() -> Callable[..., Program]:
    """Texts to a linked program."""
    return build_program


@pytest.fixture(scope="session")
def code() -> Callable[..., Code]:
    """A text to the code of its kernel."""

    def build(text: str, kernel: str | None = None) -> Code:
        linked = _program_of(text)
        return lower_kernel(linked, kernel_key(linked, kernel))

    return build


@pytest.fixture(scope="session")
def run() -> Callable[..., Ran]:
    """A text to the trace of one launch."""
    return run_text


@pytest.fixture(scope="session")
def host() -> Callable[..., Hosted]:
    """Texts to a finished host run."""
    return run_host
