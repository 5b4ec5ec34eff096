"""A second opinion from a language model: source slice and static features in, a checked answer out.

Nothing here is imported unless a model is asked for. Static numbers are read and never changed.
"""
