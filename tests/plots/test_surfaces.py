"""Decision surfaces: answers are the model's own, in every make of table, plane and kind of column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import priorcase as pc
from priorcase.plots import DecisionSurface
from priorcase.plots.display import axis_column, plane_of, read_rows, with_changes
from priorcase.schema import Kind, Schema

mpl.use("Agg")

RNG = np.random.default_rng(0)
N = 60
NUMBERS = RNG.uniform(size=(N, 2)) * [10.0, 1.0]
LABELS = np.where(NUMBERS[:, 0] / 10 + NUMBERS[:, 1] > 1, "plus", "minus")
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.uniform(size=N) < 0.1, np.nan, RNG.normal(40, 10, N)),
        "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), categories=["S", "M", "L"], ordered=True),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "income": RNG.normal(size=N),
    }
)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def columns(frame: Any) -> dict[str, list[Any]]:
    return {str(name): list(frame[name]) for name in frame}


# -- answers


def test_every_place_has_the_models_own_answer() -> None:
    model = pc.KNNClassifier(3).fit(NUMBERS, LABELS)
    surface = DecisionSurface.of(model, NUMBERS, LABELS, resolution=9)
    assert surface.predictions.shape == (9, 9)
    frame = columns(surface.frame())
    places = np.column_stack([frame["x0"], frame["x1"]])
    assert frame["predicted"] == model.predict(places).tolist()
    proba = model.predict_proba(places)
    np.testing.assert_array_equal(np.column_stack([frame["p(minus)"], frame["p(plus)"]]), proba)


def test_places_are_the_middles_of_equal_cells_around_all_rows() -> None:
    surface = DecisionSurface.of(pc.KNNClassifier(1).fit(NUMBERS, LABELS), NUMBERS, resolution=5)
    for a, (axis, places) in enumerate(zip(surface.axes, surface.places, strict=True)):
        low, high = axis.span
        assert low < NUMBERS[:, a].min() < NUMBERS[:, a].max() < high
        np.testing.assert_allclose(np.diff(places), (high - low) / 5)
        np.testing.assert_allclose([places[0] - low, high - places[-1]], (high - low) / 10)


def test_two_of_many_columns_take_the_rest_from_the_nearest_row() -> None:
    model = pc.KNNClassifier(3).fit(MIXED, LABELS)
    surface = DecisionSurface.of(model, MIXED, LABELS, columns=("income", "colour"), resolution=7)
    assert surface.axes[1].values == ("blue", "green", "red")
    assert surface.predictions.shape == (3, 7)
    frame = columns(surface.frame())
    spans = [axis.span[1] - axis.span[0] for axis in surface.axes]
    at = {"blue": 0, "green": 1, "red": 2}
    for income, colour, told in zip(frame["income"], frame["colour"], frame["predicted"], strict=True):
        apart = ((MIXED["income"] - income) / spans[0]) ** 2 + ((MIXED["colour"].map(at) - at[colour]) / spans[1]) ** 2
        row = MIXED.iloc[[int(apart.to_numpy().argmin())]].assign(income=income, colour=colour)
        assert model.predict(row)[0] == told


def test_levels_keep_their_order_and_gaps_have_no_place() -> None:
    table = read_rows(None, MIXED)
    size = axis_column(table, 1)
    assert size.values == ("S", "M", "L")
    np.testing.assert_array_equal(size.positions, MIXED["size"].cat.codes)
    age = axis_column(table, 0)
    np.testing.assert_array_equal(np.isnan(age.positions), MIXED["age"].isna())
    assert age.values is None


def test_values_that_are_numbers_are_sorted_as_numbers() -> None:
    table = Schema.infer([[10], [9], [100], [None]], categorical_features=[0]).read([[10], [9], [100], [None]])
    column = axis_column(table, 0)
    assert column.values == (9, 10, 100)
    np.testing.assert_array_equal(column.positions, [1, 0, 2, np.nan])
    assert column.rows.tolist() == [1, 0, 2]


def test_numbers_are_drawn_in_shades() -> None:
    target = NUMBERS[:, 0]
    model = pc.KNNRegressor(3).fit(NUMBERS, target)
    surface = DecisionSurface.of(model, NUMBERS, target, resolution=6)
    assert surface.classes is None
    assert list(surface.frame()) == ["x0", "x1", "predicted"]
    ax = surface.plot()
    assert len(ax.images) == 1
    assert ax.images[0].get_clim() == (target.min(), target.max())


# -- makes of tables


@pytest.mark.parametrize("make", ["pandas", "polars", "pyarrow", "lists", "named"])
def test_all_makes_of_tables_give_the_same_surface(make: str) -> None:
    plain = MIXED.astype({"size": object})
    wanted = DecisionSurface.of(pc.KNNClassifier(3).fit(plain, LABELS), plain, columns=("age", "colour"), resolution=8)
    makes = {
        "pandas": plain.set_index(np.arange(N) * 3),
        "polars": pl.from_pandas(plain),
        "pyarrow": pa.Table.from_pandas(plain),
        "lists": plain.astype(object).where(plain.notna(), None).values.tolist(),
    }
    if make == "named":
        kinds: dict[str, Kind] = {
            "age": pc.Numeric(),
            "size": pc.Nominal(),
            "colour": pc.Nominal(),
            "income": pc.Numeric(),
        }
        table: Any = pc.datasets.columns.NamedColumns.of({name: plain[name].tolist() for name in kinds}, kinds)
    else:
        table = makes[make]
    names = (0, 2) if make == "lists" else ("age", "colour")
    surface = DecisionSurface.of(pc.KNNClassifier(3).fit(table, LABELS), table, columns=names, resolution=8)
    np.testing.assert_array_equal(surface.predictions, wanted.predictions)
    np.testing.assert_array_equal(surface.probabilities, wanted.probabilities)


def test_learners_of_other_libraries_are_drawn_too() -> None:
    X = MIXED.dropna().astype({"size": str})
    y = LABELS[MIXED["age"].notna()]
    encode = make_column_transformer((OneHotEncoder(), ["size", "colour"]), remainder=StandardScaler())
    model = make_pipeline(encode, LogisticRegression()).fit(X, y)
    for chosen in (("age", "colour"), None):
        surface = DecisionSurface.of(model, X, y, columns=chosen, resolution=6)
        assert set(surface.predictions.ravel()) <= {"plus", "minus"}
        np.testing.assert_allclose(np.asarray(surface.probabilities).sum(axis=2), 1.0)


def test_asking_changes_neither_table_nor_model() -> None:
    before, model = MIXED.copy(deep=True), pc.KNNClassifier(3).fit(MIXED, LABELS)
    digest = model.digest()
    DecisionSurface.of(model, MIXED, LABELS, resolution=5)
    pd.testing.assert_frame_equal(MIXED, before)
    assert model.digest() == digest


def test_moved_rows_change_only_what_they_are_told_to() -> None:
    table = read_rows(None, MIXED)
    rows = np.array([4, 4, 7])
    found = with_changes(MIXED, table, rows, {3: np.array([1.0, 2.0, 3.0]), 2: np.array([0, 1, 2])})
    assert found["income"].tolist() == [1.0, 2.0, 3.0]
    assert found["colour"].tolist() == MIXED["colour"].iloc[[0, 1, 2]].tolist()
    assert found["size"].tolist() == MIXED["size"].iloc[rows].tolist()
    np.testing.assert_array_equal(found["age"], MIXED["age"].iloc[rows])


# -- the principal plane


def test_numbers_alone_have_the_usual_principal_components() -> None:
    X = RNG.normal(size=(50, 4)) @ RNG.normal(size=(4, 4))
    plane = plane_of(X, read_rows(None, X), None)
    usual = PCA(2).fit((X - X.mean(axis=0)) / X.std(axis=0))
    expected = usual.transform((X - X.mean(axis=0)) / X.std(axis=0))
    np.testing.assert_allclose(np.abs(plane.points), np.abs(expected), rtol=1e-9, atol=1e-9)
    shares = usual.explained_variance_ratio_
    assert [axis.name for axis in plane.axes] == [
        f"component {i + 1} ({shares[i]:.0%} of the variance)" for i in (0, 1)
    ]


def test_a_row_that_lies_at_a_place_is_asked_as_it_is() -> None:
    plane = plane_of(MIXED, read_rows(None, MIXED), None)
    queries = plane.queries(plane.points)
    np.testing.assert_allclose(queries["income"], MIXED["income"])
    np.testing.assert_allclose(queries["age"], MIXED["age"])
    assert queries["colour"].tolist() == MIXED["colour"].tolist()


def test_numbers_move_towards_the_place() -> None:
    X = RNG.normal(size=(40, 3))
    plane = plane_of(X, read_rows(None, X), None)
    places = plane.points + 0.01
    moved_points = (
        (plane.queries(places) - X.mean(axis=0)) / X.std(axis=0) @ np.array([plane.loadings[a] for a in range(3)])
    )
    np.testing.assert_allclose(moved_points, places, atol=1e-9)


def test_values_alone_and_constant_columns_have_a_plane_too() -> None:
    rows = [["a", "x", 1.0], ["b", "x", 1.0], ["a", "y", 1.0], ["c", "y", None]]
    model = pc.KNNClassifier(1).fit(rows, [0, 1, 0, 1])
    surface = DecisionSurface.of(model, rows, [0, 1, 0, 1], resolution=4)
    assert np.isfinite(surface.places).all()
    surface.plot()


# -- drawing


def test_a_picture_has_regions_points_and_names() -> None:
    model = pc.KNNClassifier(3).fit(NUMBERS, LABELS)
    ax = DecisionSurface.of(model, NUMBERS, LABELS, resolution=20).plot()
    assert len(ax.images) == 1
    drawn = [part for part in ax.collections if type(part).__name__ == "PathCollection"]
    assert [len(part.get_offsets()) for part in drawn] == [(LABELS == "minus").sum(), (LABELS == "plus").sum()]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["minus", "plus"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")


def test_surer_places_are_stronger_and_plain_regions_alike() -> None:
    model = pc.KNNClassifier(5, prior=None).fit(NUMBERS, LABELS)
    surface = DecisionSurface.of(model, NUMBERS, resolution=12)
    image = surface.plot().images[0].get_array()
    sure = surface.probabilities.max(axis=2)  # type: ignore[union-attr]  # asked for
    told = surface.predictions == "plus"
    white = np.asarray(image)[told].sum(axis=1)
    assert white[sure[told] == 1.0].max() < white[sure[told] < 1.0].min()
    tints = (3.0 - white) / (3.0 - white[sure[told] == 1.0][0])  # from 0.08 of a colour for two equal classes to 0.42
    np.testing.assert_allclose(tints, (0.08 + 0.34 * (2.0 * sure[told] - 1.0)) / 0.42, rtol=1e-9)
    plain = DecisionSurface.of(model, NUMBERS, resolution=12, proba=False)
    assert plain.probabilities is None
    assert len(np.unique(np.asarray(plain.plot().images[0].get_array())[told], axis=0)) == 1


def test_values_are_named_on_their_axis() -> None:
    model = pc.KNNClassifier(3).fit(MIXED, LABELS)
    ax = DecisionSurface.of(model, MIXED, LABELS, columns=["size", "colour"]).plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["S", "M", "L"]
    own = pyplot.subplots()[1]
    assert DecisionSurface.of(model, MIXED, columns=[0, 3], resolution=4).plot(own) is own
