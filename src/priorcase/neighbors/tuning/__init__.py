"""Choosing parameters of k-NN together, by leave-one-out scores that share their searches."""
