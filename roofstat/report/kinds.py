"""The closed sets of words in a report."""

from __future__ import annotations

import enum

__all__ = [
    "AssumptionKind",
    "Compiler",
    "Direction",
    "ErrorKind",
    "Language",
    "LaunchSource",
    "MemoryLevel",
    "MemorySpace",
    "PatternKind",
    "Severity",
    "TrafficRegime",
    "TripCountSource",
]


class Language(enum.Enum):
    """How a kernel is written."""

    CUDA = "cuda"
    OPENMP = "openmp"
    HIP = "hip"


class Compiler(enum.Enum):
    """Whose code generation the counts assume."""

    NVCC = "nvcc"
    CLANG = "clang"


class TrafficRegime(enum.Enum):
    """Which DRAM bytes a verdict is made from."""

    STEADY = "steady"
    """A launch inside a running program: stores reach DRAM."""
    PROFILED = "profiled"
    """One isolated launch as a profiler sees it: cold caches, stores still in L2 at the end are not counted."""

    @property
    def other(self) -> TrafficRegime:
        """The one of the two that this is not."""
        return TrafficRegime.PROFILED if self is TrafficRegime.STEADY else TrafficRegime.STEADY


class LaunchSource(enum.Enum):
    """Where a launch configuration comes from."""

    FLAG = "flag"
    LABEL = "label"
    HOST_CODE = "host-code"
    ASSUMED = "assumed"


class TripCountSource(enum.Enum):
    """Where a loop's trip count comes from."""

    CODE = "code"
    """Constants and launch geometry alone."""
    HOST_CODE = "host-code"
    """Kernel arguments that the host program sets."""
    FLAG = "flag"
    DATA = "data"
    """Buffer contents that the host program fills in a way the analysis follows."""
    ASSUMED = "assumed"


class MemorySpace(enum.Enum):
    """Where an accessed object lives."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    TEXTURE = "texture"


class MemoryLevel(enum.Enum):
    """Where a load from global memory finds its datum."""

    L1 = "l1"
    L2 = "l2"
    DRAM = "dram"


class Direction(enum.Enum):
    """What an access does."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class AssumptionKind(enum.Enum):
    """What the analysis had to take for granted."""

    TRIP_COUNT = "trip-count"
    BRANCH = "branch"
    VALUE = "value"
    ADDRESS = "address"
    LAUNCH = "launch"
    REFUSED_LAUNCH = "refused-launch"
    """The launch fails: a size that no device takes, or more than the card has."""
    OVERFLOW = "overflow"
    """An index does not fit its type."""
    LIBRARY_CALL = "library-call"
    INPUT_FILE = "input-file"
    ATOMICS = "atomics"
    CACHE = "cache"
    LOWERING = "lowering"
    SAMPLING = "sampling"
    SOURCE = "source"
    UNPARSED = "unparsed"
    """The parser had to leave out or to mend part of the body."""


class PatternKind(enum.Enum):
    """What a place in the code of a kernel does that counts and traffic do not show."""

    DOUBLE_LITERAL = "double-literal"
    """A double constant meets a single-precision value."""
    DOUBLE_FUNCTION = "double-function"
    """A double-precision function of single-precision values."""
    RUNTIME_DIVISION = "runtime-division"
    """An integer division or remainder by a value that is not constant."""
    INVARIANT_LOAD = "invariant-load"
    """A global load in a loop, from one address throughout, that the compiler must repeat."""
    HOISTED_LOAD = "hoisted-load"
    """A global load in a loop that the compiler makes before it, once."""
    MEMORY_ACCUMULATOR = "memory-accumulator"
    """The same, where the loop itself changes the datum."""
    REPEATED_LOAD = "repeated-load"
    """A global load of what was loaded before, that the compiler must repeat since a store came between."""
    THREAD_DIVERGENCE = "thread-divergence"
    """A branch on the thread index that splits warps, with work on both sides."""
    THREAD_GUARD = "thread-guard"
    """A branch on the thread index that leaves some threads of a warp without work."""
    MAPPED_EACH_LAUNCH = "mapped-each-launch"
    """Arrays that an OpenMP region moves at every launch."""
    UNDISTRIBUTED_NEST = "undistributed-nest"
    """A loop that OpenMP distributes and whose body is nothing but another loop."""


class Severity(enum.Enum):
    """How much a diagnostic matters."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class ErrorKind(enum.Enum):
    """Why a file has no result."""

    READ = "read"
    PARSE = "parse"
    TIMEOUT = "timeout"
    CRASH = "crash"
    INTERNAL = "internal"
