"""Counts without rows (``keep_rows=False``): the same bits as with rows, for any batches, merges and forgotten rows."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import priorcase as pc
from priorcase.bayes import CutPoints, counted
from priorcase.exceptions import ForgettingError, NotAvailableError, ParameterError, PriorcaseError, SchemaMismatchError

MODELS: dict[str, Any] = {
    "mdl": pc.NaiveBayes(),
    "student": pc.NaiveBayes(numeric="student"),
    "gaussian": pc.NaiveBayes("map", prior=1.5, numeric="gaussian", missing="value"),
    "bins": pc.NaiveBayes("sc", numeric={"b": "equal_frequency", "c": "kmeans"}),
    "subsets": pc.SubsetAveragedBayes(missing="value"),
    "subsets, student": pc.SubsetAveragedBayes(numeric="student", prior="auto"),
    "trees": pc.TreeAveragedBayes(),
    "best tree": pc.TreeAugmentedBayes(prior="auto"),
    "super-parents": pc.SuperParentAveragedBayes(numeric="two_way"),
    "aode": pc.AODE(numeric=CutPoints((0.0, 1.0))),
}
# Of those, the models whose cut points stay as they are after `fit`.
STAYING = ("trees", "best tree", "super-parents")


def frame(n: int, seed: int = 0) -> pd.DataFrame:
    """Mixed columns with missing values, ties and a target that depends on them."""
    random = np.random.default_rng(seed)
    found = pd.DataFrame(
        {
            "a": random.choice(np.array(["x", "y", "z", None], object), n, p=[0.5, 0.3, 0.1, 0.1]),
            "b": random.integers(-3, 12, n).astype(float),
            "c": random.normal(size=n) * 10.0 ** random.integers(-6, 6, n),
            "d": pd.Categorical(random.choice(list("uvw"), n), categories=list("uvw"), ordered=True),
            "e": random.random(n) < 0.3,
        }
    )
    found.loc[random.random(n) < 0.1, ["b"]] = np.nan
    found.loc[random.random(n) < 0.05, ["c"]] = np.nan
    found["y"] = np.where((found["c"] > 0) ^ (found["a"] == "x"), "yes", "no")
    found.loc[random.random(n) < 0.05, "y"] = "maybe"
    return found


def split(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    return table.drop(columns="y"), table["y"].tolist()


def model_named(name: str, *, keep_rows: bool) -> Any:
    return pc_clone(MODELS[name]).set_params(keep_rows=keep_rows)


def pc_clone(model: Any) -> Any:
    return type(model)(**model.get_params(deep=False))


def arrow_batches(table: pd.DataFrame, size: int) -> list[pa.RecordBatch]:
    return list(pa.Table.from_pandas(table, preserve_index=False).to_batches(max_chunksize=size))


def same(one: Any, other: Any, queries: pd.DataFrame) -> None:
    """Both answer alike, to the bit."""
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.class_count_.tolist() == other.class_count_.tolist()
    np.testing.assert_array_equal(one.predict_joint_log_proba(queries), other.predict_joint_log_proba(queries))
    np.testing.assert_array_equal(one.predict_proba(queries), other.predict_proba(queries))
    cuts = one.cut_points_, other.cut_points_
    assert {name: of.tolist() for name, of in cuts[0].items()} == {name: of.tolist() for name, of in cuts[1].items()}
    if hasattr(one, "log_evidence_"):
        assert one.log_evidence_ == other.log_evidence_


@pytest.mark.filterwarnings("ignore::priorcase.exceptions.UninformativeColumnWarning")
@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=4, deadline=None)
@given(st.integers(30, 120), st.integers(1, 130), st.integers(0, 1000))
def test_the_same_bits_as_with_rows(name: str, n: int, size: int, seed: int) -> None:
    table, queries = frame(n, seed), frame(20, seed + 1).drop(columns="y")
    queries.loc[0, "a"] = "never seen"
    X, y = split(table)
    kept, counts = (model_named(name, keep_rows=keep_rows).fit(X, y) for keep_rows in (True, False))
    same(kept, counts, queries)
    batches = arrow_batches(table, size)
    by_batches = model_named(name, keep_rows=False).fit(batches, "y")
    same(kept, by_batches, queries)
    assert by_batches.digest() == counts.digest()
    same(kept, model_named(name, keep_rows=True).fit(batches, "y"), queries)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=3, deadline=None)
@given(st.integers(40, 100), st.integers(0, 1000))
def test_what_is_added_merged_and_forgotten_leaves_no_trace(name: str, n: int, seed: int) -> None:
    table, more, queries = frame(n, seed), frame(30, seed + 1), frame(20, seed + 2).drop(columns="y")
    (X, y), (X_more, y_more) = split(table), split(more)
    whole = model_named(name, keep_rows=False).fit(X, y)
    digest = whole.digest()
    changed = pc_clone(whole).fit(X, y).partial_fit(X_more, y_more)
    if name not in STAYING:
        both = pd.concat([table, more], ignore_index=True)
        same(changed, model_named(name, keep_rows=True).fit(*split(both)), queries)
        assert changed.digest() == pc_clone(whole).fit(*split(both)).digest()
        other = pc_clone(whole).fit(X_more[X.columns[::-1]], y_more)
        merged, turned = pc_clone(whole).fit(X, y).merge(other), pc_clone(whole).fit(X_more, y_more).merge(whole)
        assert merged.digest() == changed.digest() == turned.digest()
        same(merged, turned, queries)
    if name in STAYING:  # the cut points were learned from rows that might go
        before = changed.digest()
        with pytest.raises(ForgettingError, match=r"columns 'b', 'c' were learned .* CutPoints"):
            changed.forget_rows(X_more, y_more)
        assert changed.digest() == before
        return
    changed.forget_rows(X_more.iloc[::-1], y_more[::-1])
    assert changed.digest() == digest
    same(changed, whole, queries)
    changed.forget_rows(X, y)
    assert changed.n_samples_fit_ == 0
    changed.partial_fit(X, y)
    assert changed.digest() == digest
    same(changed, whole, queries)


@pytest.mark.parametrize("name", MODELS)
def test_saved_pickled_and_copied(name: str, tmp_path: Path) -> None:
    X, y = split(frame(80))
    model = model_named(name, keep_rows=False).fit(X, y)
    loaded = pc.load(model.save(tmp_path / "model.priorcase"))
    for other in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert other.digest() == model.digest()
        same(other, model, X)
        if name in STAYING:
            other.partial_fit(X[:5], y[:5])
        else:
            other.forget_rows(X[:5], y[:5])
        assert other.digest() != model.digest()
    assert model.n_samples_fit_ == 80


@pytest.mark.parametrize("name", MODELS)
def test_forgotten_rows_leave_no_cut_points(name: str) -> None:
    """After 40 rows with other numbers are forgotten, the model is fitted to the rest, or says that it cannot be."""
    X, y = split(frame(80))
    gone, y_gone = X[:40].assign(b=X.b[:40] * 7.0 + 50.0), ["yes", "no"] * 20
    counted = model_named(name, keep_rows=False).fit(pd.concat([gone, X[40:]]), [*y_gone, *y[40:]])
    if name in STAYING:
        with pytest.raises(ForgettingError, match="cut points"):
            counted.forget_rows(gone, y_gone)
    else:
        counted.forget_rows(gone, y_gone)
        same(counted, model_named(name, keep_rows=True).fit(X[40:], y[40:]), X)


def test_a_value_or_class_without_rows_is_unknown_again() -> None:
    X, y = [["red"], ["red"], ["blue"], ["green"]], ["no", "yes", "yes", "maybe"]
    model = pc.NaiveBayes(keep_rows=False).fit(X, y).forget_rows([["green"], ["blue"]], ["maybe", "yes"])
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.column_values(0).tolist() == ["red"]
    same(model, pc.NaiveBayes().fit(X[:2], y[:2]), pd.DataFrame(X))


@pytest.mark.parametrize("numeric", ["mdl", "student"])
def test_rows_that_cannot_have_been_counted_are_refused(numeric: str) -> None:
    X, y = [["red", 1.0], ["red", 2.0], ["blue", 5.0]], ["no", "no", "yes"]
    model = pc.NaiveBayes(keep_rows=False, numeric=numeric).fit(X, y)
    digest = model.digest()
    for rows, classes in (
        ([["red", 1.0]], ["yes"]),
        ([["green", 1.0]], ["no"]),
        ([["red", 1.0]], ["other"]),
        ([["red", 1.5]], ["no"]),
        ([["blue", 5.0], ["blue", 5.0]], ["yes", "yes"]),
        ([["red", 1.0], ["red", 1.0]], ["no", "no"]),
        ([["red", None]], ["no"]),
    ):
        if numeric == "student" and rows == [["red", 1.5]]:
            rows = [["red", 1.0], ["red", 2.5]]  # one such row could have been there
            classes = ["no", "no"]
        with pytest.raises(ForgettingError, match="cannot have been counted"):
            model.forget_rows(rows, classes)
        assert model.digest() == digest


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m, X, y: m.ids_, NotAvailableError, "needs the rows"),
        (lambda m, X, y: m.forget([0]), NotAvailableError, "needs the rows"),
        (lambda m, X, y: m.loo_predict_proba(), NotAvailableError, "needs the rows"),
        (lambda m, X, y: m.loo_predict_proba(relearn=True), NotAvailableError, "needs the rows"),
        (lambda m, X, y: pc.counterfactuals(m, X), NotAvailableError, "keep_rows=False"),
        (lambda m, X, y: m.fit(X, y, sample_weight=[2.0] * len(y)), ParameterError, "sample_weight"),
        (lambda m, X, y: pc.NaiveBayes().fit(X, y).forget_rows(X, y), NotAvailableError, r"forget\(ids\)"),
        (lambda m, X, y: pc.NaiveBayes().fit(X, y).merge(m), NotAvailableError, "counts only"),
        (lambda m, X, y: m.set_params(numeric="kernel").fit(X, y), ParameterError, "kernel density"),
        (lambda m, X, y: m.set_params(schema={"c": pc.Circular(360)}).fit(X, y), ParameterError, "keep_rows"),
        (lambda m, X, y: m.set_params(keep_rows=1).fit(X, y), ParameterError, "keep_rows"),
    ],
)
def test_what_needs_rows_is_refused(call: Any, error: type[PriorcaseError], message: str) -> None:
    X, y = split(frame(60))
    model = pc.NaiveBayes(keep_rows=False).fit(X, y)
    digest = model.digest()
    with pytest.raises(error, match=message):
        call(model, X, y)
    assert model.digest() == digest


def test_a_model_with_counts_takes_the_rows_of_another() -> None:
    table = frame(100)
    first, second = table[:60], table[60:]
    model = pc.NaiveBayes(keep_rows=False).fit(*split(first)).merge(pc.NaiveBayes().fit(*split(second)))
    assert model.digest() == pc.NaiveBayes(keep_rows=False).fit(*split(table)).digest()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(counted, "MOST_DISTINCT", 40)
    return 40


@pytest.mark.parametrize("size", [7, 50, 1000])
def test_cut_points_from_a_sample_do_not_depend_on_batches(few: int, size: int) -> None:
    table = frame(600)
    X, y = split(table)
    whole = pc.NaiveBayes(keep_rows=False).fit(X, y)
    order = np.random.default_rng(1).permutation(len(table))
    model = pc.NaiveBayes(keep_rows=False).fit(arrow_batches(table.iloc[order], size), "y")
    same(model, whole, X)
    assert model.digest() == whole.digest()
    # The counts are those of the rows with these cut points.
    cuts = {"c": CutPoints(whole.cut_points_["c"].tolist())}
    same(whole, pc.NaiveBayes(numeric=cuts).fit(X, y), X)
    # Rows that come later are counted by the same cut points, and go again.
    changed = whole.partial_fit(X[:50], y[:50])
    same(changed, pc.NaiveBayes(numeric=cuts).fit(X, y).partial_fit(X[:50], y[:50]), X)
    with pytest.raises(ForgettingError, match="column 'c'"):
        changed.forget_rows(X[:50], y[:50])
    fixed = pc.NaiveBayes(numeric=cuts, keep_rows=False).fit(X, y)
    again = pc.NaiveBayes(numeric=cuts, keep_rows=False).fit(X, y).partial_fit(X[:50], y[:50])
    assert again.forget_rows(X[:50], y[:50]).digest() == fixed.digest()


def test_many_numbers_that_come_later_settle_the_cut_points(few: int) -> None:
    table = frame(600)
    X, y = split(table)
    model = pc.NaiveBayes(keep_rows=False).fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    cuts = {"c": CutPoints(model.cut_points_["c"].tolist())}
    same(model, pc.NaiveBayes(numeric=cuts).fit(X, y), X)


def test_an_iterator_is_refused_where_rows_are_read_twice(few: int) -> None:
    batches = arrow_batches(frame(600), 100)
    with pytest.raises(NotAvailableError, match=r"'c'.*only once"):
        pc.NaiveBayes(keep_rows=False).fit(iter(batches), "y")
    with pytest.raises(NotAvailableError, match="only once"):
        pc.AODE(keep_rows=False).fit(iter(batches), "y")
    cuts = {"b": CutPoints((1.0,)), "c": CutPoints((0.0,))}
    assert pc.AODE(keep_rows=False, numeric=cuts).fit(iter(batches), "y").n_samples_fit_ == 600
    assert pc.NaiveBayes(keep_rows=False, numeric=cuts).fit(iter(batches), "y").n_samples_fit_ == 600


def test_models_with_other_cut_points_do_not_merge(few: int) -> None:
    numeric = {"c": "kmeans"}
    one, other = (pc.NaiveBayes(keep_rows=False, numeric=numeric).fit(*split(frame(600, seed))) for seed in (0, 1))
    digest = one.digest()
    with pytest.raises(SchemaMismatchError, match="'c' has different cut points"):
        one.merge(other)
    assert one.digest() == digest


def test_labels_of_several_types() -> None:
    model = pc.NaiveBayes(keep_rows=False).fit([["a"], ["b"]], np.array([1, 2], np.int8))
    model.partial_fit([["a"]], np.array([300]))
    assert model.classes_.tolist() == [1, 2, 300]
    with pytest.raises(PriorcaseError, match="classes are text, but"):
        model.forget_rows([["a"]], ["1"])
    assert model.partial_fit([["a"]], [2], classes=[1, 2, 3, 300]).classes_.tolist() == [1, 2, 3, 300]


@pytest.mark.parametrize("waiting", [1, 3, 32])
@settings(max_examples=4, deadline=None)
@given(st.integers(60, 300), st.integers(5, 60), st.integers(0, 1000))
def test_batches_of_other_dictionaries(waiting: int, n: int, size: int, seed: int) -> None:
    """Names that come with a dictionary of their own in each batch, and whole numbers beyond the range of the first."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"a": random.choice(list("uvwxyz"), n), "b": np.sort(random.integers(-900, 900, n)) ** 2})
    table["c"] = random.choice(np.array(["p", "q", None], object), n)
    table["y"] = random.choice(["no", "yes", "maybe"], n, p=[0.5, 0.45, 0.05])
    encoded = [
        pa.table({name: of if name == "b" else of.dictionary_encode() for name, of in zip("abcy", batch, strict=True)})
        for batch in arrow_batches(table, size)
    ]
    numeric = {"b": CutPoints((100.0, 1e4))} if seed % 2 else "mdl"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counted, "_MOST_WAITING", waiting)
        model = pc.NaiveBayes(keep_rows=False, numeric=numeric).fit(encoded, "y")
        assert model.digest() == pc.NaiveBayes(keep_rows=False, numeric=numeric).fit(*split(table)).digest()
        same(model, pc.NaiveBayes(numeric=numeric).fit(*split(table)), table.drop(columns="y"))
        model.partial_fit(encoded, "y").forget_rows(encoded[::-1], "y")
        assert model.n_samples_fit_ == n


def test_values_of_a_call_that_failed_leave_no_trace():
    first = pa.table({"x0": ["green"], "y": ["c"]})
    other = pa.table({"x0": [1.5], "y": ["c"]})
    named = pc.NaiveBayes(keep_rows=False).fit(pa.table({"x0": ["red", "blue"], "y": ["a", "b"]}), "y")
    with pytest.raises(ValueError, match="x0"):
        named.partial_fit([first, other], "y")
    more = pa.table({"x0": ["black", "green"], "y": ["d", "d"]})
    whole = pa.table({"x0": ["red", "blue", "black", "green"], "y": ["a", "b", "d", "d"]})
    assert named.partial_fit(more, "y").digest() == pc.NaiveBayes(keep_rows=False).fit(whole, "y").digest()
