"""Numbers of the abstract machine: known, in lanes or unknown, and what operators make of them."""
