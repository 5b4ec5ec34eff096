"""What addresses cost: one for each base and index, advancing with loops, in words or in pairs of words."""
