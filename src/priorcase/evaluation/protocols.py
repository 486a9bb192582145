"""How a user says which rows to learn from and which to ask about: one argument, read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from priorcase._parameters import is_whole
from priorcase._typing import AnyArray, IntArray
from priorcase.evaluation.answers import Task
from priorcase.evaluation.splits import Folds, Holdout, LeaveOneOut, Prequential, Split
from priorcase.exceptions import EvaluationError, ParameterError, advice, quoted


class Splitter(Protocol):
    """A splitter of scikit-learn's kind."""

    def split(self, X: Any, y: Any, /) -> Iterable[tuple[Any, Any]]:
        """Pairs of training and test rows."""
        ...


@dataclass(frozen=True, eq=False)
class Given:
    """Splits that a user, or a splitter of scikit-learn, has made."""

    pairs: tuple[tuple[IntArray, IntArray], ...]
    text: str

    def deal(self, task: Task, *, seed: int, repeat: int) -> Iterator[Split]:
        """The splits as they were given."""
        return (Split(repeat, number, train, test) for number, (train, test) in enumerate(self.pairs))

    def __str__(self) -> str:
        return self.text


Dealing: TypeAlias = Folds | Holdout | Given
ByProtocol: TypeAlias = Dealing | LeaveOneOut | Prequential
Splits: TypeAlias = "int | str | ByProtocol | Splitter | Iterable[tuple[Any, Any]]"
"""A number of folds, "loo", "prequential", a protocol, a splitter of scikit-learn, or pairs (train, test)."""

_WORDS: dict[str, ByProtocol] = {"loo": LeaveOneOut(), "prequential": Prequential()}


def read_splits(splits: Any, task: Task, repeats: int, *, groups: Any = None) -> ByProtocol:
    """The protocol that a user means; ``groups`` are for a splitter of scikit-learn."""
    if not is_whole(repeats) or repeats < 1:
        raise ParameterError(f"repeats must be a whole number >= 1, got {quoted(repeats)}. 1 deals the rows out once.")
    protocol = _read(splits, task, _groups(groups, splits, len(task)))
    if repeats > 1 and not isinstance(protocol, (Folds, Holdout)):
        raise ParameterError(
            f"repeats must be 1 with {protocol}, got {quoted(repeats)}. Only folds and random partitions can be drawn "
            "anew."
        )
    if not isinstance(protocol, Given):
        protocol.check(task)
    return protocol


def _groups(groups: Any, splits: Any, rows: int) -> AnyArray | None:
    """The group of each row, None where there are none; refuses those that nobody would ask about."""
    if groups is None:
        return None
    if not _is_splitter(splits):
        raise ParameterError(
            f"groups must be None unless splits is a splitter, got {quoted(groups)}. For example "
            "splits=sklearn.model_selection.GroupKFold(5)."
        )
    found = np.asarray(groups)
    if found.shape != (rows,):
        raise ParameterError(
            f"groups must hold one group for each of {rows} rows, got {quoted(groups)}. Rows of one group are never on "
            "both sides."
        )
    return found


def _is_splitter(splits: Any) -> bool:
    """Whether it is a splitter of scikit-learn's kind; strings can be split, too, but otherwise."""
    return hasattr(splits, "split") and not isinstance(splits, (str, bytes))


def _read(splits: Any, task: Task, groups: AnyArray | None) -> ByProtocol:
    if isinstance(splits, (Folds, Holdout, LeaveOneOut, Prequential)):
        return splits
    if is_whole(splits):
        return Folds(int(splits))
    if isinstance(splits, str) and splits in _WORDS:
        return _WORDS[splits]
    if _is_splitter(splits):
        return Given(_checked(_asked(splits, task, groups), len(task)), " ".join(repr(splits).split()))
    if isinstance(splits, Iterable) and not isinstance(splits, (str, bytes)):
        found = _checked(splits, len(task))
        if found:
            return Given(found, f"{len(found)} given split{'s' * (len(found) > 1)}")
    remedy = advice(splits, tuple(_WORDS), otherwise="10 deals the rows into ten folds.")
    raise ParameterError(
        "splits must be a number of folds, 'loo', 'prequential', a protocol, a splitter or pairs (train, test), got "
        f"{quoted(splits)}. {remedy}"
    )


def _asked(splitter: Any, task: Task, groups: AnyArray | None) -> list[tuple[Any, Any]]:
    """The pairs of a splitter of scikit-learn."""
    try:
        more = () if groups is None else (groups,)  # one of a user's own need not take any
        return list(splitter.split(np.zeros((len(task), 1)), task.truth, *more))
    except (TypeError, ValueError) as error:
        raise EvaluationError(
            f"got splits={quoted(splitter)}, which does not split these rows: {str(error).rstrip('.')}. Where it "
            "needs groups, compare takes groups=, one for each row."
        ) from error


def _checked(pairs: Iterable[Any], rows: int) -> tuple[tuple[IntArray, IntArray], ...]:
    """Pairs of row positions, each in range and no row in both."""
    found = []
    for number, pair in enumerate(pairs):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise EvaluationError(
                f"got split {number} with {type(pair).__name__} in place of a pair; expected two arrays of row "
                f"positions from 0 to {rows - 1}. Pass pairs (train, test), as scikit-learn's splitters give."
            )
        train, test = (_positions(part, number, rows) for part in pair)
        if (both := np.intersect1d(train, test)).size:
            raise EvaluationError(
                f"got split {number} with row {int(both[0])} both to learn from and to test; expected it in one part. "
                "What is tested on rows that were learned says nothing about new ones."
            )
        found.append((train, test))
    return tuple(found)


def _positions(part: Any, number: int, rows: int) -> IntArray:
    array = np.asarray(part)
    if array.dtype == bool and array.shape == (rows,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or not array.size:
        wrong = "no rows" if not array.size else f"shape {array.shape}"
        raise EvaluationError(
            f"got split {number} with {wrong}; expected two arrays of row positions from 0 to {rows - 1}. Pass pairs "
            "(train, test), as scikit-learn's splitters give."
        )
    if array.dtype.kind not in "iu":
        raise EvaluationError(
            f"got split {number} with {array.dtype} values; expected two arrays of row positions from 0 to {rows - 1}. "
            "Pass pairs (train, test), as scikit-learn's splitters give."
        )
    if (outside := array[(array < 0) | (array >= rows)]).size:
        raise EvaluationError(
            f"got split {number} with row {int(outside[0])}; expected two arrays of row positions from 0 to "
            f"{rows - 1}. Pass pairs (train, test), as scikit-learn's splitters give."
        )
    return array.astype(np.intp)
