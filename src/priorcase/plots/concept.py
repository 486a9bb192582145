"""Plots of the instances that a concept learner (`IB1` to `IB5`) has stored, dropped or never stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from priorcase._typing import AnyArray, Backend, FloatArray, IdArray, Value
from priorcase.concepts.ib import ConceptLearner
from priorcase.exceptions import ParameterError, advice, listed, quoted
from priorcase.learning.plotting import INK, MUTED, class_styles, drawing, legend_beside
from priorcase.learning.results import framed, free_label
from priorcase.plots.display import (
    AxisColumn,
    Display,
    frame_columns,
    labels_equal,
    plane_of,
    read_rows,
    read_targets,
    spread_out,
)

_LISTED = 12
_MANY = 150

# In drawing order: the most important state is drawn last, on top.
STATES = ("passed", "dropped", "poor", "mediocre", "acceptable", "stored")
_WORDS = {"passed": "seen, not stored", "dropped": "stored, then dropped"}
_RECORD = ("successes", "trials", "accuracy_low", "accuracy_high", "frequency_low", "frequency_high")


@dataclass(frozen=True, eq=False, repr=False)
class ConceptDisplay(Display):
    """Instances of a concept learner as points in a plane, marked by state; created by `ConceptDisplay.of`.

    ``axes`` contain the positions of the instances; ``ids`` and ``labels`` are their ids and classes.

    ``states`` contains the state of each instance. Stored instances of `IB3` to `IB5`, whose records of past
    predictions decide whether they vote, are ``"acceptable"``, ``"mediocre"`` or ``"poor"``; stored instances of other
    learners are ``"stored"``. If all learned rows are passed to `of`, all other instances are ``"dropped"``, or
    ``"passed"`` if they were never stored.

    ``records`` maps names to numbers for each instance: the correct predictions (``successes``), all predictions
    (``trials``), and the interval bounds of the instance's accuracy and of the frequency of its class. The numbers are
    NaN for instances that are not stored.

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
        """Create a display of the concept description of a fitted concept learner.

        Parameters
        ----------
        model
            A fitted concept learner, `IB1` to `IB5`.
        X, y
            All learned rows and their classes, in the order of their ids, to also show instances that are not stored;
            None to show only the stored instances. The model needs ``history=True`` to distinguish dropped instances
            from instances that were never stored.
        columns
            The two columns to plot, by name or position. None uses the only two columns or, for more columns, the first
            two principal components.
        concept
            The class whose description to plot, if each class has its own description.
        """
        if not isinstance(model, ConceptLearner):
            raise ParameterError(
                f"model must be a fitted concept learner, got {quoted(model)}. IB1 to IB5 learn concept descriptions."
            )
        check_is_fitted(model)
        stored = _description(model, concept)
        ids, states = np.asarray(stored["id"], np.int64), np.asarray(stored["verdict"], object)
        if model._keep != "significant":
            states = np.full(ids.size, "stored", object)
        labels = np.asarray(stored["class"])
        records = {name: np.asarray(stored[name], np.float64) for name in _RECORD}
        if X is None and y is None:
            instances = model._stored().instances
            X = [list(row) for row in instances.decode(instances.positions(ids))]
        else:
            labels, at = _learned_classes(model, X, y), ids
            everything = np.full(labels.size, "passed", object)
            everything[_dropped(model, concept, stored)] = "dropped"
            everything[at] = states
            ids, states = np.arange(labels.size), everything
            for name, column in records.items():
                records[name] = np.full(labels.size, np.nan)
                records[name][at] = column
        axes = plane_of(X, read_rows(model, X), columns).axes
        backend = getattr(model, "_backend", None)
        return cls(axes, ids, labels, states, records, tuple(model.classes_.tolist()), backend)

    def _summary(self) -> str:
        counts = [(int((self.states == state).sum()), state) for state in reversed(STATES)]
        return f"{self.ids.size:,} instances: " + ", ".join(f"{n:,} {state}" for n, state in counts if n)

    def frame(self) -> Any:
        """Return a frame with one row per instance.

        The columns are ``id``, ``class``, both axes by name, ``state``, and the entries of ``records``.
        """
        columns: dict[str, Any] = {"id": self.ids, "class": self.labels}
        for axis in self.axes:
            columns[free_label(axis.name, columns)] = axis.column(axis.positions)
        for name, column in {"state": self.states, **self.records}.items():
            columns[free_label(name, columns)] = column
        return framed(columns, self.backend)

    def plot(self, ax: Any = None) -> Any:
        """Plot the instances in the plane; return the axes.

        The color and shape of a mark show the class. Instances that vote have filled marks, and other stored instances
        have open marks. Dropped instances are crosses, and instances that were never stored are dots.
        """
        with drawing(ax, size=(6.0, 4.2)) as ax:
            points = spread_out(np.column_stack([axis.positions for axis in self.axes]), self.axes)
            for z, state in enumerate(STATES):
                for label, style in class_styles(self.classes).items():
                    here = points[(self.states == state) & labels_equal(self.labels, label)]
                    ax.scatter(*here.T, **_look(state, style.color, style.marker), zorder=3 + 0.1 * z, clip_on=False)
            legend_beside(ax, samples=self._samples())
            self.axes[0].label(ax.xaxis)
            self.axes[1].label(ax.yaxis)
            ax.set(xlim=self.axes[0].span, ylim=self.axes[1].span)
            return ax

    def plot_records(self, ax: Any = None) -> Any:
        """Plot the accuracy interval of each stored instance as a line, by class; return the axes.

        For each class, a band shows the interval of the class frequency. The line of an acceptable instance is above
        the band of its class, and the line of a poor instance is below the band.
        """
        records, start = self.records, 0
        thin = min(1.0, _MANY / max(1, int((~np.isnan(records["trials"])).sum())))
        with drawing(ax) as ax:
            for label, style in class_styles(self.classes).items():
                own = np.flatnonzero(labels_equal(self.labels, label) & ~np.isnan(records["trials"]))
                if not own.size:
                    continue
                middle = (records["accuracy_low"][own] + records["accuracy_high"][own]) / 2
                own = own[np.argsort(middle, kind="stable")]
                at, one = start + np.arange(own.size), {name: column[own] for name, column in records.items()}
                band = one["frequency_low"].mean(), one["frequency_high"].mean()
                ax.fill_between([start - 0.7, start + own.size - 0.3], *band, color=style.tint, linewidth=0, zorder=1)
                voting, tried = np.isin(self.states[own].astype(str), ("acceptable", "stored")), one["trials"] > 0
                # Instances that were never tried have the widest intervals; drawn faintly so that they do not dominate.
                for here, width, solid in ((voting & tried, 1.6, 1.0), (~voting & tried, 0.7, 0.5), (~tried, 0.7, 0.2)):
                    ends = one["accuracy_low"][here], one["accuracy_high"][here]
                    ax.vlines(at[here], *ends, color=style.color, linewidth=width * thin, alpha=solid, zorder=2)
                dots: dict[str, Any] = {"marker": style.marker, "ms": max(1.6, 3.4 * thin), "color": style.color}
                shares = one["successes"][tried] / one["trials"][tried]
                ax.plot(at[tried], shares, ls="", label=str(label), zorder=3, mec=INK, mew=0.3, **dots)
                start += own.size + 2
            ax.set(ylabel="accuracy", xlabel="stored instances, by class and accuracy", ylim=(-0.02, 1.02), xticks=[])
            ax.grid(False, axis="x")
            legend_beside(ax, "strong: votes\nband: class frequency")
            return ax

    def _samples(self) -> list[Any]:
        """Return the legend entries of the classes and of the states that occur."""
        from matplotlib.lines import Line2D

        samples: list[Any] = [
            Line2D([], [], linestyle="", color=style.color, marker=style.marker, label=str(label))
            for label, style in class_styles(self.classes).items()
        ]
        found = [state for state in reversed(STATES) if (self.states == state).any()]
        room = _LISTED - len(found)  # states are never omitted
        if len(samples) > room:
            samples[room - 1 :] = [Line2D([], [], linestyle="", label=f"and {len(samples) - room + 1} more classes")]
        for state in found:
            mark = {"dropped": "x", "passed": "."}.get(state, "o")
            fill = MUTED if state in ("acceptable", "stored", "passed") else "white"
            label = _WORDS.get(state, state)
            samples.append(Line2D([], [], ls="", color=MUTED, marker=mark, markerfacecolor=fill, label=label))
        return samples


def _look(state: str, color: str, marker: str) -> dict[str, Any]:
    if state == "passed":
        return {"s": 5, "color": color, "alpha": 0.45, "linewidths": 0, "marker": "o"}
    if state == "dropped":
        return {"s": 18, "color": color, "linewidths": 0.9, "marker": "x", "alpha": 0.8}
    if state in ("acceptable", "stored"):
        return {"s": 42, "color": color, "edgecolors": "white", "linewidths": 0.7, "marker": marker}
    faint = 0.5 if state == "poor" else 1.0
    return {"s": 28, "facecolors": "white", "edgecolors": color, "linewidths": 1.1, "marker": marker, "alpha": faint}


def _description(model: ConceptLearner, concept: Value) -> dict[str, AnyArray]:
    """Return the stored instances of a concept description, as a mapping from column names to arrays."""
    columns = frame_columns(model.concept_)
    if "concept" not in columns:
        if concept is not None:
            raise ParameterError(
                f"concept must be None if all classes share a description, got {quoted(concept)}. With "
                "per_class=True, the model learns one description per class."
            )
        return columns
    known = list(dict.fromkeys(columns["concept"].tolist()))
    if concept not in known:
        remedy = advice(concept, known, otherwise="Each class has its own description.")
        raise ParameterError(f"concept must be one of {listed(known)}, got {quoted(concept)}. {remedy}")
    here = labels_equal(columns["concept"], concept)
    return {name: column[here] for name, column in columns.items()}


def _learned_classes(model: ConceptLearner, X: Any, y: Any) -> AnyArray:
    if X is None or y is None:
        raise ParameterError("X and y must be passed together, got only one of them. Pass both or neither.")
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    labels = read_targets(y, rows)
    if rows != model.n_seen_:
        raise ParameterError(
            f"X must contain the {model.n_seen_} rows that were learned, got {rows} rows. Omit X and y to show "
            "only the stored instances."
        )
    return labels


def _dropped(model: ConceptLearner, concept: Value, columns: dict[str, AnyArray]) -> IdArray:
    """Return the ids of instances that were stored and later dropped; empty if they are unknown."""
    none = np.empty(0, np.int64)
    if not model.history:
        return none
    history = model.history_
    k = 0 if not history.concepts else list(history.concepts).index(concept)
    stored, dropped = (part.reshape(max(len(history.concepts), 1), -1)[k] for part in (history.stored, history.dropped))
    # Each step learns one instance. These steps stored their instance, even if they dropped others.
    came = np.flatnonzero(np.diff(stored, prepend=0) + dropped > 0)
    shuffled = np.random.RandomState(model._rules.seed).permutation(stored.size)
    order = shuffled if model.shuffle else np.arange(stored.size)
    ids, arrived = np.asarray(columns["id"], np.int64), np.asarray(columns["arrived"], np.int64) - 1
    if arrived.max(initial=-1) >= order.size or (order[arrived] != ids).any():
        return none  # the rows were learned in several calls, each with its own order
    return np.setdiff1d(order[came], ids)
