"""The counters of Nsight Compute behind each column of a label table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from roofstat.evaluation.labels import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_SASS: Final = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
_GLOBAL: Final = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_LOCAL: Final = "l1tex__t_sectors_pipe_lsu_mem_local_op_{}.sum"
_READ: Final = "dram__bytes_read.sum"
_WRITE: Final = "dram__bytes_write.sum"
_L2: Final = "lts__t_bytes.sum"

TIME: Final = "gpu__time_duration.sum"
TENSOR: Final = "sm__inst_executed_pipe_tensor.sum"
HALF_ON_TENSOR: Final = "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"
"""Packed half instructions that run on the tensor pipe of GA100 and GH100: no matrix instructions."""
DEVICE_NAME: Final = "device__attribute_display_name"


_OTHER_NAMES: Final[Mapping[str, str]] = {
    _READ: "dram__bytes_op_read.sum",
    _WRITE: "dram__bytes_op_write.sum",
}
"""Names of the same counters on GB202 and its kind."""

BYTES: Final = frozenset({_READ, _WRITE, *_OTHER_NAMES.values(), _L2})
"""Counters that have a unit of bytes; the others but the time are plain counts."""


def _arithmetic(letter: str) -> dict[str, float]:
    """Additions and multiplications count one, a fused multiply-add two."""
    return {_SASS.format(letter + name): weight for name, weight in _WEIGHTS}


_WEIGHTS: Final = (("add", 1.0), ("mul", 1.0), ("fma", 2.0))

_TERMS: Final[Mapping[Quantity, Mapping[str, float]]] = {
    Quantity.SP_FLOP: _arithmetic("f"),
    Quantity.DP_FLOP: _arithmetic("d"),
    Quantity.HP_FLOP: _arithmetic("h"),
    Quantity.INT_OP: {_SASS.format("integer"): 1.0},
    Quantity.DRAM_BYTES: {_READ: 1.0, _WRITE: 1.0},
    Quantity.DRAM_READ_BYTES: {_READ: 1.0},
    Quantity.DRAM_WRITE_BYTES: {_WRITE: 1.0},
    Quantity.L2_BYTES: {_L2: 1.0},
    Quantity.GLOBAL_LD_REQUESTS: {_GLOBAL.format("requests", "ld"): 1.0},
    Quantity.GLOBAL_LD_SECTORS: {_GLOBAL.format("sectors", "ld"): 1.0},
    Quantity.GLOBAL_ST_REQUESTS: {_GLOBAL.format("requests", "st"): 1.0},
    Quantity.GLOBAL_ST_SECTORS: {_GLOBAL.format("sectors", "st"): 1.0},
    Quantity.SHARED_BANK_CONFLICTS: {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 1.0},
    Quantity.LOCAL_SECTORS: {_LOCAL.format("ld"): 1.0, _LOCAL.format("st"): 1.0},
}
"""Each quantity is the sum of these counters times their weights; it is unknown where one of them is."""

COLLECTED: Final = (
    *dict.fromkeys(
        (TIME, *(name for terms in _TERMS.values() for name in terms), TENSOR, HALF_ON_TENSOR)
    ),
    *_OTHER_NAMES.values(),
)
"""What a run asks the profiler for. It leaves out what a chip does not have."""


def counters_of(wanted: Iterable[Quantity]) -> tuple[str, ...]:
    """The counters that quantities are made of."""
    return tuple(dict.fromkeys(name for quantity in wanted for name in _TERMS[quantity]))


def quantities(value: Callable[[str], float | None]) -> dict[Quantity, float]:
    """The quantities that follow from the counters.

    Args:
        value: A counter's value in base units, None where it was not collected.
    """

    def counted(name: str) -> float | None:
        number = value(name)
        return value(_OTHER_NAMES[name]) if number is None and name in _OTHER_NAMES else number

    found: dict[Quantity, float] = {}
    for quantity, terms in _TERMS.items():
        values = [(counted(name), weight) for name, weight in terms.items()]
        known = [number * weight for number, weight in values if number is not None]
        if len(known) == len(values):
            found[quantity] = sum(known)
    return found
