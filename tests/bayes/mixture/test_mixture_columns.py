"""Any column of a mixture from any others, several at once, and the class among them: as naive Bayes is asked."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from priorcase.bayes import TARGET, MixtureModel, NaiveBayes
from priorcase.exceptions import ParameterError, TooLargeError
from priorcase.schema import Nominal, Ordinal

SCHEMA = {"size": Ordinal(("S", "M", "L")), "wheel": Nominal(("thin", "never", "thick"))}


def bikes(n: int = 80, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """A number, a text, levels and declared values, each missing now and then, and a class that they tell of."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(2, size=n)
    frame = pd.DataFrame(
        {
            "load": rng.normal(80 + 30 * kind, 8.0),
            "colour": [("red", "blue", "red", "green")[k + 2 * (rng.random() < 0.3)] for k in kind],
            "size": [("S", "L")[k] if rng.random() < 0.8 else "M" for k in kind],
            "wheel": [("thin", "thick")[k if rng.random() < 0.9 else 1 - k] for k in kind],
        }
    )
    for column in frame:
        frame.loc[rng.random(n) < 0.1, column] = None
    return frame, [("city", "cargo")[k if rng.random() < 0.9 else 1 - k] for k in kind]


@pytest.fixture(scope="module")
def model() -> MixtureModel:
    return MixtureModel(3, random_state=0, n_init=2, schema=SCHEMA).fit(*bikes())


def test_values_come_in_the_order_of_naive_bayes(model: MixtureModel) -> None:
    frame, y = bikes()
    naive = NaiveBayes(schema=SCHEMA).fit(frame, y)
    for column in ("colour", "size", "wheel", "class"):
        np.testing.assert_array_equal(model.column_values(column), naive.column_values(column))
    assert model.column_values("colour").tolist() == ["blue", "green", "red"]
    assert model.column_values("wheel").tolist() == ["thin", "never", "thick"]
    mixed = np.empty((6, 1), dtype=object)
    mixed[:, 0] = [("x", 1), "b", 10, "b", 9.5, True]
    for cells in (mixed, mixed[::-1]):
        found = MixtureModel(1, schema={0: Nominal()}).fit(cells).column_values(0)
        assert found.tolist() == [True, 9.5, 10, "b", ("x", 1)]


def test_ties_go_to_the_first_value() -> None:
    X = [["b", "q"], ["a", "p"]]
    model = MixtureModel(1, schema={1: Nominal(("q", "p"))}).fit(X)
    assert [model.predict_column([[None] * 2], a).tolist() for a in range(2)] == [["a"], ["q"]]


def test_the_class_is_a_column(model: MixtureModel) -> None:
    frame, _ = bikes(seed=1)
    for name in ("class", TARGET):
        likely, chances = model.predict_column(frame, name, return_proba=True)
        np.testing.assert_array_equal(likely, model.predict(frame))
        np.testing.assert_array_equal(chances, model.predict_proba(frame))
    np.testing.assert_array_equal(model.column_values("class"), model.classes_)
    joint = model.predict_joint(frame, ["class"])
    np.testing.assert_allclose(joint.probabilities, model.predict_proba(frame), rtol=1e-12)
    assert model.predict_column(frame, "class").dtype == model.classes_.dtype


def test_a_known_class_counts_like_any_known_value(model: MixtureModel) -> None:
    """The components of a row are weighed by how probable they make its class, where that is known."""
    frame, known = bikes(12, seed=2)[0], ["city", None, "cargo"] * 4
    shares = model.responsibilities(frame.assign(wheel=None))
    told = dict(zip(model.classes_.tolist(), model.components_.columns["class"].probabilities.T, strict=True))
    shares = np.array(
        [share if label is None else share * told[label] for share, label in zip(shares, known, strict=True)]
    )
    expected = shares / shares.sum(axis=1, keepdims=True) @ model.components_.columns["wheel"].probabilities
    _, chances = model.predict_column(frame, "wheel", y=known, return_proba=True)
    np.testing.assert_allclose(chances, expected, rtol=1e-9)
    np.testing.assert_allclose(model.predict_joint(frame, ["wheel"], y=known).probabilities, expected, rtol=1e-9)
    loads = model.predict_column(frame, "load", y=["city"] * 12), model.predict_column(frame, "load", y=["cargo"] * 12)
    assert (loads[0] < loads[1]).all()


@pytest.mark.parametrize("targets", [["colour"], ["size", "colour"], ["wheel", "size", "colour"]])
def test_joints_are_ratios_of_densities(model: MixtureModel, targets: list[str]) -> None:
    """``P(v | known) = p(v, known) / p(known)``, by the densities of rows filled with every combination."""
    frame, _ = bikes(6, seed=3)
    joint = model.predict_joint(frame, targets)
    rest = frame.assign(**dict.fromkeys(targets))
    lists = [model.column_values(target).tolist() for target in targets]
    for at, values in zip(np.ndindex(*map(len, lists)), itertools.product(*lists), strict=True):
        filled = frame.assign(**dict(zip(targets, values, strict=True)))
        ratio = np.exp(model.score_samples(filled) - model.score_samples(rest))
        np.testing.assert_allclose(joint.probabilities[(slice(None), *at)], ratio, rtol=1e-9)
    assert (joint.targets, [v.tolist() for v in joint.values]) == (tuple(targets), lists)


def test_joints_agree_with_each_other(model: MixtureModel) -> None:
    frame, _ = bikes(20, seed=4)
    joint = model.predict_joint(frame.drop(columns=["size"]), ["class", "size"])
    turned = model.predict_joint(frame, ["size", "class"])
    np.testing.assert_array_equal(joint.probabilities, turned.probabilities.transpose(0, 2, 1))
    np.testing.assert_allclose(joint.probabilities.sum(axis=(1, 2)), 1.0, rtol=1e-12)
    _, chances = model.predict_column(frame, "size", return_proba=True)
    np.testing.assert_allclose(joint.marginal("size").probabilities, chances, rtol=1e-12)
    alone = np.concatenate([model.predict_joint(frame[i : i + 1], ["class", "size"]).probabilities for i in range(20)])
    np.testing.assert_array_equal(alone, joint.probabilities)
    assert list(joint.frame().columns) == ["query", "class", "size", "probability"]


def test_a_column_may_be_called_class() -> None:
    rows: dict[str, Any] = {"class": ["a", "b", "b"], "x": [1.0, 2.0, 3.0]}
    frame = pd.DataFrame(rows)
    assert MixtureModel(1).fit(frame).column_values("class").tolist() == ["a", "b"]
    with pytest.raises(ParameterError, match=r"'class' is ambiguous"):
        MixtureModel(1).fit(frame, [0, 1, 1]).predict_column(frame, "class")
    assert MixtureModel(1).fit(frame, [0, 1, 1]).predict_column(frame, TARGET).tolist() == [1, 1, 1]


def test_tables_beyond_memory_are_refused() -> None:
    X = np.array([[i % 300, i % 299] for i in range(600)])
    model = MixtureModel(1, categorical_features=[0, 1]).fit(X)
    with pytest.raises(TooLargeError, match=r"targets 0, 1 have 300 x 299 combinations of values for each of 600 rows"):
        model.predict_joint(X, [0, 1])
