"""What all learners share: stored rows, state, targets, results."""
