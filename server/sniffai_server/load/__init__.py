"""Which search runs when, on which core, and for how long."""
