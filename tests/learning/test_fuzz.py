"""Arbitrary input: a documented error or a right answer, never a crash, a hang or a silent NaN."""

from __future__ import annotations

import contextlib
import datetime
import math
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from reference import knn as reference
from reference.differences import costs as numpy_costs
from reference.search import settled
from sklearn.exceptions import DataConversionWarning

from priorcase.exceptions import PriorcaseError
from priorcase.neighbors import KNNClassifier, KNNRegressor, KNNTransformer

DISTANCES = [
    "heom",
    "hvdm",
    "vdm",
    "mvdm",
    "ivdm",
    "wvdm",
    "dvdm",
    "gower",
    "overlap",
    "euclidean",
    "manhattan",
    "ib",
    "cosine",
]

# -- what people may pass

NUMBERS = (
    st.integers(-3, 3)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.sampled_from([1e308, -1e308, 5e-324, -0.0, 2**53 + 1, 2**70, 10**400])
)
VALUES = (
    NUMBERS
    | st.text(max_size=3)
    | st.sampled_from(["a", "b", "nan", "", "None", "\ud800", "\0"])
    | st.booleans()
    | st.none()
    | st.sampled_from(
        [pd.NA, pd.NaT, np.float32(1.5), np.int8(3), np.str_("a"), np.bool_(True), b"x", Decimal("1.5"), Decimal("nan")]
    )
    | st.sampled_from(
        [Fraction(1, 3), 1 + 2j, datetime.date(2020, 1, 1), np.datetime64("2020-01-01"), (1, 2), frozenset()]
    )
)
UNHASHABLE = st.builds(list) | st.builds(dict) | st.just(np.array([1, 2])).map(np.copy)


def rows_of(values: st.SearchStrategy[Any], max_rows: int = 6, max_columns: int = 3) -> st.SearchStrategy[Any]:
    return st.integers(0, max_columns).flatmap(
        lambda width: st.lists(st.lists(values, min_size=width, max_size=width), max_size=max_rows)
    )


RAGGED = st.lists(st.lists(VALUES, max_size=3), max_size=4)
ARRAYS = hnp.arrays(
    dtype=st.one_of(
        hnp.floating_dtypes(),
        hnp.integer_dtypes(),
        hnp.unsigned_integer_dtypes(),
        hnp.boolean_dtypes(),
        hnp.complex_number_dtypes(),
        hnp.datetime64_dtypes(),
        hnp.unicode_string_dtypes(max_len=2),
        hnp.byte_string_dtypes(max_len=2),
    ),
    shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)
COLUMNS = st.sampled_from(
    [
        [1.0, math.nan, 3.0],
        [1, 2, 3],
        [True, False, None],
        ["a", None, "b"],
        [None, None, None],
        [datetime.date(2020, 1, 1)] * 3,
        [[1], [2], [3]],
        [{"a": 1}] * 3,
        [b"x", b"y", None],
        [math.inf, 1.0, 2.0],
        ["a", 1, None],
    ]
)


def frame(columns: list[list[Any]], make: Callable[[dict[str, Any]], Any]) -> Any:
    """A frame, or None where the library itself refuses the columns."""
    with contextlib.suppress(TypeError, ValueError, pl.exceptions.PolarsError, pa.ArrowException):
        return make({f"c{i}": column for i, column in enumerate(columns)})
    return None


def categories(data: dict[str, Any]) -> Any:
    return pd.DataFrame({name: pd.Categorical(column, ordered=name == "c0") for name, column in data.items()})


def repeated_names(data: dict[str, Any]) -> Any:
    return pd.DataFrame(data).set_axis(["c"] * len(data), axis=1)


FRAMES = st.builds(
    frame,
    st.lists(COLUMNS, max_size=3),
    st.sampled_from(
        [pd.DataFrame, pl.DataFrame, pa.table, categories, repeated_names, lambda data: pl.DataFrame(data).lazy()]
    ),
).filter(lambda found: found is not None)
ANYTHING = (
    rows_of(VALUES)
    | rows_of(VALUES | UNHASHABLE)
    | rows_of(NUMBERS)
    | rows_of(VALUES).map(lambda rows: np.array(rows, dtype=object))
    | RAGGED
    | ARRAYS
    | FRAMES
    | VALUES
)
TARGETS = (
    st.none()
    | st.lists(VALUES, max_size=6)
    | st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6)
    | st.lists(NUMBERS, max_size=6)
    | st.lists(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=2), max_size=6)
    | ARRAYS
)
WEIGHTS = (
    st.none()
    | st.lists(NUMBERS, max_size=6)
    | st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=6)
    | ARRAYS
)


# -- what must hold


def check_search(model: Any, X: Any) -> None:
    distances, ids = model.kneighbors(X, n_neighbors=1)
    assert not np.isnan(distances).any()
    assert (distances >= 0).all()
    assert np.isin(ids, model.ids_).all()


def check_classes(model: KNNClassifier, X: Any, y: Any) -> None:
    """Probabilities are probabilities; with plain votes they are those of the reference."""
    proba, predicted = model.predict_proba(X), model.predict(X)
    for shares, labels in zip(
        *((proba, model.classes_) if isinstance(proba, list) else ([proba], [model.classes_])), strict=True
    ):
        assert shares.shape == (len(predicted), len(labels))
        assert ((shares >= 0) & (shares <= 1)).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    if not isinstance(proba, list):
        assert np.isin(predicted, model.classes_).all()


def check_precedents(model: Any, X: Any) -> None:
    found = model.precedents(X)
    finite = np.isfinite(found.distances)
    np.testing.assert_allclose(found.contributions[finite].sum(axis=1), found.distances[finite], rtol=1e-9, atol=1e-300)
    assert not np.isnan(found.contributions).any()
    assert not np.isnan(found.votes).any()
    assert str(found)
    assert found._repr_html_()
    assert len(found.frame()) > 0


def ask(question: Callable[[], None]) -> bool:
    """Whether the question was answered; a documented error is the other way out."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)
            question()
    except PriorcaseError as error:
        refusal = str(error)
    else:
        return True
    assert len(refusal) > 20  # a sentence
    return False


SETTINGS = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@given(X=ANYTHING, y=TARGETS, weights=WEIGHTS, Q=ANYTHING, distance=st.sampled_from(DISTANCES), data=st.data())
@example(X=[[1.0], [2.0]], y=["a", "b"], weights=None, Q=[[math.inf]], distance="heom", data=None)
@SETTINGS
def test_classifier(X: Any, y: Any, weights: Any, Q: Any, distance: str, data: Any) -> None:
    vote = data.draw(st.sampled_from(["uniform", "inverse_square", "tricube", "gaussian"])) if data else "uniform"
    k = data.draw(st.sampled_from([1, 2, "sqrt", "all", "loo"])) if data else 1
    ties = data.draw(st.sampled_from(["majority", "first", "nearest", "reduce"])) if data else "first"
    model = KNNClassifier(k, distance=distance, vote=vote, ties=ties, prior=None if ties == "first" else 0.5)
    if not ask(lambda: model.fit(X, y, sample_weight=weights)):
        assert not hasattr(model, "n_features_in_")
        return
    for asked in (X, Q):
        ask(lambda asked=asked: check_search(model, asked))
        ask(lambda asked=asked: check_classes(model, asked, y))
        ask(lambda asked=asked: check_precedents(model, asked))
    digest = model.digest()
    if not ask(lambda: model.partial_fit(Q, y)):
        assert model.digest() == digest


@given(X=ANYTHING, y=TARGETS, weights=WEIGHTS, Q=ANYTHING, distance=st.sampled_from(DISTANCES), data=st.data())
@SETTINGS
def test_regressor(X: Any, y: Any, weights: Any, Q: Any, distance: str, data: Any) -> None:
    vote = data.draw(st.sampled_from(["uniform", "inverse_square", "tricube", "gaussian"]))
    model = KNNRegressor(data.draw(st.sampled_from([1, 2, "sqrt", "all", "loo"])), distance=distance, vote=vote)
    if not ask(lambda: model.fit(X, y, sample_weight=weights)):
        return

    def check(asked: Any) -> None:
        predicted = model.predict(asked)
        assert np.isfinite(predicted).all()

    for asked in (X, Q):
        ask(lambda asked=asked: check_search(model, asked))
        ask(lambda asked=asked: check(asked))
        ask(lambda asked=asked: check_precedents(model, asked))


@given(X=ANYTHING, Q=ANYTHING, distance=st.sampled_from(DISTANCES))
@SETTINGS
def test_transformer(X: Any, Q: Any, distance: str) -> None:
    model = KNNTransformer(1, mode="connectivity", distance=distance)
    if not ask(lambda: model.fit(X)):
        return

    def check() -> None:
        graph = model.transform(Q)
        assert graph.shape[1] == model.n_samples_fit_
        assert (np.diff(graph.indptr) == 1).all()

    ask(check)


# Tables that can be learned from, so that answers are compared and not only errors.
SOUND = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0.0, 1.0, -2.5, 1e154, 1e-160, None]), min_size=width, max_size=width),
        min_size=1,
        max_size=8,
    )
)
MIXED = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, None]), st.sampled_from(["a", "b", "c", None])).map(list),
    min_size=1,
    max_size=8,
)


@given(X=SOUND | MIXED, distance=st.sampled_from(DISTANCES), data=st.data())
@settings(max_examples=120)
def test_answers_are_right(X: Any, distance: str, data: st.DataObject) -> None:
    """What comes back is what the slow reference makes of exhaustively measured distances."""
    y = data.draw(st.lists(st.sampled_from("ab"), min_size=len(X), max_size=len(X)))
    k = data.draw(st.integers(1, len(X)))
    model = KNNClassifier(k, distance=distance)
    slow = KNNClassifier(k, distance=distance, algorithm="plain")
    if not ask(lambda: model.fit(X, y)) or not ask(lambda: model.kneighbors(X, len(X))):
        return
    slow.fit(X, y)
    fast_found, slow_found = model.kneighbors(X, len(X)), slow.kneighbors(X, len(X))
    np.testing.assert_array_equal(fast_found, slow_found)
    fitted, cells = slow.distance_, slow.distance_.prepare(slow._memory.instances.cells())
    with np.errstate(over="ignore"):
        costs = [settled(fitted, numpy_costs(fitted, query, cells)).tolist() for query in cells]
    assert model.predict(X).tolist() == [reference.classify(everything, y, k) for everything in costs]


@pytest.mark.parametrize("ids", [None, "a", [None], [[0]], [2**70], [1.5], {}, [True], np.array(3), [0, "a"]], ids=str)
def test_forget_anything(ids: Any) -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(PriorcaseError):
        model.forget(ids)
    assert model.ids_.tolist() == [0, 1]


@pytest.mark.parametrize("k", [0, -1, 1.5, "loo", True, None, 10**30], ids=str)
def test_kneighbors_of_anything(k: Any) -> None:
    model = KNNClassifier(1).fit([[1.0], [2.0]], ["a", "b"])
    if k is None:
        assert model.kneighbors([[1.0]], k)[1].tolist() == [[0]]
        return
    with pytest.raises(PriorcaseError):
        model.kneighbors([[1.0]], k)
    with pytest.raises(PriorcaseError):
        model.precedents([[1.0]], k)
