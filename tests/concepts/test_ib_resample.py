"""IB2 and IB3 as reducers of tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from concept_tables import SCHEMA, stream

from priorcase.concepts import IB1, IB2, IB3


def test_rows_come_back_in_the_make_they_came_in() -> None:
    X, y = stream(80, seed=70)
    frame, labels = pd.DataFrame(X, columns=list(SCHEMA.names or ())), pd.Series(y, index=range(100, 180))
    model = IB2()
    kept, targets = model.fit_resample(frame, labels)
    assert isinstance(kept, pd.DataFrame)
    assert kept.index.tolist() == model.sample_indices_.tolist() == model.ids_.tolist()
    assert targets.index.tolist() == [100 + i for i in model.ids_]
    lists, plain = IB2(schema=SCHEMA).fit_resample(X, y)
    assert lists == [X[i] for i in IB2(schema=SCHEMA).fit(X, y).ids_]
    assert len(plain) == len(lists)


def test_ib3_keeps_the_acceptable_rows() -> None:
    rng = np.random.default_rng(71)
    X = rng.uniform(size=(500, 2))
    y = (X[:, 0] > 0.5) ^ (rng.uniform(size=500) < 0.1)
    model = IB3(random_state=0)
    kept, _ = model.fit_resample(X, y)
    stored = model.concept_
    assert model.sample_indices_.tolist() == sorted(stored["id"][stored["verdict"] == "acceptable"].tolist())
    assert 0 < len(kept) < model.stored_
    assert len(kept) / 500 == model.storage_


def test_ib3_without_acceptable_rows_keeps_what_is_stored() -> None:
    model = IB3(random_state=0)
    kept, labels = model.fit_resample([[0.0], [1.0]], ["a", "b"])
    assert model.storage_ == 0.0
    assert labels == ["a", "b"]
    assert kept == [[0.0], [1.0]]


def test_shuffled_rows_keep_their_positions() -> None:
    X, y = stream(60, seed=72)
    model = IB2(shuffle=True, random_state=1, schema=SCHEMA)
    kept, labels = model.fit_resample(X, y)
    assert (np.diff(model.sample_indices_) > 0).all()
    assert kept == [X[i] for i in model.sample_indices_]
    assert labels == [y[i] for i in model.sample_indices_]


def test_ib1_is_no_reducer() -> None:
    assert not hasattr(IB1(), "fit_resample")
    with pytest.raises(AttributeError):
        _ = IB1().fit([[0.0]], ["a"]).sample_indices_
