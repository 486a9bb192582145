"""What each attribute has to do with a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from priorcase._typing import FloatArray, IntArray, Value
from priorcase.bayes.additive import AdditiveModel, Scale
from priorcase.bayes.log_odds import Contributions
from priorcase.bayes.questions import AdditiveClassifier, class_positions
from priorcase.exceptions import QuestionError
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.state import reads

# Terms of a block of queries take about as many bytes eight times over.
_TERMS_AT_ONCE = 1 << 21


class ContributionsMixin(AdditiveClassifier):
    """Adds `contributions`."""

    @reads
    def contributions(self, X: Any, *, versus: Value | None = None) -> Contributions:
        """What each attribute adds to the log-odds of the predicted class against another, for each query.

        ``ln P(p) - ln P(v) = (ln a_p - ln a_v) + sum_i (ln phi_pi - ln phi_vi)``: a part for the classes alone, and one
        for each attribute, positive where it speaks for the predicted class p. An attribute that is missing adds
        nothing, unless gaps are values. Where a parameter is zero (``predictive="map"``) the part is infinite, and is
        printed in words; the zero policies ``"cap100"`` and ``Cap`` then act on the total alone.

        Parameters
        ----------
        X
            Queries.
        versus
            The class to hold the predicted one against; None, and where it is the predicted one itself, for the most
            probable of the others, the first in ``classes_`` of equally probable ones.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "M"], ["blue", "M"], ["blue", "M"], ["blue", None]]
        >>> pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes", "yes"]).contributions([["red", "S"]])
        query 0: no 0.8491 against yes 0.1509
          part      value    share
          prior            -0.2877
          x0        red    +1.3218
          x1        S      +0.6931
          log-odds         +1.7272
        """
        memory, labels = self._answering(), self._labels()
        if labels.size < 2:
            raise QuestionError.one_class(labels.tolist()[0])
        table, model, threads = self._table(X), self._model(), self._threads()
        joint = model.scores(memory.instances, table, Scale.JOINT, threads=threads)
        first, second = (np.argsort(-joint, axis=1, kind="stable")[:, rank] for rank in (0, 1))
        if versus is not None:
            other = class_positions([versus], labels, parameter="versus")[0]
            second = np.where(first == other, second, other)
        rows = np.arange(len(joint))
        logs = self._log_probabilities(joint)
        return Contributions(
            names=attribute_names(memory.instances.schema),
            queries=decoded(table),
            predicted=labels[first],
            versus=labels[second],
            shares=split(model, memory.instances.encode(table), first, second),
            total=logs[rows, first] - logs[rows, second],
            probabilities=np.exp(np.stack([logs[rows, first], logs[rows, second]], axis=1)),
            backend=self._backend,
        )


def split(model: AdditiveModel, cells: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """What prior and attributes add to the joint log of one class more than to that of another."""
    found = np.empty((len(cells), 1 + cells.shape[1]))
    size = max(1, _TERMS_AT_ONCE // max(1, cells.shape[1] * model.prior.size))
    with np.errstate(invalid="ignore"):  # both impossible: NaN says so
        found[:, 0] = model.prior[first] - model.prior[second]
        for start in range(0, len(cells), size):
            at = slice(start, start + size)
            terms = model.terms(cells[at])
            rows = np.arange(len(terms))
            found[at, 1:] = terms[rows, :, first[at]] - terms[rows, :, second[at]]
    return found
