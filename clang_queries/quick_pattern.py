"""Regular expressions that are compiled when they are first used.

The package has 170 of them, and a run needs few: compiling all took a tenth of the time of its imports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

__all__ = ["pattern"]

if TYPE_CHECKING:
    pattern = re.compile  # checkers know that one
else:

    class pattern:  # noqa: N801 - stands for a function
        """Make a pattern of a text and flags, as `re.compile` does."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._arguments = text, flags

        def __getattr__(self, name: str) -> object:
            """Compile, at the first use of anything; methods stay at hand."""
            compiled = self.__dict__.get("_compiled")
            if compiled is None:
                compiled = self.__dict__["_compiled"] = re.compile(*self._arguments)
            found = self.__dict__[name] = getattr(compiled, name)
            return found
