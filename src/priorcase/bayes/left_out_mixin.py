"""Leave-one-out probabilities of all stored rows."""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import replace

import numpy as np

from priorcase._typing import FloatArray
from priorcase.bayes.additive import Scale
from priorcase.bayes.classifier import BayesClassifier, taken
from priorcase.bayes.discretise import CutPoints
from priorcase.exceptions import TooFewRowsError
from priorcase.learning.parameters import check_flag
from priorcase.learning.state import reads


class LeaveOneOutMixin(BayesClassifier):
    """Classifiers that know what they would say of each row had they never seen it: subclasses by `_left_out`."""

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether ``relearn=True`` takes a fit for each row: something is chosen by looking at all of them."""
        self._stored()
        return self._chooses()

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """For each stored row, in the order of ``ids_``, the class probabilities of a fit without it.

        In closed form, from counts and sums with one row less; not by a fit for each row. A row leaves with all its
        weight. Its class stays one of ``classes_``, and what was chosen by looking at all rows stays chosen: cut
        points, and the weight of ``prior="auto"`` or ``ess="auto"``.

        Parameters
        ----------
        relearn
            Choose cut points and the weight anew without each row. Where there is something to choose, it takes a fit
            for each row.
        """
        return self._told_without(relearn, Scale.PROBABILITY)

    @reads
    def loo_predict_log_proba(self, *, relearn: bool = False) -> FloatArray:
        """The natural logarithms of `loo_predict_proba`, which keep what is too small for a probability to show.

        Parameters
        ----------
        relearn
            As in `loo_predict_proba`.
        """
        return self._told_without(relearn, Scale.LOG_PROBABILITY)

    # -- for subclasses

    @abstractmethod
    def _left_out(self, scale: Scale) -> FloatArray:
        """Class probabilities, or their logs, of each stored row without itself, what was chosen staying chosen."""

    def _told_without(self, relearn: object, scale: Scale) -> FloatArray:
        """The same, with everything chosen anew where that is asked."""
        memory = self._answering()
        hint = "True chooses cut points and the automatic weight anew without each row."
        again = check_flag("relearn", relearn, hint=hint)
        if len(memory) < 2:
            raise TooFewRowsError.nothing_else()
        return self._refit_without_each(scale) if again and self._chooses() else self._left_out(scale)

    def _chooses(self) -> bool:
        """Whether anything is chosen by looking at all rows."""
        cuts = (strategy for strategy in self._stored().numeric if hasattr(strategy, "cuts"))
        return any(not isinstance(strategy, CutPoints) for strategy in cuts)

    def _refit_without_each(self, scale: Scale) -> FloatArray:
        """The long way: a model of its own for each row, under the parameters of the last fit."""
        memory, labels = self._stored(), self._labels()
        table, _, _ = self._rows()
        found = np.empty((len(memory), labels.size))
        for row, number in enumerate(memory.ids.tolist()):
            model = copy.copy(self)
            model._memory = copy.deepcopy(memory)
            model._labelling = replace(self._labelling, declared=(labels,))
            model._memory.forget([number])
            query = taken(table, np.array([row]))
            found[row] = model._scores(query, scale, threads=1)[0]
        return found
