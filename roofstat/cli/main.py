"""Entry point: choose the command, run it, turn errors into messages and exit statuses.

0 is done, 1 is findings (or errors under `--strict`), 2 is wrong usage, no readable input or no file with a
result; 130 is interrupted, 143 ended by SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from roofstat import __version__
from roofstat.cli.commands import COMMANDS, CONFIGURED, DEFAULT_COMMAND
from roofstat.cli.config import NO_CONFIG, config_defaults
from roofstat.cli.console import Console
from roofstat.errors import RoofstatError, UsageError, reason_of

__all__ = ["entry_point", "main"]

_EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130
_EXIT_TERMINATED = 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run `roofstat` with these arguments and return its exit status.

    Args:
        argv: Arguments without the program's name; those of the process by default.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] in (["--version"], ["-V"]):
        print(f"roofstat {__version__}")
        return 0
    console = Console.from_process()
    try:
        status = _run(arguments, console)
        console.out.flush()
    except RoofstatError as error:
        console.complain(f"error: {error}")
        return _EXIT_USAGE
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        # Files are read where their errors are known; what is left is the output.
        _drop_output()
        console.complain(f"error: cannot write the output: {reason_of(error)}")
        return _EXIT_USAGE
    except _TerminatedError:
        raise
    except KeyboardInterrupt:
        console.complain("interrupted")
        return _EXIT_INTERRUPTED
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else _EXIT_USAGE
    return status


def entry_point() -> None:
    """Run the command line and end the process; a SIGTERM leaves nothing behind that an interrupt would not."""
    try:
        signal.signal(signal.SIGTERM, _end)
        status = main()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    except _TerminatedError:
        status = _EXIT_TERMINATED
    sys.exit(status)


class _TerminatedError(KeyboardInterrupt):
    """A SIGTERM has come. Nothing but an interrupt gets out of everywhere: the compiler of modules swallows other exceptions."""


def _end(_number: int, _frame: object) -> NoReturn:
    raise _TerminatedError


def _run(arguments: list[str], console: Console) -> int:
    if not arguments or arguments[0] not in COMMANDS:
        if arguments:
            _refuse_misspelt_command(arguments[0])
        arguments = [DEFAULT_COMMAND, *arguments]
    name = arguments[0]
    command = COMMANDS[name]
    program: list[str] = []
    if "--" in arguments:
        # What follows is no option, whatever it begins with.
        place = arguments.index("--")
        arguments, rest = arguments[:place], arguments[place + 1 :]
        if command.runs_program:
            program = rest
        else:
            arguments += [f"./{path}" if path.startswith("-") else path for path in rest]
    arguments = _attached(arguments)
    module = command.load()
    parser = argparse.ArgumentParser(prog="roofstat", allow_abbrev=False)
    own = module.add_parser(parser.add_subparsers(dest="command", required=True))
    if name in CONFIGURED and NO_CONFIG not in arguments:
        own.set_defaults(**config_defaults(own, Path.cwd(), whole=name == DEFAULT_COMMAND))
    # The command's own parser, so that messages show its usage; paths and options may be mixed.
    known = argparse.Namespace(program_line=program) if command.runs_program else None
    return module.run(own.parse_intermixed_args(arguments[1:], known), console)


def _attached(arguments: list[str]) -> list[str]:
    """Arguments with a program's own attached to `--args`: argparse takes those that begin with a dash for options."""
    attached: list[str] = []
    for argument in arguments:
        if attached and attached[-1] == "--args":
            attached[-1] = f"--args={argument}"
        else:
            attached.append(argument)
    return attached


def _refuse_misspelt_command(word: str) -> None:
    """Raise UsageError where a first argument is no path, but nearly a command."""
    if not word.isalpha() or Path(word).exists():
        return
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.75)
    if close:
        raise UsageError(
            "no such command, file or directory", file=word, remedy=f"did you mean {close[0]}?"
        )


def _drop_output() -> None:
    """Point standard output nowhere, so that the interpreter's last flush does not fail too."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
