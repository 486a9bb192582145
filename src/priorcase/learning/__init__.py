"""Code for stored rows, state, targets and results, which all learners share."""
