"""Splits of a table into training and test rows: folds, random partitions, leave-one-out and prequential splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils._param_validation import Interval, RealNotInt

from priorcase._parameters import check_value, is_whole
from priorcase._typing import AnyArray, FloatArray, IntArray
from priorcase.evaluation.scoring import Task
from priorcase.exceptions import EvaluationError, ParameterError, advice, quoted

_SPLITS = "a number of folds >= 2, 'loo', 'prequential', Folds, Holdout, a scikit-learn splitter or pairs (train, test)"


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the training rows, in the order of learning, and positions of the test rows."""

    repeat: int
    number: int
    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class Folds:
    """n-fold cross-validation, stratified by default.

    The sizes of the folds differ by at most one row. In stratified folds, this also holds for the number of rows of
    each class. A class can have fewer rows than there are folds. Training rows are in random order.

    Parameters
    ----------
    n
        The number of folds.
    stratified
        Whether to stratify by class; ignored for regression.
    share
        Share of the training rows to use: ``floor(share * training_rows)`` rows, but at least one, are drawn at random
        for each fold (Kontkanen et al. 1998, section 4, use 0.1).

    Examples
    --------
    >>> task = Task("classes", np.array(list("aaaabb")), np.array(["a", "b"]))
    >>> [task.truth[split.test].tolist() for split in Folds(2).deal(task, random_state=0, repeat=0)]
    [['a', 'a', 'b'], ['a', 'a', 'b']]
    """

    n: int = 10
    stratified: bool = True
    share: float = 1.0

    def check(self, task: Task) -> None:
        """Check the parameters and the number of rows."""
        if not is_whole(self.n) or self.n < 2:
            raise ParameterError(f"splits must be {_SPLITS}, got {quoted(self.n)}. Pass splits=10, for example.")
        check_value("stratified", self.stratified, ["boolean"])
        check_value("share", self.share, [Interval(Real, 0, 1, closed="right")])
        if self.n > len(task):
            raise EvaluationError(
                f"got splits={self.n} for {len(task)} rows; expected no more folds than rows. Use fewer folds, or "
                "'loo'."
            )

    def deal(self, task: Task, *, random_state: int, repeat: int) -> Iterator[Split]:
        """Yield the splits of one repetition."""
        rng = np.random.default_rng([random_state, repeat])
        fold = np.empty(len(task), dtype=np.intp)
        order = rng.permutation(len(task))
        if self.stratified and task.kind == "classes":
            order = order[np.argsort(task.codes[order], kind="stable")]
        fold[order] = np.arange(len(task)) % int(self.n)
        order = rng.permutation(len(task))
        for number in range(int(self.n)):
            train = order[fold[order] != number]
            if self.share < 1:
                train = rng.choice(train, max(1, int(self.share * train.size + 1e-9)), replace=False)
            yield Split(repeat, number, train, np.flatnonzero(fold == number))

    def __str__(self) -> str:
        share = "" if self.share == 1 else f", using {self.share:.0%} of the training rows"
        return f"{self.n}-fold cross-validation{share}"


@dataclass(frozen=True)
class Holdout:
    """Random partition into training and test rows, drawn anew for each repetition (Aha, Kibler & Albert 1991).

    Parameters
    ----------
    train
        Number of training rows, or their share between 0 and 1. Training rows are in random order.
    stratified
        Whether to stratify by class; ignored for regression.
    """

    train: float = 0.7
    stratified: bool = False

    def check(self, task: Task) -> None:
        """Check the parameters, and that there are training rows and test rows."""
        check_value("stratified", self.stratified, ["boolean"])
        rows_or_share = [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="neither")]
        check_value("train", self.train, rows_or_share)
        if not 0 < self._size(len(task)) < len(task):
            raise EvaluationError(
                f"got Holdout(train={self.train}) for {len(task)} rows, which leaves no training rows or no test rows. "
                "Choose train so that both have at least one row."
            )

    def deal(self, task: Task, *, random_state: int, repeat: int) -> Iterator[Split]:
        """Yield the single split of one repetition."""
        rng = np.random.default_rng([random_state, repeat])
        order, size = rng.permutation(len(task)), self._size(len(task))
        if self.stratified and task.kind == "classes":
            order = order[np.argsort(_places(task.codes[order], rng), kind="stable")]
        yield Split(repeat, 0, rng.permutation(order[:size]), np.sort(order[size:]))

    def _size(self, rows: int) -> int:
        return int(self.train) if is_whole(self.train) else int(self.train * rows + 1e-9)

    def __str__(self) -> str:
        size = f"{self.train:,}" if is_whole(self.train) else f"{self.train:.0%} of the"
        return f"random partition, {size} rows for training"


def _places(codes: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return sort keys, evenly spaced within each class, so that the first rows after sorting are stratified."""
    places = np.empty(codes.size)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        places[rows] = (np.arange(rows.size) + rng.random()) / rows.size
    return places


@dataclass(frozen=True)
class LeaveOneOut:
    """Leave-one-out: predict each row from all other rows; see `leave_one_out`."""

    def check(self, task: Task) -> None:
        """Check that there are at least two rows."""
        _check_two_rows(task)

    def __str__(self) -> str:
        return "leave-one-out"


@dataclass(frozen=True)
class Prequential:
    """Prequential evaluation: predict each row from the rows before it, then learn the row.

    Parameters
    ----------
    start
        Number of rows learned before the first prediction; None for a tenth of all rows, at least 1 and at most 30.
    """

    start: int | None = None

    def check(self, task: Task) -> None:
        """Check that there are rows to predict."""
        _check_two_rows(task)
        check_value("start", self.start, [None, Interval(Integral, 1, len(task), closed="left")])

    def first(self, rows: int) -> int:
        """Return the position of the first row to be predicted."""
        return max(1, min(30, rows // 10)) if self.start is None else int(self.start)

    def __str__(self) -> str:
        return "prequential" if self.start is None else f"prequential, from row {self.start} on"


def _check_two_rows(task: Task) -> None:
    if len(task) < 2:
        raise EvaluationError("got one row, which leaves no training rows; expected at least two rows. Add rows.")


# -- the argument splits=


@dataclass(frozen=True, eq=False)
class Given:
    """Splits passed by the user, or created by a scikit-learn splitter."""

    pairs: tuple[tuple[IntArray, IntArray], ...]
    text: str

    def deal(self, task: Task, *, random_state: int, repeat: int) -> Iterator[Split]:
        return (Split(repeat, number, train, test) for number, (train, test) in enumerate(self.pairs))

    def __str__(self) -> str:
        return self.text


Protocols: TypeAlias = Folds | Holdout | Given | LeaveOneOut | Prequential
Splits: TypeAlias = "int | str | Protocols | Iterable[tuple[Any, Any]] | Any"
"""A number of folds, "loo", "prequential", a protocol, a scikit-learn splitter, or pairs (train, test)."""


def read_splits(splits: Any, task: Task, repeats: int, *, groups: Any = None) -> Protocols:
    """Return the requested type of splits; ``groups`` are passed to a scikit-learn splitter."""
    check_repeats(repeats)
    protocol = _read_protocol(splits, task, groups)
    if repeats > 1 and not isinstance(protocol, (Folds, Holdout)):
        raise ParameterError(
            f"repeats must be 1 with {protocol}, whose splits are not random, got {quoted(repeats)}. "
            "Use repeats with folds or Holdout."
        )
    if not isinstance(protocol, Given):  # given pairs were checked when they were read
        protocol.check(task)
    return protocol


def check_repeats(repeats: Any) -> None:
    check_value("repeats", repeats, [Interval(Integral, 1, None, closed="left")])


def _read_protocol(splits: Any, task: Task, groups: Any) -> Protocols:
    splitter = hasattr(splits, "split") and not isinstance(splits, (str, bytes))
    if groups is not None and not (splitter and np.shape(groups) == (len(task),)):
        raise ParameterError(
            f"groups must be None or, for a splitter such as GroupKFold(5), contain one group for each of {len(task)} "
            f"rows, got {quoted(groups)}."
        )
    words: dict[str, Protocols] = {"loo": LeaveOneOut(), "prequential": Prequential()}
    if isinstance(splits, (Folds, Holdout, LeaveOneOut, Prequential)):
        return splits
    if is_whole(splits):
        return Folds(int(splits))
    if isinstance(splits, str) and splits in words:
        return words[splits]
    if splitter:
        try:
            more = () if groups is None else (np.asarray(groups),)  # a custom splitter may not accept groups
            pairs = list(splits.split(np.zeros((len(task), 1)), task.truth, *more))
        except (TypeError, ValueError) as error:
            raise EvaluationError(
                f"got splits={quoted(splits)}, which does not split these rows: {str(error).rstrip('.')}. If the "
                "splitter needs groups, pass groups= with one group for each row."
            ) from error
        return Given(_read_pairs(pairs, len(task)), " ".join(repr(splits).split()))
    if isinstance(splits, Iterable) and not isinstance(splits, (str, bytes)):
        found = _read_pairs(splits, len(task))
        if found:
            return Given(found, f"{len(found)} given split{'s' * (len(found) > 1)}")
    remedy = advice(splits, words, otherwise="Pass splits=10, for example.")
    raise ParameterError(f"splits must be {_SPLITS}, got {quoted(splits)}. {remedy}")


def _read_pairs(pairs: Iterable[Any], rows: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """Check pairs of training and test rows, and return them as arrays of row positions."""
    found = []
    for number, pair in enumerate(pairs):
        parts, problem = [], ""
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            problem = f"{type(pair).__name__} in place of a pair"
        else:
            parts = [np.asarray(part) for part in pair]
            parts = [np.flatnonzero(part) if part.dtype == bool and part.shape == (rows,) else part for part in parts]
            problem = next(filter(None, (_wrong_positions(part, rows) for part in parts)), "")
        if not problem and (both := np.intersect1d(parts[0], parts[1])).size:
            problem = f"row {int(both[0])} in both training and test rows"
        if problem:
            raise EvaluationError(
                f"got split {number} with {problem}; expected two arrays of different row positions from 0 to "
                f"{rows - 1}. Pass pairs (train, test), as returned by scikit-learn's splitters."
            )
        found.append((parts[0].astype(np.intp), parts[1].astype(np.intp)))
    return tuple(found)


def _wrong_positions(array: AnyArray, rows: int) -> str:
    """Return a description of invalid row positions; empty if all positions are valid."""
    if array.ndim != 1 or not array.size:
        return f"shape {array.shape}" if array.size else "no rows"
    if array.dtype.kind not in "iu":
        return f"{array.dtype} values"
    outside = array[(array < 0) | (array >= rows)]
    return f"row {int(outside[0])}" if outside.size else ""


# -- partitions of curves


def partition(rows: int, tests: int, random_state: int, repeat: int) -> tuple[IntArray, IntArray]:
    """Return shuffled training rows and ascending test rows; `Holdout` with the same seed has the same test rows."""
    order = np.random.default_rng([random_state, repeat]).permutation(rows)
    return order[: rows - tests], np.sort(order[rows - tests :])


def read_test(test: Any, task: Task) -> int:
    """Return the number of test rows; ``test`` is this number, or the share of test rows."""
    _check_two_rows(task)
    share = Interval(RealNotInt, 0, 1, closed="neither")
    check_value("test", test, [share, Interval(Integral, 1, len(task), closed="left")])
    # As in Holdout, it is the number of training rows that is rounded down.
    train = len(task) - int(test) if is_whole(test) else int((1 - test) * len(task) + 1e-9)
    if train == 0:
        raise ParameterError(
            f"test must leave at least one of {len(task)} rows for training, got {test}. Pass test=0.3, for example."
        )
    return len(task) - train
