"""One set of kinds for the whole library: every public estimator takes every kind of column, alone and together."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from checks.containers import KINDS, as_every_kind, classes, numbers, training_rows
from sklearn.base import BaseEstimator, clone, is_classifier
from test_contract import LEARNERS, REDUCERS

import priorcase as pc
from priorcase import evaluation, neighbors
from priorcase.evaluation import ConformalClassifier, ConformalRegressor
from priorcase.exceptions import ParameterError, PriorcaseError
from priorcase.saving import dump, load_bytes

pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")

ESTIMATORS = [
    *(learner for learner in LEARNERS if not isinstance(learner, (pc.IB2, pc.IB3, pc.IB4, pc.IB5))),
    pc.RBFNetworkRegressor(6, centers="em", width="em"),
    *(learner(history="replay", random_state=0) for learner in (pc.IB2, pc.IB3, pc.IB4, pc.IB5)),
    ConformalClassifier(pc.KNNClassifier(3)),
    ConformalRegressor(pc.KNNRegressor(3)),
    pc.AttributeSelector(pc.KNNClassifier(3)),
]
SCHEMA: dict[str, Any] = KINDS | {"size": pc.Ordinal(("S", "M", "L")), "name": "nominal"}
TABLES = {name: ["age", name] for name in SCHEMA if name != "age"} | {"all": list(SCHEMA)}
ROWS = training_rows(40, seed=1)
QUERIES = [*training_rows(6, seed=2), [None] * 5, [200.0, -5.0, "violet", True, "Z"]]


def table(rows: list[list[Any]], columns: list[str]) -> pd.DataFrame:
    """Rows with a column of each kind, of which the others are missing now and then."""
    sizes = {"red": "S", "green": "M", "blue": "L"}
    level, name = [sizes.get(row[2]) for row in rows], [row[2] for row in rows]
    whole = as_every_kind(rows)
    return whole.assign(size=pd.Series(level, dtype=object), name=pd.Series(name, dtype=object))[columns]


def prepared(estimator: Any, columns: list[str]) -> tuple[Any, pd.DataFrame, Any]:
    """The estimator with the kinds of some columns, the rows, and their targets."""
    schema, inner = {name: SCHEMA[name] for name in columns}, "estimator" in estimator.get_params()
    model = clone(estimator).set_params(**{"estimator__schema" if inner else "schema": schema})
    y = numbers(ROWS) if "Regressor" in type(model).__name__ else classes(ROWS)
    return model, table(ROWS, columns), np.array(y)


def in_pairs(estimators: list[Any]) -> Any:
    """Each estimator with all kinds together and with two alone, which take turns; the rest of the product is slow."""
    alone = [name for name in TABLES if name != "all"]
    cases = []
    for i, estimator in enumerate(estimators):
        chosen = {"all", alone[i % len(alone)], alone[(i + len(alone) // 2) % len(alone)]}
        for name, columns in TABLES.items():
            marks = [] if name in chosen else [pytest.mark.slow]
            cases.append(pytest.param(estimator, columns, id=f"{type(estimator).__name__}-{name}", marks=marks))
    return pytest.mark.parametrize(("estimator", "columns"), cases)


def test_every_public_estimator_is_here() -> None:
    names = {**vars(neighbors), **vars(evaluation)} | {name: getattr(pc, name) for name in pc.__all__}
    public = {one for one in names.values() if inspect.isclass(one) and issubclass(one, BaseEstimator)}
    assert {one for one in public if not inspect.isabstract(one)} == {type(one) for one in [*ESTIMATORS, *REDUCERS]}


@in_pairs(ESTIMATORS)
def test_answers(estimator: Any, columns: list[str]) -> None:
    model, X, y = prepared(estimator, columns)
    queries, model = table(QUERIES, columns), model.fit(X, y)
    if hasattr(model, "transform"):
        assert model.transform(queries).shape[0] == len(queries)
        return
    answers = np.asarray(model.predict(queries))
    assert len(answers) == len(queries)
    assert answers.dtype.kind != "f" or not np.isnan(answers).any()
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(queries).sum(axis=1), 1.0)
    if hasattr(model, "loo_predict"):
        assert len(model.loo_predict()) == len(X)
    for explained in ("precedents", "contributions", "coefficients", "outlier_scores"):
        if hasattr(model, explained):
            found = getattr(model, explained)(queries)
            assert len(str(found)) > 0
            assert len(found.frame()) > 0
    np.testing.assert_array_equal(load_bytes(dump(model)).predict(queries), answers)


@in_pairs([one for one in ESTIMATORS if hasattr(one, "partial_fit")])
def test_rows_come_and_go(estimator: Any, columns: list[str]) -> None:
    model, X, y = prepared(estimator, columns)
    queries, left = table(QUERIES, columns), np.arange(len(X)) % 3 > 0
    grown = clone(model).partial_fit(X[:25], y[:25]).partial_fit(X[25:], y[25:])
    assert len(grown.predict(queries)) == len(queries)
    # What IB2 to IB5 keep depends on the frequencies of words, which are those of the calls so far.
    calls = (slice(25), slice(25, None)) if "note" in columns and hasattr(model, "history") else (slice(None),)

    def fresh(kept: Any) -> Any:
        one = clone(model)
        for call in calls:
            one.partial_fit(X[call][kept[call]], y[call][kept[call]])
        return one.predict(queries)

    np.testing.assert_array_equal(grown.predict(queries), fresh(np.ones(len(X), np.bool_)))
    np.testing.assert_array_equal(grown.forget(np.flatnonzero(~left)).predict(queries), fresh(left))


@in_pairs(REDUCERS)
def test_reducers_keep_some_rows(estimator: Any, columns: list[str]) -> None:
    model, X, y = prepared(estimator, columns)
    kept, labels = model.fit_resample(X, y)
    assert 0 < len(kept) == len(labels) < len(X)
    pd.testing.assert_frame_equal(kept, X.iloc[model.sample_indices_])


def test_prequential_runs_predict_each_row_from_those_before() -> None:
    model, X, y = prepared(pc.KNNClassifier(1), TABLES["all"])
    found = clone(model).fit(X[:20], y[:20]).prequential(X[20:], y[20:])
    expected = list[str]()
    model.fit(X[:20], y[:20])
    for i in range(20, len(X)):
        expected += model.predict(X[i : i + 1]).tolist()
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert np.asarray(found.predictions).tolist() == expected


def test_precedents_print_values_as_people_write_them() -> None:
    model, X, y = prepared(pc.KNNClassifier(3), TABLES["all"])
    shown = str(model.fit(X, y).precedents(table(QUERIES, TABLES["all"])))
    assert "2021-0" in shown
    assert "{A, " in shown
    assert "frozenset" not in shown


# What is refused, and why.
REFUSED: list[tuple[str, Callable[[Any, Any, Any], Any], str]] = [
    # The words of a text are modelled, not their order; a date or a set is several attributes at once.
    ("mixture: text", lambda X, y, s: pc.MixtureModel(1, schema=s).fit(X).predict_column(X, "note"), "is a text"),
    ("Bayes: text", lambda X, y, s: pc.NaiveBayes(schema=s).fit(X, y).predict_column(X, "note"), "cannot be predicted"),
    (
        "Bayes: date",
        lambda X, y, s: pc.NaiveBayes(schema=s).fit(X, y).predict_column(X, "opened"),
        "cannot be predicted",
    ),
    ("Bayes: set", lambda X, y, s: pc.NaiveBayes(schema=s).fit(X, y).predict_column(X, "parts"), "cannot be predicted"),
    # The angle between two rows is one of numbers.
    ("cosine", lambda X, y, s: pc.KNNClassifier(distance="cosine", schema=s).fit(X, y), "rows of numbers"),
]


@pytest.mark.parametrize(("call", "word"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(call: Callable[[Any, Any, Any], Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        call(table(ROWS, TABLES["all"]), classes(ROWS), SCHEMA)


# -- dates of any type are the same dates

MOMENTS = [
    None if i % 9 == 4 else datetime.datetime(2019, 3, 1) + datetime.timedelta(days=37 * i % 900) for i in range(50)
]
SERIES = pd.Series(pd.to_datetime(pd.Series(MOMENTS)))
DAYS = [None if moment is None else moment.date() for moment in MOMENTS]
UNITS: tuple[Any, ...] = ("ns", "us", "ms", "s")
DATES: dict[str, Any] = {
    **{f"pandas {unit}": pd.DataFrame({"day": SERIES.astype(f"datetime64[{unit}]")}) for unit in UNITS},
    "pandas UTC": pd.DataFrame({"day": SERIES.dt.tz_localize("UTC")}),
    "pandas elsewhere": pd.DataFrame({"day": SERIES.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")}),
    "pandas periods": pd.DataFrame({"day": SERIES.dt.to_period("D")}),
    "pandas Arrow": pd.DataFrame({"day": SERIES.astype("timestamp[us][pyarrow]")}),
    "pandas Arrow days": pd.DataFrame({"day": pd.Series(DAYS, dtype=pd.ArrowDtype(pa.date32()))}),
    "timestamps": pd.DataFrame({"day": pd.Series([*SERIES], dtype=object)}),
    "datetimes": pd.DataFrame({"day": pd.Series(MOMENTS, dtype=object)}),
    "dates": pd.DataFrame({"day": pd.Series(DAYS, dtype=object)}),
    "ISO moments": pd.DataFrame({"day": [None if one is None else one.isoformat() for one in MOMENTS]}),
    "ISO days": pd.DataFrame({"day": [None if one is None else one.isoformat() for one in DAYS]}),
    **{f"Polars {unit}": pl.DataFrame({"day": pl.Series(MOMENTS, dtype=pl.Datetime(unit))}) for unit in UNITS[:3]},
    "Polars UTC": pl.DataFrame({"day": pl.Series(MOMENTS, dtype=pl.Datetime("us", "UTC"))}),
    "Polars days": pl.DataFrame({"day": pl.Series(DAYS, dtype=pl.Date)}),
    **{f"Arrow {unit}": pa.table({"day": pa.array(MOMENTS, pa.timestamp(unit))}) for unit in UNITS},
    "Arrow UTC": pa.table({"day": pa.array(MOMENTS, pa.timestamp("us", "UTC"))}),
    "Arrow date32": pa.table({"day": pa.array(DAYS, pa.date32())}),
    "Arrow date64": pa.table({"day": pa.array(DAYS, pa.date64())}),
    "NumPy": SERIES.to_numpy()[:, None],
    "lists": [[one] for one in MOMENTS],
}


@pytest.mark.parametrize(
    "learner",
    [pc.KNNClassifier(3), pc.NaiveBayes(), pc.LocallyWeightedClassifier(20), pc.IB1()],
    ids=lambda one: type(one).__name__,
)
def test_the_same_dates_in_any_type_get_the_same_answers(learner: Any) -> None:
    y = ["a" if moment is None or moment.weekday() < 4 else "b" for moment in MOMENTS]
    expected = clone(learner).fit(DATES["pandas ns"], y).predict_proba(DATES["pandas ns"])
    assert len(np.unique(expected)) > 2 or isinstance(learner, pc.IB1)
    for name, frame in DATES.items():
        model = clone(learner).fit(frame, y)
        assert isinstance(model.schema_.kinds[0], pc.Date), name
        np.testing.assert_array_equal(model.predict_proba(frame), expected, err_msg=name)
        if hasattr(frame, "columns") or hasattr(frame, "column_names"):  # queries in another type than the rows
            np.testing.assert_array_equal(model.predict_proba(DATES["dates"]), expected, err_msg=name)


# -- one case as a mapping


@pytest.mark.parametrize(
    "learner",
    [
        pc.KNNClassifier(5),
        pc.LocallyWeightedClassifier(20),
        pc.RBFNetworkClassifier(5),
        pc.NaiveBayes(),
        pc.AODE(),
        pc.IB1(),
        pc.IB5(),
        pc.PEBLS(),
        pc.KNNRegressor(5),
        pc.LocallyWeightedRegressor(20),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_mapping_is_one_case_with_other_columns_missing(learner: Any) -> None:
    X, y = pc.datasets.load_loans() if is_classifier(learner) else pc.datasets.load_flats()
    X, y = X[:100], y[:100]
    model = clone(learner).fit(X, y)
    case = {name: X[name][3] for name in X.columns[:3]}
    row = [[case.get(name) for name in X.columns]]
    for method in ("predict", "predict_proba", "predict_interval"):
        if hasattr(model, method):
            np.testing.assert_array_equal(getattr(model, method)(case), getattr(model, method)(row))
    for method in ("precedents", "contributions", "coefficients"):
        if hasattr(model, method):
            assert str(getattr(model, method)(case)) == str(getattr(model, method)(row))
    with pytest.raises(PriorcaseError, match="incme"):
        model.predict({"incme": 3})


# -- frames of any library


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_results_are_frames_of_the_library_that_is_asked_for(backend: Any) -> None:
    X, y = pc.datasets.load_penguins()
    bayes, part = pc.NaiveBayes().fit(X, y), X[["year", "island"]]
    local = pc.LocallyWeightedRegressor(20).fit(part, np.arange(len(X), dtype=float))
    history = pc.IB2(history=True).fit(X[:40], y[:40]).history_
    for found in (bayes.contributions(X[:2]), local.coefficients(part[:2]), local.precedents(part[:2]), history):
        assert type(found.frame(backend=backend)).__module__.split(".")[0] == backend
