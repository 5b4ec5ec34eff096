"""The client against a real server that misbehaves."""

from __future__ import annotations

import json
import time

import pytest

from roofstat.errors import LlmError, LlmFailure, UsageError
from roofstat.llm.answers import AnswerForm
from roofstat.llm.endpoint import DEFAULT_URL, Endpoint, read_endpoint

KEY = "sk-loopback-0123456789abcdef"


@pytest.fixture
def ask(server, make_request):
    """Asks the loopback server once."""
    from roofstat.llm.client import ChatServer  # noqa: PLC0415 - skipped where the library is absent

    opened = []

    def run(request=None, *, timeout_s=10.0, retries=2):
        endpoint = Endpoint(url=server.url, key=KEY)
        chat = ChatServer(endpoint, timeout_s=timeout_s, retries=retries)
        opened.append(chat)
        return chat.ask(request or make_request())

    yield run
    for chat in opened:
        chat.close()


def kind_of(call):
    with pytest.raises(LlmError) as caught:
        call()
    assert KEY not in str(caught.value)
    return caught.value.kind


def test_a_streamed_answer_is_put_together(ask, server, answer_text):
    reply = ask()
    assert reply.texts == (answer_text(),)
    assert (reply.model, reply.finish) == ("m-resolved", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 20)
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is True
    assert server.authorizations == [f"Bearer {KEY}"]


def test_several_choices_come_apart(ask, server, reaction):
    server.react(reaction(texts=("one" * 30, "two")))
    assert ask().texts == ("one" * 30, "two")


def test_a_refused_key_is_said_without_the_key(ask, server, reaction):
    server.react(reaction(status=401, error=f"Incorrect API key provided: {KEY}"))
    assert kind_of(ask) is LlmFailure.KEY
    assert len(server.requests) == 1


def test_keys_in_other_messages_are_taken_out(ask, server, reaction):
    server.react(reaction(status=400, error=f"bad header Bearer {KEY}, or sk-other-12345678"))
    with pytest.raises(LlmError) as caught:
        ask()
    assert caught.value.kind is LlmFailure.REQUEST
    assert "sk-" not in str(caught.value)


def test_retry_after_is_honoured(ask, server, reaction):
    server.react(reaction(status=429, headers={"Retry-After": "1"}), reaction())
    ask()
    assert server.times[1] - server.times[0] >= 1.0


def test_a_server_error_is_tried_again_and_given_up(ask, server, reaction):
    server.react(reaction(status=500), reaction())
    assert ask().finish == "stop"
    server.react(reaction(status=503, headers={"Retry-After-Ms": "1"}))
    server.reactions.popleft()
    assert kind_of(lambda: ask(retries=1)) is LlmFailure.SERVER
    assert len(server.requests) == 4


def test_a_busy_server_is_given_up(ask, server, reaction):
    server.react(reaction(status=429, headers={"Retry-After-Ms": "1"}))
    assert kind_of(lambda: ask(retries=1)) is LlmFailure.BUSY


def test_a_slow_stream_ends_at_the_limit(ask, server, reaction):
    server.react(reaction(delay_s=0.3))
    started = time.monotonic()
    assert kind_of(lambda: ask(timeout_s=0.7)) is LlmFailure.TIMEOUT
    assert time.monotonic() - started < 3


def test_a_silent_server_ends_at_the_limit(ask, server, reaction):
    server.react(reaction(delay_s=2.0))
    assert kind_of(lambda: ask(timeout_s=0.3, retries=0)) is LlmFailure.TIMEOUT


def test_a_broken_stream_is_asked_again(ask, server, reaction, answer_text):
    server.react(reaction(break_after=2), reaction())
    assert ask().texts == (answer_text(),)
    assert len(server.requests) == 2


def test_a_stream_that_always_breaks_is_no_answer(ask, server, reaction):
    server.react(reaction(break_after=2))
    assert kind_of(ask) is LlmFailure.CONNECTION


def test_refusals_and_cut_answers_are_replies_that_cannot_be_used(ask, server, reaction):
    server.react(reaction(refusal="I will not"))
    reply = ask()
    assert reply.refusal == "I will not"
    assert kind_of(reply.check) is LlmFailure.REFUSAL
    server.react(reaction(finish="length"))
    server.reactions.popleft()
    assert kind_of(ask().check) is LlmFailure.TRUNCATED


@pytest.mark.parametrize("raw", [b"data: {not json\n\n", b"data: [DONE]\n\n", b"<html>"])
def test_what_is_no_stream_is_malformed(ask, server, reaction, raw):
    server.react(reaction(raw=raw))
    assert kind_of(ask) is LlmFailure.MALFORMED


@pytest.mark.parametrize("lacking", ["response_format", "temperature", "stream"])
def test_what_a_server_lacks_is_left_out(ask, server, reaction, make_request, answer_text, lacking):
    server.react(
        reaction(status=400, error=f"{lacking} is not supported here", unless_missing=lacking)
    )
    request = make_request(temperature=0.5)
    assert ask(request).texts == (answer_text(),)
    first, second = server.requests
    assert lacking in first
    assert lacking not in second
    assert {"response_format", "temperature", "stream"} - second.keys() == {lacking}


@pytest.mark.parametrize("raw", [b"<html>no</html>", b'{"choices": []}', b'"text"', b"{"])
def test_whole_replies_that_are_no_completion_are_malformed(ask, server, reaction, raw):
    server.react(
        reaction(status=400, error="no stream", unless_missing="stream"), reaction(raw=raw)
    )
    assert kind_of(ask) is LlmFailure.MALFORMED


def test_redirects_are_not_followed(ask, server, reaction):
    server.react(reaction(status=307, headers={"Location": server.url.replace("/v1", "/else")}))
    assert kind_of(ask) is LlmFailure.REQUEST
    assert len(server.times) == 1


def test_a_server_that_is_not_there_is_said(server, make_request):
    from roofstat.llm.client import ChatServer  # noqa: PLC0415

    chat = ChatServer(Endpoint(url="http://127.0.0.1:9/v1"), timeout_s=2, retries=0)
    assert kind_of(lambda: chat.ask(make_request(form=AnswerForm.WORD))) is LlmFailure.CONNECTION
    chat.close()


def test_keys_go_only_where_they_belong():
    keys = {"OPENAI_API_KEY": "sk-openai-1234567", "ROOFSTAT_LLM_KEY": ""}
    assert read_endpoint(None, keys).key == "sk-openai-1234567"
    assert read_endpoint("http://localhost:8000/v1/", keys) == Endpoint(
        url="http://localhost:8000/v1"
    )
    assert read_endpoint("http://gpu:8000", {"ROOFSTAT_LLM_KEY": "own"}).key == "own"
    assert "own" not in repr(read_endpoint("http://gpu:8000", {"ROOFSTAT_LLM_KEY": "own"}))
    assert read_endpoint(None, {}).url == DEFAULT_URL


@pytest.mark.parametrize(
    "url",
    ["gpu:9/v1", "ftp://x", "https://user:pw@host/v1", "http://[::1", "https://h?key=1"],
)
def test_wrong_urls_are_refused_without_repeating_them(url):
    with pytest.raises(UsageError) as caught:
        read_endpoint(url, {})
    assert url not in str(caught.value)


def test_no_other_secret_of_the_environment_reaches_a_server(server, make_request, monkeypatch):
    from roofstat.llm.client import ChatServer  # noqa: PLC0415

    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, f"secret-{name}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    chat = ChatServer(Endpoint(url=server.url), timeout_s=5, retries=0)
    chat.ask(make_request())
    chat.close()
    assert "secret" not in json.dumps(server.headers)


def test_local_servers_are_known_as_such():
    local = ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"]
    assert all(Endpoint(url=url).is_local for url in local)
    assert not Endpoint(url="http://localhost.example.com/v1").is_local
    assert not Endpoint(url=DEFAULT_URL).is_local
