"""Differences computed in Python equal compiled ones, in every search and for every kind of value."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import priorcase as pc
from priorcase.exceptions import ParameterError, PriorcaseError
from priorcase.search import Index
from priorcase.similarity import Computed, Difference, DifferenceFunction, ValueTable, computed
from priorcase.similarity.distance import Missing


def differs(query: Any, stored: Any) -> float:
    return float(query != stored)


def steps(query: float, stored: float) -> float:
    return abs(query - stored) / 3.0


@dataclass(frozen=True)
class ByRange(Computed):
    """HEOM's difference of numbers, written in Python; the range is that of the stored numbers."""

    accepts: ClassVar[tuple[str, ...]] = ("numeric",)

    def prepare(self, values: Any) -> Any:
        numbers = np.array(values)
        return numbers, (numbers[-1] - numbers[0]) or 1.0

    def between(self, queries: Any, stored: Any) -> Any:
        numbers, width = stored
        return np.abs(np.array(queries)[:, None] - numbers) / width


LEVELS = ("low", "mid", "high")
SCHEMA = {"size": pc.Ordinal(LEVELS), "name": "nominal"}
BY_HAND = {"number": ByRange(), "name": differs, "size": lambda q, s: abs(LEVELS.index(q) - LEVELS.index(s)) / 2}


def table(random: np.random.Generator, n: int, names: int) -> Any:
    import pandas as pd

    frame = pd.DataFrame({"number": np.round(random.normal(size=n), 1), "plain": random.integers(0, 4, n) / 4.0})
    frame["name"] = [f"name {code}" for code in random.integers(0, names, n)]
    frame["size"] = [LEVELS[code] for code in random.integers(0, 3, n)]
    gaps = random.random(frame.shape) < 0.1
    return frame.astype(object).mask(gaps, None).astype({"number": float, "plain": float})


@pytest.mark.parametrize("names", [5, 400])
@pytest.mark.parametrize("tabled", [0, 30, 1000])
@pytest.mark.parametrize("missing", ["maximal", "skip", "ignore", "symbol"])
def test_python_copies_of_heom_equal_the_compiled_one(
    names: int, tabled: int, missing: Missing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(computed, "TABLED", tabled)
    monkeypatch.setattr(computed, "ENTRIES", 1000)
    random = np.random.default_rng(names + tabled)
    X, queries = table(random, 150, names), table(random, 40, 2 * names)
    y = random.choice(["a", "b", "c"], 150)
    for weights in (None, {"number": 0.5, "name": 2.0, "plain": 0.0, "size": 1.0}):
        given: Any = {"n_neighbors": 4, "schema": SCHEMA, "attribute_weights": weights}
        fast = pc.KNNClassifier(**given, distance=pc.Distance(missing=missing)).fit(X, y)
        slow = pc.KNNClassifier(**given, distance=pc.Distance(missing=missing, attributes=BY_HAND)).fit(X, y)
        for first in (0, 1):
            for method in ("kneighbors", "predict_proba"):
                np.testing.assert_array_equal(getattr(slow, method)(queries), getattr(fast, method)(queries))
            np.testing.assert_array_equal(slow.kneighbors()[1], fast.kneighbors()[1])
            np.testing.assert_array_equal(slow.predict(queries[:1]), fast.predict(queries[:1]))
            np.testing.assert_array_equal(slow.loo_predict_proba(), fast.loo_predict_proba())
            found, expected = slow.precedents(queries[:5]), fast.precedents(queries[:5])
            np.testing.assert_array_equal(found.contributions, expected.contributions)
            for model in (fast, slow):
                model.partial_fit(queries, ["a"] * len(queries))
                model.forget(np.arange(first, 60, 3))


@pytest.mark.parametrize("algorithm", ["auto", "tree", "scan", "plain"])
def test_every_search_of_the_index_takes_them(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computed, "TABLED", 10)
    monkeypatch.setattr(computed, "ENTRIES", 500)
    random = np.random.default_rng(7)
    X = table(random, 400, 60)
    instances = pc.KNNClassifier(schema=SCHEMA).fit(X, ["a", "b"] * 200)._memory.instances
    schema = instances.schema
    slow, fast = pc.Distance(attributes=BY_HAND).fit(instances), pc.Distance().fit(instances)
    instances.keeps_unseen = slow.distance.computed(schema)
    queries = instances.encode(schema.read(table(random, 70, 120)))
    a, b = Index(instances, slow), Index(instances, fast)
    plain = np.array(queries)
    for threads in (1, 3):
        options: Any = {"algorithm": algorithm, "threads": threads}
        assert a.kneighbors(slow, queries, 5, ties=True, **options) == b.kneighbors(
            fast, plain, 5, ties=True, **options
        )
        assert a.within(slow, queries, 1.2, **options) == b.within(fast, plain, 1.2, **options)
    np.testing.assert_array_equal(a.costs(slow, queries), b.costs(fast, plain))


def test_a_function_over_few_values_is_called_once_for_each_pair() -> None:
    calls = []

    def counted(query: str, stored: str) -> float:
        calls.append((query, stored))
        return float(query != stored)

    X, y = [["red"], ["blue"], ["red"], ["green"]] * 50, ["a", "b", "a", "b"] * 50
    model = pc.KNNClassifier(1, distance=pc.Distance(nominal=counted)).fit(X, y)
    model.predict(X)
    assert len(calls) == 9
    model.predict(X)
    assert len(calls) == 9
    model.predict([["pink"]])
    assert calls[9:] == [("pink", value) for value in ("red", "blue", "green")]


def test_a_function_equals_the_table_of_its_values() -> None:
    near = {("red", "pink"): 0.25, ("pink", "red"): 0.5}
    values = ("red", "pink", "blue")
    matrix = [[near.get((q, s), float(q != s)) for s in values] for q in values]
    X, y = [[value, i / 30] for i, value in enumerate(values * 10)], [0, 1] * 15
    by_table = pc.KNNRegressor(3, distance=pc.Distance(nominal=ValueTable(values, matrix))).fit(X, y)
    by_function = pc.KNNRegressor(3, distance=pc.Distance(nominal=lambda q, s: near.get((q, s), float(q != s))))
    np.testing.assert_array_equal(by_function.fit(X, y).kneighbors(X)[0], by_table.kneighbors(X)[0])


def test_the_vectorized_form_equals_the_scalar_one() -> None:
    random = np.random.default_rng(1)
    X, y = random.normal(size=(60, 2)), random.normal(size=60)

    def many(queries: list[float], stored: list[float]) -> Any:
        return np.abs(np.subtract.outer(queries, stored)) / 3.0

    scalar = pc.KNNRegressor(distance=pc.Distance(numeric=steps)).fit(X, y)
    matrix = pc.KNNRegressor(distance=pc.Distance(numeric=DifferenceFunction(many, vectorized=True))).fit(X, y)
    np.testing.assert_array_equal(scalar.predict(X + 0.1), matrix.predict(X + 0.1))


def test_a_difference_of_a_module_can_be_pickled() -> None:
    X, y = [[0.0, "a"], [1.0, "b"], [2.0, "a"]], ["no", "yes", "no"]
    model = pc.KNNClassifier(1, distance=pc.Distance(numeric=steps, nominal=differs)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict([[0.9, "c"]]).tolist() == model.predict([[0.9, "c"]]).tolist() == ["yes"]
    assert again.distance_ == model.distance_


def test_fitted_distances_are_equal_where_their_values_are() -> None:
    X, y = [[0.0, "a"], [1.0, "b"], [2.0, "a"]], ["no", "yes", "no"]
    distance = pc.Distance(numeric=steps, nominal=differs)
    model = pc.KNNClassifier(1, distance=distance).fit(X, y)
    other = pc.KNNClassifier(1, distance=distance).fit(X[:2], y[:2])
    assert model.distance_ != other.distance_
    other.partial_fit(X[2:], y[2:])
    assert model.distance_ == other.distance_


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda q, s: float("nan"), "finite numbers"),
        (lambda q, s: -1.0, ">= 0"),
        (lambda q, s: "far", "must return numbers"),
        (lambda q, s: None, "finite numbers"),
        (lambda q, s: [1.0, 2.0], "numbers here"),
        (lambda q, s: 1e200, "so large"),
        (DifferenceFunction(lambda q, s: np.zeros((1, 1)), vectorized=True), "numbers here"),
    ],
)
def test_what_a_function_gives_is_checked(function: Any, message: str) -> None:
    model = pc.KNNClassifier(1, distance=pc.Distance(nominal=function))
    with pytest.raises(PriorcaseError, match=message):
        model.fit([["a"], ["b"], ["c"]], [0, 1, 0]).predict([["d"]])


def test_errors_of_the_function_itself_come_through() -> None:
    def fails(query: Any, stored: Any) -> float:
        raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError):
        pc.KNNClassifier(1, distance=pc.Distance(nominal=fails)).fit([["a"], ["b"]], [0, 1]).predict([["a"]])


@pytest.mark.parametrize("wrong", [3, Difference, "steps", int])
def test_what_is_no_difference_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="must be a difference"):
        pc.Distance(nominal=wrong)
    with pytest.raises(ParameterError, match="function"):
        DifferenceFunction(3)  # type: ignore[arg-type]


def test_distances_with_functions_compare_and_print() -> None:
    distance = pc.Distance(nominal=differs)
    assert distance == replace(distance) != pc.Distance()
    assert "DifferenceFunction(function=<function differs" in repr(distance)
