"""The command line: the only part besides the LSP that prints, reads the environment or exits."""
