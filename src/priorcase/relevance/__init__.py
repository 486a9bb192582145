"""Which attributes matter: weights for the axes of a distance, learned from the stored rows."""
