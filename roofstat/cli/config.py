"""Options from files: `[tool.roofstat]` in pyproject.toml, or roofstat.toml, of the working directory or one above it."""

from __future__ import annotations

import argparse
import difflib
from pathlib import Path
from typing import Any

from roofstat.cli.config_checks import check_value
from roofstat.errors import UsageError

__all__ = [
    "NO_CONFIG",
    "FromFile",
    "add_config_option",
    "config_defaults",
    "config_file",
    "config_places",
]

NO_CONFIG = "--no-config"
_OWN_FILE = "roofstat.toml"
_SHARED_FILE = "pyproject.toml"
_PATHS = frozenset({"baseline", "build_dir", "include_dirs", "output", "gpu"})
"""Options that name files; relative names are relative to the configuration file."""
_LISTED = frozenset({"select", "ignore", "fail_on"})
"""Options whose words may be an array."""
_NEVER = frozenset({"help", "version", "paths", "no_config", "output", "diff"})
_SENDING = frozenset(
    {"llm", "base_url", "yes", "max_cost", "llm_price", "llm_log", "llm_timeout", "llm_when"}
)
"""What sends source to a server, where to and for how much: a file that came with the source may not decide that."""


class FromFile(str):
    """A word of a repeatable option that a configuration file gives: the command line goes before it."""

    __slots__ = ()


def add_config_option(group: argparse._ArgumentGroup) -> None:
    """Add the option that goes without configuration files."""
    group.add_argument(
        NO_CONFIG,
        action="store_true",
        help="ignore [tool.roofstat] in pyproject.toml and roofstat.toml",
    )


def config_defaults(
    parser: argparse.ArgumentParser, directory: Path, *, whole: bool = True
) -> dict[str, Any]:
    """Return the values that the nearest configuration file gives to a parser's options.

    Args:
        parser: Whose options count.
        directory: Where the search begins, upwards.
        whole: Whether the parser has every option that the file may set; else it takes what it knows.

    Raises:
        UsageError: The file cannot be read, has an unknown key, or a value of a wrong kind.
    """
    found = _find(directory)
    if found is None:
        return {}
    file, table = found
    actions = {
        name.removeprefix("--").replace("-", "_"): action
        for action in parser._actions  # noqa: SLF001 - argparse has no public list of its options
        for name in (*action.option_strings, action.dest)
        if action.dest not in _NEVER and not (name.startswith("-") and not name.startswith("--"))
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        action = actions.get(key.replace("-", "_"))
        if action is not None and action.dest in _SENDING:
            raise UsageError(
                f"{key} cannot be set here: only the command line sends source to a server",
                file=str(file),
                remedy=f"give --{key.replace('_', '-')}",
            )
        if action is None and not whole:
            continue
        if action is None:
            near = difflib.get_close_matches(key.replace("-", "_"), actions, n=1)
            raise UsageError(
                f"{key} is no option",
                file=str(file),
                remedy=f"did you mean {near[0].replace('_', '-')}?"
                if near
                else "roofstat --help lists them",
            )
        values[action.dest] = _value(action, key, value, file)
        check_value(action.dest, key, values[action.dest], str(file))
    return values


def config_file(directory: Path) -> Path | None:
    """Return the configuration file that holds for a directory; None without one.

    Raises:
        UsageError: It cannot be read.
    """
    found = _find(directory)
    return found[0] if found is not None else None


def config_places(directory: Path) -> tuple[Path, ...]:
    """Return where a directory's own configuration file would be."""
    return directory / _OWN_FILE, directory / _SHARED_FILE


def _find(directory: Path) -> tuple[Path, dict[str, Any]] | None:
    for place in (directory, *directory.parents):
        own = place / _OWN_FILE
        if own.is_file():
            return own, _own_table(own)
        shared = place / _SHARED_FILE
        if shared.is_file():
            table = _read(shared).get("tool", {}).get("roofstat")
            if isinstance(table, dict):
                return shared, table
    return None


def _own_table(file: Path) -> dict[str, Any]:
    """The options of a file that is roofstat's own: at its top, or under the heading that the shared file needs."""
    table = _read(file)
    tool = table.get("tool")
    headed = tool.get("roofstat") if isinstance(tool, dict) else None
    if not isinstance(headed, dict):
        return table
    if len(table) > 1:
        raise UsageError(
            "options stand both under [tool.roofstat] and above it",
            file=str(file),
            remedy="leave the heading out",
        )
    return headed


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"it cannot be read: {error}", file=str(file), remedy=f"mend it, or give {NO_CONFIG}"
        ) from error


def _value(action: argparse.Action, key: str, value: object, file: Path) -> object:
    def wrong(wanted: str) -> UsageError:
        return UsageError(f"{key} must be {wanted}", file=str(file))

    if action.nargs == 0:
        if not isinstance(value, bool):
            raise wrong("true or false")
        return value
    if isinstance(action.default, list):
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise wrong("an array of strings")
        return [FromFile(_place(action.dest, item, file)) for item in value]
    if action.dest in _LISTED and isinstance(value, list):
        value = ",".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong("a string or a number")
    text = _place(action.dest, str(value), file)
    if action.choices is not None and text not in action.choices:
        raise wrong(f"one of {', '.join(map(str, action.choices))}")
    if callable(action.type):
        try:
            return action.type(text)
        except ValueError as error:
            raise wrong("a number") from error
    return text


def _place(option: str, text: str, file: Path) -> str:
    """A file name as it is from the working directory; names of cards are none."""
    if option not in _PATHS or (option == "gpu" and not text.endswith(".toml")):
        return text
    return str(file.parent / text)
