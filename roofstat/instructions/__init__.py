"""What the compiler makes of a block: instructions by class, for each compiler and card."""
