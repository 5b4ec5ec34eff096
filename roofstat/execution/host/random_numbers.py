"""Random numbers: the generators of the C and C++ libraries, run for real where a program draws few numbers.

In loops that are extrapolated a generator's state is lost: draws are then unknown within the bounds of the generator.
"""

from __future__ import annotations

from collections import deque
from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.records import scalar_named, template_arguments
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

RAND_MAX = 2147483647
"""glibc."""
_MASK_32 = 0xFFFFFFFF
_MASK_48 = (1 << 48) - 1
_WHY = "a random number"
_EVEN_REACH = 3.0**0.5
"""Numbers spread evenly so many standard deviations to both sides have the same variance."""


def is_sampled(call: HostCall) -> bool:
    """Whether the call stands for many, of which most are skipped."""
    machine = call.machine
    return machine.weight[0] != 1.0 or any(entry.is_long for entry in machine.loop_stack)


# The C library


class AdditiveGenerator:
    """rand() of glibc: r[i] = r[i-3] + r[i-31] over words that a Lehmer generator seeds (random(3), type 3)."""

    def __init__(self, seed: int) -> None:
        word = seed & _MASK_32 or 1
        words = [word]
        for _ in range(30):
            signed = word - (1 << 32) if word >> 31 else word
            # Schrage's method on signed words, as the library does it.
            high, low = int(signed / 127773), signed - int(signed / 127773) * 127773
            word = 16807 * low - 2836 * high
            if word < 0:
                word += RAND_MAX
            words.append(word)
        self._words = deque((words * 2)[: 31 + 3][-31:], maxlen=31)
        for _ in range(310):
            self._step()

    def _step(self) -> int:
        word = (self._words[-3] + self._words[0]) & _MASK_32
        self._words.append(word)
        return word

    def draw(self) -> int:
        """The next number in [0, RAND_MAX]."""
        return self._step() >> 1


@dataclass(slots=True, eq=False)
class LibraryGenerators:
    """rand() and the drand48() family; None where the state is unknown."""

    additive: AdditiveGenerator | None = field(default_factory=lambda: AdditiveGenerator(1))
    state_48: int | None = 0x1234ABCD330E


@models("srand", "srandom")
def _srand(call: HostCall) -> Value:
    seed = call.integer(0)
    call.state(LibraryGenerators).additive = None if seed is None else AdditiveGenerator(seed)
    return 0


@models("rand", "random")
def _rand(call: HostCall) -> Value:
    generators = call.state(LibraryGenerators)
    if is_sampled(call):
        generators.additive = None
    if generators.additive is None:
        return call.unknown(_WHY, low=0, high=RAND_MAX)
    return generators.additive.draw()


@models("rand_r")
def _rand_r(call: HostCall) -> Value:
    place = call.object(0)
    seed = call.load(call.integer(0), Scalar.U32) if place is not None else None
    if is_sampled(call) or not isinstance(seed, int):
        call.store(0, Scalar.U32, call.unknown(_WHY))
        return call.unknown(_WHY, low=0, high=RAND_MAX)
    result = 0
    for modulus in (2048, 1024, 1024):
        seed = (seed * 1103515245 + 12345) & _MASK_32
        result = (result << 10) ^ (seed // 65536) % modulus
    call.store(0, Scalar.U32, seed)
    return result


@models("srand48")
def _srand48(call: HostCall) -> Value:
    seed = call.integer(0)
    known = None if seed is None else ((seed & _MASK_32) << 16) | 0x330E
    call.state(LibraryGenerators).state_48 = known
    return 0


@models("drand48", "lrand48", "mrand48", "erand48", "nrand48")
def _rand48(call: HostCall) -> Value:
    generators = call.state(LibraryGenerators)
    if is_sampled(call) or call.name.startswith(("erand", "nrand")):
        generators.state_48 = None
    name = call.name
    if generators.state_48 is None:
        if name in ("drand48", "erand48"):
            return _real(call, 0, 1)
        return call.unknown(_WHY, low=-(1 << 31) if name == "mrand48" else 0, high=RAND_MAX)
    generators.state_48 = (generators.state_48 * 0x5DEECE66D + 0xB) & _MASK_48
    if name == "drand48":
        return generators.state_48 / (1 << 48)
    if name == "lrand48":
        return generators.state_48 >> 17
    signed = generators.state_48 >> 16
    return signed - (1 << 32) if signed >> 31 else signed


# Engines of the C++ library


class MersenneTwister:
    """mt19937 (Matsumoto and Nishimura 1998)."""

    _SIZE, _MIDDLE = 624, 397

    def __init__(self, seed: int) -> None:
        word = seed & _MASK_32
        self._words = [word]
        for index in range(1, self._SIZE):
            word = (1812433253 * (word ^ (word >> 30)) + index) & _MASK_32
            self._words.append(word)
        self._next = self._SIZE

    def draw(self) -> int:
        """The next 32 bits."""
        if self._next >= self._SIZE:
            self._twist()
        word = self._words[self._next]
        self._next += 1
        word ^= word >> 11
        word ^= (word << 7) & 0x9D2C5680
        word ^= (word << 15) & 0xEFC60000
        return word ^ (word >> 18)

    def _twist(self) -> None:
        words, size, middle = self._words, self._SIZE, self._MIDDLE
        for index in range(size):
            joined = (words[index] & 0x80000000) | (words[(index + 1) % size] & 0x7FFFFFFF)
            odd = 0x9908B0DF if joined & 1 else 0
            words[index] = words[(index + middle) % size] ^ (joined >> 1) ^ odd
        self._next = 0


@dataclass(slots=True, eq=False)
class Engines:
    """Engines by the address of their objects."""

    known: dict[int, MersenneTwister] = field(default_factory=dict)


def _is_32_bit(call: HostCall) -> bool:
    arguments = template_arguments(call.detail.object_type)
    return len(arguments) < 2 or arguments[1] == "32"


@models("mersenne_twister_engine::mersenne_twister_engine", "mersenne_twister_engine::seed")
def _seed(call: HostCall) -> Value:
    address = call.integer(0)
    engines = call.state(Engines).known
    if address is None:
        return 0
    engines.pop(address, None)
    seed = call.integer(1) if len(call.arguments) > 1 else 5489
    is_number = seed is not None and seed < 1 << 40
    if is_number and seed is not None and _is_32_bit(call) and not is_sampled(call):
        engines[address] = MersenneTwister(seed)
    return 0


@models(
    "mersenne_twister_engine::operator()",
    "subtract_with_carry_engine::operator()",
    "random_device::operator()",
)
def _draw_bits(call: HostCall) -> Value:
    engine = _engine(call, 0)
    if engine is not None:
        return engine.draw()
    return call.unknown(_WHY, low=0, high=_MASK_32)


def _engine(call: HostCall, index: int) -> MersenneTwister | None:
    """The engine at an argument, where its state is known."""
    engines = call.state(Engines).known
    address = call.integer(index)
    if address is None:
        return None
    if is_sampled(call):
        engines.pop(address, None)
    return engines.get(address)


# Distributions


@models("uniform_int_distribution::operator()")
def _draw_integer(call: HostCall) -> Value:
    low, high = _parameters(call, Scalar.I32)
    engine = _engine(call, 1)
    if not isinstance(low, int) or not isinstance(high, int):
        return call.unknown(_WHY)
    span = high - low + 1
    if engine is None or not 0 < span <= _MASK_32:
        call.state(Engines).known.pop(call.integer(1) or 0, None)
        return call.unknown(_WHY, low=low, high=high)
    # Lemire 2019, as in libstdc++ since version 11.
    product = engine.draw() * span
    if product & _MASK_32 < span:
        threshold = (1 << 32) % span
        while product & _MASK_32 < threshold:
            product = engine.draw() * span
    return low + (product >> 32)


def _parameters(call: HostCall, default: Scalar) -> tuple[Value | None, Value | None]:
    """The two members of a distribution (or of the parameters given with a draw)."""
    arguments = template_arguments(call.detail.object_type)
    scalar = (scalar_named(arguments[0]) if arguments else None) or default
    address = call.integer(2 if len(call.arguments) > 2 else 0)
    return call.load(address, scalar), call.load(address, scalar, scalar.size_bytes)


@models("uniform_real_distribution::operator()")
def _draw_real(call: HostCall) -> Value:
    low, high = _parameters(call, Scalar.F64)
    call.state(Engines).known.pop(call.integer(1) or 0, None)
    if isinstance(low, int | float) and isinstance(high, int | float):
        return _real(call, low, high)
    return call.unknown(_WHY)


def _real(call: HostCall, low: float, high: float) -> Unknown:
    return Unknown(
        new_key(),
        uniform=True,
        low=low,
        high=high,
        reason=_WHY,
        is_float=True,
    )


@models("normal_distribution::operator()")
def _draw_normal(call: HostCall) -> Value:
    call.state(Engines).known.pop(call.integer(1) or 0, None)
    mean, deviation = _parameters(call, Scalar.F64)
    if isinstance(mean, int | float) and isinstance(deviation, int | float):
        reach = _EVEN_REACH * deviation
        return _real(call, mean - reach, mean + reach)
    return call.unknown(_WHY)


@models("poisson_distribution::operator()")
def _draw_count(call: HostCall) -> Value:
    """Events at a mean rate: whole numbers about the mean, whose variance it is as well."""
    call.state(Engines).known.pop(call.integer(1) or 0, None)
    mean = call.load(call.integer(2 if len(call.arguments) > 2 else 0), Scalar.F64)
    if not isinstance(mean, int | float) or not 0 < mean < _MASK_32:
        return call.unknown(_WHY)
    reach = min(_EVEN_REACH * mean**0.5, mean)
    return call.unknown(_WHY, low=round(mean - reach), high=round(mean + reach))


@models("std::generate_canonical")
def _draw_canonical(call: HostCall) -> Value:
    call.state(Engines).known.pop(call.integer(0) or 0, None)
    return _real(call, 0.0, 1.0)


@models(
    "discrete_distribution::operator()",
    "cauchy_distribution::operator()",
)
def _draw_other(call: HostCall) -> Value:
    call.state(Engines).known.pop(call.integer(1) or 0, None)
    return call.unknown(_WHY)
