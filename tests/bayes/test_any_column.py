"""Any column from any others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tiny_tables import KINDS, fitted, tiny

from priorcase.bayes import TARGET, Interval, NaiveBayes
from priorcase.schema import Nominal, Ordinal


def test_ties_go_to_the_first_in_declared_or_ascending_order() -> None:
    X = [["b", "S", "q"], ["a", "L", "p"]]
    kinds = {0: Nominal(), 1: Ordinal(("S", "L")), 2: Nominal(("q", "p"))}
    model = NaiveBayes(schema=kinds).fit(X, ["no", "no"])
    assert [model.predict_column([[None] * 3], a).tolist() for a in range(3)] == [["a"], ["S"], ["q"]]
    assert [model.column_values(a).tolist() for a in range(3)] == [["a", "b"], ["S", "L"], ["q", "p"]]


def test_values_of_several_types_come_in_one_order() -> None:
    cells = [("x", 1), "b", 10, "a", 9.5, True]
    values = np.empty((6, 1), dtype=object)
    values[:, 0] = cells
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]):
        model = NaiveBayes(schema={0: Nominal()}).fit(values[order], [0, 1] * 3)
        assert model.column_values(0).tolist() == [True, 9.5, 10, "a", "b", ("x", 1)]
    whole = NaiveBayes(schema={0: Nominal()}).fit([[10], [9], [100]], [0, 1, 0])
    assert whole.column_values(0).tolist() == [9, 10, 100]
    assert whole.predict_column([[None]], 0, y=[1]).dtype.kind == "i"


def test_the_class_is_a_column() -> None:
    rows, classes = tiny(20, 1)
    model = fitted(rows, classes)
    for name in ("class", TARGET):
        likely, chances = model.predict_column(rows, name, return_proba=True)
        np.testing.assert_array_equal(likely, model.predict(rows))
        np.testing.assert_array_equal(chances, model.predict_proba(rows))
    np.testing.assert_array_equal(model.column_values("class"), model.classes_)


def test_columns_in_bins_give_intervals() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0, 40.0, 60.0], "colour": ["red", "red", "blue", "blue"]})
    model = NaiveBayes(numeric={"age": "two_way"}).fit(X, ["no", "no", "yes", "yes"])
    assert model.column_values("age").tolist() == [Interval(-np.inf, 35.0), Interval(35.0, np.inf)]
    found = model.predict_column(pd.DataFrame({"colour": ["red", "blue"]}), "age")
    assert [str(interval) for interval in found] == ["below 35", "35 or more"]
    assert [number in found[1] for number in (20, 35, 60)] == [False, True, True]


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel"])
def test_an_expected_number_is_the_mean_over_the_classes(numeric: str) -> None:
    rng = np.random.default_rng(0)
    X = [[float(rng.integers(0, 50)), str(rng.choice(["red", "blue"]))] for _ in range(20)]
    X[3][0] = None
    classes = [str(rng.choice(["no", "yes"])) for _ in range(20)]
    model = NaiveBayes(numeric=numeric).fit(X, classes)
    shares = NaiveBayes().fit([[row[1]] for row in X], classes).predict_proba([["red"], ["blue"]])
    everything = [row[0] for row in X if row[0] is not None]
    means = []
    for k in ("no", "yes"):
        own = [row[0] for row, c in zip(X, classes, strict=True) if c == k and row[0] is not None]
        center = sum(everything) / len(everything)
        means.append((center + sum(own)) / (1 + len(own)) if numeric == "student" else sum(own) / len(own))
    found = model.predict_column([[5.0, "red"], [None, "blue"]], 0)
    np.testing.assert_allclose(found, shares @ means, rtol=1e-12)
    np.testing.assert_allclose(model.predict_column([[5.0, "red"]], 0, y=["yes"]), means[1:], rtol=1e-12)


@pytest.mark.parametrize("numeric", ["student", "gaussian", "kernel"])
def test_a_column_of_one_number_gives_that_number(numeric: str) -> None:
    model = NaiveBayes(numeric=numeric).fit([[7.5, 0.0], [7.5, 1.0], [None, 2.0]], ["a", "b", "b"])
    assert model.predict_column([[None, 1.0]], 0).tolist() == [7.5]
    assert np.isfinite(model.predict_column([[None, 1e9]], 1)).all()


def test_numbers_beside_discrete_columns_are_known() -> None:
    rng = np.random.default_rng(2)
    X = [[float(rng.normal()), str(rng.choice(["red", "blue"]))] for _ in range(30)]
    classes = [str(rng.choice(["no", "yes"])) for _ in range(30)]
    for numeric in ("student", "kernel", "equal_width"):
        model = NaiveBayes(numeric=numeric).fit(X, classes)
        without = NaiveBayes(numeric=numeric).fit([row[:1] for row in X], classes)
        shares = without.predict_proba([[0.3], [None]])
        counts = np.array(
            [
                [1 + sum(r[1] == v and c == k for r, c in zip(X, classes, strict=True)) for v in ("blue", "red")]
                for k in ("no", "yes")
            ]
        )
        expected = shares @ (counts / counts.sum(axis=1, keepdims=True))
        found = model.predict_joint([[0.3, None], [None, None]], [1])
        np.testing.assert_allclose(found.probabilities, expected, rtol=1e-12)


def test_threads_change_nothing() -> None:
    rows, classes = tiny(200, 8)
    one, two = fitted(rows, classes, n_jobs=1), fitted(rows, classes, n_jobs=2)
    queries, _ = tiny(3000, 9)
    found = [model.predict_joint(queries, [0, "class"]).probabilities for model in (one, two)]
    np.testing.assert_array_equal(*found)
    alone = one.predict_joint(queries[100:101], [0, "class"]).probabilities
    np.testing.assert_array_equal(alone[0], found[0][100])


def test_weights_are_repetitions() -> None:
    rows, classes = tiny(10, 4)
    weights = [1, 2, 3, 0, 1, 1, 2, 1, 1, 4]
    weighted = NaiveBayes(schema=KINDS).fit(rows, classes, sample_weight=weights)
    repeated = fitted(np.repeat(np.array(rows, dtype=object), weights, axis=0), np.repeat(classes, weights))
    for targets in ([0, "class"], [1]):
        one, two = weighted.predict_joint(rows, targets), repeated.predict_joint(rows, targets)
        np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-15)
