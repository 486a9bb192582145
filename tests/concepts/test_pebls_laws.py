"""What holds of PEBLS whatever the rows: symbols, order, adding and forgetting, threads."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import row_lists

from priorcase.concepts import PEBLS, pebls
from priorcase.learning import resampling
from priorcase.neighbors import KNNClassifier
from priorcase.similarity import mvdm

NAMES = ("red", "green", "blue")
MODES: list[dict[str, Any]] = [
    {},
    {"weighting": "one_pass"},
    {"weighting": "one_pass", "inherit": False},
    {"passes": 2},
    {"weighting": None},
]
ROWS = row_lists(min_size=2, max_size=14)
SEEDS = st.integers(0, 10_000)


def classes_of(rows: list[list[Any]], seed: int) -> list[str]:
    return np.random.default_rng(seed).choice(["p", "q", "r"], len(rows)).tolist()


def state(model: PEBLS) -> tuple[Any, ...]:
    """Everything a model knows, ids left out."""
    found = model.exemplars_
    return (
        model.digest(),
        model.classes_.tolist(),
        found["class"].tolist(),
        found["used"].tolist(),
        found["correct"].tolist(),
        [model.value_differences(a).values for a in range(model.n_features_in_)],
        [model.value_differences(a).matrix.tolist() for a in range(model.n_features_in_)],
    )


def answers(model: PEBLS, rows: list[list[Any]]) -> tuple[Any, ...]:
    queries = [*rows, [None, None, None], [99.0, "violet", True]]
    distances, ids = model.kneighbors(queries, n_neighbors=1)
    places = np.searchsorted(model.ids_, ids)
    return distances.tolist(), places.tolist(), model.predict(queries).tolist(), model.predict_proba(queries).tolist()


# -- symbols


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=12)
@given(ROWS, SEEDS)
def test_missing_is_one_more_symbol(mode: dict[str, Any], rows: list[list[Any]], seed: int) -> None:
    """A gap in a column of text is a value with the name "missing"."""
    classes = classes_of(rows, seed)
    texts = [[value] for _, value, _ in rows]
    named = [["missing" if value is None else value] for (value,) in texts]
    one, other = (PEBLS(**mode).fit(table, classes) for table in (texts, named))
    queries = [["red"], ["green"], ["blue"], ["violet"]]
    gap, name = [*queries, [None]], [*queries, ["missing"]]
    assert one.exemplars_["used"].tolist() == other.exemplars_["used"].tolist()
    assert one.kneighbors(gap)[0].tolist() == other.kneighbors(name)[0].tolist()
    assert one.predict(gap).tolist() == other.predict(name).tolist()


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=12)
@given(ROWS, SEEDS, st.integers(1, 7))
def test_a_number_is_the_interval_it_lies_in(mode: dict[str, Any], rows: list[list[Any]], seed: int, bins: int) -> None:
    """Gaps among numbers, and intervals without rows, are symbols like any other."""
    classes = classes_of(rows, seed)
    numbers = [row[:1] for row in rows]
    known = [row[0] for row in numbers if row[0] is not None]
    if not known:
        return
    low, high = min(known), max(known)

    def name(number: float | None) -> list[str | None]:
        if number is None or high == low:
            return [None if number is None else "all"]
        edges = low + (high - low) / bins * np.arange(bins)
        return [f"interval {max(int(np.searchsorted(edges, number, side='right')) - 1, 0)}"]

    one = PEBLS(bins=bins, **mode, categorical_features=None).fit(np.array(numbers, dtype=float), classes)
    other = PEBLS(**mode).fit([name(number) for (number,) in numbers], classes)
    queries = [0.0, 0.4, 1.0, 2.0, 3.3, 5.0, -7.0, 70.0, None]
    asked = np.array([[np.nan if q is None else q] for q in queries])
    assert one.exemplars_["used"].tolist() == other.exemplars_["used"].tolist()
    assert one.kneighbors(asked)[0].tolist() == other.kneighbors([name(q) for q in queries])[0].tolist()


@settings(max_examples=25)
@given(ROWS, SEEDS, st.permutations(NAMES))
def test_other_names_for_values_and_classes_change_nothing(rows: list[list[Any]], seed: int, names: list[str]) -> None:
    classes = classes_of(rows, seed)
    other = dict(zip(NAMES, names, strict=True)) | {None: None}
    renamed = [[number, other[text], flag] for number, text, flag in rows]
    one, two = PEBLS(2).fit(rows, classes), PEBLS(2).fit(renamed, ["class " + label for label in classes])
    assert one.exemplars_["used"].tolist() == two.exemplars_["used"].tolist()
    assert one.kneighbors(rows)[0].tolist() == two.kneighbors(renamed)[0].tolist()
    assert ["class " + label for label in one.predict(rows)] == two.predict(renamed).tolist()


@settings(max_examples=25)
@given(ROWS, SEEDS, st.sampled_from([1, 2]), st.sampled_from([1, 2, 3]), st.sampled_from(["maximal", "prior", "zero"]))
def test_without_weights_it_is_k_nn_by_mvdm(
    rows: list[list[Any]], seed: int, exponent: int, power: int, unseen: Any
) -> None:
    classes = classes_of(rows, seed)
    values = [row[1:] for row in rows]
    queries = [*values, [None, None], ["violet", True]]
    model = PEBLS(weighting=None, exponent=exponent, power=power, unseen=unseen).fit(values, classes)
    near = KNNClassifier(1, distance=mvdm(exponent, power, unseen=unseen), ties="nearest").fit(values, classes)
    for ours, theirs in zip(model.kneighbors(queries), near.kneighbors(queries), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(model.predict(queries), near.predict(queries))


# -- records


@settings(max_examples=25)
@given(ROWS, SEEDS, st.integers(1, 4))
def test_every_question_is_written_down(rows: list[list[Any]], seed: int, passes: int) -> None:
    n, classes = len(rows), classes_of(rows, seed)
    begun = PEBLS(weighting="one_pass", inherit=False).fit(rows, classes).exemplars_
    assert begun["used"].sum() == n + n - 1
    swept = PEBLS(weighting="multi_pass", passes=passes).fit(rows, classes).exemplars_
    assert swept["used"].sum() == n + passes * n
    for found in (begun, swept, PEBLS(weighting="one_pass").fit(rows, classes).exemplars_):
        assert (found["correct"] >= 1).all()
        assert (found["correct"] <= found["used"]).all()
        assert (found["weight"] >= 1).all()


@settings(max_examples=12)
@given(ROWS, SEEDS)
def test_where_one_class_is_alone_nobody_is_wrong(rows: list[list[Any]], seed: int) -> None:
    for mode in MODES:
        model = PEBLS(**mode).fit(rows, ["p"] * len(rows))
        assert (model.exemplars_["weight"] == 1).all()
        assert model.predict(rows).tolist() == ["p"] * len(rows)
        assert model.predict_proba(rows).tolist() == [[1.0]] * len(rows)


@pytest.mark.parametrize("weighting", [None, "multi_pass"])
def test_duplicates_of_another_class_mislead(weighting: Any) -> None:
    rows = [["a", "x"], ["a", "x"], ["b", "y"], ["b", "y"]]
    found = PEBLS(weighting=weighting).fit(rows, ["p", "q", "q", "q"]).exemplars_
    expected = {None: [1, 1, 1, 1], "multi_pass": [2, 2, 1, 1]}[weighting]
    assert found["weight"].tolist() == expected


# -- rows that come and go


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=12)
@given(ROWS, SEEDS, st.data())
def test_adding_in_parts_is_adding_at_once(mode: dict[str, Any], rows: list[list[Any]], seed: int, data: Any) -> None:
    classes = classes_of(rows, seed)
    schema = PEBLS(**mode).fit(rows, classes).schema_
    model, start = PEBLS(**mode, schema=schema), 0
    while start < len(rows):
        stop = data.draw(st.integers(start + 1, len(rows)))
        model.partial_fit(rows[start:stop], classes[start:stop])
        if data.draw(st.booleans()):
            model.predict(rows[:1])
        start = stop
    whole = PEBLS(**mode, schema=schema).fit(rows, classes)
    assert state(model) == state(whole)
    assert answers(model, rows) == answers(whole, rows)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=12)
@given(row_lists(min_size=4, max_size=14), SEEDS, st.data())
def test_forgotten_rows_were_never_there(mode: dict[str, Any], rows: list[list[Any]], seed: int, data: Any) -> None:
    classes = classes_of(rows, seed)
    schema = PEBLS(**mode).fit(rows, classes).schema_
    gone = data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=len(rows) - 2))
    model = PEBLS(**mode, schema=schema).fit(rows, classes).forget(sorted(gone))
    left = [i for i in range(len(rows)) if i not in gone]
    kept, labels = [rows[i] for i in left], [classes[i] for i in left]
    fresh = PEBLS(**mode, schema=schema).fit(kept, labels)
    assert state(model) == state(fresh)
    assert answers(model, rows) == answers(fresh, rows)
    model.partial_fit([rows[0]], [classes[0]])
    again = PEBLS(**mode, schema=schema).fit([*kept, rows[0]], [*labels, classes[0]])
    assert state(model) == state(again)
    assert answers(model, rows) == answers(again, rows)


# -- threads, batches, pickles


@pytest.mark.parametrize("mode", MODES)
def test_threads_batches_and_pickles_change_no_bit(mode: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    rows = [
        [float(rng.integers(0, 30)), str(rng.choice(list("abcdef"))), str(rng.choice(list("xyz")))] for _ in range(700)
    ]
    classes = [("p" if row[0] > 15 else "q") if rng.random() < 0.8 else "r" for row in rows]
    model = PEBLS(3, **mode, n_jobs=1).fit(rows, classes)
    queries = rows[:100]
    expected = model.predict_proba(queries)
    alone = np.concatenate([model.predict_proba([row]) for row in queries])
    np.testing.assert_array_equal(alone, expected)
    np.testing.assert_array_equal(PEBLS(3, **mode, n_jobs=3).fit(rows, classes).predict_proba(queries), expected)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.predict_proba(queries), expected)
    assert state(copied) == state(model)


@pytest.mark.parametrize("mode", MODES)
def test_records_are_settled_in_parts(mode: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    rows, classes = rng.integers(0, 3, (50, 3)).astype(str), rng.integers(0, 2, 50)
    at_once = PEBLS(**mode).fit(rows, classes)
    monkeypatch.setattr(pebls, "blocks", lambda n, text: resampling.blocks(n, text=text, size=7))
    assert state(PEBLS(**mode).fit(rows, classes)) == state(at_once)


def test_several_threads_may_ask_while_another_adds_and_forgets() -> None:
    rng = np.random.default_rng(5)
    rows = [[str(rng.choice(list("abcd"))), float(rng.integers(0, 20))] for _ in range(120)]
    classes = [str(rng.choice(["p", "q"])) for _ in rows]
    model = PEBLS().fit(rows[:100], classes[:100])
    states = [model.predict(rows).tolist(), PEBLS().fit(rows, classes).predict(rows).tolist()]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(lambda: model.predict(rows).tolist()) for _ in range(20)]
        for _ in range(5):
            model.partial_fit(rows[100:], classes[100:])
            asked += [pool.submit(lambda: model.predict(rows).tolist()) for _ in range(4)]
            model.forget(model.ids_[100:])
        assert all(answer.result() in states for answer in asked)


def test_a_pickle_keeps_the_records_and_settles_them_no_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = PEBLS(weighting="one_pass").fit([["a"], ["b"], ["a"]], ["p", "q", "q"])
    copied = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model))))

    def refuse(*_: Any) -> None:
        raise AssertionError("settled again")

    monkeypatch.setattr(pebls, "weigh", refuse)
    assert copied.exemplars_["used"].tolist() == model.exemplars_["used"].tolist()
    assert copied.predict([["a"]]).tolist() == model.predict([["a"]]).tolist()
    with pytest.raises(AssertionError, match="settled again"):
        copied.partial_fit([["b"]], ["p"]).predict([["a"]])


def test_pickles_hold_nothing_forgotten() -> None:
    model = PEBLS().fit([["a"], ["b"], ["confidential"]], ["p", "q", "secret"])
    model.predict([["a"]])
    model.suspects()
    assert b"confidential" in pickle.dumps(model)
    assert b"confidential" not in pickle.dumps(model.forget([2]))
    assert b"secret" not in pickle.dumps(model)
