"""The set-ups of docs/editors.md, and a `roofstat` on the search path that is the one under test."""

import os
import re
import sys
from pathlib import Path

import pytest

import roofstat

ROOT = Path(__file__).parents[2]
SUMS = ROOT / "editors" / "vscode" / "test" / "editor" / "workspace" / "sums.cu"


@pytest.fixture(scope="session")
def set_ups():
    """Gives the code blocks of the page that are in a language."""
    page = (ROOT / "docs" / "editors.md").read_text("utf-8")
    return lambda language: re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def program(tmp_path):
    """A program that runs the package under test with this Python."""
    file = tmp_path / "bin" / "roofstat"
    file.parent.mkdir()
    package = Path(roofstat.__file__).parents[1]
    file.write_text(f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -m roofstat "$@"\n')
    file.chmod(0o755)
    return file


@pytest.fixture
def environment(program, tmp_path):
    """An environment where that program is found first, and where nothing of the user's is."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        **{name: text for name, text in os.environ.items() if not name.startswith("XDG_")},
        "HOME": str(home),
        "PATH": os.pathsep.join([str(program.parent), os.environ.get("PATH", os.defpath)]),
    }


@pytest.fixture
def source(tmp_path):
    """A file with an uncoalesced access in line 8 and a loop of 128 turns."""
    file = tmp_path / "project" / "sums.cu"
    file.parent.mkdir()
    file.write_text(SUMS.read_text("utf-8"))
    return file
