"""From the kernel IR to code that can be run: structured three-address code, device calls inlined, locals in registers."""
