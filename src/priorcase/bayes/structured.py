"""Bayes classifiers with pairwise dependencies between attributes: trees (TAN) or super-parents (AODE)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from priorcase._core import normalise_rows
from priorcase._typing import FloatArray, IntArray, Name
from priorcase.bayes import priors
from priorcase.bayes.additive import Estimates, Scale
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.counted import CountedMemory
from priorcase.bayes.discretize import Discretizer
from priorcase.bayes.memory import FIRST, MISSING, UNSEEN, slots_of
from priorcase.bayes.numeric import DENSITIES, Numeric
from priorcase.bayes.pairs import Family, PairCounts, PairModel, PairWeights, as_matrix, check_n_pairs
from priorcase.bayes.priors import Auto, BDeu, MEstimate, Prior
from priorcase.bayes.results import EdgeTable, SuperParentTable
from priorcase.exceptions import NotAvailableError, ParameterError, SchemaError, quoted
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import changes, reads
from priorcase.schema import CategoricalFeatures, Coded, Table

GivenPrior: TypeAlias = float | str | Prior | Auto | Mapping[Name, Any]
Bins: TypeAlias = str | Discretizer | Mapping[Any, str | Discretizer]

# Number of rows whose values are numbered at once, to limit memory.
_ROWS_AT_ONCE = 1 << 14
# Tables of pairs have so many cells that thousands of rows give few rows per cell: the range of "auto" ends at 1e6.
_DECADES = (-3, 6)
# Sums of weights with a smaller relative difference are equal up to rounding.
_SAME = 1e-9
_EVIDENCE = Estimates("evidence")


class StructuredBayes(BayesClassifier):
    """Base class of the classifiers that count pairs of values; subclasses define the family of structures."""

    missing = "value"
    _missing_apart = True
    _counts_pairs = True
    _default_prior = BDeu(20.0)
    _family: ClassVar[Family]
    _least: float = 1.0
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"keep_rows": ["boolean"]}

    def __init__(
        self,
        prior: GivenPrior | None = None,
        *,
        class_prior: Any = None,
        numeric: Bins = "mdl",
        keep_rows: bool = True,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        self.prior = prior
        self.class_prior = class_prior
        self.numeric = numeric
        self.keep_rows = keep_rows
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def prior_(self) -> Prior:
        """Prior in use; with ``prior="auto"``, the selected prior."""
        return self._fitted_model()[0]

    @property
    @reads
    def log_evidence_(self) -> float:
        """Log marginal likelihood of the stored rows, averaged over all structures or under the best tree."""
        if self._family == "plain_super_parents":
            raise NotAvailableError("AODE has no marginal likelihood; use SuperParentAveragedBayes")
        return self._log_evidence(*self._fitted_model())

    def _log_evidence(self, prior: Prior, model: PairModel) -> float:
        texts = self._statistics().texts
        return model.log_evidence() + sum(
            float(words.log_evidence(self._word_weights(prior, a)()).sum()) for a, words in texts.items()
        )

    def _word_weights(self, prior: Prior, a: int) -> Callable[..., FloatArray]:
        """Return a function that computes the weights of the words of text attribute ``a``."""
        schema, statistics = self._attributes().instances.schema, self._statistics()
        return partial(priors.word_weights, prior, schema.label(a), statistics.texts[a].words, statistics.n_classes)

    def _paired(self) -> list[int]:
        """Return the attributes that can depend on each other: all except texts."""
        return sorted(self._statistics().discrete.attributes)

    @changes
    def forget(self, ids: ArrayLike) -> Self:
        """Forget rows by id (see `ids_`), as if they had never been added; unknown or repeated ids raise an error."""
        super().forget(ids)
        if len(self._memory):
            self._check_weights()
        return self

    def _column_labels(self) -> tuple[Name, ...]:
        schema = self._attributes().instances.schema
        return tuple(schema.label(a) for a in self._paired())

    def _edge_table(self, u: IntArray, v: IntArray) -> EdgeTable:
        """Return a table of the edges between attributes at positions ``u`` and ``v``, where ``u < v``."""
        model, labels = self._model(), self._column_labels()
        pairs = tuple((labels[a], labels[b]) for a, b in zip(u.tolist(), v.tolist(), strict=True))
        gains = as_matrix(model.log_weights, len(labels))
        return EdgeTable(pairs, model.edge_probabilities[u, v], gains[u, v], self._backend)

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        memory = self._answering()
        queries = memory.taken_apart(table)
        codes = self._numbered(memory.attributes().instances.encode(queries)[:, self._paired()])
        joint = self._model().joint_logs(codes, threads=threads)
        for a, words in self._statistics().texts.items():
            joint += words.logs(
                cast(Coded, queries.columns[a]), self._word_weights(self._fitted_model()[0], a)(), _EVIDENCE
            )
        return joint if scale == Scale.JOINT else normalise_rows(joint, scale, threads)

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, threads, model = self._attributes(), self._threads(), self._model()
        own, weights = memory.class_positions(self._statistics().codes), memory.row_weights
        joint = np.empty((len(memory), model.counts.n_classes))
        for start in range(0, len(memory), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            leave = None if weights is None else weights[rows]
            joint[rows] = model.left_out_joint_logs(self._numbered_rows(rows).T, own[rows], leave, threads=threads)
        for a, words in self._statistics().texts.items():
            joint += words.left_out(self._word_weights(self._fitted_model()[0], a), _EVIDENCE)[0]
        return normalise_rows(joint, scale, threads)

    def _numbered(self, cells: FloatArray) -> IntArray:
        """Return the numbers of the values of queries, from 0 in each attribute, -1 if unseen. Overwrite ``cells``."""
        discrete, (numbers, starts, places) = self._statistics().discrete, self._value_numbers()
        missing = np.isnan(cells)
        for a, d in enumerate(places.tolist()):
            if (cuts := discrete.cuts[d]) is not None:
                cells[:, a] = np.searchsorted(cuts, cells[:, a], side="right")
        cells += starts + FIRST
        np.copyto(cells, starts + UNSEEN, where=(cells < starts + FIRST) | (cells >= discrete.starts[1:][places]))
        np.copyto(cells, starts + MISSING, where=missing)
        return numbers[cells.astype(np.intp)]

    def _numbered_rows(self, rows: slice) -> IntArray:
        """Return the numbers of the values of stored rows, from 0 in each attribute, shape (attributes, rows)."""
        column, (numbers, starts, places) = self._attributes().instances.column, self._value_numbers()
        cuts = self._statistics().discrete.cuts
        attributes = zip(self._paired(), zip(starts.tolist(), places.tolist(), strict=True), strict=True)
        return np.array([numbers[start:][slots_of(column(a)[rows], cuts[d])] for a, (start, d) in attributes])

    def _value_numbers(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return each cell's value number, and each attribute's first cell and place among the discrete attributes."""

        def numbers() -> tuple[IntArray, IntArray, IntArray]:
            discrete = self._statistics().discrete
            before, places = np.cumsum(discrete.sizes) - discrete.sizes, np.argsort(discrete.attributes)
            every = np.where(discrete.inside, np.cumsum(discrete.inside) - 1 - before[discrete.of], -1)
            return every.astype(np.int32), discrete.starts[:-1][places], places

        return self._stored().cached("value numbers", numbers)

    def _model(self) -> PairModel:
        return self._fitted_model()[1]

    def _fitted_model(self) -> tuple[Prior, PairModel]:
        return self._stored().cached("pair model", self._new_model)

    def _new_model(self) -> tuple[Prior, PairModel]:
        memory, statistics = self._attributes(), self._statistics()
        sizes = statistics.discrete.sizes[np.argsort(statistics.discrete.attributes)]
        if isinstance(memory, CountedMemory):
            counts = memory.pair_counts(*self._value_numbers()[:2], statistics.codes, sizes)
        else:
            own, weights, n_classes = memory.class_positions(statistics.codes), memory.row_weights, statistics.n_classes
            counts = PairCounts.of_rows(self._numbered_rows, own, weights, sizes, n_classes, threads=self._threads())
        prior = self._part_prior()

        def evidence(size: float) -> float:
            prior = BDeu(size)
            return self._log_evidence(prior, PairModel(counts, self._family, self._pair_weights(prior)))

        if isinstance(prior, Auto):
            prior = BDeu(priors.choose_weight(evidence, _DECADES))
        return prior, PairModel(counts, self._family, self._pair_weights(prior), self._least)

    def _pair_weights(self, prior: Prior) -> PairWeights:
        """Return the weights of classes and values; raise an error if their sums differ between attributes."""
        instances, statistics = self._attributes().instances, self._statistics()
        discrete, n_classes = statistics.discrete, statistics.n_classes
        classes = priors.resolve_class_prior(self._class_prior, prior, statistics.labels.tolist())
        places = np.argsort(discrete.attributes)
        if isinstance(prior, BDeu):
            even = PairWeights.even(discrete.sizes[places], n_classes, prior.equivalent_sample_size)
            return replace(even, classes=classes)
        cells = priors.cell_weights(prior, discrete, instances, n_classes)
        values, wider, unseen, sums = list[FloatArray](), list[FloatArray](), list[FloatArray](), list[FloatArray]()
        for d in places.tolist():
            slots = np.flatnonzero(discrete.inside[discrete.starts[d] : discrete.starts[d + 1]]) + discrete.starts[d]
            own, wide = (np.broadcast_to(of[slots], (slots.size, n_classes)) for of in (cells.cells, cells.widened))
            more = np.broadcast_to(cells.unseen[d], n_classes)
            sums.append(np.sort(own, axis=0).sum(axis=0))  # independent of the numbering of values
            # With an unseen value the sum of all weights does not change, so that the tables stay consistent.
            scale = sums[0] / (np.sort(wide, axis=0).sum(axis=0) + more)
            scale = np.where(np.abs(scale - 1.0) <= _SAME, 1.0, scale)
            values.append(own.ravel())
            wider.append((wide * scale).ravel())
            unseen.append(more * scale)
        self._check_sums(prior, np.array(sums))
        rest = np.concatenate(values), np.concatenate(wider), np.array(unseen)
        alike = all((of == of[0]).all() for of in (*values, *wider)) and bool((sums[0] == sums[0][0]).all())
        each = [np.array([of[0] for of in part]) if alike else None for part in (values, wider)]
        return PairWeights(classes, sums[0], *rest, *each)

    def _check_weights(self) -> None:
        """Raise an error if the weights of the prior are invalid, or if their sums differ between columns."""
        prior = self._part_prior()
        if self._class_prior is not None or not isinstance(prior, (Auto, BDeu, MEstimate)):
            self._pair_weights(BDeu() if isinstance(prior, Auto) else prior)

    def _check_sums(self, prior: Prior, sums: FloatArray) -> None:
        apart = np.abs(sums - sums[0]) > _SAME * sums[0]
        if apart.any():
            a, k = np.argwhere(apart)[0].tolist()
            labels = self._column_labels()
            first, other = labels[0], labels[a]
            raise ParameterError(
                f"prior={quoted(prior)} gives weights that sum to {sums[0, k]:.6g} per class for column {first!r}, "
                f"but to {sums[a, k]:.6g} for {other!r}; this model needs the same sum for every column. Use "
                "BDeu(20.0), MEstimate(5.0), or a mapping with equal sums."
            )

    def _finish_fit(self) -> None:
        super()._finish_fit()
        _ = self._model().log_weights

    def _check_numeric(self, strategy: Numeric | None) -> None:
        if isinstance(strategy, DENSITIES):
            raise ParameterError(
                "numeric must be a binning method, because pairs of values are counted, got "
                f"{quoted(self.numeric)}. Pass for example 'mdl' or KMeansBins(bins=5)."
            )

    def _check_rows(self) -> None:
        super()._check_rows()
        memory = self._memory
        if len(memory):
            statistics, schema = self._statistics(), self._attributes().instances.schema
            names = [schema.label(a) for a in statistics.discrete.attributes]
            if not names:
                raise SchemaError(
                    "expected at least one column that is not text, because pairs of attributes are counted. Use "
                    "NaiveBayes if all columns are text."
                )
            check_n_pairs(statistics.discrete.sizes, statistics.n_classes, names)
            self._check_weights()


class TreeAveragedBayes(StructuredBayes):
    """Bayesian model average over all tree-augmented naive Bayes classifiers.

    In a tree, each attribute except the root depends on the class and on one other attribute. If all trees have the
    same prior probability, ``P(k, q | D) = a_k prod_v theta_kv T(W o rho_k) / T(W)``, where ``T`` sums the products of
    edge weights over all trees, ``o`` multiplies elementwise, ``W_uv`` is the Bayes factor of an edge, theta are
    posterior means of the parameters and ``rho_kuv = theta_kuv / (theta_ku theta_kv)``. The average is exact and takes
    ``O(K A^3)`` per query (Meilă & Jaakkola 2000; Cerquides & López de Màntaras 2005).

    Numbers are binned, and missing is counted as a value, so if nothing is known, the probabilities are not the class
    frequencies (those of a `StackedClassifier` are). Dates and sets are split into attributes as in `NaiveBayes`; texts
    depend on the class alone.

    Parameters
    ----------
    prior
        Dirichlet weights. None: ``BDeu(20.0)``. ``BDeu(s)``: s rows spread evenly over all cells. ``"auto"``: the
        ``BDeu`` with the largest ``log_evidence_``. ``MEstimate(m)``: m rows in each class. Other priors of
        `NaiveBayes` must have the same sum of weights for all columns.
    class_prior
        See `NaiveBayes`.
    numeric, keep_rows, categorical_features, schema, n_jobs
        See `NaiveBayes`; numbers are always binned.

    Attributes
    ----------
    prior_, edge_probabilities_, log_evidence_, classes_, class_count_, cut_points_
        Prior, posterior probability of each edge, log marginal likelihood; see `NaiveBayes` for the rest.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> pc.TreeAveragedBayes().fit(X, y).edge_table()
    attribute  other  probability     gain
    0          1           1.0000  +112.90
    0          2           0.5000    -2.53
    1          2           0.5000    -2.53
    """

    _family: ClassVar[Family] = "all_trees"

    @property
    @reads
    def edge_probabilities_(self) -> FloatArray:
        """Posterior probability of an edge between two attributes, shape (attributes, attributes)."""
        return self._model().edge_probabilities

    @reads
    def edge_table(self) -> EdgeTable:
        """Return the posterior probability of each edge, by name; prints as a table."""
        u, v = np.triu_indices(self._model().counts.n_attributes, 1)
        return self._edge_table(u, v)


class TreeAugmentedBayes(StructuredBayes):
    """Tree-augmented naive Bayes classifier (TAN) with the most probable tree.

    The tree with the largest marginal likelihood is a maximum spanning tree over the log edge weights of
    `TreeAveragedBayes`. Friedman, Geiger & Goldszmidt (*Bayesian network classifiers*, 1997) use conditional mutual
    information instead. `loo_predict_proba` selects the tree again for each left-out row.

    Parameters and attributes: see `TreeAveragedBayes`. ``tree_`` (the edges, as pairs of column names) replaces
    ``edge_probabilities_``.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> model = pc.TreeAugmentedBayes().fit(X, y)
    >>> model.tree_, model.predict([["b", "b", "y"]])
    ([(0, 1), (0, 2)], array(['same'], dtype='<U6'))
    """

    _family: ClassVar[Family] = "best_tree"

    @property
    @reads
    def tree_(self) -> list[tuple[Name, Name]]:
        """Edges of the tree as pairs of column names, in column order."""
        edges, labels = self._model().tree.tolist(), self._column_labels()
        return [(labels[u], labels[v]) for u, v in edges]

    @reads
    def edge_table(self) -> EdgeTable:
        """Return the edges of the tree with their posterior probabilities over all trees; prints as a table."""
        u, v = self._model().tree.T
        return self._edge_table(u, v)


class SuperParentAveragedBayes(StructuredBayes):
    """Bayesian model average over naive Bayes and all super-parent classifiers.

    With super-parent p, all other attributes depend on p and the class: ``P(k, x) = P(k, x_p) prod_j P(x_j | k, x_p)``.
    The models are weighted by their marginal likelihoods (Kontkanen, Myllymäki, Silander & Tirri 1998, eq. 4). A query
    takes ``O(K A^2)`` time. With many rows, one model gets nearly all the weight; `AODE` uses equal weights instead.

    Parameters and attributes: see `TreeAveragedBayes`. ``super_parent_probabilities_`` and ``naive_probability_``
    replace ``edge_probabilities_``.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second, other] for first in "ab" for second in "ab" for other in "xy"] * 25
    >>> y = ["same" if first == second else "differ" for first, second, _ in X]
    >>> pc.SuperParentAveragedBayes().fit(X, y).super_parent_table()
    super-parent   probability     gain
    0                   0.5000  +110.36
    1                   0.5000  +110.36
    (naive Bayes)       0.0000    +0.00
    2                   0.0000    -5.07
    """

    _family: ClassVar[Family] = "super_parents"

    @property
    @reads
    def super_parent_probabilities_(self) -> FloatArray:
        """Posterior probability of each column as the super-parent."""
        return self._model().super_parent_probabilities[:-1]

    @property
    @reads
    def naive_probability_(self) -> float:
        """Posterior probability of naive Bayes."""
        return float(self._model().super_parent_probabilities[-1])

    @reads
    def super_parent_table(self) -> SuperParentTable:
        """Return the posterior probability of each super-parent and of naive Bayes; prints as a table."""
        model = self._model()
        probabilities, gains = model.super_parent_probabilities, model.super_parent_weights
        return SuperParentTable(self._column_labels(), probabilities, gains, self._backend)


class AODE(StructuredBayes):
    """Averaged one-dependence estimators (AODE): the unweighted average over all super-parents.

    ``P(k, x) = mean_p P(k, x_p) prod_j P(x_j | k, x_p)`` over the columns p whose value in the query occurs in at least
    ``min_count`` training rows. If there is no such column, naive Bayes is used (Webb, Boughton & Wang, *Not so naive
    Bayes*, 2005). `SuperParentAveragedBayes` weights the models by posterior probability instead.

    One prior for pairs of values smooths all tables consistently; Webb et al. smooth each table with its own
    m-estimate. ``prior="auto"`` maximizes the marginal likelihood of `SuperParentAveragedBayes`. Other parameters and
    attributes: see `TreeAveragedBayes`; ``edge_probabilities_`` and ``log_evidence_`` are not available.

    Examples
    --------
    >>> import priorcase as pc
    >>> X = [[first, second] for first in "ab" for second in "ab"] * 25
    >>> model = pc.AODE().fit(X, ["same" if first == second else "differ" for first, second in X])
    >>> model.predict([["a", "b"], ["b", "b"]])
    array(['differ', 'same'], dtype='<U6')
    """

    _family: ClassVar[Family] = "plain_super_parents"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StructuredBayes._parameter_constraints,
        "min_count": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        prior: GivenPrior | None = None,
        *,
        class_prior: Any = None,
        min_count: float = 1,
        numeric: Bins = "mdl",
        keep_rows: bool = True,
        categorical_features: CategoricalFeatures = "from_dtype",
        schema: SchemaLike = None,
        n_jobs: int | None = None,
    ) -> None:
        options: dict[str, Any] = {
            "keep_rows": keep_rows,
            "categorical_features": categorical_features,
            "schema": schema,
            "n_jobs": n_jobs,
        }
        super().__init__(prior, class_prior=class_prior, numeric=numeric, **options)
        self.min_count = min_count

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._least = float(self.min_count)
