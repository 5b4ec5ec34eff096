"""Which kernels are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofstat.analysis.kernel_names import finds_kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from roofstat.analysis.time_limit import TimeLimit
    from roofstat.execution.run_ends import Deadline
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

    @property
    def deadline(self) -> Deadline:
        """Until when launches may be run to their end."""
        return self._limit.deadline

    @property
    def rest_s(self) -> float:
        """Seconds until launches, and the host code around them, are interrupted."""
        return self._limit.launches_rest_s

    def unasked(self) -> tuple[str, ...]:
        """Names of the program's kernels that the pattern does not find."""
        keys = () if self._pattern is None else (*self._program.kernels, *self._program.regions)
        passed_over = [self._names(key)[0] for key in keys if not self._fits(key)]
        return tuple(dict.fromkeys(passed_over))

    def _fits(self, key: str) -> bool:
        if self._pattern is None:
            return True
        name, signature = self._names(key)
        return not name or finds_kernel(self._pattern, name=name, signature=signature)

    def _names(self, key: str) -> tuple[str, str]:
        """Name and signature; empty where neither is known."""
        region = self._program.regions.get(key)
        if region is not None:
            return region.function, region.function
        function = self._program.functions.get(key)
        return (function.name, function.signature) if function is not None else ("", "")
