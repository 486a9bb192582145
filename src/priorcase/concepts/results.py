"""Results of concept learners: histories, stored instances, exemplars and differences between values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._numbers import equal_decimals
from priorcase._parameters import check_value
from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, Name, Value
from priorcase.concepts.memory import ConceptMemory
from priorcase.exceptions import ParameterError, advice, prefix_errors, quoted
from priorcase.learning.plotting import MUTED, captions, color, drawing, legend_beside, style, tint
from priorcase.learning.results import (
    Grid,
    GridResult,
    GridsResult,
    Row,
    attribute_names,
    by_attribute,
    framed,
    free_label,
    short,
    value_text,
)
from priorcase.learning.targets import objects

_COUNTS = ("stored", "acceptable", "accepted", "dropped")
# Printing limits: instances of a history, exemplars, attributes, and characters of a value.
_LINES, _EXEMPLARS, _ATTRIBUTES, _WIDTH = 10, 30, 6, 16


@dataclass(frozen=True, repr=False, eq=False)
class LearningHistory(GridsResult):
    """Log of the effect of each instance on the concept description; prints as a table.

    Each column is a one-dimensional array with one value for each instance. If each class has its own description, the
    array contains all values of the first class in ``concepts``, then all values of the second class, and so on.

    Examples
    --------
    >>> import priorcase as pc
    >>> X, y = [[1.0], [9.0], [2.0], [8.0], [5.5]], ["low", "high", "low", "high", "low"]
    >>> pc.IB2(history=True).fit(X, y).history_
    5 instances
      seen  accuracy  stored  dropped
         1         -       1        0
         2     0.000       2        0
         3     0.500       2        0
         4     0.667       2        0
         5     0.500       3        0
    """

    seen: AnyArray  # number of instances learned, including this one
    correct: AnyArray  # whether it was predicted correctly: 1, 0, or -1 if there was nothing to predict from
    stored: AnyArray  # number of instances stored after it
    acceptable: AnyArray  # number of acceptable instances among them
    accepted: AnyArray  # number of instances that became acceptable after it
    dropped: AnyArray  # number of instances dropped because of it, or removed from the window
    concepts: tuple[Value, ...] = ()  # the classes with their own description; empty if all share one
    selective: bool = False  # whether only acceptable instances are used to predict
    backend: Backend | None = None  # the library whose frame the learner was fitted on

    @classmethod
    def of(cls, memory: ConceptMemory, backend: Backend | None) -> LearningHistory:
        """Create the history from the concept descriptions of a memory."""
        named = memory.named()
        seen = np.tile(np.arange(1, memory.seen.n_rows + 1), len(named))
        correct, *rest = np.concatenate([np.empty((0, 5), np.int64), *(one.trace for _, one in named)]).T.copy()
        counts: dict[str, Any] = dict(zip(_COUNTS, rest, strict=True))
        concepts = tuple(memory.seen.labels[code] for code, _ in named if code is not None)
        selective = memory.rules.keep == "significant"
        return cls(seen, correct.astype(np.int8), **counts, concepts=concepts, selective=selective, backend=backend)

    def __len__(self) -> int:
        """Return the number of instances seen."""
        return self.seen.size // max(len(self.concepts), 1)

    @property
    def accuracy(self) -> FloatArray:
        """Share of correct predictions up to and including each instance; NaN before the first prediction."""
        return self._accuracy(None)

    @prefix_errors
    def frame(self, window: int | None = None, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per instance seen.

        The columns are ``seen``, ``correct`` (None if no prediction was made), ``accuracy``, ``stored``,
        ``acceptable``, ``accepted`` and ``dropped``. If each class has its own description, the first column is
        ``concept``, the class. With ``window``, the column ``recent_accuracy`` contains the accuracy over the latest
        ``window`` instances. ``backend``: see `Precedents.frame`.
        """
        correct = objects([None if flag < 0 else bool(flag) for flag in self.correct.tolist()])
        columns: dict[str, Any] = {"seen": self.seen, "correct": correct, "accuracy": self.accuracy}
        if window is not None:
            columns["recent_accuracy"] = self._accuracy(window)
        columns |= {name: getattr(self, name) for name in _COUNTS}
        if self.concepts:
            columns = {"concept": np.repeat(objects(list(self.concepts)), len(self))} | columns
        return framed(columns, backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None, window: int | None = None) -> Any:
        """Plot the accuracy and the share of stored instances against the number of instances seen.

        If only acceptable instances are used to predict, their share is plotted, too. With ``window``, the accuracy is
        computed over the latest ``window`` instances, which shows concept drift.
        """
        seen, accuracy = self._by_concept(self.seen), self._by_concept(self._accuracy(window))
        over = "accuracy so far" if window is None else f"accuracy of the last {window}"
        with drawing(ax) as ax:
            for k, concept in enumerate(self.concepts or (over,)):
                look = style(k)
                ax.plot(seen[k], accuracy[k], color=look.color, linestyle=look.line, label=str(concept))
            for name, dashes in (("stored", (5, 2)), ("acceptable", (1, 1)))[: 1 + self.selective]:
                shares = (self._by_concept(getattr(self, name)) / seen).mean(axis=0)
                ax.plot(seen[0], shares, label=f"{name} share", color=MUTED, linewidth=1.2, linestyle=(0, dashes))
            ax.set(xlabel="instances seen", ylabel="share", ylim=(0.0, 1.0))
            legend_beside(ax, over if self.concepts else "")
            return ax

    def _accuracy(self, window: int | None) -> FloatArray:
        """Return the share of correct predictions among the latest ``window`` instances (None for all)."""
        check_value("window", window, [None, Interval(Integral, 1, None, closed="left")])
        correct = self._by_concept(self.correct)
        made, right = np.cumsum(correct >= 0, axis=1), np.cumsum(correct == 1, axis=1)
        if window is not None:
            for sums in (made, right):
                sums[:, window:] -= sums[:, :-window].copy()
        return np.where(made > 0, right / np.maximum(made, 1), np.nan).ravel()

    def _by_concept(self, column: AnyArray) -> AnyArray:
        return column.reshape(max(len(self.concepts), 1), -1)

    def _grids(self) -> list[Grid]:
        n = len(self)
        lines = np.unique(np.linspace(0, n - 1, min(n, _LINES)).round().astype(np.int64)).tolist()
        names = ["stored", "acceptable", "dropped"] if self.selective else ["stored", "dropped"]
        columns = {name: self._by_concept(getattr(self, name)) for name in names}
        columns["dropped"] = np.cumsum(columns["dropped"], axis=1)
        accuracy = self._by_concept(self.accuracy)
        grids = []
        for k, concept in enumerate(self.concepts or (None,)):
            shares = ["-" if np.isnan(share) else f"{share:.3f}" for share in accuracy[k].tolist()]
            rows = [[f"{i + 1:,}", shares[i], *(f"{columns[name][k, i]:,}" for name in names)] for i in lines]
            of = "" if concept is None else f" of concept {concept!r}"
            title = f"{n:,} instance{'s' * (n != 1)}{of}"
            grids.append(Grid(title, ["seen", "accuracy", *names], rows, right=range(5)))
        return grids


def concept_frame(memory: ConceptMemory, backend: Backend | None) -> Any:
    """Return a data frame with one row for each stored instance of each description."""
    seen, instances = memory.seen, memory.instances
    parts = []
    for code, description in memory.named():
        records = description.records()
        concept = {} if code is None else {"concept": np.full(records["id"].size, seen.labels[code], object)}
        parts.append(concept | records)
    if not parts:  # no class was seen yet
        empty = {"concept": objects([])} | memory.descriptions[None].records()
        parts = [{name: column[:0] for name, column in empty.items()}]
    records = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    positions = instances.positions(records["id"])
    coded = seen.coded(instances, positions)
    columns: dict[str, Any] = {name: records.pop(name) for name in ("id", "concept") if name in records}
    if seen.indicator:
        columns["class"] = objects([", ".join(str(seen.labels[k]) for k in np.flatnonzero(row)) for row in coded])
    else:
        columns["class"] = seen.classes[seen.positions[coded]]
    columns = by_attribute(columns | records, attribute_names(instances.schema), instances.decode(positions), {})
    records = {name: columns.pop(name) for name in records}  # after the attributes
    return framed(columns | records, backend)


@dataclass(frozen=True, eq=False, repr=False)
class Exemplars(GridResult):
    """Stored rows of PEBLS with their records and nearest exemplars; prints as a table.

    Examples
    --------
    >>> import priorcase as pc
    >>> pc.PEBLS().fit([["red"], ["red"], ["blue"]], ["rose", "rose", "violet"]).suspects(1)
    id  class  used  correct  weight  nearest   distance  x0
     0  rose      3        2     1.5  1 (rose)         0  red
    """

    names: tuple[Name, ...]  # of the attributes; ``x0``, ``x1``, ... for a table without names
    ids: IdArray
    rows: list[Row]  # their values, None if missing
    classes: AnyArray
    used: IdArray  # number of times each was the nearest exemplar, starting at 1 or at an inherited number
    correct: IdArray  # number of times its class was then right, starting at 1 or at an inherited number
    nearest: IdArray  # the nearest other exemplar by the weighted distance
    nearest_classes: AnyArray
    distances: FloatArray
    backend: Backend | None = None  # the library whose frame the estimator was fitted on

    def __len__(self) -> int:
        return self.ids.size

    @property
    def weights(self) -> FloatArray:
        """Weight ``w = used / correct`` of each exemplar; 1 for an exemplar whose class was never wrong."""
        return np.asarray(self.used / self.correct)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row per exemplar.

        The columns are ``id``, ``class``, ``used``, ``correct``, ``weight``, ``nearest``, ``nearest class``,
        ``distance``, and the attributes by name. ``backend``: see `Precedents.frame`.
        """
        columns = {"id": self.ids, "class": self.classes, "used": self.used, "correct": self.correct}
        columns |= {"weight": self.weights, "nearest": self.nearest, "nearest class": self.nearest_classes}
        columns["distance"] = self.distances
        return framed(by_attribute(columns, self.names, self.rows, {}), backend or self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """Plot the weight of each exemplar as a bar, which is darker if the nearest exemplar has another class."""
        unlike, named = self.classes != self.nearest_classes, captions(self.classes.tolist(), _WIDTH)
        with drawing(ax, size=(6.0, 1.0 + 0.24 * max(len(self), 6))) as ax:
            places = np.arange(len(self))
            faces, edges = np.where(unlike, color(3), tint(2, 0.35)), np.where(unlike, color(3), MUTED)
            ax.barh(places, self.weights, 0.7, color=faces.tolist(), edgecolor=edges.tolist(), linewidth=0.7)
            ax.set_yticks(places, [f"{i} ({label})" for i, label in zip(self.ids.tolist(), named, strict=True)])
            ax.invert_yaxis()
            ax.set(xlabel="weight: used / correct", ylabel="exemplar")
            ax.grid(False, axis="y")
            ax.tick_params(axis="y", length=0)
            if unlike.any():
                ax.set_title("dark: nearest exemplar has another class")
            return ax

    def _grid(self) -> Grid:
        header = ["id", "class", "used", "correct", "weight", "nearest", "distance"]
        header += [value_text(name, _WIDTH) for name in self.names[:_ATTRIBUTES]]
        own, others = self.classes.tolist(), self.nearest_classes.tolist()
        weights, distances = (equal_decimals(of[:_EXEMPLARS]) for of in (self.weights, self.distances))
        lines = []
        for i in range(min(len(self), _EXEMPLARS)):
            texts = [str(self.ids[i]), value_text(own[i], _WIDTH), f"{self.used[i]:,}", f"{self.correct[i]:,}"]
            nearest = f"{self.nearest[i]} ({value_text(others[i], _WIDTH)})"
            texts += [weights[i], nearest, distances[i]]
            lines.append(texts + [value_text(value, _WIDTH) for value in self.rows[i][:_ATTRIBUTES]])
        more, columns = len(self) - _EXEMPLARS, len(self.names) - _ATTRIBUTES
        rest = [f"... and {more:,} more exemplar{'s' * (more > 1)}"] if more > 0 else []
        if columns > 0:
            rest.append(f"{columns} more attribute{'s' * (columns > 1)} in frame()")
        return Grid("", header, lines, note="; ".join(rest), right={0, 2, 3, 4, 6})


@dataclass(frozen=True, eq=False, repr=False)
class ValueDifferences(GridResult):
    """Differences ``delta`` between the stored values of a column in PEBLS; prints as a table.

    Examples
    --------
    >>> import priorcase as pc
    >>> model = pc.PEBLS().fit([["red"], ["red"], ["blue"]], ["rose", "rose", "violet"])
    >>> model.value_differences(0)["red", "blue"]
    2.0
    """

    attribute: Name
    values: tuple[str, ...]  # its symbols: values, levels, or intervals of numbers, and ``"?"`` for missing
    matrix: FloatArray  # the differences, symmetric, 0 on the diagonal
    backend: Backend | None = None  # the library whose frame the estimator was fitted on

    def __getitem__(self, pair: tuple[str, str]) -> float:
        for value in pair:
            if value not in self.values:
                meant = advice(value, self.values, otherwise="See the attribute `values` for the stored values.")
                raise ParameterError(f"{quoted(value)} is not a stored value of {self.attribute!r}. {meant}")
        return float(self.matrix[self.values.index(pair[0]), self.values.index(pair[1])])

    def frame(self, backend: Backend | None = None) -> Any:
        """Return the differences as a data frame with a row and a column for each value.

        ``backend``: see `Precedents.frame`.
        """
        columns: dict[str, Any] = {"value": list(self.values)}
        for i, value in enumerate(self.values):
            columns[free_label(value, columns)] = self.matrix[:, i].copy()
        return framed(columns, backend or self.backend)

    def _grid(self) -> Grid:
        names = [short(value, _WIDTH) for value in self.values]
        columns = map(equal_decimals, self.matrix.T)
        lines = [list(line) for line in zip(names, *columns, strict=True)]
        title = f"differences between values of {self.attribute}"
        return Grid(title, ["", *names], lines, right=range(1, 1 + len(names)))
