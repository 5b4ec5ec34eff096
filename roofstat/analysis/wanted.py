"""Which kernels are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.kernel_names import finds_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.analysis.time_limit import TimeLimit
    from roofstat.program.link import Program


class Wanted:
    """Whether a kernel is asked for; asked before each launch."""

    def __init__(
        self,
        pattern: str | None,
        program: Program,
        checkpoint: Callable[[], None],
        limit: TimeLimit,
    ) -> None:
        self._pattern = pattern
        self._program = program
        self._checkpoint = checkpoint
        self._limit = limit

    def __call__(self, key: str) -> bool:
        """Decide by the kernel's name and signature, and by the time that is left."""
        self._checkpoint()
        return self._fits(key) and self._limit.may_run(key)

    def _fits(self, key: str) -> bool:
        if self._pattern is None:
            return True
        region = self._program.regions.get(key)
        if region is not None:
            return finds_kernel(self._pattern, name=region.function, signature=region.function)
        function = self._program.functions.get(key)
        return function is None or finds_kernel(
            self._pattern, name=function.name, signature=function.signature
        )
