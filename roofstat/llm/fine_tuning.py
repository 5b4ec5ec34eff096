"""A fine-tuning job: upload the chats, start it, follow it to its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from roofstat.errors import LlmError, LlmFailure, UsageError, reason_of
from roofstat.llm.client import api_client, failures

if TYPE_CHECKING:
    from roofstat.llm.endpoint import Endpoint

__all__ = ["fine_tune"]

_TIMEOUT_S: Final = 120.0
_RETRIES: Final = 5
_ENDED: Final = frozenset({"succeeded", "failed", "cancelled"})


def fine_tune(
    endpoint: Endpoint,
    model: str,
    training: Path,
    validation: Path | None,
    *,
    epochs: int | None,
    tell: Callable[[str], None],
    job: str | None = None,
    pause_s: float = 15.0,
) -> str:
    """Start a job, or follow one that runs; return the name of the model that it made.

    Args:
        endpoint: The server.
        model: The model to start from.
        training: Chats as JSON lines.
        validation: Likewise; None for none.
        epochs: Passes over the training file; None leaves it to the server.
        tell: Called with each event of the job.
        job: Id of a job that was started before: nothing is uploaded then.
        pause_s: Between two looks at the job.

    Raises:
        LlmError: The server does not take it, or the job fails.
        UsageError: A file cannot be read.
    """
    client = api_client(endpoint, timeout_s=_TIMEOUT_S, retries=_RETRIES)
    try:
        with failures(endpoint):
            if job is None:
                files = {"training_file": training, "validation_file": validation}
                ids = {
                    name: client.files.create(
                        file=(path.name, _content(path)), purpose="fine-tune"
                    ).id
                    for name, path in files.items()
                    if path is not None
                }
                settings = {} if epochs is None else {"n_epochs": epochs}
                started = client.fine_tuning.jobs.create(
                    model=model,
                    **ids,
                    method={
                        "type": "supervised",
                        "supervised": {"hyperparameters": settings},
                    },
                )
                job = started.id
                tell(f"job {job} is started; --job {job} follows it again")
            seen: set[str] = set()
            while True:
                state = client.fine_tuning.jobs.retrieve(job)
                events = client.fine_tuning.jobs.list_events(job, limit=50).data
                for event in sorted(events, key=lambda event: event.created_at):
                    if event.id not in seen:
                        seen.add(event.id)
                        tell(endpoint.without_secrets(event.message))
                if state.status in _ENDED:
                    break
                time.sleep(pause_s)
    finally:
        client.close()
    if state.status == "succeeded" and state.fine_tuned_model:
        return state.fine_tuned_model
    reason = state.error.message if state.error is not None else None
    said = endpoint.without_secrets(reason or "the server gives no reason")
    raise LlmError(LlmFailure.SERVER, f"the job {state.status}: {said}")


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read it: {reason_of(error)}", file=str(file), remedy="check its permissions"
        ) from error
