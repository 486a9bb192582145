"""Coverage of intervals of two standard errors around accuracy estimates.

A large table serves as the population. In each draw, a learner is evaluated on a few rows by cross-validation and by
leave-one-out. The true accuracy of the model fitted to this draw is measured on other rows. An interval is compared
with this accuracy and with its mean over all draws. The usual standard error assumes that fold scores are independent;
`compare` uses the corrected standard error (Nadeau & Bengio 2003). PRIORCASE_DATA names the folder of data sets.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

import priorcase as pc
from priorcase import datasets, evaluation

ROWS = 300
NEW = 5_000
DRAWS = 100
REPEATS = 10
FOLDS = 10
LEARNERS = {
    'NaiveBayes(numeric="student")': pc.NaiveBayes(numeric="student"),  # its leave-one-out needs no fit for each row
    "KNNClassifier(9)": pc.KNNClassifier(9),
}

Numbers = npt.NDArray[np.float64]


def main() -> None:
    """Print one line for each learner and each estimate."""
    X, y = datasets.load("adult", frame=None)
    print(f"{DRAWS} draws of {ROWS} rows of adult; {NEW:,} other rows give the true accuracy.\n")
    words = ("mean", "true mean", "std over draws", "mean standard error", "contains mean", "contains own")
    print("| learner | estimate |", " | ".join(words), "|")
    print("| --- | --- |" + " ---: |" * len(words))
    for name, learner in LEARNERS.items():
        drawn = [one_draw(learner, X, y, draw) for draw in range(DRAWS)]
        truth = np.array([true for _, true in drawn])
        for way in drawn[0][0]:
            found = np.array([estimates[way] for estimates, _ in drawn])
            print(f"| {name} | {way} |", " | ".join(summary(found, truth)), "|", flush=True)


def one_draw(
    learner: pc.NaiveBayes, X: datasets.NamedColumns, y: Numbers, draw: int
) -> tuple[dict[str, tuple[float, float]], float]:
    """Return the estimates and standard errors by name, and the accuracy on other rows."""
    rows = np.random.default_rng(draw).permutation(len(X))
    few, others = rows[:ROWS], rows[ROWS : ROWS + NEW]
    table, target = X.take(few), y[few]
    folds = evaluation.compare(
        {"it": learner}, table, target, splits=FOLDS, repeats=REPEATS, scores="accuracy", random_state=draw
    )
    values = folds.values()[0]
    once = values[:FOLDS]
    scale = np.sqrt(1 / FOLDS + folds.test_to_train)
    alone = evaluation.compare({"it": learner}, table, target, splits="loo", scores="accuracy")
    found = {
        f"{FOLDS} folds, usual": (once.mean(), once.std(ddof=1) / np.sqrt(FOLDS)),
        f"{FOLDS} folds, corrected": (once.mean(), once.std(ddof=1) * scale),
        f"{REPEATS} x {FOLDS} folds, usual": (values.mean(), values.std(ddof=1) / np.sqrt(values.size)),
        f"{REPEATS} x {FOLDS} folds, corrected": (values.mean(), folds.standard_error("it")),
        "leave-one-out, over rows": (alone.mean("it"), alone.standard_error("it")),
    }
    model = clone(learner).fit(table, target)
    return found, float(np.mean(model.predict(X.take(others)) == y[others]))


def summary(found: Numbers, truth: Numbers) -> list[str]:
    """Return the cells: means, standard deviation, mean standard error, and coverage of the mean and own accuracy."""
    means, reach = found[:, 0], 2 * found[:, 1]
    numbers = (means.mean(), truth.mean(), means.std(ddof=1), found[:, 1].mean())
    held = (np.mean(np.abs(means - truth.mean()) <= reach), np.mean(np.abs(means - truth) <= reach))
    return [*(f"{number:.3f}" for number in numbers), *(f"{share:.0%}" for share in held)]


if __name__ == "__main__":
    main()
