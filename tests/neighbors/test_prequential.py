"""A stream in one call: each answer is that of predict before the row came, and the model that of partial_fit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tables import labels, mixed_rows, row_lists

from priorcase.exceptions import (
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
)
from priorcase.learning import resampling
from priorcase.neighbors import KNNClassifier, KNNRegressor, PrequentialClassification, polling, prequential
from priorcase.schema import Nominal, Numeric, Ordinal, Schema
from priorcase.similarity import Absolute, Distance, Levels, ValueTable

KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}
DISTANCES = ("heom", "ib", "gower", "overlap", Distance(power=3), Distance(missing="skip"), Distance(missing="ignore"))
IN_CORE = [KNNClassifier(3, distance=distance, schema=KINDS) for distance in DISTANCES]
IN_CORE += [
    KNNClassifier(4, vote=vote, ties=ties, schema=KINDS)
    for vote in ("uniform", "inverse_square")
    for ties in ("majority", "first", "nearest", "reduce")
]
IN_CORE += [KNNClassifier("sqrt", attribute_weights=[1.0, 0.5, 0.0], schema=KINDS)]
IN_CORE += [KNNClassifier(3, algorithm=algorithm, schema=KINDS) for algorithm in ("tree", "scan", "plain")]
IN_CORE += [
    KNNRegressor(3, vote=vote, ties=ties, schema=KINDS)
    for vote in ("uniform", "inverse_square")
    for ties in ("majority", "first")
]
ONE_BY_ONE = [
    KNNClassifier(3, distance="hvdm", schema=KINDS),
    KNNClassifier(3, distance="mvdm", vote="gaussian", schema=KINDS),
    KNNClassifier("loo", schema=KINDS),
    KNNClassifier("all", vote="inverse_square", schema=KINDS),
    KNNClassifier(3, prior="frequency", schema=KINDS),
    KNNClassifier(3, attribute_weights="bayes", schema=KINDS),
    KNNClassifier(3, distance=Distance(numeric=Absolute("std")), schema=KINDS),
    KNNClassifier(3, distance=Distance(numeric=Absolute("range", factor=2)), schema=KINDS),
    KNNRegressor(3, vote="tricube", schema=KINDS),
    KNNRegressor("all", vote="inverse_square", distance="ib", schema=KINDS),
]
QUERIES = [[1.0, "red", True], [None, "violet", None], [7.5, None, False]]


def name(model: Any) -> str:
    return f"{type(model).__name__}-{model.n_neighbors}"


def targets(model: Any, rows: list[Any], draw: Any) -> list[Any]:
    values = st.sampled_from("abc") if isinstance(model, KNNClassifier) else st.sampled_from([0.0, 1.0, 2.5, 1e-3])
    return [draw(values) for _ in rows]


def one_by_one(model: Any, rows: list[Any], y: list[Any]) -> list[Any]:
    """What the docstring promises, by the public calls."""
    told: list[Any] = []
    k, chosen_from = None, 0
    for row, target in zip(rows, y, strict=True):
        if hasattr(model, "_memory") and (n := model.n_samples_fit_):
            if model.n_neighbors == "loo" and n - chosen_from >= 0.1 * chosen_from:
                k, chosen_from = model.n_neighbors_, n
            try:
                told.append(model.predict([row])[0] if k is None else model.precedents([row], k).predictions[0])
            except TooFewRowsError:
                assert not told
        model.partial_fit([row], [target])
    return told


def assert_same_model(one: Any, other: Any) -> None:
    assert one.digest() == other.digest()
    assert one.distance_ == other.distance_
    np.testing.assert_array_equal(one.ids_, other.ids_)
    k = len(one.ids_)
    for mine, its in zip(one.kneighbors(QUERIES, k), other.kneighbors(QUERIES, k), strict=True):
        np.testing.assert_array_equal(mine, its)
    if isinstance(one, KNNClassifier):
        np.testing.assert_array_equal(one.classes_, other.classes_)
    if not isinstance(one.n_neighbors, int) or one.n_neighbors <= k:
        np.testing.assert_array_equal(one.predict(QUERIES), other.predict(QUERIES))


@pytest.mark.parametrize("model", IN_CORE + ONE_BY_ONE, ids=name)
@given(rows=row_lists(1, 14), data=st.data())
@settings(max_examples=5)
def test_as_one_by_one(model: Any, rows: list[Any], data: Any) -> None:
    y = targets(model, rows, data.draw)
    start = data.draw(st.integers(0, len(rows) - 1))
    stream, single, batch = clone(model), clone(model), clone(model)
    if start:
        for learner in (stream, single, batch):
            learner.partial_fit(rows[:start], y[:start])
        if data.draw(st.booleans()):
            stream.kneighbors(QUERIES, 1)  # its index is there already, or is not
    result = stream.prequential(rows[start:], y[start:])
    told = one_by_one(single, rows[start:], y[start:])
    batch.partial_fit(rows[start:], y[start:])
    assert result.predictions.tolist() == told
    assert result.targets.tolist() == y[len(rows) - len(told) :]
    assert result.first == len(rows) - start - len(told)
    assert_same_model(stream, single)
    assert_same_model(stream, batch)


@pytest.mark.parametrize("model", IN_CORE, ids=name)
def test_the_core_does_it(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X = [row[:3] for row in mixed_rows(40)]
    y = labels(40) if isinstance(model, KNNClassifier) else list(range(40))
    answers = []
    for one_at_a_time in (False, True):
        stream = clone(model)
        with monkeypatch.context() as patch:
            if one_at_a_time:
                patch.setattr(prequential, "core_follows", lambda model: False)
            else:
                patch.setattr(prequential, "_one_by_one", None)
            answers.append(stream.prequential(X, y).predictions)
    np.testing.assert_array_equal(*answers)
    assert answers[0].dtype == answers[1].dtype


@pytest.mark.parametrize("model", ONE_BY_ONE, ids=name)
def test_the_core_does_not_pretend(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prequential, "_in_core", None)
    X, y = [row[:3] for row in mixed_rows(12)], labels(12)
    clone(model).prequential(X, y if isinstance(model, KNNClassifier) else list(range(12)))


def test_long_streams_of_numbers_whose_ranges_grow() -> None:
    rng = np.random.default_rng(2)
    X = np.cumsum(rng.normal(size=(1500, 4)), axis=0).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[700:720] = X[100]  # equal rows: many neighbors at one distance
    y = rng.integers(0, 3, 1500)
    stream, single = KNNClassifier(5).fit(X[:300], y[:300]), KNNClassifier(5).fit(X[:300], y[:300])
    result = stream.prequential(X[300:], y[300:])
    told = []
    for i in range(300, 1500):
        told.append(single.predict(X[i : i + 1])[0])
        single.partial_fit(X[i : i + 1], y[i : i + 1])
    assert result.predictions.tolist() == told
    assert result.first == 0
    assert stream.digest() == single.digest()
    np.testing.assert_array_equal(stream.predict_proba(X), single.predict_proba(X))


def test_forgotten_rows_weighted_rows_and_ordered_levels() -> None:
    schema = Schema(("size", "price"), (Ordinal(("S", "M", "L")), Numeric()))
    X = [[size, price] for size, price in zip(list("SMLSMLSMML"), range(10), strict=True)]
    y = list("abababbbaa")
    for distance in ("heom", Distance(ordinal=Levels((0, 1, 5))), Distance(ordinal=Absolute())):
        for weight in (None, 2.0):
            stream = KNNClassifier(2, schema=schema, distance=distance).fit(X[:5], y[:5], sample_weight=weight)
            single = KNNClassifier(2, schema=schema, distance=distance).fit(X[:5], y[:5], sample_weight=weight)
            stream.forget([1, 2])
            single.forget([1, 2])
            assert stream.prequential(X[5:], y[5:]).predictions.tolist() == one_by_one(single, X[5:], y[5:])
            assert stream.digest() == single.digest()
            assert stream.ids_.tolist() == single.ids_.tolist() == [0, 3, 4, 5, 6, 7, 8, 9]


def test_several_targets() -> None:
    X = [row[:3] for row in mixed_rows(30)]
    classes = [list(pair) for pair in zip(labels(30), labels(30, seed=4, classes=("x", "y")), strict=True)]
    numbers = np.random.default_rng(0).normal(size=(30, 2))
    for model, y in ((KNNClassifier(3), classes), (KNNRegressor(3, vote="inverse_square"), numbers.tolist())):
        stream, single = clone(model), clone(model).fit(X[:3], y[:3])
        result = stream.prequential(X, y)
        told = []
        for row, target in zip(X[3:], y[3:], strict=True):
            told.append(single.predict([row])[0].tolist())
            single.partial_fit([row], [target])
        assert result.predictions.tolist() == told
        assert result.predictions.shape == result.targets.shape == (27, 2)
        assert {"row", "target 0", "target 1", "predicted 0", "predicted 1"} < set(result.frame())
    wrong = np.array(result.predictions - result.targets)
    assert result.mean_squared_error == pytest.approx((wrong * wrong).mean())
    so_far = (wrong * wrong).mean(axis=1).cumsum() / np.arange(1, 28)
    np.testing.assert_allclose(result.mean_squared_errors, so_far)


def test_a_tied_vote_goes_by_the_classes_of_that_moment() -> None:
    X, y = [[0.0], [0.0], [9.0], [9.0], [0.0], [0.0]], ["b", "a", "a", "a", "b", "b"]
    # The third row asks one b and one a, equally far and equally many: the first class. The fifth asks when a leads.
    assert KNNClassifier(2).prequential(X, y).predictions.tolist() == ["a", "a", "a", "b"]


def test_declared_classes() -> None:
    model = KNNClassifier(1)
    result = model.prequential([[1.0], [2.0]], ["b", "a"], classes=["c", "b", "a"])
    assert result.predictions.tolist() == ["b"]
    assert model.classes_.tolist() == ["a", "b", "c"]
    with pytest.raises(TargetError, match=r"KNNClassifier.prequential: .*'z'"):
        model.prequential([[1.0]], ["z"])


# -- results


def test_result_of_a_classifier() -> None:
    frame = pd.DataFrame({"x": [1.0, 9.0, 2.0, 8.0, 5.5, 1.5]})
    result = KNNClassifier(1).prequential(frame, ["low", "high", "low", "high", "low", "low"])
    assert (result.first, len(result), result.accuracy) == (1, 5, 0.6)
    np.testing.assert_allclose(result.accuracies, [0, 1 / 2, 2 / 3, 2 / 4, 3 / 5])
    table = result.frame()
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == ["row", "target", "predicted", "accuracy"]
    assert table["row"].tolist() == [1, 2, 3, 4, 5]
    assert "5 of 6 rows predicted before they were stored" in str(result)
    assert "<table" in result._repr_html_()
    lines = KNNClassifier(1).prequential(np.arange(300.0)[:, None], np.arange(300) % 2)
    assert len(str(lines).splitlines()) == 12
    assert list(lines.frame()) == table.columns.tolist()
    polars = KNNRegressor(1).prequential(pl.DataFrame({"x": [1.0, 2.0]}), [1.0, 2.0]).frame()
    assert isinstance(polars, pl.DataFrame)


def test_result_without_an_answer() -> None:
    result = KNNClassifier(5).prequential([[1.0], [2.0]], ["a", "b"])
    assert (len(result), result.first) == (0, 2)
    assert np.isnan(result.accuracy)
    assert result.predictions.dtype == np.array(["a"]).dtype
    assert str(result).splitlines()[-1].split() == ["2", "-"]
    assert result.frame()["row"].size == 0
    slow = KNNClassifier(5, distance="hvdm").prequential([[1.0], [2.0]], ["a", "b"])
    assert slow.predictions.dtype == result.predictions.dtype
    assert KNNRegressor(5).prequential([[1.0]], [[1.0, 2.0]]).predictions.shape == (0, 2)


def test_plots() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    result = KNNRegressor(1).prequential([[1.0], [3.0], [2.0]], [10.0, 30.0, 20.0])
    ax = result.plot()
    assert ax.lines[0].get_xydata().tolist() == [[2.0, 400.0], [3.0, 200.0]]
    assert ax.get_xlabel() == "rows seen"
    assert result.plot(ax) is ax
    pyplot.close("all")


# -- bad input: all or nothing

BAD = [
    ([[1.0, "red"], [np.inf, "red"]], ["a", "b"], SchemaError),
    ([[1.0, 2], [1.0, 3]], ["a", "b"], SchemaMismatchError),
    ([[1.0], [2.0]], ["a", "b"], SchemaMismatchError),
    ([], [], PriorcaseError),
    ([[1.0, "red"]], ["a", "b"], TargetError),
    ([[1.0, "red"], [2.0, "red"]], ["a", None], TargetError),
    ([[1.0, "red"], [2.0, "red"]], ["a", 1], TargetError),
    ([[1.0, "red"], [1e308, "red"], [-1e308, "red"]], ["a", "b", "b"], PriorcaseError),
]


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("distance", ["heom", "hvdm"])
@pytest.mark.parametrize(("X", "y", "error"), BAD)
def test_refused_whole(X: Any, y: Any, error: type[Exception], distance: str, fitted: bool) -> None:
    model = KNNClassifier(1, distance=distance)
    if fitted:
        model.fit([[1.0, "red"], [2.0, "blue"]], ["a", "b"])
    elif error is SchemaMismatchError:
        return  # nothing to mismatch with
    before = (model.digest(), model.classes_.tolist()) if fitted else None
    with pytest.raises(error, match=r"prequential|column 0|query 1"):
        model.prequential(X, y)
    if fitted:
        assert (model.digest(), model.classes_.tolist()) == before
        assert model.predict([[1.0, "red"]]) == ["a"]
        assert model.partial_fit([[1.0, "red"]], ["a"]).ids_.tolist() == [0, 1, 2]
    else:
        assert not hasattr(model, "n_features_in_")


def test_rows_too_far_apart() -> None:
    model = KNNClassifier(1, distance="euclidean").fit([[0.0]], ["a"])
    with pytest.raises(NumericRangeError, match=r"KNNClassifier.prequential: query 1 .*row 0"):
        model.prequential([[1.0], [1e200]], ["a", "b"])
    assert model.n_samples_fit_ == 1
    assert model.predict([[1.0]]).tolist() == ["a"]
    nothing_shared = KNNClassifier(1, distance="euclidean", schema={0: Numeric(), 1: Numeric()})
    result = nothing_shared.prequential([[1.0, None], [None, 1.0], [2.0, None]], ["a", "b", "b"])
    assert result.predictions.tolist() == ["a", "a"]


def test_parameters_are_checked() -> None:
    with pytest.raises(ParameterError, match=r"KNNClassifier.prequential: n_neighbors"):
        KNNClassifier(0).prequential([[1.0]], ["a"])
    model = KNNClassifier(1).fit([[1.0]], ["a"]).set_params(n_jobs=0)
    with pytest.raises(ParameterError, match=r"KNNClassifier.prequential: .*n_jobs"):
        model.prequential([[1.0]], ["a"])
    table = ValueTable(("x", "y"), [[0, 1], [1, 0]])
    tabled = KNNClassifier(1, distance=Distance(nominal=table))
    with pytest.raises(PriorcaseError, match="z"):
        tabled.fit([["x"]], ["a"]).prequential([["z"]], ["a"])
    assert tabled.prequential([["y"], ["x"]], ["b", "b"]).predictions.tolist() == ["a", "a"]


@pytest.mark.parametrize("distance", ["heom", "hvdm"])
def test_interrupted_it_leaves_everything(distance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = mixed_rows(1300), labels(1300)
    model = KNNClassifier(3, distance=distance).fit(X[:20], y[:20])
    before, answers = model.digest(), model.predict(X[:50]).tolist()

    def interrupt(n: int, *, text: str) -> Any:
        yield slice(0, 40)
        raise KeyboardInterrupt

    monkeypatch.setattr(prequential, "blocks", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.prequential(X[20:], y[20:])
    assert model.digest() == before
    assert model.predict(X[:50]).tolist() == answers
    assert model.partial_fit(X[20:21], y[20:21]).ids_.tolist() == list(range(21))


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    monkeypatch.setattr(resampling, "_MANY_ROWS", 1000)
    monkeypatch.setattr(resampling, "_silently", steps.append)
    KNNClassifier(1).prequential(np.arange(1100.0)[:, None], np.arange(1100) % 3)
    assert steps == ["prequential"] * 3


def test_others_may_ask_meanwhile() -> None:
    X, y = mixed_rows(3000), labels(3000)
    model = KNNClassifier(3).fit(X[:100], y[:100])
    sizes: set[int] = set()
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            model.predict(X[:3])
            sizes.add(model.n_samples_fit_)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    result = model.prequential(X[100:], y[100:])
    done.set()
    for thread in threads:
        thread.join()
    assert isinstance(result, PrequentialClassification)
    assert sizes <= {100, 3000}


def test_a_stream_chooses_k_again_when_the_rows_have_grown_by_a_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[int] = []
    curve = polling._loo_curve
    monkeypatch.setattr(polling, "_loo_curve", lambda model, memory: chosen.append(len(memory)) or curve(model, memory))
    X, y = mixed_rows(60), labels(60)
    result = KNNClassifier("loo", schema=KINDS).prequential(X, y)
    assert chosen == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 21, 24, 27, 30, 33, 37, 41, 46, 51, 57]
    assert result.predictions.tolist() == one_by_one(KNNClassifier("loo", schema=KINDS), X, y)
