"""What questions about columns share: what is asked for, and what is known without it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Final

import numpy as np

from priorcase._typing import AnyArray, FloatArray, IntArray, Name
from priorcase._validation import read_queries
from priorcase.bayes.additive import AdditiveModel, Scale
from priorcase.bayes.classifier import BayesClassifier
from priorcase.bayes.column_values import ColumnValues, column_values
from priorcase.bayes.counts import MISSING
from priorcase.bayes.tables import Estimates
from priorcase.bayes.zeros import normalise
from priorcase.exceptions import MixtureError, ParameterError, QuestionError, TargetError
from priorcase.learning.targets import as_array
from priorcase.schema import Schema, Table
from priorcase.schema.columns import ObjectColumn
from priorcase.schema.table import Source, open_source
from priorcase.schema.values import identity, is_hashable, is_missing, plain


class _Target(Enum):
    """A name that no column has."""

    TARGET = "class"

    def __repr__(self) -> str:
        return "TARGET"

    def __str__(self) -> str:
        return self.value


TARGET: Final = _Target.TARGET
"""Stands for the class among columns. So does the text ``"class"``, unless a column has that name."""


class AdditiveClassifier(BayesClassifier):
    """Base of the classifiers whose joint logs are sums over the attributes: they can be asked for more than classes.

    Subclasses say what the sums are by `_model`; those whose parameters may be zero set ``_estimates``.
    """

    _estimates: Estimates | None = None

    @abstractmethod
    def _model(self) -> AdditiveModel:
        """What the class and each attribute add to the joint logs."""

    def _log_probabilities(self, joint: FloatArray) -> FloatArray:
        return normalise(joint, None if self._estimates is None else self._estimates.policy)

    def _values_of(self, a: int) -> ColumnValues:
        """The values of column ``a``; an error where it has a density, or no known value at all."""
        memory, discrete = self._stored(), self._statistics().discrete
        label = memory.instances.schema.label(a)
        if a not in discrete.attributes:
            raise QuestionError.density(label)
        found = column_values(discrete, discrete.attributes.index(a), memory.instances)
        if not found.cells.size:
            raise QuestionError.nothing_known(label)
        return found

    def _class_shares(self, X: Any, y: Any, without: Sequence[int]) -> FloatArray:
        """The probability of each class for each query, from all columns but some; certain where ``y`` knows it."""
        memory = self._stored()
        instances, model = memory.instances, self._model()
        source = with_gaps(open_source(X), instances.schema, without)
        cells = instances.encode(read_queries(self, source, instances))
        known = known_classes(y, self._labels(), len(cells))
        cells[:, without] = np.nan
        table = Table(instances.schema, len(cells), block=cells)
        joint = silenced(model, without).scores(instances, table, Scale.JOINT, threads=self._threads())
        shares = np.exp(self._log_probabilities(joint))
        if known is not None:
            told = np.flatnonzero(known >= 0)
            shares[told] = 0.0
            shares[told, known[told]] = 1.0
        return shares


def silenced(model: AdditiveModel, attributes: Sequence[int]) -> AdditiveModel:
    """The model in which a gap in some attributes adds nothing, even where gaps are values."""
    discrete = model.discrete
    gaps = [int(discrete.starts[d]) + MISSING for d, a in enumerate(discrete.attributes) if a in attributes]
    if not gaps or not discrete.gaps_count:
        return model
    table = model.table.copy()
    table[gaps] = 0.0
    return replace(model, table=table)


def asked_positions(keys: Sequence[Name], schema: Schema, *, parameter: str, classed: bool = True) -> tuple[int, ...]:
    """The positions of some columns, each named once; the class comes after all of them."""
    seen: dict[int, Name] = {}
    for key in keys:
        a = asked_position(key, schema, parameter=parameter, classed=classed)
        if a in seen:
            raise ParameterError.same_column(parameter, seen[a], key)
        seen[a] = key
    return tuple(seen)


def asked_position(key: Name, schema: Schema, *, parameter: str, classed: bool = True) -> int:
    """The position of a column; that of the class is the number of columns. ``classed``: whether there is a class."""
    if key is not TARGET and not (isinstance(key, str) and key == TARGET.value):
        if classed and isinstance(key, str) and key not in (schema.names or ()):
            others = (TARGET.value,)
            raise ParameterError.unknown_column(parameter, key, schema.names, len(schema), others=others)
        return schema.position(key, parameter=parameter)
    column = None if key is TARGET or key not in (schema.names or ()) else schema.position(key)
    if classed and column is not None:
        raise QuestionError.ambiguous(column)
    if not classed and column is None:
        raise MixtureError.no_class(f"{parameter} with the class")
    return len(schema) if column is None else column


def with_gaps(source: Source, schema: Schema, columns: Sequence[int]) -> Source:
    """The table with those of some columns that it lacks, missing in every row."""
    gap = ObjectColumn([None] * source.rows)
    if schema.names is not None and source.names is not None:
        lacking = [name for a in columns if (name := schema.names[a]) not in source.names]
        return replace(source, names=(*source.names, *lacking), columns=(*source.columns, *(gap for _ in lacking)))
    if not columns or len(source.columns) != len(schema) - len(columns):
        return source
    others = iter(source.columns)
    return Source(None, tuple(gap if a in columns else next(others) for a in range(len(schema))), source.rows)


def known_classes(y: Any, labels: AnyArray, rows: int) -> IntArray | None:
    """The position of each known class, -1 where it is not known; None where nothing was given."""
    if y is None:
        return None
    values = as_array(y.tolist() if isinstance(y, np.ma.MaskedArray) else y)
    if values.ndim != 1:
        raise TargetError.shape(values.shape, several=False)
    if len(values) != rows:
        raise TargetError.length("y", len(values), rows)
    given = values.tolist()
    known = [i for i, value in enumerate(given) if not is_missing(value)]
    found = np.full(rows, -1)
    found[known] = class_positions([given[i] for i in known], labels, parameter="y")
    return found


def class_positions(given: Sequence[Any], labels: AnyArray, *, parameter: str) -> list[int]:
    """The positions of some classes among all."""
    of = {identity(plain(label)): k for k, label in enumerate(labels.tolist())}
    found = [of.get(identity(plain(label)), -1) if is_hashable(label) else -1 for label in given]
    if -1 in found:
        raise QuestionError.no_such_class(parameter, given[found.index(-1)], labels.tolist())
    return found
