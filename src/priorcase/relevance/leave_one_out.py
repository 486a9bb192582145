"""Attribute weights that minimize the leave-one-out loss of soft nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import Stretch, local_weights, relief_sums
from priorcase._typing import AnyArray, FloatArray, IdArray
from priorcase.exceptions import ParameterError
from priorcase.learning.resampling import bar
from priorcase.learning.sorted_rows import sort_rows
from priorcase.relevance.base import TrainingData, WeightingMethod, renumbered, shuffled
from priorcase.relevance.information import entropy
from priorcase.relevance.relief import weighted_neighbors

Loss: TypeAlias = Literal["log", "errors", "squared"]

LOSSES = {"log": 0, "errors": 1, "squared": 2}
"""Integer that stands for each loss function in the compiled core."""

PENALTIES: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1)
"""Candidate values of the parameter ``regularization``, in ascending order."""

_STEPS, _LOCAL_STEPS = 12, 10
# Number of queries whose neighbors are in memory at the same time.
_QUERIES_AT_ONCE = 1_024
# Maximum number of rows that vote, and of rows that are predicted; lower if there are more than 20 attributes.
_MAX_ROWS, _MAX_PREDICTED = 8_000, 1_000
_FEW_PREDICTED = 250
# Up to this many rows, all folds are held out in turn, so that all rows contribute to the choice of the penalty.
_FEW_ROWS = 500
_FOLDS = 5
_MIN_ROWS = 10
# Beyond this total weight, each distinct row is listed once, with its weight.
_MAX_REPEATED = 1_000_000
# Pairs per row for scaling the attributes.
_PAIRS = 10
# Optimizer: number of earlier steps that a value is compared with, and the relative gain below which it stops.
_MEMORY, _TOLERANCE = 5, 1e-4
_NOT_NEGATIVE = Interval(Real, 0, None, closed="left")


@dataclass(frozen=True)
class LeaveOneOutWeights(WeightingMethod):
    """Attribute weights that minimize the leave-one-out loss (diagonal NCA).

    Every row i is predicted by votes of all other rows j. The vote p_ij decreases with the cost, which is the distance
    before the root is taken: the sum over all attributes a of the weight w_a times the contribution f_a (Goldberger,
    Roweis, Hinton & Salakhutdinov 2005, NCA with a diagonal matrix; Lowe 1995)::

        p_ij = exp(-sum_a w_a f_a(i, j)) / sum_k exp(-sum_a w_a f_a(i, k))
        loss = -log p(own class)   or   (y_i - sum_j p_ij y_j)^2

    The mean loss plus ``regularization`` times the sum of the weights is minimized over w >= 0 by gradient descent.
    Contributions are divided by the mean contribution of the attribute, and losses by the loss of a constant
    prediction. The weights are scaled so that the largest is 1; irrelevant attributes get weight 0. The method can
    detect attributes that matter only together. For large tables, a fixed sample is used: 8,000 rows vote, and 1,000 of
    these rows are predicted (fewer with more than 20 attributes).

    Parameters
    ----------
    loss
        ``"log"`` (1% of each prediction comes from the class frequencies, which limits the influence of single rows),
        ``"errors"`` (the expected error rate, more robust to noisy labels), or ``"squared"`` for numbers. None:
        ``"log"`` for classes, ``"squared"`` for numbers.
    regularization
        Strength of the penalty. None: the best of five strengths in 5-fold cross-validation (with more than 500 rows,
        in the first fold only). If no strength is better than equal weights, all weights are equal.
    local
        Whether each query has its own weights ``g_a exp(delta_a)``, where the g_a are the global weights. The delta_a
        minimize the same loss on the ``neighborhood`` rows nearest to the query, plus ``stiffness / neighborhood``
        times the sum of ``delta_a^2``. **Local weights overfit easily.** Use local weights only if different attributes
        matter in different regions and there are many rows, and compare scores on held-out rows first.
    neighborhood, stiffness
        See ``local``; available only with ``local=True``.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> X = np.random.default_rng(0).random((200, 4))
    >>> y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5), "odd", "even")
    >>> model = pc.KNNClassifier(5, attribute_weights=LeaveOneOutWeights()).fit(X, y)
    >>> model.attribute_weights_.weights.round(1)
    array([0.9, 1. , 0. , 0. ])
    """

    loss: Loss | None = None
    regularization: float | None = None
    local: bool = False
    neighborhood: int = 50
    stiffness: float = 1.0

    method: ClassVar[str] = "loo"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "loss": [StrOptions(set(LOSSES)), None],
        "regularization": [_NOT_NEGATIVE, None],
        "local": ["boolean"],
        "neighborhood": [Interval(Integral, 3, None, closed="left")],
        "stiffness": [_NOT_NEGATIVE],
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.local and (self.neighborhood, self.stiffness) != (50, 1.0):
            raise ParameterError(
                "neighborhood and stiffness of LeaveOneOutWeights need local=True, got "
                f"neighborhood={self.neighborhood}, stiffness={self.stiffness}"
            )

    def check_target(self, has_classes: bool) -> None:
        """Raise an error for a loss that is not defined for the target."""
        if self.loss is not None and (self.loss == "squared") == has_classes:
            expected = "'log' or 'errors' if y contains classes" if has_classes else "'squared' if y contains numbers"
            raise ParameterError(f"attribute_weights.loss must be {expected}, got {self.loss!r}")

    def learn(self, data: TrainingData) -> FloatArray:
        """Return the global weights, scaled so that the largest is 1; all weights are 0 if nothing can be learned."""
        rows, targets = _distinct_rows(data, self.loss)
        if rows.size < _MIN_ROWS or not targets.baseline > 0.0:
            return np.zeros(data.n_attributes)
        share = min(1.0, float(np.sqrt(20 / data.n_attributes)))
        sample = shuffled(rows.size)[: max(int(_MAX_ROWS * share), _FEW_ROWS)]
        model = SoftNeighbors(data, rows[sample], targets.take(sample))
        n_predicted = max(int(_MAX_PREDICTED * share), 100)
        everything = _Split(np.arange(sample.size)[:n_predicted], np.empty(0, np.int64), model.row_weights)
        many = sample.size > _FEW_ROWS
        penalties, folds = PENALTIES, model.splits(n_predicted)[: 1 if many else _FOLDS]
        if self.regularization is not None:
            penalties, folds = (float(self.regularization),), []
        with bar(len(penalties) * (len(folds) + 1), shown=many, text="attribute weights") as advance:
            step = partial(advance, "attribute weights")
            if folds:
                found, best = _choose_penalty(model, folds, step)
                if best is None:
                    return np.ones(data.n_attributes)
                if many:
                    return model.unscaled(found[best])
                penalties = PENALTIES[: best + 1]
            return model.unscaled(_path(model, everything, penalties, step)[-1])

    def around(self, data: TrainingData, weights: FloatArray, cells: FloatArray, own: IdArray | None) -> FloatArray:
        """Return local weights for each query, scaled to the sum of the global weights.

        See `WeightingMethod.around` for the arguments.
        """
        targets: Targets
        targets = data.cached("loo targets", lambda: Targets.of(data.targets(), data.row_weights(), self.loss))
        found = np.tile(weights, (len(cells), 1))
        if not targets.baseline > 0.0:
            return found
        for start in range(0, len(cells), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            left_out = None if own is None else own[part]
            near = weighted_neighbors(data, data.index(), cells[part], left_out, self.neighborhood, weights)
            used, at = np.unique(near.rows, return_inverse=True)
            some, threads = targets.take(used), data.threads
            rows = *data.core_arguments(used), some.labels, some.numbers, some.prior, some.loss
            neighbors = near.indptr, at.ravel(), cast(FloatArray, near.counts)
            found[part] = local_weights(
                *rows, *neighbors, weights, stiffness=self.stiffness, steps=_LOCAL_STEPS, threads=threads
            )
        return found


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets in the format of the compiled core: either class ``labels`` or standardized ``numbers``."""

    labels: IdArray | None
    numbers: FloatArray | None
    row_weights: FloatArray
    prior: FloatArray
    loss: int  # number of the loss in the core
    baseline: float  # the loss of a constant prediction

    @classmethod
    def of(cls, values: AnyArray, row_weights: FloatArray, loss: str | None) -> Targets:
        """Create targets from integer classes, or from numbers, which are standardized (to 0 if all are equal)."""
        if values.dtype.kind == "i":
            counts = np.bincount(values, weights=row_weights).astype(np.float64)
            prior = counts / counts.sum()
            baseline = 1.0 - float((prior**2).sum()) if loss == "errors" else entropy(counts) * float(np.log(2.0))
            return cls(values, None, row_weights, prior, LOSSES[loss or "log"], baseline)
        scaled = values / (float(np.abs(values).max(initial=0.0)) or 1.0)
        centered = scaled - float(np.average(scaled, weights=row_weights))
        variance = float(np.average(centered**2, weights=row_weights))
        scaled = centered / np.sqrt(variance) if variance > 1e-30 else np.zeros(values.size)
        return cls(None, scaled, row_weights, np.ones(1), LOSSES["squared"], float(scaled.any()))

    def take(self, rows: IdArray) -> Targets:
        labels = None if self.labels is None else self.labels[rows]
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, labels=labels, numbers=numbers, row_weights=self.row_weights[rows])


def _distinct_rows(data: TrainingData, loss: str | None) -> tuple[IdArray, Targets]:
    """Return positions and targets of the rows, in an order that does not depend on the order of the table."""
    values = data.targets()
    numbers, classes = (np.empty((len(data), 0)), values) if data.has_classes else (values[:, None], None)
    ordered = sort_rows(data.instances, numbers, classes)
    target = values[ordered.positions]
    before, here = ordered.cells[:-1], ordered.cells[1:]
    same = ((before == here) | (np.isnan(before) & np.isnan(here))).all(axis=1) & (target[:-1] == target[1:])
    # Equal rows are merged, so that a repeated row is equivalent to a row with a larger weight.
    first = np.flatnonzero(np.concatenate(([True], ~same)))
    weights = np.add.reduceat(ordered.weights, first)
    if weights.sum() <= _MAX_REPEATED:
        repeats = np.ceil(weights).astype(np.int64)
        fractions, weights = weights - (repeats - 1), np.ones(int(repeats.sum()))
        weights[np.cumsum(repeats) - 1] = fractions  # last repetition of each row
        first = np.repeat(first, repeats)  # a row with weight 2 appears twice
    target = target[first] if classes is None else renumbered(target[first])
    return ordered.positions[first], Targets.of(target, weights, loss)


class _Split(NamedTuple):
    """A split for cross-validation: training rows, held-out rows, and the weight of each row's vote (0 if held out)."""

    learn: IdArray
    held_out: IdArray
    votes: FloatArray


class SoftNeighbors:
    """Leave-one-out loss (see `LeaveOneOutWeights`), with attributes scaled to the same mean contribution."""

    def __init__(self, data: TrainingData, rows: IdArray, targets: Targets) -> None:
        plan, coded, cells = data.core_arguments(rows)
        self.row_weights, self._baseline, self._threads = targets.row_weights, targets.baseline, data.threads
        n, order = rows.size, shuffled(rows.size)
        others = np.stack([order[(np.argsort(order) + step) % n] for step in range(1, 1 + min(_PAIRS, n - 1))], axis=1)
        indptr, ones = np.arange(n + 1, dtype=np.int64) * others.shape[1], np.ones(others.size)
        pairs = np.arange(n, dtype=np.int64), indptr, others.ravel(), ones
        sums = relief_sums(plan, coded, cells, *pairs, power=1.0, threads=data.threads)
        with np.errstate(over="ignore"):
            mean = sums.sum(axis=0) / others.size
        usable = np.isfinite(mean) & (mean < 1e100)
        # An attribute whose contributions overflow has no weight.
        self.scale = np.where(usable, 1.0 / np.where(usable & (mean > 1e-100), mean, 1.0), 0.0)
        self._core = Stretch(
            plan, coded, cells, targets.labels, targets.numbers, targets.row_weights, targets.prior, targets.loss
        )

    def loss_and_gradient(self, weights: FloatArray, rows: IdArray, votes: FloatArray) -> tuple[float, FloatArray]:
        """Return the mean loss of the given rows, and the gradient of this loss with respect to the weights."""
        value, gradient = self._core.evaluate(weights * self.scale, rows, votes, self._threads, True)
        return value / self._baseline, gradient * self.scale / self._baseline

    def best_scale(
        self, weights: FloatArray, rows: IdArray, votes: FloatArray, penalty: float = 0.0
    ) -> tuple[float, float]:
        """Multiply the weights by powers of 2; return the factor with the smallest penalized loss, and this loss."""
        best, least, worse = 1.0, np.inf, 0
        for factor in (2.0 ** np.arange(17)).tolist():
            loss, _ = self._core.evaluate(weights * factor * self.scale, rows, votes, self._threads, False)
            value = loss / self._baseline + penalty * factor * float(weights.sum())
            worse = worse + 1 if value >= least else 0
            if value < least:
                best, least = factor, value
            if worse == 2:
                break
        return best, least

    def splits(self, n_predicted: int) -> list[_Split]:
        """Return five splits for cross-validation, each with at most ``n_predicted`` training rows to predict."""
        places, n, votes = np.arange(self.row_weights.size), n_predicted, self.row_weights
        folds = [places % _FOLDS == fold for fold in range(_FOLDS)]
        return [_Split(places[~fold][:n], places[fold][: n // 2], np.where(fold, 0.0, votes)) for fold in folds]

    def unscaled(self, weights: FloatArray) -> FloatArray:
        """Convert weights of scaled attributes to weights of the original attributes, with a maximum of 1."""
        found = weights * self.scale
        largest = float(found.max(initial=0.0))
        return found / largest if largest > 0 else np.zeros(found.size)


def _choose_penalty(
    model: SoftNeighbors, folds: list[_Split], step: Callable[[], None]
) -> tuple[list[FloatArray], int | None]:
    """Return the weights for each penalty in the last fold, and the position of the best one (None: equal weights)."""
    losses, found = np.zeros(len(PENALTIES) + 1), []
    equal = np.where(model.scale > 0, 1.0 / np.maximum(model.scale, 1e-300), 0.0)
    equal = equal / max(float(equal.sum()), 1e-300)
    for fold in folds:
        found = _path(model, fold, PENALTIES, step)
        # Only ratios of weights matter, so each candidate is scaled optimally for the held-out rows.
        losses += [
            model.best_scale(weights, fold.held_out, fold.votes)[1] if weights.any() else np.inf
            for weights in [*found, equal]
        ]
    best = int(losses.argmin())
    return found, None if best == len(PENALTIES) else best


def _path(
    model: SoftNeighbors, split: _Split, penalties: tuple[float, ...], step: Callable[[], None]
) -> list[FloatArray]:
    """Return, for each penalty, the weights that minimize the penalized loss on the training rows of a split."""
    rows, votes = split.learn, split.votes
    weights, found = np.full(model.scale.size, 1.0 / model.scale.size), []
    weights = weights * model.best_scale(weights, rows[:_FEW_PREDICTED], votes, penalties[0])[0]
    for penalty in penalties:

        def penalized(tried: FloatArray, penalty: float = penalty) -> tuple[float, FloatArray]:
            value, gradient = model.loss_and_gradient(tried, rows, votes)
            return value + penalty * float(tried.sum()), gradient + penalty

        weights = projected_gradient(penalized, weights, _STEPS)
        found.append(weights)
        step()
    return found


def projected_gradient(
    function: Callable[[FloatArray], tuple[float, FloatArray]], start: FloatArray, max_iter: int
) -> FloatArray:
    """Minimize over x >= 0 by spectral projected gradient (Birgin, Martinez & Raydan 2000, algorithm 2.2)."""
    x = np.maximum(start, 0.0)
    value, gradient = function(x)
    best, found, values = value, x, [value]
    # The first step does not set any weight to 0.
    length = 0.5 * float(x.max(initial=0.0)) / max(float(np.abs(gradient).max(initial=0.0)), 1e-300)
    for _ in range(max_iter):
        direction = np.maximum(x - length * gradient, 0.0) - x
        slope = float(gradient @ direction)
        if not slope < 0.0:
            break
        fraction, limit = 1.0, max(values[-_MEMORY:])
        while True:
            tried = np.maximum(x + fraction * direction, 0.0)
            value, new_gradient = function(tried)
            if value <= limit + _TOLERANCE * fraction * slope or fraction < _TOLERANCE:
                break
            fraction /= 4.0
        # Barzilai-Borwein step length.
        moved = tried - x
        curvature = float(moved @ (new_gradient - gradient))
        length = float(moved @ moved) / curvature if curvature > 0.0 else 10.0 * length
        x, gradient = tried, new_gradient
        values.append(value)
        if value < best:
            best, found = value, x
        if len(values) > _MEMORY and values[-1 - _MEMORY] - value < _TOLERANCE * abs(value):
            break
    return found
