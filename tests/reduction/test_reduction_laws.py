"""What holds for every reducer, whatever the table."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks import CONTAINERS
from checks.containers import SAME_TABLE, classes, numbers, training_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tables import row_lists

from priorcase.exceptions import TooFewRowsError
from priorcase.neighbors import KNNClassifier
from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN

REDUCERS = [ENN(), RENN(), AllKNN(), CNN(), RNN(), DROP1(), DROP2(), DROP3(), DROP4(), DROP5(), ICF()]
EACH = pytest.mark.parametrize("reducer", REDUCERS, ids=lambda reducer: type(reducer).__name__)
ROWS = training_rows(80)
LABELS = classes(ROWS)


def kept(reducer: Any, X: Any, y: Any) -> list[int]:
    return clone(reducer).fit(X, y).sample_indices_.tolist()


@EACH
@pytest.mark.parametrize("kind", SAME_TABLE)
def test_what_comes_back_is_the_part_kept_of_what_went_in(reducer: Any, kind: str) -> None:
    X = CONTAINERS[kind](ROWS)
    own = clone(reducer)
    X_kept, y_kept = own.fit_resample(X, LABELS)
    assert own.sample_indices_.tolist() == kept(reducer, ROWS, LABELS)  # the container changes nothing
    assert 0 < len(y_kept) < len(ROWS)
    assert type(X_kept) is type(X)
    assert y_kept == [LABELS[i] for i in own.sample_indices_.tolist()]
    rows = np.asarray(X_kept.to_numpy() if isinstance(X_kept, pl.DataFrame) else X_kept, dtype=object)
    assert len(rows) == len(own.sample_indices_)
    assert own.n_features_in_ == 5
    assert own.classes_.tolist() == ["old", "young"]


def test_targets_come_back_in_their_make() -> None:
    frame = CONTAINERS["pandas"](ROWS)
    frame.index = [f"row {i}" for i in range(len(ROWS))]
    series = pd.Series(LABELS, index=frame.index, dtype="category", name="age group")
    X, y = DROP3().fit_resample(frame, series)
    assert list(X.index) == list(y.index) == [f"row {i}" for i in kept(DROP3(), frame, series)]
    assert y.dtype == series.dtype
    assert y.name == "age group"
    assert isinstance(ENN().fit_resample(pl.DataFrame({"x": range(80)}), pl.Series(LABELS))[1], pl.Series)
    assert isinstance(ENN().fit_resample(pa.table({"x": range(80)}), pa.chunked_array([LABELS]))[1], pa.ChunkedArray)
    assert isinstance(ENN().fit_resample(np.arange(80)[:, None], np.array(LABELS))[1], np.ndarray)


@EACH
def test_threads_and_repetition_change_nothing(reducer: Any) -> None:
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(700, 3)), 1)
    y = (X[:, 0] + rng.normal(size=700) > 0).astype(int)
    expected = kept(reducer.set_params(n_jobs=1), X, y)
    assert kept(reducer.set_params(n_jobs=3), X, y) == expected
    assert kept(reducer.set_params(n_jobs=None), X, y) == expected


@EACH
def test_renamed_values_change_nothing(reducer: Any) -> None:
    names = {"red": "zinnober", "green": "a", "blue": "0", None: None}
    renamed = [[*row[:2], names[row[2]], *row[3:]] for row in ROWS]
    for distance in ("heom", "hvdm", "mvdm"):
        reducer = clone(reducer).set_params(distance=distance)
        assert kept(reducer, renamed, LABELS) == kept(reducer, ROWS, LABELS)


@EACH
def test_scales_of_numbers_change_nothing_under_heom(reducer: Any) -> None:
    scaled = [[None if row[0] is None else 4.0 * row[0], *row[1:]] for row in ROWS]
    assert kept(reducer, scaled, LABELS) == kept(reducer, ROWS, LABELS)


@EACH
def test_neither_rows_nor_parameters_are_changed(reducer: Any) -> None:
    X = CONTAINERS["pandas"](ROWS)
    before, parameters = X.copy(), reducer.get_params()
    own = clone(reducer)
    own.fit(X, LABELS)
    pd.testing.assert_frame_equal(X, before)
    assert own.get_params() == parameters


@EACH
def test_pickled_reducers_know_what_they_kept(reducer: Any) -> None:
    own = clone(reducer).fit(ROWS, LABELS)
    again = pickle.loads(pickle.dumps(own))
    assert again.sample_indices_.tolist() == own.sample_indices_.tolist()
    assert again.fit(ROWS, LABELS).sample_indices_.tolist() == own.sample_indices_.tolist()


@EACH
@settings(max_examples=12)
@given(data=st.data())
def test_rows_kept_are_some_of_the_rows(reducer: Any, data: st.DataObject) -> None:
    rows = data.draw(row_lists(min_size=5, max_size=14))
    labels = data.draw(st.lists(st.sampled_from("ab"), min_size=len(rows), max_size=len(rows)))
    labels[:2] = "a", "b"
    try:
        found = kept(reducer.set_params(categorical_features=[1, 2]), rows, labels)
    except TooFewRowsError:
        return
    finally:
        reducer.set_params(categorical_features="from_dtype")
    assert found == sorted(set(found))
    assert set(found) <= set(range(len(rows)))
    assert found
    if type(reducer) is CNN:
        assert {labels[i] for i in found} == {"a", "b"}


distinct_rows = st.lists(
    st.tuples(st.integers(0, 6).map(float), st.sampled_from("pqr")).map(list), min_size=4, max_size=20, unique_by=tuple
)


@pytest.mark.parametrize("reducer", [CNN(), RNN()], ids=repr)
@settings(max_examples=30)
@given(data=st.data())
def test_condensed_sets_are_consistent(reducer: Any, data: st.DataObject) -> None:
    # No two rows are equal and none has a gap, so that a row is nearer to itself than to all others. The kept rows
    # are asked by the distance of the whole table, whose numbers range from 0 to 6.
    rows = [[0.0, "p"], [6.0, "q"], *(row for row in data.draw(distinct_rows) if row not in ([0.0, "p"], [6.0, "q"]))]
    labels = ["a", "b", *data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows) - 2, max_size=len(rows) - 2))]
    at = kept(reducer, rows, labels)
    cost = [[((x[0] - z[0]) / 6) ** 2 + (x[1] != z[1]) for z in (rows[i] for i in at)] for x in rows]
    assert [labels[at[int(np.argmin(line))]] for line in cost] == labels


def test_the_reduced_set_is_part_of_the_condensed_one() -> None:
    assert set(kept(RNN(), ROWS, LABELS)) < set(kept(CNN(), ROWS, LABELS))
    assert set(kept(AllKNN(), ROWS, LABELS)) <= set(kept(ENN(), ROWS, LABELS))
    assert set(kept(RENN(), ROWS, LABELS)) <= set(kept(ENN(), ROWS, LABELS))
    assert set(kept(ICF(), ROWS, LABELS)) < set(kept(ENN(), ROWS, LABELS))


def test_the_third_procedure_is_editing_and_the_second() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    edited = kept(ENN(distance="euclidean"), X, y)
    second = kept(DROP2(distance="euclidean"), X[edited], y[edited])
    assert kept(DROP3(distance="euclidean"), X, y) == [edited[i] for i in second]


@pytest.mark.parametrize("make", [CNN, RNN], ids=lambda make: make.__name__)
def test_a_shuffled_table_is_condensed_in_that_order(make: Any) -> None:
    rng = np.random.RandomState(8)
    order = rng.permutation(len(ROWS))
    in_order = kept(make(), [ROWS[i] for i in order], [LABELS[i] for i in order])
    assert kept(make(shuffle=True, random_state=8), ROWS, LABELS) == sorted(order[in_order].tolist())
    assert kept(make(shuffle=True, random_state=9), ROWS, LABELS) != kept(make(), ROWS, LABELS)


def test_noise_inside_a_class_is_edited_and_what_is_left_answers_better() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 2)) + 3.0 * y[:, None]
    noisy = np.where(rng.random(600) < 0.15, 1 - y, y)
    model = KNNClassifier(1)
    with_noise = model.fit(X[:400], noisy[:400]).score(X[400:], y[400:])
    for reducer in (ENN(), RENN(), AllKNN(), DROP3(), DROP4(), DROP5(), ICF()):
        better = model.fit(*reducer.fit_resample(X[:400], noisy[:400])).score(X[400:], y[400:])
        assert better > with_noise + 0.05, reducer


def test_numbers_far_off_are_edited() -> None:
    y = numbers(ROWS)
    off = [value + 1000.5 * (i in (13, 58)) for i, value in enumerate(y)]
    for reducer in (ENN(9), DROP3(9)):
        assert not {13, 58} & set(kept(reducer, ROWS, off))
    assert len(kept(ENN(9), ROWS, off)) == len(kept(ENN(9), ROWS, [value + 0.5 for value in y])) - 2
