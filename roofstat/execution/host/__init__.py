"""Host code: the program's main() run on one lane, and models of the library functions that it calls."""
