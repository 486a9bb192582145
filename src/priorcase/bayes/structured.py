"""What the classifiers share whose attributes depend on each other in pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from priorcase._core import normalise_rows
from priorcase._parameters import as_python, is_number
from priorcase._typing import FloatArray, Name
from priorcase.bayes.additive import Scale
from priorcase.bayes.discretise import Discretiser
from priorcase.bayes.gaussian import Gaussian
from priorcase.bayes.kernel_density import KernelDensity
from priorcase.bayes.left_out_mixin import LeaveOneOutMixin
from priorcase.bayes.mdl import MDL
from priorcase.bayes.numeric import Numeric, resolve_numeric
from priorcase.bayes.pair_marginals import PairMarginals
from priorcase.bayes.pair_models import Family, PairModel, choose_ess
from priorcase.bayes.pairs import PairCounts, check_n_pairs
from priorcase.bayes.student import Student
from priorcase.bayes.value_numbers import ValueNumbers
from priorcase.exceptions import ParameterError
from priorcase.learning.estimator import SchemaLike
from priorcase.learning.state import reads
from priorcase.schema import CategoricalFeatures, Schema, Table

Ess: TypeAlias = float | Literal["auto"]
Bins: TypeAlias = str | Discretiser | Mapping[Any, str | Discretiser]

_SMALLEST, _LARGEST = 1e-100, 1e100
_ROWS_AT_ONCE = 1 << 14


class StructuredBayes(LeaveOneOutMixin):
    """Base of the classifiers that answer from counts of pairs: subclasses name their family of structures."""

    missing = "value"
    _family: ClassVar[Family]
    _least: float = 1.0
    _ess: Ess

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

    # -- inside

    def _column_labels(self) -> tuple[Name, ...]:
        schema = self._stored().instances.schema
        return tuple(schema.label(a) for a in range(len(schema)))

    def _scores(self, table: Table, scale: Scale, *, threads: int) -> FloatArray:
        instances = self._stored().instances
        codes = self._numbers().queries(instances.encode(table))
        return _scaled(self._model().joint_logs(codes, threads=threads), scale)

    def _left_out(self, scale: Scale) -> FloatArray:
        memory, threads = self._stored(), self._threads()
        numbers, model = self._numbers(), self._model()
        own, weights = memory.class_positions(self._statistics().codes), memory.row_weights
        found = np.empty((len(memory), model.counts.n_classes))
        for start in range(0, len(memory), _ROWS_AT_ONCE):
            rows = slice(start, start + _ROWS_AT_ONCE)
            codes = numbers.stored(memory.instances, rows).T
            leave = None if weights is None else weights[rows]
            found[rows] = model.left_out_joint_logs(codes, own[rows], leave, threads=threads)
        return _scaled(found, scale)

    def _numbers(self) -> ValueNumbers:
        statistics = self._statistics()
        return self._stored().cached("value numbers", lambda: ValueNumbers.of(statistics.discrete))

    def _model(self) -> PairModel:
        return self._stored().cached("pair model", lambda: self._counted())

    def _counted(self) -> PairModel:
        memory, numbers = self._stored(), self._numbers()
        instances, statistics = memory.instances, self._statistics()
        counts = PairCounts.of_rows(
            lambda rows: numbers.stored(instances, rows),
            memory.class_positions(statistics.codes),
            memory.row_weights,
            numbers.sizes,
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
        self._ess = _check_ess(self.ess)
        if not isinstance(self.numeric, Mapping):
            _check_discretiser(resolve_numeric(self.numeric), self.numeric)

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
            _check_discretiser(strategies[a], self.numeric)
        return [MDL() if s is not None and a not in given else s for a, s in enumerate(strategies)]


def _scaled(joint: FloatArray, scale: Scale) -> FloatArray:
    if scale != Scale.JOINT:
        normalise_rows(joint, scale)
    return joint


def _check_ess(value: object) -> Ess:
    if isinstance(value, str) and value == "auto":
        return "auto"
    if is_number(value) and _SMALLEST <= (number := as_python(value)) <= _LARGEST:
        return float(number)
    expected = "'auto' or a finite number above 0 (1e-100 to 1e100)"
    hint = "it is how many rows the prior is worth; 'auto' takes what makes the stored rows most probable."
    raise ParameterError.wrong("ess", value, expected=expected, hint=hint)


def _check_discretiser(strategy: Numeric | None, given: object) -> None:
    """Pairs of attributes are counted, so numbers must be cut into bins."""
    if isinstance(strategy, (Student, Gaussian, KernelDensity)):
        hint = "for example numeric='mdl' or numeric=KMeansBins(bins=5)."
        raise ParameterError.wrong("numeric", given, expected="a way to cut numbers into bins", hint=hint)
