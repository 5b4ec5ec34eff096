"""Memory model: coalescing, footprints, cache reuse and DRAM traffic of one launch, from its trace."""
