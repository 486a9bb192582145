"""Bayesian predictive inference: what is likely, given counts and a prior."""
