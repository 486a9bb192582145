"""Scores of curves: those of a comparison, and how much a learner keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from priorcase.evaluation.answers import Answers, Kind
from priorcase.evaluation.scoring import Score, Scores, read_scores


def read_curve_scores(scores: Scores, kind: Kind, learners: Iterable[Any], *, storage: bool) -> tuple[Score, ...]:
    """The scores that a user means; ``"storage"`` is known here too.

    Parameters
    ----------
    scores, kind
        As for `read_scores`.
    learners
        Who is to be scored.
    storage
        Whether the usual scores (None) have the storage among them, where a learner says how much it keeps.

    Examples
    --------
    >>> found = read_curve_scores(["storage", "mae"], "numbers", [], storage=True)
    >>> [score.name for score in found]
    ['storage', 'mae']
    """
    if scores is None:
        keeps = storage and any(hasattr(type(learner), "storage_") for learner in learners)
        return (*read_scores(None, kind), *((STORAGE,) if keeps else ()))
    if isinstance(scores, (str, Score)):
        scores = [scores]
    if isinstance(scores, Mapping):
        return read_scores({name: _meant(score) for name, score in scores.items()}, kind)
    several = isinstance(scores, Iterable) and not isinstance(scores, bytes)
    return read_scores([_meant(score) for score in scores] if several else scores, kind)


def _meant(score: Any) -> Any:
    return STORAGE if isinstance(score, str) and score == STORAGE.name else score


def _kept(answers: Answers) -> float:
    """The share of the rows seen that the learner keeps."""
    if not hasattr(answers.learner, "storage_"):
        raise AttributeError("the learner does not say how much it keeps")
    return float(answers.learner.storage_)


STORAGE = Score("storage", "learner", of_all=_kept, greater_is_better=False)
"""The share of the rows seen that a learner keeps, its ``storage_``."""
