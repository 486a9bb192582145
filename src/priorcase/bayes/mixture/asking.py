"""Questions about columns: what is known of the rows without them, what their values are, and which are likely."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, BoolArray, FloatArray
from priorcase.bayes.columns import Targets, joint_table, known_classes, value_array, with_missing_columns
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import distribution, expected
from priorcase.bayes.mixture.fitted import Fitted
from priorcase.bayes.mixture.imputing import Filling
from priorcase.bayes.results import JointDistribution
from priorcase.exceptions import MixtureError, QuestionError
from priorcase.schema import Table
from priorcase.schema.table import open_source


def without_columns(mixture: Fitted, X: Any, columns: Sequence[int]) -> Any:
    """A table in which those of some columns that it lacks are missing in every row."""
    return with_missing_columns(open_source(X), mixture.schema, attributes_of(mixture, columns))


def cells_without(mixture: Fitted, table: Table, y: Any, columns: Sequence[int]) -> Cells:
    """Rows with some columns missing, whatever they hold there, and with their classes where ``y`` knows them.

    The class, if it is among the columns, may not be known.
    """
    if y is not None and mixture.labels is None:
        raise MixtureError.no_class("y")
    if y is not None and len(mixture.schema) in columns:
        raise QuestionError.known_class()
    layout = mixture.layout
    matrix = layout.reader.encode(table)
    matrix[:, attributes_of(mixture, columns)] = np.nan
    classes = None if mixture.labels is None else known_classes(y, mixture.labels, len(matrix))
    if classes is not None:
        classes[classes < 0] = layout.sizes[-1]
    return layout.encode(matrix, classes)


def attributes_of(mixture: Fitted, columns: Sequence[int]) -> list[int]:
    """Those of some columns that are not the class."""
    return sorted(set(columns) - {len(mixture.schema)})


def values_of(mixture: Fitted, a: int) -> AnyArray:
    """The values of column ``a``, the class coming after all columns; an error where it has none."""
    if a == len(mixture.schema) and mixture.labels is not None:
        return mixture.labels
    j = mixture.layout.discrete_at(a)
    if j is None:
        raise MixtureError.no_distribution(mixture.schema.label(a))
    if not mixture.layout.values[j]:
        raise MixtureError.nothing_known(mixture.schema.label(a))
    return value_array(mixture.layout.values[j])


def likely_values(mixture: Fitted, shares: FloatArray, a: int) -> tuple[AnyArray, FloatArray | None]:
    """Of each row the most probable value of column ``a``, and the probabilities; or the expected number and None."""
    layout = mixture.layout
    j = layout.discrete_at(a)
    if j is not None:
        values, chances = values_of(mixture, a), distribution(mixture.parameters, shares, j)
        return values[chances.argmax(axis=1)], chances
    if a in layout.numeric:
        j = layout.numeric.index(a)
        return layout.scales[j].original(expected(mixture.parameters, shares, j)), None
    only = layout.silent[a]
    if only is None:
        raise MixtureError.nothing_known(mixture.schema.label(a))
    return np.full(shares.shape[1], only), None


def joint(mixture: Fitted, targets: Targets, shares: FloatArray) -> JointDistribution:
    """The distribution of several columns, from the probabilities of the components."""
    places = [mixture.layout.discrete_at(a) for a in sorted(targets.asked)]
    tables = [np.exp(mixture.parameters.tables[j][:, :-2]).T for j in places if j is not None]
    return targets.distribution(joint_table(shares.T, tables, kept=False), mixture.backend)


def fillings(mixture: Fitted, shares: FloatArray, matrix: FloatArray, names: Any) -> dict[int, Filling]:
    """What goes into the gaps of each column, by its position in a table with these column names, if it has any."""
    schema, result = mixture.schema, {}
    for a in range(len(schema)):
        gaps: BoolArray = np.isnan(matrix[:, a])
        if gaps.any():
            values, chances = likely_values(mixture, shares[:, gaps], a)
            position = a if schema.names is None or names is None else names.index(schema.names[a])
            result[position] = Filling(gaps, values.tolist(), numeric=chances is None)
    return result
