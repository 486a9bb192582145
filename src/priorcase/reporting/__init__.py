"""A report on a table that a person would read: what was understood, which learner to trust, and why."""
