"""Local fits by the core, and the statistics that come with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from priorcase._core import local_fits
from priorcase._typing import FloatArray, IntArray
from priorcase.local.neighborhoods import Neighborhoods
from priorcase.local.parameters import Model
from priorcase.local.table import LocalTable

STATISTICS, COEFFICIENTS, HAT_ROWS, LEFT_OUT = 2, 4, 8, 16
"""What can be asked of the core beside predictions."""

Answers = dict[str, FloatArray]

# Fewer degrees of freedom than this, for each unit of weight, are none: what is left of the sums is rounding.
_NO_FREEDOM = 1e-9


@dataclass(frozen=True, slots=True)
class Fits:
    """Local fits of some queries.

    Parameters
    ----------
    predictions
        The value of each fit at its query, shape (queries, targets).
    answers
        What else the core said: arrays over queries, and where each target has rows of its own weight over targets too.
    far
        The queries that had no fit, and were answered by the rows nearest to them.
    """

    predictions: FloatArray
    answers: Answers
    far: IntArray

    def sigma(self) -> FloatArray:
        """Standard deviation of the noise around each query, shape (queries, targets).

        ``sqrt(sum K e^2 / (n_LWR - p_LWR))`` (Atkeson, Moore & Schaal 1997, on the local variance); infinite where no
        degree of freedom is left to tell the noise from.
        """
        free = self._free_weight()
        with np.errstate(divide="ignore", invalid="ignore"):
            sigma = np.sqrt(self.answers["residuals"] / free)
        return np.where(free > 0, sigma, np.inf)

    def freedom(self) -> FloatArray:
        """Degrees of freedom, shape (queries, 1 or targets); 0 where there are none.

        ``(n_LWR - p_LWR) sum K / sum K^2``: n - p where all weights are equal, and the same for weights of any size.
        """
        return np.asarray(self._free_weight() * (_column(self.answers["weight"]) / _column(self.answers["squares"])))

    def _free_weight(self) -> FloatArray:
        """n_LWR - p_LWR, in units of K; 0 where it is nothing but rounding."""
        n, p = _column(self.answers["weight"]), _column(self.answers["parameters"])
        free = np.where(n - p > _NO_FREEDOM * n, n - p, 0.0)
        free[self.far] = 0.0
        return free

    def variance(self) -> FloatArray:
        """s's: the variance of each prediction in units of the noise's, shape (queries, 1 or targets)."""
        return _column(self.answers["variance"])

    def effective(self) -> FloatArray:
        """The effective number of neighbours (sum K)^2 / sum K^2, shape (queries, 1 or targets)."""
        weight = _column(self.answers["weight"])
        return np.asarray(weight * (weight / _column(self.answers["squares"])))


def together(parts: Sequence[tuple[int, Fits]]) -> Fits:
    """The fits of all parts of a batch, each with the number of its first query."""
    first = parts[0][1]
    answers = {key: np.concatenate([fits.answers[key] for _, fits in parts]) for key in first.answers}
    far = np.concatenate([fits.far + start for start, fits in parts])
    return Fits(np.concatenate([fits.predictions for _, fits in parts]), answers, far)


def fitted(
    table: LocalTable,
    model: Model,
    cells: FloatArray,
    around: Neighborhoods,
    *,
    want: int = 0,
    threads: int,
    factors: FloatArray | None = None,
    own: IntArray | None = None,
) -> Fits:
    """The fits of some queries to the rows around them.

    Parameters
    ----------
    table
        The stored rows.
    model
        What is fitted; the mean where a query is far from everything.
    cells
        The queries.
    around
        Their neighbourhoods.
    want
        What to ask for beside predictions.
    threads
        Threads that share the queries.
    factors
        How much each row counts for each target, shape (rows, targets); None where all count fully.
    own
        A row for each query whose part in the prediction is asked for too.
    """
    queries = table.placed(cells)
    ask = partial(_asked, table, model, queries, want=want, threads=threads, own=own)
    if factors is None:
        answers = ask(around, table.targets)
    else:
        columns = [ask(around.weighed(factors[:, t]), table.targets[:, t : t + 1]) for t in range(factors.shape[1])]
        answers = {key: np.concatenate([_column(column[key]) for column in columns], axis=1) for key in columns[0]}
    return Fits(answers.pop("predictions"), answers, np.flatnonzero(around.far))


def _asked(
    table: LocalTable,
    model: Model,
    queries: FloatArray,
    around: Neighborhoods,
    targets: FloatArray,
    *,
    want: int,
    threads: int,
    own: IntArray | None,
) -> Answers:
    """What the core says; queries far from everything are fitted by a mean."""

    def ask(part: Neighborhoods, at: IntArray | slice, degree: int) -> Answers:
        return local_fits(
            part.indptr,
            part.rows,
            np.ascontiguousarray(part.masses()),
            part.counts,
            table.cells,
            queries[at],
            table.kinds,
            table.scales,
            np.ascontiguousarray(targets),
            degree=degree,
            ridge=model.ridge if degree else 0.0,
            rcond=model.rcond,
            want=want,
            threads=threads,
            own=None if own is None else own[at],
            values=table.values,
        )

    if not around.far.any():
        return ask(around, slice(None), model.degree)
    return _merged(ask, around, model.degree)


def _merged(ask: Callable[[Neighborhoods, IntArray, int], Answers], around: Neighborhoods, degree: int) -> Answers:
    """The answers for near queries and those for far ones, each at its place."""
    near, far = np.flatnonzero(~around.far), np.flatnonzero(around.far)
    parts = [(at, ask(around.taken(at), at, of)) for at, of in ((near, degree), (far, 0)) if at.size]
    found: Answers = {}
    for key in parts[0][1]:
        if key == "hat":
            found[key] = np.empty(around.rows.size)
            for at, answers in parts:
                found[key][around.far[around.queries()] == bool(around.far[at[0]])] = answers[key]
        else:
            found[key] = np.empty((len(around), *parts[0][1][key].shape[1:]))
            for at, answers in parts:
                found[key][at] = answers[key]
    return found


def _column(values: FloatArray) -> FloatArray:
    """Numbers of queries as a column; what has targets stays."""
    return values if values.ndim > 1 else values[:, None]
