"""`roofstat llm`: the log of a language model's answers, and fine-tuning jobs."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofstat.cli.commands import SubParsers
from roofstat.cli.console import Console
from roofstat.cli.llm_options import llm_log_file
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from roofstat.llm.log import LoggedCall

__all__ = ["add_parser", "run"]

_DEFAULT_LIMIT = 20
_KEY_SHOWN = 12


def add_parser(sub: SubParsers) -> argparse.ArgumentParser:
    """Add the parser of `llm`."""
    parser = sub.add_parser(
        "llm",
        help="show the log of a language model's answers, or fine-tune a model",
        description="log: show the requests that were made and their answers, the newest first.\n"
        "fine-tune TRAINING.jsonl [VALIDATION.jsonl]: upload chats of `roofstat eval --export-fine-tune`, start a job and "
        "follow it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("action", choices=("log", "fine-tune"), help="what to do")
    parser.add_argument("files", nargs="*", metavar="FILE", help="fine-tune: training, validation")
    log = parser.add_argument_group("log")
    log.add_argument(
        "--llm-log", metavar="FILE", help="the log (default: in the user's data folder)"
    )
    log.add_argument(
        "--limit",
        type=int,
        default=_DEFAULT_LIMIT,
        metavar="N",
        help=f"how many calls (default {_DEFAULT_LIMIT}; 0 for all)",
    )
    log.add_argument(
        "--show", metavar="REQUEST", help="a call in full, by the start of its request's digest"
    )
    log.add_argument("--format", choices=("text", "json"), default="text", help="form")
    job = parser.add_argument_group("fine-tune")
    job.add_argument("--model", metavar="MODEL", help="the model to start from")
    job.add_argument("--base-url", metavar="URL", help="server (default OpenAI's)")
    job.add_argument("--epochs", type=int, metavar="N", help="passes over the training file")
    job.add_argument("--job", metavar="ID", help="follow a job that was started before")
    return parser


def run(args: argparse.Namespace, console: Console) -> int:
    """Carry out what is asked, return the exit status."""
    return _log(args, console) if args.action == "log" else _fine_tune(args, console)


def _log(args: argparse.Namespace, console: Console) -> int:
    from roofstat.llm.log import CallLog

    if args.files:
        raise UsageError("roofstat llm log takes no file", remedy="name the log with --llm-log")
    file = llm_log_file(args.llm_log)
    if not file.exists():
        if args.llm_log:
            raise UsageError("there is no such log", file=str(file), remedy="mend --llm-log")
        console.write(f"{file}: no call yet\n")
        return 0
    log = CallLog(file)
    try:
        calls = list(log.calls(limit=args.limit or None, key=args.show))
    finally:
        log.close()
    if args.show and not calls:
        raise UsageError(
            f"no request begins with {args.show}", file=str(file), remedy="see roofstat llm log"
        )
    if args.format == "json":
        console.write("".join(f"{json.dumps(_as_json(call))}\n" for call in calls))
    elif args.show:
        console.write("\n".join(map(_in_full, calls)))
    else:
        console.write("".join(f"{_line(call)}\n" for call in calls))
    return 0


def _line(call: LoggedCall) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(call.time))
    tokens = "-"
    if call.reply is not None and call.reply.prompt_tokens is not None:
        said = call.reply.completion_tokens
        tokens = f"{call.reply.prompt_tokens}+{'?' if said is None else said}"
    return (
        f"{when}  {call.key[:_KEY_SHOWN]}  {call.requested_model}  {call.prompt}  {call.status}  "
        f"{tokens} tokens  {call.destination}"
    )


def _in_full(call: LoggedCall) -> str:
    parts = [_line(call)]
    parts += [f"--- {turn['role']}\n{turn['content']}" for turn in call.body["messages"]]
    if call.problem:
        parts.append(f"--- no usable answer\n{call.problem}")
    parts += [f"--- answer\n{text}" for text in (call.reply.texts if call.reply else ())]
    return "\n".join(_printable(part) for part in parts) + "\n"


def _printable(text: str) -> str:
    """What a model or a source wrote must not steer the terminal."""
    return "".join(
        letter if letter.isprintable() or letter in "\n\t" else f"\\x{ord(letter):02x}"
        for letter in text
    )


def _as_json(call: LoggedCall) -> dict[str, Any]:
    reply = call.reply
    return {
        "request": call.key,
        "time": call.time,
        "destination": call.destination,
        "model": call.requested_model,
        "answered_by": reply.model if reply else None,
        "prompt": call.prompt,
        "status": call.status,
        "problem": call.problem,
        "texts": list(reply.texts) if reply else [],
        "prompt_tokens": reply.prompt_tokens if reply else None,
        "completion_tokens": reply.completion_tokens if reply else None,
        "seconds": reply.seconds if reply else None,
        "body": call.body,
    }


def _fine_tune(args: argparse.Namespace, console: Console) -> int:
    from roofstat.llm.endpoint import read_endpoint

    if args.job is None and (not args.model or not 1 <= len(args.files) <= 2):
        raise UsageError(
            "a fine-tuning job needs a model and a training file",
            remedy="write roofstat llm fine-tune TRAINING.jsonl [VALIDATION.jsonl] --model MODEL",
        )
    if args.epochs is not None and args.epochs < 1:
        raise UsageError(f"--epochs {args.epochs} makes no sense", remedy="give 1 or more")
    endpoint = read_endpoint(args.base_url, os.environ)
    endpoint.check_key()
    files = [Path(name) for name in args.files]
    for file in files:
        if not file.is_file():
            raise UsageError(
                "it is not a file", file=str(file), remedy="give chats of --export-fine-tune"
            )
    from roofstat.llm.fine_tuning import fine_tune

    if args.job is None:
        console.complain(f"{', '.join(args.files)} go to {endpoint.url} ({args.model})")
    name = fine_tune(
        endpoint,
        args.model or "",
        files[0] if files else Path(),
        files[1] if len(files) > 1 else None,
        epochs=args.epochs,
        tell=console.complain,
        job=args.job,
    )
    console.write(f"{name}\n")
    return 0
