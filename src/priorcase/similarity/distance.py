"""Distances between rows of a mixed table, before and after fitting to stored rows.

`Distance` specifies one difference for each kind of column, a rule for missing values, and how differences are summed.
`FittedDistance` also contains the statistics of the stored rows, and creates the plan with which the compiled core
computes differences and searches.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, Options, StrOptions

from priorcase._core import Plan
from priorcase._grids import TextResult
from priorcase._locks import cached_property
from priorcase._parameters import as_python, check_fields, is_number, settle
from priorcase._typing import FloatArray, IdArray, IntArray
from priorcase.exceptions import NumericRangeError, ParameterError, quoted
from priorcase.instances import Instances
from priorcase.schema import Circular, Date, Kind, Nominal, Numeric, Ordinal, Schema, Set, Taxonomy, Text
from priorcase.similarity.computed import Computation, Computed, DifferenceFunction, add_terms, queries_at_once
from priorcase.similarity.differences import Absolute, Difference, Levels, MissingRule, Overlap, Term, rooted
from priorcase.similarity.periodic import CircularDifference, DateDifference
from priorcase.similarity.statistics import LEAST_SQUARE, Column, Statistics, Summary, checked_facts
from priorcase.similarity.structured import SetDifference, TaxonomyDifference, TextDifference

Missing = Literal["maximal", "aha", "skip", "symbol", "ignore"]

_MISSING_RULES = {
    "maximal": MissingRule(1.0, 1.0),
    "aha": MissingRule(1.0, 1.0, aha=True),
    "symbol": MissingRule(1.0, 0.0, symbol=True),
    "skip": MissingRule(0.0, 0.0),
    "ignore": MissingRule(0.0, 0.0),
}


@dataclass(frozen=True, repr=False, kw_only=True)
class Distance(TextResult):
    """Distance between two rows, ``(sum_a w_a d_a ** power) ** (1 / power)`` over the columns a.

    Here w_a is the weight of column a, and d_a is the difference of the two values in this column. The sum without
    the root is called the cost. Neighbors are ordered by distance, then by id. All parameters are keyword-only, and
    their default values define the HEOM distance.

    Parameters
    ----------
    numeric, nominal, ordinal
        Difference d for each kind of column.
    attributes
        Mapping from names or positions of single columns to their differences. A function of a query value and a stored
        value is converted to a `DifferenceFunction`.
    missing
        Difference d of two values if one or both of the values are missing.

        - ``"maximal"``: d is 1, also if both values are missing.
        - ``"ignore"``: d is 0, also if only one value is missing.
        - ``"aha"``: in a column scaled by its range [low, high], d is the largest possible difference from the known
          number x, ``max(v, 1 - v)`` with ``v = (x - low) / (high - low)``; in other columns, and if both values are
          missing, d is 1 (Aha, Kibler & Albert 1991).
        - ``"skip"``: the column is skipped and, unless ``mean`` is set, the cost is scaled up, as in scikit-learn's
          ``nan_euclidean_distances``.
        - ``"symbol"``: in ordinal and nominal columns, a missing value counts as an additional value with its own class
          counts; in other columns, d is 0 if both values are missing and 1 if only one value is missing.
    power
        Exponent of the differences, at least 1.
    root
        Whether to take the root of the sum. Without the root, the distance is the cost, as in MVDM.
    mean
        Whether to divide the cost by the sum of the weights of the columns known in both rows, as in Gower's distance;
        only with ``missing="skip"``.
    nothing_shared
        Cost if no column is known in both rows; only with ``missing="skip"``.
    unit_length
        Whether to scale each row to Euclidean length 1 first. All columns must be numeric and compared by
        ``Absolute("none")``.

    Examples
    --------
    >>> Distance(), Distance(missing="skip", power=1)
    (Distance('heom'), Distance(missing='skip', power=1))
    >>> Distance(attributes={"size": Levels((0, 1, 5))})
    Distance(attributes={'size': Levels(positions=(0.0, 1.0, 5.0))})
    """

    numeric: Difference = field(default_factory=Absolute)
    nominal: Difference = field(default_factory=Overlap)
    ordinal: Difference = field(default_factory=Levels)
    attributes: Mapping[Hashable, Difference] = field(default_factory=dict, hash=False)
    missing: Missing = "maximal"
    power: float = 2.0
    root: bool = True
    mean: bool = False
    nothing_shared: float = math.inf
    unit_length: bool = False

    whole: ClassVar[bool] = False
    """Whether the distance compares whole rows instead of single attributes."""
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "missing": [StrOptions(set(get_args(Missing)))],
        "power": [Interval(Real, 1, None, closed="left")],
        "root": ["boolean"],
        "mean": ["boolean"],
        "nothing_shared": [Interval(Real, 0, None, closed="left"), Options(Real, {math.inf})],
        "unit_length": ["boolean"],
    }

    def __post_init__(self) -> None:
        if not isinstance(self.attributes, Mapping):
            raise ParameterError(
                "parameter 'attributes' of Distance must be a mapping from columns to differences, such as "
                f"{{'size': Levels()}}, got {quoted(self.attributes)}"
            )
        for name in ("numeric", "nominal", "ordinal"):
            settle(self, **{name: _as_difference(getattr(self, name))})
        settle(self, attributes={key: _as_difference(value) for key, value in self.attributes.items()})
        differences = {"numeric": self.numeric, "nominal": self.nominal, "ordinal": self.ordinal}
        differences |= {f"attributes[{key!r}]": difference for key, difference in self.attributes.items()}
        parts = ("accepts", "needs_classes", "fit")
        for name, difference in differences.items():
            if isinstance(difference, type) or not all(hasattr(difference, part) for part in parts):
                raise ParameterError(
                    f"{name} of Distance must be a difference of priorcase.similarity, such as Absolute() or "
                    f"Overlap(), or a function of two values, got {quoted(difference)}"
                )
        attributes = {as_python(key) if is_number(key) else key: value for key, value in self.attributes.items()}
        settle(self, attributes=attributes)
        check_fields(self)
        if self.missing != "skip" and (self.mean or self.nothing_shared != math.inf):
            name = "mean" if self.mean else "nothing_shared"
            raise ParameterError(f"{name} of Distance requires missing='skip', got missing={self.missing!r}")
        if self.unit_length:
            if not _is_plain(self.numeric):
                raise ParameterError(
                    "parameter 'numeric' of Distance must be Absolute('none') with unit_length=True, got "
                    f"{self.numeric!r}"
                )
            if (self.nominal, self.ordinal) != (Overlap(), Levels()):
                raise ParameterError(
                    "nominal and ordinal of Distance have no effect with unit_length=True, "
                    f"got {self.nominal!r} and {self.ordinal!r}. Omit both."
                )

    def __repr__(self) -> str:
        from priorcase.similarity.presets import PRESETS, preset  # imports this module

        for name in PRESETS:
            if preset(name) == self:
                return f"Distance({name!r})"
        heom = preset("heom")
        changed = [f"{name}={value!r}" for name, value in vars(self).items() if value != getattr(heom, name)]
        return f"Distance({', '.join(changed)})"

    def fit(self, instances: Instances, target: int | None = 0) -> FittedDistance:
        """Fit the distance to the stored rows; ``target`` is the position of the target used for class counts."""
        return self._fit(instances, target, None)

    def restored(self, instances: Instances, target: int | None, facts: object) -> FittedDistance:
        """Fit the distance with saved `FittedDistance.facts`; raise ``ValueError`` if these statistics are invalid."""
        earlier = Summary(len(instances), checked_facts(facts, len(instances.schema)))
        return self._fit(instances, target, earlier)

    def _fit(self, instances: Instances, target: int | None, earlier: Summary | None) -> FittedDistance:
        """Fit the distance; reusing the ``earlier`` statistics saves time and does not change the result."""
        return self.fit_statistics(Statistics(instances, target, earlier), instances)

    def fit_statistics(self, statistics: Statistics, instances: Instances) -> FittedDistance:
        """Fit the distance with given statistics, for example of rows that are stored on several machines."""
        terms = []
        for a, difference in enumerate(self.differences(instances.schema)):
            column = statistics.column(a)
            self._check(difference, column)
            terms.append(difference.fit(column, _MISSING_RULES[self.missing], self.power))
        target = statistics.target
        return FittedDistance(self, tuple(terms), target, statistics.summary(), instances.line, instances.version)

    def fit_empty(self, schema: Schema, a: int) -> Term:
        """Return the fitted difference of attribute ``a`` for a table without rows."""
        column = Statistics(Instances(schema), None).column(a)
        return self.differences(schema)[a].fit(column, _MISSING_RULES[self.missing], self.power)

    def differences(self, schema: Schema) -> tuple[Difference, ...]:
        """Return the difference that is used for each column of a schema."""
        chosen = [self._by_kind(kind) for kind in schema.kinds]
        positions = schema.positions(self.attributes, parameter="attributes")
        for a, difference in zip(positions, self.attributes.values(), strict=True):
            chosen[a] = difference
        return tuple(chosen)

    def computed(self, schema: Schema) -> tuple[int, ...]:
        """Return the positions of the columns whose differences are computed in Python."""
        return tuple(a for a, d in enumerate(self.differences(schema)) if isinstance(d, Computed))

    def _by_kind(self, kind: Kind) -> Difference:
        match kind:
            case Circular():
                return CircularDifference(kind.period)
            case Date():
                return DateDifference(kind.parts)
            case Text():
                return TextDifference(kind.analyzer)
            case Set():
                return SetDifference()
            case Taxonomy():
                return TaxonomyDifference(kind)
            case Ordinal():
                return self.ordinal
            case Nominal():
                return self.nominal
            case _:
                return self.numeric

    def inlying(self, schema: Schema) -> list[int]:
        """Return the positions of the columns that are scaled by their range without outliers."""
        return [a for a, d in enumerate(self.differences(schema)) if isinstance(d, Absolute) and d.scaling == "inliers"]

    def ranged(self, schema: Schema) -> list[bool] | None:
        """Return for each column whether it is scaled by its range; return None if a column needs other statistics."""
        differences, ranges = self.differences(schema), ("range", "inliers")
        found = [isinstance(d, Absolute) and d.scaling in ranges and d.factor == 1 for d in differences]
        others = [d for d, ranged in zip(differences, found, strict=True) if not ranged]
        return found if all(_is_plain(d) or isinstance(d, (Overlap, Levels)) for d in others) else None

    def _check(self, difference: Difference, column: Column) -> None:
        """Raise an error if a difference cannot compare the values of a column."""
        kind = column.kind_name
        if self.unit_length and (kind != "numeric" or not _is_plain(difference)):
            stated = kind if kind != "numeric" else f"compared by {difference!r}"
            raise ParameterError(
                f"unit_length=True of Distance scales rows of numbers to length 1, but {column.label} is {stated}. "
                "Drop the column, or use a distance for mixed columns such as 'heom' or 'gower'."
            )
        if not set(column.kind_names) & set(difference.accepts):
            raise ParameterError(
                f"{difference!r} compares {' and '.join(difference.accepts)} columns, but {column.label} is {kind}. "
                "Choose another difference for the column (attributes=...), or declare another kind of column."
            )
        if difference.needs_classes:
            target, targets = column.all.target, column.all.instances.targets
            found = None if target is None or targets is None else type(targets.kinds[target]).__name__.lower()
            if found not in ("nominal", "ordinal"):
                reason = "there is no target" if found is None else f"the target is {found}"
                raise ParameterError(
                    f"{difference!r} compares the values of {column.label} by their class counts and needs a nominal "
                    f"or ordinal target, but {reason}. Use a distance without class counts, such as 'heom' or 'gower'."
                )
        if isinstance(difference, Absolute) and not self.unit_length:
            spread = (column.extent() if difference.scaling == "none" else 1.0) / difference.factor
            if 0.0 < spread < 1.0 and spread**self.power < LEAST_SQUARE:
                raise NumericRangeError(
                    f"{column.label} has numbers so close together that distances between them are 0 in float64; "
                    "multiply the column by a large constant, or scale it by its range"
                )


def _as_difference(given: Any) -> Any:
    """Convert a function of two values to a difference; return anything else unchanged."""
    plain = callable(given) and not isinstance(given, (type, Difference)) and not hasattr(given, "accepts")
    return DifferenceFunction(given) if plain else given


def _is_plain(difference: Difference) -> bool:
    return isinstance(difference, Absolute) and difference.scaling == "none"


@dataclass(frozen=True, repr=False)
class FittedDistance(TextResult):
    """Distance fitted to stored rows, as returned by `Distance.fit`.

    Two fitted distances are equal if their parameters and fitted differences are equal. Costs that are too large for
    float64 become infinite without a warning; a column with weight 0 always contributes 0 to the cost.

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
    >>> fitted.finish(fitted.costs(query, instances.cells()))
    array([0.5       , 1.11803399])
    """

    distance: Distance
    terms: tuple[Term, ...]
    target: int | None = field(compare=False)
    _summary: Summary = field(compare=False)
    _line: object = field(compare=False)
    _version: int = field(compare=False)

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return f"<{self.distance!r} fitted to {self._summary.rows:,} rows>"

    def __getstate__(self) -> dict[str, Any]:
        # Drop what identifies the rows in this process; the next refresh then fits from scratch.
        return {**self.__dict__, "_line": None}

    def __len__(self) -> int:
        return len(self.terms)

    def refreshed(self, instances: Instances, row: FloatArray | None = None) -> FittedDistance:
        """Return the distance refitted to the current rows; the result is the same as after a new fit.

        If rows without weights were appended and nothing else changed, ranges and counts are updated instead of being
        recomputed. If a single row was appended, ``row`` may contain its encoded values, shape (1, A); if these values
        lie within the stored ranges, the differences are not fitted again.
        """
        appended, summary = self._line is instances.line, self._summary
        if appended and instances.version == self._version:
            return self
        one_more = appended and len(instances) == summary.rows + 1 and not instances.weighted
        if one_more and row is not None and summary.covers(row[0].tolist()):
            summary = Summary(summary.rows + 1, summary.facts, summary.ranges, summary.until)
            return FittedDistance(self.distance, self.terms, self.target, summary, self._line, instances.version)
        return self.distance._fit(instances, self.target, summary if appended else None)

    @property
    def facts(self) -> dict[Any, Any]:
        """Statistics of the stored rows, which can be saved and passed to `Distance.restored`."""
        return self._summary.facts

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Return the smallest and largest stored number of each column; NaN if a column is not scaled by its range."""
        found = [self._summary.facts.get(("range", a), (np.nan, np.nan)) for a in range(len(self))]
        low, high = np.ascontiguousarray(np.array(found, np.float64).T)
        return low, high

    def covers(self, instances: Instances) -> bool:
        """Return whether the fitted differences of this distance include all stored values."""
        if self._version == instances.version and self._line is instances.line:
            return True
        return all(term.holds(instances, a) for a, term in enumerate(self.terms))

    def coded(self, schema: Schema) -> NDArray[np.uint8]:
        """Return a mask of the columns that are passed to the compiled core as codes."""
        return np.array([not isinstance(kind, Numeric) for kind in schema.kinds], np.uint8)

    def stored_cells(self, ids: IdArray, cells: FloatArray) -> FloatArray:
        """Return the encoded values of stored rows in the format of the compiled core."""
        return np.ascontiguousarray(self.prepare(cells))

    def for_queries(self, queries: FloatArray) -> tuple[Plan, FloatArray]:
        """Return the search plan and the encoded queries for a block of queries that need their own plan."""
        return self._plan(queries), queries

    def prepare(self, cells: FloatArray) -> FloatArray:
        """Return encoded rows in the form that `costs` requires: with ``unit_length=True``, scaled to length 1."""
        if not self.distance.unit_length or not cells.size:
            return cells
        # Dividing by the largest number first keeps the squares within float64.
        largest = np.abs(np.where(np.isnan(cells), 0.0, cells)).max(axis=1, keepdims=True)
        scaled = cells / np.where(largest == 0.0, 1.0, largest)
        length = np.sqrt(_sum(np.where(np.isnan(scaled), 0.0, scaled * scaled)))[:, None]
        return np.asarray(scaled / np.where(length == 0.0, 1.0, length))

    def contributions(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return the contribution ``w_a d_a ** power`` of each column to the cost of each row; NaN for skipped columns.

        ``query`` and ``rows`` are encoded rows from `prepare`, shapes (A,) and (n, A); ``weights`` are column weights.
        """
        weights = self._weights(weights)
        with np.errstate(over="ignore", invalid="ignore"):
            # A column with zero weight contributes 0; multiplying an overflow by 0 would give NaN.
            found = np.where(weights == 0.0, 0.0, weights * self._plan(query[None]).differences(query, rows))
        if self.distance.missing == "skip":
            found[np.isnan(rows) | np.isnan(query)] = np.nan
        return found

    def costs(self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return the cost of each row, computed from the contributions of its columns in column order."""
        weights = self._weights(weights)
        return self._total(self.contributions(query, rows, weights), weights)

    def _total(self, contributions: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the cost of each row from the contributions of its columns, without skipped columns (NaN)."""
        with np.errstate(over="ignore"):
            if self.distance.missing != "skip":
                return _sum(contributions)
            here = ~np.isnan(contributions)
            total = _sum(np.where(here, contributions, 0.0))
            known = _sum(np.where(here, weights, 0.0))
            everything = _sum(weights[None, :])[0]
            mean = total / np.where(known == 0.0, 1.0, known)
            # If nothing is skipped, return the sum itself: dividing and multiplying could change the last bit.
            cost = mean if self.distance.mean else np.where(known == everything, total, mean * everything)
            return np.where(known == 0.0, self.distance.nothing_shared, cost)

    def finish(self, costs: FloatArray) -> FloatArray:
        """Convert costs to distances."""
        return rooted(costs, self.distance.power) if self.distance.root else costs

    def distance_contributions(
        self, query: FloatArray, rows: FloatArray, weights: FloatArray | None = None
    ) -> FloatArray:
        """Divide the distance of each row among the columns, in proportion to their contributions to the cost.

        If no column is known in both rows, all columns contribute equally.
        """
        weights = self._weights(weights)
        contributions = self.contributions(query, rows, weights)
        distances = self.finish(self._total(contributions, weights))[:, None]
        known = np.where(np.isnan(contributions), 0.0, contributions)
        infinite = np.isinf(known).any(axis=1, keepdims=True)
        largest = known.max(axis=1, keepdims=True, initial=0.0)
        with np.errstate(invalid="ignore"):
            # Relative to the largest, so that sums beyond float64 can be split; infinite contributions count equally.
            parts = np.where(infinite, np.isinf(known), known / np.where(largest == 0.0, 1.0, largest))
            total = _sum(parts)[:, None]
            split = np.where(parts == 0.0, 0.0, parts / np.where(total == 0.0, 1.0, total) * distances)
        even = np.where(distances > 0, distances / max(known.shape[1], 1), 0.0)
        return np.where(total == 0.0, even, split)

    def check_finite(
        self,
        distances: FloatArray,
        queries: FloatArray,
        rows: FloatArray,
        weights: FloatArray | None = None,
        names: tuple[IntArray, IntArray] | None = None,
    ) -> None:
        """Raise an error for distances or costs that are infinite because of an overflow.

        ``queries`` and ``rows`` are the encoded query and row of each pair. ``weights`` contains the attribute weights,
        either one set for all pairs or one set for each pair. ``names`` contains the query numbers and row ids that are
        shown in the error message.
        """
        infinite = np.isinf(distances)
        # If missing values are skipped, rows without a common known value are infinitely far apart by definition.
        if infinite.any() and self.distance.missing == "skip" and np.isinf(self.distance.nothing_shared):
            shared = ~np.isnan(queries) & ~np.isnan(rows)
            infinite &= (shared if weights is None else shared & (weights > 0)).any(axis=1)
        if infinite.any():
            at = int(np.argmax(infinite))
            pair = "two rows have numbers so large that their distance"
            if names is not None:
                pair = f"query {names[0][at]} has numbers so large that its distance from row {names[1][at]}"
            raise NumericRangeError(
                f"{pair} is infinite in float64. Divide the columns by a large constant, or take their logarithm."
            )

    @cached_property
    def queries_at_once(self) -> int | None:
        """Maximum number of queries for which one search plan is created; None if there is no limit."""
        return queries_at_once(self.terms)

    def answers(self, queries: FloatArray) -> bool:
        """Return whether the search plan for the stored rows can also be used for these queries."""
        return all(term.answers(queries[:, a]) for a, term in enumerate(self.terms) if isinstance(term, Computation))

    def plan(self) -> Plan:
        """Return the distance as a search plan of the compiled core."""
        return self._plan(None)

    def _plan(self, queries: FloatArray | None) -> Plan:
        plan = self.empty_plan()
        add_terms(self.terms, plan, queries)
        return plan

    def empty_plan(self) -> Plan:
        distance = self.distance
        skip, shared = distance.missing == "skip", distance.nothing_shared
        return Plan(len(self), distance.power, skip=skip, mean=distance.mean, nothing_shared=shared, root=distance.root)

    def _weights(self, weights: FloatArray | None) -> FloatArray:
        return np.ones(len(self.terms)) if weights is None else np.asarray(weights, dtype=np.float64)


def _sum(columns: FloatArray) -> FloatArray:
    """Return the sum of each row, added in column order as in the compiled core; NumPy would sum in pairs."""
    total = np.zeros(len(columns))
    for a in range(columns.shape[1]):
        total += columns[:, a]
    return total
