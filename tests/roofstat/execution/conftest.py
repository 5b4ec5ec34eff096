"""Makes the generator of loop nests importable by name: tests run with importlib mode and without packages."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
