"""What is read from data files: costs, constants of the model, which opcode counts as what."""
