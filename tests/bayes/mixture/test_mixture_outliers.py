"""How unusual rows are, which value is to blame, and results that print themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import priorcase as pc
from priorcase.bayes import MixtureModel
from priorcase.schema import Ordinal

X, Y = pc.load_repairs("pandas")


@pytest.fixture(scope="module")
def model() -> MixtureModel:
    return MixtureModel(random_state=0, max_components=5).fit(X)


def test_the_value_that_was_changed_is_named_first(model: MixtureModel) -> None:
    """A city bike carrying 155 kg in place of 83 is taken for another kind of bike: its shares blame other columns."""
    row = X[(X["bike"] == "city") & (X["load_kg"] == 83)][:1]
    changed = model.outlier_scores(row.assign(load_kg=155.0))
    assert model.predict(row) != model.predict(row.assign(load_kg=155.0))
    first = str(changed).splitlines()[2].split()
    assert first[:2] == ["load_kg", "155"]
    beyond = dict(zip(changed.names, (changed.surprises - changed.usual)[0].tolist(), strict=True))
    assert beyond.pop("load_kg") > 5 * max(beyond.values())
    before = model.outlier_scores(row)
    rise = changed.contributions[0] - before.contributions[0]
    assert changed.names[rise.argmax()] != "load_kg"


@pytest.mark.parametrize("column", ["load_kg", "age_years", "km_since_service"])
def test_of_rows_with_one_wrong_number_it_is_named_first(model: MixtureModel, column: str) -> None:
    known = X[X[column].notna()]
    wrong = model.outlier_scores(known.assign(**{column: 3 * X[column].max()}))
    blamed = (wrong.surprises - wrong.usual).argmax(axis=1)
    assert (blamed == list(X).index(column)).all()
    assert (wrong.tails < 0.02).all()


def test_a_surprise_is_what_a_value_adds_to_the_score_of_the_others(model: MixtureModel) -> None:
    """``-ln p(x_i | others) = -ln p(x) + ln p(others)``: a second question, with the column left empty."""
    found = model.outlier_scores(X)
    np.testing.assert_array_equal(found.scores, -model.score_samples(X))
    for a, column in enumerate(X):
        others = model.score_samples(X.assign(**{column: None}))
        np.testing.assert_allclose(found.surprises[:, a], found.scores + others, rtol=1e-9, atol=1e-9)
    known = X.notna().to_numpy()
    assert (found.surprises[~known] == 0).all()
    np.testing.assert_allclose(found.usual, found.surprises.sum(axis=0) / known.sum(axis=0), rtol=1e-9)


def test_shares_add_up_and_scores_are_held_against_the_training_rows(model: MixtureModel) -> None:
    found, known = model.outlier_scores(X), X.notna().to_numpy()
    np.testing.assert_allclose(found.contributions.sum(axis=1) + found.mixing, found.scores, rtol=1e-9, atol=1e-9)
    assert (found.mixing >= -1e-9).all()
    assert (found.contributions[~known] == 0).all()
    np.testing.assert_allclose(found.tails, [(found.scores >= score).mean() for score in found.scores], rtol=1e-12)
    twice = MixtureModel(2, random_state=0).fit(X, sample_weight=np.full(len(X), 2.0)).outlier_scores(X)
    doubled = MixtureModel(2, random_state=0).fit(pd.concat([X, X]))
    np.testing.assert_array_equal(twice.usual, doubled.outlier_scores(X).usual)
    np.testing.assert_array_equal(twice.tails, doubled.outlier_scores(X).tails)


def test_an_outlier_beyond_all_measure_leaves_the_other_columns_theirs() -> None:
    table = X[["age_years", "load_kg", "bike"]]
    model = MixtureModel(3, random_state=0).fit(table)
    row = pd.DataFrame({"age_years": [1e300], "load_kg": [84.0], "bike": ["city"]})
    found = model.outlier_scores(row)
    assert np.isfinite(found.surprises).all()
    assert found.surprises[0].argmax() == 0
    component = int(model.predict(row)[0])
    bike = model.components_.columns["bike"]
    chance = bike.probabilities[component][bike.values.index("city")]
    assert found.surprises[0, 2] == pytest.approx(-np.log(chance))


def test_a_class_is_not_looked_at(model: MixtureModel) -> None:
    classed = MixtureModel(3, random_state=0).fit(X, Y)
    found = classed.outlier_scores(X)
    np.testing.assert_allclose(found.tails, [(found.scores >= score).mean() for score in found.scores], rtol=1e-12)
    np.testing.assert_allclose(found.usual, found.surprises.sum(axis=0) / X.notna().to_numpy().sum(axis=0), rtol=1e-9)


def test_columns_that_say_nothing_surprise_no_one() -> None:
    rows: list[list[Any]] = [[7.0, None, x] for x in (0.0, 1.0, 5.0)]
    found = MixtureModel(1, schema={1: pc.Nominal()}).fit(rows).outlier_scores([[7.0, "a", 1.0], [None, None, None]])
    assert found.surprises[:, :1].tolist() == [[0.0], [0.0]]
    np.testing.assert_allclose(found.surprises[0].sum(), found.scores[0], rtol=1e-9)
    dull = MixtureModel(1).fit([[1.0], [1.0]]).outlier_scores([[3.0]])
    assert (dull.scores.tolist(), dull.surprises.tolist()) == ([0.0], [[0.0]])


def test_outlier_scores_prints_and_is_cut_like_the_other_results(model: MixtureModel) -> None:
    found = model.outlier_scores(X[:7].assign(noise=None))
    assert str(found).endswith("... and 2 more queries")
    assert len(found[1:3]) == len(list(found[1:3])) == 2
    lines = str(found[6]).splitlines()
    assert lines[0].startswith("query 6: ")
    assert lines[0].endswith("% of the training rows are at least as unusual")
    assert lines[1].split() == ["column", "value", "surprise", "usual", "excess", "contribution"]
    assert "noise" not in str(found)
    assert lines[-1].startswith("  (component)")
    html = found[6]._repr_html_()
    assert html.count("<table>") == 1
    assert ">surprise</th>" in html
    frame = found[2:4].frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame)[:5] == ["query", "score", "tail", "component", "bike"]
    assert frame["query"].tolist() == [2, 3]
    assert frame["surprise of load_kg"].tolist() == found.surprises[2:4, list(X).index("load_kg")].tolist()


def test_many_columns_are_summed_up_in_one_line() -> None:
    numbers = np.random.default_rng(0).normal(size=(30, 14))
    assert "  4 others" in str(MixtureModel(1).fit(numbers).outlier_scores(numbers[:1]))


def test_components_print_side_by_side_and_then_below() -> None:
    schema = {"age_years": Ordinal(tuple(sorted(X["age_years"].dropna().unique())))}
    few = X[["bike", "load_kg", "age_years"]]
    components = MixtureModel(3, random_state=0, schema=schema, max_iter=3, tol=1.0).fit(few, Y).components_
    first = [line.split()[0] for line in repr(components).splitlines() if line]
    assert first[:6] == ["component", "weight", "bike", "load_kg", "age_years", "class"]
    assert len(components) == 3
    wide = MixtureModel(8, random_state=0, max_iter=3, tol=1.0).fit(few).components_
    assert all(len(line) <= 120 for line in repr(wide).splitlines())
    assert repr(wide).count("component") == wide._repr_html_().count("<table>") > 1


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "arrays"])
def test_components_and_scores_become_frames(library: str) -> None:
    table = X[["bike", "load_kg"]]
    given: Any = {
        "pandas": lambda: table,
        "polars": lambda: pl.from_pandas(table),
        "pyarrow": lambda: pa.Table.from_pandas(table),
        "arrays": lambda: table.to_numpy(),
    }[library]()
    model = MixtureModel(max_components=2, random_state=0, n_init=1).fit(given)
    components, scores = model.components_.frame(), model.selection_.frame()
    assert type(components) is type(scores) is (pd.DataFrame if library == "arrays" else type(given))
    bike, load = ("x0", "x1") if library == "arrays" else ("bike", "load_kg")
    found, tried = (pd.DataFrame(plain(frame)) for frame in (components, scores))
    assert list(found) == ["component", "weight", "column", "value", "probability", "mean", "deviation"]
    for k in range(model.n_components_):
        chances = found[(found["component"] == k) & (found["column"] == bike)]
        assert chances["value"].tolist() == model.column_values(0).tolist()
        assert chances["probability"].sum() == pytest.approx(1.0)
    means = found[found["column"] == load]["mean"]
    np.testing.assert_array_equal(means, model.components_.columns[load].means)
    assert list(tried) == ["components", "cheeseman_stutz", "chosen"]
    assert tried["components"][tried["chosen"]].tolist() == [model.n_components_]
    assert ">components</th>" in model.selection_._repr_html_()


def plain(frame: Any) -> dict[str, list[Any]]:
    """A frame of any library, or a dictionary of arrays, as lists."""
    if isinstance(frame, dict):
        return {name: column.tolist() for name, column in frame.items()}
    return (
        frame.to_dict(as_series=False)
        if isinstance(frame, pl.DataFrame)
        else (frame.to_pydict() if isinstance(frame, pa.Table) else frame.to_dict("list"))
    )


@pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")
@pytest.mark.parametrize("far", [1e155, 1e200, -1.7e308])
def test_a_number_whose_square_overflows(far: float) -> None:
    numbers = np.random.default_rng(0).normal(40.0, 9.0, (24, 1)).round(1)
    numbers[5] = far
    model = pc.MixtureModel(2, n_init=1, random_state=0).fit(numbers)
    assert np.isfinite(model.score_samples(numbers)).all()
    network = pc.RBFNetworkRegressor(centers="em").fit(numbers, np.arange(24.0))
    assert np.isfinite(network.predict(numbers)).all()
