"""Options of every command that asks a language model, and the run that they describe: whom, at what price, from which log."""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass
from roofstat.cli.console import Console
from roofstat.cli.progress import ProgressLine
from roofstat.cli.user_directories import data_directory
from roofstat.errors import UsageError

if TYPE_CHECKING:
    from roofstat.llm.asking import Said
    from roofstat.llm.cost import Price
    from roofstat.llm.endpoint import Endpoint
    from roofstat.llm.requests import ChatRequest

__all__ = ["LlmRun", "add_llm_options", "llm_log_file", "llm_run"]

_DEFAULT_TIMEOUT_S = 300.0
_DEFAULT_CONCURRENCY = 4
_DEFAULT_MAX_COST_USD = 1.0


def add_llm_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say whom to ask, and within which limits."""
    group.add_argument(
        "--llm",
        metavar="MODEL",
        help="ask this language model too; the source that a kernel needs leaves this machine only with this option",
    )
    group.add_argument(
        "--base-url",
        metavar="URL",
        help="OpenAI-compatible server, such as http://localhost:8000/v1 (default https://api.openai.com/v1); the key "
        "comes from ROOFSTAT_LLM_KEY, or from OPENAI_API_KEY for OpenAI's own server",
    )
    group.add_argument(
        "--no-features",
        action="store_true",
        help="show the model the source without the static features",
    )
    group.add_argument(
        "--llm-timeout",
        type=float,
        default=_DEFAULT_TIMEOUT_S,
        metavar="S",
        help=f"seconds for one answer (default {_DEFAULT_TIMEOUT_S:g})",
    )
    group.add_argument(
        "--llm-concurrency",
        type=int,
        default=_DEFAULT_CONCURRENCY,
        metavar="N",
        help=f"requests under way at a time (default {_DEFAULT_CONCURRENCY})",
    )
    group.add_argument(
        "--max-cost",
        type=float,
        default=_DEFAULT_MAX_COST_USD,
        metavar="USD",
        help="ask before a run that is estimated above this, and stop one that reaches it "
        f"(default {_DEFAULT_MAX_COST_USD:g})",
    )
    group.add_argument(
        "--llm-price",
        metavar="IN/OUT",
        help="USD for a million tokens, such as 0.15/0.60, where the model's price is not known",
    )
    group.add_argument(
        "--yes", action="store_true", help="spend whatever the run costs without asking"
    )
    group.add_argument(
        "--llm-log", metavar="FILE", help="log of requests and answers (see roofstat llm log)"
    )
    how = group.add_mutually_exclusive_group()
    how.add_argument(
        "--llm-replay", action="store_true", help="take answers from the log alone; nothing is sent"
    )
    how.add_argument(
        "--llm-fresh", action="store_true", help="ask again where the log has an answer"
    )


def llm_log_file(name: str | None) -> Path:
    """Return the log's place: as given, or in the user's data directory.

    Raises:
        UsageError: There is no home directory to keep it in.
    """
    if name:
        return Path(name)
    directory = data_directory()
    if directory is None:
        raise UsageError(
            "there is no home directory to keep the log in", remedy="name a file with --llm-log"
        )
    return directory / "llm.sqlite"


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmRun:
    """Whom to ask, and within which limits.

    Attributes:
        model: As the server calls it.
        endpoint: The server.
        log: File of the log.
        price: Of the model; None where unknown.
        max_cost_usd: Of the whole run.
        is_confirmed: Whether the user has agreed to whatever it costs.
        is_replay: Whether only the log answers.
        is_fresh: Whether logged answers are passed over.
    """

    model: str
    endpoint: Endpoint
    log: Path
    timeout_s: float
    concurrency: int
    price: Price | None
    max_cost_usd: float
    is_confirmed: bool
    is_replay: bool
    is_fresh: bool

    @property
    def destination(self) -> str:
        """Where source goes."""
        return "log" if self.is_replay else self.endpoint.url

    def ask(self, requests: Sequence[ChatRequest], console: Console) -> list[Said]:
        """Say where the source goes and what it costs, ask, and say what was left without an answer.

        Raises:
            UsageError: There is no key, or the cost is above the limit and nobody agrees to it.
        """
        said = self._ask(requests, console)
        missing = [item for item in said if item.error is not None]
        if missing:
            reasons = Counter(str(item.error) for item in missing)
            told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
            rest = "; ..." if len(reasons) > 3 else ""
            console.complain(
                f"{len(missing)} of {len(said)} questions have no answer of {self.model}: {told}{rest}"
            )
        if not self.is_replay and any(item.is_logged for item in missing):
            console.complain(
                "answers in the log that cannot be used are kept; --llm-fresh asks again"
            )
        return said

    def _ask(self, requests: Sequence[ChatRequest], console: Console) -> list[Said]:
        from roofstat.llm.asking import Asker
        from roofstat.llm.log import CallLog

        log = CallLog(self.log)
        progress = ProgressLine(console)
        try:
            if self.is_replay:
                console.complain(f"answers come from {self.log}; nothing is sent")
                return Asker(log, None, self.destination).ask_all(requests)
            from roofstat.llm.client import ChatServer

            server = ChatServer(self.endpoint, timeout_s=self.timeout_s)
            asker = Asker(
                log,
                server,
                self.destination,
                concurrency=self.concurrency,
                fresh=self.is_fresh,
            )
            try:
                self._announce(asker.unknown(requests), len(requests), console)
                return asker.ask_all(
                    requests,
                    price=self.price,
                    budget_usd=None if self.is_confirmed else self.max_cost_usd,
                    progress=progress,
                )
            finally:
                server.close()
        finally:
            progress.close()
            log.close()

    def _announce(self, unknown: Sequence[ChatRequest], total: int, console: Console) -> None:
        """Show the destination and the estimate; ask where it is above the limit or cannot be told."""
        from roofstat.llm.cost import estimate

        if not unknown:
            console.complain(f"all {total} answers are in the log; nothing is sent")
            return
        self.endpoint.check_key()
        expected = estimate(unknown, self.price)
        plain = "" if self.endpoint.is_encrypted or self.endpoint.is_local else ", not encrypted"
        console.complain(f"source goes to {self.endpoint.url}{plain} ({self.model}): {expected}")
        too_much = expected.usd is None or expected.usd > self.max_cost_usd
        if not too_much or self.is_confirmed:
            return
        why = (
            "the price of this model is not known"
            if expected.usd is None
            else f"that is above --max-cost {self.max_cost_usd:g}"
        )
        if not console.confirm(f"{why}; go on?"):
            raise UsageError(
                f"{why}, and nobody agreed to it; nothing was sent",
                remedy="give --yes, or --llm-price and a higher --max-cost",
            )


def llm_run(args: argparse.Namespace) -> LlmRun | None:
    """Return the run that the options describe; None where no model is asked.

    Raises:
        UsageError: An option has a value that makes no sense.
    """
    if args.llm is None:
        for option in ("llm_replay", "llm_fresh"):
            if getattr(args, option):
                raise UsageError(
                    f"--{option.replace('_', '-')}: no language model is asked",
                    remedy="name the model with --llm",
                )
        return None
    from roofstat.llm.cost import Price, parse_price, price_of
    from roofstat.llm.endpoint import read_endpoint

    if not args.llm.strip():
        raise UsageError("--llm names no model", remedy="write, for example, --llm gpt-4o-mini")
    if not (args.llm_timeout > 0 and math.isfinite(args.llm_timeout)):
        raise UsageError(
            f"--llm-timeout {args.llm_timeout:g} makes no sense", remedy="give seconds"
        )
    if args.llm_concurrency < 1:
        raise UsageError(
            f"--llm-concurrency {args.llm_concurrency}: at least one request is needed",
            remedy="write, for example, --llm-concurrency 4",
        )
    if not args.max_cost >= 0:
        raise UsageError(f"--max-cost {args.max_cost:g} makes no sense", remedy="give USD")
    endpoint = read_endpoint(args.base_url, os.environ)
    free = Price(input_usd=0.0, output_usd=0.0) if endpoint.is_local else price_of(args.llm)
    return LlmRun(
        model=args.llm.strip(),
        endpoint=endpoint,
        log=llm_log_file(args.llm_log),
        timeout_s=args.llm_timeout,
        concurrency=args.llm_concurrency,
        price=parse_price(args.llm_price) if args.llm_price else free,
        max_cost_usd=args.max_cost,
        is_confirmed=args.yes,
        is_replay=args.llm_replay,
        is_fresh=args.llm_fresh,
    )
