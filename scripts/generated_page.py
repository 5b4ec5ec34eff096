"""What the scripts share that write a page of docs: write it, or check that it is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def write_or_check(target: Path, text: str, description: str | None) -> int:
    """Write the text of a page, or with `--check` on the command line return 1 where the page differs from it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    if not parser.parse_args().check:
        target.write_text(text, "utf-8")
        return 0
    if target.exists() and target.read_text("utf-8") == text:
        return 0
    command = f"python scripts/{Path(sys.argv[0]).name}"
    print(f"{target.name} is out of date: run {command}", file=sys.stderr)
    return 1
