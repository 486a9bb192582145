"""A fitted mixture: what its parameters answer about rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._validation import read_queries
from priorcase.bayes.mixture.cells import Cells
from priorcase.bayes.mixture.densities import distribution, responsibilities
from priorcase.bayes.mixture.em import Climb
from priorcase.bayes.mixture.layout import Layout
from priorcase.bayes.mixture.oddness import Yardstick
from priorcase.bayes.mixture.parameters import Parameters
from priorcase.schema import Schema, Table
from priorcase.typing import AnyArray, FloatArray


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
    backend: Any

    @classmethod
    def of(
        cls, layout: Layout, run: Climb, cells: Cells, schema: Schema, labels: AnyArray | None, backend: Any
    ) -> Fitted:
        """The end of a run of EM, components ordered by weight."""
        parameters = run.parameters.ordered(np.argsort(-run.parameters.log_weights, kind="stable"))
        return cls(layout, parameters, Yardstick.of(layout, parameters, cells), schema, labels, backend)

    def table(self, estimator: object, X: Any, method: str) -> Table:
        """Rows to answer questions about."""
        return read_queries(estimator, X, self.layout.reader, method=method)

    def cells(self, table: Table) -> Cells:
        """The rows of a table, encoded."""
        return self.layout.encode(self.layout.reader.encode(table))

    def shares(self, cells: Cells) -> FloatArray:
        """Probability of each component for each row, shape (components, rows)."""
        return responsibilities(self.parameters, cells)[0]

    def log_densities(self, cells: Cells) -> FloatArray:
        """Log-density of each row."""
        return responsibilities(self.parameters, cells)[1]

    def class_chances(self, cells: Cells) -> FloatArray:
        """Probability of each class for each row, shape (rows, classes)."""
        chances = distribution(self.parameters, self.shares(cells), len(self.layout.values) - 1)
        # Each row of a table sums to 1 but for rounding, which must not lift a certain class above 1.
        return np.minimum(chances, 1.0)
