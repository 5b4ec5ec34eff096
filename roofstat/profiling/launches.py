"""What a profiler measured of one launch, whichever profiler it was, and which launches are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import ProfileError
from roofstat.report import Language

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from roofstat.evaluation.labels import Dim3, Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledLaunch:
    """One measured launch of one kernel.

    Attributes:
        kernel: Name as the profiler writes it.
        symbol: Mangled name, where the profiler gives it.
        grid: Blocks; None where the profiler does not tell the axes apart.
        block: Threads of a block; None likewise.
        configuration: The launch configuration in the profiler's own words: what tells two launches apart.
        device: Name of the card, where the profiler gives it.
        process: File name of the program, where the profiler gives it.
        time_s: Duration.
        measured: What was measured, per launch; absent quantities were not.
        tensor: Whether matrix instructions ran; None where that was not measured.
        note: What a reader of the table must know of the row.
        language: Of the kernel, as far as the profiler tells.
    """

    kernel: str
    symbol: str | None = None
    grid: Dim3 | None = None
    block: Dim3 | None = None
    configuration: str
    device: str | None = None
    process: str | None = None
    time_s: float | None = None
    measured: Mapping[Quantity, float]
    tensor: bool | None = None
    note: str = ""
    language: Language = Language.CUDA

    @property
    def failed(self) -> bool:
        """Whether the profiler lists the launch without having measured it: the kernel faulted on the GPU."""
        return 0 in (self.grid or ()) or (not self.measured and self.time_s is None)

    @property
    def key(self) -> tuple[str, str, str]:
        """What launches of one kernel with one configuration on one kind of card have in common."""
        return (self.symbol or self.kernel, self.configuration, self.device or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The launches that become rows.

    Attributes:
        left_out: How many further ones the cap left out.
        failed: Kernels of the launches that were not measured, which are no rows.
    """

    launches: tuple[ProfiledLaunch, ...]
    left_out: int
    failed: tuple[str, ...]


def select(
    launches: Sequence[ProfiledLaunch],
    *,
    kernel: re.Pattern[str] | None = None,
    every: bool = False,
    most: int | None = None,
) -> Selection:
    """Keep the first launch of each kernel and launch configuration, in the order of the program.

    Args:
        launches: In the order in which they ran.
        kernel: Only kernels whose name or mangled name matches.
        every: Keep the repeated launches too.
        most: The cap.

    Raises:
        ProfileError: Nothing is left.
    """
    matching = [
        launch
        for launch in launches
        if kernel is None or kernel.search(launch.kernel) or kernel.search(launch.symbol or "")
    ]
    if launches and not matching:
        raise ProfileError(
            "no profiled kernel matches --kernel",
            remedy=f"profiled were {', '.join(dict.fromkeys(launch.kernel for launch in launches))}",
        )
    measured = [launch for launch in matching if not launch.failed]
    failed = tuple(launch.kernel for launch in matching if launch.failed)
    if not measured:
        raise ProfileError(
            f"nothing was measured: {', '.join(dict.fromkeys(failed))} failed on the GPU",
            remedy="run the program alone, for example under compute-sanitizer",
        )
    firsts = {launch.key: launch for launch in reversed(measured)}
    kept = [launch for launch in measured if every or firsts[launch.key] is launch]
    return Selection(
        launches=tuple(kept[:most]), left_out=len(kept) - len(kept[:most]), failed=failed
    )
