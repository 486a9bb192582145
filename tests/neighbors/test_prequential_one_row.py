"""Asked and taught one row at a time, an estimator is what it is in batches: same bits, same errors."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tables import labels, mixed_rows, row_lists

from priorcase.exceptions import NumericRangeError, PriorcaseError, TooFewRowsError
from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.neighbors.votes import InverseSquare, UniformVote
from priorcase.schema import Nominal, Numeric
from priorcase.similarity import Distance

KINDS = {0: Numeric(), 1: Nominal(), 2: Nominal()}
DISTANCES = ("heom", "ib", "gower", "manhattan", Distance(power=3), Distance(missing="skip"), "hvdm")
VOTES = ("uniform", "inverse_square", "gaussian", lambda d: 1 / (1 + d))
MODELS = [KNNClassifier(3, distance=distance, schema=KINDS) for distance in DISTANCES if distance != "manhattan"]
MODELS += [KNNClassifier(4, vote=vote, ties=ties, schema=KINDS) for vote in VOTES for ties in ("majority", "reduce")]
MODELS += [KNNClassifier(3, ties=ties, schema=KINDS) for ties in ("first", "nearest")]
MODELS += [KNNClassifier(3, prior=1.0, attribute_weights=[1.0, 0.5, 0.0], schema=KINDS)]
MODELS += [KNNClassifier(k, schema=KINDS) for k in ("sqrt", "all")]
MODELS += [KNNRegressor(3, vote=vote, schema=KINDS) for vote in VOTES]


def targets(model: Any, letters: list[str]) -> list[Any]:
    return letters if isinstance(model, KNNClassifier) else ["abc".index(letter) / 3 for letter in letters]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@given(rows=row_lists(8, 14), data=st.data())
@settings(max_examples=3)
def test_one_by_one_and_at_once(model: Any, rows: list[Any], data: Any) -> None:
    y = targets(model, [data.draw(st.sampled_from("abc")) for _ in rows])
    stream, batches = clone(model), clone(model)
    stream.fit(rows[:5], y[:5])
    batches.fit(rows[:5], y[:5])
    queries = [[1.0, "red", True], *rows[::3], [None, "violet", None]]
    for i in range(5, len(rows)):
        stream.partial_fit([rows[i]], [y[i]])
        batches.partial_fit(rows[i : i + 1] * 2, [y[i]] * 2, sample_weight=[1.0, 0.0])
        one, several = [stream.predict([query])[0] for query in queries], batches.predict(queries)
        np.testing.assert_array_equal(one, several)
        if isinstance(model, KNNClassifier):
            proba = np.concatenate([stream.predict_proba([query]) for query in queries])
            np.testing.assert_array_equal(proba, batches.predict_proba(queries))
    assert stream.digest() == batches.digest()
    stream.forget(stream.ids_[1:3])  # ids are no positions any more
    one = [stream.predict([query])[0] for query in queries]
    np.testing.assert_array_equal(one, stream.predict(queries))
    if isinstance(model, KNNClassifier):
        assert set(stream.classes_) <= set(batches.classes_)


def test_the_core_answers_alone_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = mixed_rows(60), labels(60)
    for model in (KNNClassifier(5), KNNClassifier(5, vote="inverse_square", ties="first")):
        model.fit(X, y)
        expected = [model.predict([row])[0] for row in X]
        with monkeypatch.context() as patch:
            patch.setattr(UniformVote, "core", None)
            patch.setattr(InverseSquare, "core", None)
            assert [model.predict([row])[0] for row in X] == expected


@pytest.mark.parametrize("vote", ["uniform", "inverse_square"])
def test_rows_too_far_away_are_refused_in_the_same_words(vote: str) -> None:
    model = KNNClassifier(2, distance="euclidean", vote=vote).fit([[1e200], [2e200], [0.0]], ["a", "b", "a"])
    with pytest.raises(NumericRangeError) as alone:
        model.predict([[-1e300]])
    with pytest.raises(NumericRangeError) as first_of_two:
        model.predict([[-1e300], [0.0]])
    assert str(alone.value) == str(first_of_two.value)


def test_rows_that_share_nothing_are_infinitely_far_away_and_may_vote() -> None:
    model = KNNClassifier(2, distance=Distance(missing="skip"), schema={0: Numeric(), 1: Numeric()})
    model.fit([[1.0, None], [None, 1.0], [2.0, None]], ["a", "b", "b"])
    assert model.predict([[None, 1.0]])[0] == model.predict([[None, 1.0]] * 2)[0] == "b"


def test_too_few_rows_are_refused_as_ever() -> None:
    model = KNNClassifier(5).partial_fit([[1.0]], ["a"])
    with pytest.raises(TooFewRowsError, match="5"):
        model.predict([[1.0]])


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ([np.inf, "red", True], "a"),
        (["x", "red", True], "a"),
        ([1.0, 3, True], "a"),
        ([1.0, "red"], "a"),
        ([1.0, "red", True], None),
        ([1.0, "red", True], 3),
        ([1.0, "red", True], 0.5),
    ],
)
def test_mistakes_are_found_in_a_single_row_too(row: list[Any], label: Any) -> None:
    X, y = [[1.0, "red", True], [2.0, "blue", False]], ["a", "b"]
    model = KNNClassifier(1).fit(X, y)
    before = model.digest()
    with pytest.raises(PriorcaseError) as alone:
        model.partial_fit([row], [label])
    with pytest.raises(PriorcaseError) as twice:
        model.partial_fit([row, row], [label, label])
    assert type(alone.value) is type(twice.value)
    assert str(alone.value).split(";")[0] == str(twice.value).split(";")[0]
    assert model.digest() == before
    assert model.predict(X).tolist() == y


def test_ranges_and_classes_grow_with_the_stream() -> None:
    rng = np.random.default_rng(5)
    X = np.cumsum(rng.normal(size=(80, 3)), axis=0)  # wanders off: the ranges are widened again and again
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.array(["a", "b", "cc", "dddd"])[np.minimum(np.arange(80) // 15, 3)]
    model = KNNClassifier(3).partial_fit(X[:4], y[:4])
    for i in range(4, 80):
        fresh = KNNClassifier(3).fit(X[:i], y[:i])
        assert model.predict(X[i : i + 1]) == fresh.predict(X[i : i + 1])
        assert model.distance_ == fresh.distance_
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert repr(model.distance_) == f"<Distance('robust') fitted to {i + 1} rows>"
    assert model.digest() == KNNClassifier(3).fit(X, y).digest()


def test_labels_of_other_types_and_classes_that_go_and_come() -> None:
    model = KNNClassifier(1).partial_fit([[1.0]], np.array([1], np.int8))
    for i in range(2, 6):
        model.partial_fit([[float(i)]], np.array([1000 + i], np.int64))
        assert model.predict([[float(i)]]).tolist() == [1000 + i]
        assert model.predict([[1.0]]).dtype == np.int64
    model.forget([1, 2, 3, 4])
    assert model.classes_.tolist() == [1]
    assert model.predict([[9.0]]).dtype == np.int8
    model.partial_fit([[7.0]], np.array([7], np.int8)).partial_fit([[7.0]], np.array([7], np.int8))
    assert model.predict([[7.0]]).tolist() == [7]


def test_several_threads_ask_while_rows_come_one_by_one() -> None:
    X, y = mixed_rows(400), labels(400)
    model = KNNClassifier(3).fit(X[:50], y[:50])
    wrong: list[Any] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            answer = model.predict([X[0]])
            if answer[0] not in ("a", "b", "c"):
                wrong.append(answer)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for row, label in zip(X[50:], y[50:], strict=True):
        model.partial_fit([row], [label])
    done.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert model.predict(X[:50]).tolist() == KNNClassifier(3).fit(X, y).predict(X[:50]).tolist()


def test_the_core_refuses_what_does_not_fit() -> None:
    X, y = mixed_rows(20), labels(20)
    model = KNNClassifier(3).fit(X, y)
    model.predict(X[:1])
    memory, classes = model._memory, model._outputs()[0]
    cells, plan, core = memory.instances.cells(slice(0, 1)), memory.index.plan_of(memory.fitted), memory.index.core
    asked = (plan, cells, memory.index.ones, 3, True, 0, 2.0, True, 0)
    ids, codes, numbers = memory.ids, classes.stored, classes.of_code
    assert core.winner(*asked, ids, codes, numbers, 3, 0) in (-1, 0, 1, 2)
    with pytest.raises(ValueError, match="one code per id"):
        core.winner(*asked, ids[1:], codes, numbers, 3, 0)
    with pytest.raises(ValueError, match="no such class"):
        core.winner(*asked, ids, codes, numbers + 9, 3, 0)
    with pytest.raises(ValueError, match="no such code"):
        core.winner(*asked, ids, codes, numbers[:0], 3, 0)
    with pytest.raises(ValueError, match="codes are integers of at most 32 bits"):
        core.winner(*asked, ids, codes.astype(np.float32), numbers, 3, 0)
    with pytest.raises(IndexError, match="a row has no target"):
        core.winner(*asked, ids + 100, codes, numbers, 3, 0)
    for width in (np.int8, np.int16, np.int32):
        found = core.winner(*asked, ids, codes.astype(width), numbers, 3, 1)
        assert found == core.winner(*asked, ids, codes, numbers, 3, 1)
    with pytest.raises(ValueError, match="one query and at least one voter"):
        core.poll(plan, np.repeat(cells, 2, axis=0), *asked[2:])
