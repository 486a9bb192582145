"""Code shared by all learners: stored rows, state, targets, results."""
