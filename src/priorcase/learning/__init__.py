"""Code that all learners use for stored rows, state, targets and results."""
