"""What a concept learner learned, to look at: its history, the curves of the papers, and its stored instances."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval

from priorcase._parameters import check_value
from priorcase._typing import AnyArray, FloatArray, Value
from priorcase.concepts.memory import ConceptMemory
from priorcase.exceptions import prefix_errors
from priorcase.learning.decoding import attribute_names
from priorcase.learning.frames import Backend, framed, free_label
from priorcase.learning.grids import Grid, grids_html, grids_text
from priorcase.learning.plotting import MUTED, drawing, legend_beside, style
from priorcase.learning.targets import objects

_LINES = 10
_COUNTS = ("stored", "acceptable", "accepted", "dropped")
_WINDOW = [None, Interval(Integral, 1, None, closed="left")]


@dataclass(frozen=True, repr=False, eq=False)
class LearningHistory:
    """What each instance did to the description, in the order of learning; prints as a table of some instances.

    All columns are flat, one entry for each instance seen; with a description for each class one after the other, the
    class of each part in ``concepts``.

    Parameters
    ----------
    correct
        Whether the instance was predicted correctly before it was learned: 1, 0, or -1 where nothing was stored to
        predict from.
    stored, acceptable
        How many instances are stored, and how many of them are acceptable, after it.
    accepted, dropped
        How many instances became acceptable by it, and how many were dropped or left the window.
    seen
        How many instances had been learned with it.
    concepts
        The classes with a description of their own; empty where all share one.
    selective
        Whether only acceptable instances are used to predict.
    backend
        The library whose frame the learner was fitted on, or None.

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

    seen: AnyArray
    correct: AnyArray
    stored: AnyArray
    acceptable: AnyArray
    accepted: AnyArray
    dropped: AnyArray
    concepts: tuple[Value, ...] = ()
    selective: bool = False
    backend: Backend | None = None

    @classmethod
    def of(cls, memory: ConceptMemory, backend: Backend | None) -> LearningHistory:
        """The history of one description, or of one for each class."""
        seen = memory.classes()
        ordered = memory.learned().ordered(seen.codes)
        traces = [one.trace.view() for _, one in ordered if one.trace is not None]
        lines = np.concatenate([np.empty((0, 5), np.int64), *traces])
        return cls(
            np.concatenate([np.empty(0, np.int64), *(np.arange(1, len(trace) + 1) for trace in traces)]),
            lines[:, 0].astype(np.int8),
            **{name: lines[:, 1 + i].copy() for i, name in enumerate(_COUNTS)},
            concepts=tuple(seen.labels[code] for code, _ in ordered if code is not None),
            selective=memory.design.rules.selective,
            backend=backend,
        )

    def __len__(self) -> int:
        """How many instances were seen."""
        return self.seen.size // max(len(self.concepts), 1)

    @property
    def accuracy(self) -> FloatArray:
        """The share of correct predictions so far, of those that were made; NaN before the first."""
        return self._accuracy(None)

    @prefix_errors
    def frame(self, window: int | None = None) -> Any:
        """One line for each instance seen, in a frame of the library that the learner was fitted with.

        Columns: ``concept`` where each class has a description, ``seen``, ``correct`` (None where no prediction was
        made), ``accuracy``, ``recent_accuracy`` with a window, ``stored``, ``acceptable``, ``accepted``, ``dropped``.
        After a fit on arrays: in one of the library that is installed.

        Parameters
        ----------
        window
            Over how many of the latest instances to take the recent accuracy, in which a drift shows; None for no such
            column.
        """
        check_value("window", window, _WINDOW)
        correct = objects([None if flag < 0 else bool(flag) for flag in self.correct.tolist()])
        columns: dict[str, Any] = {"seen": self.seen, "correct": correct, "accuracy": self.accuracy}
        if window is not None:
            columns["recent_accuracy"] = self._accuracy(window)
        columns |= {name: getattr(self, name) for name in _COUNTS}
        if self.concepts:
            columns = {"concept": np.repeat(objects(list(self.concepts)), len(self))} | columns
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None, window: int | None = None) -> Any:
        """Accuracy so far, or recently, and the share of the instances seen that are stored, against instances seen.

        Where only acceptable instances predict, their share as well. With a description for each class, a line of
        accuracy for each.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        window
            Over how many of the latest instances to take the accuracy, so that a drift shows; None for all so far.
        """
        check_value("window", window, _WINDOW)
        seen = self._by_concept(self.seen)
        accuracy = self._by_concept(self._accuracy(window))
        over = "so far" if window is None else f"of the last {window}"
        with drawing(ax) as ax:
            for k, concept in enumerate(self.concepts or ("",)):
                look = style(k)
                label = str(concept) if self.concepts else f"accuracy {over}"
                ax.plot(seen[k], accuracy[k], color=look.colour, linestyle=look.line, label=label)
            for name in ("stored", "acceptable") if self.selective else ("stored",):
                shares = self._by_concept(getattr(self, name)) / seen
                dashes = {
                    "color": MUTED,
                    "linewidth": 1.2,
                    "linestyle": (0, (5, 2)) if name == "stored" else (0, (1, 1)),
                }
                ax.plot(seen[0], shares.mean(axis=0), label=f"{name} share", **dashes)
            ax.set(xlabel="instances seen", ylabel="share", ylim=(0.0, 1.0))
            legend_beside(ax, f"accuracy {over}" if self.concepts else "")
            return ax

    def _accuracy(self, window: int | None) -> FloatArray:
        """The share of correct predictions among the latest instances; None for all."""
        correct = self._by_concept(self.correct)
        made = np.cumsum(correct >= 0, axis=1)
        right = np.cumsum(correct == 1, axis=1)
        if window is not None:
            for sums in (made, right):
                sums[:, window:] -= sums[:, :-window].copy()
        return np.where(made > 0, right / np.maximum(made, 1), np.nan).ravel()

    def _by_concept(self, column: AnyArray) -> AnyArray:
        return column.reshape(max(len(self.concepts), 1), -1)

    def __str__(self) -> str:
        return grids_text(self._grids())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return grids_html(self._grids())

    def _grids(self) -> list[Grid]:
        n = len(self)
        lines = np.unique(np.linspace(0, n - 1, min(n, _LINES)).round().astype(np.int64))
        names = ["stored", "acceptable", "dropped"] if self.selective else ["stored", "dropped"]
        columns = {name: self._by_concept(getattr(self, name)) for name in names}
        columns["dropped"] = np.cumsum(columns["dropped"], axis=1)
        accuracy = self._by_concept(self.accuracy)
        grids = []
        for k, concept in enumerate(self.concepts or (None,)):
            rows = [
                [str(i + 1), _share(accuracy[k, i]), *(str(columns[name][k, i]) for name in names)]
                for i in lines.tolist()
            ]
            of = "" if concept is None else f" of concept {concept!r}"
            grids.append(Grid(f"{n} instances{of}", ["seen", "accuracy", *names], rows, right=range(5)))
        return grids


def _share(value: float) -> str:
    return "-" if value != value else f"{value:.3f}"


def concept_frame(memory: ConceptMemory, backend: Backend | None) -> Any:
    """One line for each stored instance, or for each class and instance that its description stores."""
    seen, descriptions, instances = memory.classes(), memory.learned(), memory.instances
    parts = []
    for code, description in descriptions.ordered(seen.codes):
        records = description.records()
        concept = {} if code is None else {"concept": np.full(records["id"].size, seen.labels[code], object)}
        parts.append(concept | records)
    if not parts:  # no class was seen yet
        parts = [{"concept": objects([])} | descriptions.first.records()]
        parts[0] = {name: column[:0] for name, column in parts[0].items()}
    records = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    positions = instances.positions(records["id"])
    coded = seen.coded(instances, positions)
    own = {"class", "concept", *records}
    columns: dict[str, Any] = {name: records.pop(name) for name in ("id", "concept") if name in records}
    if seen.indicator:
        columns["class"] = objects([", ".join(str(seen.labels[k]) for k in np.flatnonzero(row)) for row in coded])
    else:
        columns["class"] = seen.classes[seen.positions[coded]]
    rows = instances.decode(positions)
    for a, name in enumerate(attribute_names(instances.schema)):
        label = f"{name} (value)" if str(name) in own else str(name)
        columns[free_label(label, columns)] = [row[a] for row in rows]
    return framed(columns | records, backend)
