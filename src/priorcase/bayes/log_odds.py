"""Why a class is predicted: log-odds split into parts, a result that prints itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray, Name
from priorcase.learning.decoding import Row
from priorcase.learning.frames import Backend, by_attribute, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.per_query import PerQuery
from priorcase.learning.texts import rest_text, short, value_text

_QUERIES = 5
_ATTRIBUTES = 15
_VALUE_WIDTH = 24


@dataclass(frozen=True, repr=False, eq=False)
class Contributions(PerQuery):
    """What the classes' shares and each attribute add to the log-odds of the predicted class against another.

    ``contributions[i]`` and ``contributions[i:j]`` are the same for some queries alone, which keep their numbers. It
    prints as a table, the largest parts first, in terminals and notebooks.

    Parameters
    ----------
    names
        Names of the attributes, ``x0``, ``x1``, ... for a table without names.
    queries
        Values of the queries, None where missing.
    predicted, versus
        The predicted class of each query, and the class that it is held against.
    shares
        What each part adds, shape (queries, 1 + attributes): the prior first, ``ln a_p - ln a_v``, then
        ``ln phi_pi - ln phi_vi`` for each attribute; 0 where it is missing. Infinite where a zero rules out one of the
        two classes, NaN where it rules out both.
    total
        ``ln P(predicted) - ln P(versus)``: the sum of the shares where all are finite; 0 where every class is
        impossible.
    probabilities
        Those of the two classes, shape (queries, 2).
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each query among all that were asked; 0, 1, ... when left out.
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predicted: AnyArray
    versus: AnyArray
    shares: FloatArray
    total: FloatArray
    probabilities: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def _taken(self, at: list[int]) -> Contributions:
        return replace(
            self,
            queries=[self.queries[i] for i in at],
            predicted=self.predicted[at],
            versus=self.versus[at],
            shares=self.shares[at],
            total=self.total[at],
            probabilities=self.probabilities[at],
            numbers=tuple(self.numbers[i] for i in at),
        )

    def frame(self) -> Any:
        """One line for each query, in a frame of the library that the estimator was fitted with.

        Columns: ``query``, ``predicted``, ``versus``, ``total``, ``prior``, the attributes' values by name, and
        ``share of NAME`` for what each adds. An attribute called like one of the first columns becomes
        ``NAME (value)``; where two columns would still have one name, the later becomes ``NAME (2)``. After a fit on
        arrays: in one of the library that is installed.
        """
        columns: dict[str, Any] = {
            "query": np.array(self.numbers, np.int64),
            "predicted": self.predicted,
            "versus": self.versus,
            "total": self.total,
            "prior": self.shares[:, 0],
        }
        shares = {"share": self.shares[:, 1:]}
        return framed(by_attribute(columns, self.names, self.queries, shares), self.backend)

    def note(self, query: int) -> str:
        """What to know of a query whose shares do not add up, since zeros rule out every class; else nothing."""
        shares = self.shares[query]
        # Where the predicted class itself is ruled out, no other is possible.
        if not (np.isnan(shares) | np.isneginf(shares)).any():
            return ""
        return "every class is impossible and all are equally probable, whatever the shares say"

    def __str__(self) -> str:
        return grids_text(self._grids(), rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), rest_text(_QUERIES, len(self)))

    # -- inside

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def _grid(self, i: int) -> Grid:
        """The prior, then the attributes by how much they say, and the sum of all."""
        shares = self.shares[i, 1:]
        weight = np.where(np.isnan(shares), np.inf, np.abs(shares))
        order = np.argsort(-weight, kind="stable")
        lines = [["prior", "", self._share(i, self.shares[i, 0])]]
        for a in order[:_ATTRIBUTES].tolist():
            value = value_text(self.queries[i][a], _VALUE_WIDTH)
            lines.append([short(str(self.names[a]), _VALUE_WIDTH), value, self._share(i, shares[a])])
        if (rest := order[_ATTRIBUTES:]).size:
            lines.append([f"{rest.size} others", "", self._share(i, shares[rest].sum())])
        lines.append(["log-odds", "", self._total(i)])
        both = [f"{self._class(self.predicted, i)} {self.probabilities[i, 0]:.4f}"]
        both.append(f"{self._class(self.versus, i)} {self.probabilities[i, 1]:.4f}")
        title = f"query {self.numbers[i]}: {' against '.join(both)}"
        return Grid(title, ["part", "value", "share"], lines, self.note(i), right={2})

    def _share(self, i: int, share: float) -> str:
        if np.isfinite(share):
            return f"{share + 0.0:+.4f}" if share else "0"
        if np.isnan(share):
            return "rules out both"
        return f"rules out {self._class(self.versus if share > 0 else self.predicted, i)}"

    def _total(self, i: int) -> str:
        if self.note(i):
            return "all impossible"
        return f"{self.total[i]:+.4f}" if np.isfinite(self.total[i]) else "infinite"

    def _class(self, classes: AnyArray, i: int) -> str:
        return value_text(classes[i : i + 1].tolist()[0], _VALUE_WIDTH)
