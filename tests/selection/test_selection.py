"""Attribute selection: exact steps equal brute force, and races find the same with fewer evaluations."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import selection as reference
from selection_tables import LEVELS, labels, mixed, numbers, plain, uniform
from sklearn.base import clone

from priorcase.neighbors import KNNClassifier, KNNRegressor
from priorcase.schema import Ordinal
from priorcase.selection import AttributeSelector
from priorcase.selection.leave_one_out import LeaveOneOutLosses, Trials
from priorcase.selection.search import Race, greedy, race

SCHEMA = {2: Ordinal(LEVELS)}
ROWS = mixed(40)
LABELS, NUMBERS = labels(ROWS), numbers(ROWS)
CLASSED, NUMBERED = plain(ROWS, LABELS), plain(ROWS, NUMBERS)
SUBSETS = [(0,), (1,), (2,), (3,), (0, 1), (1, 3), (0, 2, 3), (0, 1, 2, 3)]


def evaluator(estimator: Any, scoring: Any, y: Any, rows: Any = ROWS, threads: int = 2) -> LeaveOneOutLosses:
    return LeaveOneOutLosses.of(estimator.fit(rows, y), scoring, threads)


LOSSES = {
    "accuracy": (KNNClassifier(3, schema=SCHEMA), LABELS, reference.zero_one(CLASSED, 3)),
    "accuracy first": (
        KNNClassifier(4, schema=SCHEMA, ties="first"),
        LABELS,
        reference.zero_one(CLASSED, 4, "first"),
    ),
    "accuracy nearest": (
        KNNClassifier(4, schema=SCHEMA, ties="nearest"),
        LABELS,
        reference.zero_one(CLASSED, 4, "nearest"),
    ),
    "accuracy reduce": (
        KNNClassifier(4, schema=SCHEMA, ties="reduce"),
        LABELS,
        reference.zero_one(CLASSED, 4, "reduce"),
    ),
    "accuracy sqrt": (KNNClassifier("sqrt", schema=SCHEMA), LABELS, reference.zero_one(CLASSED, 6)),
    "brier": (KNNClassifier(3, schema=SCHEMA, prior=None), LABELS, reference.brier(CLASSED, 3)),
    "brier with a prior": (
        KNNClassifier(3, schema=SCHEMA, prior=0.5),
        LABELS,
        reference.brier(CLASSED, 3, 0.5),
    ),
    "log_score": (KNNClassifier(3, schema=SCHEMA, prior=0.5), LABELS, reference.log_loss(CLASSED, 3, 0.5)),
    "squared_error": (KNNRegressor(3, schema=SCHEMA), NUMBERS, reference.error(NUMBERED, 3, 2)),
    "absolute_error": (KNNRegressor(3, schema=SCHEMA), NUMBERS, reference.error(NUMBERED, 3, 1)),
    "squared_error of all": (KNNRegressor("all", schema=SCHEMA), NUMBERS, reference.error(NUMBERED, 39, 2)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_left_out_rows_equal_brute_force(name: str) -> None:
    estimator, y, loss = LOSSES[name]
    rows = evaluator(estimator, name.split(" ")[0], y)
    found = rows.losses(np.arange(40), SUBSETS)
    expected = [[loss(i, subset) for i in range(40)] for subset in SUBSETS]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@given(st.lists(st.integers(0, 39), min_size=1, max_size=12), st.integers(1, 3))
@settings(max_examples=25)
def test_blocks_threads_and_company_change_no_bit(points: list[int], threads: int) -> None:
    whole = evaluator(KNNRegressor(3, vote="gaussian"), "squared_error", NUMBERS).losses(np.arange(40), SUBSETS)
    rows = evaluator(KNNRegressor(3, vote="gaussian"), "squared_error", NUMBERS, threads=threads)
    np.testing.assert_array_equal(rows.losses(np.array(points), SUBSETS), whole[:, points])
    each = [SUBSETS[i % len(SUBSETS)] for i in range(len(points))]
    expected = [whole[SUBSETS.index(subset), i] for i, subset in zip(points, each, strict=True)]
    np.testing.assert_array_equal(rows.losses_of_each(np.array(points), each), expected)


@pytest.mark.parametrize("scoring", ["brier", "log_score"])
@pytest.mark.parametrize("estimator", [{"temperature": 0.5}, {"vote": "gaussian", "bandwidth": 0.7}])
def test_probabilities_are_those_of_the_estimator(scoring: Any, estimator: dict[str, Any]) -> None:
    """A row that is fitted with the others has the same probabilities when it is left out, as ranges stay."""
    model = KNNClassifier(4, prior=0.5, schema=SCHEMA, **estimator)
    found = evaluator(model, scoring, LABELS).losses(np.arange(2, 40), [(0, 1, 2, 3)])[0]
    for i, loss in zip(range(2, 40), found.tolist(), strict=True):  # the first two rows are the ends of the ranges
        fitted = clone(model).fit(reference.others(ROWS, i), reference.others(LABELS, i))
        shares = dict(zip(fitted.classes_.tolist(), fitted.predict_proba([ROWS[i]])[0].tolist(), strict=True))
        if scoring == "brier":
            assert loss == pytest.approx(sum((p - (c == LABELS[i])) ** 2 for c, p in shares.items()), rel=1e-12)
        else:
            assert loss == pytest.approx(-np.log(shares[LABELS[i]]), rel=1e-12)


def test_attribute_weights_of_the_estimator_are_kept() -> None:
    weights = [0.5, 2.0, 0.0, 1.0]
    whole = evaluator(KNNRegressor(3, attribute_weights=weights), "squared_error", NUMBERS)
    alone = evaluator(KNNRegressor(3, attribute_weights=[0.5, 2.0, 0.0, 0.0]), "squared_error", NUMBERS)
    points = np.arange(40)
    np.testing.assert_array_equal(whole.losses(points, [(0, 1)]), alone.losses(points, [(0, 1, 2, 3)]))


# -- steps


def moves(selector: AttributeSelector) -> list[tuple[int | None, tuple[int, ...]]]:
    return [(step.attribute, step.subset) for step in selector.history_.steps]


@pytest.mark.parametrize("gamma", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("sort", ["classes", "numbers"])
def test_greedy_steps_equal_brute_force(sort: str, seed: int, gamma: float) -> None:
    rows = mixed(30, seed)
    y = labels(rows, seed) if sort == "classes" else numbers(rows, seed)
    table = plain(rows, y)
    loss = cache(reference.zero_one(table, 3) if sort == "classes" else reference.error(table, 3, 2))
    of = cache(reference.full(loss, 30))
    estimator = (KNNClassifier if sort == "classes" else KNNRegressor)(3, schema=SCHEMA)
    for search, expected in (("forward", reference.forward), ("backward", reference.backward)):
        for n_features in (None, 2) if seed else (None, 1, 2, 4):
            selector = AttributeSelector(estimator, search=search, gamma=gamma, n_features=n_features).fit(rows, y)
            assert moves(selector) == expected(of, 4, gamma, n_features)
            chosen = tuple(selector.get_support(indices=True).tolist())
            assert chosen == (moves(selector)[-1][1] if moves(selector) else (0, 1, 2, 3))
            for step in selector.history_.steps:
                if step.attribute is not None:
                    assert step.loss == pytest.approx(of(step.subset), rel=1e-12)


class Given:
    """Rows whose losses are given for each subset, the same for every row."""

    def __init__(self, losses: dict[tuple[int, ...], float]) -> None:
        self.given = losses

    def losses(self, points: Any, subsets: Any) -> Any:
        return np.array([[self.given[subset]] * len(points) for subset in subsets])


@given(st.lists(st.integers(0, 8), min_size=15, max_size=15), st.integers(0, 4), st.sampled_from([None, 1, 2, 3]))
def test_steps_over_any_losses(eighths: list[int], gamma: int, n_features: int | None) -> None:
    """Losses and gamma in eighths: ties, and errors that creep up step by step."""
    subsets = [subset for n in range(1, 5) for subset in combinations(range(4), n)]
    losses = {subset: loss / 8 for subset, loss in zip(subsets, eighths, strict=True)}
    rule = Race(False, 0.05, gamma / 8, min_points=2)
    for backward, expected in ((False, reference.forward), (True, reference.backward)):
        trials = Trials(Given(losses), np.arange(2))
        found = greedy(trials, 4, rule, n_features, lambda decided: None, backward=backward)
        assert [(step.attribute, step.subset) for step in found] == expected(losses.get, 4, gamma / 8, n_features)


def test_what_removing_costs_does_not_add_up() -> None:
    """Each removal costs 0.04, and gamma is 0.05: the second is 0.08 above the lowest loss, and is not made."""
    losses = {(0, 1, 2): 0.10, (1, 2): 0.14, (0, 2): 0.3, (0, 1): 0.3, (1,): 0.3, (2,): 0.18}
    trials, rule = Trials(Given(losses), np.arange(2)), Race(False, 0.05, 0.05, min_points=2)
    steps = list(greedy(trials, 3, rule, None, lambda decided: None, backward=True))
    assert [(step.attribute, step.subset) for step in steps] == [(0, (1, 2)), (None, (1, 2))]


def test_every_subset_is_tried_once_on_every_row() -> None:
    X, y = uniform(50, 5, "classes")
    for search in ("forward", "backward"):
        whole = AttributeSelector(search=search, n_features=3 if search == "forward" else 2).fit(X, y)
        assert whole.n_evaluations_ == whole.n_exhaustive_ == 50 * 12  # 5 + 4 + 3 subsets
        assert [step.evaluations for step in whole.history_.steps] == [250, 200, 150]
    stopped = AttributeSelector(search="forward").fit(X, y)
    assert stopped.n_evaluations_ == 50 * sum(range(5, 5 - len(stopped.history_), -1))  # the current set costs nothing


# -- races


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("sort", ["classes", "numbers"])
@pytest.mark.parametrize("seed", range(8))
def test_races_equal_brute_force(sort: str, paired: bool, seed: int) -> None:
    X, y = uniform(120, 5, sort, seed)
    y = [label if i % 7 else "above" for i, label in enumerate(y.tolist())] if sort == "classes" else y
    scoring = "accuracy" if sort == "classes" else "squared_error"
    rows = LeaveOneOutLosses.of((KNNClassifier if sort == "classes" else KNNRegressor)(3).fit(X, y), scoring, 1)
    order = np.random.default_rng(seed).permutation(120)
    subsets = [(0,), (1,), (2,), (4,), (1, 4), (0, 1, 4), (2, 3)]
    losses = rows.losses(np.arange(120), subsets)
    delta, gamma, first = [(0.05, 0.01, 30), (0.4, 0.1, 10), (0.2, 0.0, 2)][seed % 3]
    entrants = [(subset, 0.02 * (seed % 2) * (len(subset) > 1)) for subset in subsets]
    trials = Trials(rows, order)
    winner, *_ = race(trials, dict(entrants), Race(paired, delta, gamma, first), lambda decided: None)
    rule = {"paired": paired, "delta": delta, "gamma": gamma, "min_points": first}
    expected = reference.race(lambda i, s: losses[subsets.index(s), i], order.tolist(), entrants, **rule)
    assert (winner, trials.n_evaluations) == expected
    assert trials.n_evaluations < 120 * len(subsets)
    assert trials.n_subsets == len(subsets)


CLEAR = [
    pytest.param(kind, search, direction, id=f"{kind} {search} {direction}")
    for kind in ("classes", "numbers")
    for search, direction in [("race", None), ("brace", None), ("race", "backward"), ("brace", "backward")]
]


@pytest.mark.parametrize(("kind", "search", "direction"), CLEAR)
def test_races_find_what_full_leave_one_out_finds_with_fewer_evaluations(
    kind: str, search: Any, direction: Any
) -> None:
    X, y = uniform(600, 8, kind)
    full = AttributeSelector(search=direction or "forward").fit(X, y)
    raced = AttributeSelector(search=search, direction=direction).fit(X, y)
    assert full.get_support(indices=True).tolist() == raced.get_support(indices=True).tolist() == [1, 4]
    assert full.n_evaluations_ == full.n_exhaustive_
    assert raced.n_evaluations_ < (0.45 if direction is None else 0.75) * full.n_evaluations_
    assert raced.n_evaluations_ < raced.n_exhaustive_


def test_more_rows_are_not_needed_to_see_what_is_clear() -> None:
    """What full leave-one-out takes grows with the rows, what a race takes with the difficulty."""
    counts = []
    for n in (500, 4000):
        X, y = uniform(n, 6, "numbers")
        raced = AttributeSelector(search="brace").fit(X, y)
        assert raced.get_support(indices=True).tolist() == [1, 4]
        counts.append((raced.n_evaluations_, raced.n_exhaustive_))
    assert counts[1][1] == 8 * counts[0][1]
    assert counts[1][0] < 2 * counts[0][0]


def test_pairs_tell_sooner_where_some_rows_are_hard_for_all() -> None:
    X, y = uniform(1500, 6, "numbers")
    y = y + np.where(np.random.default_rng(1).random(1500) < 0.2, 3.0, 0.0)
    taken = {search: AttributeSelector(search=search).fit(X, y) for search in ("forward", "race", "brace")}
    assert taken["brace"].n_evaluations_ < taken["race"].n_evaluations_ < taken["forward"].n_evaluations_
    assert all(selector.get_support(indices=True).tolist() == [1, 4] for selector in taken.values())


def test_a_race_to_the_last_row_is_full_leave_one_out() -> None:
    """With fewer rows than min_points nobody leaves before the end."""
    X, y = uniform(60, 5, "classes")
    full = AttributeSelector(search="forward").fit(X, y)
    raced = AttributeSelector(search="brace", min_points=60).fit(X, y)
    assert moves(raced) == moves(full)
    assert raced.n_evaluations_ == full.n_evaluations_


# -- schemata


@pytest.mark.parametrize("kind", ["classes", "xor", "numbers"])
@pytest.mark.parametrize("seed", range(4))
def test_schemata_equal_brute_force(kind: str, seed: int) -> None:
    X, y = uniform(90, 5, kind, seed)
    estimator = (KNNRegressor if kind == "numbers" else KNNClassifier)(3)
    delta, gamma, first = [(0.05, 0.01, 30), (0.4, 0.1, 10), (0.2, 0.0, 4), (0.3, 0.02, 90)][seed]
    selector = AttributeSelector(
        estimator, search="schemata", delta=delta, gamma=gamma, min_points=first, random_state=seed
    ).fit(X, y)
    rows = LeaveOneOutLosses.of(estimator.fit(X, y), selector.history_.scoring, 1)
    rng = np.random.default_rng(seed)
    order = rng.permutation(90).tolist()

    def loss(i: int, subset: tuple[int, ...]) -> float:
        return float(rows.losses(np.array([i]), [subset])[0, 0])

    expected = reference.schemata(loss, order, 5, rng, delta=delta, gamma=gamma, min_points=first)
    assert [(step.attribute, step.kept, step.points) for step in selector.history_.steps] == expected
    assert selector.get_support(indices=True).tolist() == sorted(a for a, kept, _ in expected if kept)
    assert selector.n_evaluations_ == sum(points for *_, points in expected)


@pytest.mark.parametrize("kind", ["classes", "xor", "numbers"])
def test_schemata_find_attributes_together(kind: str) -> None:
    X, y = uniform(600, 8, kind)
    selector = AttributeSelector(search="schemata").fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 4]
    assert sorted(step.attribute for step in selector.history_.steps) == list(range(8))
    assert selector.n_evaluations_ < 0.2 * selector.n_exhaustive_
    assert selector.n_exhaustive_ == 600 * sum(2 * left for left in range(1, 9))


def test_forward_search_misses_what_matters_only_together_and_backward_search_finds_it() -> None:
    X, y = uniform(600, 8, "xor")
    assert not AttributeSelector(search="forward").fit(X, y).support_[[1, 4]].all()
    for search, direction in (("backward", None), ("brace", "backward")):
        assert AttributeSelector(search=search, direction=direction).fit(X, y).get_support(indices=True).tolist() == [
            1,
            4,
        ]


def test_schemata_keep_one_attribute_where_none_matters() -> None:
    rng = np.random.default_rng(0)
    selector = AttributeSelector(search="schemata").fit(rng.random((60, 4)), rng.integers(0, 2, 60))
    assert selector.support_.sum() == 1
    last = selector.history_.steps[-1]
    assert (last.kept, last.evaluations, last.compared) == (True, 0, 0)


@pytest.mark.parametrize("search", ["race", "brace", "schemata"])
def test_the_seed_decides_and_nothing_else(search: Any) -> None:
    X, y = uniform(300, 6, "numbers")
    first = AttributeSelector(search=search, n_jobs=1).fit(X, y)
    for other in (AttributeSelector(search=search, n_jobs=3), AttributeSelector(search=search, random_state=0)):
        other.fit(X, y)
        assert repr(other.history_) == repr(first.history_)
        assert other.history_.scores.tolist() == first.history_.scores.tolist()
    seen = {repr(AttributeSelector(search=search, random_state=seed).fit(X, y).history_) for seed in range(4)}
    assert len(seen) > 1


@pytest.mark.parametrize("search", ["forward", "backward", "race", "brace", "schemata"])
def test_columns_that_are_equal_tie_and_the_first_is_taken(search: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.random(200)
    X = np.column_stack((x, x, x))
    selector = AttributeSelector(KNNRegressor(3), search=search, gamma=0.001).fit(X, x + 0.01 * rng.normal(size=200))
    assert selector.support_.sum() == 1
    if search != "schemata":
        assert selector.get_support(indices=True).tolist() == ([2] if search == "backward" else [0])


@pytest.mark.parametrize("search", ["forward", "backward", "race", "brace", "schemata"])
def test_dull_and_few_columns(search: Any) -> None:
    """A constant column, one of gaps, a table of one column, two rows."""
    x = np.linspace(0, 1, 40)
    X = [[7.0, None, value] for value in x.tolist()]
    y = np.where(x > 0.5, "high", "low")
    selector = AttributeSelector(KNNClassifier(3, categorical_features=[1]), search=search).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [2]
    alone = AttributeSelector(search=search).fit(x[:, None], y)
    assert alone.support_.tolist() == [True]
    tiny = AttributeSelector(KNNClassifier(1), search=search).fit([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
    assert tiny.support_.any()
