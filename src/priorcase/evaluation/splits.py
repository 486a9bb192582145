"""How rows are dealt out: folds, random partitions, one row left out, and one row after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from priorcase._parameters import check_flag, is_number, is_whole
from priorcase._typing import FloatArray, IntArray
from priorcase.evaluation.answers import Task
from priorcase.exceptions import EvaluationError, ParameterError, quoted


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to learn from, in the order in which they are learned, and rows to be asked about, by position."""

    repeat: int
    number: int
    train: IntArray
    test: IntArray


@dataclass(frozen=True)
class Folds:
    """Cross-validation: rows are dealt into ``n`` parts, and each part is predicted from the others.

    Classes are dealt out one after the other, each in random order, like cards: the numbers of a class in two parts
    differ by one at most, and so do the sizes of parts. A class with fewer rows than parts is in some parts only.
    Training rows come in random order, for learners that go by it: tables are often sorted.

    Parameters
    ----------
    n
        How many parts.
    stratified
        Whether classes are spread evenly; without effect on numbers, which are dealt at random.
    share
        The part of the training rows to learn from, drawn at random and anew in each fold: ``floor(share * rows)`` of
        them, at least one (Kontkanen et al. 1998, section 4, with 0.1).

    Examples
    --------
    >>> task = Task("classes", np.array(list("aaaabb")), np.array(["a", "b"]))
    >>> [task.truth[split.test].tolist() for split in Folds(2).deal(task, seed=0, repeat=0)]
    [['a', 'a', 'b'], ['a', 'a', 'b']]
    """

    n: int = 10
    stratified: bool = True
    share: float = 1.0

    def check(self, task: Task) -> None:
        """Refuse parameters that break their rules, and fewer rows than parts."""
        if not is_whole(self.n) or self.n < 2:
            raise ParameterError(
                f"splits must be a number of folds >= 2, got {quoted(self.n)}. 10 is usual; 'loo' leaves out one row "
                "at a time."
            )
        check_flag("stratified", self.stratified, hint="False deals rows at random.")
        if not is_number(self.share) or not 0 < self.share <= 1:
            raise ParameterError(
                f"share must be a number above 0, up to 1, got {quoted(self.share)}. 0.1 learns from a tenth of the "
                "training rows."
            )
        if self.n > len(task):
            raise EvaluationError(
                f"got splits={self.n} for {len(task)} rows; expected no more folds than rows. 'loo' leaves out one row "
                "at a time."
            )

    def deal(self, task: Task, *, seed: int, repeat: int) -> Iterator[Split]:
        """The splits of one repetition."""
        stream = np.random.default_rng([seed, repeat])
        part = dealt(task, int(self.n), stream, stratified=self.stratified)
        order = stream.permutation(len(task))
        for number in range(int(self.n)):
            train = order[part[order] != number]
            if self.share < 1:
                train = stream.choice(train, max(1, int(self.share * train.size + 1e-9)), replace=False)
            yield Split(repeat, number, train, np.flatnonzero(part == number))

    def __str__(self) -> str:
        share = "" if self.share == 1 else f", learning from {self.share:.0%} of the training rows"
        return f"{self.n}-fold cross-validation{share}"


@dataclass(frozen=True)
class Holdout:
    """A random partition into training and test rows, drawn anew in each repetition (Aha, Kibler & Albert 1991).

    Training rows come in random order.

    Parameters
    ----------
    train
        How many rows to learn from: a number of rows, or a part of them between 0 and 1.
    stratified
        Whether each class is split in the same proportion, as nearly as whole rows allow; without effect on numbers.
    """

    train: float = 0.7
    stratified: bool = False

    def check(self, task: Task) -> None:
        """Refuse sizes that leave no row to learn from or none to ask about."""
        check_flag("stratified", self.stratified, hint="True splits each class alike.")
        part = is_number(self.train) and not is_whole(self.train) and 0 < self.train < 1
        if not part and not (is_whole(self.train) and self.train > 0):
            raise ParameterError(
                f"train must be a number of rows >= 1, or a part between 0 and 1, got {quoted(self.train)}. 0.7 is "
                "usual."
            )
        if not 0 < self._size(len(task)) < len(task):
            raise EvaluationError(
                f"got Holdout(train={self.train}) for {len(task)} rows, which leaves none to learn from or none to "
                "test. Keep at least one row on each side."
            )

    def deal(self, task: Task, *, seed: int, repeat: int) -> Iterator[Split]:
        """The one split of one repetition."""
        stream = np.random.default_rng([seed, repeat])
        order, size = stream.permutation(len(task)), self._size(len(task))
        if self.stratified and task.kind == "classes":
            # Rows in a random order of their own class, at even places from 0 to 1: the first come from each alike.
            order = order[np.argsort(_places(task.codes[order], stream), kind="stable")]
        yield Split(repeat, 0, stream.permutation(order[:size]), np.sort(order[size:]))

    def _size(self, rows: int) -> int:
        return int(self.train) if is_whole(self.train) else int(self.train * rows + 1e-9)

    def __str__(self) -> str:
        size = f"{self.train}" if is_whole(self.train) else f"{self.train:.0%} of the"
        return f"random partition, {size} rows to learn from"


@dataclass(frozen=True)
class LeaveOneOut:
    """Each row is predicted from all others; in closed form where the learner offers it.

    See `evaluation.leave_one_out` for what that keeps.
    """

    def check(self, task: Task) -> None:
        """Refuse a single row."""
        if len(task) < 2:
            raise EvaluationError(
                "got one row, and nothing is left to learn from; expected two rows or more. add rows."
            )

    def __str__(self) -> str:
        return "leave-one-out"


@dataclass(frozen=True)
class Prequential:
    """Rows come in their order: each is predicted from those before it, and then learned.

    Parameters
    ----------
    start
        How many rows are learned before the first is predicted; None for a tenth of them, at least 1 and at most 30.
    """

    start: int | None = None

    def check(self, task: Task) -> None:
        """Refuse a start that leaves nothing to predict."""
        if len(task) < 2:
            raise EvaluationError(
                "got one row, and nothing is left to learn from; expected two rows or more. add rows."
            )
        if self.start is not None and not (is_whole(self.start) and 1 <= self.start < len(task)):
            raise ParameterError(
                f"start must be None or a whole number from 1 to {len(task) - 1}, one less than rows, got "
                f"{quoted(self.start)}. 1 learns the first row and predicts all others."
            )

    def first(self, rows: int) -> int:
        """The position of the first row to be predicted."""
        return usual_start(rows) if self.start is None else int(self.start)

    def __str__(self) -> str:
        return "prequential" if self.start is None else f"prequential, from row {self.start} on"


def usual_start(rows: int) -> int:
    """How many rows of a stream are only learned, unless a user says so: a tenth, at least 1 and at most 30.

    Examples
    --------
    >>> [usual_start(rows) for rows in (2, 96, 1000)]
    [1, 9, 30]
    """
    return max(1, min(30, rows // 10))


def dealt(task: Task, parts: int, stream: np.random.Generator, *, stratified: bool) -> IntArray:
    """The part that each row falls to, classes spread evenly.

    Examples
    --------
    >>> task = Task("classes", np.array(list("aabbc")), np.array(["a", "b", "c"]))
    >>> part = dealt(task, 2, np.random.default_rng(0), stratified=True)
    >>> sorted(part[:2].tolist()), sorted(part[2:4].tolist()), np.bincount(part).tolist()
    ([0, 1], [0, 1], [3, 2])
    """
    order = stream.permutation(len(task))
    if stratified and task.kind == "classes":
        order = order[np.argsort(task.codes[order], kind="stable")]
    part = np.empty(len(task), dtype=np.intp)
    part[order] = np.arange(len(task)) % parts
    return part


def _places(codes: IntArray, stream: np.random.Generator) -> FloatArray:
    """Even places between 0 and 1 for the rows of each class, which begins at a place drawn at random."""
    places = np.empty(codes.size)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        places[rows] = (np.arange(rows.size) + stream.random()) / rows.size
    return places
