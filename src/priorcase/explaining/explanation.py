"""Explanations of predictions: contributions of columns, similar past cases, and counterfactuals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._numbers import decimals, share_text
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, BoolArray, FloatArray, Name, Value
from priorcase.exceptions import ParameterError, prefix_errors
from priorcase.explaining.contributions import column_shares
from priorcase.explaining.counterfactual import Counterfactuals, find
from priorcase.explaining.model import ExplainedModel
from priorcase.explaining.precedents import precedents_of
from priorcase.learning.plotting import INK, caption, captions, color, drawing, tint
from priorcase.learning.results import (
    Grid,
    PrintedPerQuery,
    Row,
    framed,
    short,
    value_text,
)
from priorcase.neighbors.precedents import Precedents, member_text
from priorcase.schema import Nominal

_QUERIES, _COLUMNS, _WIDTH, _CLASSES = 5, 15, 24, 4
_MISSING, _AVERAGE = "all columns missing", "mean over past cases"  # labels of the base


@dataclass(frozen=True, repr=False, eq=False)
class Explanations(PrintedPerQuery):
    """Explanations of a model's predictions; they print as tables, and can be indexed and sliced by query.

    Returned by `priorcase.explain`.

    Parameters
    ----------
    names, queries, predictions
        Names of the columns, values of the queries (None if missing), and predictions for the queries.
    scale
        Quantity that is explained, which is ``"log-odds"`` (of the predicted class against ``versus``),
        ``"probability"`` (of the predicted class) or ``"prediction"`` (the predicted number).
    base, contributions, total
        The explained quantity if no column is known; the contribution of each column, shape (queries, columns); and the
        explained quantity of each query, which equals ``base`` plus the contributions.
    errors
        Standard errors of the contributions; 0 if the contributions are exact. ``total`` is always exact.
    averaged
        Whether omitted values are filled in from past cases; if not, they are set to missing.
    versus
        The class against which the log-odds are computed; None on other scales.
    probabilities, classes
        Class probabilities, shape (queries, classes), and the classes; None for regression.
    precedents
        Past cases that decided each prediction, or the most similar past cases; None if not requested or not available.
    counterfactuals
        Changes that would change each prediction, or None.
    unseen
        Mask of nominal values that no past case has, shape (queries, columns).
    backend, numbers
        See `Precedents`.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.KNNClassifier(1).fit([[31, "red"], [62, "blue"], [60, "red"]], ["no", "yes", "yes"])
    >>> found = model.explain([[33, "red"]])
    >>> found.base.round(2), found.contributions.round(2), found.total
    (array([0.38]), array([[0.31, 0.06]]), array([0.75]))
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predictions: AnyArray
    scale: str
    base: FloatArray
    contributions: FloatArray
    errors: FloatArray
    total: FloatArray
    versus: AnyArray | None
    probabilities: FloatArray | None
    classes: AnyArray | None
    precedents: Precedents | None
    counterfactuals: Counterfactuals | None
    unseen: BoolArray
    averaged: bool = False
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()

    _by_query: ClassVar[tuple[str, ...]] = (
        "queries",
        "predictions",
        "base",
        "contributions",
        "errors",
        "total",
        "unseen",
    )

    def _taken(self, at: list[int]) -> Self:
        parts: dict[str, Any] = {
            name: None if (of := getattr(self, name)) is None else of[at] for name in ("versus", "probabilities")
        }
        for name in ("precedents", "counterfactuals"):
            of = getattr(self, name)
            parts[name] = None if of is None else of._taken(at)
        return replace(super()._taken(at), **parts)

    @prefix_errors
    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per query and column.

        The columns are ``query``, ``prediction``, ``column``, ``value``, ``contribution`` and ``error``. In the first
        row of each query, which contains the base, ``column`` is missing. ``backend`` is the library of the frame; by
        default the one that the model was fitted with. ``precedents`` and ``counterfactuals`` have their own frames.
        """
        n, d = self.contributions.shape
        columns = [None, *map(str, self.names)]
        found = {
            "query": np.repeat(np.array(self.numbers, np.int64), d + 1),
            "prediction": np.repeat(self.predictions, d + 1),
            "column": columns * n,
            "value": [value for row in self.queries for value in (None, *row)],
            "contribution": np.column_stack([self.base, self.contributions]).ravel(),
            "error": np.column_stack([np.zeros(n), self.errors]).ravel(),
        }
        return framed(found, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None, query: int = 0) -> Any:
        """Plot the contributions to one prediction as a waterfall chart, largest first; return the axes."""
        one = self[query]
        order, amounts = one._order(0), np.nan_to_num(one.contributions[0], posinf=0.0, neginf=0.0)
        shown, rest = order[:_COLUMNS], order[_COLUMNS:]
        names = [f"{self.names[a]} = {value_text(one.queries[0][a], _WIDTH)}" for a in shown.tolist()]
        sizes = amounts[shown].tolist()
        if rest.size:
            names.append(f"{rest.size} other{'s' * (rest.size > 1)}")
            sizes.append(float(amounts[rest].sum()))
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(len(names), 6))) as ax:
            starts = float(one.base[0]) + np.concatenate(([0.0], np.cumsum(sizes)))
            for place, (start, size) in enumerate(zip(starts.tolist(), sizes, strict=False)):
                which = 0 if size >= 0 else 3
                ax.barh(place, size, 0.7, left=start, facecolor=tint(which, 0.6), edgecolor=color(which), linewidth=0.7)
            for line, style in ((starts[0], ":"), (starts[-1], "-")):
                ax.axvline(line, color=INK, linewidth=0.8, linestyle=style)
            ax.set_yticks(np.arange(len(names)), captions(names, 2 * _WIDTH))
            ax.invert_yaxis()
            ax.set_xlabel(caption(one._scale_text(0), 3 * _WIDTH))
            ax.tick_params(axis="y", length=0)
            ax.grid(False, axis="y")
            ax.use_sticky_edges = False  # the first and the last bar do not touch the frame
            ax.autoscale_view(scaley=False)
            return ax

    # -- as text

    def _order(self, i: int) -> Any:
        """Return the positions of the columns, those with the largest contributions first."""
        amounts = self.contributions[i]
        return np.argsort(-np.where(np.isnan(amounts), np.inf, np.abs(amounts)), kind="stable")

    def _scale_text(self, i: int) -> str:
        if self.scale == "prediction":
            return "prediction"
        predicted = value_text(self.predictions[i : i + 1].tolist()[0], _WIDTH)
        if self.versus is None:
            return f"P({predicted})"
        return f"log-odds of {predicted} against {value_text(self.versus[i : i + 1].tolist()[0], _WIDTH)}"

    def _places(self, i: int) -> int:
        return decimals([*self.contributions[i], self.total[i]]) if self.scale == "prediction" else 4

    def _answer(self, i: int) -> str:
        if self.probabilities is None or self.classes is None:
            number = self.scale == "prediction"
            return (
                f"{self.total[i]:,.{self._places(i)}f}" if number else value_text(self.predictions.tolist()[i], _WIDTH)
            )
        answer = value_text(self.predictions[i : i + 1].tolist()[0], _WIDTH)
        likely = np.argsort(-self.probabilities[i], kind="stable")[:_CLASSES].tolist()
        labels = self.classes.tolist()
        shares = [f"{value_text(labels[c], _WIDTH)} {share_text(self.probabilities[i, c])}" for c in likely]
        more = ", ..." if len(labels) > len(likely) else ""
        return f"{answer}  ({', '.join(shares)}{more})"

    def _grid(self, i: int) -> Grid:
        amounts, errors, queries = self.contributions[i], self.errors[i], self.queries[i]
        order = np.array([a for a in self._order(i).tolist() if amounts[a] or queries[a] is not None], np.int64)
        sampled = bool((errors > 0).any())
        number = f"{{:+,.{self._places(i)}f}}"
        plain = number.replace("+", "")
        lines = [[_AVERAGE if self.averaged else _MISSING, "", plain.format(self.base[i]), ""]]
        for a in order[:_COLUMNS].tolist():
            error = f"± {plain.format(errors[a])}" if errors[a] > 0 else ""
            amount = number.format(amounts[a]) if amounts[a] else "0"
            value = "missing" if queries[a] is None else value_text(queries[a], _WIDTH)
            value += " (never seen)" * bool(self.unseen[i, a])
            lines.append([short(str(self.names[a]), _WIDTH), value, amount, error])
        if (rest := order[_COLUMNS:]).size:
            lines.append([f"{rest.size} other{'s' * (rest.size > 1)}", "", number.format(amounts[rest].sum()), ""])
        label = "log-odds" if self.scale == "log-odds" else self._scale_text(i)
        lines.append([label, "", plain.format(self.total[i]), ""])
        header = ["column", "value", "contribution", "error"]
        if not sampled:
            lines, header = [line[:3] for line in lines], header[:3]
        missing = len(self.names) - order.size
        notes = [self._scale_text(i)] if self.scale == "log-odds" else []
        notes += [f"{missing} missing column{'s add' if missing > 1 else ' adds'} nothing"] if missing else []
        return Grid(f"query {self.numbers[i]}: {self._answer(i)}", header, lines, "; ".join(notes), right={2})

    def _grids(self) -> list[Grid]:
        grids = []
        for i in range(min(len(self), _QUERIES)):
            grids.append(self._grid(i))
            if self.precedents is not None:
                grids.append(replace(self.precedents._grid(i), title=member_text(self.precedents) or "past cases"))
            if self.counterfactuals is not None:
                grids.append(replace(self.counterfactuals._grid(i), title="what would change the prediction"))
        return grids


@prefix_errors
def explain(
    model: Any,
    X: Any,
    *,
    precedents: int = 5,
    counterfactuals: int = 1,
    fixed: Iterable[Name] = (),
    target: Value | None = None,
    above: float | None = None,
    below: float | None = None,
    permutations: int = 32,
    data: Any = None,
) -> Explanations:
    """Explain predictions by past cases, contributions of the columns, and counterfactuals.

    **Past cases.** If past cases vote on the prediction, as in k-NN, the nearest voters are shown with their shares of
    the total vote. For RBF networks, the nearest cases by the network's own distance are shown. For other models, a
    value of the row and the value of a past case are compared by the effect that each of them alone has on the class
    log-probabilities or the predicted number. For naive Bayes and `SubsetAveragedBayes`, these effects are the terms of
    the model, so irrelevant columns have no influence.

    **Contributions** and a base add up to the explained quantity. For naive Bayes and `SubsetAveragedBayes`,
    contributions are the terms of the log-odds. For other models, contributions are Shapley values of the probability
    of the predicted class, or of the predicted number. Omitted columns are set to missing or, for scikit-learn
    estimators and models that do not support missing values, filled in from up to 16 past cases. With at most eight
    known columns, Shapley values are exact and take at most 256 predictions per row. With more columns, they are means
    over ``permutations``, with standard errors, and take up to ``permutations * (k - 1) + 2`` predictions for k
    columns. If omitted columns are filled in from past cases, the number of predictions is multiplied by the number of
    these cases.

    **Counterfactuals** are found by `counterfactuals`; regressors need ``above`` or ``below``.

    Models fitted with ``keep_rows=False`` have no past cases or counterfactuals unless ``data`` is passed.

    Parameters
    ----------
    model
        A fitted classifier or regressor. scikit-learn estimators, such as a Pipeline, need ``data``.
    X
        The rows to explain; or one row as a mapping from names to values, in which columns not named are missing.
    precedents
        Maximum number of past cases to show; 0 for none.
    counterfactuals
        Number of counterfactuals for each row; 0 for none.
    fixed, target, above, below
        See `counterfactuals`.
    permutations
        Number of permutations of the columns, even and at least 4; half of them are the reverses of the other half.
    data
        Past cases ``(X, y)``, for models that do not store rows.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = pc.load_repairs()
    >>> model = pc.NaiveBayes().fit(X, y)
    >>> pc.explain(model, X[:1], precedents=2)
    query 0: tune-up  (tune-up 1.00, wheel <0.01, brakes <0.01, drivetrain <0.01)
      column               value  contribution
      all columns missing               0.9510
      noise                quiet       +1.6333
      bike                 city        +1.4970
      load_kg              83          +0.7874
      chain                fresh       +0.5467
      brakes               firm        +0.3642
      electric             False       +0.3102
      km_since_service     580         +0.1701
      outdoors             True        +0.0528
      age_years            1.5               0
      log-odds                          6.3126
      log-odds of tune-up against wheel
    <BLANKLINE>
    past cases
              id  distance  target   noise      bike      load_kg    chain      brakes    electric   km_since_service
      query                          quiet      city      83         fresh      firm      False      580
      1        0     0.000  tune-up  quiet (0)  city (0)  83 (0)     fresh (0)  firm (0)  False (0)  580 (0)
      2       35     0.000  tune-up  quiet (0)  city (0)  94 (0)     fresh (0)  firm (0)  False (0)  560 (0)
      unlike  88     3.605  wheel    quiet (0)  city (0)  103 (2.8)  fresh (0)  firm (0)  False (0)  450 (0)
      and 2 more attributes
    <BLANKLINE>
    what would change the prediction
      column            before      after  prediction  distance  from case
      km_since_service  580     ->  3510   drivetrain     0.779  #30
      chain             fresh   ->  worn
    """
    for name, count in (("precedents", precedents), ("counterfactuals", counterfactuals)):
        check_value(name, count, [Interval(Integral, 0, None, closed="left")])
    check_value("permutations", permutations, [Interval(Integral, 4, None, closed="left")])
    if permutations % 2:
        raise ParameterError(f"permutations must be even, since each is used with its reverse, got {permutations}")
    wish: dict[str, Any] = {"target": target, "above": above, "below": below}
    wished = any(value is not None for value in wish.values())
    asked = ExplainedModel(model, data, needs_rows=wished)
    if not len(asked.ids):  # the model stores only counts
        precedents = counterfactuals = 0
    cells = asked.cells(X)
    predictions, probabilities = asked.predicted(cells)
    shares = column_shares(asked, cells, predictions, int(permutations))
    importance = np.abs(np.nan_to_num(shares.parts, posinf=np.inf))
    near = precedents_of(asked, cells, predictions, importance, int(precedents)) if precedents else None
    turns = None
    if counterfactuals and (wished or (asked.classes is not None and asked.classes.size > 1)):
        turns = find(asked, cells, predictions, int(counterfactuals), fixed=fixed, **wish)
    return Explanations(
        names=asked.names,
        queries=asked.rows(cells),
        predictions=predictions,
        scale=shares.scale,
        base=shares.base,
        contributions=shares.parts,
        errors=shares.errors,
        total=shares.total,
        versus=shares.versus,
        probabilities=probabilities,
        classes=asked.classes,
        precedents=near,
        counterfactuals=turns,
        unseen=_unseen(asked, cells),
        averaged=shares.averaged,
        backend=asked.backend,
    )


def _unseen(asked: ExplainedModel, cells: FloatArray) -> BoolArray:
    """Return a mask of nominal values that no past case has; their codes come after the codes of known values."""
    kinds = zip(asked.schema.kinds, asked.cases.values, strict=True)
    return np.asarray(cells >= np.array([len(values) if type(kind) is Nominal else np.inf for kind, values in kinds]))
