"""Pages that are generated are up to date, and hand-written ones name what exists."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roofstat.cli.commands import COMMANDS
from roofstat.hardware import load_gpu

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "script",
    ["generate_hardware_docs.py", "generate_rule_docs.py", "generate_accuracy_docs.py"],
)
def test_generated_pages_are_up_to_date(script):
    done = subprocess.run(
        [sys.executable, f"scripts/{script}", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_names_every_command_and_known_gpus_only():
    text = (ROOT / "README.md").read_text("utf-8")
    assert all(f"roofstat {name}" in text for name in COMMANDS if name != "analyze")
    for name in re.findall(r"--gpu (\S+)", text):
        load_gpu(name.strip("`"))


def test_example_of_an_own_card_loads(tmp_path):
    page = (ROOT / "docs" / "hardware.md").read_text("utf-8")
    example = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "own.toml"
    file.write_text(example[1])
    assert load_gpu(file).dram_bytes_per_s == 1790e9
