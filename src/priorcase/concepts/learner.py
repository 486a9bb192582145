"""What IB1 to IB5 share: rows learned one by one and forgotten, classes, precedents, records and history."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from numbers import Integral
from typing import Any, ClassVar, Concatenate, Literal, ParamSpec, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import check_parameters, is_whole
from priorcase._typing import AnyArray, BoolArray, FloatArray, IdArray
from priorcase._validation import record_features
from priorcase.concepts import classification, replay
from priorcase.concepts.classification import Queries
from priorcase.concepts.description import Rules
from priorcase.concepts.history import LearningHistory, concept_frame
from priorcase.concepts.memory import ColumnKinds, ConceptMemory, Design, History, learn, union
from priorcase.concepts.targets import Targets, read_targets, read_truth
from priorcase.exceptions import NotAvailableError, ParameterError, SchemaMismatchError, TargetError, TooFewRowsError
from priorcase.instances import Instances
from priorcase.learning import state
from priorcase.learning.estimator import RowsEstimator, SchemaLike
from priorcase.learning.frames import backend_of
from priorcase.learning.state import changes
from priorcase.neighbors.base import check_tabled, with_tabled_values
from priorcase.neighbors.precedents import Precedents
from priorcase.schema import CategoricalFeatures, Schema, Table
from priorcase.similarity import Distance, ib, resolve

P = ParamSpec("P")
R = TypeVar("R")

Ties: TypeAlias = Literal["majority", "first", "random"]
"""Which of several equally near instances classify."""


def reads(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """A public method that sees one state of its learner.

    Unlike other estimators it waits for changes: they change compiled descriptions in place.
    """
    pinned = state.reads(method)

    @wraps(method)
    def inner(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        lock = self.__dict__.get("_lock")
        if lock is None:  # never fitted
            return pinned(self, *args, **kwargs)
        with lock:
            return pinned(self, *args, **kwargs)

    return inner


class ConceptLearner(ClassifierMixin, RowsEstimator):
    """Base of the learners that choose what to remember.

    Aha's three parts: similarity is in `description.Comparison`, classification in ``classification.py``, and
    the update of the description in ``description.py``, which hands it to the compiled core.
    """

    _memory: ConceptMemory
    _design: Design
    _keep: ClassVar[str]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ties": [StrOptions({"majority", "first", "random"})],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
        "history": ["boolean", StrOptions({"replay"})],
        "per_class": ["boolean"],
        "window": [None, Interval(Integral, 1, 2**63 - 1, closed="both")],
        "n_jobs": [None, Interval(Integral, None, -1, closed="right"), Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        ties: Ties = "majority",
        shuffle: bool = False,
        random_state: Any = None,
        history: History = False,
        per_class: bool = False,
        window: int | None = None,
        distance: str | Distance = "ib",
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ties = ties
        self.shuffle = shuffle
        self.random_state = random_state
        self.history = history
        self.per_class = per_class
        self.window = window
        self.distance = distance
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    # -- learning

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rows in one pass, in place of any learned before.

        Parameters
        ----------
        X
            A pandas, Polars or PyArrow frame, a NumPy array, or a list of rows.
        y
            One class for each row: text, whole numbers or booleans. With a description for each class also a column
            of 0 and 1 for each class (multi-label), or a single one for a single class.
        """
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn more rows, one by one in their order. A call that fails or is interrupted changes nothing.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes
            All classes there can be; they are in ``classes_`` from now on, and others are refused. May be left out:
            classes are then learned as they come.
        """
        return self._partial_fit(X, y, None, classes)

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows, exactly as if they had never been seen.

        `IB1` stores every row and so can forget any (but with a ``window``). What the others keep depends on rows
        that are gone; with ``history="replay"`` they learn the rows that are left again, in the same order and with
        the same random numbers.

        Parameters
        ----------
        ids
            Ids of rows: their positions in the stream, from 0. An unknown or repeated id is an error, and nothing is
            forgotten.
        """
        self._memory = replay.forget(self._stored(), ids, threads=self._threads())
        record_features(self, self._memory.instances.schema)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any, classes: Any, method: str) -> None:
        first = "_memory" not in self.__dict__
        if first:
            self._check_parameters()
        table, columns = self._read_rows(X, first)
        seen, first_id = (None, 0) if first else (self._stored().seen, self._stored().instances.next_id)
        targets = read_targets(y, seen, classes, per_class=self._design.per_class, first_id=first_id)
        if len(targets) != len(table):
            raise TargetError(
                f"Found input variables with inconsistent numbers of samples: X has {len(table)} and y {len(targets)}."
            )
        if not self._design.growing:
            check_tabled(table, self._design.distance)
        if first:
            self._backend = backend_of(X)
            self._memory = self._new_memory(table.schema, targets.schema)
            record_features(self, table.schema)
        order = None
        if method == "fit" and self.shuffle:
            order = np.random.RandomState(self._design.rules.seed).permutation(len(table)).astype(np.int64)
        self._memory = self._learned(table, targets, order, columns)

    def _learned(
        self, table: Table, targets: Targets, order: IdArray | None, columns: ColumnKinds | None
    ) -> ConceptMemory:
        """The memory after rows that were read and checked."""
        return learn(self._stored(), table, targets, order, threads=self._threads(), columns=columns)

    def _read_rows(self, X: Any, first: bool) -> tuple[Table, ColumnKinds | None]:
        """Rows to learn, and the columns they came with, where attributes come and go."""
        if first:
            return self._training_table(X), None
        try:
            return self._table(X), None
        except SchemaMismatchError as error:
            if replay.brings_columns(self._stored().instances.schema, X):
                raise SchemaMismatchError(f"{error} IB5 learns columns that appear in mid-stream.") from None
            raise

    def _read_targets(self, y: Any, classes: Any, first: bool) -> None:
        raise NotImplementedError  # `_learn` reads them itself

    def _first_table(self, table: Table) -> Table:
        if self._design.growing:
            return table
        return with_tabled_values(table, self._design.distance, self.schema or ())

    def _new_memory(self, schema: Schema, targets: Schema | None) -> ConceptMemory:
        distance = self._design.distance
        if targets is not None and len(targets) > 1 and any(d.needs_classes for d in distance.differences(schema)):
            raise TargetError(
                f"y has several columns, but distance={distance!r} is learned from the classes of one. "
                "Fit one estimator for each column, or choose a distance without classes such as 'heom'."
            )
        return ConceptMemory(Instances(schema, targets), self._design)

    # -- parameters

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_parameters(self)
        distance, per_class, growing = self._similarity()
        seed = self.random_state
        rules = Rules(
            self._keep,
            self.ties,
            window=0 if self.window is None else int(self.window),
            seed=int(seed) if is_whole(seed) else int(check_random_state(seed).randint(2**31 - 1)),
            **self._rules(),
        )
        history = self.history if isinstance(self.history, str) else bool(self.history)
        self._design = Design(rules, distance, growing, per_class, history, self._declared())

    def _similarity(self) -> tuple[Distance, bool, bool]:
        """The distance, whether each class gets a description of its own, and whether ranges grow with the rows."""
        distance = resolve(self.distance)
        return distance, bool(self.per_class), distance == ib()

    def _rules(self) -> dict[str, Any]:
        """Rules of this learner alone; where records decide nothing they inform."""
        return {"z_accept": float(ndtri(0.9)), "z_drop": float(ndtri(0.875))}

    def _declared(self) -> Schema | None:
        """Attributes that are there from the start, where others may come up."""
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = False
        tags.classifier_tags.multi_label = getattr(self, "per_class", True) is True
        return tags

    # -- answers

    @reads
    def predict(self, X: Any) -> AnyArray:
        """The class of each query; with multi-label targets an indicator, shape (queries, classes).

        Without any stored instance the class seen most often.
        """
        queries = self._queries(self._table(X))
        seen = queries.seen
        if seen.indicator:
            return classification.claims(queries).claimed.astype(seen.batches[0][1])
        predicted: AnyArray = seen.classes[classification.classify(queries)]
        return predicted

    @reads
    def predict_proba(self, X: Any) -> FloatArray | list[FloatArray]:
        """The share of each class in ``classes_`` among the nearest instances of each query.

        There are several nearest only where they are equally near; with ``ties="first"`` one of them counts. With
        ``ties="majority"`` the largest share is that of the predicted class, of equal ones by a rounding error. Where
        each class has a description, all goes to the class that `predict` gives, or equal shares to the equally near
        ones. With multi-label targets a list with an array for each class, as in scikit-learn: the shares of
        non-members and of members among the nearest in its description.
        """
        queries = self._queries(self._table(X))
        if queries.seen.indicator:
            shares = classification.claims(queries).share.T
            return [np.stack([1.0 - share, share], axis=1) for share in shares]
        return classification.class_shares(queries)

    @reads
    def precedents(self, X: Any) -> Precedents:
        """The stored instances behind each answer, and the contribution of each attribute to their distances.

        There are several only where they are equally near. Where each class has a description, they are those of the
        predicted class. Also the nearest unlike case: the nearest of another class, or outside the predicted one. Not
        for multi-label targets, which have an answer for each class.

        Parameters
        ----------
        X
            Queries.
        """
        if self._stored().classes().indicator:
            raise TargetError(
                "precedents are those of one class, but with multi-label targets each class has an answer. "
                "Fit a model for the class in question, or use claims and predict_proba."
            )
        table = self._table(X)
        return classification.precedents(self._queries(table), table, self._backend)

    @reads
    def claims(self, X: Any) -> BoolArray:
        """Which descriptions claim each query for their class, shape (queries, classes): several may, or none.

        Needs a description for each class.
        """
        if not self._stored().design.per_class:
            raise ParameterError("all classes share one description. Choose per_class=True, or use predict.")
        return classification.claims(self._queries(self._table(X))).claimed

    @reads
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of queries whose class is predicted; with multi-label targets those of which all classes are.

        Parameters
        ----------
        X
            Queries.
        y
            Their classes, as in `fit`; columns of a frame are matched by name.
        sample_weight
            Weight of each query; None for equal weights.
        """
        seen = self._stored().classes()
        return float(super().score(X, read_truth(y, seen) if seen.indicator else y, sample_weight))

    # -- what was learned

    @property
    @reads
    def ids_(self) -> IdArray:
        """Ids of the stored rows, ascending: their positions in the stream."""
        return self._stored().ids

    @property
    @reads
    def classes_(self) -> AnyArray:
        """All classes seen or declared, ascending; the columns of an indicator in their own order."""
        return self._stored().classes().classes

    @property
    @reads
    def concept_(self) -> Any:
        """The stored instances with their records, a line for each; for each class and instance with per-class ones.

        Columns: ``id``, ``concept`` where each class has a description, ``class``, the attributes by name,
        ``successes`` and ``trials`` (whole numbers, but with a ``decay``), ``accuracy_low`` and ``accuracy_high``
        (Wilson bounds of the accuracy), ``frequency_low`` and ``frequency_high`` (the same of the frequency of the
        class), ``class_count``, ``verdict``, ``arrived`` (position in the stream, from 1) and ``reason``. Lower bounds
        of accuracy and upper ones of frequency are those at which instances are accepted, the others those at which
        they are dropped: an instance is acceptable where ``accuracy_low > frequency_high`` and poor where
        ``accuracy_high < frequency_low``. An attribute called like another column becomes ``NAME (value)``. A frame of
        the library that the learner was fitted with; after a fit on arrays of the one installed.
        """
        return concept_frame(self._refreshed(), self._backend)

    @property
    @reads
    def storage_(self) -> float:
        """Share of the instances seen that are kept as the paper counts them: where records decide, acceptable ones."""
        return self._kept().size / self._answering().n_seen

    @property
    @reads
    def stored_(self) -> int:
        """Number of stored instances."""
        return int(self._stored().ids.size)

    @property
    @reads
    def dropped_(self) -> int:
        """Number of instances dropped by their records, or that left the window; of each class on its own."""
        return sum(one.core.n_dropped for one in self._answering().learned().named())

    @property
    @reads
    def n_seen_(self) -> int:
        """Number of instances learned and not forgotten."""
        return self._stored().n_seen

    @property
    @reads
    def n_samples_fit_(self) -> int:
        """Number of stored rows."""
        return int(self._stored().ids.size)

    @property
    @reads
    def history_(self) -> LearningHistory:
        """What each instance did to the description; only with ``history=True`` or ``"replay"``."""
        if not self._stored().design.history:
            raise NotAvailableError("history_ needs history=True or history='replay' before the first row")
        return LearningHistory.of(self._refreshed(), self._backend)

    @reads
    def digest(self) -> str:
        """A fingerprint of the stored rows, and of records, counts and ranges where the rows do not determine them.

        Equal learners have equal digests: those that learned the same rows in the same order, by whatever calls.
        """
        return self._stored().digest()

    # -- inside

    @reads
    def __getstate__(self) -> dict[str, Any]:
        if "_memory" in self.__dict__:
            self._stored()
        return super().__getstate__()

    def _stored(self) -> ConceptMemory:
        memory = cast(ConceptMemory, super()._stored())
        if memory.outdated:  # an interrupt came between a change of the descriptions and that of the estimator
            with self.__dict__["_lock"]:
                memory = self._memory = memory.current()
        return memory

    def _answering(self) -> ConceptMemory:
        memory = self._stored()
        if not memory.n_seen:
            raise TooFewRowsError("every row was forgotten. Add rows with partial_fit, or fit again.")
        return memory

    def _refreshed(self) -> ConceptMemory:
        """The memory, with records and traces of the rows that are left."""
        memory = self._memory = replay.refreshed(self._answering(), threads=self._threads())
        return memory

    def _queries(self, table: Table) -> Queries:
        """Queries as the descriptions compare them."""
        memory = self._answering()
        assert memory.comparison is not None  # there has been a row
        cells = memory.comparison.prepared(memory.instances.encode(table), memory.instances)
        memory.check_ranges(cells)
        return Queries(cells, memory.learned(), memory.instances, memory.classes(), self._threads())

    def _kept(self) -> IdArray:
        """Ids of the instances that are kept as the paper counts them."""
        return union(one.kept() for one in self._stored().learned().named())

    @reads
    def _sample_indices(self) -> IdArray:
        """Positions of the rows to keep, ascending: those that classify, or all stored where none is acceptable."""
        kept = self._kept()
        return kept if kept.size else self._stored().ids
