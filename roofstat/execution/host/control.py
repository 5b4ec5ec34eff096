"""Program control: options, exits, the environment, time, OpenMP and MPI as a single process sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.accesses.objects import global_address
from roofstat.execution.host.registry import HostCall, models
from roofstat.execution.host.texts import new_text
from roofstat.execution.numbers.keys import new_key
from roofstat.execution.numbers.values import Unknown
from roofstat.execution.run_ends import ProgramExit

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value

_ENTRY_BYTES = 32
"""struct option: name, has_arg at 8, flag at 16, val at 24."""


@models(
    "exit",
    "_exit",
    "_Exit",
    "abort",
    "quick_exit",
    "__assert_fail",
    "std::terminate",
)
def _exit(call: HostCall) -> Value:
    if call.run.goes_on_after_exit(call.integer(0) if call.name.endswith("xit") else 1):
        call.note("exit", call.run.passed_over(f"{call.name}()"))
        return 0
    call.note("exit", f"the program calls {call.name}")
    raise ProgramExit


@models(
    "getenv",
    "secure_getenv",
    "signal",
    "atexit",
    "setlocale",
    "sigaction",
    "raise",
    "sleep",
    "usleep",
)
def _zero(call: HostCall) -> Value:
    return 0


# Time


@models(
    "time", "clock", "gettimeofday", "clock_gettime", "omp_get_wtime", "MPI_Wtime", "omp_get_wtick"
)
def _time(call: HostCall) -> Value:
    if call.name in ("gettimeofday", "clock_gettime"):
        index = 0 if call.name == "gettimeofday" else 1
        for offset in (0, 8):
            now = Unknown(new_key(), uniform=True, reason="the time")
            call.store(index, Scalar.I64, now, offset)
        return 0
    return call.unknown("the time")


@models("system_clock::now", "high_resolution_clock::now", "steady_clock::now")
def _now(call: HostCall) -> Value:
    address = call.result_address()
    if address is None:
        return call.unknown("the time")
    call.store_at(address, Scalar.I64, Unknown(new_key(), uniform=True, reason="the time"))
    return address


# OpenMP and MPI


@models("omp_get_num_devices", "omp_get_num_threads", "omp_get_initial_device", pure=True)
def _one(call: HostCall) -> Value:
    return 1


@models("sysconf", pure=True)
def _page_bytes(call: HostCall) -> Value:
    return 4096


@models(
    "omp_get_default_device",
    "omp_get_thread_num",
    "omp_is_initial_device",
    "omp_get_team_num",
    pure=True,
)
def _no_thread(call: HostCall) -> Value:
    return 0


@models("MPI_Comm_rank", "MPI_Comm_size", "MPI_Initialized", "MPI_Init_thread")
def _rank(call: HostCall) -> Value:
    if call.name == "MPI_Initialized":
        call.store(0, Scalar.I32, 1)
    elif call.name == "MPI_Init_thread":
        call.store(3, Scalar.I32, call.arguments[2])
    else:
        call.store(1, Scalar.I32, 0 if call.name == "MPI_Comm_rank" else 1)
    return 0


# Options


@dataclass(slots=True, eq=False)
class OptionState:
    """Where getopt stands."""

    index: int = 1
    inside: int = 0
    """Letters of the word that are already taken."""


@models("getopt", "getopt_long", "getopt_long_only")
def _getopt(call: HostCall) -> Value:
    state = call.state(OptionState)
    words = _words(call)
    if words is None:
        return call.unknown("an option of unknown arguments")
    form = (call.text(2) or "").lstrip("+-:")
    index = state.index
    while index < len(words) and (not words[index].startswith("-") or words[index] == "-"):
        if "long" not in call.name and state.inside == 0:
            break
        # getopt moves plain words behind the options.
        if not any(word.startswith("-") and word != "-" for word in words[index:]):
            break
        index += 1
    if index >= len(words) or not words[index].startswith("-") or words[index] in ("-", "--"):
        state.index = index + (index < len(words) and words[index] == "--")
        _set_global(call, "optind", state.index)
        return -1
    state.index = index
    word = words[index]
    is_long = "long" in call.name and (word.startswith("--") or call.name == "getopt_long_only")
    found = (
        _long_option(call, state, word, words)
        if is_long
        else _short_option(call, state, word, words, form)
    )
    _set_global(call, "optind", state.index)
    return found


def _words(call: HostCall) -> list[str] | None:
    """The arguments that the call is given."""
    count, vector = call.integer(0), call.integer(1)
    if count is None or vector is None:
        return None
    words: list[str] = []
    for number in range(min(count, 4096)):
        address = call.load_integer(vector, 8 * number)
        text = call.run.text_at(address) if address is not None else None
        if text is None:
            return None
        words.append(text)
    return words


def _short_option(
    call: HostCall, state: OptionState, word: str, words: list[str], form: str
) -> Value:
    inside = state.inside or 1
    letter = word[inside]
    at = form.find(letter)
    takes_value = at >= 0 and form[at + 1 : at + 2] == ":"
    is_optional = form[at + 1 : at + 3] == "::" if takes_value else False
    if takes_value:
        value: str | None = word[inside + 1 :] or None
        state.index, state.inside = state.index + 1, 0
        if value is None and not is_optional and state.index < len(words):
            value = words[state.index]
            state.index += 1
        _set_argument(call, value)
        if value is None and not is_optional:
            return ord("?")
    elif inside + 1 < len(word):
        state.inside = inside + 1
    else:
        state.index, state.inside = state.index + 1, 0
    return ord(letter) if at >= 0 and letter != ":" else ord("?")


def _long_option(call: HostCall, state: OptionState, word: str, words: list[str]) -> Value:
    name, _, value = word.lstrip("-").partition("=")
    has_value = "=" in word
    table = call.integer(3)
    state.index += 1
    entry = _find_entry(call, table, name)
    if entry is None:
        return ord("?")
    wants = call.load(entry, Scalar.I32, 8)
    if wants == 1 and not has_value and state.index < len(words):
        value, has_value = words[state.index], True
        state.index += 1
    if wants in (1, 2):
        _set_argument(call, value if has_value else None)
    number = ((entry - table) // _ENTRY_BYTES) if table is not None else 0
    call.store(4, Scalar.I32, number)
    flag = call.load_integer(entry, 16)
    result = call.load(entry, Scalar.I32, 24)
    if flag:
        call.store_at(flag, Scalar.I32, result if result is not None else 0)
        return 0
    return result if result is not None else ord("?")


def _find_entry(call: HostCall, table: int | None, name: str) -> int | None:
    """The entry of an option by its name or by the only one that begins so."""
    if table is None or not name:
        return None
    beginning: list[int] = []
    for number in range(256):
        entry = table + _ENTRY_BYTES * number
        pointer = call.load_integer(entry)
        text = call.run.text_at(pointer) if pointer else None
        if text is None:
            break
        if text == name:
            return entry
        if text.startswith(name):
            beginning.append(entry)
    return beginning[0] if len(beginning) == 1 else None


def _set_argument(call: HostCall, text: str | None) -> None:
    _set_global(call, "optarg", new_text(call, text) if text is not None else 0, Scalar.U64)


def _set_global(call: HostCall, name: str, value: int, scalar: Scalar = Scalar.I32) -> None:
    for key, declaration in call.run.program.globals.items():
        if declaration.name == name:
            address = global_address(call.machine, key)
            found = call.machine.memory.find(address)
            if found is not None:
                found.contents.store(address - found.base, scalar, value)
            return
    # Declared in a header only: this is the key under which the program reads it.
    address = global_address(call.machine, f"c:@{name}")
    found = call.machine.memory.find(address)
    if found is not None:
        found.contents.store(0, scalar, value)
