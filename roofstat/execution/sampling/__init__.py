"""Which threads of a launch are run, and which iterations of a loop stand for all."""
