"""Invariants that every learner of mixed tables keeps; scikit-learn's own checks feed numbers only.

``mixed_checks(estimator)`` yields those that apply to an estimator, each a function of the estimator and a container.
"""

from checks.containers import CONTAINERS, KINDS
from checks.mixed import mixed_checks

__all__ = ["CONTAINERS", "KINDS", "mixed_checks"]
