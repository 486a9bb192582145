"""Scores by name: what they are made from, which way is better, and what each row adds to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from priorcase._typing import FloatArray
from priorcase.evaluation.answers import Answers, Kind, Need
from priorcase.evaluation.checks import check_choice
from priorcase.evaluation.echo import Echo
from priorcase.exceptions import EvaluationError, ParameterError, advice, listed, quoted

Scores: TypeAlias = "str | Score | Sequence[str | Score] | Mapping[str, Any] | None"
"""How a user names scores: None for the usual ones, names, or a mapping from name to a score, scorer or function."""

Reasons: TypeAlias = dict[str, str]
"""Why a score is missing, by the score's name."""


@dataclass(frozen=True)
class Score:
    """One way to say how good answers are.

    Parameters
    ----------
    name
        What it is called in tables.
    needs
        What it is made from: ``"predicted"``, ``"proba"`` or ``"learner"``.
    of_rows
        What each row adds, where the score is a mean over rows (or the root of one); None otherwise.
    of_all
        The score of some rows together, where it is no mean over rows; None otherwise.
    greater_is_better
        Which way is better.
    root
        Whether the score is the square root of the mean of ``of_rows``.
    kind
        What it is a score of; None for both.

    Examples
    --------
    >>> half_off = Score("half_off", "predicted", of_rows=lambda answers: abs(answers.predicted - answers.truth) > 0.5)
    >>> told = Answers(np.array([1.0, 2.0]), np.array([1.2, 2.7]), None, None, np.empty(0))
    >>> half_off.value(told)
    0.5
    """

    name: str
    needs: Need
    of_rows: Callable[[Answers], Any] | None = None
    of_all: Callable[[Answers], float] | None = None
    greater_is_better: bool = True
    root: bool = False
    kind: Kind | None = None

    def rows(self, answers: Answers) -> FloatArray | None:
        """What each row adds to the mean; None where the score is no mean over rows."""
        return None if self.of_rows is None else np.asarray(self.of_rows(answers), dtype=np.float64)

    def value(self, answers: Answers) -> float:
        """The score of some rows together."""
        rows = self.rows(answers)
        if rows is not None:
            return self.of_mean(float(rows.mean()))
        assert self.of_all is not None
        return float(self.of_all(answers))

    def of_mean(self, mean: float) -> float:
        """The score, given the mean over rows."""
        return float(np.sqrt(mean)) if self.root else mean

    def error(self, rows: FloatArray) -> float:
        """The standard error of the score, given what each row adds; NaN where that is infinite, or one row only.

        ``s / sqrt(n)``, and for the root of a mean by the delta method: ``se(sqrt m) = se(m) / (2 sqrt m)``.
        """
        if rows.size < 2 or not np.isfinite(rows).all():
            return float("nan")
        error, mean = float(rows.std(ddof=1) / np.sqrt(rows.size)), float(rows.mean())
        if not self.root:
            return error
        return error / (2 * float(np.sqrt(mean))) if mean > 0 else 0.0

    def better(self, first: float, second: float) -> bool:
        """Whether the first value is better than the second."""
        return first > second if self.greater_is_better else first < second


def read_scores(scores: Scores, kind: Kind) -> tuple[Score, ...]:
    """The scores that a user means, for classes or for numbers.

    Examples
    --------
    >>> [score.name for score in read_scores(None, "classes")]
    ['accuracy', 'log_score', 'brier']
    >>> [score.name for score in read_scores(["rmse", "neg_median_absolute_error"], "numbers")]
    ['rmse', 'neg_median_absolute_error']
    """
    if scores is None:
        return tuple(OURS[name] for name in USUAL[kind])
    given: Any = [scores] if isinstance(scores, (str, Score)) else scores
    found: tuple[Score, ...] = ()
    if isinstance(given, Mapping):
        found = tuple(_named(str(name), score, kind) for name, score in given.items())
    elif isinstance(given, Iterable):
        found = tuple(_named(None, score, kind) for score in given)
    names = [score.name for score in found]
    if not found or len(set(names)) < len(names):
        raise ParameterError(
            f"scores must be None, names of scores, each once, or a mapping from name to score, got {quoted(scores)}. "
            f"Leave it out for {', '.join(USUAL[kind])}."
        )
    return found


def score_named(scores: Sequence[Score], name: str | None) -> Score:
    """One of some scores by its name; the first for None."""
    if name is None:
        return scores[0]
    names = tuple(score.name for score in scores)
    check_choice("score", name, names, hint="The attribute scores has all.")
    return scores[names.index(name)]


def needs_of(scores: Iterable[Score], *, kept: bool = False) -> set[Need]:
    """What a learner is to be asked for these scores; everything, where answers are kept for scorers to ask later."""
    needs: set[Need] = {score.needs for score in scores}
    return needs | {"predicted", "proba"} if kept else needs


def score_all(scores: Iterable[Score], answers: Answers) -> tuple[dict[str, float], Reasons]:
    """The value of each score, NaN where there is none, and why there is none."""
    values, reasons = {}, {}
    for score in scores:
        values[score.name] = float("nan")
        if (reason := _missing(score, answers)) is None:
            try:
                values[score.name] = score.value(answers)
                reason = _undefined(answers) if np.isnan(values[score.name]) else None
            except Exception as error:  # a score is anybody's function; where it fails, the cell says why
                reason = reason_of(error)
        if reason is not None:
            reasons[score.name] = reason
    return values, reasons


def reason_of(error: BaseException) -> str:
    """Class and first line of an error.

    Examples
    --------
    >>> reason_of(ValueError("no rows\\nAdd some."))
    'ValueError: no rows'
    """
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _missing(score: Score, answers: Answers) -> str | None:
    """Why answers do not have what a score is made from; None where they do."""
    if score.needs == "proba" and answers.proba is None:
        return "the learner has no predict_proba"
    if score.needs == "predicted" and answers.predicted is None:
        return "the learner was not asked for predictions"
    return None


def _undefined(answers: Answers) -> str:
    """Why a score is not a number: what the learner said is none, or there is no such score of these rows."""
    for told, words in ((answers.predicted, "predictions"), (answers.proba, "probabilities")):
        if (
            told is not None
            and told.dtype.kind == "f"
            and (gaps := np.isnan(told.reshape(len(told), -1)).any(axis=1)).any()
        ):
            return f"{gaps.sum()} of {gaps.size} {words} are NaN"
    return f"it is not defined on {'one row' if len(answers) == 1 else f'these {len(answers)} rows'}"


def _named(name: str | None, score: Any, kind: Kind) -> Score:
    """A score by its name, by a scorer or by a function, under another name where one is given."""
    if isinstance(score, str) and score in OURS:
        score = OURS[score]
        if score.kind not in (None, kind):
            raise EvaluationError(
                f"got the score {score.name!r}, which is not for {kind}; expected {listed(_of_kind(kind), limit=20)}. "
                "Leave scores out for the usual ones."
            )
    if isinstance(score, Score):
        return score if name is None else Score(**{**score.__dict__, "name": name})
    if isinstance(score, str) and score in get_scorer_names():
        return _from_scorer(name or score, get_scorer(score), named=score)
    if isinstance(score, str) or not callable(score):
        ours, others = _of_kind(kind), get_scorer_names()
        known = "sklearn.metrics.get_scorer_names() lists those of scikit-learn; a function goes as {'name': function}."
        remedy = advice(score, [*ours, *others], otherwise=known)
        raise EvaluationError(
            f"got the score {score!r}; expected {listed(ours, limit=20)} or a scorer of scikit-learn. {remedy}"
        )
    label = name or str(getattr(score, "__name__", type(score).__name__))
    if hasattr(score, "_score_func") or _wants_learner(score):
        return _from_scorer(label, score)
    return Score(label, "predicted", of_all=lambda answers: float(score(answers.truth, answers.predicted)))


def _wants_learner(function: Callable[..., Any]) -> bool:
    """Whether a function takes a learner, rows and targets, as scikit-learn's scorers do, and not two columns."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters) == 3


_OF_SEVERAL = {name: f"{name}_macro" for name in ("f1", "precision", "recall", "jaccard")} | {"roc_auc": "roc_auc_ovr"}
"""Scorers of scikit-learn for two classes, and what they are called for several."""


def _from_scorer(name: str, scorer: Any, *, named: str = "") -> Score:
    """A scorer of scikit-learn: it asks the learner, or where there is none, one that repeats the answers.

    ``named`` is what scikit-learn calls it, where it was asked for by that.
    """

    def whole(answers: Answers) -> float:
        try:
            if answers.learner is not None:
                return float(scorer(answers.learner, answers.X, answers.truth))
            return float(scorer(Echo(answers), np.arange(len(answers)), answers.truth))
        except ValueError as error:
            if named not in _OF_SEVERAL or set(answers.labels.tolist()) == {0, 1}:
                raise
            instead = _OF_SEVERAL[named]
            wanted = (
                f"two classes, and here are {answers.labels.size}" if answers.labels.size > 2 else "classes 0 and 1"
            )
            raise EvaluationError(
                f"{named!r} is for {wanted}; {instead!r} takes any. Pass scores={instead!r}, or a mapping from name to "
                "function."
            ) from error

    return Score(name, "learner", of_all=whole)


# -- ours


def _hits(answers: Answers) -> Any:
    return answers.predicted == answers.truth


def _logs(answers: Answers) -> Any:
    return answers.log_of_truth


def _brier(answers: Answers) -> FloatArray:
    """``sum_k (P(k) - [y = k])^2`` of each row (Brier 1950, eq. 2)."""
    assert answers.proba is not None
    misses: FloatArray = answers.proba - (answers.labels[np.newaxis, :] == answers.truth[:, np.newaxis])
    squares: FloatArray = (misses * misses).sum(axis=1)
    return squares


def _errors(answers: Answers) -> FloatArray:
    assert answers.predicted is not None
    errors: FloatArray = answers.predicted.astype(np.float64) - answers.truth
    return errors


def _squares(answers: Answers) -> Any:
    return _errors(answers) ** 2


def _sizes(answers: Answers) -> Any:
    return np.abs(_errors(answers))


def _balanced(answers: Answers) -> float:
    """Mean over the classes that occur of the part of their rows that was recognised."""
    hits = _hits(answers)
    return float(np.mean([hits[answers.truth == label].mean() for label in np.unique(answers.truth)]))


def _r2(answers: Answers) -> float:
    """``1 - sum (y - f)^2 / sum (y - mean)^2``; NaN where all targets are equal, as for a single row."""
    spread = float(((answers.truth - answers.truth.mean()) ** 2).sum())
    return 1.0 - float(_squares(answers).sum()) / spread if spread > 0 else float("nan")


def _of_kind(kind: Kind) -> list[str]:
    return [name for name, score in OURS.items() if score.kind in (None, kind)]


OURS: dict[str, Score] = {
    score.name: score
    for score in (
        Score("accuracy", "predicted", of_rows=_hits, kind="classes"),
        Score("log_score", "proba", of_rows=_logs, kind="classes"),
        Score("brier", "proba", of_rows=_brier, greater_is_better=False, kind="classes"),
        Score("balanced_accuracy", "predicted", of_all=_balanced, kind="classes"),
        Score("rmse", "predicted", of_rows=_squares, greater_is_better=False, root=True, kind="numbers"),
        Score("mae", "predicted", of_rows=_sizes, greater_is_better=False, kind="numbers"),
        Score("mse", "predicted", of_rows=_squares, greater_is_better=False, kind="numbers"),
        Score("r2", "predicted", of_all=_r2, kind="numbers"),
    )
}
USUAL: dict[Kind, tuple[str, ...]] = {"classes": ("accuracy", "log_score", "brier"), "numbers": ("rmse", "mae", "r2")}
