"""Calibration of every class at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from priorcase._typing import Value
from priorcase.datasets.columns import Backend
from priorcase.evaluation.calibration import CalibrationTable, Strategy, calibration_table
from priorcase.evaluation.forecasts import read_forecasts
from priorcase.evaluation.reliability_plot import draw_diagonal, draw_points
from priorcase.exceptions import UnknownNameError, advice, listed, prefix_errors, quoted
from priorcase.learning.plotting import drawing, legend_beside
from priorcase.learning.results import Grid, GridResult, framed

__all__ = ["ClasswiseCalibration", "classwise_calibration"]

_HEADER = ("class", "rows", "observed", "mean probability", "calibration error", "largest gap")


@dataclass(frozen=True, repr=False, eq=False)
class ClasswiseCalibration(Mapping[Value, CalibrationTable], GridResult):
    """The calibration table of each class, by its label; prints as one line for each class.

    Parameters
    ----------
    tables
        The table of each class.
    """

    tables: dict[Value, CalibrationTable]

    def __getitem__(self, label: Value) -> CalibrationTable:
        if label not in self.tables:
            names = list(self.tables)
            raise UnknownNameError(
                f"ClasswiseCalibration has nothing for {quoted(label)}; it has {listed(names)}. "
                f"{advice(label, names, otherwise='list(...) gives all that it has.')}"
            )
        return self.tables[label]

    def __iter__(self) -> Iterator[Value]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def expected_error(self) -> float:
        """The mean over the classes of their expected calibration errors (Kull et al. 2019, eq. 3)."""
        return float(np.mean([table.expected_error for table in self.tables.values()]))

    def frame(self, backend: Backend | None = None) -> Any:
        """One line for each bin of each class: ``class``, then the columns of `CalibrationTable.frame`.

        Parameters
        ----------
        backend
            The library whose frame to return; None: the first that is installed, a dictionary of arrays where none is.
        """
        columns: dict[str, Any] = {"class": [label for label, table in self.tables.items() for _ in range(len(table))]}
        parts = [table.columns() for table in self.tables.values()]
        columns |= {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return framed(columns, backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Observed shares against probabilities, a line for each class.

        Parameters
        ----------
        ax
            Axes of matplotlib; None for a figure of its own.
        """
        with drawing(ax, size=(6.0, 4.2)) as ax:
            draw_diagonal(ax)
            for i, (label, table) in enumerate(self.tables.items()):
                draw_points(ax, table, i, str(label), bars=False)
            ax.set_title("Calibration of each class")
            legend_beside(ax)
            return ax

    def _grid(self) -> Grid:
        lines = []
        for label, table in self.tables.items():
            rows, filled = table.rows.sum(), table.rows > 0
            observed, mean = (
                float(np.dot(table.rows[filled], each[filled]) / rows) for each in (table.observed, table.probability)
            )
            numbers = (observed, mean, table.expected_error, table.largest_error)
            lines.append([str(label), f"{rows:.6g}", *(f"{number:.3f}" for number in numbers)])
        title = f"calibration of each class: mean of the expected calibration errors {self.expected_error:.3f}"
        return Grid(title, _HEADER, lines, right=range(1, 6))


@prefix_errors
def classwise_calibration(
    y_true: ArrayLike,
    proba: ArrayLike,
    *,
    bins: int = 10,
    strategy: Strategy = "uniform",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ClasswiseCalibration:
    """A calibration table for each class: how often it came true where it was given a certain probability.

    Parameters
    ----------
    y_true, proba, bins, strategy, labels, sample_weight
        As in `calibration_table`.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.8, 0.2], [0.8, 0.2], [0.3, 0.7], [0.4, 0.6]]
    >>> tables = classwise_calibration(["no", "no", "yes", "yes", "yes"], proba, labels=["no", "yes"], bins=4)
    >>> tables
    calibration of each class: mean of the expected calibration errors 0.240
      class  rows  observed  mean probability  calibration error  largest gap
      no        5     0.400             0.640              0.240        0.350
      yes       5     0.600             0.360              0.240        0.350
    >>> tables["yes"].rows.tolist()
    [3.0, 0.0, 2.0, 0.0]
    """
    forecasts = read_forecasts(y_true, proba, labels, sample_weight)
    options: dict[str, Any] = {
        "bins": bins,
        "strategy": strategy,
        "labels": list(forecasts.labels),
        "sample_weight": forecasts.weights,
    }
    truth = [forecasts.labels[code] for code in forecasts.truth]
    tables = {
        label: calibration_table(truth, forecasts.shares, pos_label=label, **options) for label in forecasts.labels
    }
    return ClasswiseCalibration(tables)
