"""The kernel IR: frozen records that describe what the source says, with no trace of the parser."""
