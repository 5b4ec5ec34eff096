"""The server as a process: what it leaves on its streams, what it answers to wrong messages and how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import roofstat

HELLO = {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}
INITIALIZED = {"method": "initialized", "params": {}}
SHUTDOWN = {"id": 2, "method": "shutdown"}
EXIT = {"method": "exit"}
GOODBYE = (HELLO, INITIALIZED, SHUTDOWN, EXIT)
HOVER = "textDocument/hover"
DOCUMENT = {"uri": "file:///nowhere/a.cu"}


def framed(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def served(folder, *messages):
    """The finished server that was told these."""
    return subprocess.run(
        [sys.executable, "-m", "roofstat", "lsp"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(roofstat.__file__).parents[1])},
        input=b"".join(map(framed, messages)),
        capture_output=True,
        check=False,
        timeout=60,
    )


def sent(done):
    """The messages that a server has sent."""
    bodies = re.split(rb"Content-Length: \d+\r\n(?:[^\r]+\r\n)*\r\n", done.stdout)
    return [json.loads(body) for body in bodies if body]


def errors(done):
    """The codes of the errors that a server has answered with, by the number of the request."""
    return {each["id"]: each["error"]["code"] for each in sent(done) if "error" in each}


def test_a_server_that_was_told_to_end_ends_in_silence(tmp_path):
    done = served(tmp_path, *GOODBYE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Content-Length: ")
    assert [each["id"] for each in sent(done) if "id" in each] == [1, 2]


def test_requests_at_the_wrong_time_or_with_wrong_parameters_are_answered(tmp_path):
    hover = {"textDocument": DOCUMENT, "position": {"line": -1, "character": 0}}
    done = served(
        tmp_path,
        {"id": 10, "method": HOVER, "params": {}},
        {"id": 11, "method": "shutdown"},
        HELLO,
        INITIALIZED,
        {**HELLO, "id": 12},
        {"id": 13, "method": HOVER, "params": {}},
        {"id": 14, "method": HOVER, "params": hover},
        {"id": 15, "method": HOVER, "params": [1]},
        # Notifications have no answer, and nobody needs to see a message.
        {"method": "textDocument/didOpen", "params": {}},
        {
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {**DOCUMENT, "version": 2},
                "contentChanges": [{"text": "x"}],
            },
        },
        SHUTDOWN,
        {"id": 16, "method": "shutdown"},
        {"id": 17, "method": HOVER, "params": {}},
        EXIT,
    )
    early, bad, late = -32002, -32602, -32600
    expected = {10: early, 11: early, 12: late, 13: bad, 14: bad, 15: bad, 16: late, 17: late}
    assert errors(done) == expected
    assert not any(each.get("method") == "window/showMessage" for each in sent(done))
    assert done.returncode == 0


def test_a_wrong_first_message_is_told_in_one_line(tmp_path):
    done = served(tmp_path, {"id": 1, "method": "initialize", "params": {"processId": None}}, EXIT)
    assert errors(done) == {1: -32602}
    (line,) = done.stderr.decode().splitlines()
    assert line.endswith("initialize: required field missing @ $.params.capabilities")


def test_an_unknown_command_is_told_in_one_line(tmp_path):
    call = {"id": 5, "method": "workspace/executeCommand", "params": {"command": "nothing"}}
    done = served(tmp_path, HELLO, INITIALIZED, call, *GOODBYE[2:])
    assert errors(done) == {5: -32602}
    (line,) = done.stderr.decode().splitlines()
    assert line.endswith("workspace/executeCommand: there is no command 'nothing'")


@pytest.mark.parametrize("messages", [(EXIT,), (HELLO, INITIALIZED, EXIT)])
def test_a_client_that_leaves_without_shutdown_is_told_by_the_status(tmp_path, messages):
    assert served(tmp_path, *messages).returncode == 1
