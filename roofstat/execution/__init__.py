"""The abstract machine: host code with one lane, kernels with sampled lanes."""
