"""Which measure an attribute gets, measures together, users' own, and measures written down."""

from __future__ import annotations

import datetime

import pytest
from cases.measure_columns import column_of, measured

from priorcase.cases import (
    MVDM,
    Blend,
    EditDistance,
    Equality,
    EqualText,
    GaussianSimilarity,
    Graph,
    GraphSimilarity,
    Jaccard,
    Linear,
    OneSided,
    Own,
    Ranks,
    TfIdf,
    Threshold,
    WuPalmer,
)
from priorcase.cases.measures import DEFAULT_MEASURES, CircularSimilarity, as_measure, names_for, similarities
from priorcase.cases.measures.choosing import NAMES
from priorcase.exceptions import ParameterError
from priorcase.schema import Circular, Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

KINDS = {
    Numeric(): Linear(),
    Circular(360): CircularSimilarity(),
    Ordinal(("S", "L")): Ranks(),
    Nominal(): Equality(),
    Taxonomy({"a": None}): WuPalmer(),
    Set(): Jaccard(),
    Date(): Linear(),
    Text(): TfIdf(),
    Graph(): GraphSimilarity(),
}


def near(asked, stored):
    return 1 / (1 + abs(asked - stored))


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_has_a_default_that_accepts_it_and_a_short_name(kind):
    measure = DEFAULT_MEASURES[type(kind)]
    assert measure == KINDS[kind]
    assert measure == as_measure(measure, kind, "a")
    assert measure in [as_measure(name, kind, "a") for name in names_for(kind)]


def test_short_names():
    assert names_for(Set()) == ["equality", "jaccard", "dice", "containment", "overlap"]
    assert names_for(Text()) == ["equality", "tfidf", "edit", "equal_text"]
    assert as_measure("mvdm", Nominal(), "a") == MVDM()
    assert as_measure("less_is_better", Numeric(), "price") == OneSided("less")
    assert set(NAMES) == {name for kind in KINDS for name in names_for(kind)}


def test_functions_and_measures_as_they_are():
    assert as_measure(near, Numeric(), "a") == Own(near)
    assert as_measure(GaussianSimilarity(2), Numeric(), "a") == GaussianSimilarity(2)


def test_own_functions_see_values_as_users_do():
    seen = []

    def same_month(asked, stored):
        seen.append((asked, stored))
        return asked.month == stored.month

    found = measured(Own(same_month), Date(), ["2024-05-01", "2024-06-01", "2024-05-01"], "2023-05-09")
    assert found == {"2024-05-01": 1, "2024-06-01": 0}
    assert seen == [(datetime.date(2023, 5, 9), datetime.date(2024, month, 1)) for month in (5, 6)]
    assert measured(Own(lambda a, b: len(a & b) / 2), Set(), [("x", "y")], ("y",)) == {("x", "y"): 0.5}
    assert measured(Own(near), Numeric(), [1, 3], 1) == {1: 1, 3: 1 / 3}
    assert repr(Own(near)) == "Own(near)"


def test_own_errors_name_the_function_and_the_values():
    def odd(asked, stored):
        return 1 / (asked - 4)

    with pytest.raises(ParameterError) as caught:
        measured(Own(odd), Numeric(), [3], 4)
    assert "Own(odd) raised ZeroDivisionError: division by zero for 4 and 3 of attribute 'a'" in str(caught.value)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_blends_are_weighted_means():
    values, query = ["paper jam", "paper tray", "no network"], "paper jams"
    words, letters = (measured(m, Text(), values, query) for m in (TfIdf(), EditDistance()))
    found = measured(Blend({TfIdf(): 2, EditDistance(): 1}), Text(), values, query)
    assert found == pytest.approx({v: (2 * words[v] + letters[v]) / 3 for v in values})
    alike = measured(Blend([TfIdf(), EditDistance()]), Text(), values, query)
    assert alike == pytest.approx({v: (words[v] + letters[v]) / 2 for v in values})


def test_blends_accept_what_all_their_measures_accept():
    blend = Blend([TfIdf(), EditDistance(), MVDM()])
    assert (blend.accepts, blend.needs_solutions) == (("nominal",), True)
    assert not Blend([TfIdf()]).needs_solutions
    assert as_measure(blend, Nominal(), "a") is blend


def test_blends_hand_over_what_was_prepared():
    blend = Blend({TfIdf(): 0.5, EqualText(): 1})
    column = column_of(Text(), ["paper jam", "tray"])
    first = blend.prepare(column)
    again = blend.prepare(column, None, first)
    assert again.state[0].state.documents is first.state[0].state.documents


@pytest.mark.parametrize("seven", [[0.1] * 7, [0.7, 0.1, 0.3, 0.9, 0.4, 0.2, 0.6]])
def test_a_blend_of_equal_values_is_1(seven):
    blend = Blend(dict(zip([Threshold(n) for n in range(7)], seven, strict=True)))
    assert measured(blend, Numeric(), [3], 3) == {3: 1.0}


def test_trying_a_measure_out():
    assert similarities(3, [1, None, 5, 1], "numeric") == {1: 0.5, 5: 0.5}
    may = {datetime.date(2024, 5, 1): 1.0}
    assert similarities(datetime.date(2023, 5, 1), ["2024-05-01"], Date(), "season") == may
    assert similarities(["b"], [{"a", "b"}], "set", near_sets) == {frozenset({"a", "b"}): 0.5}
    assert similarities("a", ["a", "b"], "nominal", "mvdm", solutions=["x", "x"]) == {"a": 1.0, "b": 1.0}
    assert similarities("a", [], "text") == {}


def near_sets(asked, stored):
    return len(asked & stored) / len(asked | stored)


@pytest.mark.parametrize("size", [1e308, 5e-324])
def test_shares_of_any_size_blend(size):
    values = ["paper jam", "tray empty", "papr"]
    found = measured(Blend({TfIdf(): size, EditDistance(): size}), Text(), values, "paper")
    assert found == measured(Blend([TfIdf(), EditDistance()]), Text(), values, "paper")
