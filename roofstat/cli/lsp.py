"""`roofstat lsp`: a language server over standard input and output."""

from __future__ import annotations

import argparse
import copy
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from roofstat.cli.arguments import WORKER_MEMORY_BYTES, add_analysis_options, analysis_options
from roofstat.cli.caching import result_cache
from roofstat.cli.checking import add_selection_options, selection
from roofstat.cli.commands import SubParsers
from roofstat.cli.config import NO_CONFIG, config_defaults, config_file, config_places
from roofstat.cli.console import Console
from roofstat.errors import UsageError, reason_of

if TYPE_CHECKING:
    from roofstat.lsp.settings import FolderOptions

__all__ = ["add_parser", "run"]

_DATABASE = "compile_commands.json"
_OWN = frozenset({"command", "log", "stdio"})
_BUILD_DIRS = ("", "build")
"""Where a folder's compile commands are looked for when none are named."""


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `lsp`. What is not given is missing from its result, since folders have settings of their own."""
    parser = sub.add_parser(
        "lsp",
        help="a language server for editors",
        description="Serve an editor over standard input and output in the Language Server Protocol (see docs/editors.md).\n"
        "Options hold for every folder, after the editor's settings and before configuration files.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_options(parser)
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of its options
        action.default = argparse.SUPPRESS
    parser.add_argument(
        "--stdio", action="store_true", help="the only way there is, for clients that say so"
    )
    parser.add_argument("--log", metavar="FILE", help="write what the server does to a file")
    return parser


def run(args: argparse.Namespace, console: Console) -> int:  # noqa: ARG001 - the streams are the protocol's
    """Serve until the client says goodbye."""
    from roofstat.lsp.server import serve

    if args.log is not None:
        _log_to(Path(args.log))
    given = {key: value for key, value in vars(args).items() if key not in _OWN}
    read = _Reader(given)
    read(Path.cwd(), ())  # wrong options end the program, as they do elsewhere
    return serve(read, memory_limit_bytes=WORKER_MEMORY_BYTES)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_analysis_options(parser)
    add_selection_options(parser.add_argument_group("findings (see roofstat rules)"))


def _log_to(file: Path) -> None:
    import logging

    try:
        handler = logging.FileHandler(file, "w", "utf-8")
    except OSError as error:
        raise UsageError(f"--log {file}: {reason_of(error)}", remedy="name another file") from error
    logging.basicConfig(
        level=logging.INFO, handlers=[handler], format="%(asctime)s %(name)s %(message)s"
    )


class _Parser(argparse.ArgumentParser):
    """A parser of settings, whose mistakes are the editor's to show."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of ending the program."""
        raise UsageError(message)


class _Reader:
    """Gives the options of a folder: the editor's words, then the command line's, then the configuration file's."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __call__(self, root: Path, words: tuple[str, ...]) -> FolderOptions:
        """Read them; relative names are relative to the folder. Words without files leave compile commands out too.

        Raises:
            RoofstatError: They make no sense.
        """
        from roofstat.lsp.settings import FolderOptions

        parser = _Parser(prog="roofstat", allow_abbrev=False, add_help=False)
        _add_options(parser)
        files = [root / _DATABASE, *config_places(root)]
        is_plain = NO_CONFIG in words
        if not self._given.get("no_config") and not is_plain:
            found = config_file(root)
            files += [found] if found is not None else []
            parser.set_defaults(**config_defaults(parser, root, whole=False))
        known = argparse.Namespace(**copy.deepcopy(self._given))
        args = parser.parse_args(words, known)
        args.include_dirs = [str(root / name) for name in args.include_dirs]
        if args.gpu.endswith(".toml"):
            args.gpu = str(root / args.gpu)
        if not is_plain:
            args.build_dir = _build_dir(root, args.build_dir)
        if args.build_dir is not None:
            place = Path(args.build_dir)
            files.append(place / _DATABASE if place.is_dir() else place)
        files += [root / name / _DATABASE for name in _BUILD_DIRS if name]
        options = analysis_options(args)
        cache = result_cache(args)
        return FolderOptions(
            analysis=dataclasses.replace(
                options, precompiled_dir=cache.precompiled_directory if cache else None
            ),
            rules=selection(args).rules(),
            files=tuple(dict.fromkeys(files)),
        )


def _build_dir(root: Path, given: str | None) -> str | None:
    """The directory with compile commands: the one that is named, or one where they lie."""
    if given is not None:
        return str(root / given)
    return next(
        (str(root / name) for name in _BUILD_DIRS if (root / name / _DATABASE).is_file()), None
    )
