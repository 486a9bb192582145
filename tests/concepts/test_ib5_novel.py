"""IB5 takes up attributes that appear in mid-stream, and goes on where some are lacking."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from concept_tables import options
from reference.concepts import Description, PerClass
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5
from priorcase.exceptions import ParameterError, SchemaMismatchError
from priorcase.schema import Nominal, Numeric, Ordinal, Schema

rules = pytest.mark.parametrize("missing", ["ignore", "scale"])


def rows(n: int, seed: int = 0) -> tuple[pd.DataFrame, list[str]]:
    """A weak attribute, and a strong one beside it, with gaps."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b"], n)
    size = np.round(rng.normal(size=n) + 0.7 * (labels == "a"), 1)
    colour = np.where(rng.random(n) < 0.9, np.where(labels == "a", "red", "blue"), "green")
    frame = pd.DataFrame({"size": size, "colour": colour.astype(object)})
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    return frame, labels.tolist()


def reference(learner: Any, frames: list[pd.DataFrame], labels: list[list[str]]) -> PerClass:
    """The slow learner, which takes up ``colour`` at its first known value."""
    found = PerClass(["numeric"], **options(learner))
    for frame, targets in zip(frames, labels, strict=True):
        for row, label in zip(plain(frame, ["size", "colour"]), targets, strict=True):
            if row[1] is not None and len(found.none_yet.kinds) == 1:
                for description in (found.none_yet, *found.of.values()):
                    take_up(description)
            found.learn(row[: len(found.none_yet.kinds)], label)
    return found


def take_up(description: Description) -> None:
    """One more nominal attribute, missing in all instances stored so far."""
    description.kinds.append("nominal")
    description.ranges.append(None)
    description.cum.append(0.0)
    description.norm.append(0.0)
    for stored in description.stored:
        stored.row.append(None)


def plain(frame: pd.DataFrame, names: list[str]) -> list[list[Any]]:
    table = frame.reindex(columns=names).astype(object)
    return [[None if pd.isna(value) else value for value in row] for row in table.to_numpy().tolist()]


def compare(model: Any, found: PerClass, asked: list[list[Any]]) -> None:
    assert [model.predict(pd.DataFrame([row], columns=model.feature_names_in_))[0] for row in asked] == [
        found.predict(row) for row in asked
    ]
    assert model.attribute_weights_.set_index("concept").loc["a"].tolist() == found.of["a"].weights()


@rules
def test_a_novel_attribute(missing: str) -> None:
    """Taken up at its first value; missing in all instances stored before."""
    (first, y1), (second, y2) = rows(60, seed=1), rows(80, seed=2)
    learner = IB5(random_state=0, missing=missing, accept=0.75)
    model = clone(learner).partial_fit(first[["size"]], y1)
    assert model.n_features_in_ == 1
    model.partial_fit(second[["colour", "size"]], y2)
    assert model.feature_names_in_.tolist() == ["size", "colour"]
    found = reference(learner, [first[["size"]], second], [y1, y2])
    compare(model, found, plain(rows(30, seed=3)[0], ["size", "colour"]))
    stored = model.concept_
    assert stored.loc[stored["id"] < 60, "colour"].isna().all()


@rules
def test_row_by_row(missing: str) -> None:
    first, y1 = rows(40, seed=4)
    model = IB5(random_state=0, missing=missing)
    whole = clone(model).partial_fit(first[["size"]][:20], y1[:20]).partial_fit(first[20:], y1[20:])
    for i in range(40):
        part = first[["size"]] if i < 20 else first
        model.partial_fit(part[i : i + 1], y1[i : i + 1])
    assert model.digest() == whole.digest()


@rules
def test_an_attribute_that_lacks_is_missing(missing: str) -> None:
    (first, y1), (second, y2) = rows(50, seed=5), rows(50, seed=6)
    model = IB5(random_state=0, missing=missing).partial_fit(first, y1).partial_fit(second[["size"]], y2)
    gaps = second.assign(colour=None)
    assert model.digest() == IB5(random_state=0, missing=missing).fit(first, y1).partial_fit(gaps, y2).digest()
    asked = rows(20, seed=7)[0]
    assert model.predict(asked[["size"]]).tolist() == model.predict(asked.assign(colour=None)).tolist()
    assert model.predict(asked[["colour"]]).tolist() == model.predict(asked.assign(size=np.nan)).tolist()


def test_the_novel_attribute_is_learned() -> None:
    (first, y1), (second, y2), (asked, y3) = rows(300, seed=8), rows(600, seed=9), rows(300, seed=10)
    model = IB5(random_state=0).partial_fit(first[["size"]], y1)
    before = model.score(asked[["size"]], y3)
    model.partial_fit(second, y2)
    assert model.score(asked, y3) > before + 0.1
    weights = model.attribute_weights_
    assert (weights["colour"] > weights["size"]).all()


def test_polars_and_other_orders() -> None:
    (first, y1), (second, y2) = rows(30, seed=11), rows(30, seed=12)
    model = IB5(random_state=0).partial_fit(pl.from_pandas(first[["size"]]), y1).partial_fit(pl.from_pandas(second), y2)
    turned = IB5(random_state=0).partial_fit(first[["size"]], y1).partial_fit(second[["colour", "size"]], y2)
    assert model.digest() == turned.digest()
    assert isinstance(model.attribute_weights_, pl.DataFrame)


def test_arrays_take_new_columns_at_the_end() -> None:
    rng = np.random.default_rng(13)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = IB5(random_state=0).partial_fit(X[:30, :2], y[:30]).partial_fit(X[30:], y[30:])
    assert model.n_features_in_ == 3
    named = [pd.DataFrame(part, columns=list("pqr")[: part.shape[1]]) for part in (X[:30, :2], X[30:])]
    frames = IB5(random_state=0).partial_fit(named[0], y[:30]).partial_fit(named[1], y[30:])
    assert model.predict(X).tolist() == frames.predict(pd.DataFrame(X, columns=list("pqr"))).tolist()
    assert model.attribute_weights_.tolist() == frames.attribute_weights_[list("pqr")].to_numpy().tolist()
    with pytest.raises(SchemaMismatchError, match="X has 2 features, but it is expecting 3 features"):
        model.partial_fit(X[:2, :2], y[:2])
    with pytest.raises(SchemaMismatchError, match="X has 4 features, but it is expecting 3 features"):
        model.predict(np.zeros((1, 4)))


def test_queries_may_not_bring_new_columns() -> None:
    first, y1 = rows(30, seed=14)
    model = IB5(random_state=0).fit(first[["size"]], y1)
    with pytest.raises(SchemaMismatchError, match=r"Feature names unseen at fit time:\n- colour"):
        model.predict(first)
    assert model.n_features_in_ == 1
    named = IB5(random_state=0).fit(first, y1)
    with pytest.raises(SchemaMismatchError, match="X has 3 features, but it is expecting 2"):
        named.partial_fit(np.array([[1.0, "red", 2.0]], object), ["a"])


@pytest.mark.parametrize("gaps", [pd.Series([None] * 30, dtype=object), pd.Series([np.nan] * 30)], ids=str)
def test_a_column_of_gaps_is_not_taken_up_yet(gaps: pd.Series) -> None:
    """Gaps say nothing; and what an attribute is, its first value says."""
    first, y1 = rows(30, seed=15)
    model = IB5(random_state=0).fit(first, y1)
    before = model.digest()
    model.partial_fit(first.assign(weight=gaps), y1)
    assert model.n_features_in_ == 2
    assert model.digest() == clone(model).fit(first, y1).partial_fit(first, y1).digest() != before
    assert model.predict(first.assign(weight=gaps)).tolist() == model.predict(first).tolist()
    model.partial_fit(first.assign(weight=pd.Series([None] * 29 + [3], dtype=object)), y1)
    assert repr(model.schema_.kinds[2]) == "Numeric()"


def test_any_cut_is_the_same_stream() -> None:
    """Attributes come up in the order of their first values, in whichever call those are."""
    rng = np.random.default_rng(22)
    frame, y = rows(80, seed=23)
    table = frame.assign(
        late=np.where(np.arange(80) < 50, np.nan, rng.normal(size=80).round(1)),
        soon=np.where(np.arange(80) < 30, np.nan, rng.normal(size=80).round(1)),
    )
    cuts = [(0, 20, 80), (0, 20, 55, 80), (0, 20, 31, 40, 60, 80), (0, *range(20, 81))]
    models = []
    for places in cuts:
        model = IB5(random_state=0, history="replay").partial_fit(frame[: places[1]][["size"]], y[: places[1]])
        for start, stop in pairwise(places[1:]):
            model.partial_fit(table[start:stop], y[start:stop])
        models.append(model)
    assert models[0].feature_names_in_.tolist() == ["size", "colour", "soon", "late"]
    assert len({model.digest() for model in models}) == 1
    for model in models:
        model.forget([0, 25, 52])
    assert len({model.digest() for model in models}) == 1


def test_a_declared_schema_may_name_columns_to_come() -> None:
    first, y1 = rows(30, seed=16)
    schema = Schema(("size", "colour", "grade"), (Numeric(), Nominal(), Ordinal(("low", "high"))))
    model = IB5(random_state=0, schema=schema).partial_fit(first[["size"]], y1)
    assert model.n_features_in_ == 3
    model.partial_fit(first.assign(grade=["low", "high"] * 15), y1)
    assert model.schema_ == schema
    with pytest.raises(ParameterError, match="categorical_features"):
        IB5(schema=schema, categorical_features=["size"]).fit(first, y1)


def test_a_refused_call_takes_up_nothing() -> None:
    first, y1 = rows(30, seed=17)
    model = IB5(random_state=0).fit(first[["size"]], y1)
    before = model.digest()
    for wrong in (first.assign(size="x"), first.assign(age=[1j] * 30)):
        with pytest.raises(ValueError, match=r"size|age"):
            model.partial_fit(wrong, y1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.partial_fit(first, y1[:5])
    assert model.digest() == before
    assert model.n_features_in_ == 1
    assert model.feature_names_in_.tolist() == ["size"]


def test_attributes_go_with_the_rows_that_had_them() -> None:
    (first, y1), (second, y2), (third, y3) = rows(30, seed=18), rows(20, seed=19), rows(30, seed=20)
    later = third[["size"]].assign(weight=np.arange(30.0))
    model = IB5(random_state=0, history="replay").partial_fit(first[["size"]], y1)
    model.partial_fit(second, y2).partial_fit(later, y3)
    assert model.feature_names_in_.tolist() == ["size", "colour", "weight"]
    model = pickle.loads(pickle.dumps(model))
    model.forget(range(30, 50))
    fresh = IB5(random_state=0, history="replay").partial_fit(first[["size"]], y1).partial_fit(later, y3)
    assert model.feature_names_in_.tolist() == ["size", "weight"]
    assert model.digest() == fresh.digest()
    assert model.predict(later).tolist() == fresh.predict(later).tolist()
    model.partial_fit(second, y2).forget(range(30))
    assert model.feature_names_in_.tolist() == ["size", "weight", "colour"]
    fresh = IB5(random_state=0, history="replay").partial_fit(later, y3).partial_fit(second, y2)
    assert model.digest() == fresh.digest()


def test_other_learners_refuse_new_columns() -> None:
    first, y1 = rows(30, seed=21)
    taken_up = r"[\s\S]*Use IB5 for columns that appear mid-stream\.$"
    for learner in (IB1(), IB2(), IB3(random_state=0), IB4(random_state=0)):
        model = learner.fit(first[["size"]], y1)
        with pytest.raises(SchemaMismatchError, match=r"Feature names unseen at fit time:\n- colour" + taken_up):
            model.partial_fit(first, y1)
        with pytest.raises(SchemaMismatchError, match=r"unseen at fit time:\n- colour"):
            model.predict(first)
        with pytest.raises(SchemaMismatchError, match=r"X has 2 features" + taken_up):
            model.partial_fit(first.to_numpy(), y1)
        with pytest.raises(SchemaMismatchError, match="'size' is nominal"):
            model.partial_fit(pd.DataFrame({"size": ["a"] * 30}), y1)
        assert model.n_seen_ == 30
