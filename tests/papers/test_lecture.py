"""The lecture's worked numbers: against its ten records by loops and fractions, and against the slides themselves."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from papers import Options, lecture, reproduce
from papers.lecture import PAPER, RECORDS, Worked, frequencies, likelihood, query, records, worked_table

TABLES = (
    lecture.nearest_records,
    lambda: lecture.value_profiles()[0],
    lambda: lecture.value_profiles()[1],
    lecture.value_distances,
    lecture.record_distances,
    lecture.exemplar_weights,
    lecture.football,
    lecture.shares,
    lecture.incomes,
    lecture.classification,
    lecture.missing_status,
    lecture.zeros,
    lecture.estimates,
)
WRONG_ON_THE_SLIDES = {
    "P(X | No) = 4/7 × 4/7 × 0.0072",  # 0.00235 from rounded factors; 0.002349 from exact ones
    "P(Income = 120 | No), printed again",  # 0.00072
}


def agrees(number: Worked) -> bool:
    """Whether ours is the printed fraction, or rounds to the printed decimals; True where nothing is printed."""
    if isinstance(number.ours, str) or not number.printed:
        return number.printed in ("", number.ours)
    theirs = float(Fraction(number.printed))
    if "/" in number.printed or theirs.is_integer():
        return abs(number.ours - theirs) < 1e-12
    unit = Decimal(1).scaleb(int(Decimal(number.printed).as_tuple().exponent))
    return Decimal(repr(number.ours)).quantize(unit) == Decimal(number.printed)


def named(numbers: list[Worked]) -> dict[str, float | str]:
    return {number.name: number.ours for number in numbers}


# -- the slides


def test_all_numbers_agree_with_the_slides_but_those_that_the_slides_have_wrong():
    numbers = [number for table in TABLES for number in table()]
    assert sum(bool(number.printed) for number in numbers) == 60
    assert {number.name for number in numbers if not agrees(number)} == WRONG_ON_THE_SLIDES
    assert all(number.remark for number in numbers if not agrees(number))


@pytest.mark.parametrize("table", TABLES)
def test_names_are_unique_within_a_table(table):
    names = [number.name for number in table()]
    assert len(set(names)) == len(names)


# -- loops and fractions


def of(label: str) -> list[tuple]:
    return [row for row in RECORDS if row[-1] == label]


def difference(column: int, one: str, other: str) -> Fraction:
    """Cost & Salzberg 1993 with k = 1, by counting."""
    total = Fraction(0)
    for label in ("Yes", "No"):
        shares = []
        for value in (one, other):
            holding = [row for row in RECORDS if row[column] == value]
            shares.append(Fraction(sum(row[-1] == label for row in holding), len(holding)))
        total += abs(shares[0] - shares[1])
    return total


def test_value_differences_by_counting():
    found = list(named(lecture.value_distances()).values())
    expected = [difference(1, *pair) for pair in (("Single", "Married"), ("Single", "Divorced"))]
    expected += [difference(1, "Married", "Divorced"), difference(0, "Yes", "No")]
    assert found == pytest.approx([float(value) for value in expected], abs=1e-12)


@pytest.mark.parametrize("label", ["Yes", "No"])
@pytest.mark.parametrize(("column", "value"), [(0, "Yes"), (0, "No"), (1, "Single"), (1, "Married"), (1, "Divorced")])
def test_shares_by_counting(label, column, value):
    row = [None, None, None]
    row[column] = value
    found = likelihood(frequencies(*records()), query(*row))[label]
    assert found == pytest.approx(sum(r[column] == value for r in of(label)) / len(of(label)), abs=1e-12)


def test_densities_by_the_formula():
    found = named(lecture.incomes())
    for label in ("No", "Yes"):
        own = [row[2] for row in of(label)]
        mean = sum(own) / len(own)
        variance = sum((x - mean) ** 2 for x in own) / (len(own) - 1)
        density = math.exp(-((120 - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        assert found[f"mean income | {label}"] == pytest.approx(mean)
        assert found[f"variance of income | {label}"] == pytest.approx(variance)
        assert found[f"P(Income = 120 | {label})"] == pytest.approx(density, rel=1e-9)


def test_the_note_on_the_other_divisor():
    own = np.array([row[2] for row in of("No")])
    density = math.exp(-((120 - own.mean()) ** 2) / (2 * own.var())) / math.sqrt(2 * math.pi * own.var())
    note = (
        reproduce(PAPER, Options(), only=next(item for item in PAPER.items if item.key == "example-5"))
        .parts[0]
        .notes[0]
    )
    assert f"{own.std():.2f} and the density {density:.4f}" in note


def test_the_match_by_fractions():
    found = named(lecture.football())
    hosts, guests = Fraction(75, 100) * Fraction(35, 100), Fraction(30, 100) * Fraction(65, 100)
    assert list(found.values())[4] == pytest.approx(float(hosts / (hosts + guests)), abs=1e-12)


def test_smoothed_shares_by_fractions():
    found = named(lecture.estimates())
    expected = Fraction(0 + 3 * Fraction(1, 3), 3 + 3)
    assert next(iter(found.values())) == pytest.approx(float(expected), abs=1e-12)
    assert list(found.values())[1] == pytest.approx(float(expected), abs=1e-12)
    assert found["(N_xy + 1) / (N_y + |Y|) as printed"] == pytest.approx(1 / 5, abs=1e-12)


def test_zeros_leave_nothing_to_choose_by():
    found = named(lecture.zeros())
    assert found["P(X | No) = 3/7 × 0 × 0.00072"] == found["P(X | Yes) = 0 × 1/3 × 10^-9"] == 0
    assert found["P(No | X)"] == pytest.approx(0.5)


def test_a_gap_leaves_out_the_value_and_not_the_record():
    assert list(named(lecture.missing_status()).values()) == pytest.approx([1.0, 1.0, 0.3])


def test_nearest_records_by_loops():
    asked, width = ("No", "Married", 120.0), 220.0 - 60.0
    far = [
        math.sqrt(sum(row[at] != asked[at] for at in (0, 1)) + ((row[2] - asked[2]) / width) ** 2) for row in RECORDS
    ]
    found = lecture.nearest_records()
    assert [number.ours for number in found[1:4]] == pytest.approx(sorted(far)[:3])
    votes = {
        label: sum(1 / d**2 for d, row in zip(far, RECORDS, strict=True) if row[-1] == label) for label in ("No", "Yes")
    }
    assert found[-1].ours == pytest.approx(votes["No"] / (votes["No"] + votes["Yes"]))


def test_one_weighs_as_the_other_scales():
    table = lecture.scaling()
    assert table["income, $10K to $1M", "as they are"].ours > 0.9999
    assert [figures[1].ours for figures in table.rows.values()] == pytest.approx([1 / 3] * 3)


def test_unit_length_is_no_cure():
    table = lecture.contrasts((2, 2000), rows=100)
    assert table["2 attributes", "as they are"].ours > 5
    assert all(figure.ours < 1.2 for figure in table.rows["2000 attributes"])


def test_weights_are_used_by_correct():
    for number in lecture.exemplar_weights():
        used, correct = map(int, number.name.rpartition("= ")[2].split("/"))
        assert number.ours == used / correct >= 1
    plain, weighed = (number.ours for number in lecture.record_distances())
    third = lecture.exemplar_weights()[2].ours
    assert (plain, weighed) == pytest.approx((6 / 7, third * 6 / 7))


# -- worked numbers


@pytest.mark.parametrize(
    ("ours", "printed", "expected"),
    [
        (6 / 7, "6/7", True),
        (0.857, "6/7", False),
        (0.5737704918, "0.5738", True),
        (0.57385, "0.5738", True),  # to the even digit
        (0.5737, "0.5738", False),
        (1.2151e-9, "1.2e-9", True),
        (1.26e-9, "1.2e-9", False),
        (2.0, "2", True),
        (2.1, "2", False),
        ("No", "No", True),
        ("Yes", "No", False),
        (3.0, "", True),
    ],
)
def test_what_counts_as_agreement(ours, printed, expected):
    assert agrees(Worked("a number", ours, printed)) is expected


def test_a_table_of_worked_numbers_has_the_remarks_and_the_differences():
    table = worked_table("numbers", [Worked("a", 0.5, "0.4", "a slip"), Worked("b", 0.25)])
    assert "0.500 (0.4, +0.100)" in str(table)
    assert "a slip" in str(table)
    assert worked_table("numbers", [Worked("b", 0.25)]).columns == ("ours",)


# -- pictures and the whole


def test_neighborhoods_grow():
    (picture,) = lecture.figure_1(Options()).pictures
    assert picture.columns["distance"] == sorted(picture.columns["distance"])
    assert picture.columns["vote"][0] == "-"
    assert picture.columns["vote"][2] == "+"
    assert len(picture.figure().axes) == 3


def test_densities_are_those_of_the_table():
    (picture,) = lecture.figure_3(Options()).pictures
    columns = picture.columns
    at = columns["income"].index(120.0)
    found = named(lecture.incomes())
    assert columns["density | No"][at] == pytest.approx(found["P(Income = 120 | No)"], rel=1e-9)
    assert np.trapezoid(columns["density | Yes"], columns["income"]) == pytest.approx(1, abs=1e-6)
    axes = picture.figure().axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["evades: No", "evades: Yes"]


def test_too_few_and_too_many_neighbors_are_worse():
    (picture,) = lecture.figure_2(Options(trials=3)).pictures
    accuracy = dict(zip(picture.columns["k"], picture.columns["accuracy"], strict=True))
    assert accuracy[14] > accuracy[1] + 0.05
    assert accuracy[14] > accuracy[199] + 0.05


def test_the_lecture_as_a_whole(monkeypatch):
    monkeypatch.setattr(lecture, "contrasts", partial(lecture.contrasts, (2, 20)))
    found = reproduce(PAPER, Options(trials=1))
    names = [picture.name for part in found.parts for picture in part.pictures]
    assert names == ["figure-1", "figure-2", "figure-3"]
    assert [part.key for part in found.parts if part.pictures] == names
    text, markdown = str(found), found.markdown()
    assert "0.573770 (0.5738, -0.000030)" in text
    assert r"P(Income = 120 \| No), printed again | 0.0071923 (0.00072, +0.0064723) | a misprint" in markdown
    for part in found.parts:
        for picture in part.pictures:
            assert len({len(values) for values in picture.columns.values()}) == 1
            assert picture.figure().axes
