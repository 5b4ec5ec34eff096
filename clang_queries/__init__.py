"""Queries over libclang's syntax tree: source text in, frozen kernel IR out. Knows nothing of roofstat."""
