"""The OpenAI Batch form: requests as JSON lines for a server that is reached some other way, and its answers back.

The custom id of a line is the request's key, so that an answer finds its request in any run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LlmError, LlmFailure, UsageError, reason_of
from roofstat.llm.asking import checked_answer
from roofstat.llm.log import CallLog
from roofstat.llm.replies import Reply, error_text, read_completion, shorten
from roofstat.llm.requests import ChatRequest, canonical

__all__ = ["Imported", "batch_lines", "import_batch"]

_BATCH: Final = "batch"
"""The destination under which imported answers are logged."""
_URL: Final = "/v1/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a file of answers held.

    Attributes:
        answers: Requests with a usable answer.
        failures: Requests whose answer cannot be used.
        foreign: Lines that belong to no request of this run.
    """

    answers: int
    failures: int
    foreign: int


def batch_lines(requests: Iterable[ChatRequest]) -> list[str]:
    """Return one line for each distinct request."""
    distinct = {request.key: request for request in requests}
    return [
        canonical({"custom_id": key, "method": "POST", "url": _URL, "body": request.body()})
        for key, request in distinct.items()
    ]


def import_batch(file: Path, requests: Sequence[ChatRequest], log: CallLog) -> Imported:
    """Put the answers of a file into the log.

    Several lines for one request count as several answers to it, which have to agree.

    Raises:
        UsageError: The file cannot be read, holds something else, or nothing for these requests.
    """
    found: dict[str, list[Reply | LlmError]] = {}
    for number, line in enumerate(_lines(file), 1):
        if line.strip():
            key, outcome = _read(file, number, line)
            found.setdefault(key, []).append(outcome)
    wanted = {request.key: request for request in requests}
    answers = failures = 0
    for key, request in wanted.items():
        if key not in found:
            continue
        reply, error = _merged(request, found[key])
        log.add(request, _BATCH, reply, None if error is None else (error.kind, error.problem))
        answers += error is None
        failures += error is not None
    if not answers and not failures:
        raise UsageError(
            "it holds no answer to any request of this run",
            file=str(file),
            remedy="give the output of the batch that the same options exported",
        )
    foreign = sum(len(outcomes) for key, outcomes in found.items() if key not in wanted)
    return Imported(answers=answers, failures=failures, foreign=foreign)


def _merged(
    request: ChatRequest, outcomes: Sequence[Reply | LlmError]
) -> tuple[Reply | None, LlmError | None]:
    """One reply with the texts of all, and why it cannot be used."""
    replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    errors = [outcome for outcome in outcomes if isinstance(outcome, LlmError)]
    if not replies:
        return None, errors[0]
    first = replies[0]
    reply = Reply(
        texts=tuple(dict.fromkeys(text for reply in replies for text in reply.texts)),
        finish=first.finish,
        refusal=first.refusal,
        model=first.model,
        prompt_tokens=first.prompt_tokens,
        completion_tokens=first.completion_tokens,
    )
    try:
        checked_answer(request, reply)
    except LlmError as error:
        return reply, error
    return reply, None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text("utf-8").splitlines()
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else "it is not text"
        raise UsageError(
            f"cannot read it: {reason}",
            file=str(file),
            remedy="give the output file of the batch",
        ) from error


def _read(file: Path, number: int, line: str) -> tuple[str, Reply | LlmError]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        _refuse(file, number, "the line is not JSON")
    if not isinstance(data, dict) or not isinstance(data.get("custom_id"), str):
        _refuse(file, number, "the line has no custom_id")
    key = data["custom_id"]
    if "response" not in data and "error" not in data:
        _refuse(file, number, "the line holds no answer")
    response = data.get("response")
    if data.get("error") or not isinstance(response, dict):
        said = shorten(error_text(data.get("error") or "no response"))
        return key, LlmError(LlmFailure.SERVER, f"the batch failed: {said}")
    if response.get("status_code") != 200:
        said = shorten(f"status {response.get('status_code')}: {error_text(response.get('body'))}")
        return key, LlmError(LlmFailure.SERVER, f"the batch failed ({said})")
    try:
        return key, read_completion(response.get("body"))
    except LlmError as error:
        return key, error


def _refuse(file: Path, number: int, problem: str) -> NoReturn:
    raise UsageError(
        problem,
        file=f"{file}:{number}",
        remedy="give the output file of a batch, with one JSON object a line",
    )
