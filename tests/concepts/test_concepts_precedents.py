"""The instances that speak for an answer: those that the slow learner asks, at the distances it finds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from concept_tables import LEARNERS, SCHEMA, named, per_class, queries, ranked, slow, stream
from sklearn.base import clone

from priorcase.concepts import IB1, IB2, IB4
from priorcase.exceptions import TargetError

STREAM = stream(120, seed=80)
QUERIES = queries(15, seed=81)
learners = pytest.mark.parametrize("learner", [one for one in LEARNERS if one.ties != "random"], ids=named)


def fitted(learner: Any) -> Any:
    return clone(learner).set_params(schema=SCHEMA).fit(*STREAM)


@learners
def test_who_speaks(learner: Any) -> None:
    model, found = fitted(learner), slow(learner, *STREAM)
    result = model.precedents(QUERIES)
    assert result.predictions.tolist() == model.predict(QUERIES).tolist()
    np.testing.assert_array_equal(result.probabilities, model.predict_proba(QUERIES))
    for i, row in enumerate(QUERIES):
        names, cost = speakers(learner, found, ranked(row))
        part = result[i]
        assert part.ids.tolist() == names
        assert part.distances.tolist() == [math.sqrt(cost)] * len(names)
        assert part.targets.tolist() == [STREAM[1][name] for name in names]
        assert part.votes.sum() == pytest.approx(1.0)
    finite = np.isfinite(result.distances)
    np.testing.assert_allclose(
        result.contributions[finite].sum(axis=1), result.distances[finite], rtol=1e-12, atol=1e-15
    )


def speakers(learner: Any, found: Any, row: list[Any]) -> tuple[list[int], float]:
    """Names of those that speak in the slow learner, and how far they are."""
    description = found
    if per_class(learner):
        label = found.predict(row)
        description = found.of[label]
        if not found.claims(row)[found.classes().index(label)]:
            members = [y for y in description.candidates() if y.label == 1]
            members = members or [y for y in description.stored if y.label == 1]
            ranges = description.widened(row)
            costs = [description.cost(row, y.row, ranges) for y in members]
            tied = [y.name for y, cost in zip(members, costs, strict=True) if cost == min(costs)]
            return tied[:1] if learner.ties == "first" else tied, min(costs)
    answer = description.answer(row)
    names = [y.name for y in answer.tied]
    return names[:1] if learner.ties == "first" else names, answer.cost


def test_the_nearest_unlike_case() -> None:
    model = IB1().fit([[0.0], [1.0], [5.0], [9.0]], ["a", "a", "b", "c"])
    (case,) = model.precedents([[2.0]]).unlike
    assert (case.id, case.target, case.distance) == (2, "b", 1 / 3)
    assert IB1().fit([[0.0], [1.0]], ["a", "a"]).precedents([[0.0]]).unlike == (None,)
    several = IB4(random_state=0).fit([[0.0], [1.0], [5.0], [9.0]], ["a", "a", "b", "c"])
    unlike = several.precedents([[0.0]]).unlike[0]
    assert unlike is None or unlike.target != "a"


def test_other_distances() -> None:
    X, y = stream(60, seed=82)
    for distance in ("hvdm", "mvdm", "gower", "euclidean"):
        model = IB1(distance=distance, schema=SCHEMA).partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
        result = model.precedents(QUERIES[:15])
        np.testing.assert_allclose(result.contributions.sum(axis=1), result.distances, rtol=1e-12, atol=1e-15)


def test_values_that_a_settled_distance_does_not_know() -> None:
    model = IB1(distance="mvdm").partial_fit([["red"], ["blue"], ["red"]], ["a", "b", "a"])
    model.partial_fit([["green"]], ["b"])
    assert model.precedents([["green"], ["violet"], [None]]).distances.size >= 3


def test_nothing_stored() -> None:
    model = IB2(window=2).fit([[0.0], [5.0], [5.0], [5.0]], ["a", "b", "b", "b"])
    result = model.precedents([[1.0]])
    assert result.ids.size == 0
    assert result.predictions.tolist() == ["b"]
    assert repr(result).startswith("query 0: b")


def test_frame() -> None:
    X = pd.DataFrame(STREAM[0], columns=list(SCHEMA.names or ()))
    frame = IB2().fit(X, STREAM[1]).precedents(X[:3]).frame()
    assert frame.columns.tolist()[:6] == ["query", "rank", "id", "distance", "vote", "target"]
    assert "contribution of colour" in frame.columns


def test_several_answers_at_once() -> None:
    model = IB4(random_state=0).fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    with pytest.raises(TargetError, match="multi-label"):
        model.precedents([[0.0]])
