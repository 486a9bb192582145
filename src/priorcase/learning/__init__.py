"""What every learner shares: rows that come and go, labels at the door, several threads at one estimator."""
