"""Which server, and the key for it: a URL that may be shown, and a secret that may not."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final
from urllib.parse import urlsplit

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import UsageError

__all__ = ["DEFAULT_URL", "Endpoint", "read_endpoint"]

DEFAULT_URL: Final = "https://api.openai.com/v1"
_KEY_VARIABLE: Final = "ROOFSTAT_LLM_KEY"
_OPENAI_KEY_VARIABLE: Final = "OPENAI_API_KEY"
_NO_KEY: Final = "none"
_KEY_LIKE: Final = re.compile(r"\b(?:sk|pk|key|gsk|hf|xai|AIza)[-_][A-Za-z0-9_*.-]{6,}")
_SHORTEST_SECRET: Final = 8
"""Shorter keys are words for servers that want any; answers are full of such words."""
_BEARER: Final = re.compile(r"(?i)\bbearer\s+\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A server that speaks the chat-completions protocol.

    Attributes:
        url: Base URL, such as `http://localhost:8000/v1`.
        key: Secret; never part of a message.
    """

    url: str
    key: str | None = field(default=None, repr=False)

    @property
    def is_local(self) -> bool:
        """Whether the server is this machine: nothing leaves it, and nothing is charged."""
        host = urlsplit(self.url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    @property
    def is_encrypted(self) -> bool:
        """Whether others on the way can read what is sent."""
        return self.url.startswith("https:")

    @property
    def lacks_key(self) -> bool:
        """Whether the server is known to take nothing without a key, and there is none."""
        return self.url == DEFAULT_URL and self.key is None

    @property
    def secret(self) -> str:
        """The key to send; servers without keys get a word."""
        return self.key or _NO_KEY

    def without_secrets(self, text: str) -> str:
        """The text with the key, and whatever looks like one, taken out."""
        clean = text.replace(self.key, "[key]") if self.key else text
        return _BEARER.sub("[key]", _KEY_LIKE.sub("[key]", clean))

    def without_key(self, text: str) -> str:
        """What a model wrote with the key taken out, also where its letters stand as JSON escapes."""
        if self.key is None or len(self.key) < _SHORTEST_SECRET:
            return text
        letters = (f"(?:{re.escape(letter)}|\\\\u(?i:{ord(letter):04x}))" for letter in self.key)
        return re.sub("".join(letters), "[key]", text)

    def check_key(self) -> None:
        """Make sure that nothing is sent that cannot be answered for want of a key.

        Raises:
            UsageError: The server needs a key and there is none.
        """
        if self.lacks_key:
            raise UsageError(
                f"there is no key for {self.url}; nothing was sent",
                remedy=f"set {_OPENAI_KEY_VARIABLE} or {_KEY_VARIABLE}, or name another server with --base-url",
            )


def read_endpoint(url: str | None, environment: Mapping[str, str]) -> Endpoint:
    """Return the server of a URL with the key that the environment holds for it.

    `ROOFSTAT_LLM_KEY` goes to any server that the user names, `OPENAI_API_KEY` to OpenAI's alone.

    Raises:
        UsageError: It is no HTTP URL, or it holds a password; or the key is none that can be sent.
    """
    chosen = (url or DEFAULT_URL).rstrip("/")
    try:
        parts = urlsplit(chosen)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(
            "--base-url is not a URL of a server",
            remedy="write, for example, http://localhost:8000/v1",
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "--base-url holds a user, a password or a query",
            remedy=f"give the key in the environment variable {_KEY_VARIABLE}",
        )
    variables = (_KEY_VARIABLE, *((_OPENAI_KEY_VARIABLE,) if chosen == DEFAULT_URL else ()))
    for variable in variables:
        key = environment.get(variable, "").strip()
        if not all("!" <= letter <= "~" for letter in key):
            raise UsageError(
                f"the key in {variable} holds spaces or letters that no key has; nothing was sent",
                remedy="copy the key again",
            )
        if key:
            return Endpoint(url=chosen, key=key)
    return Endpoint(url=chosen)
