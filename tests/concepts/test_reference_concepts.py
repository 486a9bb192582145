"""The oracle of the concept learners, against steps worked by hand."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from typing import Any

import pytest
from reference.concepts import Description, PerClass, SplitMix64, wilson
from reference.distances import Cases, ib
from tables import labels, mixed_rows

HALF: dict[str, Any] = {"rule": "significance", "z_accept": 0.5, "z_drop": 0.5}
"""IB3 with z = 1/2, whose bounds are simple fractions: s = n has n / (n + 1/4), s = 0 has (1/4) / (n + 1/4)."""


def state(description: Description) -> list[tuple[Any, Any, float, float]]:
    """Row, label and record of what is stored."""
    return [(y.row[0] if len(y.row) == 1 else tuple(y.row), y.label, y.successes, y.trials) for y in description.stored]


# Random numbers and intervals -----------------------------------------------------------------------------------------


def test_random_numbers_are_the_published_ones() -> None:
    draws = SplitMix64(1234567)
    assert [draws.next() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    draws = SplitMix64(0)
    assert [draws.next() for _ in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


def test_below_is_a_share_of_the_range() -> None:
    draws, again = SplitMix64(1234567), SplitMix64(1234567)
    for n in (1, 2, 3, 10):
        assert draws.below(n) == math.floor(Fraction(again.next(), 2**64) * n)


@pytest.mark.parametrize("z", [0.5, 1.1503493803760079, 1.2815515655446004])
def test_wilson_bounds_are_where_the_test_just_rejects(z: float) -> None:
    """Both bounds b solve (s/n - b)^2 = z^2 b (1 - b) / n, the equation the interval comes from."""
    for n in range(1, 30):
        for s in range(n + 1):
            low, high = wilson(s, n, z)
            assert -1e-15 <= low <= s / n + 1e-15 <= high + 2e-15 <= 1 + 3e-15
            for bound in (Fraction(low), Fraction(high)):
                excess = (Fraction(s, n) - bound) ** 2 - Fraction(z) ** 2 * bound * (1 - bound) / n
                assert abs(excess) < Fraction(1, 10**14)


def test_wilson_by_hand() -> None:
    """z = 1/2, one success in two trials: (1/2 + 1/16 -+ 1/2 sqrt(1/8 + 1/64)) / (1 + 1/8) = (9/16 -+ 3/16) / (9/8)."""
    assert wilson(1, 2, 0.5) == pytest.approx((1 / 3, 2 / 3))
    assert wilson(1, 1, 0.5) == pytest.approx((4 / 5, 1))
    assert wilson(0, 1, 0.5) == pytest.approx((0, 1 / 5))
    assert wilson(0, 0, 0.5) == (0.0, 1.0)


# Similarity -----------------------------------------------------------------------------------------------------------


def test_costs_are_those_of_the_exact_distance() -> None:
    rows = mixed_rows(40, seed=3, gaps=0.3)
    kinds = ["numeric", "nominal", "nominal", "numeric"]
    description = Description(kinds).learn_all(rows[:30], labels(30))
    cases = Cases(tuple(kinds), tuple(rows[:30]), tuple(labels(30)))
    for query in rows[30:]:
        for row in rows[:30]:
            found = description.cost(query, row, description.widened(query))
            assert found == pytest.approx(float(ib(cases, row, query)), rel=1e-12)


def test_a_missing_number_is_as_far_as_it_can_be() -> None:
    d = Description(["numeric", "nominal", 3]).learn_all([[0.0, "p", 0], [10.0, "q", 2]], "ab")
    assert d.f(0, None, 8.0, d.ranges) == pytest.approx(0.64)
    assert d.f(0, 3.0, None, d.ranges) == pytest.approx(0.49)
    assert d.f(0, None, None, d.ranges) == d.f(1, "p", None, d.ranges) == d.f(2, None, 1, d.ranges) == 1
    assert d.f(2, 0, 1, d.ranges) == 0.25
    assert d.f(2, 0, -1, d.ranges) == 1


def test_a_column_without_spread_says_nothing_but_of_gaps() -> None:
    d = Description(["numeric"]).learn_all([[7.0], [7.0]], "ab")
    assert d.f(0, 7.0, 7.0, d.ranges) == 0
    assert d.f(0, 7.0, None, d.ranges) == 1


def test_gaps_ignored_or_scaled_up() -> None:
    ignoring = Description(["nominal"] * 3, gaps="ignore")
    scaling = Description(["nominal"] * 3, gaps="scale")
    x, y = ["p", None, "p"], ["q", "q", "p"]
    assert ignoring.cost(x, y, ignoring.ranges) == 1
    assert scaling.cost(x, y, scaling.ranges) == 1.5
    assert scaling.cost([None] * 3, y, scaling.ranges) == math.inf


# IB1 and IB2 ----------------------------------------------------------------------------------------------------------

NUMBERS = [[0.0], [10.0], [2.0], [6.0], [4.0]]


def test_ib2_by_hand() -> None:
    """10 is taken for a; 2 and 6 are right; 4 is nearer to 0 than to 10, and is taken for a."""
    d = Description(["numeric"], rule="misclassified")
    assert [d.learn(x, c) for x, c in zip(NUMBERS, "ababb", strict=True)] == [None, False, True, True, False]
    assert state(d) == [(0.0, "a", 1, 3), (10.0, "b", 1, 1), (4.0, "b", 0, 0)]
    assert [y.reason for y in d.stored] == ["first", "misclassified", "misclassified"]
    assert [y.arrived for y in d.stored] == [1, 2, 5]
    assert [step["stored"] for step in d.trace] == [1, 2, 2, 2, 3]
    assert (d.predict([1.0]), d.predict([3.0])) == ("a", "b")


def test_ib1_by_hand() -> None:
    """As IB2, but 2 and 6 stay: 6 is as near to 10 as to 2, and 4 to 2 as to 6. The earlier of two predicts."""
    d = Description(["numeric"])
    assert [d.learn(x, c) for x, c in zip(NUMBERS, "ababb", strict=True)] == [None, False, True, True, False]
    assert state(d) == [(0.0, "a", 1, 2), (10.0, "b", 1, 1), (2.0, "a", 0, 2), (6.0, "b", 1, 1), (4.0, "b", 0, 0)]


def test_ranges_grow_as_instances_arrive() -> None:
    """At first 1 spans the second column; when 100 has come, it is next to nothing."""
    d = Description(["numeric", "numeric"], rule="misclassified")
    d.learn([0.0, 0.0], "a")
    d.learn([1.0, 1.0], "b")
    assert d.predict([0.4, 0.9]) == "b"
    assert d.learn([0.0, 100.0], "a") is True
    assert d.predict([0.4, 0.9]) == "a"


@pytest.mark.parametrize(("ties", "expected"), [("first", "c"), ("majority", "a"), ("random", "a")])
def test_ties(ties: str, expected: str) -> None:
    """A c and two a at the same place; the first draw of seed 1234567, 0.35 of the way to 3, takes the second."""
    d = Description(["nominal"], ties=ties, seed=1234567)
    d.stored = Description(["nominal"]).learn_all([["p"]] * 3, "caa").stored
    assert math.floor(Fraction(6457827717110365317, 2**64) * 3) == 1
    found = d.answer(["p"])
    assert (found.label, len(found.tied)) == (expected, 3)
    assert d.predict(["q"]) == expected


def test_of_equally_frequent_labels_the_earliest_wins() -> None:
    d = Description(["nominal"]).learn_all([["p"]] * 4, "baab")
    assert d.predict(["p"]) == "b"


def test_all_that_are_as_near_get_a_trial() -> None:
    d = Description(["nominal"]).learn_all([["p"], ["p"], ["q"]], "abb")
    d.learn(["p"], "a")
    assert state(d)[:3] == [("p", "a", 1, 3), ("p", "b", 1, 2), ("q", "b", 0, 0)]


# IB3 ------------------------------------------------------------------------------------------------------------------

BY_HAND = [([0.0], "a"), ([10.0], "b"), ([9.0], "b"), ([1.0], "a"), ([2.0], "a"), ([3.0], "a")]


def learned(steps: int, seed: int) -> Description:
    d = Description(["numeric"], **HALF, seed=seed)
    for x, c in BY_HAND[:steps]:
        d.learn(x, c)
    return d


def test_ib3_by_hand_drops_what_is_poor() -> None:
    """0 fails its first trial: at most 1/5 by its record, while a has at least 1/3 by 1 of 2 instances."""
    d = learned(2, seed=0)
    assert state(d) == [(10.0, "b", 0, 0)]
    assert d.trace[-1] == {"correct": 0, "stored": 1, "acceptable": 0, "accepted": 0, "dropped": 1}


def test_ib3_by_hand_accepts_what_is_good() -> None:
    """10 has at least 4/5 by 1 of 1; b has at most 0.785 by 2 of 3."""
    d = learned(3, seed=0)
    assert state(d) == [(10.0, "b", 1, 1)]
    assert d.verdict(d.stored[0]) == "acceptable"
    assert d.trace[-1] == {"correct": 1, "stored": 1, "acceptable": 1, "accepted": 1, "dropped": 0}


def test_ib3_by_hand_loses_trust() -> None:
    """10 alone is acceptable, takes 1 for b, and with 1 of 2 is mediocre; 1 is stored."""
    d = learned(4, seed=0)
    assert state(d) == [(10.0, "b", 1, 2), (1.0, "a", 0, 0)]
    assert [d.verdict(y) for y in d.stored] == ["mediocre", "mediocre"]


def test_ib3_by_hand_with_a_random_nearest() -> None:
    """None is acceptable when 2 comes. The third draw of seed 0 takes the nearest, 1; that of 1234567 the second, 10.

    In the second case both are on trial, and 2, being taken for b, is stored. Then 1, with 1 of 1, is acceptable (a has
    at most 0.726 by 3 of 5), predicts for 3, and all that are as near are on trial: 2, but not 10.
    """
    assert state(learned(5, seed=0)) == [(10.0, "b", 1, 2), (1.0, "a", 1, 1)]
    assert state(learned(5, seed=1234567)) == [(10.0, "b", 1, 3), (1.0, "a", 1, 1), (2.0, "a", 0, 0)]
    assert state(learned(6, seed=0)) == [(10.0, "b", 1, 2), (1.0, "a", 2, 2)]
    assert state(learned(6, seed=1234567)) == [(10.0, "b", 1, 3), (1.0, "a", 2, 2), (2.0, "a", 1, 1)]


def test_predictions_come_from_acceptable_ones_alone() -> None:
    d = learned(5, seed=0)
    assert [d.verdict(y) for y in d.stored] == ["mediocre", "acceptable"]
    assert d.predict([10.0]) == "a"


def test_where_none_is_acceptable_all_predict() -> None:
    assert learned(4, seed=0).predict([8.0]) == "b"


def test_predicting_changes_nothing() -> None:
    d = learned(4, seed=0)
    before = copy.deepcopy(d.__dict__)
    d.predict([77.0])
    after = d.__dict__
    assert before.pop("rng").state == after["rng"].state
    assert {key: after[key] for key in before} == before


# Drift ----------------------------------------------------------------------------------------------------------------


def test_a_window_holds_the_last_instances() -> None:
    d = Description(["nominal"], window=2).learn_all([["p"], ["q"], ["r"]], "abc")
    assert [y.row for y in d.stored] == [["q"], ["r"]]
    assert (d.counts, d.seen, d.dropped) == ({"b": 1.0, "c": 1.0}, 2.0, 1)


def test_a_window_may_run_empty() -> None:
    """p is right twice and is not stored again; then it leaves."""
    d = Description(["nominal"], rule="misclassified", window=2).learn_all([["p"]] * 3, "aaa")
    assert [step["stored"] for step in d.trace] == [1, 1, 0]
    assert d.predict(["p"]) == "a"
    assert d.learn(["q"], "b") is None
    assert d.stored[0].reason == "first"


def test_decay_lets_old_trials_fade() -> None:
    d = Description(["nominal"], rule="misclassified", decay=0.5).learn_all([["p"]] * 3, "aab")
    assert state(d) == [("p", "a", 0.5, 1.5), ("p", "b", 0.0, 0.0)]
    assert (d.counts, d.seen) == ({"a": 2.0, "b": 1.0}, 3.0)


# IB4 and IB5 ----------------------------------------------------------------------------------------------------------


def test_weights_by_hand() -> None:
    """Two instances, two classes: Lambda = 1/2. The first column tells them apart, the second agrees, to its shame."""
    d = Description(["nominal"] * 2, **HALF, weighted=True).learn_all([["p", "p"], ["q", "p"]], [1, 0])
    assert (d.cum, d.norm) == ([0.5, 0.0], [0.5, 0.5])
    assert (d.weights(), d.search_weights()) == ([0.5, 0.0], [0.25, 0.0])
    assert d.cost(["p", "x"], ["q", "y"], d.ranges) == 0.25
    plain = Description(["nominal"] * 2, **HALF, weighted=True, weight_power=1)
    assert plain.learn_all([["p", "p"], ["q", "p"]], [1, 0]).search_weights() == [0.5, 0.0]


def test_weights_before_the_first_comparison() -> None:
    d = Description(["nominal"] * 2, **HALF, weighted=True).learn_all([["p", "p"]], [1])
    assert (d.weights(), d.search_weights()) == ([0.5, 0.5], [0.25, 0.25])


def test_where_no_attribute_matters_all_count() -> None:
    d = Description(["nominal"] * 2, **HALF, weighted=True).learn_all([["p", "p"], ["p", "p"]], [1, 0])
    assert (d.weights(), d.search_weights()) == ([0.0, 0.0], [1.0, 1.0])


def test_ib5_waits_for_values_known_on_both_sides() -> None:
    d = Description(["nominal"] * 2, **HALF, weighted=True, known_only=True, gaps="ignore")
    d.learn_all([["p", None], ["q", "p"]], [1, 0])
    assert (d.norm, d.weights()) == ([0.5, 0.0], [0.5, 0.5])


# A description for each class -----------------------------------------------------------------------------------------


def test_a_class_seen_late_was_known_from_the_start() -> None:
    rows = mixed_rows(50, seed=5)
    kinds = ["numeric", "nominal", "nominal", "numeric"]
    names = ["a"] * 20 + labels(30)
    late, early = PerClass(kinds, **HALF, seed=4), PerClass(kinds, "abc", **HALF, seed=4)
    for row, name in zip(rows, names, strict=True):
        late.learn(row, name)
        early.learn(row, name)
    for c in "abc":
        assert state(late.of[c]) == state(early.of[c])
        assert late.of[c].rng.state == early.of[c].rng.state
    queries = mixed_rows(30, seed=6)
    assert [late.predict(q) for q in queries] == [early.predict(q) for q in queries]


def test_claims_of_several_and_of_none() -> None:
    both = PerClass(["nominal"])
    both.learn(["p"], "a", "b")
    both.learn(["q"])
    assert (both.claims(["p"]), both.claims(["q"])) == ([True, True], [False, False])
    # Claimed by both at the same distance: the first. Claimed by none: the class whose member is nearest.
    assert (both.predict(["p"]), both.predict(["q"])) == ("a", "a")


def test_the_nearest_claim_wins() -> None:
    d = PerClass(["numeric"], rule="misclassified")
    for x, c in [(0.0, "a"), (10.0, "b"), (4.0, "a")]:
        d.learn([x], c)
    # a stores 0 and 10 (and was right about 4); b stores the same two, as 0 and 1.
    assert [state(d.of[c]) for c in "ab"] == [[(0.0, 1, 1, 2), (10.0, 0, 0, 0)], [(0.0, 0, 1, 2), (10.0, 1, 0, 0)]]
    assert (d.claims([3.0]), d.predict([3.0])) == ([True, False], "a")
    assert (d.claims([8.0]), d.predict([8.0])) == ([False, True], "b")


def test_without_any_member_the_most_frequent_class() -> None:
    d = PerClass(["nominal"], "ab", rule="misclassified", window=2)
    for c in "abbb":
        d.learn(["p"], c)
    for label, members in (("a", 1.0), ("b", 2.0)):
        d.of[label].stored = []
        d.of[label].counts = {0: 3.0, 1: members}
    assert d.predict(["p"]) == "b"
