"""The set-up for Neovim in a headless one."""

import json
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

LOOK = Path(__file__).with_name("look.lua")
OLDEST = (0, 11)


@pytest.fixture
def nvim():
    found = shutil.which("nvim", path=sysconfig.get_path("scripts")) or shutil.which("nvim")
    if found is None:
        pytest.skip("Neovim is not installed")
    shown = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"NVIM v(\d+)\.(\d+)", shown)
    if tuple(map(int, version.groups())) < OLDEST:
        pytest.skip(f"{version[0]} is too old for vim.lsp.config")
    return found


def shown_by(nvim, set_up, environment, source, servers):
    config = source.with_name("init.lua")
    config.write_text(set_up)
    done = subprocess.run(
        [nvim, "--headless", "-u", config, source, "-c", f"luafile {LOOK}"],
        cwd=source.parent,
        env={**environment, "SERVERS": str(servers)},
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_neovim_shows_findings_lenses_hints_and_hover(nvim, set_ups, environment, source):
    alone, _ = set_ups("lua")
    shown = shown_by(nvim, alone, environment, source, servers=1)
    assert ["RS101", 8] in shown["findings"]
    (lens,) = shown["lenses"]
    assert lens.startswith("bandwidth-bound on H100 ")  # the card of the set-up
    assert "× 128" in [hint.strip() for hint in shown["hints"]]
    assert "bandwidth-bound" in shown["hovers"]["roofstat"]


@pytest.mark.skipif(shutil.which("clangd") is None, reason="clangd is not installed")
def test_neovim_runs_it_beside_clangd(nvim, set_ups, environment, source):
    shown = shown_by(nvim, "".join(set_ups("lua")), environment, source, servers=2)
    assert sorted(shown["clients"]) == ["clangd", "roofstat"]
    assert ["RS101", 8] in shown["findings"]
    assert set(shown["hovers"]) == {"clangd", "roofstat"}
