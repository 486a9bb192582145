"""Displays of tables with dates, circular numbers, texts and sets."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from checks.containers import KINDS, as_every_kind, classes, numbers, training_rows

import priorcase as pc
from priorcase.exceptions import ParameterError
from priorcase.plots import DecisionSurface, LocalFitDisplay, VoronoiCells

mpl.use("Agg")
ROWS = training_rows(60, seed=12, gaps=0.05)


def test_a_fit_along_a_date_has_dates_on_its_axis_and_in_its_frame() -> None:
    X, y = as_every_kind(ROWS), numbers(ROWS)
    for table in (X, pl.DataFrame({"opened": X["opened"], "age": X["age"]}), X[["opened", "age"]].to_numpy().tolist()):
        schema = KINDS if table is X else None
        model = pc.LocallyWeightedRegressor(20, schema=schema).fit(table, y)
        column = 0 if isinstance(table, list) else "opened"
        shown = LocalFitDisplay.of(model, table, y, column=column, resolution=12)
        ax = shown.plot()
        named = [text.get_text() for text in ax.get_xticklabels()]
        assert named
        assert all(pd.Timestamp(name).year == 2021 for name in named)
        ax.figure.clear()
    frame = LocalFitDisplay.of(pc.KNNRegressor(3, schema=KINDS).fit(X, y), X, y, column="opened").frame()
    assert frame["opened"].dtype.kind == "M"


@pytest.mark.parametrize("columns", [None, ("opened", "angle"), ("opened", "parts"), ("age", "device")])
def test_surfaces_have_rows_at_every_place(columns: tuple[str, str] | None) -> None:
    X, y = as_every_kind(ROWS), classes(ROWS)
    model = pc.KNNClassifier(3, schema=KINDS).fit(X, y)
    shown = DecisionSurface.of(model, X, y, columns=columns, resolution=6)
    shown.plot().figure.clear()
    assert len(shown.frame())


def test_texts_are_no_axis() -> None:
    X, y = as_every_kind(ROWS), classes(ROWS)
    model = pc.KNNClassifier(3, schema=KINDS).fit(X, y)
    with pytest.raises(ParameterError, match="columns must not be text, got 'note'"):
        DecisionSurface.of(model, X, y, columns=("note", "age"))


def test_cells_of_neighbors_are_drawn_for_plain_numbers_only() -> None:
    X = np.random.default_rng(0).uniform(0, 360, (20, 2))
    model = pc.KNNClassifier(1, schema={0: pc.Circular(360)}).fit(X, ["a", "b"] * 10)
    with pytest.raises(ParameterError, match="two numeric columns"):
        VoronoiCells.of(model)
