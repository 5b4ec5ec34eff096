"""Launches, sizes and arguments that no host code gives."""
