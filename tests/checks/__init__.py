"""Invariants that every learner of mixed tables keeps; scikit-learn's own checks feed numbers only.

``mixed_checks(estimator)`` yields those that apply to an estimator, each a function of the estimator and a container;
``mixed_cases(estimators)`` says in which containers each is to pass them.
"""

from checks.cases import mixed_cases
from checks.containers import CONTAINERS
from checks.mixed import mixed_checks

__all__ = ["CONTAINERS", "mixed_cases", "mixed_checks"]
