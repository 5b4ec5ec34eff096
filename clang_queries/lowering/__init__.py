"""From libclang's cursors to the kernel IR, one recursive pass over each function body."""
