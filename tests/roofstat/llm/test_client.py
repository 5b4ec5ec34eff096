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


def test_a_server_that_knows_no_streams_is_understood(ask, server, reaction, answer_text):
    server.react(reaction(is_whole=True))
    reply = ask()
    assert server.requests[0]["stream"] is True
    assert (reply.texts, reply.model, reply.finish) == ((answer_text(),), "m-resolved", "stop")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 20)
    server.react(reaction(is_whole=True, refusal="I will not"))
    server.reactions.popleft()
    assert ask().refusal == "I will not"


@pytest.mark.parametrize(
    ("raw", "kind", "said"),
    [
        (b'{"error": {"message": "overloaded", "code": 503}}', LlmFailure.SERVER, "overloaded"),
        (b'{"error": "no memory"}', LlmFailure.SERVER, "no memory"),
        (f'{{"error": "for {KEY}"}}'.encode(), LlmFailure.SERVER, "for [key]"),
        (b"hello", LlmFailure.MALFORMED, "hello"),
        (b"[1, 2]", LlmFailure.MALFORMED, "[1, 2]"),
        (b'{"choices": []}', LlmFailure.MALFORMED, "no choice"),
        (b'{"choices": [{"message": {"content": 1}}]}', LlmFailure.MALFORMED, "no chat completion"),
        (b'{"choices": [], "created": 1' + b"0" * 6000 + b"}", LlmFailure.MALFORMED, "no JSON"),
        (b"[" * 100_000, LlmFailure.MALFORMED, "no JSON"),
    ],
)
def test_a_reply_in_one_piece_that_is_no_answer_tells_what_it_is(
    ask, server, reaction, raw, kind, said
):
    server.react(reaction(is_whole=True, raw=raw))
    with pytest.raises(LlmError) as caught:
        ask()
    assert caught.value.kind is kind
    assert said in caught.value.problem
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1


def test_an_error_within_a_stream_is_said(ask, server, reaction):
    server.react(reaction(raw=f'data: {{"error": {{"message": "died {KEY}"}}}}\n\n'.encode()))
    with pytest.raises(LlmError, match=r"failed: died \[key\]") as caught:
        ask()
    assert caught.value.kind is LlmFailure.SERVER


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("count", ["many", -5, 1.5, True, 10**30, None, [1]])
def test_tokens_that_are_no_count_are_unknown(ask, server, reaction, is_whole, count):
    usage = {"prompt_tokens": count, "completion_tokens": 7}
    server.react(reaction(is_whole=is_whole, usage=usage))
    reply = ask()
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, 7)
    server.react(reaction(is_whole=is_whole, usage="much"))
    server.reactions.popleft()
    assert (ask().prompt_tokens, ask().completion_tokens) == (None, None)


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_key_in_an_answer_is_taken_out(ask, server, reaction, answer_text, is_whole):
    escaped = answer_text(reasons=[f"{KEY} it is"]).replace("sk-", "\\u0073\\u006B-")
    server.react(
        reaction(is_whole=is_whole, texts=(answer_text(reasons=[f"Bearer {KEY}"]), escaped))
    )
    first, second = ask().texts
    assert json.loads(first)["reasons"] == ["Bearer [key]"]
    assert json.loads(second)["reasons"] == ["[key] it is"]


def test_a_short_word_as_key_is_no_secret():
    assert Endpoint(url="http://h", key="none").without_key("none of it") == "none of it"


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


def test_what_timed_out_is_not_asked_again(ask, server, reaction):
    server.react(reaction(silence_s=1.0))
    assert kind_of(lambda: ask(timeout_s=0.3)) is LlmFailure.TIMEOUT
    assert len(server.requests) == 1


def test_a_used_up_quota_is_not_asked_again(ask, server, reaction):
    quota = {"error": {"message": "You exceeded it", "type": "insufficient_quota"}}
    server.react(reaction(status=429, error_body=quota))
    with pytest.raises(LlmError, match="quota of the key is used up") as caught:
        ask()
    assert caught.value.kind is LlmFailure.BUSY
    assert len(server.requests) == 1


def test_a_server_that_wants_a_long_pause_is_given_up_at_once(ask, server, reaction):
    server.react(reaction(status=429, headers={"Retry-After": "100000"}))
    assert kind_of(ask) is LlmFailure.BUSY
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"error": "model 'm' not found, try pulling it first"},
        {"error": {"message": "model 'm' not found, try pulling it first"}},
        {"detail": [{"loc": ["body"], "msg": "model 'm' not found, try pulling it first"}]},
    ],
)
def test_every_form_of_an_error_is_read(ask, server, reaction, body):
    server.react(reaction(status=404, error_body=body))
    with pytest.raises(LlmError, match=r"status 404\): model 'm' not found, try pulling it first"):
        ask()


def test_a_schema_is_left_out_where_the_server_does_not_say_what_is_wrong(
    ask, server, reaction, answer_text
):
    server.react(
        reaction(
            status=400,
            error_body={"error": "unknown parameter"},
            unless_missing="response_format",
        )
    )
    assert ask().texts == (answer_text(),)
    assert ["response_format" in body for body in server.requests] == [True, False]
    # where that does not help, what the server says is the failure
    server.react(reaction(status=400, error_body={"error": "too long"}))
    server.reactions.popleft()
    with pytest.raises(LlmError, match="too long"):
        ask()
    assert len(server.requests) == 4


def test_a_broken_stream_is_asked_again(ask, server, reaction, answer_text):
    server.react(reaction(break_after=2), reaction())
    assert ask().texts == (answer_text(),)
    assert len(server.requests) == 2


def test_a_stream_that_always_breaks_is_no_answer(ask, server, reaction):
    server.react(reaction(break_after=2))
    assert kind_of(ask) is LlmFailure.CONNECTION


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_reply_that_is_cut_off_is_not_taken_for_a_server_that_is_not_there(
    ask, server, reaction, is_whole
):
    server.react(
        reaction(is_whole=True, raw=b'{"choices": ', missing_bytes=99)
        if is_whole
        else reaction(break_after=2)
    )
    with pytest.raises(LlmError, match=r"broke off|ended within") as caught:
        ask(retries=5)
    assert caught.value.kind is LlmFailure.CONNECTION
    assert len(server.requests) == 3


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


@pytest.mark.parametrize("key", ["sk-Ü123456789", "sk-123 456789", "sk-123\n456789"])
def test_a_key_that_cannot_be_sent_is_refused_without_a_letter_of_it(key):
    with pytest.raises(UsageError, match="key in ROOFSTAT_LLM_KEY holds") as caught:
        read_endpoint("http://h/v1", {"ROOFSTAT_LLM_KEY": key})
    assert "Ü" not in str(caught.value)
    assert "123" not in str(caught.value)


def test_local_servers_are_known_as_such():
    local = ["http://localhost:1/v1", "http://127.0.0.1/v1", "http://[::1]:8/v1"]
    assert all(Endpoint(url=url).is_local for url in local)
    assert not Endpoint(url="http://localhost.example.com/v1").is_local
    assert not Endpoint(url=DEFAULT_URL).is_local
