"""How odd rows are beside those that were learned from, and which of their values make them so: a result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import FloatArray, Name
from priorcase.learning.decoding import Row
from priorcase.learning.frames import Backend, by_attribute, framed
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.per_query import PerQuery
from priorcase.learning.texts import rest_text, short, value_text

_QUERIES = 5
_ATTRIBUTES = 10
_VALUE_WIDTH = 24


@dataclass(frozen=True, repr=False, eq=False)
class Oddness(PerQuery):
    """How odd some rows are, and why.

    ``oddness[i]`` and ``oddness[i:j]`` are the same for some rows alone, which keep their numbers. It prints as a
    table, the columns most surprising beyond their usual level first, in terminals and notebooks.

    Parameters
    ----------
    names
        Names of the columns, ``x0``, ``x1``, ... for a table without names.
    queries
        Values of the rows, None where missing.
    scores
        Minus the log-density of each row, in nats.
    tails
        Share of the training rows that are at least as odd: small for an odd row.
    surprises
        How little the other columns let one expect of each, ``-ln p(x_i | all others known)``, shape (rows, columns);
        0 where it is missing. If one value is wrong, it is this one's that rises most.
    usual
        The mean surprise of each column over the training rows that know it.
    shares
        What each column adds to the score, ``sum_k r_k (-ln p(x_i | k))`` with the row's own component probabilities r;
        0 where it is missing.
    mixing
        What is left of the score: how unusual the row's components are, ``sum_k r_k ln(r_k / p_k)``.
    backend
        The library whose frame the estimator was fitted on, or None.
    numbers
        The number of each row among all that were asked about; 0, 1, ... when left out.
    """

    names: tuple[Name, ...]
    queries: list[Row]
    scores: FloatArray
    tails: FloatArray
    surprises: FloatArray
    usual: FloatArray
    shares: FloatArray
    mixing: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.queries)

    def _taken(self, at: list[int]) -> Oddness:
        return replace(
            self,
            queries=[self.queries[i] for i in at],
            scores=self.scores[at],
            tails=self.tails[at],
            surprises=self.surprises[at],
            shares=self.shares[at],
            mixing=self.mixing[at],
            numbers=tuple(self.numbers[i] for i in at),
        )

    def frame(self) -> Any:
        """One line for each row, in a frame of the library that the estimator was fitted with.

        Columns: ``query``, ``score``, ``tail``, ``component`` for what is left of the score, the columns' values by
        name, and for each of them ``surprise of NAME`` and ``share of NAME``. A column called like one of the first
        becomes ``NAME (value)``; where two would still have one name, the later becomes ``NAME (2)``. After a fit on
        arrays: in one of the library that is installed.
        """
        columns: dict[str, Any] = {
            "query": np.array(self.numbers, np.int64),
            "score": self.scores,
            "tail": self.tails,
            "component": self.mixing,
        }
        parts = {"surprise": self.surprises, "share": self.shares}
        return framed(by_attribute(columns, self.names, self.queries, parts), self.backend)

    def __str__(self) -> str:
        return grids_text(self._grids(), rest_text(_QUERIES, len(self)))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids(), rest_text(_QUERIES, len(self)))

    # -- inside

    def _grids(self) -> list[Grid]:
        return [self._grid(i) for i in range(min(len(self), _QUERIES))]

    def _grid(self, i: int) -> Grid:
        """The known columns, those first that surprise most beyond their usual level, and what the components add."""
        beyond = self.surprises[i] - self.usual
        order = [a for a in np.argsort(-beyond, kind="stable").tolist() if self.queries[i][a] is not None]
        lines = []
        for a in order[:_ATTRIBUTES]:
            texts = [short(str(self.names[a]), _VALUE_WIDTH), value_text(self.queries[i][a], _VALUE_WIDTH)]
            numbers = (self.surprises[i, a], self.usual[a], beyond[a], self.shares[i, a])
            lines.append([*texts, *(f"{number:.3g}" for number in numbers)])
        if rest := order[_ATTRIBUTES:]:
            lines.append([f"{len(rest)} others", "", "", "", "", f"{self.shares[i, rest].sum():.3g}"])
        lines.append(["(component)", "", "", "", "", f"{self.mixing[i]:.3g}"])
        share = f"{self.tails[i]:.2%} of the training rows are at least as odd"
        header = ["column", "value", "surprise", "usual", "beyond", "share"]
        title = f"query {self.numbers[i]}: {self.scores[i]:.4g} nats; {share}"
        return Grid(title, header, lines, right=range(2, 6))
