"""Questions beyond prediction: any column from any others, gaps, oddness, new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from priorcase._parameters import is_whole
from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.bayes.columns import Targets, asked_position, asked_positions, listed_targets
from priorcase.bayes.mixture import asking
from priorcase.bayes.mixture.fitted import Fitted
from priorcase.bayes.mixture.imputing import filled
from priorcase.bayes.mixture.oddness import Oddness
from priorcase.bayes.mixture.sampling import drawn
from priorcase.bayes.mixture.surprises import measure
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import ParameterError
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.state import reads
from priorcase.schema.table import open_source


class MixtureQuestions(BaseEstimator):
    """Base of the mixture: what a fitted one can be asked about rows, beside their class or component."""

    random_state: Any
    _mixture: Fitted

    @reads
    def predict_column(
        self, X: Any, column: Name, *, y: Any = None, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """The most probable value of a column for each row, or its expected number, from all other columns.

        ``P(v | known) = sum_k P(k | known) p(v | k)`` over the components; of equally probable values the first in the
        order of `column_values`. What a row itself holds in the column is not looked at.

        Parameters
        ----------
        X
            Rows; the column may be left out of the table.
        column
            Its name or position. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is the class of a fit with ``y``.
        y
            The class of each row where it is known, None where it is not; None altogether when no class is known.
        return_proba
            Whether to return the probabilities too, shape (rows, values), in the order of `column_values`. For the
            class and for nominal and ordinal columns only.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", 31.0], ["red", 29.0], ["blue", 62.0], ["blue", None]]
        >>> model = pc.MixtureModel(2, random_state=0).fit(X, ["no", "no", "yes", "yes"])
        >>> model.predict_column([[None, 30.0], [None, 60.0]], 0)
        array(['red', 'blue'], dtype='<U4')
        >>> model.predict_column([["red", None], ["blue", None]], "class")
        array(['no', 'yes'], dtype='<U3')
        """
        mixture = self._answering()
        a = asked_position(column, mixture.schema, parameter="column", classed=mixture.labels is not None)
        if return_proba:
            asking.values_of(mixture, a)
        shares = self._shares_without(X, y, [a])
        values, chances = asking.likely_values(mixture, shares, a)
        return (values, chances) if return_proba and chances is not None else values

    @reads
    def predict_joint(self, X: Any, targets: Sequence[Name], y: Any = None) -> JointDistribution:
        """The joint distribution of several columns for each row, given all that is known of the others.

        ``P(v_1 .. v_m | known) = sum_k P(k | known) prod_t p(v_t | k)`` over the components. Columns that are neither
        targets nor known drop out, which sums over all their values; so does the class.

        Parameters
        ----------
        X
            Rows. Values of the targets are not looked at, and their columns may be left out of the table.
        targets
            Names or positions of nominal and ordinal columns. ``"class"``, or ``TARGET`` of ``priorcase.bayes``, is
            the class of a fit with ``y``.
        y
            The class of each row where it is known, None where it is not; None altogether when no class is known.

        Examples
        --------
        >>> import priorcase as pc
        >>> X = [["red", "S"], ["red", "S"], ["blue", "M"], ["blue", "M"], ["blue", "L"]] * 4
        >>> pc.MixtureModel(2, random_state=0).fit(X).predict_joint([[None, None]], targets=[0, 1])
        query 0
          x0    x1  probability
          blue  M        0.3267
          red   S        0.2951
          blue  L        0.1822
          blue  S        0.0801
          red   M        0.0644
          red   L        0.0516
        """
        mixture = self._answering()
        keys, classed = listed_targets(targets), mixture.labels is not None
        asked = asked_positions(keys, mixture.schema, parameter="targets", classed=classed)
        values = {a: asking.values_of(mixture, a) for a in asked}
        question = Targets(mixture.schema, asked, values)
        shares = self._shares_without(X, y, asked)
        question.check_size(shares.shape[1])
        return asking.joint(mixture, question, shares)

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """The values of a column in the order of their probabilities in `predict_column` and `predict_joint`.

        Declared values and levels in declared order, other values ascending. The class has ``classes_``.
        """
        mixture = self._answering()
        classed = mixture.labels is not None
        a = asked_position(column, mixture.schema, parameter="column", classed=classed)
        return asking.values_of(mixture, a)

    @reads
    def impute(self, X: Any) -> Any:
        """The table with its gaps filled, in the container it came in; nothing else is touched, and X stays as it is.

        A gap gets the most probable value, or the expected number, given everything known in its row. Columns of whole
        numbers that have gaps become columns of floats.
        """
        mixture = self._answering()
        names = open_source(X).names
        matrix = mixture.layout.reader.encode(mixture.table(self, X))
        shares = mixture.shares(mixture.layout.encode(matrix))
        return filled(X, asking.fillings(mixture, shares, matrix, names))

    @reads
    def oddness(self, X: Any) -> Oddness:
        """How odd each row is: minus its log-density, the share of the training rows at least as odd, and why.

        A gap makes a row less odd, since it drops out: compare rows with the same columns known.
        """
        mixture = self._answering()
        table = mixture.table(self, X)
        measures = measure(mixture.layout, mixture.parameters, mixture.cells(table))
        return Oddness(
            names=attribute_names(mixture.schema),
            queries=decoded(table),
            scores=measures.scores,
            tails=mixture.yardstick.tails(measures.scores),
            surprises=measures.surprises,
            usual=mixture.yardstick.usual,
            shares=measures.shares,
            mixing=measures.mixing,
            backend=mixture.backend,
        )

    @reads
    def sample(self, n_samples: int = 1) -> tuple[Any, AnyArray]:
        """New rows drawn from the mixture, and the class or the component of each.

        The rows come in a frame like that of the training rows, or in an array; ``random_state`` says which are drawn.
        """
        mixture = self._answering()
        if not is_whole(n_samples) or n_samples < 1:
            raise ParameterError.wrong("n_samples", n_samples, expected="a whole number >= 1", hint="try 10.")
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        table, owners, classes = drawn(mixture.layout, mixture.parameters, int(n_samples), rng, mixture.backend)
        return table, owners if classes is None or mixture.labels is None else mixture.labels[classes]

    def _shares_without(self, X: Any, y: Any, columns: Sequence[int]) -> FloatArray:
        """Probability of each component for each row, from all columns but some, and from the class if it is known."""
        mixture = self._answering()
        table = mixture.table(self, asking.without_columns(mixture, X, columns))
        return mixture.shares(asking.cells_without(mixture, table, y, columns))

    def _answering(self) -> Fitted:
        mixture = self.__dict__.get("_mixture")
        if mixture is None:
            check_is_fitted(self)
        return cast(Fitted, mixture)
