"""Results of the Bayes classifiers: contributions, joint distributions, posterior tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from priorcase._typing import AnyArray, Backend, FloatArray, Name, Value
from priorcase.bayes.discretize import Interval
from priorcase.exceptions import ParameterError, UnknownNameError, listed, nearest, prefix_errors, quoted
from priorcase.learning import results as layout
from priorcase.learning.results import Grid, GridResult, PrintedPerQuery, Row, short, value_text
from priorcase.learning.targets import objects

Key = TypeVar("Key")

# Printing limits: attributes of a query, combinations of values, lines of a table, and characters of a value.
_ATTRIBUTES, _COMBINATIONS, _LINES, _WIDTH = 15, 10, 20, 24


class _Target(Enum):
    """Type of `TARGET`, which stands for the class and is not equal to any column name."""

    TARGET = "class"

    def __repr__(self) -> str:
        return "TARGET"

    def __str__(self) -> str:
        return self.value


TARGET: Final = _Target.TARGET
"""Marker for the class in lists of columns. The string ``"class"`` also works, unless a column has that name."""


@dataclass(frozen=True, repr=False, eq=False)
class Contributions(PrintedPerQuery):
    """Contributions of the class prior and each column to the log-odds of the predicted class against another class.

    The other class is the second most probable class, or the class passed as ``versus``.

    The result can be indexed and sliced by query, and prints as a table with the largest contributions first.

    ``contributions`` has shape (queries, 1 + columns): first the prior, ``ln a_p - ln a_v``, then ``ln phi_pi - ln
    phi_vi`` for each column, 0 if missing. Positive entries favor the predicted class p over the class v. Entries are
    infinite if a zero probability rules out one of the classes, NaN if both classes are ruled out. ``total`` is ``ln
    P(predicted) - ln P(versus)``, which is the sum of the contributions if all are finite. ``probabilities`` contains
    the probabilities of the two classes, ``backend`` is the library of the frame that the estimator was fitted on, and
    ``numbers`` are the query numbers.

    >>> import priorcase as pc
    >>> found = pc.NaiveBayes().fit([["red"], ["blue"]], ["no", "yes"]).contributions([["red"]])
    >>> found.predicted, found.contributions.round(3)
    (array(['no'], dtype='<U3'), array([[0.   , 0.693]]))
    """

    names: tuple[Name, ...]
    queries: list[Row]
    predicted: AnyArray
    versus: AnyArray
    contributions: FloatArray
    total: FloatArray
    probabilities: FloatArray
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()
    _by_query: ClassVar[tuple[str, ...]] = ("queries", "predicted", "versus", "contributions", "total", "probabilities")

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each query.

        Columns: ``query``, ``predicted``, ``versus``, ``total``, ``prior``, the value of each column under its name,
        and ``contribution of NAME`` for each column. Names that clash become ``NAME (value)`` or ``NAME (2)``.
        ``backend``: see `Precedents.frame`.
        """
        columns = {"query": np.array(self.numbers, np.int64), "predicted": self.predicted, "versus": self.versus}
        columns |= {"total": self.total, "prior": self.contributions[:, 0]}
        contributions = {"contribution": self.contributions[:, 1:]}
        return layout.framed(
            layout.by_attribute(columns, self.names, self.queries, contributions), backend or self.backend
        )

    def note(self, query: int) -> str:
        """Return a note if every class is impossible for a query; otherwise an empty string."""
        contributions = self.contributions[query]
        # If the predicted class itself is ruled out, no other class is possible.
        if not (np.isnan(contributions) | np.isneginf(contributions)).any():
            return ""
        return "every class is impossible, so all classes get equal probability"

    def _grid(self, i: int) -> Grid:
        contributions = self.contributions[i, 1:]
        order = np.argsort(-np.where(np.isnan(contributions), np.inf, np.abs(contributions)), kind="stable")
        lines = [["prior", "", self._amount(i, self.contributions[i, 0])]]
        for a in order[:_ATTRIBUTES].tolist():
            value = value_text(self.queries[i][a], _WIDTH)
            lines.append([short(str(self.names[a]), _WIDTH), value, self._amount(i, contributions[a])])
        if (rest := order[_ATTRIBUTES:]).size:
            lines.append([f"{rest.size} other{'s' * (rest.size > 1)}", "", self._amount(i, contributions[rest].sum())])
        finite = f"{self.total[i]:+.4f}" if np.isfinite(self.total[i]) else "infinite"
        note = self.note(i)
        lines.append(["log-odds", "", "all impossible" if note else finite])
        both = zip((self.predicted, self.versus), self.probabilities[i], strict=True)
        classes = " against ".join(f"{_class(labels, i)} {probability:.4f}" for labels, probability in both)
        return Grid(f"query {self.numbers[i]}: {classes}", ["part", "value", "contribution"], lines, note, right={2})

    def _amount(self, i: int, amount: float) -> str:
        if np.isfinite(amount):
            return f"{amount + 0.0:+.4f}" if amount else "0"
        if np.isnan(amount):
            return "rules out both"
        return f"rules out {_class(self.versus if amount > 0 else self.predicted, i)}"


def _class(classes: AnyArray, i: int) -> str:
    return value_text(classes[i : i + 1].tolist()[0], _WIDTH)


@dataclass(frozen=True, repr=False, eq=False)
class JointDistribution(PrintedPerQuery):
    """Probability of each combination of values, for each query.

    The result can be indexed and sliced by query, and prints as a table with the most probable combinations first.

    ``targets`` are the columns (``TARGET`` for the class), ``names`` their names in tables and ``values`` their values,
    as in `NaiveBayes.column_values`. ``probabilities`` has the shape (queries, values of the first target, values of
    the second, ...). For ``backend`` and ``numbers`` see `Contributions`.

    >>> JointDistribution(("size",), (np.array(["S", "M"]),), np.array([[0.25, 0.75]]), ("size",)).most_probable()
    [('M',)]
    """

    targets: tuple[Name, ...]
    values: tuple[AnyArray, ...]
    probabilities: FloatArray
    names: tuple[str, ...]
    backend: Backend | None = None
    numbers: tuple[int, ...] = ()
    _by_query: ClassVar[tuple[str, ...]] = ("probabilities",)

    @prefix_errors
    def marginal(self, *targets: Name) -> JointDistribution:
        """Return the marginal distribution of some of the targets, in the given order."""
        kept = [self._axis(key) for key in targets]
        if not kept or len(set(kept)) < len(kept):
            raise ParameterError(
                f"targets must be some of {listed(self.targets)}, each at most once, got {quoted(targets)}"
            )
        summed = self.probabilities.sum(axis=tuple(1 + axis for axis in range(len(self.targets)) if axis not in kept))
        ordered = np.ascontiguousarray(summed.transpose(0, *(1 + sorted(kept).index(axis) for axis in kept)))
        columns, names = tuple(self.targets[axis] for axis in kept), tuple(self.names[axis] for axis in kept)
        values = tuple(self.values[axis] for axis in kept)
        return replace(self, targets=columns, values=values, probabilities=ordered, names=names)

    def most_probable(self) -> list[tuple[Value, ...]]:
        """Return the most probable combination of values for each query; ties go to the first combination."""
        return [self._combination(cell) for cell in self._flat().argmax(axis=1).tolist()]

    def frame(self, backend: Backend | None = None) -> Any:
        """Return a data frame with one row for each query and combination.

        Columns: ``query``, the value of each target under its name, and ``probability``; intervals become strings.
        ``backend``: see `Precedents.frame`.
        """
        flat = self._flat()
        where = np.unravel_index(np.tile(np.arange(flat.shape[1]), len(self)), self.probabilities.shape[1:])
        columns: dict[str, Any] = {"query": np.repeat(np.array(self.numbers, np.int64), flat.shape[1])}
        for name, values, at in zip(self.names, self.values, where, strict=True):
            if any(isinstance(value, Interval) for value in values):  # as strings, which all libraries support
                values = objects([None if value is None else str(value) for value in values.tolist()])
            columns[layout.free_label(name, {*columns, "probability"})] = values[at]
        return layout.framed(columns | {"probability": flat.ravel()}, backend or self.backend)

    def _flat(self) -> FloatArray:
        return self.probabilities.reshape(len(self), -1)

    def _combination(self, cell: int) -> tuple[Value, ...]:
        where = np.unravel_index(cell, self.probabilities.shape[1:])
        return tuple(values[at : at + 1].tolist()[0] for values, at in zip(self.values, where, strict=True))

    def _axis(self, key: Name) -> int:
        if key in self.targets:
            return self.targets.index(key)
        if isinstance(key, str) and key == TARGET.value and TARGET in self.targets:
            return self.targets.index(TARGET)
        meant = nearest(key, map(str, self.targets))
        advice = "" if meant is None else f". Did you mean {meant!r}?"
        raise ParameterError(f"{quoted(key)} is not one of the targets {listed(self.targets)}{advice}")

    def _grid(self, i: int) -> Grid:
        flat = self._flat()[i]
        order = np.argsort(-flat, kind="stable")
        lines = []
        for cell in order[:_COMBINATIONS].tolist():
            lines.append([*(value_text(value, _WIDTH) for value in self._combination(cell)), f"{flat[cell]:.4f}"])
        rest = order[_COMBINATIONS:]
        more = f"and {rest.size:,} more combination{'s' * (rest.size > 1)}, together {flat[rest].sum():.4f}"
        note = more if rest.size else ""
        header = [*(short(name, _WIDTH) for name in self.names), "probability"]
        return Grid(f"query {self.numbers[i]}", header, lines, note, right={len(self.names)})


class PosteriorTable(GridResult, Mapping[Key, float]):
    """Base class of tables of posterior probabilities by key; ties are broken by log-odds or gains."""

    probabilities: FloatArray
    backend: Backend | None
    _header: ClassVar[tuple[str, ...]]

    @abstractmethod
    def _parts(self) -> tuple[tuple[Key, ...], list[AnyArray], FloatArray]: ...

    def __getitem__(self, key: Key) -> float:
        keys = self._parts()[0]
        if key in keys:
            return float(self.probabilities[keys.index(key)])
        meant = nearest(key, keys)
        advice = "" if meant is None else f". Did you mean {meant!r}?"
        raise UnknownNameError(f"{type(self).__name__} has no {quoted(key)}; it has {listed(keys)}{advice}")

    def __iter__(self) -> Iterator[Key]:
        return iter(self._parts()[0])

    def __len__(self) -> int:
        return len(self.probabilities)

    def frame(self, backend: Backend | None = None) -> Any:
        """Return the table as a data frame, highest probability first; for ``backend`` see `Precedents.frame`."""
        return layout.framed(dict(zip(self._header, self._columns(), strict=True)), backend or self.backend)

    def _columns(self) -> list[AnyArray]:
        _, names, logs = self._parts()
        order = np.lexsort((-logs, -self.probabilities))
        return [column[order] for column in (*names, self.probabilities, logs)]

    def _grid(self) -> Grid:
        *names, probabilities, logs = (column[:_LINES] for column in self._columns())
        texts = [[short(str(name), _WIDTH) for name in column] for column in names]
        numbers = [map("{:.4f}".format, probabilities), map("{:+.2f}".format, logs)]
        note = f"... and {len(self) - _LINES} more; frame() returns all" if len(self) > _LINES else ""
        header = [name.replace("_", "-") for name in self._header]
        lines = list(zip(*texts, *numbers, strict=True))
        return Grid("", header, lines, note, right=range(len(names), len(header)))


@dataclass(frozen=True, eq=False, repr=False)
class Relevance(PosteriorTable[Name]):
    """Posterior probability that each attribute is relevant; prints as a table, highest probability first.

    ``labels`` are the attributes in schema order, ``probabilities`` and ``log_odds`` their posterior probabilities and
    log-odds, and ``backend`` is the library of the frame that the estimator was fitted on, or None. The probabilities
    can be converted to a NumPy array.

    >>> Relevance(("age", "size"), np.array([0.9, 0.25]), np.array([2.2, -1.1]))["size"]
    0.25
    """

    labels: tuple[Name, ...]
    probabilities: FloatArray
    log_odds: FloatArray
    backend: Backend | None = None
    _caption: ClassVar[str] = "Probability that each attribute is relevant"
    _header: ClassVar[tuple[str, ...]] = ("attribute", "probability", "log_odds")

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.probabilities, dtype=dtype)

    def plot(self, ax: Any = None) -> Any:
        """Plot the thirty highest probabilities with `WeightsDisplay`; return the axes."""
        from priorcase.plots import WeightsDisplay  # imported here: higher layer

        return WeightsDisplay.of(self).plot(ax)

    def _parts(self) -> tuple[tuple[Name, ...], list[AnyArray], FloatArray]:
        return self.labels, [objects(list(self.labels))], self.log_odds


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTable(PosteriorTable[tuple[Name, Name]]):
    """Posterior probability of an edge between two attributes; the key is a pair of names in either order.

    ``pairs`` are pairs of attributes in column order, ``probabilities`` the posterior probabilities over all trees, and
    ``gains`` the increase of the log marginal likelihood over naive Bayes; for ``backend`` see `Relevance`. The table
    prints with the most probable edges first.

    >>> EdgeTable((("age", "size"),), np.array([0.75]), np.array([1.5]))["size", "age"]
    0.75
    """

    pairs: tuple[tuple[Name, Name], ...]
    probabilities: FloatArray
    gains: FloatArray
    backend: Backend | None = None
    _caption: ClassVar[str] = "Probability that two attributes are joined by an edge"
    _header: ClassVar[tuple[str, ...]] = ("attribute", "other", "probability", "gain")

    def __getitem__(self, pair: tuple[Name, Name]) -> float:
        reversed_pair = isinstance(pair, tuple) and pair[::-1] in self.pairs
        return super().__getitem__(pair[::-1] if reversed_pair else pair)

    def _parts(self) -> tuple[tuple[tuple[Name, Name], ...], list[AnyArray], FloatArray]:
        return self.pairs, [objects([pair[end] for pair in self.pairs]) for end in (0, 1)], self.gains


@dataclass(frozen=True, eq=False, repr=False)
class SuperParentTable(PosteriorTable[Name | None]):
    """Posterior probability of each attribute as the super-parent, by name; None stands for naive Bayes.

    ``labels`` are the attributes in schema order; ``probabilities`` and ``gains`` (see `EdgeTable`) have an additional
    last entry for naive Bayes, whose gain is 0. The table prints with the most probable super-parents first.

    >>> SuperParentTable(("age",), np.array([0.75, 0.25]), np.array([1.1, 0.0]))[None]
    0.25
    """

    labels: tuple[Name, ...]
    probabilities: FloatArray
    gains: FloatArray
    backend: Backend | None = None
    _caption: ClassVar[str] = "Probability of each super-parent"
    _header: ClassVar[tuple[str, ...]] = ("super_parent", "probability", "gain")

    def _parts(self) -> tuple[tuple[Name | None, ...], list[AnyArray], FloatArray]:
        return (*self.labels, None), [objects([*self.labels, "(naive Bayes)"])], self.gains
