"""The server as a process: what it leaves on its streams and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import roofstat

GOODBYE = (
    {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
    {"method": "initialized", "params": {}},
    {"id": 2, "method": "shutdown"},
    {"method": "exit"},
)


def framed(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def test_a_server_that_was_told_to_end_ends_in_silence(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "roofstat", "lsp"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(roofstat.__file__).parents[1])},
        input=b"".join(map(framed, GOODBYE)),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"Content-Length: ")
    assert b'"id":2' in done.stdout.replace(b'": ', b'":')
