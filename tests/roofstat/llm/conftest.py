"""A real server on the loopback that speaks the chat-completions protocol and misbehaves on demand."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from roofstat.analysis import AnalysisOptions
from roofstat.analysis.pipeline import analyze_program
from roofstat.hardware import load_gpu
from roofstat.llm.answers import AMOUNTS, AnswerForm
from roofstat.llm.log import CallLog
from roofstat.llm.requests import ChatRequest, Message
from roofstat.llm.slices import read_program

ANSWER = {
    "reasons": ["it streams"],
    **dict.fromkeys(AMOUNTS, 1000),
    "verdict": "bandwidth",
    "confidence": 0.9,
}


def text_of(**changes: Any) -> str:
    return json.dumps({**ANSWER, **changes})


@dataclass
class Reaction:
    """What the server does with one request."""

    texts: tuple[str, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "no"
    error_body: Any = None
    """Sent with the status instead of the usual form."""
    refusal: str | None = None
    finish: str | None = "stop"
    delay_s: float = 0.0
    """Before the answer, or between the pieces of a stream."""
    raw: bytes | None = None
    """Sent as it is, instead of a completion."""
    break_after: int | None = None
    """Pieces of a stream after which the connection is closed."""
    missing_bytes: int = 0
    """Of a reply in one piece: what is announced and does not come."""
    is_whole: bool = False
    """A completion in one piece, although a stream was asked for."""
    silence_s: float = 0.0
    """Before anything is sent."""
    usage: Any = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    )
    unless_missing: str | None = None
    """The status is sent only while the request has this field."""


class LoopbackServer:
    """Reactions are used up in order; the last one stays. Without any, every answer is right."""

    def __init__(self) -> None:
        self.reactions: deque[Reaction] = deque()
        self.answer = text_of()
        self.respond = None
        """Called with the request's body for the text of the answer."""
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                owner.serve(self)

            def do_GET(self) -> None:
                owner.serve(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()
        self.routes: dict[str, Any] = {}
        """Further paths: a function of the handler and its body that returns JSON."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def react(self, *reactions: Reaction) -> None:
        self.reactions.extend(reactions)

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        content = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            self.times.append(time.monotonic())
            self.authorizations.append(handler.headers.get("Authorization"))
            self.headers.append(dict(handler.headers))
        try:
            route = self.routes.get(handler.path.partition("?")[0])
            if route is not None:
                _send(handler, 200, {}, json.dumps(route(handler, content)).encode())
                return
            body = json.loads(content)
            with self._lock:
                self.requests.append(body)
                reaction = self._next()
            self._answer(handler, body, reaction)
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            with self._lock:
                self._now -= 1

    def _next(self) -> Reaction:
        if not self.reactions:
            return Reaction()
        return self.reactions.popleft() if len(self.reactions) > 1 else self.reactions[0]

    def _answer(self, handler: Any, body: dict[str, Any], reaction: Reaction) -> None:
        time.sleep(reaction.silence_s)
        wrong = reaction.status != 200 and (
            reaction.unless_missing is None or reaction.unless_missing in body
        )
        if wrong:
            data = reaction.error_body or {"error": {"message": reaction.error, "type": "error"}}
            _send(handler, reaction.status, reaction.headers, json.dumps(data).encode())
            return
        text = self.respond(body) if self.respond else self.answer
        texts = reaction.texts or (text,)
        if body.get("stream") and not reaction.is_whole:
            self._stream(handler, body, texts, reaction)
            return
        time.sleep(reaction.delay_s)
        if reaction.raw is not None:
            _send(handler, 200, {}, reaction.raw, missing=reaction.missing_bytes)
            return
        data = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": f"{body['model']}-resolved",
            "choices": [
                {
                    "index": index,
                    "finish_reason": reaction.finish,
                    "message": {"role": "assistant", "content": item, "refusal": reaction.refusal},
                }
                for index, item in enumerate(texts)
            ],
            "usage": reaction.usage,
        }
        _send(handler, 200, {}, json.dumps(data).encode())

    def _stream(
        self, handler: Any, body: dict[str, Any], texts: tuple[str, ...], reaction: Reaction
    ) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        if reaction.raw is not None:
            handler.wfile.write(reaction.raw)
            return
        for number, event in enumerate(_events(body, texts, reaction)):
            if reaction.break_after is not None and number >= reaction.break_after:
                return
            time.sleep(reaction.delay_s)
            handler.wfile.write(f"data: {event}\n\n".encode())
            handler.wfile.flush()


def _events(body: dict[str, Any], texts: tuple[str, ...], reaction: Reaction) -> list[str]:
    head = {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": f"{body['model']}-resolved",
    }

    def part(index: int, delta: dict[str, Any], finish: str | None = None) -> str:
        return json.dumps(
            {**head, "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}
        )

    events = []
    for index, text in enumerate(texts):
        if reaction.refusal is not None:
            events.append(part(index, {"refusal": reaction.refusal}))
        else:
            events += [
                part(index, {"content": text[at : at + 40]}) for at in range(0, len(text), 40)
            ]
        events.append(part(index, {}, reaction.finish))
    return [*events, json.dumps({**head, "choices": [], "usage": reaction.usage}), "[DONE]"]


def _send(
    handler: Any, status: int, headers: dict[str, str], content: bytes, missing: int = 0
) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(content) + missing))
    handler.close_connection = handler.close_connection or missing > 0
    handler.end_headers()
    handler.wfile.write(content)


@pytest.fixture
def server():
    pytest.importorskip("openai")
    found = LoopbackServer()
    yield found
    found.close()


@pytest.fixture
def log(tmp_path):
    found = CallLog(tmp_path / "log.sqlite")
    yield found
    found.close()


@pytest.fixture(scope="session")
def answer_text():
    """A right answer, with changes."""
    return text_of


@pytest.fixture(scope="session")
def reaction():
    """What the server is to do with one request."""
    return Reaction


@pytest.fixture(scope="session")
def make_request():
    def make(text: str = "hello", **changes: Any) -> ChatRequest:
        values: dict[str, Any] = {
            "model": "m",
            "messages": (Message("user", text),),
            "form": AnswerForm.JSON,
            "prompt": "roofstat/1",
        }
        return ChatRequest(**{**values, **changes})

    return make


KERNEL = """
#include <cuda_runtime.h>
#include <cstdlib>
#define BLOCK 256
#define UNUSED 3
typedef struct { float x, y; } Point;
enum Mode { FAST, SLOW };
namespace util {
template <typename T> __device__
T twice(T v) { return v + v; }
__device__ float other(float v) { return v; }
}
__constant__ float weights[4] = {1, 2, 3, 4};
template <typename T>
__global__ void scale(T *out, const Point *p, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = util::twice(p[i].x) * weights[FAST];
}
void unused_host() {}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int unrelated = 3;
  float *out; Point *p;
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&p, n * sizeof(Point));
  int blocks = (n + BLOCK - 1) / BLOCK;
  scale<float><<<blocks, BLOCK>>>(out, p, n);
  cudaFree(out);
}
""".lstrip()


@pytest.fixture(scope="session")
def kernel_file(tmp_path_factory):
    """Not to be changed: the cache knows its result."""
    file = tmp_path_factory.mktemp("kernel") / "scale.cu"
    file.write_text(KERNEL)
    return file


@pytest.fixture
def own_file(tmp_path):
    """The same, to be changed."""
    file = tmp_path / "scale.cu"
    file.write_text(KERNEL)
    return file


@pytest.fixture
def analyse():
    """A file to its analysis options, its kernels and its declarations."""

    def run(file, *args):
        options = AnalysisOptions(gpu=load_gpu("a100"), program_args=args)
        return options, analyze_program([file], options).kernels, read_program([file], options)

    return run
