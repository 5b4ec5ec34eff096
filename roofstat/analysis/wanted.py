"""Which kernels are asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
        checkpoint: Callable[[], None] = lambda: None,
        limit: TimeLimit | None = None,
    ) -> None:
        self._pattern = re.compile(pattern) if pattern is not None else None
        self._program = program
        self._checkpoint = checkpoint
        self._limit = limit

    def __call__(self, key: str) -> bool:
        """Decide by the kernel's name and signature, and by the time that is left."""
        self._checkpoint()
        return self._fits(key) and (self._limit is None or self._limit.may_run(key))

    def _fits(self, key: str) -> bool:
        if self._pattern is None:
            return True
        region = self._program.regions.get(key)
        if region is not None:
            return bool(self._pattern.search(region.function))
        function = self._program.functions.get(key)
        return function is None or any(
            self._pattern.search(name) for name in (function.name, function.signature)
        )
