"""Attribute selection by leave-one-out as a scikit-learn selector, and the history of the selection."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, astuple, dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from priorcase import saving
from priorcase._numbers import equal_decimals
from priorcase._parameters import check_parameters, check_seed, check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, Name
from priorcase.exceptions import ParameterError, SchemaMismatchError, prefix_errors
from priorcase.instances import Instances
from priorcase.learning.diagram import html_inner, mimebundle
from priorcase.learning.estimator import EstimatorMeta, read_queries, record_features, thread_count
from priorcase.learning.plotting import captions, color, drawing
from priorcase.learning.resampling import bar
from priorcase.learning.results import Grid, GridResult, attribute_names, framed, short
from priorcase.learning.state import changes, reads
from priorcase.learning.targets import as_array, has_fractions, objects
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.schema import Schema
from priorcase.schema.schema import backend_of
from priorcase.selection.leave_one_out import LeaveOneOutLosses, Scoring, Trials
from priorcase.selection.search import Race, Step, greedy, schemata

Search: TypeAlias = Literal["forward", "backward", "race", "brace", "schemata"]
Direction: TypeAlias = Literal["forward", "backward"]

# Minimum number of losses per step for showing a progress bar.
_MANY_LOSSES = 50_000
_CHANGE_WIDTH = 32


@dataclass(frozen=True, repr=False, eq=False)
class SelectionHistory(GridResult):
    """Steps of an attribute selection by `AttributeSelector`, printed as a table."""

    steps: tuple[Step, ...]  # the decisions in order; see `frame`
    names: tuple[Name, ...]  # names of the attributes of the table
    search: str
    scoring: Scoring
    unit: float  # factor that converts a loss to a score
    backend: Backend | None = None  # data frame library of the table

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def n_evaluations(self) -> int:
        """Number of left-out rows predicted."""
        return sum(step.evaluations for step in self.steps)

    @property
    def n_exhaustive(self) -> int:
        """Number of left-out rows that full leave-one-out would have to predict for the compared subsets."""
        return sum(step.exhaustive for step in self.steps)

    @property
    def scores(self) -> FloatArray:
        """Mean leave-one-out score of the option chosen in each step, on the rows evaluated in the step."""
        losses = np.array([step.loss for step in self.steps])
        return 1.0 - losses if self.scoring == "accuracy" else losses * self.unit

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per step.

        Columns: ``step``; ``attribute`` (None if the step ended the search); ``kept`` (whether the attribute was
        selected); ``n_attributes`` (number selected so far); the score, named like ``scoring``; ``rows`` (number of
        rows evaluated); ``compared`` (number of subsets compared); ``evaluations`` (number of left-out rows predicted);
        ``exhaustive`` (number of left-out rows that full leave-one-out would predict for the compared subsets).
        ``backend``: see `Precedents.frame`.
        """
        attributes = [None if step.attribute is None else self.names[step.attribute] for step in self.steps]
        columns = {"step": np.arange(1, len(self) + 1), "attribute": objects(attributes)}
        columns["kept"] = np.array([step.kept for step in self.steps])
        columns["n_attributes"] = np.array([len(step.subset) for step in self.steps])
        columns[self.scoring] = self.scores
        for name in ("points", "compared", "evaluations", "exhaustive"):
            columns["rows" if name == "points" else name] = np.array([getattr(step, name) for step in self.steps])
        return framed(columns, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the score of each step; return the axes."""
        with drawing(ax, size=(max(6.0, 1.5 + 0.32 * len(self)), 4.0)) as ax:
            places = np.arange(1, len(self) + 1)
            ax.plot(places, self.scores, color=color(0), marker="o")
            labels = captions([self._change(step) for step in self.steps])
            ax.set_xticks(places, labels, rotation=45, ha="right", rotation_mode="anchor")
            ax.set(ylabel=f"leave-one-out {self.scoring.replace('_', ' ')}", title=self._title())
            ax.grid(False, axis="x")
            return ax

    def _title(self) -> str:
        done, full = self.n_evaluations, self.n_exhaustive
        of = f"{done:,} evaluations" if done == full else f"{done:,} of {full:,} evaluations ({done / full:.0%})"
        return f"{self.search} selection by leave-one-out: {of}"

    def _grid(self) -> Grid:
        header = ["step", "change", "attributes", self.scoring, "rows", "compared", "evaluations"]
        lines = []
        for place, (step, score) in enumerate(zip(self.steps, equal_decimals(self.scores, 5), strict=True), 1):
            counts = [f"{step.points:,}", f"{step.compared:,}", f"{step.evaluations:,}"]
            lines.append([str(place), short(self._change(step), _CHANGE_WIDTH), str(len(step.subset)), score, *counts])
        return Grid(self._title(), header, lines, right={0, 2, 3, 4, 5, 6})

    def _change(self, step: Step) -> str:
        return "stop" if step.attribute is None else f"{'+' if step.kept else '-'} {self.names[step.attribute]}"


@dataclass(eq=False, repr=False)
class AttributeSelector(SelectorMixin, BaseEstimator, metaclass=EstimatorMeta):
    """Select attributes for nearest-neighbor prediction by leave-one-out.

    A subset is scored by the mean leave-one-out loss of the estimator with these attributes only. ``"forward"`` adds
    the attribute that lowers the loss most; ``"backward"`` removes the least useful attribute. The racing searches of
    Moore & Lee (1994) evaluate subsets on rows in random order until the winner is clear. ``"race"`` drops a subset
    that is unlikely to beat the leader by more than ``gamma``. ``"brace"`` uses paired differences, which usually needs
    fewer rows. ``"schemata"`` runs a race for each attribute, between subsets with and without the attribute, and can
    find attributes that matter only together.

    Parameters
    ----------
    estimator
        A `KNNClassifier` or `KNNRegressor`, which is cloned; ``n_neighbors="loo"`` is not supported. None:
        `KNNRegressor` if ``y`` contains numbers with fractions, otherwise `KNNClassifier`.
    search, direction
        Search method, see above. Direction of ``"race"`` and ``"brace"``: ``"forward"`` (default) or ``"backward"``.
    n_features
        Number of attributes to select; None stops when the score no longer improves. Must be None for ``"schemata"``.
    scoring
        ``"accuracy"`` (default), ``"brier"`` or ``"log_score"`` (needs a ``prior``) for classes; ``"squared_error"``
        (default) or ``"absolute_error"`` for numbers.
    gamma
        Indifference threshold: differences in mean loss up to ``gamma`` are ignored. For numeric targets, ``gamma`` is
        relative to the loss of the best constant prediction.
    delta
        Maximum probability of a wrong decision in a race; this probability is divided among all comparisons.
    min_points
        Number of rows that are evaluated before a subset can be dropped.
    random_state, n_jobs
        Seed for the order of the rows and the random subsets of ``"schemata"``. Number of threads, for speed only.

    Attributes
    ----------
    support_, history_
        Mask of the selected attributes (at least one), and the steps of the search as a `SelectionHistory`.
    n_evaluations_, n_exhaustive_
        Number of left-out rows predicted, and the number that full leave-one-out would have to predict.

    Notes
    -----
    The score of the selected subset is optimistic: put the selector into a pipeline and cross-validate the pipeline.
    The statistics of the distance include the left-out rows.

    References
    ----------
    A. W. Moore & M. S. Lee, *Efficient algorithms for minimizing cross validation error*, ICML 1994. O. Maron & A. W.
    Moore, *Hoeffding races*, NIPS 6, 1994.

    Examples
    --------
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((400, 6))
    >>> y = (X[:, 1] > X[:, 4]).astype(int)
    >>> pc.AttributeSelector(search="brace").fit(X, y).get_feature_names_out()
    array(['x1', 'x4'], dtype=object)
    """

    estimator: KNNClassifier | KNNRegressor | None = None
    _: KW_ONLY
    search: Search = "forward"
    direction: Direction | None = None
    n_features: int | None = None
    scoring: Scoring | None = None
    gamma: float = 0.01
    delta: float = 0.05
    min_points: int = 30
    random_state: int | np.random.RandomState | None = 0
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [KNNClassifier, KNNRegressor, None],
        "search": [StrOptions({"forward", "backward", "race", "brace", "schemata"})],
        "direction": [StrOptions({"forward", "backward"}), None],
        "n_features": [Interval(Integral, 1, None, closed="left"), None],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "delta": [Interval(Real, 0, 0.5, closed="neither")],
        "min_points": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
    }

    @changes
    def fit(self, X: Any, y: Any) -> Self:
        """Select attributes of the table ``X``; ``y`` contains one or more columns of classes or numbers."""
        check_parameters(self)
        threads = thread_count(self.n_jobs)
        estimator = self.estimator
        if estimator is None:
            estimator = KNNRegressor() if has_fractions(as_array(y)) else KNNClassifier()
        scoring = self._check_combination(estimator)
        model = clone(estimator).fit(X, y)
        schema = model.schema_
        if self.n_features is not None and self.n_features > len(schema):
            raise ParameterError(
                f"n_features must be at most {len(schema)}, the number of columns, got {self.n_features}"
            )
        rows = LeaveOneOutLosses.of(model, scoring, threads)
        steps = self._search(rows, len(schema))
        names = attribute_names(schema)
        self._settle(schema, SelectionHistory(steps, names, self.search, scoring, rows.unit, backend_of(X)))
        return self

    @prefix_errors
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Save the selector to a file that `priorcase.load` can read; return the path."""
        return saving.save(self, path)

    @reads
    def _saved_state(self) -> dict[str, Any] | None:
        if "_schema" not in self.__dict__:
            return None
        history = self.history_
        state = {name: getattr(history, name) for name in ("search", "scoring", "unit", "backend")}
        output = self.__dict__.get("_sklearn_output_config", {})
        return state | {"schema": self._schema, "steps": [astuple(step) for step in history.steps], "output": output}

    def _restore_state(self, state: dict[str, Any]) -> None:
        schema, n = saving.checked_schema(state["schema"]), len(state["schema"])
        steps = tuple(Step(*told) for told in state["steps"])
        for step in steps:
            numbers = (step.loss, step.points, step.compared, step.evaluations, step.exhaustive)
            if not all(type(each) in (int, float) and 0 <= each < np.inf for each in numbers) or not step.subset:
                raise ValueError("an invalid step")
            if not {*step.subset} | ({step.attribute} - {None}) <= {*range(n)}:
                raise ValueError("a step with a column that does not exist")
        names = ("search", "scoring", "backend")
        search, scoring, backend = (state[name] for name in names)
        if scoring not in get_args(Scoring) or search not in get_args(Search) or not np.isfinite(state["unit"]):
            raise ValueError("an invalid selection")
        if backend not in (None, *get_args(Backend)):
            raise ValueError("an unknown data frame library")
        self._settle(schema, SelectionHistory(steps, attribute_names(schema), search, scoring, state["unit"], backend))
        if state["output"]:
            self.set_output(transform=state["output"]["transform"])

    def _settle(self, schema: Schema, history: SelectionHistory) -> None:
        """Store the columns selected by a search."""
        self._schema, self.history_, steps = schema, history, history.steps
        self.support_ = np.zeros(len(schema), dtype=bool)
        self.support_[list(steps[-1].subset) if steps else slice(None)] = True
        self.n_evaluations_, self.n_exhaustive_ = history.n_evaluations, history.n_exhaustive
        record_features(self, schema)

    @reads
    def transform(self, X: Any) -> Any:
        """Return the selected columns.

        The result is a data frame of the same library if ``X`` is a data frame, otherwise an array; see ``set_output``.
        """
        check_is_fitted(self)
        read_queries(X, Instances(self._schema))  # raises an error for other columns and for tables without rows
        library = _get_output_config("transform", estimator=self)["dense"]
        return _columns(X, self._schema, self.get_support(indices=True).tolist(), library)

    @reads
    def inverse_transform(self, X: Any) -> AnyArray:
        """Return an array with the selected columns in their original positions, and NaN or None in other columns."""
        check_is_fitted(self)
        array, n_selected = np.asarray(X), int(self.support_.sum())
        width = array.shape[1] if array.ndim == 2 else 0
        if width != n_selected:
            raise SchemaMismatchError(f"X has {width} features, but it is expecting {n_selected} features as input.")
        shape = (len(array), self.support_.size)
        result = np.full(shape, np.nan) if array.dtype.kind in "fiu" else np.full(shape, None, dtype=object)
        result[:, self.support_] = array
        return result

    _repr_html_inner, _repr_mimebundle_ = html_inner, mimebundle

    def _diagram_rows(self) -> Instances | None:
        return Instances(self._schema) if "_schema" in self.__dict__ else None

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_.copy()

    def _check_combination(self, estimator: KNNClassifier | KNNRegressor) -> Scoring:
        """Raise an error for incompatible parameters; return the name of the score to use."""
        search = self.search
        if self.direction is not None and search not in ("race", "brace"):
            raise ParameterError(f"direction must be None with search={search!r}, got {self.direction!r}")
        if self.n_features is not None and search == "schemata":
            raise ParameterError(f"n_features must be None with search='schemata', got {self.n_features}")
        if search in ("forward", "backward") and (self.delta, self.min_points) != (0.05, 30):
            raise ParameterError(f"delta and min_points have no effect with search={search!r}; omit them")
        if estimator.n_neighbors == "loo":
            raise ParameterError(
                "n_neighbors of estimator must be a number, 'sqrt' or 'all', got 'loo'; select the attributes first "
                "and n_neighbors afterwards, or vice versa"
            )
        if isinstance(estimator, KNNRegressor):
            check_value("scoring", self.scoring, [StrOptions({"squared_error", "absolute_error"}), None])
            return self.scoring or "squared_error"
        check_value("scoring", self.scoring, [StrOptions({"accuracy", "brier", "log_score"}), None])
        if self.scoring == "log_score" and estimator.prior is None:
            raise ParameterError(
                "scoring='log_score' is infinite if a class has no vote; give the estimator a prior, such as "
                "KNNClassifier(prior=1.0), or use 'accuracy' or 'brier'"
            )
        return self.scoring or "accuracy"

    def _search(self, rows: LeaveOneOutLosses, width: int) -> tuple[Step, ...]:
        """Run the search, with a progress bar for large tables; return the steps of the search."""
        n, search, rng = len(rows), self.search, np.random.default_rng(check_seed(self.random_state))
        full = search in ("forward", "backward")
        rule = Race(search == "brace", self.delta, self.gamma, n if full else self.min_points)
        order = np.arange(n) if full else rng.permutation(n)
        most = width if search == "schemata" else width * (width + 1) // 2
        with bar(most, shown=n * width >= _MANY_LOSSES, text=search) as advance:

            def progress(decided: int) -> None:
                for _ in range(decided):
                    advance(search)

            if search == "schemata":
                return tuple(schemata(rows, order, width, rule, rng, progress))
            backward = "backward" in (search, self.direction)
            return tuple(greedy(Trials(rows, order), width, rule, self.n_features, progress, backward=backward))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _columns(table: Any, schema: Schema, positions: list[int], library: str) -> Any:
    """Return columns in the format of ``table``, except that data frames can be converted to another ``library``."""
    if isinstance(table, Sequence):
        rows = np.array(table, dtype=object)[:, positions]
        plain = np.array(rows.tolist())
        return plain if plain.dtype.kind in "fiu" else rows
    if type(table).__name__ == "RecordBatch":  # of PyArrow; not supported by Narwhals
        batch = table.select([(schema.names or table.schema.names)[a] for a in positions])
        return batch.to_pandas() if library == "pandas" else batch
    if not nw.dependencies.is_into_dataframe(table):
        return np.asanyarray(table)[:, positions]
    frame = nw.from_native(table, eager_only=True)
    names: Any = schema.names or frame.columns
    chosen = frame.select([nw.col(names[a]) for a in positions])
    return {"pandas": chosen.to_pandas, "polars": chosen.to_polars}.get(library, chosen.to_native)()
