"""How long one warp takes on its own: order of issue, waiting, length of the code."""
