"""What the classifiers share whose attributes depend on each other in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from priorcase._core import normalise_rows
from priorcase._typing import FloatArray, IntArray, Name
from priorcase.bayes.additive import Scale, query_slots
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.discretise import MDL, Discretiser
from priorcase.bayes.memory import BayesMemory, Discrete, slots_of
from priorcase.bayes.numeric import Gaussian, KernelDensity, Numeric, Student, resolve_numeric
from priorcase.bayes.pair_models import Family, PairModel, choose_ess
from priorcase.bayes.pairs import PairCounts, PairMarginals, check_n_pairs
from priorcase.exceptions import ParameterError, quoted
from priorcase.instances import Instances
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Schema, Table

Ess: TypeAlias = float | Literal["auto"]
Bins: TypeAlias = str | Discretiser | Mapping[Any, str | Discretiser]

_ROWS_AT_ONCE = 1 << 14


class StructuredBayes(BayesClassifier):
    """Base of the classifiers that answer from counts of pairs: subclasses name their family of structures."""

    missing = "value"
    _family: ClassVar[Family]
    _least: float = 1.0
    _ess: Ess
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "ess": [Interval(Real, 1e-100, 1e100, closed="both"), StrOptions({"auto"})]
    }

    def __init__(
        self, ess: Ess, numeric: Bins, categorical_features: CategoricalFeatures, schema: SchemaLike, n_jobs: int | None
    ) -> None:
        self.ess = ess
        self.numeric = numeric
        self.categorical_features = categorical_features
        self.schema = schema
        self.n_jobs = n_jobs

    @property
    @reads
    def ess_(self) -> float:
        """The equivalent sample size in use; with ``ess="auto"`` the one that was chosen."""
        return self._model().ess

    def _column_labels(self) -> tuple[Name, ...]:
        schema = self._stored().instances.schema
        return tuple(schema.label(a) for a in range(len(schema)))

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        codes = self._values().of_queries(self._stored().instances.encode(table))
        return _scaled(self._model().joint_logs(codes, threads=threads), scale)

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, threads = self._stored(), self._threads()
        values, model = self._values(), self._model()
        own, weights = memory.class_positions(self._statistics().codes), memory.row_weights
        joint = np.empty((len(memory), model.counts.n_classes))
        for start in range(0, len(memory), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            codes = values.of_rows(memory.instances, rows).T
            leave = None if weights is None else weights[rows]
            joint[rows] = model.left_out_joint_logs(codes, own[rows], leave, threads=threads)
        return _scaled(joint, scale)

    def _values(self) -> NumberedValues:
        statistics = self._statistics()
        return self._stored().cached("numbered values", lambda: NumberedValues.of(statistics.discrete))

    def _model(self) -> PairModel:
        memory = self._stored()
        return memory.cached("pair model", lambda: self._fitted_model(memory))

    def _fitted_model(self, memory: BayesMemory) -> PairModel:
        values, statistics = self._values(), self._statistics()
        counts = PairCounts.of_rows(
            lambda rows: values.of_rows(memory.instances, rows),
            memory.class_positions(statistics.codes),
            memory.row_weights,
            values.sizes,
            statistics.n_classes,
            threads=self._threads(),
        )
        marginals = PairMarginals(counts)
        ess = choose_ess(marginals, self._family) if self._ess == "auto" else self._ess
        return PairModel(marginals, self._family, ess, self._least)

    def _finish_fit(self) -> None:
        super()._finish_fit()
        _ = self._model().log_weights

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._ess = "auto" if self.ess == "auto" else float(self.ess)
        if not isinstance(self.numeric, Mapping):
            self._check_bins(resolve_numeric(self.numeric))

    def _check_bins(self, strategy: Numeric | None) -> None:
        if isinstance(strategy, (Student, Gaussian, KernelDensity)):
            raise ParameterError(
                "numeric must be a way to cut numbers into bins, because pairs of values are counted, for example "
                f"'mdl' or KMeansBins(bins=5), got {quoted(self.numeric)}"
            )

    def _chooses(self) -> bool:
        return self._ess == "auto" or super()._chooses()

    def _check_rows(self) -> None:
        super()._check_rows()
        memory = self._memory
        if len(memory):
            statistics, schema = memory.statistics(self._labelling, memory.threads), memory.instances.schema
            names = [schema.label(a) for a in statistics.discrete.attributes]
            check_n_pairs(statistics.discrete.sizes, statistics.n_classes, names)

    def _strategies(self, schema: Schema) -> list[Numeric | None]:
        strategies = super()._strategies(schema)
        if not isinstance(self.numeric, Mapping):
            return strategies
        given = set(schema.positions(self.numeric, parameter="numeric"))
        for a in given:
            self._check_bins(strategies[a])
        return [MDL() if s is not None and a not in given else s for a, s in enumerate(strategies)]


def _scaled(joint: FloatArray, scale: Scale) -> FloatArray:
    if scale != Scale.JOINT:
        normalise_rows(joint, scale)
    return joint


@dataclass(frozen=True, slots=True, eq=False)
class NumberedValues:
    """The values that each attribute can have, numbered from 0 in the order of their slots.

    ``order`` is the position of each attribute of the schema in ``discrete``; ``numbers`` gives the number of each of
    its slots, -1 for a value that it cannot have.
    """

    discrete: Discrete
    order: tuple[int, ...]
    numbers: tuple[NDArray[np.int32], ...]

    @classmethod
    def of(cls, discrete: Discrete) -> Self:
        """The numbering of discrete attributes, which must be all attributes."""
        order = np.argsort(np.array(discrete.attributes, dtype=np.intp))
        numbers = []
        for d in order.tolist():
            inside = discrete.inside[discrete.starts[d] : discrete.starts[d + 1]]
            numbers.append(np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32))
        return cls(discrete, tuple(order.tolist()), tuple(numbers))

    @property
    def sizes(self) -> IntArray:
        """The number of values of each attribute."""
        sizes: IntArray = self.discrete.sizes[list(self.order)]
        return sizes

    def of_rows(self, instances: Instances, rows: slice) -> NDArray[np.int32]:
        """The values of some stored rows, (attributes, rows)."""
        found = np.empty((len(self.order), len(range(*rows.indices(len(instances))))), dtype=np.int32)
        for a, d in enumerate(self.order):
            found[a] = self.numbers[a][slots_of(instances.column(a)[rows], self.discrete.cuts[d])]
        return found

    def of_queries(self, cells: FloatArray) -> NDArray[np.int32]:
        """The values of queries, (queries, attributes); -1 for an unseen value."""
        found = np.empty(cells.shape, dtype=np.int32)
        for a, d in enumerate(self.order):
            found[:, a] = self.numbers[a][query_slots(cells[:, a], self.discrete, d)]
        return found
