"""PEBLS: nearest-neighbour classification of symbols, with weights for the reliability of exemplars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python, check_parameters, check_value
from priorcase._typing import AnyArray, FloatArray, IdArray, IntArray, Name
from priorcase.concepts.pebls_memory import ExemplarMemory, Weighting, WeightingName
from priorcase.concepts.results import Exemplars, ValueDifferences
from priorcase.exceptions import ParameterError, TargetError, TooFewRowsError, quoted
from priorcase.instances import Instances
from priorcase.instances.instances import as_floats
from priorcase.learning.classes import Classes
from priorcase.learning.decoding import attribute_names, decoded
from priorcase.learning.estimator import RowsEstimator, SchemaLike
from priorcase.learning.frames import by_attribute, framed
from priorcase.learning.labels import Labelling, learned_labels
from priorcase.learning.state import reads
from priorcase.neighbors.polling import ENTRIES, Rules
from priorcase.neighbors.precedents import Answer, Case, Precedents
from priorcase.neighbors.votes import Poll, Ties, UniformVote, decide, probabilities
from priorcase.schema import CategoricalFeatures, Schema
from priorcase.similarity import mvdm
from priorcase.similarity.class_differences import Unseen

AttributeWeights: TypeAlias = ArrayLike | Mapping[Name, float] | None

_COUNT = [Interval(Integral, 1, None, closed="left")]
_POWER = [Interval(Real, 1, None, closed="left")]
_LARGEST_DIFFERENCE = 2.0
# Queries asked before the length of their lists is known.
_FIRST_BLOCK = 64
# How many exemplars are searched first for one of another class, and how many times more then.
_UNLIKE, _GROWTH = 32, 8


class PEBLS(ClassifierMixin, RowsEstimator):
    """Nearest exemplars by the modified value difference metric, weighted by their reliability.

    ``Delta(X, Y) = w_X sum_a delta(x_a, y_a) ** r`` for a stored exemplar X and a query Y, where two values differ by
    what they say about the class, ``delta(v, u) = sum_c |P(c|v) - P(c|u)| ** k``, and an exemplar weighs
    ``w_X = used_X / correct_X``: how often it was the nearest one, by how often its class was then right (Cost &
    Salzberg 1993). No root is taken. An exemplar that misclassifies moves away from every query; it may be an
    exception, or its label may be wrong: see `suspects`.

    Everything is a symbol: values, levels, equal-width intervals of numbers, and "missing", whose class counts are
    those of the rows that miss the value. Rows can be added (`partial_fit`) and forgotten (`forget`) at any time.
    Counts, intervals and records are taken from the stored rows in the order of their ids when they are first needed,
    and so are those of a fresh fit on the rows that are left, bit for bit.

    Parameters
    ----------
    n_neighbors
        How many exemplars vote.
    exponent
        Cost & Salzberg's k, of the differences between class shares.
    power
        Their r, of the differences between values: 2 (Euclidean) or 1 (Manhattan) in the paper.
    weighting
        How the records are kept. ``"multi_pass"``: all rows are stored first, then each in turn asks its nearest
        *other* exemplar, whose record takes note. ``"one_pass"``, the incremental form: exemplars come one by one, and
        the nearest of those stored so far answers for the new one; its records depend much on the order of the rows,
        so that a table sorted by class should be shuffled first. None: all weights are 1.
    passes
        How often ``"multi_pass"`` goes through the rows.
    inherit
        Whether a new exemplar of ``"one_pass"`` begins with the record of the one that answered for it, or with 1 of 1.
        Which of the two the published system does is not certain.
    bins
        Intervals of a numeric column; None for ``max(5, number of classes)``.
    unseen
        A value that no row holds: ``"maximal"`` (``delta`` = 2, as far as two values can be), ``"prior"`` (its class
        shares are those of all rows) or ``"zero"`` (they are all 0). What the published system does is not known. A
        value that the schema declares is known: without rows it is like the average row, or 0 with ``"zero"``.
    attribute_weights
        One number >= 0 for each attribute, or a mapping from attribute to number (1 for the others).
    ties
        Exemplars at the same distance come by id. A tied vote goes to the class of the nearest voter among the tied
        (``"nearest"``), to the first class (``"first"``), or to the class that leads once the farthest voters have been
        dropped one by one (``"reduce"``). ``"majority"``: every exemplar as near as the last voter votes, too, and a
        tied vote goes to the class with more rows.
    categorical_features
        ``"from_dtype"``, None, or a mask, positions or names of the nominal columns, as in scikit-learn; text,
        objects and booleans are nominal too.
    schema
        Kinds declared by hand: a `Schema`, or a mapping from column to kind for some columns.
    n_jobs
        Threads that answer queries: None for all cores this process may use (at most ``OMP_NUM_THREADS``), -1 for all.

    Attributes
    ----------
    classes_
        The classes in ascending order.
    exemplars_
        The stored rows with their records, as a frame.
    ids_, n_samples_fit_, schema_, n_features_in_, feature_names_in_
        The stored rows and what their columns mean.

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
    >>> model.value_differences(0)
    differences between values of 0
            red  blue
      red     0   1.5
      blue  1.5     0
    >>> model.suspects(2)
    id  class   used  correct  weight  nearest     distance  x0   x1
     5  violet     2        1       2  1 (rose)           0  red  M
     1  rose       3        2     1.5  5 (violet)         0  red  M
    """

    _memory: ExemplarMemory
    _labelling: Labelling
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": _COUNT,
        "exponent": _POWER,
        "power": _POWER,
        "weighting": [None, StrOptions({"one_pass", "multi_pass"})],
        "passes": _COUNT,
        "inherit": ["boolean"],
        "bins": [None, Interval(Integral, 1, 1_000_000, closed="both")],
        "unseen": [StrOptions({"maximal", "prior", "zero"})],
        "ties": [StrOptions({"nearest", "first", "majority", "reduce"})],
    }

    def __init__(
        self,
        n_neighbors: int = 1,
        *,
        exponent: float = 1.0,
        power: float = 2.0,
        weighting: WeightingName | None = "multi_pass",
        passes: int = 1,
        inherit: bool = True,
        bins: int | None = None,
        unseen: Unseen = "maximal",
        attribute_weights: AttributeWeights = None,
        ties: Ties = "nearest",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.exponent = exponent
        self.power = power
        self.weighting = weighting
        self.passes = passes
        self.inherit = inherit
        self.bins = bins
        self.unseen = unseen
        self.attribute_weights = attribute_weights
        self.ties = ties
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        return tags

    # -- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Store the rows, in place of any stored before, and settle their records.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans.
        """
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Store more rows. A call that fails leaves everything as it was.

        Records are settled anew, from the first row on, when the next question is asked.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes
            Classes that stay in ``classes_`` even when no row has them; may be left out. Once given, ``y`` may hold no
            others, and neither may the rows stored before.
        """
        return self._partial_fit(X, y, None, classes)

    # -- answers

    @property
    @reads
    def classes_(self) -> AnyArray:
        """The classes in ascending order."""
        return self._classes().labels

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class that the nearest exemplars vote for."""
        cells = self._cells(X)
        chosen = [self._decided(poll) for poll in self._polls(cells)]
        labels: AnyArray = self._classes().labels[np.concatenate(chosen)]
        return labels

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Share of the votes of each class in ``classes_``."""
        cells, classes = self._cells(X), self._classes()
        polls = self._polls(cells)
        return np.concatenate([probabilities(poll, classes) for poll in polls])

    @reads
    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[FloatArray, IdArray] | IdArray:
        """``w_X Delta`` and ids of the nearest exemplars of each query, shape (queries, n_neighbors).

        Parameters
        ----------
        X
            Queries; None for the exemplars themselves, none of which is then its own neighbour.
        n_neighbors
            How many; None for the ``n_neighbors`` of the estimator.
        return_distance
            Whether to return distances too.
        """
        memory = self._answering()
        own = None if X is not None else np.arange(len(memory))
        cells = memory.symbols.instances.cells() if X is None else self._cells(X)
        k = self._how_many(n_neighbors, own=own is not None)
        ranked = memory.search(cells, k, exclude=own, threads=self._threads())
        ids = memory.ids[ranked.rows].reshape(-1, k)
        return (ranked.distances.reshape(-1, k), ids) if return_distance else ids

    @reads
    def precedents(self, X: Any, n_neighbors: int | None = None) -> Precedents:
        """The exemplars that vote on each query, and the contribution of each attribute to their distances.

        Parameters
        ----------
        X
            Queries.
        n_neighbors
            Answer from this many exemplars instead of the ``n_neighbors`` of the estimator.
        """
        return _precedents(self, X, n_neighbors)

    # -- what was learned

    @property
    @reads
    def exemplars_(self) -> Any:
        """The stored rows with their records: ``id``, ``class``, ``used``, ``correct``, ``weight``, and the attributes.

        A frame of the library that the estimator was fitted with; after a fit on arrays of the one installed. One
        line for each row, by id; `suspects` sorts them by weight.
        """
        memory = self._answering()
        used, correct = memory.records
        columns = {
            "id": memory.ids,
            "class": self._class_of(np.arange(len(memory))),
            "used": used,
            "correct": correct,
            "weight": memory.weights,
        }
        rows = memory.instances.decode(np.arange(len(memory)))
        return framed(by_attribute(columns, attribute_names(memory.instances.schema), rows, {}), self._backend)

    @reads
    def suspects(self, n: int | None = 10) -> Exemplars:
        """The least reliable exemplars, the worst first: exceptions, and candidates for a wrong label.

        Sorted by weight, then by how often they were used, then by id. An exemplar whose nearest other one is of
        another class is the more suspicious. One that inherited its record (``weighting="one_pass"``) may only have a
        suspicious neighbour.

        Parameters
        ----------
        n
            How many; None for all exemplars.
        """
        memory = self._answering()
        check_value("n", n, [None, *_COUNT])
        most = len(memory) if n is None else int(n)
        self._how_many(1, own=True)
        used, correct = memory.records
        worst = np.lexsort((-used, -memory.weights))[:most]
        ranked = memory.search(memory.symbols.instances.cells(worst), 1, exclude=worst, threads=self._threads())
        return Exemplars(
            names=attribute_names(memory.instances.schema),
            ids=memory.ids[worst],
            rows=memory.instances.decode(worst),
            classes=self._class_of(worst),
            used=used[worst],
            correct=correct[worst],
            nearest=memory.ids[ranked.rows],
            nearest_classes=self._class_of(ranked.rows),
            distances=ranked.distances,
            backend=self._backend,
        )

    @reads
    def value_differences(self, attribute: Name) -> ValueDifferences:
        """The table of ``delta`` between the symbols of an attribute that stored rows hold.

        Parameters
        ----------
        attribute
            Its name, or its position.
        """
        memory = self._answering()
        schema = memory.instances.schema
        a = schema.position(attribute, parameter="attribute")
        names, matrix = memory.differences(a)
        return ValueDifferences(schema.label(a), names, matrix, self._backend)

    # -- inside

    def _stored(self) -> ExemplarMemory:
        return cast(ExemplarMemory, super()._stored())

    def _answering(self) -> ExemplarMemory:
        return cast(ExemplarMemory, super()._answering())

    def _cells(self, X: Any) -> FloatArray:
        """Queries as cells of symbols."""
        return self._answering().symbols.read(self._table(X))

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.cached("classes", lambda: self._labelling.classes(memory.instances)[0])

    def _class_of(self, rows: IntArray) -> AnyArray:
        """Classes of stored rows, by position."""
        classes = self._classes()
        return classes.labels[classes.codes[rows]]

    def _how_many(self, n_neighbors: int | None, *, own: bool = False) -> int:
        """How many neighbours to search; with ``own`` beside the exemplar itself."""
        stored = len(self._stored())
        if n_neighbors is not None:
            check_value("n_neighbors", n_neighbors, _COUNT)
        k = self._k if n_neighbors is None else int(n_neighbors)
        if k > stored - own:
            raise TooFewRowsError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {stored}. Ask for fewer neighbours, or store more rows."
            )
        return k

    def _polls(self, cells: FloatArray, n_neighbors: int | None = None) -> Iterator[Poll]:
        """Polls among the nearest exemplars of each query, block by block so that memory stays bounded."""
        memory, threads, k = self._stored(), self._threads(), self._how_many(n_neighbors)
        most = max(1, ENTRIES // max(k, self._classes().labels.size))
        start, size = 0, min(_FIRST_BLOCK * threads, most)
        while start < len(cells):
            ranked = memory.search(cells[start : start + size], k, ties=self._rules.whole_ties, threads=threads)
            yield self._rules.poll(ranked, k, start)
            start += len(ranked)
            size = max(1, min(most, ENTRIES * len(ranked) // ranked.rows.size))

    def _decided(self, poll: Poll) -> IntArray:
        """The winning class of each query, as a position in ``classes_``."""
        return decide(poll, self._rules.ties, [self._classes()], [None])[:, 0]

    def _answer(self, poll: Poll) -> Answer:
        classes, chosen = self._classes(), self._decided(poll)
        return Answer.of(poll, classes.labels[chosen], probabilities(poll, classes), chosen[:, None])

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        earlier, instances = (None, None) if first else (self._labelling, self._stored().instances)
        self._labelling, targets, labels = learned_labels(y, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError(f"y has {labels.shape[1]} columns; expected one class for each row")
        return targets, labels

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        if self.weighting != "multi_pass" and self.passes != 1:
            raise ParameterError(f"passes must be 1 unless weighting='multi_pass', got {self.passes}")
        if self.weighting != "one_pass" and not self.inherit:
            raise ParameterError("inherit must be True unless weighting='one_pass', where exemplars come one by one")
        self._k = int(self.n_neighbors)
        self._distance = mvdm(as_python(self.exponent), as_python(self.power), unseen=self.unseen)
        self._rules = Rules(UniformVote(), self.ties)

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ExemplarMemory:
        return ExemplarMemory(
            Instances(schema, targets),
            distance=self._distance,
            weighting=Weighting(self.weighting, int(self.passes), bool(self.inherit)),
            bins=None if self.bins is None else int(self.bins),
            attribute_weights=_attribute_weights(self.attribute_weights, schema),
        )

    def _check_rows(self) -> None:
        memory = self._memory
        most_used = 1 + memory.weighting.passes * len(memory)
        with np.errstate(over="ignore"):
            farthest = np.float64(_LARGEST_DIFFERENCE) ** memory.distance.power
            farthest *= memory.attribute_weights.sum() * most_used
        if not math.isfinite(farthest):
            raise ParameterError(
                f"power={memory.distance.power} is so large that distances may be infinite: 2 ** power, times the sum "
                "of the attribute weights, must be within float64. 2 and 1 are the usual powers."
            )

    def _finish_fit(self) -> None:
        _ = self._memory.exemplars  # otherwise computed for the first query


def _attribute_weights(value: Any, schema: Schema) -> FloatArray:
    """One weight for each attribute, in schema order; a mapping names those whose weight is not 1."""
    if value is None:
        return np.ones(len(schema))
    given = value
    if isinstance(value, Mapping):
        positions = schema.positions(value, parameter="attribute_weights")
        of = dict(zip(positions, value.values(), strict=True))
        given = [of.get(a, 1.0) for a in range(len(schema))]
    weights = None if isinstance(given, str) else as_floats(given)
    if weights is None or weights.shape != (len(schema),) or not np.isfinite(weights).all() or (weights < 0).any():
        weights = None
    if weights is None or not weights.any():
        raise ParameterError(
            f"attribute_weights must be None, {len(schema)} finite numbers >= 0, not all 0, or a mapping from "
            f"attribute to number, got {quoted(value)}"
        )
    return weights


def _precedents(model: PEBLS, X: Any, n_neighbors: int | None) -> Precedents:
    """The exemplars that vote on each query, and the nearest one of another class."""
    memory, table, classes = model._answering(), model._table(X), model._classes()
    cells = memory.symbols.read(table)
    answers = [model._answer(poll) for poll in model._polls(cells, n_neighbors)]
    rows = np.concatenate([answer.voters.rows for answer in answers])
    indptr = np.concatenate(([0], np.cumsum(np.concatenate([answer.voters.lengths for answer in answers]))))
    predicted = np.concatenate([answer.codes[:, 0] for answer in answers if answer.codes is not None])
    voters = [rows[indptr[q] : indptr[q + 1]] for q in range(len(cells))]
    return Precedents(
        names=attribute_names(memory.instances.schema),
        queries=decoded(table),
        predictions=np.concatenate([answer.predictions for answer in answers]),
        indptr=indptr,
        ids=memory.ids[rows],
        rows=memory.instances.decode(rows),
        targets=classes.labels[classes.codes[rows]],
        distances=np.concatenate([answer.voters.distances for answer in answers]),
        votes=np.concatenate([answer.votes for answer in answers]),
        contributions=np.concatenate([memory.contributions(cells[q], of) for q, of in enumerate(voters)]),
        unlike=_unlike_cases(memory, cells, classes, predicted, model._threads()),
        probabilities=np.concatenate([answer.probabilities for answer in answers if answer.probabilities is not None]),
        classes=classes.labels,
        backend=model._backend,
    )


def _unlike_cases(
    memory: ExemplarMemory, cells: FloatArray, classes: Classes, predicted: IntArray, threads: int
) -> tuple[Case | None, ...]:
    """For each query the nearest exemplar of another class than the predicted one; None where there is none."""
    found: list[Case | None] = [None] * len(cells)
    left, k = np.arange(len(cells)), min(_UNLIKE, len(memory))
    while left.size:
        ranked = memory.search(cells[left], k, threads=threads)
        of = np.repeat(left, np.diff(ranked.indptr))
        entries = np.flatnonzero(classes.codes[ranked.rows] != predicted[of])
        queries, first = np.unique(of[entries], return_index=True)
        for query, entry in zip(queries.tolist(), entries[first].tolist(), strict=True):
            row = ranked.rows[entry : entry + 1]
            found[query] = Case(
                id=int(memory.ids[row[0]]),
                row=memory.instances.decode(row)[0],
                target=classes.labels[classes.codes[row]].tolist()[0],
                distance=float(ranked.distances[entry]),
                contributions=memory.contributions(cells[query], row)[0],
            )
        if k == len(memory):
            break
        left, k = np.array([q for q in left.tolist() if found[q] is None]), min(_GROWTH * k, len(memory))
    return tuple(found)
