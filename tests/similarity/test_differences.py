"""Attribute-level differences, their statistics and their error texts."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from building import LEVELS, add, encode, store
from hypothesis import given
from hypothesis import strategies as st

from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.similarity import (
    Absolute,
    Discretized,
    Distance,
    Interpolated,
    Levels,
    Overlap,
    ValueDifference,
    ValueTable,
    Windowed,
)
from priorcase.similarity.differences import raised, rooted
from priorcase.similarity.statistics import Statistics, exact_sum


def differences_of(difference, instances, query, missing="maximal"):
    """d between the query's value and each row of a table of one column."""
    distance = Distance(numeric=difference, nominal=difference, ordinal=difference, power=1, missing=missing)
    return distance.fit(instances).costs(encode(instances, [[query]])[0], instances.cells()).tolist()


# -- powers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [1, 2, 3, 5, 8, 9, 1.5, 2.5])
def test_powers_multiply_or_ask_the_c_library(exponent):
    base = np.random.default_rng(0).uniform(0, 3, 200)
    for value, found in zip(base.tolist(), raised(base, exponent).tolist(), strict=True):
        expected = value
        if exponent == int(exponent) and exponent <= 8:
            for _ in range(int(exponent) - 1):
                expected *= value
        else:
            expected = math.pow(value, exponent)
        assert found == expected
        assert float(raised(np.array(value), exponent)) == expected


def test_powers_overflow_to_infinity():
    assert raised(np.array([1e200]), 2).tolist() == [math.inf]
    assert raised(np.array([1e200]), 2.5).tolist() == [math.inf]
    assert rooted(np.array([math.inf, 0.0]), 2.5).tolist() == [math.inf, 0.0]


# -- Absolute ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (Absolute(), [0.25, 0.25, 0.75, math.nan]),
        (Absolute("none"), [1.0, 1.0, 3.0, math.nan]),
        (Absolute("none", factor=2), [0.5, 0.5, 1.5, math.nan]),
        (Absolute("std"), [1 / math.sqrt(8 / 3), 1 / math.sqrt(8 / 3), 3 / math.sqrt(8 / 3), math.nan]),
        (Absolute("robust"), [0.25, 0.25, 0.75, math.nan]),
        (Absolute("robust", quantiles=(0.25, 0.5)), [0.5, 0.5, 1.5, math.nan]),
    ],
)
def test_scalings(difference, expected):
    instances = store([Numeric()], [[0], [2], [4], [None]])
    found = differences_of(difference, instances, 1)
    assert found[:3] == pytest.approx(expected[:3])
    assert found[3] == 1.0


def test_cap_limits_queries_outside_the_range():
    instances = store([Numeric()], [[0], [10]])
    assert differences_of(Absolute(), instances, 25) == [2.5, 1.5]
    assert differences_of(Absolute(cap=True), instances, 25) == [1.0, 1.0]
    assert differences_of(Absolute(widen=True), instances, 25) == [1.0, 0.6]


def test_a_scale_of_0_makes_all_rows_equal():
    constant = store([Numeric()], [[3], [3], [3], [3], [3]])
    assert differences_of(Absolute("robust"), constant, 100) == [0.0] * 5
    instances = store([Numeric()], [[3], [3], [3], [3], [9]])  # whose quartiles are equal: by range
    assert differences_of(Absolute("robust"), instances, 6) == [0.5] * 5
    instances = store([Numeric()], [[None], [None]])
    for scaling in ("range", "std", "robust"):
        assert differences_of(Absolute(scaling), instances, 1) == [1.0, 1.0]


def test_levels_as_numbers():
    instances = store([Ordinal(LEVELS)], [["low"], ["middle"], [None]])
    assert differences_of(Absolute("range"), instances, "top") == [3.0, 2.0, 1.0]
    assert differences_of(Absolute("range"), instances, "undeclared") == [1.0, 1.0, 1.0]
    assert differences_of(Absolute("std"), instances, "low", missing="aha") == [0.0, 2.0, 1.0]


# -- Overlap -----------------------------------------------------------------------------------------------------------


def test_overlap_compares_anything_for_equality():
    assert differences_of(Overlap(), store([Numeric()], [[1], [1.5], [1e308], [-1e308]]), 1) == [0.0, 1.0, 1.0, 1.0]
    assert differences_of(Overlap(), store([Nominal()], [["a"], ["b"], [None]]), "a") == [0.0, 1.0, 1.0]
    assert differences_of(Overlap(), store([Nominal()], [["a"], ["b"]]), "c") == [1.0, 1.0]
    assert differences_of(Overlap(), store([Ordinal(LEVELS)], [["low"], ["top"]]), "top") == [1.0, 0.0]


def test_numbers_that_barely_differ_are_different():
    instances = store([Numeric()], [[1.0], [math.nextafter(1.0, 2.0)]])
    assert differences_of(Overlap(), instances, 1.0) == [0.0, 1.0]


# -- Levels ------------------------------------------------------------------------------------------------------------


def test_levels_lie_at_equal_steps_or_where_they_are_put():
    instances = store([Ordinal(LEVELS)], [[level] for level in (*LEVELS, None)])
    assert differences_of(Levels(), instances, "low") == [0.0, 1 / 3, 2 / 3, 1.0, 1.0]
    assert differences_of(Levels((0, 1, 2, 3)), instances, "low") == [0.0, 1 / 3, 2 / 3, 1.0, 1.0]
    assert differences_of(Levels((0, 1, 4, 10)), instances, "middle") == pytest.approx([0.1, 0.0, 0.3, 0.9, 1.0])
    assert differences_of(Levels((0, 1, 4, 10)), instances, "undeclared") == [1.0] * 5
    assert differences_of(Levels(), instances, "undeclared") == [1.0] * 5


def test_one_level_has_no_differences():
    instances = store([Ordinal(("only",))], [["only"]])
    assert differences_of(Levels(), instances, "only") == [0.0]
    assert differences_of(Levels((5,)), instances, "only") == [0.0]


def test_equal_steps_give_equal_differences():
    """Thirds do not subtract exactly; levels must be subtracted before they are divided."""
    instances = store([Ordinal(LEVELS)], [[level] for level in LEVELS])
    for positions in (None, (0.0, 0.5, 1.0, 1.5)):
        one = differences_of(Levels(positions), instances, "low")
        other = differences_of(Levels(positions), instances, "middle")
        assert one[1] == other[2]


# -- Table -------------------------------------------------------------------------------------------------------------

COLOURS = ValueTable(("red", "orange", "blue"), [[0, 0.2, 1], [0.3, 0, 2], [1, 1, 0]])


def test_tables_are_read_query_first():
    instances = store([Nominal()], [["blue"], ["red"], ["orange"], [None]])
    assert differences_of(COLOURS, instances, "orange") == [2.0, 0.3, 0.0, 1.0]
    assert differences_of(COLOURS, instances, "green") == [2.0, 2.0, 2.0, 1.0]
    assert differences_of(COLOURS, instances, None) == [1.0] * 4


def test_tables_know_true_from_1():
    table = ValueTable((True, 1), [[0, 1], [1, 0]])
    instances = store([Nominal()], [[True], [1]])
    assert differences_of(table, instances, True) == [0.0, 1.0]


def test_a_forgotten_value_need_not_be_in_the_table():
    instances = store([Nominal()], [["red"], ["green"], ["blue"]])
    instances.remove([1])
    assert differences_of(COLOURS, instances, "blue") == [1.0, 0.0]


def test_tables_for_levels():
    table = ValueTable(("low", "top"), [[0, 1], [1, 0]])
    assert differences_of(table, store([Ordinal(("low", "top"))], [["low"], ["top"]]), "low") == [0.0, 1.0]


def test_tables_compare_and_print():
    assert ValueTable(("a", "b"), np.array([[0, 1], [1, 0]])) == ValueTable(["a", "b"], [[0, 1], [1, 0]])
    assert repr(ValueTable(("a",), [[0]])) == "ValueTable(values=('a',), matrix=((0.0,),))"
    assert len({COLOURS, COLOURS}) == 1


# -- class differences -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (ValueDifference(), 1.0),
        (ValueDifference(2), 0.5),
        (ValueDifference(3), 0.25),
        (ValueDifference(2, "root"), math.sqrt(0.5)),
        (ValueDifference(2, "class_root"), 1.0),
        (ValueDifference(2, "weighted"), 0.5 * math.sqrt(0.5)),
    ],
)
def test_norms(difference, expected):
    instances = store([Nominal()], [["a"], ["a"], ["b"]], ["x", "y", "x"])
    distance = Distance(nominal=difference, power=1)
    assert distance.fit(instances).costs(encode(instances, [["a"]])[0], instances.cells()[2:]) == pytest.approx(
        [expected]
    )


@pytest.mark.parametrize(
    ("norm", "maximal"), [("sum", 2.0), ("root", math.sqrt(2)), ("class_root", 2.0), ("weighted", 2.0)]
)
def test_largest_differences(norm, maximal):
    """A value never seen is as far away as two values of pure and different classes are."""
    instances = store([Nominal()], [["a"], ["b"]], ["x", "y"])
    fitted = Distance(nominal=ValueDifference(2, norm), power=1).fit(instances)
    assert fitted.costs(np.array([0.0]), instances.cells()).tolist() == [0.0, maximal]
    assert fitted.costs(np.array([-1.0]), instances.cells()).tolist() == [maximal, maximal]


def test_intervals_hold_their_left_edge():
    instances = store([Numeric()], [[0], [2], [4], [10]], ["x", "y", "y", "y"])
    distance = Distance(numeric=Discretized(bins=5), power=1)
    fitted = distance.fit(instances)
    assert fitted.costs(np.array([1.99]), instances.cells()).tolist() == [0.0, 2.0, 2.0, 2.0]
    assert fitted.costs(np.array([2.0]), instances.cells()).tolist() == [2.0, 0.0, 0.0, 0.0]
    assert fitted.costs(np.array([-5.0]), instances.cells()).tolist() == [0.0, 2.0, 2.0, 2.0]
    assert fitted.costs(np.array([7.0]), instances.cells()).tolist() == [1.0, 1.0, 1.0, 1.0]  # empty: profile 0
    prior = Distance(numeric=Discretized(bins=5, empty="prior"), power=1).fit(instances)
    assert prior.costs(np.array([7.0]), instances.cells()).tolist() == [1.5, 0.5, 0.5, 0.5]


def test_interpolation_falls_to_0_outside_the_range():
    """Two intervals [0, 1) and [1, 2] with midpoints 0.5 and 1.5; p is 0 from half a width outside the range on."""
    instances = store([Numeric()], [[0], [2]], ["x", "y"])
    fitted = Distance(numeric=Interpolated(bins=2), power=1).fit(instances)
    at = lambda x: fitted.costs(np.array([x]), np.array([[0.5]]))[0]  # noqa: E731
    assert at(0.5) == 0.0
    assert at(1.5) == pytest.approx(math.sqrt(2))
    assert at(1.0) == pytest.approx(math.sqrt(0.5))
    assert at(0.0) == pytest.approx(0.5)
    assert at(-0.5) == at(-7.0) == at(2.5) == at(9.0) == 1.0


def test_windows_reach_half_a_width_ends_included():
    instances = store([Numeric()], [[0], [1], [2], [10]], ["x", "y", "y", "y"])
    fitted = Distance(numeric=Windowed(bins=5), power=1).fit(instances)
    # The window of 0 is [-1, 1]: one x and one y; that of 1 is [0, 2]: one x and two y.
    assert fitted.costs(np.array([0.0]), instances.cells()[1:2]) == pytest.approx([math.sqrt(2) / 6])
    assert fitted.costs(np.array([11.0]), instances.cells()[3:]) == pytest.approx([1.0])
    assert fitted.costs(np.array([10.5]), instances.cells()[3:]) == pytest.approx([0.5])


def test_windows_whose_weight_vanishes_beside_the_others():
    instances = store([Numeric()], [[0], [5], [10]], ["x", "y", "x"], weights=[1e20, 1.0, 1e-3])
    fitted = Distance(numeric=Windowed(), power=1).fit(instances)
    assert fitted.costs(np.array([10.0]), instances.cells()) == pytest.approx([0.0, math.sqrt(2), 0.0])


def test_windows_take_memory_in_proportion_to_the_rows():
    def peak(n):
        numbers = np.random.default_rng(0).normal(size=n)
        instances = store([Numeric()], numbers[:, None].tolist(), ["xyz"[i % 3] for i in range(n)])
        tracemalloc.start()
        Distance(numeric=Windowed()).fit(instances)
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    assert peak(8_000) < 2.5 * peak(4_000)


@pytest.mark.parametrize("difference", [Discretized(), Interpolated(), Windowed()])
def test_intervals_too_narrow_for_float64(difference):
    instances = store([Numeric()], [[1e16], [1e16 + 2], [1e16 + 2]], ["x", "y", "x"])
    found = differences_of(difference, instances, 1e16 + 2)
    assert not np.any(np.isnan(found))
    assert found[1] == found[2] == 0.0


@pytest.mark.parametrize("difference", [Interpolated(), Windowed(), Discretized(), ValueDifference()])
def test_rows_of_unknown_class_count_in_no_profile(difference):
    kind = Nominal() if isinstance(difference, ValueDifference) else Numeric()
    instances = store([kind], [[0], [10], [0], [5]], ["x", "y", None, None])
    found = differences_of(difference, instances, 0)
    assert found[0] == found[2] == 0.0
    assert found[1] > 0


# -- statistics --------------------------------------------------------------------------------------------------------

weighted_numbers = st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 4)), min_size=1, max_size=20)


@given(pairs=weighted_numbers, q=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]))
def test_quantiles_are_the_inverted_cdf(pairs, q):
    numbers, weights = zip(*pairs, strict=True)
    repeated = np.repeat(numbers, weights)
    one = Statistics(store([Numeric()], [[x] for x in numbers], weights=weights), None).column(0)
    other = Statistics(store([Numeric()], [[x] for x in repeated]), None).column(0)
    assert one.quantile(q) == other.quantile(q)
    if q in (0.0, 0.25, 0.5, 0.75, 1.0):
        assert other.quantile(q) == np.quantile(repeated, q, method="inverted_cdf")


@given(pairs=weighted_numbers)
def test_deviation_is_that_of_the_population(pairs):
    numbers, weights = zip(*pairs, strict=True)
    column = Statistics(store([Numeric()], [[x] for x in numbers], weights=weights), None).column(0)
    assert column.deviation() == pytest.approx(np.repeat(numbers, weights).std(), abs=1e-12)


def test_deviation_does_not_see_the_order_of_rows():
    numbers = np.random.default_rng(1).normal(size=100)
    one = Statistics(store([Numeric()], [[x] for x in numbers]), None).column(0)
    other = Statistics(store([Numeric()], [[x] for x in numbers[::-1]]), None).column(0)
    assert one.deviation() == other.deviation()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=64), max_size=30))
def test_sums_are_rounded_once(numbers):
    try:
        expected = math.fsum(numbers)
    except OverflowError:
        expected = math.inf
    assert exact_sum(np.array(numbers)) == expected


def test_appended_rows_extend_counts_of_values_and_classes():
    instances = store([Nominal(), Numeric()], [["a", 0], [None, 10]], ["x", "y"])
    earlier = Statistics(instances, 0)
    earlier.column(0).class_counts()
    edges = np.array([0.0, 5.0])
    earlier.column(1).interval_counts(edges)
    add(instances, [["b", 3], ["a", None]], ["z", "y"])
    extended, fresh = Statistics(instances, 0, earlier.summary()), Statistics(instances, 0)
    assert fresh.column(0).class_counts().tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert np.array_equal(extended.column(0).class_counts(), fresh.column(0).class_counts())
    assert fresh.column(1).interval_counts(edges).tolist() == [[1, 0, 1], [0, 1, 0]]
    assert np.array_equal(extended.column(1).interval_counts(edges), fresh.column(1).interval_counts(edges))
