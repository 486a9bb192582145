"""Candidates that cannot be tried."""

from collections.abc import Sequence
from typing import Self

from priorcase.exceptions.base import advice, compose, listed, quoted
from priorcase.exceptions.parameters import ParameterError


class TuningError(ParameterError):
    """Parameters cannot be chosen as asked for."""

    @classmethod
    def estimator(cls, value: object) -> Self:
        """What is to be tuned is no k-NN estimator."""
        problem = f"got estimator={quoted(value)}; expected a KNNClassifier or a KNNRegressor."
        return cls(compose(problem, hint="priorcase.tune(priorcase.KNNClassifier(), X, y)."))

    @classmethod
    def candidates(cls, value: object) -> Self:
        """Candidates that are not lists by parameter."""
        expected = "None, a mapping from parameters to lists of values, or a list of such mappings"
        problem = f"got candidates={quoted(value)}; expected {expected}."
        return cls(compose(problem, hint="for example {'n_neighbors': range(1, 51), 'vote': ['uniform', 'tricube']}."))

    @classmethod
    def parameter(cls, name: object, names: Sequence[str]) -> Self:
        """A parameter that leave-one-out cannot try."""
        problem = f"got candidates for {quoted(name)}; expected {listed(names, limit=len(names))}."
        return cls(compose(problem, hint=advice(name, names, otherwise="set other parameters on the estimator.")))

    @classmethod
    def values(cls, name: object, value: object) -> Self:
        """The candidates of one parameter are no list."""
        problem = f"got {quoted(value)} as candidates for {quoted(name)}; expected a list of at least one value."
        return cls(compose(problem, hint=f"[{value!r}] is a list of one."))

    @classmethod
    def neighbors(cls, value: object) -> Self:
        """A number of neighbours that is none."""
        problem = f"got {quoted(value)} as a candidate for n_neighbors; expected a whole number >= 1."
        return cls(compose(problem, hint="list the numbers to try, such as range(1, 51)."))

    @classmethod
    def no_vote(cls) -> Self:
        """Only bandwidths are listed, and no kernel for them."""
        problem = "got candidates for bandwidth but no kernel among those for vote."
        return cls(compose(problem, hint="vote='gaussian' has a bandwidth; None is the bandwidth of every vote."))

    @classmethod
    def too_few(cls, rows: float) -> Self:
        """Too few rows to leave one out and still have the fewest neighbours that are to vote."""
        problem = f"got {rows:g} rows, too few to leave one out and let the candidates' neighbours vote."
        return cls(compose(problem, hint="list smaller numbers for n_neighbors, or give more rows."))
