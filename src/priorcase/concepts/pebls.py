"""PEBLS: nearest-neighbor classification of symbols, with weights for the reliability of exemplars.

An exemplar X has the weight ``w_X = used_X / correct_X >= 1``: the number of times X was the nearest exemplar, divided
by the number of times its class was then right (Cost & Salzberg 1993). Both numbers start at 1. With
``weighting="one_pass"`` and ``inherit=True``, a new exemplar instead starts with the two numbers of its nearest
exemplar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import Exemplars as CompiledExemplars
from priorcase._parameters import as_python, check_parameters, check_value
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name
from priorcase.concepts.results import Exemplars, ValueDifferences
from priorcase.exceptions import ParameterError, TargetError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.learning.estimator import RowsEstimator, SchemaLike
from priorcase.learning.resampling import blocks, stored_table
from priorcase.learning.results import attribute_names, by_attribute, framed, free_label, value_text
from priorcase.learning.state import reads
from priorcase.learning.targets import Classes, Labeling, learned_labels
from priorcase.neighbors.base import NeighborsMemory, resolve_weights
from priorcase.neighbors.polling import Rules, polls
from priorcase.neighbors.precedents import Precedents, assemble
from priorcase.neighbors.votes import Poll, Ties, UniformVote, decide, probabilities
from priorcase.saving import checked
from priorcase.schema import CategoricalFeatures, Coded, Date, Nominal, Numeric, Ordinal, ReadColumn, Schema, Table
from priorcase.schema.dates import date_text
from priorcase.search.index import NeighborList
from priorcase.similarity import Distance, FittedDistance, mvdm
from priorcase.similarity.differences import Curve, Discretized, MissingRule, Unseen
from priorcase.similarity.statistics import Statistics, codes_of, first_seen

GivenWeights: TypeAlias = ArrayLike | Mapping[Name, float] | None
WeightingName: TypeAlias = Literal["one_pass", "multi_pass"]
# Weighting method, number of passes, and whether new exemplars inherit records.
Weighting: TypeAlias = tuple[WeightingName | None, int, bool]

_COUNT = [Interval(Integral, 1, None, closed="left")]
_PASSES = [Interval(Integral, 1, 1_000, closed="both")]  # the time of a fit is proportional to this number
_POWER = [Interval(Real, 1, None, closed="left")]
_WIDTH = 40  # maximum width of a string or a set in a table of differences
# Larger numbers may have an infinite range.
_HUGE = float(np.finfo(np.float64).max) / 2


@dataclass(eq=False, repr=False)
class PEBLS(ClassifierMixin, RowsEstimator["ExemplarMemory"]):
    """PEBLS: nearest-exemplar classifier with the modified value difference metric and reliability weights.

    The distance of an exemplar X from a query Y is ``Delta(X, Y) = w_X sum_a delta(x_a, y_a) ** r``. The difference of
    two values is ``delta(v, u) = sum_c |P(c|v) - P(c|u)| ** k``, summed over the classes c. The weight ``w_X = used_X /
    correct_X`` is the number of times X was the nearest exemplar divided by the number of times its class was right. A
    large weight moves an unreliable exemplar away from queries. Levels, equal-width bins of numbers and missing values
    are treated as symbols, so if nothing is known, the nearest exemplar votes, not the class frequencies. After rows
    are added or forgotten, results are identical to those of a fit from scratch.

    Parameters
    ----------
    n_neighbors
        Number of exemplars that vote.
    exponent, power
        Exponents k (of the differences of class probabilities) and r (of the value differences delta).
    weighting
        ``"multi_pass"``: each row updates the record of its nearest *other* exemplar. ``"one_pass"``: each new row
        updates the record of the nearest exemplar so far (shuffle a table sorted by class). None: all weights are 1.
    passes, inherit
        For ``"multi_pass"``, the number of passes (at most 1,000). For ``"one_pass"``, whether a new exemplar starts
        with the record of its nearest exemplar, instead of ``used = correct = 1``.
    bins
        Number of bins of a numeric column; None for ``max(5, number of classes)``.
    unseen
        Rule for a value without stored rows: ``delta = 2`` (``"maximal"``), or class probabilities equal to the class
        frequencies of all rows (``"prior"``) or to 0 (``"zero"``).
    attribute_weights
        One number >= 0 for each column, or a mapping from column to number (1 for columns not in the mapping).
    ties
        Rule for a tied vote: ``"nearest"``, ``"first"``, ``"reduce"`` or ``"majority"``; see `KNNClassifier`.
    categorical_features, schema, n_jobs
        See `KNNClassifier`.

    Attributes
    ----------
    exemplars_, classes_, ids_, n_samples_fit_, schema_
        Stored rows with their records as a data frame, classes, ids of the stored rows, and kinds of the columns.

    References
    ----------
    S. Cost & S. Salzberg, "A weighted nearest neighbor algorithm for learning with symbolic features", *Machine
    Learning* 10, 1993. J. Rachlin & S. Salzberg, *PEBLS 2.0 User's Guide*, 1993.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [["red", "S"], ["red", "M"], ["red", "L"], ["blue", "S"], ["blue", "M"], ["red", "M"]]
    >>> model = pc.PEBLS().fit(X, ["rose", "rose", "rose", "violet", "violet", "violet"])
    >>> model.predict([["red", "S"], ["blue", "L"], ["green", "L"]])
    array(['rose', 'violet', 'rose'], dtype='<U6')
    >>> model.suspects(2)
    id  class   used  correct  weight  nearest     distance  x0   x1
     5  violet     2        1     2.0  1 (rose)           0  red  M
     1  rose       3        2     1.5  5 (violet)         0  red  M
    """

    n_neighbors: int = 1
    _: KW_ONLY
    exponent: float = 1.0
    power: float = 2.0
    weighting: WeightingName | None = "multi_pass"
    passes: int = 1
    inherit: bool = True
    bins: int | None = None
    unseen: Unseen = "maximal"
    attribute_weights: GivenWeights = None
    ties: Ties = "nearest"
    categorical_features: CategoricalFeatures = "from_dtype"
    schema: SchemaLike = None
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": _COUNT,
        "exponent": _POWER,
        "power": _POWER,
        "weighting": [None, StrOptions({"one_pass", "multi_pass"})],
        "passes": _PASSES,
        "inherit": ["boolean"],
        "bins": [None, Interval(Integral, 1, 1_000_000, closed="both")],
        "unseen": [StrOptions({"maximal", "prior", "zero"})],
        "attribute_weights": [None, Mapping, "array-like"],
        "ties": [StrOptions({"nearest", "first", "majority", "reduce"})],
    }

    # -- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Replace all stored rows and compute the records of the new rows; ``y`` contains one class for each row."""
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Add rows; ``classes`` declares all classes, including classes without rows."""
        return self._partial_fit(X, y, None, classes)

    # -- predictions

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        return self._classes().labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the class of each row by a vote of the nearest exemplars."""
        chosen = np.concatenate([self._decided(poll) for poll in self._polls(self._cells(X))])
        return np.asarray(self._classes().labels[chosen])

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict class probabilities: vote shares after adding one vote that is divided equally among the classes."""
        return np.concatenate([self._probabilities(poll) for poll in self._polls(self._cells(X))])

    @reads
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IdArray] | IdArray:
        """Find the nearest exemplars of each query; return weighted distances and ids, shape (queries, n_neighbors).

        Without ``X``, the stored exemplars are the queries, and no exemplar is its own neighbor.
        """
        memory = self._answering()
        cells, own = (self._cells(X), None) if X is not None else (memory.symbols.instances.cells(), memory.ids)
        k = self._how_many(n_neighbors, own=own is not None)
        found = memory.search(cells, k, exclude=own, threads=self._threads())
        ids = memory.ids[found.rows].reshape(-1, k)
        return (found.distances.reshape(-1, k), ids) if return_distance else ids

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """Return the exemplars that vote on each query, with each column's contribution to their distances."""
        memory, table, classes = self._answering(), self._table(X), self._classes()
        polls = list(self._polls(memory.encode(table), n_neighbors))
        predicted = np.concatenate([self._decided(poll) for poll in polls])
        options: dict[str, Any] = {"codes": (classes.codes[:, None], predicted[:, None]), "classes": classes.labels}
        options["probabilities"] = np.concatenate([self._probabilities(poll) for poll in polls])
        return assemble(self, table, polls, classes.labels[predicted], **options)

    # -- fitted attributes

    @property
    @reads
    def exemplars_(self) -> Any:
        """Stored rows as a data frame with ``id``, ``class``, ``used``, ``correct``, ``weight`` and the columns."""
        memory = self._answering()
        (used, correct), rows = memory.records, np.arange(len(memory))
        columns = {"id": memory.ids, "class": self._targets_at(rows), "used": used, "correct": correct}
        columns["weight"] = memory.weights
        names = attribute_names(memory.instances.schema)
        return framed(by_attribute(columns, names, memory.instances.decode(rows), {}), self._backend)

    @reads
    def suspects(self, n: int | None = 10) -> Exemplars:
        """Return the ``n`` least reliable exemplars, worst first.

        A suspect is an exceptional or possibly mislabeled row, especially if its nearest exemplar has another class.
        With ``weighting="one_pass"``, a suspect may have inherited the record of a suspicious neighbor.
        """
        memory = self._answering()
        check_value("n", n, [None, *_COUNT])
        self._how_many(1, own=True)
        used, correct = memory.records
        worst = np.lexsort((-used, -memory.weights))[: len(memory) if n is None else int(n)]
        ids, cells = memory.ids[worst], memory.symbols.instances.cells(worst)
        found = memory.search(cells, 1, exclude=ids, threads=self._threads())
        names, rows = attribute_names(memory.instances.schema), memory.instances.decode(worst)
        records = self._targets_at(worst), used[worst], correct[worst]
        nearest = memory.ids[found.rows], self._targets_at(found.rows), found.distances
        return Exemplars(names, ids, rows, *records, *nearest, self._backend)

    @reads
    def value_differences(self, attribute: Name) -> ValueDifferences:
        """Return the differences ``delta`` between the stored values of a column, given by name or position."""
        memory = self._answering()
        schema = memory.instances.schema
        a = schema.position(attribute, parameter="attribute")
        return ValueDifferences(schema.label(a), *memory.differences(a), self._backend)

    # -- internal

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.cached("classes", lambda: self._labeling.classes(memory.instances)[0])

    def _targets_at(self, rows: IntArray) -> AnyArray:
        classes = self._classes()
        return np.asarray(classes.labels[classes.at(rows)])

    def _how_many(self, n_neighbors: int | None, *, own: bool = False) -> int:
        """Return the number of neighbors; raise an error if fewer exemplars are stored."""
        stored = len(self._stored())
        if n_neighbors is not None:
            check_value("n_neighbors", n_neighbors, _COUNT)
        k = self._k if n_neighbors is None else int(n_neighbors)
        if k > stored - own:  # a stored exemplar is not its own neighbor
            raise TooFewRowsError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {stored}. Use a smaller n_neighbors, or store more rows."
            )
        return k

    def _polls(self, cells: FloatArray, n_neighbors: int | None = None) -> Iterator[Poll]:
        """Yield the nearest exemplars of the queries as a `Poll` for each block of queries."""
        return (poll for _, poll in polls(self, cells, self._how_many(n_neighbors)))

    def _width(self) -> int:
        return int(self._classes().labels.size)

    def _decided(self, poll: Poll) -> IdArray:
        """Return the winning class of each query, as a position in ``classes_``."""
        return decide(poll, self._rules.ties, [self._classes()], [None])[:, 0]

    def _probabilities(self, poll: Poll) -> FloatArray:
        classes = self._classes()
        return probabilities(poll, classes, np.full(classes.labels.size, 1.0 / classes.labels.size))

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        earlier, instances = (None, None) if first else (self._labeling, self._stored().instances)
        labeling, targets, labels = learned_labels(y, classes, earlier, instances)
        self._labeling: Labeling = labeling
        if labels.shape[1] != 1:
            raise TargetError(
                f"y has {labels.shape[1]} columns; expected one class for each row. Pass a single column."
            )
        return targets, labels

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        if self.weighting != "multi_pass" and self.passes != 1:
            raise ParameterError(f"passes must be 1 unless weighting='multi_pass', got {self.passes}")
        if self.weighting != "one_pass" and not self.inherit:
            raise ParameterError("inherit must be True unless weighting='one_pass'")
        self._k = int(self.n_neighbors)
        self._rules = Rules(UniformVote(), self.ties)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ExemplarMemory:
        rows, weighting = Instances(schema, targets), (self.weighting, int(self.passes), bool(self.inherit))
        distance = mvdm(as_python(self.exponent), as_python(self.power), unseen=self.unseen)
        given = [1.0] * len(schema) if self.attribute_weights is None else self.attribute_weights
        weights = cast(FloatArray, resolve_weights(given, rows, threads=1))  # not a method: methods raise an error
        return ExemplarMemory(rows, distance, weighting, self.bins and int(self.bins), weights)

    def _check_rows(self) -> None:
        memory = self._stored()
        with np.errstate(over="ignore"):  # the difference of two values is at most 2
            most = memory.value_weights.sum() * (1 + memory.weighting[1] * len(memory))
            farthest = np.float64(2.0) ** memory.distance.power * most
        if not np.isfinite(farthest):
            raise ParameterError(
                f"power={memory.distance.power} is too large: 2 ** power times the sum of the attribute weights "
                "overflows float64. Use 2 or 1."
            )

    def _finish_fit(self) -> None:
        _ = self._stored().exemplars  # otherwise computed at the first query


class ExemplarMemory(NeighborsMemory):
    """Stored rows of PEBLS; symbols, records and compiled exemplars are computed from them when first needed."""

    def __init__(
        self, rows: Instances, distance: Distance, weighting: Weighting, bins: int | None, attribute_weights: FloatArray
    ) -> None:
        super().__init__(rows, distance, attribute_weights=attribute_weights, algorithm="scan")
        self.weighting, self.bins, self.value_weights = weighting, bins, attribute_weights

    def __getstate__(self) -> dict[str, Any]:
        records = self._cache.get("records", (-1, None))
        return super().__getstate__() | {"_cache": {"records": records} if records[0] == self.instances.version else {}}

    def saved(self) -> dict[str, Any]:
        version, records = self._cache.get("records", (-1, None))
        return {"records": records} if version == self.instances.version else {}

    def restore(self, instances: Instances, state: Mapping[str, Any]) -> None:
        super().restore(instances, state)
        if "records" in state:
            used, correct = (checked(each, np.int64, (len(self),), least=1) for each in state["records"])
            if (used < correct).any() or (used > 2**53).any():  # larger numbers are not exact as floats
                raise ValueError("the records are invalid")
            self._cache["records"] = instances.version, (used, correct)

    @property
    def symbols(self) -> Symbols:
        return self.cached("symbols", lambda: Symbols.of(self.instances, self.bins, self.distance))

    def encode(self, table: Table) -> FloatArray:
        """Encode queries as symbol codes: NaN for a missing value, -1 for an unseen value."""
        return self.symbols.instances.encode(self.symbols.table(table))

    @property
    def fitted(self) -> FittedDistance:
        """The distance (without exemplar weights), fitted to the stored rows."""
        return self.cached("fitted", lambda: self.distance.fit(self.symbols.instances))

    @property
    def records(self) -> tuple[IdArray, IdArray]:
        """Number of times each exemplar was the nearest exemplar, and number of times its class was then right."""
        return self.cached("records", lambda: self.exemplars.records())

    @property
    def weights(self) -> FloatArray:
        used, correct = self.records
        return np.asarray(used / correct)

    @property
    def exemplars(self) -> CompiledExemplars:
        """Compiled exemplars; records that are known, for example from a saved model, are not computed again."""
        return self.cached("exemplars", self._exemplars)

    def _exemplars(self) -> CompiledExemplars:
        exemplars, cells = CompiledExemplars(self.fitted.plan(), self.value_weights), self.symbols.instances.cells()
        labels, version = self._labels(), self.instances.version
        known, records = self._cache.get("records", (-1, None))
        if known == version:
            exemplars.store(cells, labels, *records)
        else:
            weigh(exemplars, cells, labels, self.weighting)
            self._cache["records"] = version, exemplars.records()
        return exemplars

    def _labels(self) -> IdArray:
        return np.ascontiguousarray(self.instances.target(), dtype=np.int64)

    def search(
        self, cells: FloatArray, k: int, *, exclude: Any = None, own: Any = None, ties: bool = False, threads: int = 1
    ) -> NeighborList:
        """Return the ``k`` nearest exemplars of each query by the weighted distance."""
        left_out, size = None if exclude is None else self.positions(exclude), self.fitted.queries_at_once
        if size is None or self.fitted.answers(cells):
            return NeighborList(*self.exemplars.kneighbors(np.ascontiguousarray(cells), k, ties, left_out, threads))
        stored, labels = self.symbols.instances.cells(), self._labels()
        found = []
        for start in range(0, len(cells), size):  # with unseen texts or sets
            part = slice(start, start + size)
            exemplars = CompiledExemplars(self.fitted.for_queries(cells[part])[0], self.value_weights)
            exemplars.store(stored, labels, *self.records)
            own = None if left_out is None else left_out[part]
            found.append(exemplars.kneighbors(np.ascontiguousarray(cells[part]), k, ties, own, threads))
        indptr = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(each[0]) for each in found]))])
        return NeighborList(
            indptr, *(np.concatenate(lists) for lists in zip(*(each[1:] for each in found), strict=True))
        )

    def contributions(self, query: FloatArray, rows: IntArray) -> FloatArray:
        """Return each attribute's part of the weighted distance of each exemplar, shape (exemplars, attributes)."""
        added = self.fitted.contributions(query, self.symbols.instances.cells(rows), self.value_weights)
        return np.asarray(self.weights[rows][:, None] * added)

    def differences(self, a: int) -> tuple[tuple[str, ...], FloatArray]:
        """Return the names of the stored symbols of attribute ``a``, and the difference ``delta`` of each pair."""
        codes, names = self.symbols.held(a)
        fitted = replace(self.distance, power=1.0).fit(self.symbols.instances)
        cells = np.full((len(codes), len(fitted)), np.nan)
        cells[:, a] = codes
        return names, np.array([fitted.contributions(cell, cells)[:, a] for cell in cells])

    def _added(self, ids: IdArray, table: Table | None) -> None:
        # A range of numbers that overflows float64 must raise an error when the rows are added; other checks can wait.
        columns, _, _ = self.instances.look_up(ids)
        kinds = self.instances.schema.kinds
        if any(isinstance(kind, Numeric) and (np.abs(c) > _HUGE).any() for kind, c in zip(kinds, columns, strict=True)):
            _ = self.symbols


def weigh(exemplars: CompiledExemplars, cells: FloatArray, labels: IdArray, weighting: Weighting) -> None:
    """Store all rows as exemplars and compute their records, with a progress bar if this takes long."""
    name, passes, inherit = weighting
    if name != "one_pass":
        ones = np.ones(len(cells), np.int64)
        exemplars.store(cells, labels, ones, ones)
    for _ in range(passes if name else 0):
        for part in blocks(len(cells), text="PEBLS: records of exemplars"):
            if name == "one_pass":
                exemplars.arrive(cells[part], labels[part], inherit)
            else:
                exemplars.sweep(cells[part], part.start)


@dataclass(frozen=True, eq=False)
class Symbols:
    """Stored rows with numbers replaced by bins; numbers in queries are replaced in the same way."""

    instances: Instances  # the rows as symbols, in the order of their ids and numbered from 0
    stored: Schema  # original kinds of the columns
    edges: tuple[FloatArray | None, ...]  # left edges of the bins of each numeric column

    @classmethod
    def of(cls, stored: Instances, bins: int | None, distance: Distance) -> Self:
        """Create symbols from stored rows, with ``bins`` bins of equal width (None: ``max(5, number of classes)``)."""
        schema, statistics = stored.schema, Statistics(stored, 0)
        edges: list[FloatArray | None] = [None] * len(schema)
        kinds = list(schema.kinds)
        for a, kind in enumerate(schema.kinds):
            if isinstance(kind, Numeric):
                term = Discretized(bins).fit(statistics.column(a), MissingRule(), 1.0)
                assert isinstance(term, Curve)  # the result of Discretized
                edges[a] = term.breaks
            if isinstance(kind, Numeric) or (type(kind) is Nominal and kind.values is None):
                kinds[a] = Nominal()  # values were checked when they were stored
        symbols = cls(Instances(Schema(schema.names, tuple(kinds)), stored.targets), schema, tuple(edges))
        symbols.instances.keeps_unseen = distance.computed(symbols.instances.schema)
        assert stored.targets is not None  # the classes
        targets = Table(stored.targets, len(stored), (Coded(stored.target(), stored.target_values()),))
        symbols.instances.append(symbols.table(stored_table(stored, np.arange(len(stored)))), targets)
        return symbols

    def table(self, table: Table) -> Table:
        """Return the rows of a table with symbols instead of numbers."""
        columns: list[ReadColumn] = []
        for column, edges in zip(table.columns, self.edges, strict=True):
            if edges is not None and isinstance(column, np.ndarray):
                # A number outside the stored range belongs to the nearest bin; a bin without stored rows is unseen.
                interval = np.maximum(edges.searchsorted(column, side="right") - 1, 0)
                column = Coded(np.where(np.isnan(column), -1, interval).astype(np.int32), range(edges.size))
            columns.append(column)
        return Table(self.instances.schema, len(table), tuple(columns))

    def held(self, a: int) -> tuple[FloatArray, tuple[str, ...]]:
        """Return the codes and names of the stored symbols of attribute ``a``; a missing value has the name "?"."""
        column, edges, values = codes_of(self.instances.column(a)), self.edges[a], self.instances.values(a)
        codes = first_seen(column).tolist()
        if edges is not None:
            codes.sort(key=lambda code: cast(int, values[code]))
            places = [int(cast(int, values[code])) for code in codes]
            ends = sorted({end for i in places for end in (i, i + 1) if end < edges.size})
            dated = isinstance(self.stored.kinds[a], Date)
            numbers = map(date_text, edges[ends].tolist()) if dated else distinct_texts(edges[ends])
            texts = dict(zip(ends, numbers, strict=True))
            shown = [f"{texts[i]} to {texts[i + 1]}" if i + 1 in texts else f"{texts[i]} or more" for i in places]
        else:
            if isinstance(self.instances.schema.kinds[a], Ordinal):
                codes.sort()
            shown = [
                value_text(value, _WIDTH) if isinstance(value := values[code], (str, frozenset)) else str(value)
                for code in codes
            ]
        if (column < 0).any():
            codes, shown = [*codes, np.nan], [*shown, "?"]
        names: dict[str, None] = {}
        for name in shown:
            names[free_label(name, names)] = None  # values such as 1 and "1" get different names
        return np.array(codes, np.float64), tuple(names)


def distinct_texts(numbers: FloatArray) -> list[str]:
    """Format distinct numbers with six significant digits, or with more if needed to distinguish the numbers."""
    texts = ([f"{number:.{digits}g}" for number in numbers.tolist()] for digits in range(6, 17))
    return next((found for found in texts if len(set(found)) == len(found)), list(map(repr, numbers.tolist())))
