"""What a run will cost and what it has cost. An unknown price is unknown, not zero."""

from __future__ import annotations

import functools
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, Final

from clang_queries.quick_dataclass import dataclass
from roofstat.errors import UsageError
from roofstat.llm.answers import AnswerForm
from roofstat.llm.replies import Reply
from roofstat.llm.requests import ChatRequest

__all__ = ["Estimate", "Price", "estimate", "parse_price", "price_of"]

_DATE: Final = re.compile(r"-\d{4}-\d{2}-\d{2}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD for a million tokens."""

    input_usd: float
    output_usd: float

    def of(self, input_tokens: float, output_tokens: float) -> float:
        """Return USD for so many tokens."""
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1e6

    def of_reply(self, request: ChatRequest, reply: Reply) -> float:
        """Return USD for a reply; tokens that the server does not tell are estimated."""
        guess = estimate([request], None)
        sent, said = reply.prompt_tokens, reply.completion_tokens
        return self.of(
            guess.input_tokens if sent is None else sent,
            guess.output_tokens if said is None else said,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Of requests that are still to be sent; `usd` is None where the model's price is unknown."""

    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None

    def __str__(self) -> str:
        """For a person."""
        known = f"about {self.usd:.2f} USD" if self.usd else "free"
        cost = "price unknown" if self.usd is None else known
        plural = "" if self.requests == 1 else "s"
        return f"{self.requests} request{plural}, about {self.input_tokens:,} tokens in and {self.output_tokens:,} out, {cost}"


def estimate(
    requests: Iterable[ChatRequest], price: Price | None, *, batch: bool = False
) -> Estimate:
    """Estimate tokens and price.

    Args:
        requests: What is to be sent.
        price: Of the model; None where unknown.
        batch: Whether they go as a batch, at the vendor's discount.
    """
    table = _table()
    guess = table["estimate"]
    chosen = list(requests)
    inputs = sum(
        math.ceil(request.characters / guess["characters_per_token"]) for request in chosen
    )
    words = {AnswerForm.JSON: "json_output_tokens", AnswerForm.WORD: "word_output_tokens"}
    outputs = sum(guess[words[request.form]] for request in chosen)
    factor = table["batch_factor"] if batch else 1.0
    return Estimate(
        requests=len(chosen),
        input_tokens=inputs,
        output_tokens=outputs,
        usd=None if price is None else price.of(inputs, outputs) * factor,
    )


def price_of(model: str) -> Price | None:
    """Return the shipped price of a model, dated versions and fine-tuned ones included; None where unknown.

    >>> price_of("gpt-4o-mini-2024-07-18")
    Price(input_usd=0.15, output_usd=0.6)
    """
    models: Mapping[str, Mapping[str, float]] = _table()["models"]
    found = models.get(model) or models.get(_DATE.sub("", model))
    if found is None:
        return None
    return Price(input_usd=found["input"], output_usd=found["output"])


def parse_price(text: str) -> Price:
    """Read `INPUT/OUTPUT` in USD for a million tokens.

    Raises:
        UsageError: The text has another form.

    >>> parse_price("0.5/2")
    Price(input_usd=0.5, output_usd=2.0)
    """
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) != 2 or not all(math.isfinite(value) and value >= 0 for value in numbers):
        raise UsageError(
            f"--llm-price {text!r} is not INPUT/OUTPUT",
            remedy="write USD for a million tokens, for example 0.15/0.60",
        )
    return Price(input_usd=numbers[0], output_usd=numbers[1])


@functools.cache
def _table() -> Mapping[str, Any]:
    file = resources.files("roofstat.llm") / "data" / "prices.toml"
    return tomllib.loads(file.read_text("utf-8"))
