"""The set-up for Emacs in batch mode."""

import shutil
import subprocess
from pathlib import Path

import pytest

LOOK = Path(__file__).with_name("look.el")


@pytest.fixture
def emacs(environment):
    found = shutil.which("emacs")
    if found is None:
        pytest.skip("Emacs is not installed")
    command = [found, "--batch", "--funcall", "package-initialize"]
    loads = subprocess.run(
        [*command, "--eval", "(require 'eglot)"], env=environment, capture_output=True, check=False
    )
    if loads.returncode != 0:
        pytest.skip("this Emacs has no Eglot")
    return command


def test_eglot_shows_a_finding(emacs, set_ups, environment, source):
    (set_up,) = set_ups("elisp")
    config = source.with_name("init.el")
    config.write_text(set_up)
    done = subprocess.run(
        [*emacs, "--load", config, "--load", LOOK],
        cwd=source.parent,
        env={**environment, "SOURCE": str(source)},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    assert "8 roofstat [RS101]: adjacent threads access " in done.stdout
    assert "lens bandwidth-bound on H100 " in done.stdout  # the card of the set-up
