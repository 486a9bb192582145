"""How rows are dealt out, and the words for splits that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit

from priorcase.evaluation import Folds, Holdout, LeaveOneOut, Prequential, compare
from priorcase.evaluation.scoring import Task
from priorcase.evaluation.splits import read_splits
from priorcase.exceptions import EvaluationError, ParameterError

classes = st.lists(st.sampled_from("abcd"), min_size=4, max_size=40)


def task(y: Any) -> Task:
    array = np.array(y)
    return Task("numbers", array, np.empty(0)) if array.dtype.kind == "f" else Task("classes", array, np.unique(array))


@given(classes, st.integers(2, 4), st.integers(0, 5))
def test_every_row_is_tested_once_and_classes_are_spread_evenly(y: list[str], n: int, seed: int) -> None:
    splits = list(Folds(n).deal(task(y), random_state=seed, repeat=0))
    assert sorted(np.concatenate([split.test for split in splits]).tolist()) == list(range(len(y)))
    for split in splits:
        assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(len(y)))
    sizes = [split.test.size for split in splits]
    assert max(sizes) - min(sizes) <= 1
    for label in set(y):
        counts = [sum(y[i] == label for i in split.test) for split in splits]
        assert max(counts) - min(counts) <= 1


def test_folds_depend_on_seed_and_repetition_alone() -> None:
    y = task(["a", "b"] * 10)
    tests = [
        [split.test.tolist() for split in Folds(4).deal(y, random_state=seed, repeat=repeat)]
        for seed, repeat in [(0, 0), (0, 0), (0, 1), (1, 0)]
    ]
    assert tests[0] == tests[1]
    assert tests[0] != tests[2] != tests[3] != tests[0]


def test_training_rows_come_in_random_order() -> None:
    """What IB2 to IB5 keep depends on the order, and tables are often sorted by class."""
    y = task(["a"] * 20 + ["b"] * 20)
    splits = [*Folds(4).deal(y, random_state=0, repeat=0), *Holdout(0.5).deal(y, random_state=0, repeat=0)]
    splits += [
        *Holdout(0.5, stratified=True).deal(y, random_state=0, repeat=0),
        *Folds(4, share=0.5).deal(y, random_state=0, repeat=0),
    ]
    for split in splits:
        assert (np.diff(split.train) < 0).any()
        changes = np.count_nonzero(np.diff(split.train >= 20))
        assert changes > 3
        assert (np.diff(split.test) > 0).all()


def test_numbers_and_unstratified_folds_are_dealt_at_random() -> None:
    y = task(np.arange(20.0))
    sizes = [split.test.size for split in Folds(3).deal(y, random_state=0, repeat=0)]
    assert sorted(sizes) == [6, 7, 7]
    sorted_classes = task(["a"] * 50 + ["b"] * 50)
    plain = [
        sum(split.test < 50) for split in Folds(10, stratified=False).deal(sorted_classes, random_state=0, repeat=0)
    ]
    assert len(set(plain)) > 2


@given(st.integers(4, 40), st.sampled_from([0.1, 0.3, 0.5, 0.99]))
def test_a_share_of_the_training_rows_is_drawn_in_each_fold(n: int, share: float) -> None:
    whole = list(Folds(2).deal(task(["a", "b"] * n), random_state=0, repeat=0))
    for split, full in zip(
        Folds(2, share=share).deal(task(["a", "b"] * n), random_state=0, repeat=0), whole, strict=True
    ):
        assert split.train.size == max(1, int(share * full.train.size + 1e-9))
        assert set(split.train) <= set(full.train)
        assert split.test.tolist() == full.test.tolist()


@given(classes, st.floats(0.3, 0.8))
def test_a_stratified_partition_splits_each_class_alike(y: list[str], part: float) -> None:
    (split,) = Holdout(part, stratified=True).deal(task(y), random_state=0, repeat=0)
    assert split.train.size == int(part * len(y) + 1e-9)
    assert sorted([*split.train.tolist(), *split.test.tolist()]) == list(range(len(y)))
    for label in set(y):
        n = y.count(label)
        assert abs(sum(y[i] == label for i in split.train) - part * n) <= 2


def test_a_partition_can_have_a_number_of_rows() -> None:
    (split,) = Holdout(15).deal(task(["a", "b"] * 10), random_state=0, repeat=3)
    assert (split.train.size, split.test.size, split.repeat) == (15, 5, 3)


def test_names_numbers_and_splitters_are_read() -> None:
    y = task(["a", "b"] * 10)
    assert read_splits(5, y, 2) == Folds(5)
    assert read_splits("loo", y, 1) == LeaveOneOut()
    assert read_splits("prequential", y, 1) == Prequential()
    given_splits = read_splits(ShuffleSplit(3, random_state=0), y, 1)
    assert len(list(given_splits.deal(y, random_state=0, repeat=0))) == 3
    assert str(given_splits).startswith("ShuffleSplit(n_splits=3")
    mask = np.arange(20) < 15
    pairs = read_splits([(mask, ~mask)], y, 1)
    assert next(iter(pairs.deal(y, random_state=0, repeat=0))).test.tolist() == [15, 16, 17, 18, 19]
    assert str(pairs) == "1 given split"


def test_groups_are_kept_together() -> None:
    groups = [f"patient {n % 5}" for n in range(30)]
    rows, y = np.arange(30.0)[:, np.newaxis], np.array(["a", "b"] * 15)
    found = compare(DummyClassifier(), rows, y, splits=GroupKFold(5), groups=groups, keep_predictions=True)
    tested = [{groups[row] for row in cell.rows.tolist()} for cell in found.cells]
    assert sorted(map(sorted, tested)) == [[f"patient {n}"] for n in range(5)]

    class Halves:
        def split(self, X: Any, y: Any) -> Any:
            return [(np.arange(15), np.arange(15, 30))]

    assert len(compare(DummyClassifier(), rows, y, splits=Halves()).cells) == 1


@pytest.mark.parametrize(
    ("splits", "repeats", "words"),
    [
        (1, 1, "splits must be a number of folds >= 2, 'loo', .* got 1"),
        (Folds(2.5), 1, "splits must be a number of folds >= 2"),
        ("lo", 1, "splits must be"),
        (21, 1, "expected no more folds than rows. Use fewer folds, or 'loo'"),
        (None, 1, "splits must be a number of folds >= 2, 'loo'"),
        ([], 1, "must be a number of folds"),
        ([3], 1, "split 0 with int in place of a pair"),
        ([([1.5], [2])], 1, "split 0 with float64 values"),
        ([([1], [20])], 1, "split 0 with row 20"),
        ([([-1], [2])], 1, "split 0 with row -1"),
        ([([], [2])], 1, "split 0 with no rows"),
        ([([[1]], [2])], 1, r"split 0 with shape \(1, 1\)"),
        ([([1, 2], [2])], 1, "split 0 with row 2 in both training and test rows"),
        (5, 0, "repeats must be"),
        ("loo", 2, "repeats must be 1 with leave-one-out.*Use repeats with folds or Holdout"),
        (KFold(3), 2, "repeats must be 1 with KFold"),
        (Folds(5, share=0), 1, "share must be"),
        (Folds(5, stratified=1), 1, "stratified"),
        (Holdout(1.5), 1, "train must be"),
        (Holdout(20), 1, r"Holdout\(train=20\) for 20 rows"),
        (Holdout(0.01), 1, "leaves no training rows.*both have at least one row"),
        (Holdout(0.5, stratified="yes"), 1, "stratified"),
        (Prequential(20), 1, r"start must be .*\[1, 20\)"),
    ],
)
def test_splits_that_are_none_are_refused(splits: Any, repeats: int, words: str) -> None:
    with pytest.raises((ParameterError, EvaluationError), match=words):
        read_splits(splits, task(["a", "b"] * 10), repeats)


@pytest.mark.parametrize("splits", ["loo", "prequential"])
def test_one_row_is_too_few(splits: str) -> None:
    with pytest.raises(EvaluationError, match="got one row, which leaves no training rows"):
        read_splits(splits, task(["a"]), 1)
