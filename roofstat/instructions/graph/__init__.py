"""The graph of values: numbering, simplification, fusing, liveness, registers, selection."""
