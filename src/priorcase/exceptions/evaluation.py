"""Learners, targets and splits that cannot be evaluated together."""

import re
from collections.abc import Iterable, Mapping
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, listed, quoted


class EvaluationError(PriorcaseError, ValueError):
    """Learners, targets or splits that do not make a comparison."""

    @classmethod
    def no_learners(cls) -> Self:
        """Nothing to evaluate."""
        problem = "got no learners; expected at least one."
        return cls(compose(problem, hint="pass a mapping such as {'3-NN': KNNClassifier(3)}, or a list of estimators."))

    @classmethod
    def not_a_learner(cls, name: str, learner: object) -> Self:
        """Something without fit and predict."""
        problem = f"got learner {name!r} as {quoted(learner)}; expected an estimator with fit and predict."
        hint = "pass an instance, not a class: KNNClassifier(), not KNNClassifier."
        return cls(compose(problem, hint=hint))

    @classmethod
    def neither(cls, name: str, learner: object) -> Self:
        """An estimator that does not say what it predicts."""
        problem = f"got learner {name!r}, {quoted(learner)}, which is neither a classifier nor a regressor."
        return cls(compose(problem, hint="derive it from scikit-learn's ClassifierMixin or RegressorMixin."))

    @classmethod
    def both(cls, classifier: str, regressor: str) -> Self:
        """Classifiers beside regressors."""
        problem = f"got {classifier!r}, a classifier, beside {regressor!r}, a regressor; expected one sort."
        return cls(compose(problem, hint="evaluate classifiers and regressors in two calls."))

    @classmethod
    def several_targets(cls, n: int) -> Self:
        """More than one target for each row."""
        problem = f"got y with {n} columns; expected one target for each row."
        return cls(compose(problem, hint="evaluate one target after the other."))

    @classmethod
    def rows(cls, rows: int, targets: int) -> Self:
        """As many rows as there are no targets for."""
        problem = f"got X with {rows} rows and y with {targets}; expected as many."
        return cls(compose(problem, hint="pass the target of each row, in the order of the rows."))

    @classmethod
    def unknown_score(cls, name: object, ours: Iterable[str], others: Iterable[str]) -> Self:
        """A score that neither this library nor scikit-learn has."""
        problem = f"got the score {name!r}; expected {listed(ours, limit=20)} or a scorer of scikit-learn."
        hint = "sklearn.metrics.get_scorer_names() lists those of scikit-learn; a function goes as {'name': function}."
        return cls(compose(problem, hint=advice(name, [*ours, *others], otherwise=hint)))

    @classmethod
    def score_of_other_task(cls, name: str, kind: str, fitting: Iterable[str]) -> Self:
        """A score of classes for numbers, or the other way round."""
        problem = f"got the score {name!r}, which is not for {kind}; expected {listed(fitting, limit=20)}."
        return cls(compose(problem, hint="leave scores out for the usual ones."))

    @classmethod
    def score_of_two(cls, name: str, classes: int, instead: str) -> Self:
        """A score of scikit-learn's for two classes, called 0 and 1."""
        wanted = f"two classes, and here are {classes}" if classes > 2 else "classes 0 and 1"
        problem = f"{name!r} is for {wanted}; {instead!r} takes any."
        return cls(compose(problem, hint=f"pass scores={instead!r}, or a mapping from name to function."))

    @classmethod
    def more_folds_than_rows(cls, folds: int, rows: int) -> Self:
        """Folds without rows."""
        problem = f"got splits={folds} for {rows} rows; expected no more folds than rows."
        return cls(compose(problem, hint="'loo' leaves out one row at a time."))

    @classmethod
    def nothing_left(cls, train: float, rows: int) -> Self:
        """A partition without training rows or without test rows."""
        problem = f"got Holdout(train={train}) for {rows} rows, which leaves none to learn from or none to test."
        return cls(compose(problem, hint="keep at least one row on each side."))

    @classmethod
    def no_rows(cls) -> Self:
        """A table without rows."""
        problem = "got a table without rows; expected two rows or more."
        return cls(compose(problem, hint="check the filter or selection that made this table."))

    @classmethod
    def one_row(cls) -> Self:
        """Leaving out the only row."""
        problem = "got one row, and nothing is left to learn from; expected two rows or more."
        return cls(compose(problem, hint="add rows."))

    @classmethod
    def split(cls, number: int, wrong: str, rows: int) -> Self:
        """A split of the user's that is none."""
        problem = f"got split {number} with {wrong}; expected two arrays of row positions from 0 to {rows - 1}."
        return cls(compose(problem, hint="pass pairs (train, test), as scikit-learn's splitters give."))

    @classmethod
    def splitter(cls, splitter: object, reason: str) -> Self:
        """A splitter of scikit-learn that does not split this table."""
        problem = f"got splits={quoted(splitter)}, which does not split these rows: {reason}"
        return cls(compose(problem, hint="where it needs groups, compare takes groups=, one for each row."))

    @classmethod
    def learns_from_test(cls, number: int, row: int) -> Self:
        """A split that tests on a row it learns from."""
        problem = f"got split {number} with row {row} both to learn from and to test; expected it in one part."
        return cls(compose(problem, hint="what is tested on rows that were learned says nothing about new ones."))

    @classmethod
    def nothing_measured(cls, score: str, failures: Mapping[str, str]) -> Self:
        """No learner has a value."""
        why = "; ".join(f"{name}: {reason}" for name, reason in failures.items()) or "see the reasons in its frame()"
        problem = f"Comparison has no value of {score!r} for any learner: {why}."
        return cls(compose(problem, hint="mend the learners, or ask for another score."))

    @classmethod
    def one_learner(cls, n: int) -> Self:
        """Several learners where one is asked about."""
        problem = f"got {n} learners; expected one."
        return cls(compose(problem, hint="compare(learners, X, y, splits='loo') takes several."))

    @classmethod
    def failed(cls, name: str, reason: str) -> Self:
        """A learner that failed where nothing else is asked about."""
        problem = f"{name} failed: {reason}"
        return cls(compose(problem, hint="fit it on the table itself to see where."))

    @classmethod
    def ends(cls, value: object, shape: tuple[int, ...] | None, rows: int) -> Self:
        """Intervals in a form that is none; ``shape`` is theirs, None where they are no numbers."""
        found = quoted(value) if shape is None else f"an array of shape {shape}"
        problem = (
            f"got intervals as {found}; "
            f"expected an array of shape ({rows}, 2), or a tuple of {rows} lower and {rows} upper ends."
        )
        return cls(compose(problem, hint="pass what predict_interval or prediction_interval returns for these rows."))

    @classmethod
    def crossed_ends(cls, row: int, low: float, high: float) -> Self:
        """An interval that ends before it begins."""
        problem = (
            f"got the interval {low:g} to {high:g} in row {row}; "
            "expected lower ends that are not above the upper ones, and no NaN."
        )
        return cls(compose(problem, hint="an array has the lower end first in each row, a tuple all lower ends first."))

    @classmethod
    def process_died(cls, told: str) -> Self:
        """A worker process that ended before its work did; ``told`` is what joblib says of it."""
        codes = ", ".join(sorted(set(re.findall(r"\b(SIG\w+|EXIT\(\d+\))", told))))
        problem = f"its process died{f' by {codes}' * bool(codes)}: out of memory, or a crash in compiled code."
        return cls(compose(problem, hint="fewer n_jobs take less memory; without n_jobs the crash itself is seen."))

    @classmethod
    def no_score(cls, score: str, reason: str) -> Self:
        """A score that answers do not have."""
        return cls(compose(f"has no {score}: {reason}.", hint="ask for a score of predictions."))

    @classmethod
    def not_by_rows(cls, score: str) -> Self:
        """A score that is one number for all rows, and so has nothing to pair."""
        problem = f"got the score {score!r}, one number for all rows together; expected one that rows add up to."
        return cls(compose(problem, hint="take accuracy, log_score, brier, mae or rmse, or compare over folds."))

    @classmethod
    def no_blocks(cls, protocol: str) -> Self:
        """Ranks where there is one value for each learner only."""
        problem = f"ranks learners on several splits, and {protocol} has one for all rows."
        return cls(compose(problem, hint="compare over folds, or over several tables with compare_tables."))

    @classmethod
    def too_few_blocks(cls, learners: int, blocks: int, of: str) -> Self:
        """Ranks of too few."""
        problem = f"has {learners} learners with values on {blocks} common {of}; expected two of each or more."
        return cls(compose(problem, hint=f"add learners or {of}; see failures."))

    @classmethod
    def no_tables(cls, value: object) -> Self:
        """Tables in a form that is none."""
        problem = f"got tables={quoted(value)}; expected a mapping from name to (X, y), with one table or more."
        return cls(compose(problem, hint="for example {'glass': datasets.load('glass')}."))
