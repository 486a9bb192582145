"""What a local classifier fits around each query."""

from __future__ import annotations

from typing import Protocol, cast, get_args

import numpy as np

from priorcase._typing import FloatArray, IntArray
from priorcase.exceptions import ParameterError
from priorcase.local.classifier_linear import LocalLinear
from priorcase.local.classifier_rows import ClassRows, effective_weights, with_prior
from priorcase.local.local_bayes import LocalNaiveBayes
from priorcase.local.logistic import LocalLogistic
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.local.parameters import Model
from priorcase.neighbors.voters import summed

Fitted = LocalNaiveBayes | LocalLogistic | LocalLinear
"""A model with its options."""


class LocalModel(Protocol):
    """A classifier that is fitted to the rows around each query."""

    def probabilities(
        self, rows: ClassRows, cells: FloatArray, around: Neighborhoods, *, numbers: IntArray, threads: int
    ) -> FloatArray:
        """Of each class for each query, shape (queries, classes)."""
        ...


MODELS: dict[str, type[Fitted]] = {"naive_bayes": LocalNaiveBayes, "logistic": LocalLogistic, "linear": LocalLinear}
"""The models that have a name."""


def resolve_model(model: object) -> Fitted:
    """The model itself, or the one that a name stands for.

    Examples
    --------
    >>> resolve_model("naive_bayes")
    LocalNaiveBayes(prior=1.0, numeric='student')
    """
    if isinstance(model, str) and model in MODELS:
        return MODELS[model]()
    if isinstance(model, get_args(Fitted)):
        return cast(Fitted, model)
    names = ", ".join(map(repr, MODELS))
    expected = f"{names}, or a LocalNaiveBayes, LocalLogistic or LocalLinear with options"
    hint = "'logistic' follows the border between the classes; 'naive_bayes' is the quickest."
    raise ParameterError.wrong("model", model, expected=expected, hint=hint, names=MODELS)


def smallest(model: Fitted) -> Model:
    """The regression that needs as many rows as the model: what the numbers of neighbours to try begin with."""
    degree = model.degree if isinstance(model, LocalLinear) else 0
    return Model(degree, 0.0, 0.0)


def probabilities(
    model: LocalModel, rows: ClassRows, cells: FloatArray, around: Neighborhoods, *, numbers: IntArray, threads: int
) -> FloatArray:
    """Of each class for each query, shape (queries, classes).

    Where a query is far from everything, the classes of the rows nearest to it have their shares among these.

    Parameters
    ----------
    model
        What is fitted.
    rows
        The stored rows.
    cells, around
        The queries and their neighbourhoods.
    numbers
        The numbers of the queries, for messages.
    threads
        Threads that share the queries.
    """
    near, far = np.flatnonzero(~around.far), np.flatnonzero(around.far)
    if not far.size:
        return model.probabilities(rows, cells, around, numbers=numbers, threads=threads)
    found = np.empty((len(around), rows.n_classes))
    found[far] = _shares(rows, around.taken(far))
    if near.size:
        part = around.taken(near)
        found[near] = model.probabilities(rows, cells[near], part, numbers=numbers[near], threads=threads)
    return found


def _shares(rows: ClassRows, around: Neighborhoods) -> FloatArray:
    """The weighted vote."""
    at = around.queries() * rows.n_classes + rows.codes[around.rows]
    mass = summed(at, effective_weights(around), len(around) * rows.n_classes).reshape(-1, rows.n_classes)
    return with_prior(mass / mass.sum(axis=1, keepdims=True), around, rows.prior)
