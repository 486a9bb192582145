"""A fitted mixture: what its parameters answer about rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, FloatArray
from priorcase._validation import read_queries
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import distribution, log_distribution, log_responsibilities, responsibilities
from priorcase.bayes.mixture.layout import LaidOut, Layout
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.bayes.mixture.reading import Training
from priorcase.bayes.mixture.surprises import Yardstick
from priorcase.learning.frames import Backend
from priorcase.schema import Schema, Table


@dataclass(frozen=True, eq=False)
class Fitted:
    """Everything that questions are answered from.

    Parameters
    ----------
    layout, parameters
        The columns, and the components, the heaviest first.
    yardstick
        How odd the training rows are.
    schema
        What the columns were taken for.
    labels
        The classes in ascending order; None without a class.
    backend
        The library whose frame the training rows came in; None for arrays and lists.
    """

    layout: Layout
    parameters: Parameters
    yardstick: Yardstick
    schema: Schema
    labels: AnyArray | None
    backend: Backend | None

    @classmethod
    def of(cls, training: Training, laid_out: LaidOut, parameters: Parameters, backend: Backend | None) -> Fitted:
        """The end of a run of EM: components by weight, values in the order in which they are shown."""
        parameters = parameters.ordered(np.argsort(-parameters.log_weights, kind="stable"))
        yardstick = Yardstick.of(laid_out.layout, parameters, laid_out.cells.merged())
        layout, parameters = laid_out.layout.listing(laid_out.shown), parameters.listing(laid_out.shown)
        return cls(layout, parameters, yardstick, training.instances.schema, training.labels, backend)

    def table(self, estimator: object, X: Any) -> Table:
        """Rows to answer questions about."""
        return read_queries(estimator, X, self.layout.reader)

    def cells(self, table: Table) -> Cells:
        """The rows of a table, encoded."""
        return self.layout.encode(self.layout.reader.encode(table))

    def shares(self, cells: Cells) -> FloatArray:
        """Probability of each component for each row, shape (components, rows)."""
        return responsibilities(self.parameters, cells)[0]

    def log_densities(self, cells: Cells) -> FloatArray:
        """Log-density of each row."""
        return responsibilities(self.parameters, cells)[1]

    @property
    def free(self) -> int:
        """How many numbers the density of rows without their class can choose freely."""
        tables = self.parameters.tables[:-1] if self.layout.classed else self.parameters.tables
        return replace(self.parameters, tables=tables).free

    def log_shares(self, cells: Cells) -> FloatArray:
        """Log-probability of each component for each row, shape (components, rows)."""
        return log_responsibilities(self.parameters, cells)

    def class_chances(self, cells: Cells) -> FloatArray:
        """Probability of each class for each row, shape (rows, classes)."""
        return distribution(self.parameters, self.shares(cells), len(self.layout.values) - 1)

    def log_class_chances(self, cells: Cells) -> FloatArray:
        """Log-probability of each class for each row, shape (rows, classes)."""
        return log_distribution(self.parameters, self.log_shares(cells), len(self.layout.values) - 1)
