"""Naive Bayes on a million rows of twenty categories or numbers compared with scikit-learn's and hand-written loops."""

import itertools
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import priorcase as pc
from benchmarks import data
from benchmarks.machine import THREADS
from benchmarks.peers.loops import Loops
from benchmarks.report import Row
from benchmarks.sizes import Sizes
from benchmarks.timing import Peer, compare
from priorcase.bayes.memory import FIRST, Counts

VALUES, CLASSES, ATTRIBUTES = 8, 5, 20


def run(sizes: Sizes) -> list[Row]:
    """Measure fitting, counting, probabilities, leave-one-out, and one row at a time."""
    task = data.nominal(sizes.rows(1_000_000), 0)
    codes = np.column_stack([task.X[name].cat.codes for name in task.X]).astype(np.int64)
    classes = np.char.replace(task.y, "k", "").astype(np.int8)
    theirs = CategoricalNB(min_categories=VALUES).fit(codes, classes)
    ours = pc.NaiveBayes(numeric="student", n_jobs=THREADS).fit(task.X, task.y)
    _check(ours, theirs, task, codes)
    size = f"{len(task.y):,} x {ATTRIBUTES}"
    fitting = compare(
        f"naive Bayes, {size}: fit from pandas categories",
        lambda: pc.NaiveBayes(numeric="student", n_jobs=THREADS).fit(task.X, task.y),
        [Peer("scikit-learn CategoricalNB, from codes", lambda: CategoricalNB().fit(codes, classes), 10)],
        sizes.repeats,
    )
    loops = Loops(np.ascontiguousarray(codes.T.astype(np.int8)), classes, VALUES, CLASSES)
    counting = compare(
        f"naive Bayes, {size}: counting alone",
        _counting(loops),
        [Peer("hand-written compiled loop, two threads", loops.count, 0.5, "at most twice its time")],
        sizes.repeats,
    )
    logs = np.ascontiguousarray(np.stack(theirs.feature_log_prob_))
    prior = np.ascontiguousarray(theirs.class_log_prior_)
    predicting = compare(
        f"naive Bayes, {size}: predict_proba",
        lambda: ours.predict_proba(task.X),
        [
            Peer("scikit-learn CategoricalNB, from codes", lambda: theirs.predict_proba(codes), 8),
            Peer("hand-written compiled loop, two threads", lambda: loops.predict(prior, logs), note="from codes"),
        ],
        sizes.repeats,
    )
    own = Peer("our predict_proba of the same rows", lambda: ours.predict_proba(task.X), 0.5, "at most twice its time")
    refits = Peer("scikit-learn, one fit per row", _refits(codes, classes), note="extrapolated from 3 fits", rounds=1)
    leaving = compare(
        f"naive Bayes, {size}: leave-one-out of all rows", ours.loo_predict_proba, [own, refits], sizes.repeats
    )
    one_row = _one_row(ours, theirs, task, codes, classes, sizes)
    return fitting + counting + predicting + leaving + one_row + _forgetting_numbers(sizes)


def _check(ours: pc.NaiveBayes, theirs: CategoricalNB, task: data.Task, codes: npt.NDArray[np.int64]) -> None:
    """Check that both libraries give the same probabilities of values; scikit-learn smooths only these."""
    few = slice(0, 1_000)
    joint = theirs.predict_joint_log_proba(codes[few]) - theirs.class_log_prior_
    own = ours.predict_joint_log_proba(task.X[few]) - np.log(
        (ours.class_count_ + 1) / (ours.class_count_.sum() + CLASSES)
    )
    np.testing.assert_allclose(own, joint, rtol=1e-9)


def _counting(loops: Loops) -> Callable[[], Counts]:
    def count() -> Counts:
        counts = Counts([None] * ATTRIBUTES)
        counts.grow([FIRST + VALUES] * ATTRIBUTES, CLASSES)
        counts.add(list(loops.columns), loops.classes, threads=THREADS)
        return counts

    cells = count().cells.reshape(ATTRIBUTES, FIRST + VALUES, CLASSES)[:, FIRST:]
    np.testing.assert_array_equal(cells.transpose(0, 2, 1), loops.count())
    return count


def _refits(codes: npt.NDArray[np.int64], classes: npt.NDArray[np.int8]) -> Callable[[], float]:
    def seconds() -> float:
        start = time.perf_counter()
        for row in range(3):
            others = np.arange(len(codes)) != row
            CategoricalNB(min_categories=VALUES).fit(codes[others], classes[others]).predict_proba(codes[row : row + 1])
        return (time.perf_counter() - start) / 3 * len(codes)

    return seconds


def _one_row(
    ours: pc.NaiveBayes,
    theirs: CategoricalNB,
    task: data.Task,
    codes: npt.NDArray[np.int64],
    classes: npt.NDArray[np.int8],
    sizes: Sizes,
) -> list[Row]:
    """Time single rows: a list of values for priorcase, an array of codes for scikit-learn."""
    row, label = [task.X.iloc[0].tolist()], task.y[:1]
    code, theirs_label = codes[:1], classes[:1]
    shortest = 0.01 if sizes.quick else 0.3
    predict = Peer("scikit-learn CategoricalNB.predict_proba", lambda: theirs.predict_proba(code), 1)
    learn = Peer("scikit-learn CategoricalNB.partial_fit", lambda: theirs.partial_fit(code, theirs_label), 1)
    both = Peer(
        "scikit-learn, both",
        lambda: (theirs.partial_fit(code, theirs_label), theirs.predict_proba(code)),
        note="tables are rebuilt",
    )
    ids = itertools.count()
    name = f"one row, {len(codes):,} stored"
    settings = {"rounds": sizes.repeats, "shortest": shortest}
    return [
        *compare(f"{name}: predict_proba", lambda: ours.predict_proba(row), [predict], **settings),
        *compare(f"{name}: partial_fit", lambda: ours.partial_fit(row, label), [learn], **settings),
        *compare(f"{name}: forget", lambda: ours.forget([next(ids)]), [learn], **settings),
        *compare(
            f"{name}: partial_fit, then predict_proba",
            lambda: (ours.partial_fit(row, label), ours.predict_proba(row)),
            [both],
            **settings,
        ),
        *compare(
            f"{name}: forget, then predict_proba",
            lambda: (ours.forget([next(ids)]), ours.predict_proba(row)),
            [Peer("scikit-learn, partial_fit and predict_proba", both.run, 1)],
            **settings,
        ),
    ]


def _forgetting_numbers(sizes: Sizes) -> list[Row]:
    """Time forgetting a numeric row and a prediction that needs the updated moments."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(sizes.rows(1_000_000), ATTRIBUTES)), rng.integers(0, CLASSES, sizes.rows(1_000_000))
    ours, theirs = pc.NaiveBayes(numeric="student", n_jobs=THREADS).fit(X, y), GaussianNB().fit(X, y)
    row, ids = X[:1], itertools.count()

    def learn() -> None:
        theirs.partial_fit(row, y[:1])
        theirs.predict_proba(row)

    def refit() -> None:
        GaussianNB().fit(X[1:], y[1:]).predict_proba(row)

    return compare(
        f"one row of numbers, {len(X):,} stored: forget, then predict_proba",
        lambda: (ours.forget([next(ids)]), ours.predict_proba(row)),
        [
            Peer("scikit-learn GaussianNB, fitted without the row", refit, 1),
            Peer("scikit-learn GaussianNB, partial_fit of one row", learn, note="adds a row; it cannot forget"),
        ],
        sizes.repeats,
    )
