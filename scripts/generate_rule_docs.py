"""Write docs/rules.md from the rules, or check that it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from generated_page import write_or_check

from roofstat.rules import RULES
from roofstat.rules.documentation import rules_page

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"


def main() -> int:
    """Write the page, or with `--check` fail where it differs."""
    return write_or_check({PAGE: rules_page(RULES)}, __doc__)


if __name__ == "__main__":
    sys.exit(main())
