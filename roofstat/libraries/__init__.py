"""Kernels of libraries (CUB, Thrust, cuBLAS): which of them a host call runs, and what they were measured to do.

Their source is not in the program, so nothing here is derived from it: amounts come from a table of launches measured on
one card (`data/kernels.toml`, written by `scripts/fit_library_kernels.py`). `names` says whose a function is, `calls` how
to read a call of it, `operations` which kernels it launches, and `table` what those do.
"""
