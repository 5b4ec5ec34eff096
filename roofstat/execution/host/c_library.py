"""The C library and the parts of the C++ library that programs use to get their sizes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from roofstat.execution.arithmetic import new_key
from roofstat.execution.host.cuda_runtime import copy_contents
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.machine import ProgramExit
from roofstat.execution.values import Unknown
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.values import Value

RAND_MAX = 2147483647
"""glibc."""


# Memory


@models("malloc", "valloc", "std::malloc", "operator new", "operator new[]", "alloca")
def _malloc(call: HostCall) -> Value:
    return call.machine.memory.allocate(call.integer(0), Space.HOST, "").base


@models("calloc")
def _calloc(call: HostCall) -> Value:
    count, size = call.integer(0), call.integer(1)
    total = count * size if count is not None and size is not None else None
    return call.machine.memory.allocate(total, Space.HOST, "", initial=0).base


@models("aligned_alloc", "memalign", "_mm_malloc")
def _aligned(call: HostCall) -> Value:
    size = call.integer(0 if call.name == "_mm_malloc" else 1)
    return call.machine.memory.allocate(size, Space.HOST, "").base


@models("posix_memalign")
def _posix_memalign(call: HostCall) -> Value:
    found = call.machine.memory.allocate(call.integer(2), Space.HOST, "")
    call.store(0, Scalar.U64, found.base)
    return 0


@models("realloc")
def _realloc(call: HostCall) -> Value:
    found = call.machine.memory.allocate(call.integer(1), Space.HOST, "")
    source = call.object(0)
    if source is not None:
        found.contents = source[0].contents.copy()
    return found.base


@models("memcpy", "memmove", "std::copy", "std::copy_n")
def _memcpy(call: HostCall) -> Value:
    if call.name in ("memcpy", "memmove"):
        copy_contents(call.object(0), call.object(1), call.integer(2))
    return call.arguments[0]


@models(
    "free",
    "cudaFree",
    "cudaFreeHost",
    "operator delete",
    "operator delete[]",
    "srand",
    "srand48",
    "srandom",
    "fclose",
    "fflush",
)
def _ignored(call: HostCall) -> Value:
    return 0


# Strings and numbers


_INTEGER = re.compile(r"\s*([+-]?\d+)")
_HEX = re.compile(r"\s*([+-]?)0[xX]([0-9a-fA-F]+)")
_FLOAT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


@models(
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "stoi",
    "stol",
    "stoul",
    "stoll",
    "stoull",
    "std::stoi",
    "std::stol",
    "std::stoul",
    "std::stoull",
    "std::atoi",
)
def _to_integer(call: HostCall) -> Value:
    text = call.text(0)
    if text is None:
        return call.unknown("a number in an unknown string")
    base = call.integer(2, 10) if call.name.startswith("strto") else 10
    hexadecimal = _HEX.match(text)
    if hexadecimal and base in (0, 16):
        number = int(hexadecimal.group(2), 16)
        return -number if hexadecimal.group(1) == "-" else number
    match = _INTEGER.match(text)
    return int(match.group(1)) if match else 0


@models("atof", "strtod", "strtof", "stof", "stod", "std::stof", "std::stod", "std::atof")
def _to_float(call: HostCall) -> Value:
    text = call.text(0)
    if text is None:
        return call.unknown("a number in an unknown string")
    match = _FLOAT.match(text)
    return float(match.group(1)) if match else 0.0


@models("strlen")
def _strlen(call: HostCall) -> Value:
    text = call.text(0)
    return len(text) if text is not None else call.unknown("length of an unknown string")


@models("strcmp", "strncmp", "strcasecmp", "strncasecmp")
def _strcmp(call: HostCall) -> Value:
    a, b = call.text(0), call.text(1)
    if a is None or b is None:
        return call.unknown("comparison with an unknown string")
    if call.name.startswith("strn"):
        length = call.integer(2, 1 << 20) or 0
        a, b = a[:length], b[:length]
    if "case" in call.name:
        a, b = a.lower(), b.lower()
    return (a > b) - (a < b)


@models("strcpy", "strncpy", "strdup")
def _strcpy(call: HostCall) -> Value:
    if call.name == "strdup":
        text = call.text(0)
        found = call.machine.memory.allocate(
            len(text) + 1 if text is not None else None, Space.HOST, "string"
        )
        found.text = text
        return found.base
    text, place = call.text(1), call.object(0)
    if place is not None and text is not None:
        for index, character in enumerate(text[:4096]):
            place[0].contents.store(place[1] + index, Scalar.I8, ord(character))
        place[0].contents.store(place[1] + len(text), Scalar.I8, 0)
    return call.arguments[0]


@models("sscanf")
def _sscanf(call: HostCall) -> Value:
    text, form = call.text(0), call.text(1)
    if text is None or form is None:
        return _scan_unknown(call, 2, form)
    done = 0
    rest = text
    for conversion, index in zip(_conversions(form), range(2, len(call.arguments)), strict=False):
        pattern = _FLOAT if conversion[-1] in "fgeE" else _INTEGER
        match = pattern.match(rest)
        if match is None:
            break
        rest = rest[match.end() :]
        scalar = _scan_type(conversion)
        call.store(index, scalar, float(match.group(1)) if scalar.is_float else int(match.group(1)))
        done += 1
    return done


_CONVERSION = re.compile(r"%(?!%)(?!\*)\d*((?:hh|h|ll|l|z|L)?[diouxXfgeEcsp\[])")


def _conversions(form: str) -> list[str]:
    return _CONVERSION.findall(form)


def _scan_type(conversion: str) -> Scalar:
    kind = conversion[-1]
    if kind in "fgeE":
        return Scalar.F64 if conversion.startswith("l") else Scalar.F32
    if kind in "cs[":
        return Scalar.I8
    if conversion.startswith(("l", "z")):
        return Scalar.I64
    return Scalar.I16 if conversion.startswith("h") else Scalar.I32


def _scan_unknown(call: HostCall, first: int, form: str | None) -> Value:
    conversions = _conversions(form) if form is not None else []
    for conversion, index in zip(conversions, range(first, len(call.arguments)), strict=False):
        scalar = _scan_type(conversion)
        call.store(
            index,
            scalar,
            Unknown(
                new_key(), uniform=True, reason="data read from a file", is_float=scalar.is_float
            ),
        )
    return len(conversions)


@models("fscanf", "scanf")
def _fscanf(call: HostCall) -> Value:
    first = 2 if call.name == "fscanf" else 1
    return _scan_unknown(call, first, call.text(first - 1))


# Files


@models("fopen", "freopen", "popen")
def _fopen(call: HostCall) -> Value:
    name = call.text(0)
    call.run.note(
        "input-file",
        f"file {name or 'with an unknown name'} is not read: its contents are unknown",
        call.instruction.position,
    )
    return call.machine.memory.allocate(8, Space.HOST, "file").base


@models("fread")
def _fread(call: HostCall) -> Value:
    place = call.object(0)
    if place is not None:
        place[0].contents.forget()
    return call.arguments[2] if len(call.arguments) > 2 else call.unknown("result of fread")


@models("fgets")
def _fgets(call: HostCall) -> Value:
    place = call.object(0)
    if place is not None:
        place[0].contents.forget()
    return call.unknown("end of a file")


@models(
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "perror",
    "fwrite",
    "snprintf",
    "sprintf",
    "vprintf",
    "puts",
)
def _print(call: HostCall) -> Value:
    return 0


# Control


@models("exit", "_exit", "abort", "quick_exit", "std::exit", "__assert_fail", "std::terminate")
def _exit(call: HostCall) -> Value:
    call.run.note("exit", f"the program calls {call.name}", call.instruction.position)
    raise ProgramExit


# Random numbers and time


@models("rand", "random", "lrand48", "rand_r", "std::rand")
def _rand(call: HostCall) -> Value:
    return Unknown(new_key(), uniform=True, low=0, high=RAND_MAX, reason="a random number")


@models("drand48", "erand48")
def _drand(call: HostCall) -> Value:
    return Unknown(new_key(), uniform=True, reason="a random number", is_float=True)


@models("time", "clock", "gettimeofday", "clock_gettime", "omp_get_wtime")
def _time(call: HostCall) -> Value:
    if call.name == "gettimeofday" or call.name == "clock_gettime":
        index = 0 if call.name == "gettimeofday" else 1
        for offset in (0, 8):
            call.store(
                index, Scalar.I64, Unknown(new_key(), uniform=True, reason="the time"), offset
            )
        return 0
    return call.unknown("the time")


@models("getenv")
def _getenv(call: HostCall) -> Value:
    return 0


@models("omp_get_num_devices", "omp_get_max_threads", "omp_get_num_threads", "omp_get_num_procs")
def _omp_count(call: HostCall) -> Value:
    return 1 if call.name == "omp_get_num_devices" else 8


@models(
    "omp_get_default_device",
    "omp_get_initial_device",
    "omp_get_thread_num",
    "omp_is_initial_device",
    "omp_get_team_num",
)
def _omp_zero(call: HostCall) -> Value:
    return 0


@models("omp_target_alloc")
def _omp_target_alloc(call: HostCall) -> Value:
    return call.machine.memory.allocate(call.integer(0), Space.GLOBAL, "").base


# Options


@models("getopt", "getopt_long", "getopt_long_only")
def _getopt(call: HostCall) -> Value:
    """Short options, and long ones that match a table entry's name."""
    run = call.run
    state = run.state.setdefault("getopt", {"index": 1, "inside": 0})
    assert isinstance(state, dict)
    form = call.text(2) or ""
    words = ["./program", *run.arguments]
    index = int(state["index"])
    if index >= len(words) or not words[index].startswith("-") or words[index] == "-":
        _set_global(call, "optind", index)
        return -1
    word = words[index]
    if word.startswith("--"):
        return _long_option(call, state, word, words)
    inside = int(state["inside"]) or 1
    letter = word[inside]
    at = form.find(letter)
    takes_value = at >= 0 and at + 1 < len(form) and form[at + 1] == ":"
    if takes_value:
        value = word[inside + 1 :]
        if not value and index + 1 < len(words):
            index += 1
            value = words[index]
        _set_argument(call, value)
        state["index"], state["inside"] = index + 1, 0
    elif inside + 1 < len(word):
        state["inside"] = inside + 1
    else:
        state["index"], state["inside"] = index + 1, 0
    _set_global(call, "optind", int(state["index"]))
    return ord(letter) if at >= 0 else ord("?")


def _long_option(call: HostCall, state: dict[str, int], word: str, words: list[str]) -> Value:
    name, _, value = word[2:].partition("=")
    table = call.object(3)
    index = int(state["index"])
    state["index"] = index + 1
    if table is None or not name:
        return -1 if not name else ord("?")
    found, at = table
    for entry in range(64):
        base = at + 32 * entry
        pointer = found.contents.load(base, Scalar.U64, found.buffer.number, "option table")
        text = call.run.text_at(pointer) if isinstance(pointer, int) and pointer else None
        if text is None:
            break
        if text == name:
            wants = found.contents.load(base + 8, Scalar.I32, found.buffer.number, "option table")
            if wants == 1:
                if not value and index + 1 < len(words):
                    value = words[index + 1]
                    state["index"] = index + 2
                _set_argument(call, value)
            _set_global(call, "optind", int(state["index"]))
            return found.contents.load(base + 24, Scalar.I32, found.buffer.number, "option table")
    return ord("?")


def _set_argument(call: HostCall, text: str) -> None:
    found = call.machine.memory.allocate(len(text) + 1, Space.HOST, "argument")
    found.text = text
    _set_global(call, "optarg", found.base, Scalar.U64)


def _set_global(call: HostCall, name: str, value: int, scalar: Scalar = Scalar.I32) -> None:
    from roofstat.execution.memory_operations import global_address

    for key, declaration in call.run.program.globals.items():
        if declaration.name == name:
            address = global_address(call.machine, key)
            found = call.machine.memory.find(address)
            if found is not None:
                found.contents.store(address - found.base, scalar, value)
            return
