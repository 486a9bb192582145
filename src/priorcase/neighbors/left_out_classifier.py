"""Leave-one-out classes and probabilities of the stored rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.learning.classes import Classes
from priorcase.learning.state import reads
from priorcase.neighbors.deciding import LeftOut, decide, probabilities
from priorcase.neighbors.left_out import LeftOutPredictor
from priorcase.neighbors.polling import Poll
from priorcase.neighbors.prequential_classifier import PrequentialClassifier

_CLASS, _PROBA = "loo_predict", "loo_predict_proba"


class LeftOutClassifier(LeftOutPredictor, PrequentialClassifier):
    """Base of a classifier that knows what it would say of each stored row had it never seen it."""

    _temperature: float

    @reads
    def loo_predict(self, *, relearn: bool = False) -> AnyArray:
        """For each stored row, in the order of ``ids_``, the class that the others vote for.

        Parameters
        ----------
        relearn
            As in `loo_predict_proba`.
        """
        refit = self._leaving(relearn)
        chosen = np.empty((len(self._stored()), len(self._outputs())), dtype=np.intp)
        if refit:
            for row, other, cells in self._refits():
                for poll in other._polls(cells):
                    chosen[row] = decide(poll, self._rules.ties, other._outputs(), other._priors())[0]
        else:
            for own, poll in self._without():
                left_out = LeftOut.whole(own, self._stored().row_weights)
                chosen[own] = decide(poll, self._rules.ties, self._outputs(), self._priors_without(own), left_out)
        return self._named(chosen)

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray | list[FloatArray]:
        """For each stored row, in the order of ``ids_``, the class probabilities by the votes of the others.

        By one search, not by a fit for each row. A row leaves with all its weight, and out of the class frequencies of
        ``prior="frequency"`` and of tied votes; its class stays one of ``classes_``. What was learned from all rows
        stays: ranges and standard deviations of columns, and what targets have a part in: tables of value
        differences, learned attribute weights, and the k of ``n_neighbors="loo"``. With several targets, a list.

        Parameters
        ----------
        relearn
            Learn everything anew, without each row, if targets have a part in any of it (``relearns_``): a fit for each
            row then.

        Examples
        --------
        >>> import priorcase as pc
        >>> model = pc.KNNClassifier(2).fit([[1], [2], [3], [9]], ["no", "no", "yes", "yes"])
        >>> model.loo_predict_proba()
        array([[0.5, 0.5],
               [0.5, 0.5],
               [1. , 0. ],
               [0.5, 0.5]])
        """
        refit, outputs = self._leaving(relearn), self._outputs()
        found = [np.empty((len(self._stored()), classes.labels.size)) for classes in outputs]
        if refit:
            for row, other, cells in self._refits():
                for poll in other._polls(cells):
                    other._tell(found, np.array([row]), poll, other._priors())
        else:
            for own, poll in self._without():
                self._tell(found, own, poll, self._priors_without(own))
        return found[0] if self._labelling.flat else found

    # -- inside

    def _tell(self, found: list[FloatArray], rows: IntArray, poll: Poll, priors: Sequence[FloatArray | None]) -> None:
        """Put the probabilities of a poll where they belong."""
        votes = poll.votes()
        for result, classes, prior in zip(found, self._outputs(), priors, strict=True):
            result[rows] = probabilities(poll, votes, classes, prior, self._temperature)

    def _priors_without(self, own: IntArray) -> list[FloatArray | None]:
        """The prior of each target for rows that are left out; one line for each row where it depends on the rows."""
        if not isinstance(self._prior, str):
            return self._priors()
        left_out = LeftOut.whole(own, self._stored().row_weights)
        return [_frequencies(classes, left_out) for classes in self._outputs()]

    def _keep_classes(self, other: Self) -> None:
        declared = tuple(classes.labels for classes in self._outputs())
        other._labelling = replace(self._labelling, declared=declared)


def _frequencies(classes: Classes, left_out: LeftOut) -> Any:
    """Shares of the classes among the rows without each of some, shape (rows, classes)."""
    weights = np.repeat(classes.weights[np.newaxis, :], left_out.rows.size, axis=0)
    at = np.arange(left_out.rows.size), classes.codes[left_out.rows]
    weights[at] = np.maximum(weights[at] - left_out.weights, 0.0)
    return weights / weights.sum(axis=1, keepdims=True)
