"""Priors: the weights they stand for, how one is chosen, and what is refused."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from priorcase.bayes import (
    Auto,
    BDeu,
    Dirichlet,
    Laplace,
    MEstimate,
    PerAttribute,
    evidence,
    laplace,
    log_marginal,
    m_estimate,
    maximum_a_posteriori,
)
from priorcase.bayes.priors import Prior, check_prior_goes_with, choose_weight, resolve_class_prior, resolve_prior
from priorcase.exceptions import ParameterError
from priorcase.schema import Nominal, Numeric, Schema

COLOURS = ["red", "green", "blue"]
BAD_NUMBERS = [0, -1, 0.0, -0.5, math.nan, math.inf, -math.inf, 1e-320, 1e200, 10**400]
NO_NUMBERS = ["2", None, True, False, 1j, [], np.array(2.0), np.timedelta64(2, "s")]


def weights(prior, values=COLOURS, n_classes=2, label="colour", **options):
    return prior.weights(label, values, n_classes, **options)


# -- What they stand for -----------------------------------------------------------------------------------------------

SYMMETRIC = [
    (Dirichlet(0.5), 0.5, 0.5, 0.5),
    (Laplace(), 1.0, 1.0, 1.0),
    (BDeu(6), 6 / (2 * 3), 6 / (2 * 4), 6 / 2),
    (MEstimate(6), 6 / 3, 6 / 4, 6 / 2),
]


@pytest.mark.parametrize(("prior", "seen", "unseen", "of_class"), SYMMETRIC)
def test_symmetric_priors(prior, seen, unseen, of_class):
    assert isinstance(prior, Prior)
    assert prior.symmetric(np.array([3, 4]), 2) == pytest.approx([seen, unseen])
    assert weights(prior) == pytest.approx([seen] * 3)
    assert prior.unseen("colour", COLOURS, 2) == pytest.approx(unseen)
    assert prior.class_weight(2) == pytest.approx(of_class)


@pytest.mark.parametrize("prior", [prior for prior, *_ in SYMMETRIC])
def test_an_attribute_without_values_counts_as_having_one(prior):
    assert prior.symmetric(np.array([0]), 2) == prior.symmetric(np.array([1]), 2)
    assert weights(prior, []).shape == (0,)
    assert prior.unseen("colour", [], 2) == pytest.approx(prior.symmetric(np.array([1]), 2)[0])


def test_named_estimates_of_the_lecture():
    """Nobody of three cheaters is married, two are single, one divorced: 1/6."""
    cheaters = np.array([2.0, 1.0, 0.0])
    assert evidence(cheaters, weights(Laplace()))[2] == pytest.approx(1 / 6)
    assert evidence(cheaters, weights(MEstimate(3)))[2] == pytest.approx(1 / 6)
    assert evidence(cheaters, weights(MEstimate(1.5))).tolist() == m_estimate(cheaters, 1.5).tolist()


def test_the_remedies_for_map_give_the_named_estimates():
    counts = np.array([2.0, 1.0, 0.0])
    assert maximum_a_posteriori(counts, 2.0) == pytest.approx(laplace(counts))
    assert maximum_a_posteriori(counts, 1 + 1.5 / 3) == pytest.approx(m_estimate(counts, 1.5))


def test_bdeu_gives_equal_structures_equal_evidence():
    """Two attributes that depend on each other are as probable with either one as the cause."""
    table = np.random.default_rng(3).integers(0, 9, (3, 4))
    ess = 2.5

    def cause_and_effect(n):
        causes, effects = n.shape
        first = log_marginal(n.sum(axis=1), BDeu(ess).class_weight(causes))
        return first + log_marginal(n, BDeu(ess).symmetric(np.array([effects]), causes)[0]).sum()

    assert cause_and_effect(table) == pytest.approx(cause_and_effect(table.T), rel=1e-12)


# -- By attribute ------------------------------------------------------------------------------------------------------


def test_weights_by_value():
    prior = PerAttribute({"colour": {"red": 2, "green": np.float32(0.5), "blue": 1}}, others=3)
    assert prior.symmetric(np.array([3]), 2) is None
    assert weights(prior, ["blue", "red"], declared=False).tolist() == [1.0, 2.0]
    assert weights(prior, ["small"], label="size").tolist() == [3.0]
    assert prior.unseen("colour", ["blue", "red"], 2) == 1.5
    assert prior.unseen("colour", [], 2) == pytest.approx(3.5 / 3)
    assert prior.unseen("size", ["small"], 2) == 3.0
    assert prior.class_weight(5) == 3.0


def test_one_weight_for_all_values_of_an_attribute():
    prior = PerAttribute({"colour": 2})
    assert weights(prior, declared=False).tolist() == [2.0, 2.0, 2.0]
    assert prior.unseen("colour", COLOURS, 2) == 2.0
    assert prior.class_weight(2) == 1.0


def test_weights_in_declared_order():
    prior = PerAttribute({"colour": np.array([1, 2, 6])})
    assert weights(prior).tolist() == [1.0, 2.0, 6.0]
    assert prior.unseen("colour", COLOURS, 2) == 3.0
    by_class = PerAttribute({"colour": [[1, 2, 3], [4, 5, 9]]})
    assert weights(by_class).tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]]
    assert by_class.unseen("colour", COLOURS, 2) == 4.0


def test_values_are_the_same_as_in_columns():
    prior = PerAttribute({"x": {1: 2.0, "1": 3.0, None: 7.0}, "b": {True: 5.0, False: 6.0}})
    assert weights(prior, [1.0, np.int8(1), "1", math.nan, None], label="x").tolist() == [2.0, 2.0, 3.0, 7.0, 7.0]
    assert weights(prior, [False, np.True_], label="b").tolist() == [6.0, 5.0]
    with pytest.raises(ParameterError, match="no weight for the value 1, 0"):
        weights(prior, [1, 0], label="b")


def test_columns_by_position_become_labels():
    schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    assert PerAttribute({1: 2.0}, 3.0).by_label(schema) == PerAttribute({"colour": 2.0}, 3.0)
    assert PerAttribute({np.int64(1): 2.0}).by_label(Schema(None, schema.kinds)) == PerAttribute({1: 2})
    with pytest.raises(ParameterError, match=r"prior contains 'size', which is not a column; X has"):
        PerAttribute({"size": 2.0}).by_label(schema)
    with pytest.raises(ParameterError, match=r"prior contains 1 and 'colour', which are the same column"):
        PerAttribute({1: 2.0, "colour": 2.0}).by_label(schema)


def test_priors_print_compare_hash_and_copy():
    same = [
        (Dirichlet(np.float64(2)), Dirichlet(2), "Dirichlet(weight=2.0)"),
        (Laplace(), Laplace(), "Laplace()"),
        (BDeu(), BDeu(np.int8(1)), "BDeu(equivalent_sample_size=1.0)"),
        (MEstimate(3), MEstimate(3.0), "MEstimate(m=3.0)"),
        (Auto(), Auto(), "Auto()"),
        (
            PerAttribute({"a": np.array([1, 2]), "b": {"x": 1}}),
            PerAttribute({"a": (1.0, 2.0), "b": {"x": 1.0}}, 1),
            "PerAttribute(attributes={'a': (1.0, 2.0), 'b': {'x': 1.0}}, others=1.0)",
        ),
    ]
    for one, other, text in same:
        assert one == other
        assert hash(one) == hash(other)
        assert repr(one) == text
        assert copy.deepcopy(one) == one == pickle.loads(pickle.dumps(one))
    assert Laplace() != Dirichlet(1.0)


def test_later_changes_of_a_mapping_have_no_effect():
    given_weights = {"colour": {"red": 2.0}}
    prior = PerAttribute(given_weights)
    given_weights["colour"]["red"] = 5.0
    given_weights["size"] = {}
    assert prior == PerAttribute({"colour": {"red": 2.0}})


# -- Names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "prior"),
    [
        (1, Dirichlet(1.0)),
        (np.float32(0.5), Dirichlet(0.5)),
        ("jeffreys", Dirichlet(0.5)),
        ("laplace", Laplace()),
        ("bdeu", BDeu(1.0)),
        ("auto", Auto()),
        ({"colour": 2.0}, PerAttribute({"colour": 2.0})),
        (MEstimate(2), MEstimate(2)),
        (Auto(), Auto()),
    ],
)
def test_resolve_prior(spec, prior):
    assert resolve_prior(spec) == prior


def test_a_prior_of_ones_own():
    class Halves:
        def symmetric(self, n_values, n_classes):
            return np.full(len(n_values), 0.5)

        def weights(self, label, values, n_classes):
            return np.full(len(values), 0.5)

        def unseen(self, label, values, n_classes):
            return 0.5

        def class_weight(self, n_classes):
            return 0.5

    own = Halves()
    assert resolve_prior(own) is own


@pytest.mark.parametrize("predictive", ["evidence", "sc"])
@pytest.mark.parametrize("prior", ["laplace", Laplace(), MEstimate(2), Dirichlet(1.0), Auto()])
def test_every_prior_goes_with_the_others(prior, predictive):
    check_prior_goes_with(prior, predictive)


@pytest.mark.parametrize("prior", [1.0, "jeffreys", Dirichlet(1.0), BDeu(1.0), Auto(), PerAttribute({})])
def test_priors_that_go_with_map(prior):
    check_prior_goes_with(prior, "map")


# -- Classes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (None, [0.5, 0.5]),
        (3, [3.0, 3.0]),
        (Dirichlet(3), [3.0, 3.0]),
        (Dirichlet([1, 2]), [1.0, 2.0]),
        (Dirichlet(np.array([0.4, 0.6])), [0.4, 0.6]),
        (Dirichlet({"yes": 2, "no": 1, "perhaps": 9}), [1.0, 2.0]),
    ],
)
def test_pseudo_counts_of_classes(spec, expected):
    for labels in (["no", "yes"], np.array(["no", "yes"])):
        prior = resolve_class_prior(spec, Dirichlet(0.5), labels)
        assert not prior.fixed
        assert prior.weights.tolist() == expected


@pytest.mark.parametrize("spec", [[0.99, 0.01], np.array([0.99, 0.01]), {"yes": 0.01, "no": 0.99}])
def test_class_probabilities(spec):
    prior = resolve_class_prior(spec, Dirichlet(0.5), ["no", "yes"])
    assert prior.fixed
    assert prior.weights.tolist() == [0.99, 0.01]
    assert prior.log_evidence(np.array([3.0, 1.0])) == pytest.approx(3 * np.log(0.99) + np.log(0.01), rel=1e-15)


@pytest.mark.parametrize("spec", [[1, 2], np.array([0.5, 0.4]), {"yes": 2, "no": 1, "perhaps": 9}])
def test_class_prior_that_is_neither(spec):
    with pytest.raises(ParameterError, match=r"sum to 1, as in scikit-learn.* pass class_prior=Dirichlet\("):
        resolve_class_prior(spec, Dirichlet(0.5), ["no", "yes"])


def test_weights_by_class_are_no_prior_of_values():
    for make in (lambda: resolve_prior(Dirichlet([1, 2])), lambda: Dirichlet({"a": 1}).weights("a", ["x"], 2)):
        with pytest.raises(ParameterError, match="for class_prior only"):
            make()
    with pytest.raises(ParameterError, match="a number, an array or a mapping"):
        Dirichlet([[1, 2]])


def test_class_prior_by_other_labels():
    counts = resolve_class_prior(Dirichlet({1.0: 2, 0: 3}), Laplace(), np.array([0, 1]))
    assert counts.weights.tolist() == [3.0, 2.0]
    booleans = np.array([False, True])
    counts = resolve_class_prior(Dirichlet({True: 2, False: 3}), Laplace(), booleans)
    assert counts.weights.tolist() == [3.0, 2.0]
    with pytest.raises(ParameterError, match="no weight for the class False, True"):
        resolve_class_prior({1: 2, 0: 3}, Laplace(), booleans)


# -- The weight that fits best -----------------------------------------------------------------------------------------


@given(st.floats(-3, 3))
def test_choose_weight_finds_the_top(x):
    found = choose_weight(lambda weight: -((math.log10(weight) - x) ** 2))
    # The top of a parabola is flat: within rounding of the function, not of the weight.
    assert math.log10(found) == pytest.approx(x, abs=2e-6)


@pytest.mark.parametrize(
    ("function", "weight"),
    [(lambda w: w, 1e3), (lambda w: -w, 1e-3), (lambda w: 0.0, 1.0), (lambda w: -abs(w - 10), 10)],
)
def test_choose_weight_at_the_ends_and_on_plains(function, weight):
    assert choose_weight(function) == weight


def test_choose_weight_goes_as_far_as_it_is_told():
    assert choose_weight(lambda w: w, (-3, 6)) == 1e6
    assert choose_weight(lambda w: -w, (-1, 0)) == 0.1
    assert choose_weight(lambda w: -((math.log10(w) - 4.5) ** 2), (-3, 6)) == pytest.approx(10**4.5, rel=1e-5)


def test_choose_weight_is_never_worse_than_the_grid():
    rng = np.random.default_rng(5)
    for _ in range(20):
        tops, heights = rng.uniform(-3, 3, 4), rng.uniform(0, 1, 4)

        def bumpy(weight, tops=tops, heights=heights):
            return float(np.sum(heights * np.exp(-20 * (np.log10(weight) - tops) ** 2)))

        best = max(bumpy(10 ** (step / 4)) for step in range(-12, 13))
        assert bumpy(choose_weight(bumpy)) >= best


def test_choose_weight_asks_the_same_each_time_and_no_weight_twice():
    asked: list[list[float]] = [[], []]
    for calls in asked:
        choose_weight(lambda weight, calls=calls: calls.append(weight) or -abs(math.log(weight) - 1))
    assert asked[0] == asked[1]
    assert len(set(asked[0])) == len(asked[0]) < 60
    assert min(asked[0]) == 1e-3
    assert max(asked[0]) == 1e3


def test_the_weight_of_counts_matches_a_fine_scan():
    counts = np.random.default_rng(1).dirichlet(np.full(6, 0.7), 40) * 30 // 1

    def log_evidence(weight):
        return float(log_marginal(counts, weight).sum())

    found = Auto().chosen(log_evidence)
    assert isinstance(found, Dirichlet)
    fine = np.geomspace(found.weight / 1.1, found.weight * 1.1, 201)
    assert log_evidence(found.weight) >= max(map(log_evidence, fine)) - 1e-9
    assert 0.3 < found.weight < 1.2
