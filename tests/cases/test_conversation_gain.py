"""Information gain against fractions, and the published tables of gains."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import information_gain as slow

from priorcase.cases.conversation import Conversation
from priorcase.cases.conversation.questions import best_cut, branch_gain, entropy, first_best, gain_ratio, group_gain
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal, Numeric

WEIGHTS = st.sampled_from([Fraction(0), Fraction(1), Fraction(2), Fraction(1, 2), Fraction(1, 3), Fraction(1, 20)])
CASES = st.lists(st.tuples(WEIGHTS, st.sampled_from([None, 0, 1, 2]), st.integers(0, 2)), min_size=1, max_size=14)

OUTLOOK, TEMPERATURE, HUMIDITY, WIND, PLAY = map(list, zip(*slow.SATURDAYS, strict=True))


def arrays(cases: list) -> tuple:
    weights = np.array([float(w) for w, _, _ in cases])
    values = np.array([-1 if v is None else v for _, v, _ in cases])
    return weights, values, np.array([c for _, _, c in cases])


def parts(cases: list) -> tuple:
    return [w for w, _, _ in cases], [v for _, v, _ in cases], [c for _, _, c in cases]


@given(CASES)
def test_gain_is_that_of_fractions(cases):
    weights, values, classes = arrays(cases)
    expected = slow.gain(*parts(cases)) if weights.any() else 0.0
    assert group_gain(weights, values, classes, (3, 3)) == pytest.approx(max(0.0, expected), abs=1e-12)


@given(CASES)
def test_best_cut_is_that_of_fractions(cases):
    weights, values, classes = arrays(cases)
    numbers = np.where(values < 0, np.nan, values * 10.0)
    tens = [None if v is None else v * 10.0 for _, v, _ in cases]
    cut, gain = best_cut(weights, numbers, classes, 3)
    expected, bits = slow.best_cut(parts(cases)[0], tens, parts(cases)[2]) if weights.any() else (None, 0.0)
    assert gain == pytest.approx(bits, abs=1e-12)
    if bits > 1e-9:
        assert cut == expected


@given(CASES, st.permutations([0, 1, 2]))
def test_gain_is_no_more_than_the_entropy_and_names_do_not_matter(cases, order):
    weights, values, classes = arrays(cases)
    gain = group_gain(weights, values, classes, (3, 3))
    assert 0.0 <= gain <= entropy(np.bincount(classes, weights=weights, minlength=3)) + 1e-12
    renamed = np.where(values < 0, -1, np.array(order)[values])
    assert group_gain(weights, renamed, np.array(order)[classes], (3, 3)) == pytest.approx(gain, abs=1e-12)


@given(CASES)
def test_a_cut_tells_no_more_than_the_value_itself(cases):
    weights, values, classes = arrays(cases)
    _, gain = best_cut(weights, np.where(values < 0, np.nan, values.astype(float)), classes, 3)
    assert gain <= group_gain(weights, values, classes, (3, 3)) + 1e-12


@pytest.mark.parametrize(("values", "gain"), [(OUTLOOK, 0.246), (HUMIDITY, 0.151), (WIND, 0.048), (TEMPERATURE, 0.029)])
def test_published_gains_of_saturday_mornings(values, gain):
    names = sorted(set(values))
    groups, play = np.array([names.index(v) for v in values]), np.array([p == "yes" for p in PLAY]).astype(int)
    found = group_gain(np.ones(14), groups, play, (len(names), 2))
    assert found == pytest.approx(slow.gain([Fraction(1)] * 14, values, PLAY), abs=1e-12)
    assert found == pytest.approx(gain, abs=0.001)  # the texts cut some of them to three digits


def test_published_cut_of_temperatures():
    """Mitchell 1997, section 3.7.2: of 54 and 85 the cut at 54 gains more; the case below it is at 48."""
    temperature, play = np.array([40.0, 48, 60, 72, 80, 90]), np.array([0, 0, 1, 1, 1, 0])
    cut, gain = best_cut(np.ones(6), temperature, play, 2)
    assert cut == 48.0
    assert gain == pytest.approx(0.4591479, abs=1e-6)


def test_gaps_take_their_part_of_the_gain_away():
    """Quinlan 1993, section 3.2: with the outlook of one case unknown, 13/14 of what the others tell."""
    values = [None if i == 11 else v for i, v in enumerate(OUTLOOK)]
    names = sorted(set(OUTLOOK))
    groups = np.array([-1 if v is None else names.index(v) for v in values])
    play = np.array([p == "yes" for p in PLAY]).astype(int)
    assert group_gain(np.ones(14), groups, play, (3, 2)) == pytest.approx(0.199, abs=0.0005)
    assert entropy(np.array([8.0, 5.0])) == pytest.approx(0.961, abs=0.0005)


def test_nothing_weighed_tells_nothing():
    nothing = np.zeros(3)
    assert group_gain(nothing, np.array([0, 1, -1]), np.array([0, 1, 1]), (2, 2)) == 0.0
    cut, gain = best_cut(nothing, np.array([1.0, 2.0, np.nan]), np.array([0, 1, 1]), 2)
    assert np.isnan(cut)
    assert gain == 0.0
    assert entropy(np.zeros((2, 2))).tolist() == [0.0, 0.0]


def test_several_questions_at_once_gain_what_each_gains_alone():
    rng = np.random.default_rng(3)
    branches, missing = rng.random((5, 3, 4)), rng.random((5, 4))
    together = branch_gain(branches, missing)
    assert together == pytest.approx([float(branch_gain(branches[i], missing[i])) for i in range(5)], abs=1e-15)


def test_gains_equal_but_for_rounding_go_to_the_first():
    assert first_best(np.array([0.1, 0.3, 0.3 + 1e-15])) == 1


# -- gain ratio: a value of its own for each case is no question


@given(CASES)
def test_the_ratio_is_the_gain_for_each_bit_of_the_answer(cases):
    weights, values, classes = arrays(cases)
    gain = group_gain(weights, values, classes, (3, 3))
    shares = np.bincount(values + 1, weights=weights, minlength=4)
    split = slow.entropy(parts(cases)[0], [str(value) for value in parts(cases)[1]]) if weights.any() else 0.0
    assert entropy(shares) == pytest.approx(split, abs=1e-12)
    expected = gain / split if split > 1e-9 else 0.0
    assert gain_ratio(gain, weights, values, 3) == pytest.approx(expected, abs=1e-9)


def conversation(n, customer):
    """Cases whose solution hangs on the light and the noise, with a customer each."""
    rng = np.random.default_rng(1)
    fixes = {("red", "yes"): '"paper"', ("red", "no"): '"tray"', ("off", "yes"): '"plug"', ("off", "no"): '"fuse"'}
    cases = []
    for i in range(n):
        light, noise = str(rng.choice(["red", "off"])), str(rng.choice(["yes", "no"]))
        cases.append((i, {"customer": customer(i), "light": light, "noise": noise}, fixes[light, noise], None))
    kinds = {
        "customer": Numeric() if isinstance(customer(0), int) else Nominal(),
        "light": Nominal(),
        "noise": Nominal(),
    }
    return Conversation(CaseTable.of(kinds, cases))


@pytest.mark.parametrize("n", [8, 15, 40])
@pytest.mark.parametrize("customer", [lambda i: f"C-{i}", lambda i: 5000 + i])
def test_the_customer_is_not_asked_for_first(n, customer):
    talk = conversation(n, customer)
    assert talk.next_question().attribute in ("light", "noise")
    asked = [question.attribute for question in talk.questions()]
    assert ("customer" in asked) == (n < 20)  # of few cases the values may differ by chance
    talk.tell("customer", customer(3))  # what is told counts all the same
    assert talk.next_question().attribute in ("light", "noise")


def test_a_question_that_gains_less_than_the_median_waits():
    """An uneven split has a large ratio: one odd case against all others."""
    rows = [
        (i, {"odd": "x" if i == 0 else "y", "half": "ab"[i % 2]}, f'"{i % 2 if i else 2}"', None) for i in range(12)
    ]
    talk = Conversation(CaseTable.of({"odd": Nominal(), "half": Nominal()}, rows))
    odd, half = sorted(talk.questions(), key=lambda question: question.attribute != "odd")
    assert odd.ratio > half.ratio
    assert talk.next_question().attribute == "half"
