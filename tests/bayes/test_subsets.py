"""The average over all subsets of the attributes, against the sum written out; leaving out one row, against refits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import subsets as reference
from subset_tables import CLASSES, DOMAINS, HALF, SCHEMA, counted, expected_proba, numbered, table

from priorcase.bayes import BDeu, Dirichlet, PerAttribute, Student, SubsetAveragedBayes
from priorcase.exceptions import TooFewRowsError
from priorcase.schema import Nominal

# -- against the sum written out


@pytest.mark.parametrize(
    ("weight", "inclusion"),
    [(Fraction(1), HALF), (Fraction(1, 2), Fraction(1, 10)), (Fraction(3), Fraction(9, 10))],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_sum_over_all_subsets(weight: Fraction, inclusion: Fraction, weighted: bool) -> None:
    rows, classes = table(10, 1)
    times = [1 + i % 3 for i in range(10)] if weighted else None
    model = SubsetAveragedBayes(prior=float(weight), inclusion=float(inclusion), schema=SCHEMA)
    model.partial_fit(rows, classes, CLASSES, times)
    known = numbered(rows, classes, times)
    attributes, mus, inclusions = [counted(values, weight) for values in DOMAINS], [weight] * 3, [inclusion] * 3
    everything = reference.total(known, attributes, mus, inclusions)
    assert model.log_evidence_ == pytest.approx(math.log(everything.numerator) - math.log(everything.denominator))
    relevance = [float(r) for r in reference.relevance(known, attributes, mus, inclusions)]
    np.testing.assert_allclose(model.relevance_.probabilities, relevance, rtol=1e-12)
    for query in (("a", "x", "p"), ("c", "y", "s"), (None, "x", None), (None, None, None)):
        joints = [reference.joint(known, (k, query), attributes, mus, inclusions) for k in range(3)]
        found = model.predict_joint_log_proba([list(query)])[0]
        np.testing.assert_allclose(np.exp(found), [float(joint) for joint in joints], rtol=1e-12)


def test_five_attributes_of_their_own_probabilities() -> None:
    random = np.random.default_rng(3)
    X, y = random.choice(["u", "v"], (9, 5)), random.choice(["no", "perhaps"], 9)
    inclusion = [Fraction(i, 8) for i in (1, 2, 4, 7, 8)]
    model = SubsetAveragedBayes(inclusion=[float(p) for p in inclusion]).fit(X, y)
    known = numbered(X.tolist(), y.tolist())
    attributes = [counted("uv", Fraction(1), 2)] * 5
    relevance = reference.relevance(known, attributes, [Fraction(1)] * 2, inclusion)
    np.testing.assert_allclose(model.relevance_.probabilities, [float(r) for r in relevance], rtol=1e-12)
    joints = [reference.joint(known, (k, tuple("uvuvu")), attributes, [Fraction(1)] * 2, inclusion) for k in (0, 1)]
    np.testing.assert_allclose(model.predict_proba([list("uvuvu")])[0], expected_proba(joints), rtol=1e-12)


def test_bdeu_shares_out_its_rows() -> None:
    rows, classes = table(12, 2)
    model = SubsetAveragedBayes(prior=BDeu(6.0), inclusion=0.5, schema=SCHEMA).partial_fit(rows, classes, CLASSES)
    attributes = [counted(values, Fraction(6, 3 * len(values))) for values in DOMAINS]
    known, mus = numbered(rows, classes), [Fraction(2)] * 3
    joints = [reference.joint(known, (k, ("a", "y", "q")), attributes, mus, [HALF] * 3) for k in range(3)]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([["a", "y", "q"]])[0]), [float(j) for j in joints])


def test_weights_by_class_are_added_up_where_the_class_does_not_matter() -> None:
    rows, classes = table(10, 4, 2)
    by_class = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    prior = PerAttribute({0: {"a": 2, "b": 1, "c": 0.5}, 1: by_class})
    schema = {a: SCHEMA[a] for a in (0, 1)}
    model = SubsetAveragedBayes(prior=prior, inclusion=0.5, schema=schema).partial_fit(rows, classes, CLASSES)
    same = {"a": Fraction(2), "b": Fraction(1), "c": HALF}
    own = [dict(zip("xy", map(Fraction, line), strict=True)) for line in by_class.tolist()]
    attributes = [reference.Counted([same] * 3), reference.Counted(own)]
    known, mus = numbered(rows, classes), [Fraction(1)] * 3
    joints = [float(reference.joint(known, (k, ("b", "y")), attributes, mus, [HALF] * 2)) for k in range(3)]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([["b", "y"]])[0]), joints, rtol=1e-12)


@pytest.mark.parametrize("prior", [1.0, 0.3, "bdeu"])
def test_an_unseen_value_widens_the_attribute(prior: Any) -> None:
    rows, classes = table(11, 5, gaps=0.0)
    undeclared = SubsetAveragedBayes(prior=prior).fit(rows, classes)
    for a, query in enumerate((["new", "x", "p"], ["a", "new", "p"], ["a", "x", "new"])):
        seen = [sorted({row[i] for row in rows}) for i in range(3)]
        seen[a].append("new")
        schema = {i: Nominal(values=tuple(seen[i])) for i in range(3)}
        declared = SubsetAveragedBayes(prior=prior, schema=schema).fit(rows, classes)
        expected = declared.predict_joint_log_proba([query])
        np.testing.assert_allclose(undeclared.predict_joint_log_proba([query]), expected, rtol=1e-13)
        assert declared.relevance_.probabilities[a] != undeclared.relevance_.probabilities[a]


def test_an_unseen_value_by_the_sum_over_all_subsets() -> None:
    rows, classes = table(10, 6, 2, gaps=0.0)
    model = SubsetAveragedBayes(inclusion=0.5).partial_fit(rows, classes, CLASSES)
    attributes = [counted(sorted({row[0] for row in rows}), Fraction(1)), counted(("x", "y", "new"), Fraction(1))]
    known = numbered(rows, classes)
    joints = [reference.joint(known, (k, ("a", "new")), attributes, [Fraction(1)] * 3, [HALF] * 2) for k in range(3)]
    found = np.exp(model.predict_joint_log_proba([["a", "new"]])[0])
    np.testing.assert_allclose(found, [float(joint) for joint in joints], rtol=1e-12)


@pytest.mark.parametrize("strategy", [Student(), Student(2.0, 3.0, mean=0.5, scale=2.0)])
def test_numbers_by_the_sum_over_all_subsets(strategy: Student) -> None:
    rows, classes = table(10, 7, 5)
    model = SubsetAveragedBayes(numeric=strategy, inclusion=0.5, schema=SCHEMA).partial_fit(rows, classes, CLASSES)
    attributes: list[Any] = [counted(values, Fraction(1)) for values in DOMAINS]
    for i in (3, 4):
        known_values = [row[i] for row in rows if row[i] is not None]
        own = reference.Normal.of(known_values)
        if strategy.mean is not None:
            own = reference.Normal(0.5, 2.0, 2.0, 3.0)
        attributes.append(own)
    known, mus, inclusion = numbered(rows, classes), [Fraction(1)] * 3, [HALF] * 5
    assert model.log_evidence_ == pytest.approx(math.log(reference.total(known, attributes, mus, inclusion)), rel=1e-12)
    np.testing.assert_allclose(
        model.relevance_.probabilities, reference.relevance(known, attributes, mus, inclusion), rtol=1e-10
    )
    for query in (["a", "x", "p", 1.5, -0.5], [None, "y", "q", None, 30.0]):
        joints = [reference.joint(known, (k, tuple(query)), attributes, mus, inclusion) for k in range(3)]
        np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([query])[0]), joints, rtol=1e-10)


def test_several_columns_at_once_by_the_sum_over_all_subsets() -> None:
    rows, classes = table(10, 17)
    model = SubsetAveragedBayes(inclusion=0.5, schema=SCHEMA).partial_fit(rows, classes, CLASSES)
    known, attributes = numbered(rows, classes), [counted(values, Fraction(1)) for values in DOMAINS]

    def joint(*row: Any) -> float:
        query = row[0], row[1:]
        return float(reference.joint(known, query, attributes, [Fraction(1)] * 3, [HALF] * 3))

    found = model.predict_joint([[None, "y", None]], [0, 2])
    whole = sum(joint(k, None, "y", None) for k in range(3))
    for i, first in enumerate(DOMAINS[0]):
        for j, third in enumerate(DOMAINS[2]):
            expected = sum(joint(k, first, "y", third) for k in range(3)) / whole
            assert found.probabilities[0, i, j] == pytest.approx(expected, rel=1e-12)
    _, proba = model.predict_column([["a", None, "p"]], 1, return_proba=True)
    told = [sum(joint(k, "a", value, "p") for k in range(3)) for value in DOMAINS[1]]
    np.testing.assert_allclose(proba[0], np.array(told) / sum(told), rtol=1e-12)


def test_a_number_from_the_other_columns() -> None:
    X = [["red", 1.0], ["red", 2.0], ["red", 1.5], ["blue", 8.0], ["blue", 9.0], ["blue", 8.5]]
    model = SubsetAveragedBayes(numeric="student", inclusion=0.5).fit(X, ["no"] * 3 + ["yes"] * 3)
    low, high = model.predict_column([["red", None], ["blue", None]], 1)
    assert 1.5 < low < high < 8.5


# -- left out


def refitted(model: SubsetAveragedBayes, rows: list[Any], classes: Any, weights: Any) -> np.ndarray[Any, Any]:
    """Leave-one-out the long way."""
    found = []
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i]
        fresh = SubsetAveragedBayes(**model.get_params()).partial_fit(
            [rows[j] for j in others],
            [classes[j] for j in others],
            model.classes_,
            None if weights is None else [weights[j] for j in others],
        )
        found.append(fresh.predict_proba([rows[i]])[0])
    return np.array(found)


@pytest.mark.parametrize("weighted", [None, "whole", "fractions"])
@pytest.mark.parametrize(
    "parameters",
    [
        {"numeric": "student"},
        {"numeric": "student", "prior": "bdeu", "missing": "value"},
        {
            "numeric": "student",
            "prior": 0.2,
            "class_prior": Dirichlet({"no": 1.0, "perhaps": 2.0, "yes": 0.1}),
            "inclusion": {2: 0.9, 4: 0.0, 0: 1.0},
        },
        {"numeric": Student(0.5, 2.0, mean=1.0)},
        {"numeric": {3: Student(scale=2.0), 4: "student"}, "missing": "value"},
    ],
    ids=str,
)
def test_leaving_out_is_a_fit_without(parameters: dict[str, Any], weighted: str | None) -> None:
    rows, classes = table(15, 8, 5, gaps=0.2)
    rows[3][2], rows[7][0] = "only here", "only there"
    weights = None if weighted is None else np.arange(1.0, 16.0) / (1 if weighted == "whole" else 7)
    model = SubsetAveragedBayes(**parameters).fit(rows, classes, weights)
    expected = refitted(model, rows, classes, weights)
    np.testing.assert_allclose(model.loo_predict_proba(), expected, rtol=1e-10, atol=1e-14)


def test_leaving_out_with_few_rows() -> None:
    rows, classes = [["a", 1.0], ["b", 2.0], ["b", 2.0], [None, None]], ["no", "yes", "yes", "no"]
    model = SubsetAveragedBayes(numeric="student").fit(rows, classes)
    np.testing.assert_allclose(model.loo_predict_proba(), refitted(model, rows, classes, None), rtol=1e-10)
    two = SubsetAveragedBayes(numeric="student").fit(rows[:2], classes[:2])
    np.testing.assert_allclose(two.loo_predict_proba(), refitted(two, rows[:2], classes[:2], None), rtol=1e-10)
    with pytest.raises(TooFewRowsError):
        SubsetAveragedBayes().fit(rows[:1], classes[:1]).loo_predict_proba()


def test_leaving_out_an_outlier() -> None:
    X = np.array([[1.0], [1.5], [0.5], [2.0], [1e8], [1.25]])
    model = SubsetAveragedBayes(numeric="student").fit(X, [0, 0, 1, 1, 0, 1])
    expected = refitted(model, X.tolist(), [0, 0, 1, 1, 0, 1], None)
    np.testing.assert_allclose(model.loo_predict_proba(), expected, rtol=1e-10)


def test_leaving_out_of_given_bins_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from priorcase.bayes import CutPoints, subsets

    rows, classes = table(30, 9, 5)
    weights = np.random.default_rng(0).random(30)
    model = SubsetAveragedBayes(numeric={3: CutPoints((1.0, 3.0)), 4: "student"}).fit(rows, classes, weights)
    whole = model.loo_predict_proba()
    np.testing.assert_allclose(whole, refitted(model, rows, classes, weights), rtol=1e-10)
    monkeypatch.setattr(subsets, "_NUMBERS_AT_ONCE", 7)
    assert model.loo_predict_proba().tobytes() == whole.tobytes()
