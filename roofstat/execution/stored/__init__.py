"""What memory is known to hold: allocations, their contents, arrays of a thread, what kernels leave behind."""
