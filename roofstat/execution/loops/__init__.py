"""Loops: a few iterations are run, the rest is extrapolated, so that the cost does not grow with the trip count.

After two or three iterations every variable that the loop writes is compared with its earlier values. Those that change
by a constant are affine; with them the loop's condition (and conditions that break out) are solved for the trip count of
each lane. Then representative iterations are run with weights that stand for the others, and the loop goes on from its
last iteration as if nothing had happened: it ends by its own condition or break. Short loops whose iterations differ are
run whole while an allowance lasts. Loops whose exit cannot be solved are run as they are, up to a limit; loops that depend
on unknown data get a stated trip count.
"""
