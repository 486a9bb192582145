"""IB1 to IB5 do what the slow learners do, step by step: what is stored, every record, every answer."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from concept_tables import LEARNERS, RULES, SCHEMA, named, per_class, queries, ranked, slow, stream
from reference.concepts import Description, SplitMix64, wilson
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB3

STREAM = stream(160)
QUERIES = queries(25)
learners = pytest.mark.parametrize("learner", LEARNERS, ids=named)


def fitted(learner: Any, rows: Any = STREAM[0], labels: Any = STREAM[1], **changed: Any) -> Any:
    return clone(learner).set_params(schema=SCHEMA, **changed).fit(rows, labels)


@cache
def both(learner: Any) -> tuple[Any, Any]:
    """The slow learner and the fast one after the stream, made once for all tests that only look at them."""
    return slow(learner, *STREAM), fitted(learner, history=True)


def descriptions(found: Any) -> dict[Any, Description]:
    return {None: found} if isinstance(found, Description) else {label: found.of[label] for label in found.classes()}


@learners
def test_what_is_stored(learner: Any) -> None:
    found, model = both(learner)
    frame = model.concept_
    expected = [
        (label, y.name, y.successes, y.trials, y.arrived, y.reason, description.verdict(y))
        for label, description in descriptions(found).items()
        for y in description.stored
    ]
    concepts = frame["concept"] if per_class(learner) else [None] * len(frame["id"])
    names = ("id", "successes", "trials", "arrived", "reason", "verdict")
    assert list(zip(concepts, *(frame[name].tolist() for name in names), strict=True)) == expected
    assert len(expected) > 3, "nothing to compare"


@learners
def test_bounds_of_records(learner: Any) -> None:
    found, model = both(learner)
    expected = []
    for description in descriptions(found).values():
        for y in description.stored:
            accuracy = [reference_wilson(y, z)[bound] for bound, z in enumerate(levels(description))]
            low, high = (description.share(y.label, z)[bound] for bound, z in enumerate(reversed(levels(description))))
            expected.append((*accuracy, low, high, description.counts[y.label]))
    names = ("accuracy_low", "accuracy_high", "frequency_low", "frequency_high", "class_count")
    assert list(zip(*(model.concept_[name].tolist() for name in names), strict=True)) == expected


def levels(description: Description) -> tuple[float, float]:
    return description.z_accept, description.z_drop


def reference_wilson(y: Any, z: float) -> tuple[float, float]:
    return wilson(y.successes, y.trials, z)


@learners
def test_predictions(learner: Any) -> None:
    found, model = both(learner)
    rows = [ranked(row) for row in QUERIES]
    if isinstance(found, Description):
        draws = SplitMix64(found.seed)
        expected = [found.predict(row, draws) for row in rows]
    elif learner.ties == "random":  # the slow one draws anew for each query, so they are asked one by one
        expected = [found.predict(row) for row in rows]
        assert [model.predict([row])[0] for row in QUERIES] == expected
        return
    else:
        expected = [found.predict(row) for row in rows]
        assert model.claims(QUERIES).tolist() == [found.claims(row) for row in rows]
    assert model.predict(QUERIES).tolist() == expected
    assert len(set(expected)) > 1


@pytest.mark.parametrize("learner", [model for model in LEARNERS if not per_class(model)], ids=named)
def test_probabilities_are_votes_of_the_nearest_and_one_more(learner: Any) -> None:
    found, model = both(learner)
    shares = model.predict_proba(QUERIES)
    for row, share in zip(QUERIES, shares, strict=True):
        tied = found.answer(ranked(row)).tied
        labels = [y.label for y in (tied[:1] if learner.ties == "first" else tied)]
        expected = [(labels.count(label) + 1 / 3) / (len(labels) + 1) for label in "abc"]
        np.testing.assert_allclose(share, expected, rtol=1e-14)
    if learner.ties != "random":
        assert (shares.argmax(axis=1) == np.searchsorted(model.classes_, model.predict(QUERIES))).all()


@learners
def test_history(learner: Any) -> None:
    found, model = both(learner)
    frame = model.history_.frame()
    traces = {label: description.trace for label, description in descriptions(found).items()}
    for name in ("stored", "acceptable", "accepted", "dropped"):
        assert frame[name].tolist() == [line[name] for trace in traces.values() for line in trace]
    flags = [line["correct"] for trace in traces.values() for line in trace]
    assert frame["correct"].tolist() == [None if flag < 0 else bool(flag) for flag in flags]
    for k, trace in enumerate(traces.values()):
        made = right = 0
        for i, line in enumerate(trace):
            made, right = made + (line["correct"] >= 0), right + (line["correct"] == 1)
            assert frame["seen"][k * len(trace) + i] == i + 1
            accuracy = frame["accuracy"][k * len(trace) + i]
            assert np.isnan(accuracy) if made == 0 else accuracy == right / made
    assert model.digest() == fitted(learner).digest(), "looking must not change what is learned"


@learners
def test_storage(learner: Any) -> None:
    found, model = both(learner)
    several = descriptions(found).values()
    stored = {y.name for description in several for y in description.stored}
    kept = {y.name for description in several for y in description.candidates()}
    assert model.ids_.tolist() == sorted(stored)
    assert model.stored_ == model.n_samples_fit_ == len(stored)
    assert model.storage_ == len(kept) / 160
    assert model.dropped_ == sum(description.dropped for description in several)
    assert model.n_seen_ == 160


@pytest.mark.parametrize("learner", [IB1(), IB2(), IB3(random_state=0)], ids=named)
def test_plain_numbers(learner: Any) -> None:
    """A matrix takes another way through the library, and the answers are the same."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 5)), rng.integers(0, 3, 300)
    y[X[:, 0] > 0] = 0
    model = clone(learner).fit(X, y)
    lists = clone(learner).fit(X.tolist(), y.tolist())
    description = Description(["numeric"] * 5, rule=RULES[type(learner)])
    description.learn_all(X.tolist(), y.tolist())
    assert model.ids_.tolist() == lists.ids_.tolist() == sorted(stored.name for stored in description.stored)
    asked = rng.normal(size=(50, 5))
    assert model.predict(asked).tolist() == [description.predict(row) for row in asked.tolist()]


def test_ranges_grow_with_the_rows() -> None:
    """The same pair of rows is far apart while the range is small, and near when a row beyond has come."""
    rows, labels = [[0.0, "p"], [1.0, "q"]], ["left", "right"]
    model = IB1().fit(rows, labels)
    assert model.predict([[0.6, "p"]]).tolist() == ["left"]
    assert model.partial_fit([[10.0, "r"]], ["far"]).predict([[0.9, "p"]]).tolist() == ["left"]
    assert IB1(distance="heom").partial_fit(rows, labels).predict([[0.9, None]]).tolist() == ["right"]


def test_a_query_outside_the_range_widens_it() -> None:
    model = IB1().fit([[0.0, 0.0], [1.0, 0.6]], ["a", "b"])
    # Unwidened, the first attribute would count 100 and 81 against 1 and 0.16 of the second.
    assert model.predict([[10.0, 0.0]]).tolist() == ["a"]
