"""Every request and every reply, in one SQLite file of the user: paid answers are never lost, and runs can be repeated.

A request is stored once, under the digest of its content. The file holds source code, so that only its owner can read
it; it holds no key.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import LlmFailure, UsageError
from roofstat.llm.replies import Reply, token_count
from roofstat.llm.requests import ChatRequest, canonical

__all__ = ["CallLog", "LoggedCall"]

_MIGRATIONS: Final = (
    """
    CREATE TABLE requests (
        key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, body TEXT NOT NULL
    );
    CREATE TABLE replies (
        id INTEGER PRIMARY KEY, key TEXT NOT NULL REFERENCES requests, time REAL NOT NULL,
        destination TEXT NOT NULL, status TEXT NOT NULL, problem TEXT, texts TEXT, finish TEXT, refusal TEXT,
        model TEXT, prompt_tokens INTEGER, completion_tokens INTEGER, seconds REAL
    );
    CREATE INDEX replies_by_key ON replies (key);
    """,
)
"""Applied in order, each once; `user_version` counts them."""
_OK: Final = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCall:
    """One call as the log holds it; `status` is `ok` or the word of a failure."""

    id: int
    key: str
    time: float
    destination: str
    requested_model: str
    prompt: str
    body: dict[str, Any]
    status: str
    problem: str | None
    reply: Reply | None


class CallLog:
    """The log. Used by one thread."""

    def __init__(self, file: Path) -> None:
        """Open the log, and make it where there is none.

        Raises:
            UsageError: The file cannot be opened or is something else.
        """
        self.file = file
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not file.exists():
                os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
            self._connection = sqlite3.connect(file, timeout=30.0)
            self._migrate()
        except (OSError, sqlite3.Error) as error:
            raise UsageError(
                f"the log of the language model cannot be opened: {error}",
                file=str(file),
                remedy="name another file with --llm-log",
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def find(self, request: ChatRequest, destination: str | None = None) -> Reply | None:
        """Return what came back to a request: the newest reply that could be used, else the newest.

        Args:
            request: What was asked.
            destination: Of this server, or from a batch; None for any.
        """
        rows = self._connection.execute(
            "SELECT * FROM replies WHERE key = ? AND texts IS NOT NULL ORDER BY status = ? DESC, id DESC",
            (request.key, _OK),
        )
        names = [column[0] for column in rows.description]
        for values in rows:
            row = dict(zip(names, values, strict=True))
            if destination is None or row["destination"] in {destination, "batch"}:
                return _reply(row)
        return None

    def failure(self, request: ChatRequest) -> tuple[LlmFailure, str] | None:
        """Return why the newest call that failed did; None where there was none."""
        row = self._connection.execute(
            "SELECT status, problem FROM replies WHERE key = ? AND status != ? ORDER BY id DESC LIMIT 1",
            (request.key, _OK),
        ).fetchone()
        return None if row is None else (LlmFailure(row[0]), row[1] or "")

    def add(
        self,
        request: ChatRequest,
        destination: str,
        reply: Reply | None,
        failure: tuple[LlmFailure, str] | None = None,
    ) -> None:
        """Keep a call; it is on disk when this returns.

        Args:
            request: What was asked.
            destination: The server's URL, or `batch`.
            reply: What came back; None where nothing did.
            failure: Why the reply, if any, cannot be used.
        """
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)",
                (request.key, request.model, request.prompt, canonical(request.body())),
            )
            self._connection.execute(
                "INSERT INTO replies (key, time, destination, status, problem, texts, finish, refusal, model,"
                " prompt_tokens, completion_tokens, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    request.key,
                    time.time(),
                    destination,
                    failure[0].value if failure else _OK,
                    failure[1] if failure else None,
                    json.dumps(reply.texts) if reply else None,
                    reply.finish if reply else None,
                    reply.refusal if reply else None,
                    reply.model if reply else None,
                    reply.prompt_tokens if reply else None,
                    reply.completion_tokens if reply else None,
                    reply.seconds if reply else None,
                ),
            )

    def calls(self, limit: int | None = None, key: str | None = None) -> Iterator[LoggedCall]:
        """Yield calls, the newest first.

        Args:
            limit: At most so many.
            key: Only requests whose key begins so.
        """
        with closing(
            self._connection.execute(
                "SELECT replies.*, requests.model AS requested_model, requests.prompt, requests.body"
                " FROM replies JOIN requests USING (key) WHERE substr(key, 1, ?) = ?"
                " ORDER BY replies.id DESC LIMIT ?",
                (len(key or ""), key or "", -1 if limit is None else limit),
            )
        ) as rows:
            names = [column[0] for column in rows.description]
            for values in rows:
                row = dict(zip(names, values, strict=True))
                yield LoggedCall(
                    id=row["id"],
                    key=row["key"],
                    time=row["time"],
                    destination=row["destination"],
                    requested_model=row["requested_model"],
                    prompt=row["prompt"],
                    body=json.loads(row["body"]),
                    status=row["status"],
                    problem=row["problem"],
                    reply=None if row["texts"] is None else _reply(row),
                )

    def _migrate(self) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > len(_MIGRATIONS):
            raise sqlite3.DatabaseError("a newer version of this program wrote it")
        for number, script in enumerate(_MIGRATIONS[version:], version + 1):
            self._connection.executescript(
                f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;"
            )


def _reply(row: dict[str, Any]) -> Reply:
    return Reply(
        texts=tuple(json.loads(row["texts"])),
        finish=row["finish"],
        refusal=row["refusal"],
        model=row["model"],
        prompt_tokens=token_count(row["prompt_tokens"]),
        completion_tokens=token_count(row["completion_tokens"]),
        seconds=row["seconds"] or 0.0,
    )
