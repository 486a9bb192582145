"""Bayesian predictive inference: what is likely, given counts and a prior."""

from priorcase.bayes.naive_bayes import NaiveBayes

__all__ = ["NaiveBayes"]
