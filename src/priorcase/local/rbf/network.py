"""Radial basis function networks, their fit in three steps, and the estimators for regression and classification."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import repeat
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._parameters import as_python, check_seed
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.exceptions import FarQueryWarning, NumericRangeError, ParameterError, TargetError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.resampling import bar, needs_refits, refits
from priorcase.learning.results import attribute_names, framed, free_label
from priorcase.learning.sorted_rows import SortedRows, sort_rows
from priorcase.learning.state import reads
from priorcase.learning.targets import Classes, Labeling, learned_labels, learned_numbers
from priorcase.local.rbf import centers as basis
from priorcase.local.rbf.output_layer import RidgeCurve, Spectrum, with_rows
from priorcase.local.windows import named, warn_queries
from priorcase.neighbors.base import GivenWeights, NeighborsEstimator, needs_one_target
from priorcase.saving import checked
from priorcase.schema import CategoricalFeatures, Circular, Numeric, Schema
from priorcase.search import Algorithm
from priorcase.similarity.presets import DistanceLike

# If all activations are below this, a query is far from the network, and its output is the intercept.
SMALLEST_ACTIVATION = 1e-6
_SMALLEST_ALPHA, _SMALLEST_SPREAD = 1e-100, 1e-100
_SHOWN_FROM = 1 << 24  # minimum number of activations for a progress bar
_MIXTURE_STEPS = 100  # of expectation maximization, far more than needed
_TEMPERATURES = (1.0, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.2, 1.5)


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Fitted network ``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eq. 8.8)."""

    centers: basis.Centers  # c_u
    widths: FloatArray  # sigma_u
    weights: FloatArray  # w_u, shape (centers, targets)
    intercept: FloatArray  # b, one for each target
    alpha: float
    spectrum: Spectrum
    curve: RidgeCurve

    def activations(self, cells: FloatArray, *, threads: int = 1) -> FloatArray:
        """Return the activation of each center for each row, shape (rows, centers)."""
        return basis.gaussian(self.centers.squares(cells, threads=threads), self.widths)

    def outputs(self, cells: FloatArray, *, threads: int = 1) -> tuple[FloatArray, BoolArray]:
        """Return the outputs for each row, shape (rows, targets), and a mask of rows far from all centers."""
        result, far = np.empty((len(cells), self.intercept.size)), np.empty(len(cells), dtype=bool)
        for part in basis.row_blocks(len(cells), len(self.centers)):
            activations = np.ascontiguousarray(self.activations(cells[part], threads=threads).T)
            far[part] = activations.max(axis=0) < SMALLEST_ACTIVATION
            for t, intercept in enumerate(self.intercept.tolist()):
                # One center at a time: a matrix product would round a single row and a batch differently.
                total = np.full(activations.shape[1], intercept)
                for activation, weight in zip(activations, self.weights[:, t].tolist(), strict=True):
                    total += weight * activation
                result[part, t] = total
        return result, far

    def saved(self) -> dict[str, Any]:
        """Return the fitted arrays to be saved with a model."""
        spectrum = {each.name: getattr(self.spectrum, each.name) for each in fields(self.spectrum)}
        curve = {each.name: getattr(self.curve, each.name) for each in fields(self.curve) if each.name != "backend"}
        own = {"widths": self.widths, "weights": self.weights, "intercept": self.intercept, "alpha": self.alpha}
        return {"cells": self.centers.cells, **own, "spectrum": spectrum, "curve": curve}

    @classmethod
    def restored(cls, told: dict[str, Any], like: basis.Centers, outputs: int) -> Network:
        """Create a network from the result of `saved`; raise ``ValueError`` if it is invalid."""
        m, spectrum, curve = len(told["cells"]), Spectrum(**told["spectrum"]), RidgeCurve(**told["curve"])
        shapes: dict[str, tuple[int, ...]] = {"means": (m,), "target_means": (outputs,), "singular": (m,)}
        shapes |= {"right": (m, m), "projected": (outputs, m)}
        for name, shape in shapes.items():
            checked(getattr(spectrum, name), np.float64, shape)
        weights, intercept = (told[name] for name in ("weights", "intercept"))
        checked(weights, np.float64, (m, outputs)), checked(intercept, np.float64, (outputs,))
        widths = checked(told["widths"], np.float64, (m,), least=0.0)
        numbers = told["alpha"], spectrum.total, spectrum.rest
        if not all(isinstance(number, float) and 0.0 <= number < np.inf for number in numbers) or not m:
            raise ValueError("a network with invalid numbers")
        tried = checked(curve.alphas, np.float64, (None,), least=0.0).size
        checked(curve.widths, np.float64, (tried,)), checked(curve.freedom, np.float64, (tried,))
        if curve.criterion not in ("loo", "gcv") or curve.scores.shape != (tried,) or not 0 <= curve.chosen < tried:
            raise ValueError("an invalid curve")
        instances = like.instances
        cells = checked(told["cells"], np.float64, (m, len(instances.schema)), missing=True)
        for a, kind in enumerate(instances.schema.kinds):
            if not isinstance(kind, Numeric):
                known = np.array([value is not None for value in instances.values(a)], bool)
                codes = checked(cells[:, a], np.float64, (m,), least=0.0, missing=True)
                codes = codes[~np.isnan(codes)]
                whole = codes == np.floor(codes)
                if not whole.all() or (codes >= known.size).any() or not known[codes.astype(np.int64)].all():
                    raise ValueError("a center has a value that does not exist in the column")
        return cls(like.at(cells), widths, weights, intercept, told["alpha"], spectrum, curve)


def fit_network(
    rows: SortedRows, strata: basis.Strata, like: basis.Centers, design: basis.Design, *, threads: int
) -> Network:
    """Fit the centers, then their widths, then the output weights."""
    spread = np.ptp(rows.targets, axis=0)
    if ((spread > 0.0) & (spread < _SMALLEST_SPREAD)).any():
        text = f"targets differ by less than {_SMALLEST_SPREAD}, whose square underflows in float64. Multiply y by "
        raise NumericRangeError(text + "a power of ten.")
    count = basis.center_count(design.n_centers, design.centers, rows.distinct())
    criterion: basis.Criterion = "loo" if design.alpha == "loo" else "gcv"  # for widths and penalties
    # Blocks of rows, each at least as large as the triangle kept for the earlier rows.
    size = max(2_048, 2 * count)
    blocks = [slice(start, start + size) for start in range(0, len(rows), size)]
    steps = basis.KMEANS_ITERATIONS + 2 + (1 + (criterion == "loo")) * len(blocks)
    with bar(steps, shown=len(rows) * count >= _SHOWN_FROM, text="network") as advance:
        centers, mixture = basis.find_centers(design, count, rows, strata, like, threads, advance)
        widths = basis.candidate_widths(design.width, centers, rows, mixture, threads=threads)
        advance("widths")
        order = 1 + len(centers) + rows.targets.shape[1]

        def passes(step: str) -> Iterator[Any]:
            """Yield squared distances, targets and weights of each block of rows, repeated as ``pool.map`` requires."""
            for part in blocks:
                squares = centers.squares(rows.cells[part], threads=threads)
                yield map(repeat, (squares, rows.targets[part], rows.weights[part]))
                advance(step)

        with ThreadPoolExecutor(threads) as pool:  # widths are independent, so threads do not change results
            triangles = [np.zeros((order, order)) for _ in widths]
            for block in passes("output layer"):
                triangles = list(pool.map(with_rows, triangles, widths, *block))
            spectra = list(pool.map(Spectrum.of, triangles, repeat(len(centers))))
            alphas = [s.penalties() if isinstance(design.alpha, str) else np.array([design.alpha]) for s in spectra]
            scores = list(map(Spectrum.gcv, spectra, alphas))
            if criterion == "loo":
                scores = [np.zeros(tried.size) for tried in alphas]
                for block in passes("leave one out"):
                    shares = pool.map(Spectrum.left_out_score, spectra, widths, alphas, *block)
                    scores = list(map(np.add, scores, shares))
    if design.alpha == 0.0 and len(widths) > 1:
        # Functions so wide that they are equal in float64 cannot interpolate, whatever their estimate.
        scores = [np.where(s.dependent, np.inf, score) for s, score in zip(spectra, scores, strict=True)]
    means = np.repeat([width.mean() for width in widths], alphas[0].size)  # the same number of penalties for each width
    freedom, estimates = np.concatenate(list(map(Spectrum.freedom, spectra, alphas))), np.concatenate(scores)
    curve = RidgeCurve(criterion, means, np.concatenate(alphas), freedom, estimates, int(estimates.argmin()))
    best = curve.chosen // alphas[0].size
    spectrum, alpha = spectra[best], float(curve.alphas[curve.chosen])
    weights = spectrum.weights(alpha)
    intercept = spectrum.target_means - spectrum.means @ weights
    return Network(centers, widths[best], weights, intercept, alpha, spectrum, curve)


class RBFNetwork(NeighborsEstimator):
    """Base class of the RBF networks; after rows have changed, the network is fitted again when it is next used."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_centers": [StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "centers": [StrOptions({"kmeans", "em", "random", "stratified", "all"})],
        "width": [StrOptions({"auto", "common", "neighbors", "em"}), Interval(Real, 0, None, closed="neither")],
        "alpha": [StrOptions({"gcv", "loo"}), Interval(Real, 0, 1e100, closed="both")],
        "random_state": ["random_state"],
    }

    algorithm: Algorithm = "auto"
    _flat: bool = False  # whether there is a single output without its own axis

    def __init__(
        self,
        n_centers: int | Literal["auto"] = "auto",
        *,
        centers: basis.CenterKind = "kmeans",
        width: basis.WidthRule | float = "auto",
        alpha: basis.Criterion | float = "loo",
        distance: DistanceLike = "robust",
        attribute_weights: GivenWeights = None,
        random_state: Any = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_centers, self.centers, self.width, self.alpha = n_centers, centers, width, alpha
        self.distance, self.attribute_weights, self.random_state = distance, attribute_weights, random_state
        self.categorical_features, self.schema, self.n_jobs = categorical_features, schema, n_jobs

    # -- the network

    @property
    @reads
    def centers_(self) -> Any:
        """Centers as a data frame, with one row per center."""
        cells, instances, columns = self._network().centers.cells, self._stored().instances, dict[str, Any]()
        for a, name in enumerate(attribute_names(instances.schema)):
            plain = type(instances.schema.kinds[a]) in (Numeric, Circular)
            shown = cells[:, a].copy() if plain else instances.decode_cells(a, cells[:, a])
            columns[free_label(str(name), columns)] = shown
        return framed(columns, self._backend)

    @property
    @reads
    def n_centers_(self) -> int:
        """Number of centers."""
        return len(self._network().centers)

    @property
    @reads
    def widths_(self) -> FloatArray:
        """Width sigma of each center, in units of the distance."""
        return self._network().widths.copy()

    @property
    @reads
    def alpha_(self) -> float:
        """Ridge penalty."""
        return self._network().alpha

    @property
    @reads
    def loo_curve_(self) -> RidgeCurve:
        """Table of the widths and penalties tried, with their error estimates."""
        return replace(self._network().curve, backend=self._backend)

    @property
    @reads
    def coef_(self) -> FloatArray:
        """Weight of each center, shape (centers,), or (outputs, centers) for classes and several targets."""
        weights = self._network().weights.T.copy()
        return weights[0] if self._flat else weights

    @property
    @reads
    def intercept_(self) -> float | FloatArray:
        """Output far from all centers, for each class or target."""
        intercept = self._network().intercept
        return float(intercept[0]) if self._flat else intercept.copy()

    @reads
    def activations(self, X: Any) -> FloatArray:
        """Return the activation of each center, ``exp(-d^2 / (2 sigma^2))``, shape (queries, centers)."""
        return self._network().activations(self._cells(X), threads=self._threads())

    @abstractmethod
    def _learned(self) -> FloatArray:
        """Return the targets of the stored rows as numbers, shape (rows, outputs)."""

    @abstractmethod
    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        """Return the stratum of each row, for stratified sampling of centers."""

    def _network(self) -> Network:
        """Return the network fitted to the stored rows."""
        memory = self._answering()

        def compute() -> Network:
            rows = sort_rows(memory.instances, self._learned())
            like = basis.Centers(memory.instances, memory.fitted, memory.attribute_weights, rows.cells[:1])
            return fit_network(rows, lambda n: self._strata(rows, n), like, self._design, threads=self._threads())

        return memory.cached("network", compute)

    def _saved_state(self) -> dict[str, Any] | None:
        state = super()._saved_state()
        if state is not None:
            version, network = self._stored()._cache.get("network", (-1, None))
            state |= {"network": network.saved()} if version == state["rows"].version else {}
        return state

    def _fitted_parameters(self) -> dict[str, Any]:
        return self._fitted_with | {"random_state": self._design.seed}  # the seed drawn from it

    def _restore_state(self, state: dict[str, Any]) -> None:
        super()._restore_state(state)
        if "network" in state:
            memory = self._stored()
            unknown = np.full((1, len(memory.instances.schema)), np.nan)
            like = basis.Centers(memory.instances, memory.fitted, memory.attribute_weights, unknown)
            network = Network.restored(state["network"], like, self._learned().shape[1])
            memory._cache["network"] = memory.instances.version, network

    def _outputs_of(self, X: Any) -> FloatArray:
        """Return the network outputs for queries, shape (queries, outputs); warn about queries far from all centers."""
        cells = self._cells(X)
        outputs, far = self._network().outputs(cells, threads=self._threads())
        if far.any():
            queries = np.flatnonzero(far).tolist()
            verb = "is" if len(queries) == 1 else "are"
            text = f"{named(queries)} of {len(cells)} {verb} far from all centers; the intercept is predicted. "
            text += "Use a larger width, or a local model."
            warn_queries(FarQueryWarning, queries, text)
        return outputs

    def _left_out(self, *, whole: bool = False) -> FloatArray:
        """Return leave-one-out residuals of the stored rows (see `Spectrum.left_out`), shape (rows, outputs)."""
        network, threads = self._network(), self._threads()
        rows = sort_rows(self._stored().instances, self._learned())
        result, alphas = np.empty_like(rows.targets), np.array([network.alpha])
        for part in basis.row_blocks(len(rows), len(network.centers)):
            given = network.activations(rows.cells[part], threads=threads), rows.targets[part], rows.weights[part]
            result[rows.positions[part]] = network.spectrum.left_out(*given, alphas, whole=whole)[:, 0]
        return result

    def _loo_outputs(self, relearn: bool) -> FloatArray:
        """Return the leave-one-out outputs for the stored rows, in id order, shape (rows, outputs)."""
        if not needs_refits(self, relearn):
            return self._learned() - self._left_out(whole=True)
        found = np.empty_like(self._learned())
        for row, other, query in refits(self):
            cells = other._stored().instances.encode(query)
            found[row] = other._network().outputs(cells, threads=1)[0][0]
        return found

    @property
    @reads
    def relearns_(self) -> bool:
        """Whether leave-one-out without ``relearn=True`` sees targets, through centers, widths or penalty."""
        design = self._design
        by_score = isinstance(design.alpha, str) or design.width == "auto" or design.centers == "stratified"
        # Without a penalty a row may be predicted only by a center at the row itself, which must be left out too.
        return self._stored().learns_from_targets or by_score or design.alpha == 0.0

    def _finish_fit(self) -> None:
        self._network()

    def _how_many(self, n_neighbors: int | None) -> int:
        return 1 if n_neighbors is None else super()._how_many(n_neighbors)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._distance.whole:
            raise ParameterError(
                f"an RBF network needs distances from centers, but distance={self.distance!r} "
                "compares stored rows only. Use another distance, or use KNNRegressor, KNNClassifier or a local model."
            )
        if self.centers == "all" and self.n_centers != "auto":
            raise ParameterError(f"n_centers must be 'auto' with centers='all', got {self.n_centers!r}")
        if self.width == "em" and self.centers != "em":
            raise ParameterError("width='em' needs centers='em', because the widths are computed from the mixture")
        if not isinstance(self.alpha, str) and 0 < self.alpha < _SMALLEST_ALPHA:
            raise ParameterError(f"alpha must be 0 or from {_SMALLEST_ALPHA} to 1e100, got {self.alpha!r}")
        given = self.n_centers, self.width, self.alpha
        plain: list[Any] = [value if isinstance(value, str) else as_python(value) for value in given]
        self._design = basis.Design(plain[0], self.centers, plain[1], plain[2], check_seed(self.random_state))

    def _check_rows(self) -> None:
        super()._check_rows()
        if self._stored().local_weights:
            raise ParameterError(
                "attribute_weights must be the same for all queries in a network. "
                "Use LeaveOneOutWeights() without local=True."
            )


class RBFNetworkRegressor(RegressorMixin, RBFNetwork):
    """Radial basis function network for regression on tables with mixed columns.

    ``f(x) = b + sum_u w_u exp(-d^2(x, c_u) / (2 sigma_u^2))`` (Mitchell 1997, eqs. 8.8 and 8.9). Given centers c and
    widths sigma, the weights w minimize ``sum_i (y_i - f(x_i))^2 + alpha sum_u w_u^2``. Rows are added and forgotten as
    in `KNNRegressor`. A `FarQueryWarning` lists queries far from all centers. Without known values, f is not the mean.

    Parameters
    ----------
    n_centers
        Number of centers; ``"auto"`` is four times the square root of the number of rows, between 100 and 200.
    centers
        ``"kmeans"`` (k-means++), ``"em"`` (components of a `MixtureModel`), ``"random"`` rows, ``"stratified"`` (random
        rows from ten groups of the first target), or ``"all"`` distinct rows.
    width
        A number; ``"common"`` for ``d_max / sqrt(2 k)`` with k centers; ``"neighbors"`` for the mean distance to the
        two nearest centers; ``"em"`` for widths of the mixture; or ``"auto"``, which selects one of these together with
        alpha: the mean of ``"neighbors"``, and 1/4, 1/2, 1, 2 and 4 times the root mean square distance of rows from
        centers.
    alpha
        Ridge penalty: a number, ``"loo"`` (lowest leave-one-out error) or ``"gcv"`` (generalized cross-validation,
        Golub, Heath & Wahba 1979; faster, but optimistic for few or repeated rows), both with 19 candidates from
        1e-8 to 10 times the largest squared singular value.
    random_state
        Random seed. Results do not depend on the order of the rows.
    distance, attribute_weights, categorical_features, schema, n_jobs
        See `KNNRegressor`, which also documents the fitted attributes not listed here.

    Attributes
    ----------
    centers_, n_centers_, widths_, alpha_
        Centers as a data frame, their number and widths, and the penalty.
    coef_, intercept_, loo_curve_
        Weight of each center, shape (centers,) or (targets, centers), the intercept, and widths and penalties tried.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> X = np.linspace(0.0, 6.0, 25)[:, None]
    >>> model = pc.RBFNetworkRegressor(8).fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.0], [2.0], [4.5]]).round(2)
    array([ 0.84,  0.91, -0.98])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing any rows stored before, and fit the network; see `KNNRegressor.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows; the network is fitted again at the next prediction."""
        return self._partial_fit(X, y, sample_weight)

    @reads
    def predict(self, X: Any) -> FloatArray:
        """Predict the target of each row; shape (queries, targets) if ``y`` was two-dimensional."""
        return self._shaped(self._outputs_of(X))

    @reads
    def loo_residuals(self) -> FloatArray:
        """Return the leave-one-out residuals ``y_i - f_{-i}(x_i)`` for fixed centers, widths and penalty. A row
        with weight 2 is treated as two rows, one of which is left out. A residual is infinite if the network
        interpolates the row.
        """
        return self._shaped(self._left_out())

    @reads
    def loo_predict(self, *, relearn: bool = False) -> FloatArray:
        """Predict each stored row from all other rows, in closed form for fixed centers, widths and penalty. These,
        column statistics and attribute weights use all rows; ``relearn=True`` fits the network again without each row.
        """
        return self._shaped(self._loo_outputs(relearn))

    def _shaped(self, outputs: FloatArray) -> FloatArray:
        return outputs[:, 0] if self._flat else outputs

    def _learned(self) -> FloatArray:
        instances = self._stored().instances
        return np.stack([instances.target(t) for t in range(len(instances.targets or ()))], axis=1)

    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        return basis.quantile_groups(rows.targets, rows.weights, min(10, count))

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        return learned_numbers(self, y, first, squared=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = not needs_one_target(self.attribute_weights)
        return tags


class RBFNetworkClassifier(ClassifierMixin, RBFNetwork):
    """Radial basis function network for classification, with one output for each class.

    Each class is fitted as a 0/1 target, as in `RBFNetworkRegressor`, with shared centers, widths and penalty. Negative
    outputs are set to 0, and then outputs are divided by their sum. These shares s are calibrated to probabilities
    ``(1 - u) s_c^(1/T) / sum s^(1/T) + u / K`` for K classes. T and u are selected by the leave-one-out log-score. If
    nothing is known of a query, the probabilities are not the class frequencies.

    Parameters
    ----------
    n_centers, centers, width, alpha, random_state
        See `RBFNetworkRegressor`. ``"stratified"`` draws rows in proportion to the classes, at least one per class.
    distance, attribute_weights, categorical_features, schema, n_jobs
        See `KNNClassifier`.

    Attributes
    ----------
    classes_, coef_, intercept_
        Classes, weights of the centers, shape (classes, centers), and intercepts. See `RBFNetworkRegressor` for others.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[31, "red"], [29, "red"], [35, "red"], [62, "blue"], [None, "blue"], [58, "blue"]]
    >>> model = pc.RBFNetworkClassifier(3, alpha=0.1).fit(X, ["no", "no", "no", "yes", "yes", "yes"])
    >>> model.predict([[60, "blue"], [33, "red"]])
    array(['yes', 'no'], dtype='<U3')
    >>> model.predict_proba([[60, "blue"], [45, None]]).round(2)
    array([[0.18, 0.82],
           [0.24, 0.76]])
    """

    _labeling: Labeling

    @property
    @reads
    def classes_(self) -> AnyArray:
        """Classes in ascending order."""
        return self._classes().labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Store the rows, replacing any rows stored before, and fit the network; see `KNNClassifier.fit`."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; the network is fitted again at the next prediction. See `KNNClassifier.partial_fit`."""
        return self._partial_fit(X, y, sample_weight, classes)

    @reads
    def decision_function(self, X: Any) -> FloatArray:
        """Return the outputs, shape (queries, classes); for two classes, return their difference, shape (queries,)."""
        outputs = self._outputs_of(X)
        return outputs[:, 1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs

    @reads
    def predict(self, X: Any) -> AnyArray:
        """Predict the class with the largest output; ties go to the first class in ``classes_``."""
        return np.asarray(self._classes().labels[self._outputs_of(X).argmax(axis=1)])

    @reads
    def predict_proba(self, X: Any) -> FloatArray:
        """Predict the calibrated probability of each class in ``classes_``."""
        return self._calibrated(shares(self._outputs_of(X), self._classes().weights))

    @reads
    def loo_predict_proba(self, *, relearn: bool = False) -> FloatArray:
        """Predict the class probabilities of each stored row from all other rows.

        If the network interpolates a row, its probabilities are the class frequencies of the other rows. For
        ``relearn``, see `RBFNetworkRegressor.loo_predict`.
        """
        if not needs_refits(self, relearn):
            return self._calibrated(self._loo_shares(whole=True))
        found = []
        for _, other, query in refits(self):
            outputs = other._network().outputs(other._stored().instances.encode(query), threads=1)[0]
            found.append(other._calibrated(shares(outputs, other._classes().weights)))
        return np.concatenate(found)

    def _loo_shares(self, *, whole: bool) -> FloatArray:
        """Return the class shares of each stored row by leave-one-out; for ``whole``, see `Spectrum.left_out`."""
        outputs, classes = self._learned() - self._left_out(whole=whole), self._classes()
        weights = self._stored().row_weights
        others = np.repeat(classes.weights[np.newaxis, :], len(outputs), axis=0)
        at = np.arange(len(outputs)), classes.codes
        gone = 1.0 if weights is None else weights if whole else np.minimum(weights, 1.0)
        others[at] = np.maximum(others[at] - gone, 0.0)
        outputs[~np.isfinite(outputs).all(axis=1)] = 0.0
        return shares(outputs, others)

    def _calibrated(self, found: FloatArray) -> FloatArray:
        """Convert shares to probabilities without changing the ranking of the classes."""
        temperature, equal = self._stored().cached("calibration", self._calibration)
        return mixed(tempered(found, temperature), equal)

    def _calibration(self) -> tuple[float, float]:
        """Select the temperature and the weight of the uniform distribution by the leave-one-out log-score."""
        memory, classes = self._stored(), self._classes()
        if len(memory) < 2:
            return 1.0, 0.5
        weights = np.ones(len(memory)) if memory.row_weights is None else memory.row_weights
        found, rows = self._loo_shares(whole=False), np.arange(len(memory))
        scores = []
        for temperature in _TEMPERATURES:
            came = tempered(found, temperature)[rows, classes.codes]
            equal = _equal_part(came, weights, classes.labels.size)
            likely = np.log((1.0 - equal) * came + equal / classes.labels.size)
            scores.append((float((weights * likely).sum() + np.log(equal)), temperature, equal))
        return max(scores)[1:]

    def _classes(self) -> Classes:
        memory = self._stored()
        return memory.followed("classes", lambda earlier: self._labeling.classes(memory.instances, earlier or ()))[0]

    def _learned(self) -> FloatArray:
        classes = self._classes()
        return np.eye(classes.labels.size)[classes.codes]

    def _strata(self, rows: SortedRows, count: int) -> IntArray:
        return np.asarray(rows.targets.argmax(axis=1))

    def _read_targets(self, y: Any, classes: Any, first: bool) -> tuple[Schema, AnyArray]:
        instances, earlier = (None, None) if first else (self._stored().instances, self._labeling)
        labeling, targets, labels = learned_labels(y, classes, earlier, instances)
        if labels.shape[1] != 1:
            raise TargetError(f"y has {labels.shape[1]} columns; expected one column. Fit one network for each target.")
        self._labeling = labeling
        return targets, labels


def shares(outputs: FloatArray, otherwise: FloatArray) -> FloatArray:
    """Return positive outputs divided by their sum; rows without positive outputs use the weights ``otherwise``."""
    positive = np.maximum(outputs, 0.0)
    none = ~(positive > 0.0).any(axis=1)
    positive[none] = otherwise if otherwise.ndim == 1 else otherwise[none]
    total = positive[:, 0].copy()
    for column in positive.T[1:]:
        total += column
    return np.minimum(positive / total[:, None], 1.0)


def tempered(found: FloatArray, temperature: float) -> FloatArray:
    """Return the shares s raised to the power ``1 / temperature`` and divided by their sum."""
    raised = found ** (1.0 / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def mixed(found: FloatArray, equal: float) -> FloatArray:
    """Mix shares s of K classes with a uniform distribution: ``(1 - u) s + u / K``, where u is ``equal``."""
    return np.asarray((1.0 - equal) * found + equal / found.shape[1])


def _equal_part(came: FloatArray, weights: FloatArray, n_classes: int) -> float:
    """Return the best weight of a uniform distribution that is mixed with the shares ``came`` of the true classes."""
    part = 0.5
    # Expectation maximization. The added 1.0 is a row with a share of 0, which keeps the result positive.
    for _ in range(_MIXTURE_STEPS):
        equal = part / n_classes
        part = float((weights * equal / ((1.0 - part) * came + equal)).sum() + 1.0) / float(weights.sum() + 1.0)
    return part
