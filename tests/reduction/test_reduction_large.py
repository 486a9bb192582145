"""Tables that are worked on part by part, and columns that tell nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from priorcase._core import CaseFilter, Condensed, Drop
from priorcase.exceptions import ParameterError
from priorcase.learning import resampling
from priorcase.learning.resampling import Advance, blocks
from priorcase.neighbors import KNNClassifier
from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN
from priorcase.reduction.base import read_rows
from priorcase.similarity import Distance, ValueTable

REDUCERS = [ENN(), RENN(), AllKNN(), CNN(), RNN(), DROP1(), DROP2(), DROP3(), DROP4(), DROP5(), ICF()]
EACH = pytest.mark.parametrize("reducer", REDUCERS, ids=lambda reducer: type(reducer).__name__)


def numeric(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)


def test_parts_cover_all_rows() -> None:
    assert list(blocks(10, text="rows", size=4)) == [slice(0, 4), slice(4, 8), slice(8, 10)]
    assert list(blocks(0, text="rows")) == []


@pytest.mark.peers
def test_editing_in_parts() -> None:
    peers = pytest.importorskip("imblearn.under_sampling", reason="no imbalanced-learn here")
    X, y = numeric(9_000)
    theirs = peers.EditedNearestNeighbours(sampling_strategy="all", kind_sel="mode")
    theirs.fit_resample(X, y)
    assert ENN(distance="euclidean").fit(X, y).sample_indices_.tolist() == sorted(theirs.sample_indices_.tolist())


def test_reducing_in_parts_is_reducing_at_once() -> None:
    X, y = numeric(1_400)
    rows = read_rows(DROP2(), X, y, sort="classes", threads=1)
    at, everything = np.arange(len(rows)), rows.arguments(np.arange(len(rows)))
    drop = Drop(*everything, rows.codes[at], None, k=3, nearest_breaks_ties=False, alpha=1.0, stay_on=True)
    drop.fill(0, len(rows), 1)
    drop.consider(np.argsort(-drop.enemy_costs(at, 1), kind="stable"), False)
    assert DROP2().fit(X, y).sample_indices_.tolist() == np.flatnonzero(drop.held()).tolist()
    condensed = Condensed(*everything, rows.codes[at])
    while condensed.take_in(0, len(rows), 1):
        continue
    assert CNN().fit(X, y).sample_indices_.tolist() == np.flatnonzero(condensed.held()).tolist()
    kept = ENN().fit(X, y).sample_indices_
    case_filter = CaseFilter(*rows.arguments(kept), rows.codes[kept])
    gone = 1
    while gone:
        case_filter.count(np.arange(len(kept)), 1)
        gone = case_filter.filter()
    assert ICF().fit(X, y).sample_indices_.tolist() == kept[case_filter.held().astype(bool)].tolist()


@EACH
def test_an_interrupted_fit_leaves_everything_as_it_was(reducer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = numeric(200)
    before = reducer.fit(X, y).sample_indices_.tolist()

    @contextmanager
    def interrupted(total: int, **kwargs: Any) -> Iterator[Advance]:
        def advance(text: str) -> None:
            raise KeyboardInterrupt

        yield advance

    monkeypatch.setattr(resampling, "bar", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reducer.fit(X[:100], y[:100])
    assert reducer.sample_indices_.tolist() == before


@EACH
@pytest.mark.parametrize("distance", ["heom", "hvdm", "mvdm", "ivdm", "gower", "ib"])
def test_columns_of_gaps_and_of_one_value_change_nothing(reducer: Any, distance: str) -> None:
    X, y = numeric(60)
    rows = [[*line, None, "same", 7.0] for line in X.round(1).tolist()]
    own = type(reducer)(distance=distance, categorical_features=[4])
    expected = type(reducer)(distance=distance).fit(X.round(1), y).sample_indices_.tolist()
    assert own.fit(rows, y).sample_indices_.tolist() == expected


@EACH
def test_weights_learned_from_the_classes(reducer: Any) -> None:
    X, y = numeric(150)
    weights = KNNClassifier(attribute_weights="bayes").fit(X, y).attribute_weights_.weights
    learned = type(reducer)(attribute_weights="bayes").fit(X, y).sample_indices_.tolist()
    assert learned == type(reducer)(attribute_weights=weights).fit(X, y).sample_indices_.tolist()
    assert learned != type(reducer)().fit(X, y).sample_indices_.tolist()


def test_tables_of_differences() -> None:
    rows = [["low"], ["low"], ["middle"], ["high"], ["high"], ["high"]]
    labels = ["a", "a", "a", "b", "b", "b"]
    values = ("low", "middle", "high")
    near_low = ValueTable(values, ((0, 1, 9), (1, 0, 3), (9, 3, 0)))
    near_high = ValueTable(values, ((0, 3, 9), (3, 0, 1), (9, 1, 0)))
    assert ENN(1, distance=Distance(nominal=near_low)).fit(rows, labels).sample_indices_.tolist() == [0, 1, 2, 3, 4, 5]
    assert ENN(1, distance=Distance(nominal=near_high)).fit(rows, labels).sample_indices_.tolist() == [0, 1, 3, 4, 5]
    lacking = Distance(nominal=ValueTable(("low", "high"), ((0, 1), (1, 0))))
    with pytest.raises(ParameterError, match="'middle'"):
        ENN(1, distance=lacking).fit(rows, labels)
