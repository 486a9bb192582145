"""What a concept learner keeps: stored instances with their records, and those that it dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, Value
from priorcase.concepts.ib import ConceptLearner
from priorcase.exceptions import ParameterError, prefix_errors, quoted
from priorcase.learning.plotting import MUTED, class_styles, drawing, legend_beside
from priorcase.learning.results import framed, free_label
from priorcase.plots.columns import AxisColumn, read_rows
from priorcase.plots.display import Display
from priorcase.plots.planes import plane_of
from priorcase.plots.points import labels_equal, spread_out
from priorcase.plots.records import draw_records
from priorcase.plots.seen import seen_rows

_LISTED = 12

# In the order of drawing: what matters most lies on top.
STATES = ("passed", "dropped", "poor", "mediocre", "acceptable", "stored")
_WORDS = {"passed": "seen, not stored", "dropped": "stored, then dropped"}
_RECORD = ("successes", "trials", "accuracy_low", "accuracy_high", "frequency_low", "frequency_high")


@dataclass(frozen=True, eq=False, repr=False)
class ConceptDisplay(Display):
    """The instances of a concept description in a plane, by what became of them; made by `of`.

    Parameters
    ----------
    axes
        The two axes with the places of the instances.
    ids, labels
        The id and the class of each.
    states
        ``"acceptable"``, ``"mediocre"`` or ``"poor"`` where records decide who speaks, ``"stored"`` where they do not;
        ``"dropped"`` and ``"passed"`` (never stored) where the rows that were learned are given.
    records
        Successes, trials, and the bounds of accuracy and class frequency; NaN for what is not stored.
    classes
        The classes.
    backend
        The library whose frame the model was fitted on, or None.

    Examples
    --------
    >>> import numpy as np
    >>> import priorcase as pc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 2))
    >>> y = (X[:, 0] > 0.5) ^ (rng.uniform(size=300) < 0.1)
    >>> display = ConceptDisplay.of(pc.IB3(random_state=0, history=True).fit(X, y), X, y)
    >>> {state: int((display.states == state).sum()) for state in ("acceptable", "mediocre", "dropped", "passed")}
    {'acceptable': 27, 'mediocre': 30, 'dropped': 17, 'passed': 226}
    """

    axes: tuple[AxisColumn, AxisColumn]
    ids: IdArray
    labels: AnyArray
    states: AnyArray
    records: Mapping[str, FloatArray]
    classes: tuple[Value, ...]
    backend: Backend | None = None

    @classmethod
    def of(
        cls, model: Any, X: Any = None, y: Any = None, *, columns: Any = None, concept: Value = None
    ) -> ConceptDisplay:
        """The description of a fitted concept learner.

        Parameters
        ----------
        model
            A fitted `IB1` to `IB5`.
        X, y
            All rows that it has learned with their classes, in the order of their ids, to show those that are not
            stored as well; None for the stored ones alone. With ``history=True`` of the model those that were stored
            and then dropped are told from those that never were.
        columns
            The two columns to draw, by name or position; None: the only two, or principal components.
        concept
            Whose description, where each class has its own.
        """
        if not isinstance(model, ConceptLearner):
            raise ParameterError(
                f"model must be a fitted concept learner, got {quoted(model)}. IB1 to IB5 learn concept descriptions."
            )
        seen = seen_rows(model, X, y, concept)
        table = read_rows(model, seen.X)
        plane = plane_of(seen.X, table, columns)
        records = {name: np.asarray(seen.records[name], np.float64) for name in _RECORD}
        classes = tuple(model.classes_.tolist())
        return cls(plane.axes, seen.ids, seen.labels, seen.states, records, classes, getattr(model, "_backend", None))

    def _said(self) -> str:
        counts = [(int((self.states == state).sum()), state) for state in reversed(STATES)]
        return f"{self.ids.size} instances: " + ", ".join(f"{n} {state}" for n, state in counts if n)

    def frame(self) -> Any:
        """One line for each instance: ``id``, ``class``, the two axes by their names, ``state``, and its record.

        In a frame of the library that the model was fitted on, or of one that is installed.
        """
        columns: dict[str, Any] = {"id": self.ids, "class": self.labels}
        for axis in self.axes:
            places = axis.positions
            told = places if axis.values is None else [_value(axis, place) for place in places.tolist()]
            columns[free_label(axis.name, columns)] = told
        for name, column in {"state": self.states, **self.records}.items():
            columns[free_label(name, columns)] = column
        return framed(columns, self.backend)

    @prefix_errors
    def plot(self, ax: Any = None) -> Any:
        """The instances in the plane, drawn with matplotlib; the axes come back.

        Colour and shape tell the class. Instances that speak are filled, others that are stored are open, those that
        were dropped are crossed out and those never stored are dots.

        Parameters
        ----------
        ax
            Axes to draw on; None for a figure of its own.
        """
        with drawing(ax, size=(6.0, 4.2)) as ax:
            points = spread_out(np.column_stack([axis.positions for axis in self.axes]), self.axes)
            styles = class_styles(self.classes)
            for z, state in enumerate(STATES):
                for label, style in styles.items():
                    here = points[(self.states == state) & labels_equal(self.labels, label)]
                    ax.scatter(*here.T, **_look(state, style.colour, style.marker), zorder=3 + 0.1 * z, clip_on=False)
            legend_beside(ax, samples=self._samples())
            for axis, drawn in zip(self.axes, (ax.xaxis, ax.yaxis), strict=True):
                axis.dress(drawn)
            ax.set(xlim=self.axes[0].span, ylim=self.axes[1].span)
            return ax

    @prefix_errors
    def plot_records(self, ax: Any = None) -> Any:
        """The accuracy of each stored instance as an interval, beside the interval of its class's frequency.

        Acceptable instances are surely above, poor ones surely below. The axes come back.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; None for a figure of its own.
        """
        with drawing(ax) as ax:
            draw_records(ax, self.labels, self.states, self.records, self.classes)
            return ax

    def _samples(self) -> list[Any]:
        """Classes, then states that occur, for the legend."""
        from matplotlib.lines import Line2D

        samples: list[Any] = [
            Line2D([], [], linestyle="", color=style.colour, marker=style.marker, label=str(label))
            for label, style in class_styles(self.classes).items()
        ]
        found = [state for state in reversed(STATES) if (self.states == state).any()]
        if len(samples) + len(found) > _LISTED:  # states are never left out
            left = len(samples) - (_LISTED - 1 - len(found))
            samples[_LISTED - 1 - len(found) :] = [Line2D([], [], linestyle="", label=f"and {left} more classes")]
        for state in found:
            look = {"acceptable": "o", "stored": "o", "mediocre": "o", "poor": "o", "dropped": "x", "passed": "."}
            fill = MUTED if state in ("acceptable", "stored", "passed") else "white"
            label, mark = _WORDS.get(state, state), look[state]
            samples.append(Line2D([], [], ls="", color=MUTED, marker=mark, markerfacecolor=fill, label=label))
        return samples


def _look(state: str, colour: str, marker: str) -> dict[str, Any]:
    """How instances of a class and state are drawn."""
    if state == "passed":
        return {"s": 5, "color": colour, "alpha": 0.45, "linewidths": 0, "marker": "o"}
    if state == "dropped":
        return {"s": 18, "color": colour, "linewidths": 0.9, "marker": "x", "alpha": 0.8}
    if state in ("acceptable", "stored"):
        return {"s": 42, "color": colour, "edgecolors": "white", "linewidths": 0.7, "marker": marker}
    faint = 0.5 if state == "poor" else 1.0
    return {"s": 28, "facecolors": "white", "edgecolors": colour, "linewidths": 1.1, "marker": marker, "alpha": faint}


def _value(axis: AxisColumn, place: float) -> Value:
    return None if place != place or axis.values is None else axis.values[int(place)]
