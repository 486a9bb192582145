"""Multi-label targets at the door: columns by name, single ones, and lists of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.preprocessing import MultiLabelBinarizer

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5
from priorcase.exceptions import TargetError

rng = np.random.default_rng(0)
X = pd.DataFrame({"hour": rng.integers(0, 24, 200).astype(float), "amount": rng.uniform(0, 200, 200)})
FLAGS = pd.DataFrame({"night": X["hour"] < 6, "large": X["amount"] > 150}).astype(int)
SEVERAL = [IB1(per_class=True), IB2(per_class=True), IB3(per_class=True, random_state=0), IB4(random_state=0)]
SEVERAL += [IB5(random_state=0)]
several = pytest.mark.parametrize("learner", SEVERAL, ids=repr)


@several
def test_scores_go_by_name(learner: Any) -> None:
    model = learner.fit(X[:150], FLAGS[:150])
    left = X[150:], FLAGS[150:]
    right = float((model.predict(left[0]) == left[1].to_numpy()).all(axis=1).mean())
    assert 0.5 < right < 1.0 or isinstance(learner, IB1)
    turned = FLAGS[150:][["large", "night"]]
    for y in (left[1], turned, pl.from_pandas(turned), left[1].to_numpy(), left[1].astype(bool)):
        assert model.score(X[150:], y) == right
    assert model.score(X[150:], turned.to_numpy()) < right - 0.2, "without names by position"
    weights = (model.predict(X[150:]) == left[1].to_numpy()).all(axis=1)
    assert model.score(X[150:], turned, sample_weight=weights + 1e-9) > 0.99


@several
def test_a_single_column_is_an_indicator_of_one_class(learner: Any) -> None:
    night = FLAGS[["night"]]
    model = learner.fit(X[:100], night[:100])
    assert model.classes_.tolist() == ["night"]
    assert model.partial_fit(X[100:150], night[100:150]).classes_.tolist() == ["night"]
    assert model.predict(X[:5]).shape == (5, 1)
    assert model.score(X[150:], night[150:]) > 0.8
    assert [share.shape for share in model.predict_proba(X[:5])] == [(5, 2)]
    unnamed = learner.fit(X[:100], night[:100].to_numpy().tolist())
    assert unnamed.classes_.tolist() == [0]
    alone = unnamed.claims(X[100:])
    assert learner.fit(X[:100], FLAGS[:100]).claims(X[100:])[:, :1].tolist() == alone.tolist()


def test_a_single_column_of_classes() -> None:
    """As in scikit-learn; so is one of 0 and 1 where all classes share a description, or where these are announced."""
    column = np.array([[0], [1], [1]])
    for fitted in (
        lambda: IB2().fit(X[:3], column),
        lambda: IB2(per_class=True).partial_fit(X[:3], column, classes=[0, 1]),
        lambda: IB4(random_state=0).fit(X[:3], [[1], [2], [2]]),
        lambda: IB4(random_state=0).fit(X[:3], np.array([["a"], ["b"], ["b"]])),
        lambda: IB4(random_state=0).fit(X[:3], [0, 1, 1]).partial_fit(X[:3], column),
    ):
        with pytest.warns(DataConversionWarning, match="column-vector"):
            assert len(fitted().classes_) == 2
    named = IB4(random_state=0).partial_fit(X[:3], FLAGS[["night"]][:3], classes=["night"])
    assert named.classes_.tolist() == ["night"]
    with pytest.raises(TargetError, match="expected 0 and 1 only"):
        named.partial_fit(X[:3], [[0], [2], [1]])


LISTS = [
    [["night"], ["large", "night"]],
    [["night", "large"], ["large", "night"]],
    [[], ["night"]],
    [("night",), {"large", "night"}],
    [[1], [1, 2]],
    pd.Series([["night"], ["large", "night"]]),
]


@pytest.mark.parametrize("y", LISTS, ids=range(len(LISTS)))
def test_lists_of_labels_are_no_columns(y: Any) -> None:
    for learner in (IB4(), IB5(), IB1(per_class=True)):
        with pytest.raises(TargetError, match="collection of labels for each row"):
            learner.fit(X[:2], y)
    with pytest.raises(TargetError, match="per_class=True"):
        IB3().fit(X[:2], y)
    binarizer = MultiLabelBinarizer()
    assert IB4(random_state=0).fit(X[:2], binarizer.fit_transform(y)).claims(X[:2]).shape == (
        2,
        len(binarizer.classes_),
    )
