"""Generate artificial data sets (LED displays, waveforms, rectangles in the plane), and add noise to any table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import narwhals.stable.v2 as nw
import numpy as np

from priorcase._parameters import check_choice, is_number, is_whole
from priorcase._typing import AnyArray, BoolArray, FloatArray, IntArray
from priorcase.datasets.columns import NamedColumns
from priorcase.exceptions import ParameterError, TargetError, prefix_errors, quoted
from priorcase.schema.columns import ArrayColumn, Column, ObjectColumn
from priorcase.schema.kinds import is_missing
from priorcase.schema.schema import open_source

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a NumPy generator, or None for entropy from the operating system."""


def _generator(random_state: RandomState) -> np.random.Generator:
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31 - 1, size=4))
    seed = is_whole(random_state) and random_state >= 0
    if random_state is not None and not seed and not isinstance(random_state, np.random.Generator):
        raise ParameterError(
            "random_state must be None, an integer >= 0, or a NumPy Generator or RandomState, got "
            f"{quoted(random_state)}. An integer makes the result reproducible."
        )
    return np.random.default_rng(random_state)


def _check_counts(**values: object) -> None:
    for name, value in values.items():
        if not is_whole(value) or value < 0:
            raise ParameterError(f"{name} must be an integer >= 0, got {quoted(value)}.")


def _check_shares(**values: object) -> None:
    for name, value in values.items():
        if not is_number(value) or not 0 <= value <= 1:
            raise ParameterError(f"{name} must be a number from 0 to 1, got {quoted(value)}. 0.1 means one in ten.")


def _check_size(attributes: object, alone: int, more: int) -> None:
    if not is_whole(attributes) or attributes not in (alone, more):
        raise ParameterError(
            f"attributes must be {alone}, or {more} to add {more - alone} irrelevant columns, got {quoted(attributes)}."
        )


# -- LED displays and waveforms (Breiman, Friedman, Olshen & Stone 1984)

_DIGITS = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"

SEGMENTS: BoolArray = np.array([[light == "1" for light in digit] for digit in _DIGITS.split()])
"""Segments that are lit for each digit: top, top left, top right, middle, bottom left, bottom right, bottom."""
SEGMENTS.flags.writeable = False

WAVES: FloatArray = np.maximum(6.0 - np.abs(np.arange(1, 22) - np.array([[11], [15], [7]])), 0.0)
"""The waves h1, h2 and h3: triangles of height 6 over 21 points, with their peaks at points 11, 15 and 7."""
WAVES.flags.writeable = False

PAIRS = ((0, 1), (0, 2), (1, 2))
"""The two waves that each class mixes."""


@prefix_errors
def make_led(
    n: int, *, attributes: int = 7, noise: float = 0.1, random_state: RandomState = None
) -> tuple[BoolArray, IntArray]:
    """Generate the LED display data: the noisy segments of displayed digits, and the digits as classes.

    Digits are drawn uniformly. Each segment is *inverted* with probability ``noise``, so nothing can be learned from
    data with a noise of 0.5. Aha, Kibler & Albert (1991) instead *replace* values at random, and only half of the
    replacements are inversions. Returns an array of booleans of shape ``(n, attributes)``, which every distance treats
    as nominal values, and an array of the digits.

    Parameters
    ----------
    n
        Number of rows.
    attributes
        Number of columns: 7 for the segments alone, or 24 with 17 additional random booleans.
    noise
        Probability that a segment is inverted.
    random_state
        Seed. With the same seed, the first 7 of 24 columns are the same as with ``attributes=7``.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, Classification and Regression Trees, section 2.6.1.

    Examples
    --------
    >>> X, y = make_led(3, noise=0.0, random_state=0)
    >>> y
    array([8, 6, 5])
    >>> X.astype(int)
    array([[1, 1, 1, 1, 1, 1, 1],
           [1, 1, 0, 1, 1, 1, 1],
           [1, 1, 0, 1, 0, 1, 1]])
    """
    _check_counts(n=n)
    _check_size(attributes, 7, 24)
    _check_shares(noise=noise)
    rng = _generator(random_state)
    y = rng.integers(len(SEGMENTS), size=n)
    X = SEGMENTS[y] ^ (rng.random((n, SEGMENTS.shape[1])) < noise)
    return np.hstack([X, rng.random((n, attributes - X.shape[1])) < 0.5]), y


@prefix_errors
def led_bayes_rate(noise: float = 0.1) -> float:
    """Return the Bayes accuracy of `make_led`, ``sum_x max_y P(x | y) / 10`` over all 128 displays.

    Irrelevant columns do not change the Bayes accuracy.

    Examples
    --------
    >>> round(led_bayes_rate(), 8)
    0.74002248
    """
    _check_shares(noise=noise)
    lights = SEGMENTS.shape[1]
    displays = np.arange(2**lights)[:, None] >> np.arange(lights) & 1
    wrong = (displays[:, None, :] != SEGMENTS[None, :, :]).sum(axis=2)
    chances = noise**wrong * (1 - noise) ** (lights - wrong)
    return float(chances.max(axis=1).sum() / len(SEGMENTS))


@prefix_errors
def make_waveform(n: int, *, attributes: int = 21, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
    """Generate the waveform data, in which each of three classes is a noisy mixture of two waves.

    Rows are ``u h_a + (1 - u) h_b + e``, where the class determines the waves a and b. The class is drawn uniformly, u
    uniformly from 0 to 1 for each row, and e from the standard normal distribution for each cell. The Bayes accuracy is
    86% to 87%. Returns an array of numbers of shape ``(n, attributes)`` and an array of the classes (0, 1 or 2).

    Parameters
    ----------
    n
        Number of rows.
    attributes
        Number of columns: 21 for the points of the wave alone, or 40 with 19 additional standard normal columns.
    random_state
        Seed. With the same seed, the first 21 of 40 columns are the same as with ``attributes=21``.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, Classification and Regression Trees, section 2.6.2.

    Examples
    --------
    >>> X, y = make_waveform(4, random_state=0)
    >>> X.shape, y
    ((4, 21), array([2, 1, 1, 0]))
    """
    _check_counts(n=n)
    _check_size(attributes, 21, 40)
    rng = _generator(random_state)
    y = rng.integers(len(PAIRS), size=n)
    u = rng.random((n, 1))
    first, second = np.array(PAIRS)[y].T
    X = u * WAVES[first] + (1 - u) * WAVES[second] + rng.standard_normal((n, WAVES.shape[1]))
    return np.hstack([X, rng.standard_normal((n, attributes - X.shape[1]))]), y


# -- a concept of four separate rectangles in the plane

DISJUNCTS: FloatArray = np.array(
    [
        [[0.10, 0.40], [0.55, 0.90]],
        [[0.60, 0.90], [0.60, 0.95]],
        [[0.15, 0.45], [0.10, 0.40]],
        [[0.60, 0.95], [0.10, 0.40]],
    ]
)
"""The rectangles that make up the concept, each with its interval in the first and in the second dimension."""
DISJUNCTS.flags.writeable = False


@prefix_errors
def make_disjuncts(
    n: int, *, noise: float = 0.0, irrelevant: int = 0, random_state: RandomState = None
) -> tuple[FloatArray, IntArray]:
    """Generate uniform points in the unit square, with class 1 inside any of four rectangles and class 0 outside.

    The data are similar to the artificial domains of Aha, Kibler & Albert 1991, who plot a concept of this form but do
    not give its coordinates. With probability ``noise``, a value is *replaced* by a random value from the same
    distribution; the class does not change. Returns an array of numbers of shape ``(n, 2 + irrelevant)`` and an array
    of the classes.

    Parameters
    ----------
    n
        Number of points.
    noise
        Probability that a value is replaced, for each of the two columns.
    irrelevant
        Number of additional columns, uniform from 0 to 1, that are independent of the class.
    random_state
        Seed. With the same seed, the points before replacement do not depend on ``noise`` and ``irrelevant``.

    Examples
    --------
    >>> X, y = make_disjuncts(4, random_state=0)
    >>> X.round(2), y
    (array([[0.64, 0.27],
           [0.04, 0.02],
           [0.81, 0.91],
           [0.61, 0.73]]), array([1, 0, 1, 1]))
    """
    _check_counts(n=n, irrelevant=irrelevant)
    _check_shares(noise=noise)
    rng = _generator(random_state)
    X = rng.random((n, 2))
    y = (_beyond(X).max(axis=2) <= 0).any(axis=1).astype(np.int64)
    replaced, other = rng.random((n, 2)) < noise, rng.random((n, 2))
    return np.hstack([np.where(replaced, other, X), rng.random((n, irrelevant))]), y


@prefix_errors
def boundary_distance(X: AnyArray) -> FloatArray:
    """Return the distance of each point from the class boundary of `make_disjuncts`.

    Only the first two columns of X are used.

    Examples
    --------
    >>> boundary_distance([[0.25, 0.6], [0.05, 0.6], [0.0, 0.0]]).round(3)
    array([0.05, 0.05, 0.18])
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] < 2:
        raise ParameterError(
            f"X must have at least two columns, got shape {quoted(points.shape)}. Pass points such as those from "
            "make_disjuncts."
        )
    beyond = _beyond(points[:, :2])
    inside = -beyond.max(axis=2)
    outside = np.hypot(*np.moveaxis(np.maximum(beyond, 0.0), 2, 0))
    distances: FloatArray = np.where(inside >= 0, inside, outside).min(axis=1)
    return distances


def _beyond(points: FloatArray) -> FloatArray:
    """Return signed distances (negative inside) of points from rectangles, shape (points, rectangles, axes)."""
    return np.maximum(DISJUNCTS[..., 0] - points[:, None, :], points[:, None, :] - DISJUNCTS[..., 1])


# -- noise: replaced values and classes

ClassDraw: TypeAlias = Literal["distribution", "others"]
"""How the class that replaces another class is drawn."""


@prefix_errors
def add_noise(
    X: Any,
    y: Any,
    *,
    attributes: float = 0.0,
    classes: float = 0.0,
    class_draw: ClassDraw = "distribution",
    random_state: RandomState = None,
) -> tuple[Any, Any]:
    """Return a copy of a table with some values or classes replaced at random.

    With probability ``attributes``, each value of each row is replaced by the value of the same column in a random row,
    as in the noise experiments of Aha, Kibler & Albert 1991. The new value can equal the old value, so in a column with
    two equally frequent values, half of the replacements change nothing.

    With the same ``random_state``, all replacements made at a lower noise probability are also made at a higher
    probability. The order of the rows does not change.

    Parameters
    ----------
    X
        A frame, an array, a list of rows or `NamedColumns`; the result is of the same type.
    y
        The classes or numeric targets.
    attributes
        Probability that a value is replaced. Missing values stay missing, and no value becomes missing.
    classes
        Probability that a class is replaced.
    class_draw
        How the new class is drawn: ``"distribution"`` takes the class of a random row, which can be the same class;
        ``"others"`` takes one of the other classes with equal probability, so each label is wrong with probability
        ``classes``.
    random_state
        Seed.

    Examples
    --------
    >>> X = [[1, "red"], [2, "red"], [3, "blue"], [4, None]]
    >>> noisy, y = add_noise(X, ["a", "a", "b", "b"], attributes=0.5, random_state=1)
    >>> noisy
    [[1, 'blue'], [4, 'red'], [3, 'red'], [4, None]]
    >>> y
    ['a', 'a', 'b', 'b']
    >>> add_noise(X, ["a", "a", "b", "b"], classes=1, class_draw="others", random_state=1)[1]
    ['b', 'b', 'a', 'a']
    """
    _check_shares(attributes=attributes, classes=classes)
    check_choice("class_draw", class_draw, get_args(ClassDraw), hint="'others' draws a different class.")
    rng = _generator(random_state)
    source = open_source(X)
    targets = _target_columns(y, source.rows)
    # Classes first, so that they do not depend on the number of attributes.
    draw = _row_of_another_class if class_draw == "others" else _row_with_value
    y_rows = [_donors(column, classes, rng, draw) for column in targets]
    x_rows = [_donors(column, attributes, rng, _row_with_value) for column in source.columns]
    return _table_of(X, np.stack(x_rows, axis=1)), _targets_of(y, np.stack(y_rows, axis=1))


def _donors(column: Column, level: float, rng: np.random.Generator, draw: Any) -> IntArray:
    """For each row, return the row whose value it gets: a random row with probability ``level``, otherwise itself."""
    known = ~_gaps(column)
    own = np.arange(known.size)
    chances, picks = rng.random(own.size), rng.random(own.size)
    replaced = (chances < level) & known
    return np.where(replaced, draw(column, known, picks), own) if replaced.any() else own


def _row_with_value(_column: Column, known: BoolArray, picks: FloatArray) -> IntArray:
    """Return, for each row, a random row among the rows in which the value is known."""
    rows = np.flatnonzero(known)
    return rows[(picks * rows.size).astype(np.intp)]


def _row_of_another_class(column: Column, known: BoolArray, picks: FloatArray) -> IntArray:
    """For each row, return the first row of a random other class, or the row itself if there is no other class."""
    codes = np.asarray(column.coded().codes)
    _, first, own = np.unique(codes[known], return_index=True, return_inverse=True)
    found = np.arange(codes.size)
    if first.size > 1:
        other = (picks[known] * (first.size - 1)).astype(np.intp)
        found[known] = np.flatnonzero(known)[first[other + (other >= own)]]
    return found


def _gaps(column: Column) -> BoolArray:
    if isinstance(column, ObjectColumn):
        return np.array([is_missing(value) for value in column.values], bool)
    return np.isnan(column.numbers()) if isinstance(column, ArrayColumn) else np.asarray(column.coded().codes) < 0


def _target_columns(y: Any, rows: int) -> Sequence[Column]:
    """Return a column for each target; raise an error if their length is not the number of rows."""
    if y is None:
        raise TargetError("requires y to be passed, but the target y is None. Pass one target for each row of X.")
    columns: Sequence[Column]
    if _is_table(y):
        columns = open_source(y).columns
    else:
        columns = (ObjectColumn(list(y.to_list() if hasattr(y, "to_list") else y)),)
    if (found := len(_gaps(columns[0]))) != rows:
        raise TargetError(
            f"Found input variables with inconsistent numbers of samples: X has {rows} and y has {found}. Pass one "
            "target for each row of X."
        )
    return columns


def _is_table(y: Any) -> bool:
    """Return whether the targets are two-dimensional, even if there is a single column."""
    if nw.dependencies.is_into_series(y) or nw.dependencies.is_into_dataframe(y):
        return bool(nw.dependencies.is_into_dataframe(y))
    array = y if isinstance(y, np.ndarray) else np.array(y, dtype=object)
    ragged = array.ndim == 1 and any(isinstance(label, (list, np.ndarray)) for label in array.tolist())
    if array.ndim not in (1, 2) or ragged:
        raise TargetError(
            f"got y of shape {array.shape}; y should be a 1d array, or a 2d array with one column for each target. "
            "Pass one target for each row of X."
        )
    return array.ndim == 2


def _table_of(X: Any, rows: IntArray) -> Any:
    """Return a table like X; the value in row i of column a is copied from row ``rows[i, a]`` of this column in X."""
    columns = range(rows.shape[1])
    if isinstance(X, NamedColumns):
        return NamedColumns.of({name: X.data[name][rows[:, a]] for a, name in enumerate(X.kinds)}, X.kinds)
    if hasattr(X, "isetitem"):  # pandas, whose rows keep their index
        copied = X.copy()
        for a in columns:
            copied.isetitem(a, X.iloc[:, a].array.take(rows[:, a]))
        return copied
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        return frame.with_columns(*(frame[name][rows[:, a]] for a, name in enumerate(frame.columns))).to_native()
    if isinstance(X, (list, tuple)):
        table = [[X[i][a] for i, a in zip(line, columns, strict=True)] for line in rows.tolist()]
        return [tuple(row) if isinstance(given, tuple) else row for row, given in zip(table, X, strict=True)]
    return (X if isinstance(X, np.ndarray) else np.asarray(X))[rows, np.array(columns)]


def _targets_of(y: Any, rows: IntArray) -> Any:
    """Return targets like y; the value in row i of column t is copied from row ``rows[i, t]`` of this column in y."""
    if _is_table(y):
        return _table_of(y, rows)
    if hasattr(y, "iloc"):
        taken = y.iloc[rows[:, 0]]
        taken.index = y.index
        return taken
    if nw.dependencies.is_into_series(y):
        return nw.from_native(y, series_only=True)[rows[:, 0]].to_native()
    return y[rows[:, 0]] if isinstance(y, np.ndarray) else [y[i] for i in rows[:, 0].tolist()]
