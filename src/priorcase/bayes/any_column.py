"""Any column from any others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.additive import Scale
from priorcase.bayes.joint_targets import joint_table
from priorcase.bayes.questions import AdditiveClassifier, asked_position
from priorcase.exceptions import QuestionError
from priorcase.learning.parameters import check_flag
from priorcase.learning.state import reads

# Where the parameters of a density have its centre.
_LOCATION = 1


class AnyColumnMixin(AdditiveClassifier):
    """Adds `predict_column`."""

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """The most probable value of a column for each query, or its expected number, from all other columns.

        ``P(v | known) = sum_k P(k | known) phi_k(v)``, as `predict_joint` has it for several columns; of equally
        probable values the first in the order of `column_values`. A column in bins gives an `Interval`. A numeric
        column with a density gives ``sum_k P(k | known) m_k``, where m is the class's mean by that density (for
        ``"student"`` its centre, which is its mean where it has one); one whose known numbers are all equal gives
        that number.

        Parameters
        ----------
        X
            Queries. Values of the column are not looked at, and it may be left out of the table.
        column
            Its name or position. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class.
        y
            The class of each query where it is known, None where it is not; None altogether when no class is known.
        return_proba
            Whether to return the probabilities too, shape (queries, values), in the order of `column_values`.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.NaiveBayes().fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_column([[None, 30.0], [None, 60.0]], 0)
        array(['red', 'blue'], dtype='<U4')
        >>> model.predict_column([["red", None], ["blue", None]], 1, y=["no", None]).round(1)
        array([33.6, 46.9])
        """
        schema = self._answering().instances.schema
        a = asked_position(column, schema, parameter="column")
        check_flag("return_proba", return_proba, hint="True returns the probabilities too.")
        if a == len(schema):
            return self._class_column(X, y, return_proba)
        if not return_proba and a not in self._statistics().discrete.attributes:
            locations = self._locations(a)
            return _expected(self._class_shares(X, y, (a,)), locations)
        found = self._values_of(a)
        shares = self._class_shares(X, y, (a,))
        chances = joint_table(shares, [np.exp(self._model().table[found.cells])], kept=False)
        likely: AnyArray = found.values[chances.argmax(axis=1)]
        return (likely, chances) if return_proba else likely

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """The values of a column in the order of their probabilities in `predict_column` and `predict_joint`.

        Declared values and levels in declared order, other values ascending, bins as intervals; last None for a gap
        where gaps are values. The class has ``classes_``.
        """
        schema = self._answering().instances.schema
        a = asked_position(column, schema, parameter="column")
        return self._labels() if a == len(schema) else self._values_of(a).values

    def _class_column(self, X: Any, y: Any, return_proba: bool) -> AnyArray | tuple[AnyArray, FloatArray]:
        """What `predict` and `predict_proba` say."""
        if y is not None:
            raise QuestionError.known_class()
        likely: AnyArray = self._labels()[np.argmax(self._ask(X, Scale.JOINT), axis=1)]
        return (likely, self._ask(X, Scale.PROBABILITY)) if return_proba else likely

    def _locations(self, a: int) -> FloatArray:
        """The mean of a numeric column with a density in each class."""
        model, statistics = self._model(), self._statistics()
        if a in model.kernels:
            moments = model.kernels[a].strategy.fit(model.kernels[a].values).moments
            found = np.where(moments.n > 0, moments.mean, moments.mean_all)
        else:
            moments, density = statistics.moments[a], model.densities[a]
            found = density.parameters[:, _LOCATION]
            if density.pooled is not None:
                share = float(expit(density.log_odds))
                found = share * found + (1 - share) * density.pooled[_LOCATION]
        if not moments.n_all > 0:
            raise QuestionError.nothing_known(self._stored().instances.schema.label(a))
        return found if moments.says_something() else np.full(statistics.n_classes, float(moments.mean_all))


def _expected(shares: FloatArray, locations: FloatArray) -> FloatArray:
    """``sum_k P_k m_k``, as the first mean and what the others are away from it: equal means give just that."""
    first = float(locations[0])
    total = np.zeros(len(shares))
    for k, away in enumerate((locations - first).tolist()):  # class after class: one query has the bits of many
        total += shares[:, k] * away
    return first + total
