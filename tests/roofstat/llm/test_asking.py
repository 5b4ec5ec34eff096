"""Many requests: the log, replays, limits."""

from __future__ import annotations

import sqlite3
import stat
import time

import pytest

from roofstat.errors import LlmError, LlmFailure, UsageError
from roofstat.llm.asking import Asker
from roofstat.llm.cost import Price, estimate, parse_price, price_of
from roofstat.llm.log import CallLog
from roofstat.llm.replies import Reply

URL = "http://here/v1"


class Scripted:
    """A server in this process: what it is to say, by the text of the request."""

    def __init__(self, text, script=None):
        self.text, self.script, self.asked = text, script or {}, []

    def ask(self, request):
        content = request.messages[-1].content
        self.asked.append(content)
        found = self.script.get(content, self.text)
        if isinstance(found, LlmError):
            raise found
        return Reply(texts=(found,), finish="stop", prompt_tokens=1000, completion_tokens=100)


@pytest.fixture
def good(answer_text):
    return Scripted(answer_text())


def test_equal_requests_are_asked_once_and_answered_in_order(log, good, make_request):
    requests = [make_request("a"), make_request("b"), make_request("a")]
    said = Asker(log, good, URL).ask_all(requests)
    assert sorted(good.asked) == ["a", "b"]
    assert [item.request.messages[0].content for item in said] == ["a", "b", "a"]
    assert all(item.answer is not None for item in said)


def test_what_is_logged_is_not_asked_again_and_can_be_replayed_without_a_server(
    log, good, make_request
):
    first = Asker(log, good, URL).ask_all([make_request("a")])
    again = Asker(log, good, URL)
    assert again.unknown([make_request("a"), make_request("b")]) == [make_request("b")]
    assert again.ask_all([make_request("a")])[0].is_logged
    replayed = Asker(log, None, "").ask_all([make_request("a"), make_request("b")])
    assert replayed[0].answer == first[0].answer
    assert replayed[1].error.kind is LlmFailure.ABSENT
    assert good.asked == ["a"]


def test_another_server_gets_its_own_answer_and_fresh_asks_again(log, good, make_request):
    Asker(log, good, URL).ask_all([make_request("a")])
    assert not Asker(log, good, "http://there/v1").ask_all([make_request("a")])[0].is_logged
    assert not Asker(log, good, URL, fresh=True).ask_all([make_request("a")])[0].is_logged
    assert good.asked == ["a"] * 3


def test_unusable_replies_are_paid_once_and_asked_again_on_demand(log, make_request, answer_text):
    server = Scripted(answer_text(), {"a": "no idea"})
    said = Asker(log, server, URL).ask_all([make_request("a")])[0]
    assert said.error.kind is LlmFailure.MALFORMED
    assert next(log.calls()).reply.texts == ("no idea",)
    assert Asker(log, None, "").ask_all([make_request("a")])[0].error.kind is LlmFailure.MALFORMED
    server.script.clear()
    again = Asker(log, server, URL)
    assert again.unknown([make_request("a")]) == []
    (kept,) = again.ask_all([make_request("a")])
    assert (kept.error.kind, kept.is_logged) == (LlmFailure.MALFORMED, True)
    assert server.asked == ["a"]
    fresh = Asker(log, server, URL, fresh=True)
    assert fresh.ask_all([make_request("a")])[0].answer is not None
    assert Asker(log, server, URL).ask_all([make_request("a")])[0].answer is not None
    assert server.asked == ["a"] * 2


def test_what_brought_no_reply_is_asked_again(log, make_request, answer_text):
    server = Scripted(answer_text(), {"a": LlmError(LlmFailure.SERVER, "down")})
    assert Asker(log, server, URL).ask_all([make_request("a")])[0].answer is None
    server.script.clear()
    assert Asker(log, server, URL).ask_all([make_request("a")])[0].answer is not None


def test_token_counts_that_an_older_log_holds_are_read_as_unknown(log, make_request, answer_text):
    log.add(
        make_request("a"),
        URL,
        Reply(texts=(answer_text(),), finish="stop", prompt_tokens="many", completion_tokens=-5),
    )
    (said,) = Asker(log, None, "").ask_all([make_request("a")])
    assert said.answer is not None
    assert (said.reply.prompt_tokens, said.reply.completion_tokens) == (None, None)


def test_unknown_tokens_cost_what_was_estimated(make_request):
    # 3300 characters are 1000 tokens, an answer 1500: (1000 * 1 + 1500 * 10) / 1e6
    price, request = Price(input_usd=1, output_usd=10), make_request("x" * 3300)
    assert price.of_reply(request, Reply(texts=())) == pytest.approx(0.016)
    told = Reply(texts=(), prompt_tokens=0, completion_tokens=100)
    assert price.of_reply(request, told) == pytest.approx(0.001)


def test_a_refused_key_stops_the_run(log, make_request):
    server = Scripted("", {str(n): LlmError(LlmFailure.KEY, "no") for n in range(20)})
    said = Asker(log, server, URL, concurrency=2).ask_all([make_request(str(n)) for n in range(20)])
    assert len(server.asked) <= 4
    assert {item.error.kind for item in said} == {LlmFailure.KEY}
    assert len(said) == 20


def test_a_spent_budget_stops_the_run(log, good, make_request):
    # one reply costs (1000 * 1 + 100 * 10) / 1e6 = 0.002 USD: the fifth reaches 0.01
    said = Asker(log, good, URL, concurrency=1).ask_all(
        [make_request(str(n)) for n in range(9)],
        price=Price(input_usd=1, output_usd=10),
        budget_usd=0.0095,
    )
    assert len(good.asked) == 5
    assert [item.answer is not None for item in said] == [True] * 5 + [False] * 4
    assert said[-1].error.kind is LlmFailure.ABSENT
    # the run goes on where it stopped
    Asker(log, good, URL).ask_all([make_request(str(n)) for n in range(9)])
    assert len(good.asked) == 9


def test_no_more_than_so_many_requests_are_under_way(
    log, make_request, answer_text, server, reaction
):
    from roofstat.llm.client import ChatServer  # noqa: PLC0415
    from roofstat.llm.endpoint import Endpoint  # noqa: PLC0415

    server.react(reaction(delay_s=0.02))
    chat = ChatServer(Endpoint(url=server.url), timeout_s=10)
    said = Asker(log, chat, server.url, concurrency=3).ask_all(
        [make_request(str(n)) for n in range(12)]
    )
    chat.close()
    assert all(item.answer for item in said)
    assert 2 <= server.most_at_once <= 3


def test_a_defect_is_not_taken_for_a_failure_of_the_server(log, make_request):
    class Broken:
        def ask(self, request):
            raise ZeroDivisionError(request.prompt)

    with pytest.raises(ZeroDivisionError):
        Asker(log, Broken(), URL).ask_all([make_request("a")])


def test_progress_counts_up(log, good, make_request):
    seen = []
    Asker(log, good, URL).ask_all(
        [make_request(str(n)) for n in range(3)], progress=lambda *step: seen.append(step[:2])
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_log_belongs_to_its_owner_and_survives(tmp_path, good, make_request):
    file = tmp_path / "deep" / "log.sqlite"
    first = CallLog(file)
    Asker(first, good, URL).ask_all([make_request("a")])
    first.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    second = CallLog(file)
    call = next(second.calls(limit=1, key=make_request("a").key[:8]))
    second.close()
    assert (call.requested_model, call.prompt, call.destination) == ("m", "roofstat/1", URL)
    assert call.body == make_request("a").body()
    assert time.time() - call.time < 60


def test_a_foreign_or_newer_log_is_refused(tmp_path):
    file = tmp_path / "log.sqlite"
    file.write_text("this is no database, but long enough to look at it")
    with pytest.raises(UsageError):
        CallLog(file)
    newer = tmp_path / "newer.sqlite"
    connection = sqlite3.connect(newer)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UsageError, match="newer"):
        CallLog(newer)


def test_estimates_say_what_is_unknown(make_request):
    # 3300 characters are 1000 tokens; an answer is taken for 1500
    request = make_request("x" * 3300)
    known = estimate([request] * 10, Price(input_usd=1, output_usd=10))
    assert (known.input_tokens, known.output_tokens) == (10_000, 15_000)
    assert known.usd == pytest.approx(0.16)
    assert estimate([request], None).usd is None
    assert "price unknown" in str(estimate([request], None))
    half = estimate([request] * 10, Price(input_usd=1, output_usd=10), batch=True)
    assert half.usd == pytest.approx(0.08)


def test_prices():
    assert price_of("gpt-4o-mini") == Price(input_usd=0.15, output_usd=0.6)
    assert price_of("llama-3") is None
    assert parse_price("0/2.5") == Price(input_usd=0, output_usd=2.5)
    for text in ("1", "1/2/3", "a/b", "-1/2", "nan/1"):
        with pytest.raises(UsageError):
            parse_price(text)
