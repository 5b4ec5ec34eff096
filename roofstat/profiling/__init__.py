"""Measured ground truth: run a profiler, read its exports, write label tables, set predictions beside them."""

from roofstat.profiling.launches import ProfiledLaunch, select
from roofstat.profiling.table import RowFacts, lacking_notes, table_text

__all__ = ["ProfiledLaunch", "RowFacts", "lacking_notes", "select", "table_text"]
