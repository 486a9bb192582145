"""Results of a mixture: components, numbers of components tried, and outlier scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from priorcase._numbers import decimals, equal_decimals, fixed, number
from priorcase._typing import Backend, FloatArray, IntArray, Name, Value
from priorcase.bayes.mixture.columns import Layout
from priorcase.learning import results as layouts
from priorcase.learning.results import Grid, GridResult, GridsResult, attribute_names, framed, short

if TYPE_CHECKING:
    from priorcase.bayes.mixture.em import Parameters

SelectionName: TypeAlias = Literal["cheeseman_stutz", "held_out"]
_ATTRIBUTES, _VALUE_WIDTH = 10, 24  # limits of printed outlier scores


@dataclass(frozen=True, repr=False, eq=False)
class Selection(GridResult):
    """Scores of the numbers of components tried; prints as a table.

    Parameters
    ----------
    name, n_components, scores
        Name of the score, the numbers of components tried, and their scores. The number with the highest score is
        selected; ties go to the smaller number.
    backend
        The frame library of the fit, or None.

    Examples
    --------
    >>> Selection("held_out", np.array([1, 2]), np.array([-8.25, -3.5]))
    components  held_out  below the best
             1     -8.25            4.75
             2     -3.50            0.00  chosen
    """

    name: SelectionName
    n_components: IntArray
    scores: FloatArray
    backend: Backend | None = None
    _caption: ClassVar[str] = "Numbers of components tried"

    @property
    def chosen(self) -> int:
        """Number of components with the highest score."""
        return int(self.n_components[int(np.argmax(self.scores))])

    def __len__(self) -> int:
        return self.n_components.size

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each number of components: ``components``, the score, and ``chosen``.

        ``backend``: see `Precedents.frame`.
        """
        chosen = self.n_components == self.chosen
        return framed(
            {"components": self.n_components, self.name: self.scores, "chosen": chosen}, backend or self.backend
        )

    def _grid(self) -> Grid:
        scores, below = equal_decimals(self.scores, 6), equal_decimals(self.scores.max() - self.scores)
        lines = [
            [str(n), *numbers, "chosen" if n == self.chosen else ""]
            for n, *numbers in zip(self.n_components.tolist(), scores, below, strict=True)
        ]
        return Grid("", ["components", self.name, "below the best", ""], lines, right=range(3))


@dataclass(frozen=True, slots=True, eq=False)
class Gaussians:
    """A numeric column: mean and standard deviation in each component."""

    means: FloatArray
    deviations: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """A discrete column: its values, and their probabilities in each component, shape (components, values)."""

    values: tuple[Value, ...]
    probabilities: FloatArray


@dataclass(frozen=True, repr=False, eq=False)
class Components(GridsResult):
    """Distribution of each column in each component of a `MixtureModel`; prints as a table of the most probable values.

    Parameters
    ----------
    weights, columns
        Probability of each component, and the distributions of each column, by column name. Numeric columns
        with fewer than two distinct numbers are omitted; the class is called ``"class"``.
    backend
        The frame library of the fit, or None.
    """

    weights: FloatArray
    columns: Mapping[Name, Gaussians | Chances]
    backend: Backend | None = None
    _caption: ClassVar[str] = "Components"

    @classmethod
    def of(cls, layout: Layout, parameters: Parameters, backend: Backend | None) -> Components:
        """Return the components of a mixture in the units of the table."""
        columns: dict[Name, Gaussians | Chances] = {}
        tables = [np.exp(table[:, :-2]) for table in parameters.tables]
        for a, name in enumerate(attribute_names(layout.reader.schema)):
            if a in layout.numeric:
                j = layout.numeric.index(a)
                scale = layout.scales[j]
                spread = np.sqrt(1.0 / parameters.precisions[j]) * scale.spread * scale.unit
                columns[name] = Gaussians(scale.original(parameters.means[j]), spread)
            elif a in layout.discrete:
                j = layout.discrete.index(a)
                columns[name] = Chances(layout.values[j], tables[j])
        if layout.has_class:
            columns[layouts.free_label("class", columns)] = Chances(layout.values[-1], tables[-1])
        return cls(np.exp(parameters.log_weights), columns, backend)

    def __len__(self) -> int:
        return self.weights.size

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each component, column and value.

        Columns: ``component``, ``weight``, ``column``; ``value`` and ``probability`` for nominal and ordinal columns
        and the class; ``mean`` and ``deviation`` for numeric columns. ``backend``: see `Precedents.frame`.
        """
        found: list[tuple[Any, ...]] = []
        for k, weight in enumerate(self.weights.tolist()):
            for name, column in self.columns.items():
                if isinstance(column, Gaussians):
                    found.append((k, weight, name, None, np.nan, float(column.means[k]), float(column.deviations[k])))
                else:
                    pairs = zip(column.values, column.probabilities[k].tolist(), strict=True)
                    found += [(k, weight, name, value, chance, np.nan, np.nan) for value, chance in pairs]
        labels = ("component", "weight", "column", "value", "probability", "mean", "deviation")
        columns: dict[str, Any] = dict(zip(labels, map(list, zip(*found, strict=True)), strict=True))
        columns["component"] = np.array(columns["component"], np.int64)
        for label in ("weight", "probability", "mean", "deviation"):
            columns[label] = np.array(columns[label], np.float64)
        return framed(columns, backend or self.backend)

    def _grids(self) -> list[Grid]:
        """Return tables with as many components side by side as the width allows."""
        labels = ["component", "weight", *(short(str(name), 24) for name in self.columns)]
        panels, left = list[list[list[str]]](), 0
        for k, weight in enumerate(self.weights.tolist()):
            text = [str(k), f"{weight:.3f}", *(_text(column, k) for column in self.columns.values())]
            width = layouts.text_width(text) + 2
            if not panels or width > left:
                panels.append([labels])
                left = 120 - layouts.text_width(labels)
            panels[-1].append(text)
            left -= width
        lines = [list(zip(*panel, strict=True)) for panel in panels]
        return [Grid("", first, rest) for first, *rest in lines]


def _text(column: Gaussians | Chances, k: int) -> str:
    if isinstance(column, Gaussians):
        return f"{number(column.means[k], 4)} ± {number(column.deviations[k], 4)}"
    chances = column.probabilities[k]
    likely = np.argsort(-chances, kind="stable")[:3].tolist()
    more = ", ..." if chances.size > 3 else ""
    return ", ".join(f"{layouts.value_text(column.values[i], 16)} {chances[i]:.2f}" for i in likely) + more


@dataclass(frozen=True, repr=False, eq=False)
class OutlierScores(layouts.PrintedPerQuery):
    """Outlier scores of rows with the columns that explain them, as returned by `MixtureModel.outlier_scores`.

    The result can be indexed and sliced by row, and prints as a table with the most surprising columns first.

    Parameters
    ----------
    names, queries, backend, numbers
        See `Precedents`.
    scores, tails
        Negative log-density of each row in nats, and the share of training rows with at least this score.
    surprises, usual
        ``surprises`` is ``-ln p(x_i | all other known columns)``, shape (rows, columns): usually large for erroneous
        values, and 0 for missing values. ``usual`` is the mean surprise of each column over the training rows.
    contributions, mixing
        Contribution of each column to the score, ``sum_k r_k (-ln p(x_i | k))`` with the row's responsibilities r, and
        the remainder of the score, ``sum_k r_k ln(r_k / p_k)``, which is due to the choice of component.
    """

    names: tuple[Name, ...]
    queries: list[layouts.Row]
    scores: FloatArray
    tails: FloatArray
    surprises: FloatArray
    usual: FloatArray
    contributions: FloatArray
    mixing: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()
    _by_query: ClassVar[tuple[str, ...]] = ("queries", "scores", "tails", "surprises", "contributions", "mixing")

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each query.

        Columns: ``query``, ``score``, ``tail``, ``component`` (the remainder of the score), the value of each column
        under its name, and for each column ``surprise of NAME`` and ``contribution of NAME``; see `Precedents.frame`
        for clashing names. ``backend``: see `Precedents.frame`.
        """
        query = np.array(self.numbers, np.int64)
        columns = {"query": query, "score": self.scores, "tail": self.tails, "component": self.mixing}
        parts = {"surprise": self.surprises, "contribution": self.contributions}
        return framed(layouts.by_attribute(columns, self.names, self.queries, parts), backend or self.backend)

    def _grid(self, i: int) -> Grid:
        """Return a table of the known columns, sorted by how far the surprise exceeds the usual surprise."""
        excess = self.surprises[i] - self.usual
        order = [a for a in np.argsort(-excess, kind="stable").tolist() if self.queries[i][a] is not None]
        lines, places = [], decimals([self.surprises[i], self.contributions[i]], 3)
        for a in order[:_ATTRIBUTES]:
            texts = [short(str(self.names[a]), _VALUE_WIDTH), layouts.value_text(self.queries[i][a], _VALUE_WIDTH)]
            numbers = (self.surprises[i, a], self.usual[a], excess[a], self.contributions[i, a])
            lines.append([*texts, *(fixed(number, places) for number in numbers)])
        if rest := order[_ATTRIBUTES:]:
            others, total = f"{len(rest)} other{'s' * (len(rest) > 1)}", self.contributions[i, rest].sum()
            lines.append([others, "", "", "", "", fixed(total, places)])
        lines.append(["(component)", "", "", "", "", fixed(self.mixing[i], places)])
        share = f"{self.tails[i]:.2%} of the training rows are at least as unusual"
        header = ["column", "value", "surprise", "usual", "excess", "contribution"]
        title = f"query {self.numbers[i]}: {number(self.scores[i], 4)} nats; {share}"
        return Grid(title, header, lines, right=range(2, 6))
