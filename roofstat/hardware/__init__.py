"""GPU descriptions: what each card can do, with a source for every number."""

from roofstat.hardware.catalogue import available_gpus, gpu_aliases, load_gpu, nearest_names
from roofstat.hardware.figures import Figure, FigureStatus
from roofstat.hardware.gpu import ClockChoice, Gpu, TensorType, Vendor
from roofstat.hardware.occupancy import Occupancy, OccupancyLimiter, occupancy

__all__ = [
    "ClockChoice",
    "Figure",
    "FigureStatus",
    "Gpu",
    "Occupancy",
    "OccupancyLimiter",
    "TensorType",
    "Vendor",
    "available_gpus",
    "gpu_aliases",
    "load_gpu",
    "nearest_names",
    "occupancy",
]
