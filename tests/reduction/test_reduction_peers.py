"""The reducers keep what imbalanced-learn's samplers keep where both mean the same, and the rest is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from priorcase.neighbors import KNNClassifier
from priorcase.reduction import CNN, ENN, RENN, AllKNN

imblearn = pytest.importorskip("imblearn", reason="no imbalanced-learn here")
pytestmark = pytest.mark.peers
TheirAllKNN = imblearn.under_sampling.AllKNN
CondensedNearestNeighbour = imblearn.under_sampling.CondensedNearestNeighbour
EditedNearestNeighbours = imblearn.under_sampling.EditedNearestNeighbours
RepeatedEditedNearestNeighbours = imblearn.under_sampling.RepeatedEditedNearestNeighbours
make_pipeline = imblearn.pipeline.make_pipeline
ALL = {"sampling_strategy": "all"}


def numeric(seed: int, n: int = 300, classes: int = 3) -> tuple[Any, Any]:
    """Numbers without equal rows, and classes that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    return rng.normal(size=(n, 4)) + 1.2 * y[:, None], y


def kept(sampler: Any, X: Any, y: Any) -> list[int]:
    sampler.fit_resample(X, y)
    return sorted(sampler.sample_indices_.tolist())


@pytest.mark.parametrize("kind_sel", ["mode", "all"])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_enn(k: int, kind_sel: Any) -> None:
    # Even numbers of voters, and three classes, make tied votes: the first class wins them in both.
    for seed in range(3):
        X, y = numeric(seed)
        theirs = kept(EditedNearestNeighbours(n_neighbors=k, kind_sel=kind_sel, **ALL), X, y)
        assert kept(ENN(k, kind_sel=kind_sel, distance="euclidean"), X, y) == theirs
        assert 0 < len(theirs) < len(y)


def test_enn_of_equal_rows() -> None:
    # Rows 0 and 1 are equal. imbalanced-learn takes the first neighbor found for the row itself, and so asks row 1
    # about row 1 in place of row 0 and never learns that its equal is of another class.
    X = np.array([[0.0], [0.0], [5.0], [5.1], [9.0]])
    y = np.array([0, 1, 1, 1, 1])
    assert kept(ENN(1, distance="euclidean"), X, y) == [2, 3, 4]
    assert kept(EditedNearestNeighbours(n_neighbors=1, kind_sel="mode", **ALL), X, y) == [1, 2, 3, 4]


def test_renn_of_classes_that_stay_large() -> None:
    for seed in range(3):
        X, y = numeric(seed, classes=2)
        # Further rows of class 1 far away: it stays larger than class 0 was at first.
        X, y = np.vstack([X, X[y == 1] + 8.0]), np.concatenate([y, y[y == 1]])
        theirs, ours = RepeatedEditedNearestNeighbours(kind_sel="mode", **ALL), RENN(distance="euclidean")
        assert kept(ours, X, y) == kept(theirs, X, y)
        assert ours.n_iter_ == theirs.n_iter_ > 2


def test_renn_of_classes_of_one_size() -> None:
    # Theirs stops as soon as a class is smaller than the smallest was at first.
    y = np.arange(300) % 2
    X = np.random.default_rng(0).normal(size=(300, 2)) + y[:, None]
    theirs, ours = RepeatedEditedNearestNeighbours(kind_sel="mode", **ALL), RENN(distance="euclidean")
    assert set(kept(ours, X, y)) < set(kept(theirs, X, y))
    assert theirs.n_iter_ == 1 < ours.n_iter_


def test_all_knn() -> None:
    for seed in range(3):
        X, y = numeric(seed)
        theirs = kept(TheirAllKNN(kind_sel="mode", allow_minority=True, **ALL), X, y)
        assert kept(AllKNN(successive=True, distance="euclidean"), X, y) == theirs
        # Tomek judges all rows by the whole table.
        flagged = [set(kept(ENN(i, distance="euclidean"), X, y)) for i in (1, 2, 3)]
        assert kept(AllKNN(distance="euclidean"), X, y) == sorted(set.intersection(*flagged)) != theirs


class Seed(np.random.RandomState):
    """Draws that are all 0: the first row of a class."""

    def randint(self, *args: Any, **kwargs: Any) -> Any:
        return np.zeros(kwargs.get("size") or 1, dtype=int)


def test_cnn_against_a_single_row_of_the_other_class() -> None:
    # Theirs begins with all rows of the smallest class, ours with one of each: the same where there is one. Only rows
    # of one class are then taken in, and who is right stays right, so that one pass over them is enough.
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(40, 2))
        y = np.array([0] * 39 + [1])
        theirs = kept(CondensedNearestNeighbour(random_state=Seed()), X, y)
        assert kept(CNN(distance="euclidean"), X, y) == theirs
        assert 2 < len(theirs) < 40


def test_cnn_keeps_fewer_rows_of_the_smallest_class() -> None:
    X, y = numeric(0, classes=2)
    y = np.where(np.arange(len(y)) < 60, y, 0)
    theirs = kept(CondensedNearestNeighbour(random_state=0), X, y)
    mine = kept(CNN(distance="euclidean"), X, y)
    smallest = set(np.flatnonzero(y == 1).tolist())
    assert smallest <= set(theirs)
    assert not smallest <= set(mine)


def test_steps_of_a_pipeline() -> None:
    X, y = numeric(1)
    model = make_pipeline(ENN(distance="euclidean"), KNNClassifier(1)).fit(X, y)
    X_kept, y_kept = ENN(distance="euclidean").fit_resample(X, y)
    np.testing.assert_array_equal(model.predict(X), KNNClassifier(1).fit(X_kept, y_kept).predict(X))
