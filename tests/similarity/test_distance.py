"""Distances: against exact references, the papers' examples, scikit-learn, and laws."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest
from building import LEVELS, MIXED, add, encode, mixed_cases, mixed_rows, queries, ranked, store, symbols
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import distances as reference
from sklearn.metrics.pairwise import (
    cosine_distances,
    euclidean_distances,
    manhattan_distances,
    nan_euclidean_distances,
)

from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.similarity import (
    Absolute,
    Distance,
    ValueDifference,
    ValueTable,
    cosine,
    dvdm,
    euclidean,
    gower,
    heom,
    hvdm,
    ib,
    ivdm,
    manhattan,
    minkowski,
    mvdm,
    overlap,
    resolve,
    vdm,
    wvdm,
)
from priorcase.similarity.presets import PRESETS

NAMES = sorted(PRESETS)
MIXED_NAMES = sorted(set(PRESETS) - {"cosine"})

KINDS = ("numeric", "nominal", len(LEVELS), "numeric")

ORACLES = {
    "heom": (heom(), reference.heom),
    "gower": (gower(), reference.gower),
    "overlap": (overlap(), reference.overlap),
    "euclidean": (euclidean(), reference.minkowski(2)),
    "manhattan": (manhattan(), reference.minkowski(1)),
    "minkowski 3": (minkowski(3), reference.minkowski(3)),
    "ib": (ib(), reference.ib),
    "hvdm N1": (hvdm("N1"), reference.hvdm("N1")),
    "hvdm N2": (hvdm("N2"), reference.hvdm("N2")),
    "hvdm N3": (hvdm("N3"), reference.hvdm("N3")),
    "dvdm": (dvdm(), reference.profiled(reference.dvdm_profile)),
    "ivdm": (ivdm(), reference.profiled(reference.ivdm_profile)),
    "wvdm": (wvdm(), reference.profiled(reference.wvdm_profile)),
}


@pytest.mark.parametrize("name", ORACLES)
@given(cases=mixed_cases(), query=queries)
@settings(max_examples=20)
def test_costs_equal_the_exact_reference(name, cases, query):
    rows, classes, weights = cases
    distance, expected = ORACLES[name]
    stored = reference.Cases.repeated(KINDS, [ranked(row) for row in rows], classes, weights)
    instances = store(MIXED, rows, classes, weights)
    fitted = distance.fit(instances)
    costs = fitted.costs(encode(instances, [query])[0], instances.cells())
    assert costs == pytest.approx([float(expected(stored, ranked(row), ranked(query))) for row in rows], rel=1e-12)


SYMBOLIC = {
    "mvdm": (mvdm(), reference.mvdm(1, 2)),
    "mvdm k=2 r=1": (mvdm(k=2, r=1), reference.mvdm(2, 1)),
    "mvdm k=3 r=3": (mvdm(k=3, r=3), reference.mvdm(3, 3)),
    "vdm": (vdm(), reference.vdm),
}


@pytest.mark.parametrize("name", SYMBOLIC)
@given(
    rows=st.lists(st.tuples(symbols, symbols, st.sampled_from("xyz"), st.integers(1, 3)), min_size=1, max_size=9),
    query=st.tuples(symbols, st.none() | st.sampled_from(("a", "b", "never seen"))),
)
@settings(max_examples=40)
def test_symbolic_costs_equal_the_exact_reference(name, rows, query):
    distance, expected = SYMBOLIC[name]
    values, classes, weights = [row[:2] for row in rows], [row[2] for row in rows], [row[3] for row in rows]
    stored = reference.Cases.repeated(("nominal", "nominal"), values, classes, weights)
    instances = store((Nominal(), Nominal()), values, classes, weights)
    costs = distance.fit(instances).costs(encode(instances, [query])[0], instances.cells())
    assert costs == pytest.approx([float(expected(stored, row, query)) for row in values], rel=1e-12)


# -- worked examples ---------------------------------------------------------------------------------------------------

MARITAL = ["Single", "Married", "Single", "Married", "Divorced", "Married", "Divorced", "Single", "Married", "Single"]
REFUND = ["Yes", "No", "No", "Yes", "No", "No", "Yes", "No", "No", "No"]
CHEAT = ["No", "No", "No", "No", "Yes", "No", "No", "Yes", "No", "Yes"]


@pytest.mark.parametrize(
    ("column", "one", "other", "expected"),
    [
        (MARITAL, "Single", "Married", 1),
        (MARITAL, "Single", "Divorced", 0),
        (MARITAL, "Married", "Divorced", 1),
        (REFUND, "Yes", "No", 6 / 7),
    ],
)
def test_tax_cheat_table_of_the_lecture(column, one, other, expected):
    """The lecture's MVDM examples: |2/4 - 0/4| + |2/4 - 4/4| = 1, 0, 1 and |0/3 - 3/7| + |3/3 - 4/7| = 6/7."""
    instances = store([Nominal()], [[value] for value in column], CHEAT)
    fitted = mvdm(r=1).fit(instances)
    query, row = encode(instances, [[one], [other]])
    assert fitted.costs(query, row[None, :]) == pytest.approx([expected])


def test_mvdm_takes_no_root_and_raises_to_r():
    instances = store([Nominal()], [[value] for value in REFUND], CHEAT)
    fitted = mvdm(k=1, r=2).fit(instances)
    query, row = encode(instances, [["Yes"], ["No"]])
    cost = fitted.costs(query, row[None, :])
    assert cost == pytest.approx([(6 / 7) ** 2])
    assert fitted.finish(cost) == cost


def test_vdm_weighs_by_the_value_of_the_query():
    instances = store([Nominal()], [["a"], ["a"], ["b"]], ["x", "y", "x"])
    fitted = vdm().fit(instances)
    a, b = encode(instances, [["a"], ["b"]])
    assert fitted.costs(a, b[None, :]) == pytest.approx([math.sqrt(0.5) * 0.5])  # w = sqrt(1/4 + 1/4)
    assert fitted.costs(b, a[None, :]) == pytest.approx([0.5])  # w = 1


def test_gower_skips_what_is_missing():
    instances = store((Numeric(), Nominal()), [[0, "a"], [10, "b"], [None, "a"], [None, None]])
    costs = gower().fit(instances).costs(encode(instances, [[5, "a"]])[0], instances.cells())
    assert costs.tolist() == [0.25, 0.75, 0.0, 1.0]


def test_aha_takes_a_missing_number_to_the_far_end():
    instances = store([Numeric()], [[0], [10], [None]])
    fitted = ib().fit(instances)
    assert fitted.costs(np.array([3.0]), instances.cells()).tolist() == pytest.approx([0.09, 0.49, 0.49])
    assert fitted.costs(np.array([np.nan]), instances.cells()).tolist() == [1.0, 1.0, 1.0]
    assert fitted.costs(np.array([20.0]), instances.cells()).tolist() == [1.0, 0.25, 1.0]


def test_nothing_shared_is_infinitely_far_unless_said():
    instances = store((Numeric(), Numeric()), [[1, None]])
    query = np.array([np.nan, 2.0])
    assert euclidean().fit(instances).costs(query, instances.cells()).tolist() == [math.inf]
    assert gower().fit(instances).costs(query, instances.cells()).tolist() == [1.0]
    near = Distance(missing="skip", nothing_shared=0.5)
    assert near.fit(instances).costs(query, instances.cells()).tolist() == [0.5]


# -- scikit-learn ------------------------------------------------------------------------------------------------------

finite = st.integers(-50, 50).map(lambda n: n / 4)
matrices = st.integers(1, 4).flatmap(
    lambda a: st.lists(st.lists(finite, min_size=a, max_size=a), min_size=2, max_size=8).map(np.array)
)


@pytest.mark.parametrize(
    ("distance", "peer"),
    [
        (euclidean(), euclidean_distances),
        (manhattan(), manhattan_distances),
        (minkowski(3), lambda q, X: np.power(np.power(np.abs(q[:, None] - X), 3).sum(-1), 1 / 3)),
        (minkowski(1.5), lambda q, X: np.power(np.power(np.abs(q[:, None] - X), 1.5).sum(-1), 1 / 1.5)),
    ],
)
@given(X=matrices)
@settings(max_examples=20)
def test_agrees_with_scikit_learn(distance, peer, X):
    instances = store([Numeric()] * X.shape[1], X.tolist())
    fitted = distance.fit(instances)
    found = np.array([fitted.finish(fitted.costs(query, instances.cells())) for query in X])
    assert found == pytest.approx(peer(X, X), abs=1e-6)


@given(X=matrices, holes=st.randoms(use_true_random=False))
def test_agrees_with_nan_euclidean(X, holes):
    X = np.where([[holes.random() < 0.3 for _ in row] for row in X], np.nan, X)
    instances = store([Numeric()] * X.shape[1], X.tolist())
    fitted = euclidean().fit(instances)
    found = np.array([fitted.finish(fitted.costs(query, instances.cells())) for query in X])
    expected = nan_euclidean_distances(X)
    both = ~np.isnan(X)[:, None] & ~np.isnan(X)[None, :]
    assert found == pytest.approx(np.where(both.any(axis=2), expected, np.inf), abs=1e-6)


@given(X=matrices)
def test_agrees_with_cosine(X):
    X = X[np.abs(X).max(axis=1) > 0]
    if not len(X):
        return
    instances = store([Numeric()] * X.shape[1], X.tolist())
    fitted = cosine().fit(instances)
    rows = fitted.prepare(instances.cells())
    assert (rows * rows).sum(axis=1) == pytest.approx(np.ones(len(X)))
    found = np.array([fitted.finish(fitted.costs(query, rows)) for query in fitted.prepare(X)])
    assert found == pytest.approx(cosine_distances(X), abs=1e-12)
    assert found[0] == pytest.approx([reference.cosine(x, X[0]) for x in X], abs=1e-12)


def test_a_row_of_zeros_has_no_direction():
    instances = store([Numeric(), Numeric()], [[3, 4], [0, 0], [None, 2]])
    fitted = cosine().fit(instances)
    rows = fitted.prepare(instances.cells())
    assert rows[:2].tolist() == [[0.6, 0.8], [0.0, 0.0]]
    assert rows[2, 1] == 1.0
    assert fitted.costs(rows[1], rows[:2]) == pytest.approx([0.5, 0.0])


def test_length_of_large_and_small_numbers():
    instances = store([Numeric(), Numeric()], [[3e300, 4e300], [3e-300, 4e-300]])
    assert cosine().fit(instances).prepare(instances.cells()) == pytest.approx(np.array([[0.6, 0.8], [0.6, 0.8]]))


# -- laws --------------------------------------------------------------------------------------------------------------

SYMMETRIC = sorted(set(MIXED_NAMES) - {"vdm"})


@pytest.mark.parametrize("name", MIXED_NAMES)
@given(cases=mixed_cases(), query=queries)
@settings(max_examples=20)
def test_laws_of_costs(name, cases, query):
    """Never negative; contributions add up; 0 from a row without gaps to itself; symmetric where promised."""
    rows, classes, weights = cases
    instances = store(MIXED, rows, classes, weights)
    fitted = resolve(name).fit(instances)
    attribute_weights = np.array([1.0, 0.5, 0.0, 2.0])
    cells, query = instances.cells(), encode(instances, [query])[0]
    costs = fitted.costs(query, cells, attribute_weights)
    assert np.all(costs >= 0)
    contributions = fitted.distance_contributions(query, cells, attribute_weights)
    assert np.all(contributions >= 0)
    assert contributions.sum(axis=1) == pytest.approx(fitted.finish(costs), rel=1e-12)
    matrix = np.array([fitted.costs(row, cells) for row in cells])
    assert all(matrix[i, i] == 0.0 for i, row in enumerate(rows) if None not in row)
    if name in SYMMETRIC:
        assert np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize("name", MIXED_NAMES)
@given(cases=mixed_cases(), query=queries, order=st.randoms(use_true_random=False))
@settings(max_examples=12)
def test_order_of_rows_and_names_of_values_change_nothing(name, cases, query, order):
    rows, classes, weights = cases
    instances = store(MIXED, rows, classes, weights)
    costs = resolve(name).fit(instances).costs(encode(instances, [query])[0], instances.cells())
    shuffled = list(range(len(rows)))
    order.shuffle(shuffled)
    rename = {"a": "q", "b": 3, "c": "a", "never seen": "b", None: None}
    renamed = [[row[0], rename[row[1]], *row[2:]] for row in (rows[i] for i in shuffled)]
    other = store(MIXED, renamed, [f"class {classes[i]}" for i in shuffled], [weights[i] for i in shuffled])
    query = [query[0], rename[query[1]], *query[2:]]
    again = resolve(name).fit(other).costs(encode(other, [query])[0], other.cells())
    # Only the order in which class differences are added may show, in the last bit.
    assert again == pytest.approx(costs[shuffled], rel=1e-14)


@pytest.mark.parametrize("name", [*MIXED_NAMES, "robust"])
@given(cases=mixed_cases(), query=queries)
@settings(max_examples=12)
def test_weight_equals_repetition(name, cases, query):
    rows, classes, weights = cases
    distance = euclidean("robust") if name == "robust" else resolve(name)
    weighted = store(MIXED, rows, classes, weights)
    again = [i for i, w in enumerate(weights) for _ in range(w)]
    repeated = store(MIXED, [rows[i] for i in again], [classes[i] for i in again])
    costs = distance.fit(weighted).costs(encode(weighted, [query])[0], weighted.cells())
    expected = distance.fit(repeated).costs(encode(repeated, [query])[0], repeated.cells())
    assert costs[again] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", MIXED_NAMES)
@given(cases=mixed_cases(), data=st.data())
@settings(max_examples=12)
def test_a_row_without_weight_is_not_there(name, cases, data):
    rows, classes, weights = cases
    more = data.draw(st.lists(st.tuples(mixed_rows, st.sampled_from("xyz")), max_size=3))
    with_zero = store(MIXED, rows + [row for row, _ in more], classes + [c for _, c in more], weights + [0] * len(more))
    without = store(MIXED, rows, classes, weights)
    query = encode(without, [rows[0]])[0]
    costs = resolve(name).fit(with_zero).costs(query, with_zero.cells())[: len(rows)]
    # HVDM's and IVDM's count of classes is that of the rows; the three classes may not all be there without the rest.
    if set(classes) == {"x", "y", "z"} or not more:
        assert costs == pytest.approx(resolve(name).fit(without).costs(query, without.cells()), rel=1e-14)


@pytest.mark.parametrize("name", [*MIXED_NAMES, "robust"])
@given(first=mixed_cases(weighted=False), second=mixed_cases(), data=st.data())
@settings(max_examples=12)
def test_refreshed_equals_a_fresh_fit_bit_for_bit(name, first, second, data):
    distance = manhattan("robust") if name == "robust" else resolve(name)
    instances = store(MIXED, *first[:2])
    fitted = distance.fit(instances)
    assert fitted.refreshed(instances) is fitted
    history = data.draw(st.lists(st.sampled_from(["append", "weigh", "remove"]), min_size=1, max_size=4))
    for change in history:
        if change == "remove":
            ids = data.draw(st.lists(st.sampled_from(instances.ids.tolist()), unique=True)) if len(instances) else []
            instances.remove(np.array(ids, dtype=np.int64))
        else:
            rows, classes, weights = second
            add(instances, rows, classes, weights if change == "weigh" else None)
        fitted = fitted.refreshed(instances)
        assert fitted == distance.fit(instances)
    survivors = instances.decode(range(len(instances)))
    names = [instances.target_values()[code] for code in instances.target().tolist()]
    if not survivors:
        return
    anew = store(MIXED, survivors, names, instances.weights)
    query = encode(anew, [second[0][-1]])[0], encode(instances, [second[0][-1]])[0]
    expected = distance.fit(anew).costs(query[0], anew.cells())
    assert np.array_equal(fitted.costs(query[1], instances.cells()), expected)


@pytest.mark.parametrize("name", NAMES)
def test_zero_rows_do_no_harm(name):
    kinds = [Numeric()] if name == "cosine" else MIXED
    instances = store(kinds, [], [])
    fitted = resolve(name).fit(instances)
    query = encode(instances, [[1.0] if name == "cosine" else [1.0, "a", "low", None]])[0]
    assert fitted.costs(query, instances.cells()).tolist() == []
    assert fitted.finish(np.empty(0)).tolist() == []


@pytest.mark.parametrize("name", MIXED_NAMES)
def test_columns_of_one_value_or_none_at_all(name):
    instances = store((Numeric(), Numeric(), Nominal()), [[2, None, None], [2, None, None]], ["x", "y"])
    fitted = resolve(name).fit(instances)
    costs = fitted.costs(encode(instances, [[7, 1, "a"]])[0], instances.cells())
    assert not np.any(np.isnan(costs))
    assert costs[0] == costs[1]


def test_refresh_needs_the_same_table_to_extend():
    one, other = store([Numeric()], [[1], [2]]), store([Numeric()], [[5], [9], [7]])
    fitted = heom().fit(one)
    assert fitted.refreshed(other) == heom().fit(other)
    assert pickle.loads(pickle.dumps(fitted)).refreshed(one) == fitted
    assert copy.deepcopy(fitted) == fitted


def test_order_of_classes_does_not_remember_forgotten_rows():
    values = [["a"], ["b"], ["a"], ["b"], ["a"], ["c"]]
    labels = ["gone", "y", "x", "x", "y", "gone"]
    instances = store([Nominal()], values, labels)
    instances.remove([0])
    fresh = store([Nominal()], values[1:], labels[1:])
    query = encode(fresh, [["a"]])[0], encode(instances, [["a"]])[0]
    one, other = dvdm().fit(fresh), dvdm().fit(instances)
    assert np.array_equal(one.costs(query[0], fresh.cells()), other.costs(query[1], instances.cells()))


# -- options -----------------------------------------------------------------------------------------------------------


def test_attributes_replace_the_difference_of_single_columns():
    instances = store((Numeric(), Nominal()), [[0, "a"], [10, "b"]], names=("size", "colour"))
    named = Distance(attributes={"size": Absolute("none"), 1: ValueTable(("a", "b"), [[0, 0.5], [0.25, 0]])}, power=1)
    costs = named.fit(instances).costs(encode(instances, [[4, "a"]])[0], instances.cells())
    assert costs.tolist() == [4.0, 6.5]
    assert named == copy.deepcopy(named) == pickle.loads(pickle.dumps(named))
    assert hash(named) == hash(copy.deepcopy(named))


def test_weights_of_attributes_multiply_contributions():
    instances = store((Numeric(), Nominal()), [[0, "a"], [10, "b"]])
    fitted = heom().fit(instances)
    contributions = fitted.contributions(np.array([0.0, 1.0]), instances.cells(), np.array([3.0, 0.5]))
    assert contributions.tolist() == [[0.0, 0.5], [3.0, 0.0]]


def test_ignored_gaps_cost_nothing():
    instances = store((Numeric(), Nominal()), [[0, None], [10, "a"]])
    fitted = Distance(missing="ignore").fit(instances)
    assert fitted.costs(np.array([np.nan, 0.0]), instances.cells()).tolist() == [0.0, 0.0]


def test_a_missing_symbol_without_rows_is_as_far_as_can_be():
    instances = store([Nominal()], [["a"], ["b"]], ["x", "y"])
    costs = mvdm(r=1).fit(instances).costs(np.array([np.nan]), instances.cells())
    assert costs.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(("unseen", "expected"), [("maximal", [2.0, 2.0]), ("prior", [0.5, 1.5]), ("zero", [1.0, 1.0])])
def test_what_an_unseen_value_costs(unseen, expected):
    instances = store([Nominal()], [["a"], ["a"], ["a"], ["b"]], ["x", "x", "x", "y"])
    fitted = mvdm(r=1, unseen=unseen).fit(instances)
    assert fitted.costs(np.array([-1.0]), instances.cells()[2:]).tolist() == expected


def test_a_declared_value_without_rows_has_the_prior_profile():
    instances = store([Nominal(("a", "b", "spare"))], [["a"], ["b"]], ["x", "y"])
    fitted = mvdm(r=1).fit(instances)
    assert fitted.costs(encode(instances, [["spare"]])[0], instances.cells()).tolist() == [1.0, 1.0]


def test_overflow_is_infinite_and_weighs_nothing_where_the_weight_is_0():
    instances = store((Numeric(), Numeric()), [[1e300, 1]])
    fitted = euclidean().fit(instances)
    query = np.array([-1e300, 1.0])
    assert fitted.costs(query, instances.cells()).tolist() == [math.inf]
    assert fitted.costs(query, instances.cells(), np.array([0.0, 1.0])).tolist() == [0.0]
    assert fitted.distance_contributions(query, instances.cells()).tolist() == [[math.inf, 0.0]]


def test_distances_without_gaps_are_plain_sums():
    """Scaling by known and total weight must not change the last bit where nothing is left out."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 7))
    instances = store([Numeric()] * 7, X.tolist())
    total = np.zeros(50)
    for a in range(7):
        total += np.abs(X[:, a] - X[0, a]) * np.abs(X[:, a] - X[0, a])
    assert np.array_equal(euclidean().fit(instances).costs(X[0], instances.cells()), total)


# -- printing and errors -----------------------------------------------------------------------------------------------


def test_distances_print_what_sets_them_apart():
    assert repr(heom()) == "Distance('heom')"
    assert repr(Distance(power=3)) == "Distance(power=3)"
    assert repr(heom().fit(store([Numeric()], [[1]]))) == "<Distance('heom') fitted to 1 rows>"
    assert repr(dataclasses.replace(heom(), power=3)) == "Distance(power=3)"
    assert repr(Distance()) == repr(heom())
    assert heom() != gower()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_stands_for_its_distance(name):
    assert resolve(name) == PRESETS[name]() == resolve(PRESETS[name]())


def test_hvdm_of_numbers_alone_needs_no_classes():
    instances = store([Numeric()], [[0], [2]])
    assert hvdm().fit(instances).costs(np.array([2.0]), instances.cells()).tolist() == [0.25, 0.0]


def test_ordinal_targets_have_classes_too():
    instances = store([Nominal()], [["a"], ["b"], ["b"]], ["low", "high", None], target=Ordinal(LEVELS))
    assert mvdm(r=1).fit(instances).costs(np.array([0.0]), instances.cells()).tolist() == [0.0, 2.0, 2.0]


def test_unscaled_ranges_beyond_float64():
    instances = store([Numeric()], [[1e308], [-1e308]])
    assert euclidean().fit(instances).costs(np.array([0.0]), instances.cells()).tolist() == [math.inf, math.inf]


def test_class_counts_may_be_asked_of_ordinal_columns():
    distance = Distance(ordinal=ValueDifference())
    instances = store([Ordinal(LEVELS)], [["low"], ["top"]], ["x", "y"])
    assert distance.fit(instances).costs(np.array([0.0]), instances.cells()).tolist() == [0.0, 4.0]
