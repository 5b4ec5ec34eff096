"""What compilers make of loops: trip counts, copies, what is tidied before."""
