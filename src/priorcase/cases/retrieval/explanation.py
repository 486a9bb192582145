"""Why a case is as similar as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from priorcase._typing import Backend
from priorcase.cases.case import text_of
from priorcase.cases.retrieval.columns import column
from priorcase.learning.results import Grid, GridResult, framed, short

_NAME, _VALUE = 24, 28


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(GridResult):
    """Attribute by attribute what a case's similarity is made of; prints as a table.

    Parameters
    ----------
    id, similarity
        The case, and how similar it is.
    query, case
        The values of both, by attribute.
    shares
        Local similarity (None where the case's value is missing and does not count), weight, and share in the
        similarity, by attribute.

    Examples
    --------
    >>> shares = {"age": (0.5, 1, 0.25), "make": (1, 1, 0.5)}
    >>> Explanation(7, 0.75, {"age": 3, "make": "A"}, {"age": 4, "make": "A"}, shares)
    case 7: similarity 0.750
      attribute  query  case  similarity  weight  share
      make       A      A          1.000       1  0.500
      age        3      4          0.500       1  0.250
    """

    id: int
    similarity: float
    query: Mapping[str, Any]
    case: Mapping[str, Any]
    shares: Mapping[str, tuple[float | None, float, float]]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that the query knows, the largest share first, then the largest weight."""
        return tuple(sorted(self.shares, key=lambda name: (-self.shares[name][2], -self.shares[name][1])))

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each attribute: ``attribute``, ``query``, ``case``, ``similarity``, ``weight``, ``share``.

        Parameters
        ----------
        backend
            The library whose frame to return; None for the first of pandas, Polars and PyArrow that is installed.
        """
        names = self.names
        columns = {
            "attribute": list(names),
            "query": column(self.query[name] for name in names),
            "case": column(self.case[name] for name in names),
            "similarity": [self.shares[name][0] for name in names],
            "weight": [self.shares[name][1] for name in names],
            "share": [self.shares[name][2] for name in names],
        }
        return framed(columns, backend)

    def _grid(self) -> Grid:
        lines = []
        for name in self.names:
            similarity, weight, share = self.shares[name]
            values = [short(text_of(given[name]), _VALUE) for given in (self.query, self.case)]
            told = "-" if similarity is None else f"{similarity:.3f}"
            lines.append([short(name, _NAME), *values, told, f"{weight:.4g}", f"{share:.3f}"])
        header = ["attribute", "query", "case", "similarity", "weight", "share"]
        return Grid(f"case {self.id}: similarity {self.similarity:.3f}", header, lines, right={3, 4, 5})
