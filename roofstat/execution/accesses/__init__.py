"""Memory accesses of the abstract machine: where they go, what they yield, what the recorder learns."""
