"""What was learned, as frames: concept_, attribute_weights_ and the history."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from concept_tables import SCHEMA, stream
from sklearn.exceptions import NotFittedError

import priorcase as pc
from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, LearningHistory
from priorcase.exceptions import MissingExtraError, ParameterError

mpl.use("Agg")

RECORD = [
    "successes",
    "trials",
    "accuracy_low",
    "accuracy_high",
    "frequency_low",
    "frequency_high",
    "class_count",
    "verdict",
    "arrived",
    "reason",
]


def frame(n: int, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    rows, labels = stream(n, seed)
    return pd.DataFrame(rows, columns=list(SCHEMA.names or ())), labels


def test_columns() -> None:
    X, y = frame(40)
    stored = IB1().fit(X, y).concept_
    assert isinstance(stored, pd.DataFrame)
    assert stored.columns.tolist() == ["id", "class", "age", "colour", "size", "score", *RECORD]
    assert stored["class"].tolist() == y
    assert stored["reason"].tolist() == ["first"] + ["every"] * 39
    assert stored["arrived"].tolist() == list(range(1, 41))
    assert (
        stored["colour"].where(stored["colour"].notna(), None).tolist()
        == X["colour"].where(X["colour"].notna(), None).tolist()
    )
    several = IB4(random_state=0).fit(X, y).concept_
    assert several.columns.tolist() == ["id", "concept", "class", "age", "colour", "size", "score", *RECORD]
    assert several["concept"].drop_duplicates().tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("learner", [IB1(), IB1(window=20), IB3(random_state=0), IB4(random_state=0)], ids=repr)
def test_counts_are_whole_numbers(learner: Any) -> None:
    stored = learner.fit(*frame(60)).concept_
    for name in ("successes", "trials", "class_count", "arrived", "id"):
        assert stored[name].dtype == np.int64, name
    assert stored["trials"].max() > 1


def test_decayed_records_are_no_whole_numbers() -> None:
    stored = IB3(random_state=0, decay=0.9).fit(*frame(60)).concept_
    assert (stored["trials"] % 1 > 0).any()
    assert stored["class_count"].dtype == np.int64


def test_frames_of_the_library_at_hand() -> None:
    X, y = frame(40)
    model = IB3(random_state=0, history=True)
    assert isinstance(model.fit(pl.from_pandas(X), y).concept_, pl.DataFrame)
    assert isinstance(model.history_.frame(), pl.DataFrame)
    assert isinstance(model.fit(pa.Table.from_pandas(X), y).concept_, pa.Table)
    arrays = model.fit(X.astype(object).to_numpy(), y).concept_
    assert isinstance(arrays, pd.DataFrame)
    assert list(arrays)[:6] == ["id", "class", "x0", "x1", "x2", "x3"]


def test_attributes_called_like_other_columns() -> None:
    X = pd.DataFrame({"class": [1.0, 2.0], "verdict": ["x", "y"], "id": [7, 8]})
    stored = IB1().fit(X, ["a", "b"]).concept_
    assert stored.columns.tolist()[:5] == ["id", "class", "class (value)", "verdict (value)", "id (value)"]
    assert stored["id (value)"].tolist() == [7, 8]
    assert stored["id"].tolist() == [0, 1]


def test_a_record_by_hand() -> None:
    """Four rows on a line: who was nearest, and how often it was right."""
    model = IB1().fit([[0.0], [10.0], [1.0], [9.0], [4.0]], ["a", "b", "a", "a", "b"])
    stored = model.concept_
    # The second row tries the first, and 1, 9 and 4 try 0, 10 and 1 in turn.
    assert stored["trials"].tolist() == [2.0, 1.0, 1.0, 0.0, 0.0]
    assert stored["successes"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert stored["class_count"].tolist() == [3.0, 2.0, 3.0, 3.0, 2.0]
    assert stored["accuracy_low"][3] == 0.0
    assert stored["accuracy_high"][3] == 1.0
    assert set(stored["verdict"].tolist()) <= {"mediocre", "poor"}


def test_verdicts_can_be_read_off_the_bounds() -> None:
    X, y = frame(400, seed=3)
    for model in (IB1(), IB2(), IB3(random_state=0, accept=0.7), IB4(random_state=0, accept=0.7)):
        stored = model.fit(X, y).concept_
        good = stored["accuracy_low"] > stored["frequency_high"]
        bad = stored["accuracy_high"] < stored["frequency_low"]
        assert ((stored["verdict"] == "acceptable") == good).all()
        assert ((stored["verdict"] == "poor") == bad).all()
    assert good.any()


def test_attribute_weights() -> None:
    X, y = frame(60)
    table = IB5(random_state=0).fit(X, y).attribute_weights_
    assert table.columns.tolist() == ["concept", "age", "colour", "size", "score"]
    assert table["concept"].tolist() == ["a", "b", "c"]
    weights = IB4(random_state=0).fit(np.arange(20.0).reshape(10, 2), [0, 1] * 5).attribute_weights_
    assert weights.shape == (2, 2)
    assert ((weights >= 0) & (weights <= 0.5)).all()
    repairs = IB4(random_state=0).fit(*pc.load_repairs()).attribute_weights_
    assert repairs.columns.tolist() == ["concept", *pc.load_repairs()[0]]
    named = pd.DataFrame({"concept": [1.0, 2.0, 3.0]})
    assert IB4().fit(named, ["a", "b", "a"]).attribute_weights_.columns.tolist() == ["concept", "concept (2)"]


def test_history_prints() -> None:
    X, y = frame(60)
    history = IB3(random_state=0, history=True).fit(X, y).history_
    assert isinstance(history, LearningHistory)
    assert len(history) == 60
    lines = repr(history).splitlines()
    assert lines[0] == "60 instances"
    assert lines[1].split() == ["seen", "accuracy", "stored", "acceptable", "dropped"]
    assert len(lines) == 12
    assert lines[2].split() == ["1", "-", "1", "0", "0"]
    assert "<table>" in history._repr_html_()
    several = IB2(per_class=True, history=True).fit(X, y).history_
    assert "60 instances of concept 'b'" in repr(several)
    table = several.frame()
    assert table.columns.tolist()[:2] == ["concept", "seen"]
    assert len(table) == 180


def test_history_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = frame(60)
    for model, lines in ((IB2(), 2), (IB3(random_state=0), 3), (IB4(random_state=0), 5)):
        ax = model.set_params(history=True).fit(X, y).history_.plot()
        assert len(ax.lines) == lines
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("instances seen", "share")
        assert model.history_.plot(ax) is ax
        mpl.pyplot.close(ax.figure)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"LearningHistory\.plot"):
        model.history_.plot()


def test_recent_accuracy_by_hand() -> None:
    X, y = [[1.0], [9.0], [2.0], [8.0], [5.5]], ["low", "high", "low", "high", "low"]
    history = IB2(history=True).fit(X, y).history_
    assert history.correct.tolist() == [-1, 0, 1, 1, 0]
    table = history.frame(window=2)
    assert table.columns.tolist()[:4] == ["seen", "correct", "accuracy", "recent_accuracy"]
    np.testing.assert_array_equal(table["recent_accuracy"], [np.nan, 0.0, 0.5, 1.0, 0.5])
    np.testing.assert_array_equal(history.frame(window=10)["recent_accuracy"], history.accuracy)
    assert "recent_accuracy" not in history.frame()


def test_recent_accuracy_of_each_concept() -> None:
    X, y = frame(60)
    history = IB4(random_state=0, history=True).fit(X, y).history_
    table = history.frame(window=7)
    for _, part in table.groupby("concept"):
        correct = part["correct"].map({True: 1.0, False: 0.0})
        expected = correct.rolling(7, min_periods=1).mean()
        np.testing.assert_allclose(part["recent_accuracy"], expected, rtol=1e-12)


def test_a_drift_shows_in_recent_accuracy_only() -> None:
    """Two classes that change places after 400 instances: the accuracy so far hides it."""
    X = np.random.default_rng(0).random((500, 1))
    y = (X[:, 0] > 0.5) ^ (np.arange(500) >= 400)
    history = IB1(history=True).fit(X, y).history_
    assert history.accuracy[449] > 0.85
    assert history.frame(window=50)["recent_accuracy"][449] < 0.35
    ax = history.plot(window=50)
    assert ax.lines[0].get_label() == "accuracy of the last 50"
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), history.frame(window=50)["recent_accuracy"])
    mpl.pyplot.close(ax.figure)
    np.testing.assert_array_equal(history.frame(window=1)["recent_accuracy"][1:], history.frame()["correct"][1:])


@pytest.mark.parametrize("window", [0, -1, 2.5, "50", True])
def test_windows_of_a_history(window: Any) -> None:
    history = IB2(history=True).fit([[0.0], [1.0]], ["a", "b"]).history_
    with pytest.raises(ParameterError, match=r"LearningHistory\.frame: window must be"):
        history.frame(window=window)
    with pytest.raises(ParameterError, match=r"LearningHistory\.plot: window must be"):
        history.plot(window=window)


def test_history_is_there_only_when_it_was_asked_for() -> None:
    model = IB2().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(AttributeError, match="history_ needs history=True"):
        _ = model.history_
    assert not hasattr(model, "history_")


@pytest.mark.parametrize("name", ["concept_", "storage_", "stored_", "dropped_", "n_seen_", "classes_", "ids_"])
def test_nothing_is_there_before_the_first_row(name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(IB3(), name)


def test_frames_are_the_callers_own() -> None:
    """Changing what was handed out changes nothing that was learned."""
    model = IB1(history=True).fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    before: Any = model.concept_
    before.loc[:, ["successes", "trials", "arrived"]] = -1
    assert (model.concept_[["successes", "trials", "arrived"]] >= 0).all(axis=None)
    classes = model.classes_
    with pytest.raises(ValueError, match="read-only"):
        classes[0] = "z"
