"""Measures of numbers, levels and dates: their formulas, and what they do at the ends."""

from __future__ import annotations

import datetime
import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from cases.measure_columns import measured
from hypothesis import given
from reference import local_similarity as reference

from priorcase.cases import (
    ExponentialSimilarity,
    GaussianSimilarity,
    Linear,
    OneSided,
    Ranks,
    Recency,
    Season,
    Threshold,
)
from priorcase.cases.kinds import days
from priorcase.schema import Date, Numeric, Ordinal

WHOLE = st.integers(-1000, 1000)
FINITE = st.floats(-1e308, 1e308, allow_nan=False)
MANY = st.lists(WHOLE, min_size=1, max_size=8)
POSITIVE = st.integers(1, 500)


@given(MANY, WHOLE)
def test_linear_falls_evenly_over_the_range_of_the_stored_cases(values, query):
    length = reference.stored_range(values)
    expected = {value: float(reference.linear(query, value, length)) for value in values}
    assert measured(Linear(), Numeric(), values, query) == pytest.approx(expected, abs=1e-15)


@given(MANY, WHOLE, POSITIVE)
def test_linear_over_a_given_range(values, query, length):
    expected = {value: float(reference.linear(query, value, Fraction(length))) for value in values}
    assert measured(Linear(range=length), Numeric(), values, query) == pytest.approx(expected, abs=1e-15)


@given(st.lists(FINITE, min_size=1, max_size=6), FINITE)
def test_linear_holds_for_any_numbers(values, query):
    length = reference.stored_range(values)
    expected = {value: float(reference.linear(query, value, length)) for value in values}
    assert measured(Linear(), Numeric(), values, query) == pytest.approx(expected, abs=1e-12)


def test_one_stored_value_knows_only_itself():
    assert measured(Linear(), Numeric(), [3, 3], 3) == {3: 1.0}
    assert measured(Linear(), Numeric(), [3, 3], 3.0001) == {3: 0.0}
    assert measured(Linear(range=1), Numeric(), [3], 3.25) == {3: 0.75}


def test_no_stored_value():
    for measure in (
        Linear(),
        Linear(log=True),
        OneSided("less"),
        Threshold(1),
        ExponentialSimilarity(1),
        GaussianSimilarity(1),
    ):
        assert measured(measure, Numeric(), [None], 3) == {}


@given(MANY, WHOLE, st.sampled_from(["less", "more"]), POSITIVE | st.none())
def test_one_sided_asks_for_at_least_as_good(values, query, better, length):
    over = reference.stored_range(values) if length is None else Fraction(length)
    expected = {value: float(reference.one_sided(query, value, better, over)) for value in values}
    assert measured(OneSided(better, length), Numeric(), values, query) == pytest.approx(expected, abs=1e-15)


def test_one_sided_for_prices_powers_and_levels():
    assert measured(OneSided("less", range=100), Numeric(), [80, 100, 150, 250], 100) == {
        80: 1,
        100: 1,
        150: 0.5,
        250: 0,
    }
    assert measured(OneSided("more", range=100), Numeric(), [80, 100, 150], 100) == {80: 0.8, 100: 1, 150: 1}
    size = Ordinal(("S", "M", "L"))
    assert measured(OneSided("more"), size, ["S", "M", "L"], "M") == {"S": 0.5, "M": 1, "L": 1}


@given(MANY, WHOLE, st.integers(0, 50))
def test_threshold(values, query, tolerance):
    expected = {value: float(reference.threshold(query, value, tolerance)) for value in values}
    assert measured(Threshold(tolerance), Numeric(), values, query) == expected


@given(MANY, WHOLE, POSITIVE)
def test_decays(values, query, scale):
    for measure, slow in (
        (ExponentialSimilarity(scale), reference.exponential),
        (GaussianSimilarity(scale), reference.gaussian),
    ):
        expected = {value: slow(query, value, scale) for value in values}
        assert measured(measure, Numeric(), values, query) == pytest.approx(expected, rel=1e-13, abs=1e-300)


def test_decays_leave_one_over_e_at_their_scale_and_go_on_beyond_any_float():
    for measure in (ExponentialSimilarity(10), GaussianSimilarity(10)):
        found = measured(measure, Numeric(), [5, 15, -1.7e308], 5)
        assert found == {5: 1.0, 15: pytest.approx(1 / math.e), -1.7e308: pytest.approx(0, abs=1e-300)}


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=8), st.integers(0, 10**9))
def test_log_compares_logarithms(values, query):
    logs = [reference.logarithm(value) for value in values]
    asked, length = reference.logarithm(query), Fraction(max(logs)) - Fraction(min(logs))
    expected = {v: float(reference.linear(asked, log, length)) for v, log in zip(values, logs, strict=True)}
    found = measured(Linear(log=True), Numeric(), values, query)
    assert found == (pytest.approx(expected, abs=1e-9) if length else expected)
    scaled = {v: reference.exponential(asked, log, 2) for v, log in zip(values, logs, strict=True)}
    assert measured(ExponentialSimilarity(2, log=True), Numeric(), values, query) == pytest.approx(scaled, rel=1e-9)


def test_a_thousand_miles_mean_more_to_a_young_car():
    plain = measured(Linear(range=10), Numeric(), [2000, 200_000], 1000)
    assert plain == {2000: 0, 200_000: 0}
    found = measured(Linear(range=10, log=True), Numeric(), [2000, 200_000, -1000, 0], 1000)
    assert found[2000] > 0.9 > found[200_000] > found[0] > found[-1000]


@given(MANY, WHOLE)
def test_symmetry_and_identity(values, query):
    for measure in (
        Linear(range=300),
        Linear(range=3, log=True),
        Threshold(7),
        ExponentialSimilarity(40),
        GaussianSimilarity(40),
    ):
        found = measured(measure, Numeric(), [*values, query], query)
        assert found[query] == 1.0
        for value in values:
            assert measured(measure, Numeric(), [query], value)[query] == found[value]


@given(st.lists(FINITE, min_size=2, max_size=8, unique=True), FINITE)
def test_farther_is_never_more_alike(values, query):
    ordered = sorted(values, key=lambda value: abs(Fraction(value) - Fraction(query)))
    for measure in (Linear(), Linear(range=1e300), Threshold(5), ExponentialSimilarity(1e10), GaussianSimilarity(1e10)):
        found = measured(measure, Numeric(), values, query)
        similar = [found[value] for value in ordered]
        assert similar == sorted(similar, reverse=True)


@given(st.data())
def test_ranks(data):
    order = data.draw(st.lists(st.sampled_from(["xs", "s", "m", "l", "xl"]), unique=True, min_size=1))
    values = data.draw(st.lists(st.sampled_from(order), min_size=1))
    query = data.draw(st.sampled_from(order))
    expected = {value: float(reference.ranks(query, value, order)) for value in values}
    assert measured(Ranks(), Ordinal(tuple(order)), values, query) == pytest.approx(expected, abs=1e-15)


def test_ranks_of_levels_that_python_takes_for_one():
    kind = Ordinal((0, 1, True))
    assert measured(Ranks(), kind, [0, 1], 1) == {0: 0.5, 1: 1.0}
    assert measured(Ranks(), kind, [0, 1], True) == {0: 0.0, 1: 0.5}


def test_levels_differ_by_steps_for_other_measures():
    size = Ordinal(("S", "M", "L", "XL"))
    assert measured(Threshold(1), size, ["S", "M", "XL"], "L") == {"S": 0, "M": 1, "XL": 1}
    assert measured(ExponentialSimilarity(2), size, ["S"], "L") == {"S": pytest.approx(math.exp(-1))}


DATES = st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 12, 31))


@given(st.lists(DATES, min_size=1, max_size=8), DATES, POSITIVE)
def test_dates_differ_by_days(values, query, length):
    stored = [value.isoformat() for value in values]
    apart = [abs((value - query).days) for value in values]
    found = measured(Linear(range=length), Date(), stored, query.isoformat())
    assert [found[text] for text in stored] == pytest.approx([max(0, 1 - d / length) for d in apart], abs=1e-12)
    found = measured(Recency(length), Date(), stored, query.isoformat())
    assert [found[text] for text in stored] == pytest.approx([reference.recency(d, length) for d in apart], rel=1e-12)


def test_moments_count_with_their_time_and_offset():
    noon = "2024-05-01T12:00:00"
    assert measured(Linear(range=2), Date(), ["2024-05-01", "2024-05-03"], noon) == {
        "2024-05-01": 0.75,
        "2024-05-03": 0.25,
    }
    east, west = "2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00+00:00"
    assert measured(Linear(range=2), Date(), [east], west) == {east: 1.0}
    assert days(east) == days(west)


@given(st.lists(DATES, min_size=1, max_size=8), DATES)
def test_seasons_go_round(values, query):
    expected = {value.isoformat(): float(reference.season(query, value)) for value in values}
    assert measured(Season(), Date(), list(expected), query.isoformat()) == pytest.approx(expected, abs=1e-15)


def test_seasons_of_any_year():
    found = measured(Season(), Date(), ["2023-05-01", "2024-05-01", "2023-12-31T23:00:00", "2024-07-02"], "2025-05-01")
    assert (found["2023-05-01"], found["2024-05-01"]) == (1, 1)
    near = measured(Season(), Date(), ["2023-12-31T23:00:00-05:00", "2024-07-01"], "2025-01-01")
    assert near == {"2023-12-31T23:00:00-05:00": pytest.approx(1 - 1 / 183), "2024-07-01": pytest.approx(1 / 183)}


def test_measures_made_from_numpy_print_and_compare_like_others():
    assert Linear(np.float32(0.5)) == Linear(0.5)
    assert repr(ExponentialSimilarity(np.int64(3))) == "ExponentialSimilarity(scale=3, log=False)"
    assert len({Linear(2), Linear(np.int8(2)), Linear(2, log=np.True_), Linear(2.0)}) == 2


@pytest.mark.parametrize("measure", [GaussianSimilarity(5e-324), ExponentialSimilarity(5e-324), Linear(range=5e-324)])
def test_the_smallest_scale_beside_the_largest_numbers(measure):
    found = measured(measure, Numeric(), [1, 1e308, -1e308], 1)
    assert found == pytest.approx({1: 1.0, 1e308: 0.0, -1e308: 0.0}, abs=1e-300)
