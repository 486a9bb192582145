"""A distance that knows its data: costs, distances and shares in plain NumPy, and the plan for the compiled core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from priorcase._typing import FloatArray
from priorcase.similarity.distance import Distance
from priorcase.similarity.powers import rooted
from priorcase.similarity.statistics import Statistics
from priorcase.similarity.summary import Summary
from priorcase.similarity.terms import Term

if TYPE_CHECKING:
    from priorcase._core import Plan
    from priorcase.instances import Instances


@dataclass(frozen=True, repr=False)
class FittedDistance:
    """A distance with the statistics of the stored rows filled in; made by `Distance.fit`.

    Two of them are equal when they give the same cost for every pair of cells, bit for bit. Cells hold the code numbers
    of nominal values, and a table from which rows were removed may number the values otherwise than one that never had
    those rows: distances fitted to two such tables give equal costs to equal values, and yet are not equal.

    Costs beyond float64 are infinite, without a warning; an attribute of weight 0 adds 0 even then.

    Examples
    --------
    >>> from priorcase.instances import Instances
    >>> from priorcase.schema import Nominal, Numeric, Schema
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> instances = Instances(schema)
    >>> _ = instances.append(schema.read([[30, "red"], [40, "blue"]]))
    >>> fitted = Distance().fit(instances)
    >>> query = instances.encode(schema.read([[35, "red"]]))[0]
    >>> fitted.contributions(query, instances.cells())
    array([[0.25, 0.  ],
           [0.25, 1.  ]])
    >>> costs = fitted.costs(query, instances.cells())
    >>> fitted.finish(costs)
    array([0.5       , 1.11803399])
    """

    distance: Distance
    terms: tuple[Term, ...]
    target: int | None = field(compare=False)
    _summary: Summary = field(compare=False)
    _line: object = field(compare=False)
    _version: int = field(compare=False)

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    @classmethod
    def of(
        cls, distance: Distance, instances: Instances, target: int | None, earlier: Summary | None = None
    ) -> FittedDistance:
        """Fit to the rows; ``earlier`` saves work and changes nothing."""
        statistics = Statistics(instances, target, earlier)
        terms = distance.terms(statistics)
        return cls(distance, terms, target, statistics.summary(), instances.line, instances.version)

    def __repr__(self) -> str:
        return f"<{self.distance!r} fitted to {self._summary.rows} rows>"

    def __getstate__(self) -> dict[str, Any]:
        # Without the table, which is not ours to store; the next refresh then fits afresh.
        return {**self.__dict__, "_line": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __len__(self) -> int:
        return len(self.terms)

    def refreshed(self, instances: Instances, row: FloatArray | None = None) -> FittedDistance:
        """The distance fitted to the rows as they are now; equal to a fresh fit, bit for bit.

        Cheap after appends: ranges and counts are extended; only deviations, quantiles and windows are computed again.
        After removals, or with row weights, everything is.

        Parameters
        ----------
        instances
            The stored rows.
        row
            The cells of the one row that was appended since, shape (1, A), where it was one: then a row within the
            ranges leaves ``terms`` the very same object.
        """
        same = self._line is instances.line
        if same and instances.version == self._version:
            return self
        summary = self._summary
        appended = same and summary.extendable
        one_more = appended and len(instances) == summary.rows + 1 and not instances.weighted
        if one_more and row is not None and summary.holds(row[0].tolist()):
            summary = summary.with_one_more()
            return FittedDistance(self.distance, self.terms, self.target, summary, self._line, instances.version)
        return FittedDistance.of(self.distance, instances, self.target, summary if appended else None)

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest stored number of each column that is compared by its range; NaN for the others."""
        found = [self._summary.facts.get(("range", a), (np.nan, np.nan)) for a in range(len(self))]
        low, high = np.array(found, np.float64).T
        return np.ascontiguousarray(low), np.ascontiguousarray(high)

    def covers(self, instances: Instances) -> bool:
        """Whether every value of the table has a place in the class counts and tables of this distance."""
        if self._version == instances.version and self._line is instances.line:
            return True
        return all(term.codes is None or term.codes >= len(instances.values(a)) for a, term in enumerate(self.terms))

    def prepare(self, cells: FloatArray) -> FloatArray:
        """Cells as the costs expect them: rows scaled to length 1 where the distance asks for it, else unchanged."""
        if not self.distance.unit_length or not cells.size:
            return cells
        known = np.where(np.isnan(cells), 0.0, cells)
        # Dividing by the largest number first keeps the squares within float64.
        largest = np.abs(known).max(axis=1, keepdims=True)
        scaled = cells / np.where(largest == 0.0, 1.0, largest)
        total = np.zeros(len(cells))
        for a in range(cells.shape[1]):
            column = np.where(np.isnan(scaled[:, a]), 0.0, scaled[:, a])
            total += column * column
        length = np.sqrt(total)[:, None]
        result: FloatArray = scaled / np.where(length == 0.0, 1.0, length)
        return result

    def contributions(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """``w_a d_a ** power`` of each row and attribute; NaN where the attribute is left out.

        Parameters
        ----------
        query
            Prepared cells of one query, shape (A,).
        rows
            Prepared cells of the rows, shape (n, A).
        weights
            One weight for each attribute; None: all 1.
        """
        weights = self._weights(weights)
        result = np.empty(rows.shape)
        for a, term in enumerate(self.terms):
            column = np.ascontiguousarray(rows[:, a])
            with np.errstate(over="ignore"):
                # No weight, no contribution: 0 times an overflow would be NaN.
                result[:, a] = weights[a] * term.f(float(query[a]), column) if weights[a] else 0.0
            if self.distance.missing == "skip":
                result[np.isnan(column) | np.isnan(query[a]), a] = np.nan
        return result

    def costs(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """The cost of each row: its contributions, added in the order of the columns."""
        weights = self._weights(weights)
        contributions = self.contributions(query, rows, weights)
        with np.errstate(over="ignore"):
            return _sum(contributions) if self.distance.missing != "skip" else self._shared(contributions, weights)

    def _shared(self, contributions: FloatArray, weights: FloatArray) -> FloatArray:
        """The cost over the attributes known in both rows."""
        here = ~np.isnan(contributions)
        total = _sum(np.where(here, contributions, 0.0))
        known = _sum(np.where(here, weights, 0.0))
        everything = _sum(weights[None, :])[0]
        mean = total / np.where(known == 0.0, 1.0, known)
        # Where nothing is left out the sum itself, which dividing and multiplying could change by a bit.
        cost = mean if self.distance.mean else np.where(known == everything, total, mean * everything)
        return np.where(known == 0.0, self.distance.nothing_shared, cost)

    def finish(self, costs: FloatArray) -> FloatArray:
        """Distances from costs."""
        return rooted(costs, self.distance.power) if self.distance.root else costs

    def shares(self, contributions: FloatArray, costs: FloatArray) -> FloatArray:
        """How much of each row's distance each attribute accounts for; the shares of a row add up to its distance.

        A distance is split in proportion to the contributions. Where no attribute is known in both rows, all
        attributes bear equal shares of the distance.
        """
        known = np.where(np.isnan(contributions), 0.0, contributions)
        endless = np.isinf(known).any(axis=1, keepdims=True)
        largest = known.max(axis=1, keepdims=True, initial=0.0)
        # Relative to the largest, so that a sum beyond float64 can be split too; of infinite ones each counts alike.
        with np.errstate(invalid="ignore"):
            parts = np.where(endless, np.isinf(known), known / np.where(largest == 0.0, 1.0, largest))
        total = _sum(parts)[:, None]
        distances = self.finish(costs)[:, None]
        with np.errstate(invalid="ignore"):
            split = np.where(parts == 0.0, 0.0, parts / np.where(total == 0.0, 1.0, total) * distances)
        even = np.where(distances > 0, distances / max(known.shape[1], 1), 0.0)
        return np.where(total == 0.0, even, split)

    def plan(self) -> Plan:
        """The same distance for the compiled core, which gives the same bits."""
        from priorcase._core import Plan  # compiled: plain NumPy use must not need it

        distance = self.distance
        skip = distance.missing == "skip"
        plan = Plan(
            len(self.terms), distance.power, skip=skip, mean=distance.mean, nothing_shared=distance.nothing_shared
        )
        for a, term in enumerate(self.terms):
            term.add_to(plan, a)
        return plan

    def _weights(self, weights: FloatArray | None) -> FloatArray:
        return np.ones(len(self.terms)) if weights is None else np.asarray(weights, dtype=np.float64)


def _sum(columns: FloatArray) -> FloatArray:
    """The sum of each row, added in the order of the columns as the core does; NumPy's own sum adds in pairs."""
    total = np.zeros(len(columns))
    for a in range(columns.shape[1]):
        total += columns[:, a]
    return total
