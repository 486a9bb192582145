"""Attribute weights as a table that prints and draws itself."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tables import COLUMNS, labels, mixed_rows

from priorcase.local import (
    LocallyWeightedClassifier,
    LocallyWeightedRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from priorcase.neighbors import (
    KNNClassifier,
    KNNClassifierCV,
    KNNRegressor,
    KNNRegressorCV,
    KNNTransformer,
    attribute_weights,
)
from priorcase.relevance import METHODS, AttributeWeights, LeaveOneOutWeights, Relief

mpl.use("Agg")


def example() -> AttributeWeights:
    return AttributeWeights(("age", "colour", "score"), np.array([0.25, 0.0, 1.0]), "relief")


def test_it_prints_the_largest_first() -> None:
    assert repr(example()) == (
        "attribute weights: relief\n"
        "  attribute  weight\n"
        "  score        1.00  ████████████████████\n"
        "  age          0.25  █████\n"
        "  colour       0.00"
    )
    assert "<caption>attribute weights: relief</caption>" in example()._repr_html_()
    many = AttributeWeights(tuple(range(30)), np.arange(30.0), "loo")
    assert repr(many).endswith("... and 5 attributes with smaller weights")
    assert len(many) == 30


def test_it_says_where_nothing_stands_out() -> None:
    names, text = ("age", "colour"), "all attributes have the same weight"
    assert repr(AttributeWeights(names, np.ones(2), "gain_ratio")).endswith(text)
    assert text not in repr(AttributeWeights(names, np.ones(2), "given"))
    assert text not in repr(AttributeWeights(names, np.array([1.0, 0.5]), "gain_ratio"))
    assert text not in repr(AttributeWeights(names[:1], np.ones(1), "gain_ratio"))


def test_it_is_an_array() -> None:
    assert np.asarray(example()).tolist() == [0.25, 0.0, 1.0]
    assert np.asarray(example(), dtype=np.float32).dtype == np.float32
    array = np.asarray(example())
    array[0] = 7.0
    assert example().weights[0] == 0.25


def test_frames() -> None:
    rows, classes = pd.DataFrame(mixed_rows(40), columns=COLUMNS), labels(40)
    frame = attribute_weights(rows, classes).frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["attribute", "weight", "relative"]
    assert frame["relative"].max() == 1.0
    assert frame["weight"].is_monotonic_decreasing
    assert isinstance(attribute_weights(pl.from_pandas(rows), classes).frame(), pl.DataFrame)


def test_plots() -> None:
    ax = example().plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["score", "age", "colour"]
    assert ax.get_xlabel() == "weight (relief)"
    assert example().plot(ax) is ax
    mpl.pyplot.close("all")


def test_on_estimators() -> None:
    rows, classes = pd.DataFrame(mixed_rows(40), columns=COLUMNS), labels(40)
    model = KNNClassifier(1, attribute_weights="gain_ratio").fit(rows, classes)
    table = model.attribute_weights_
    assert table.names == COLUMNS
    assert table.method == "gain_ratio"
    assert table["age"] == table.weights[0]
    assert KNNClassifier(1, attribute_weights=table).fit(rows, classes).attribute_weights_ == table
    given = KNNClassifier(1, attribute_weights={"age": 3}).fit(rows, classes).attribute_weights_
    assert (given.method, given.weights.tolist()) == ("given", [3.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "learner",
    [
        *(KNNClassifier, KNNRegressor, KNNTransformer, LocallyWeightedClassifier, LocallyWeightedRegressor),
        *(RBFNetworkClassifier, RBFNetworkRegressor, KNNClassifierCV, KNNRegressorCV),
    ],
)
def test_weights_go_by_the_names_of_the_columns(learner: Any) -> None:
    rows = pd.DataFrame(mixed_rows(40), columns=COLUMNS)
    model = learner().fit(rows, [i % 2 for i in range(40)])
    assert list(model.attribute_weights_) == list(COLUMNS)
    assert model.attribute_weights_["colour"] == np.asarray(model.attribute_weights_)[1]
    with pytest.raises(KeyError, match="Did you mean 'colour'"):
        model.attribute_weights_["color"]
    bare = learner().fit(np.random.default_rng(0).random((20, 2)), [i % 2 for i in range(20)])
    assert list(bare.attribute_weights_) == [0, 1]


@pytest.mark.parametrize("method", [*METHODS, Relief(3), LeaveOneOutWeights(regularization=0.01)])
def test_the_weights_that_an_estimator_would_give(method: Any) -> None:
    rows, classes = mixed_rows(40), labels(40)
    found = attribute_weights(rows, classes, method)
    assert (
        found.weights.tobytes()
        == KNNClassifier(1, attribute_weights=method).fit(rows, classes).attribute_weights_.weights.tobytes()
    )
    numbers = [0.5 * i for i in range(40)]
    if method != "bayes":
        model = KNNRegressor(1, attribute_weights=method).fit(rows, numbers)
        assert attribute_weights(rows, numbers, method).weights.tobytes() == model.attribute_weights_.weights.tobytes()


def test_whole_numbers_are_classes_unless_said() -> None:
    rows, y = mixed_rows(40), list(range(20)) * 2
    as_classes = KNNClassifier(1, attribute_weights="relief").fit(rows, y).attribute_weights_.weights
    as_numbers = KNNRegressor(1, attribute_weights="relief").fit(rows, y).attribute_weights_.weights
    assert attribute_weights(rows, y).weights.tobytes() == as_classes.tobytes()
    assert attribute_weights(rows, y, target="numbers").weights.tobytes() == as_numbers.tobytes()
    assert attribute_weights(rows, y, target="classes").weights.tobytes() == as_classes.tobytes()
