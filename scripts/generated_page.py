"""What the scripts share that write a page of docs: write it, or check that it is up to date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path


def write_or_check(pages: Mapping[Path, str], description: str | None) -> int:
    """Write the texts of pages, or with `--check` on the command line return 1 where one differs from its page."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if out of date")
    if not parser.parse_args().check:
        for target, text in pages.items():
            target.write_text(text, "utf-8")
        return 0
    stale = [
        target.name
        for target, text in pages.items()
        if not target.exists() or target.read_text("utf-8") != text
    ]
    if stale:
        command = f"python scripts/{Path(sys.argv[0]).name}"
        print(f"{', '.join(stale)} out of date: run {command}", file=sys.stderr)
    return 1 if stale else 0


def filled(page: Path, sections: Mapping[str, Iterable[str]]) -> str:
    """The text of a page with the lines of each section between `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        ValueError: The page lacks a pair of these comments.
    """
    text = page.read_text("utf-8")
    for name, lines in sections.items():
        opening, closing = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        start, end = text.find(opening) + len(opening), text.find(closing)
        if not len(opening) <= start <= end:
            raise ValueError(
                f"{page}: write {opening.strip()} and {closing.strip()} around the section"
            )
        text = "\n".join((text[:start], *lines, text[end:]))
    return text
