"""Code shared by all learners for stored rows, state, targets and results."""
