"""Questions beyond prediction: any column from any others, gaps, oddness, new rows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from priorcase._numbers import is_whole
from priorcase.bayes.column_values import value_array
from priorcase.bayes.mixture import asking
from priorcase.bayes.mixture.fitted import Fitted
from priorcase.bayes.mixture.imputing import filled
from priorcase.bayes.mixture.oddness import Oddness, measure
from priorcase.bayes.mixture.sampling import drawn
from priorcase.exceptions import MixtureError, ParameterError
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.sharing import reads
from priorcase.schema.sources import open_source
from priorcase.typing import AnyArray, FloatArray, Name


class MixtureQuestions(BaseEstimator):
    """Base of the mixture: what a fitted one can be asked about rows, beside their class or component."""

    random_state: Any
    _mixture: Fitted

    @reads
    def predict_column(
        self, X: Any, column: Name, *, return_proba: bool = False
    ) -> AnyArray | tuple[AnyArray, FloatArray]:
        """The most probable value of a column for each row, or its expected number, from all other columns.

        What a row itself holds in the column is not looked at.

        Parameters
        ----------
        X
            Rows; the column may be left out of the table.
        column
            The name of the column, or its position.
        return_proba
            Whether to return the probabilities too, shape (rows, values), in the order of `column_values`. For nominal
            and ordinal columns only.
        """
        mixture, caller = self._answering(), f"{type(self).__name__}.predict_column"
        a = mixture.layout.schema.position(column, caller=caller, parameter="column")
        if return_proba and a not in mixture.layout.discrete:
            raise MixtureError.no_distribution(caller, mixture.layout.schema.label(a))
        cells = mixture.layout.encode(asking.cells_without(mixture.layout, X, a, caller=caller))
        shares = mixture.shares(cells)
        values, chances = asking.likely_values(mixture.layout, mixture.parameters, shares, a, caller=caller)
        return (values, chances) if return_proba and chances is not None else values

    @reads
    def column_values(self, column: Name) -> AnyArray:
        """The values of a nominal or ordinal column, in the order of the probabilities that `predict_column` gives.

        Levels by their order; nominal values by how many training rows hold them, the most frequent first.
        """
        mixture, caller = self._answering(), f"{type(self).__name__}.column_values"
        a = mixture.layout.schema.position(column, caller=caller, parameter="column")
        if a not in mixture.layout.discrete:
            raise MixtureError.no_distribution(caller, mixture.layout.schema.label(a))
        return value_array(mixture.layout.values[mixture.layout.discrete.index(a)])

    @reads
    def impute(self, X: Any) -> Any:
        """The table with its gaps filled, in the container it came in; nothing else is touched, and X stays as it is.

        A gap gets the most probable value, or the expected number, given everything known in its row. Columns of whole
        numbers that have gaps become columns of floats.
        """
        mixture, caller = self._answering(), f"{type(self).__name__}.impute"
        names = open_source(X, caller=caller).names
        matrix = mixture.layout.reader.encode(mixture.table(self, X, "impute"))
        shares = mixture.shares(mixture.layout.encode(matrix))
        return filled(X, asking.fillings(mixture.layout, mixture.parameters, shares, matrix, names, caller=caller))

    @reads
    def oddness(self, X: Any) -> Oddness:
        """How odd each row is: minus its log-density, the share of the training rows at least as odd, and why.

        A gap makes a row less odd, since it drops out: compare rows with the same columns known.
        """
        mixture = self._answering()
        table = mixture.table(self, X, "oddness")
        scores, shares, mixing = measure(mixture.layout, mixture.parameters, mixture.cells(table))
        return Oddness(
            scores=scores,
            tails=mixture.yardstick.tails(scores),
            shares=shares,
            mixing=mixing,
            usual=mixture.yardstick.usual,
            names=attribute_names(mixture.schema),
            rows=decoded(table),
            numbers=np.arange(len(table)),
        )

    @reads
    def sample(self, n_samples: int = 1) -> tuple[Any, AnyArray]:
        """New rows drawn from the mixture, and the class or the component of each.

        The rows come in a frame like that of the training rows, or in an array; ``random_state`` says which are drawn.
        """
        mixture = self._answering()
        if not is_whole(n_samples) or n_samples < 1:
            raise ParameterError.wrong(
                f"{type(self).__name__}.sample", "n_samples", n_samples, expected="a whole number >= 1", hint="try 10."
            )
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        table, owners, classes = drawn(mixture.layout, mixture.parameters, int(n_samples), rng, mixture.backend)
        return table, owners if classes is None or mixture.labels is None else mixture.labels[classes]

    def _answering(self) -> Fitted:
        mixture = self.__dict__.get("_mixture")
        if mixture is None:
            check_is_fitted(self)
        return cast(Fitted, mixture)
