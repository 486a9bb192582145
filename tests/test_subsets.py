"""The average over all subsets of the attributes."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from checks import CONTAINERS, mixed_checks
from hypothesis import given
from hypothesis import strategies as st
from reference import subsets as reference
from sklearn.utils.estimator_checks import parametrize_with_checks
from tables import labels, mixed_rows, row_lists

from priorcase.bayes.naive_bayes import NaiveBayes
from priorcase.bayes.priors import BDeu, Dirichlet, PerAttribute
from priorcase.bayes.student import Student
from priorcase.bayes.subsets import SubsetAveragedBayes
from priorcase.exceptions import ParameterError, PriorcaseError, TooFewRowsError
from priorcase.schema import Nominal, Numeric

CLASSES = ("no", "perhaps", "yes")
DOMAINS = (("a", "b", "c"), ("x", "y"), ("p", "q", "r", "s"))
SCHEMA = {0: Nominal(values=DOMAINS[0]), 1: Nominal(values=DOMAINS[1]), 2: Nominal(values=DOMAINS[2])}
HALF = Fraction(1, 2)


def table(n: int, seed: int, width: int = 3, gaps: float = 0.15) -> tuple[list[list[Any]], list[str]]:
    """Rows of which the first attribute follows the class, the second by half, the third not; then numbers."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, n)
    rows = []
    for k in classes.tolist():
        row: list[Any] = [
            DOMAINS[0][k if random.random() < 0.8 else random.integers(0, 3)],
            DOMAINS[1][k % 2 if random.random() < 0.5 else random.integers(0, 2)],
            DOMAINS[2][random.integers(0, 4)],
            float(np.round(2.0 * k + random.normal(), 2)),
            float(np.round(random.normal(), 2)),
        ]
        rows.append([None if random.random() < gaps else value for value in row[:width]])
    return rows, [CLASSES[k] for k in classes]


def numbered(rows: list[list[Any]], classes: Sequence[str], weights: Sequence[int] | None = None) -> list[Any]:
    """The rows as the reference wants them."""
    times = [1] * len(rows) if weights is None else weights
    return [(CLASSES.index(k), tuple(row), Fraction(w)) for row, k, w in zip(rows, classes, times, strict=True)]


def counted(values: Sequence[Any], own: Fraction, rest: Fraction | None = None) -> reference.Counted:
    """A discrete attribute whose values weigh the same."""
    return reference.Counted(dict.fromkeys(values, own), dict.fromkeys(values, own if rest is None else rest))


def expected_proba(joints: list[Any]) -> list[float]:
    return [float(joint / sum(joints)) for joint in joints]


# -- against the sum written out


@pytest.mark.parametrize("weight", [Fraction(1), Fraction(1, 2), Fraction(3)])
@pytest.mark.parametrize("inclusion", [HALF, Fraction(1, 10), Fraction(9, 10)])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_the_sum_over_all_subsets(weight: Fraction, inclusion: Fraction, weighted: bool) -> None:
    rows, classes = table(12, 1)
    times = [1 + i % 3 for i in range(12)] if weighted else None
    model = SubsetAveragedBayes(prior=float(weight), inclusion=float(inclusion), schema=SCHEMA)
    model.partial_fit(rows, classes, CLASSES, times)
    known = numbered(rows, classes, times)
    attributes, mus, inclusions = [counted(values, weight) for values in DOMAINS], [weight] * 3, [inclusion] * 3
    everything = reference.total(known, attributes, mus, inclusions)
    assert model.log_evidence_ == pytest.approx(math.log(everything.numerator) - math.log(everything.denominator))
    relevance = [float(r) for r in reference.relevance(known, attributes, mus, inclusions)]
    np.testing.assert_allclose(model.relevance_, relevance, rtol=1e-12)
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
    attributes = [counted("uv", Fraction(1))] * 5
    relevance = reference.relevance(known, attributes, [Fraction(1)] * 2, inclusion)
    np.testing.assert_allclose(model.relevance_, [float(r) for r in relevance], rtol=1e-12)
    joints = [reference.joint(known, (k, tuple("uvuvu")), attributes, [Fraction(1)] * 2, inclusion) for k in (0, 1)]
    np.testing.assert_allclose(model.predict_proba([list("uvuvu")])[0], expected_proba(joints), rtol=1e-12)


def test_bdeu_shares_out_its_rows_where_the_class_does_not_matter() -> None:
    rows, classes = table(12, 2)
    model = SubsetAveragedBayes(prior=BDeu(6.0), schema=SCHEMA).partial_fit(rows, classes, CLASSES)
    attributes = [counted(values, Fraction(6, 3 * len(values)), Fraction(6, len(values))) for values in DOMAINS]
    known, mus = numbered(rows, classes), [Fraction(2)] * 3
    joints = [reference.joint(known, (k, ("a", "y", "q")), attributes, mus, [HALF] * 3) for k in range(3)]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([["a", "y", "q"]])[0]), [float(j) for j in joints])


def test_weights_by_class_are_averaged_where_the_class_does_not_matter() -> None:
    rows, classes = table(10, 4, 2)
    by_class = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    prior = PerAttribute({0: {"a": 2, "b": 1, "c": 0.5}, 1: by_class})
    schema = {a: SCHEMA[a] for a in (0, 1)}
    model = SubsetAveragedBayes(prior=prior, schema=schema).partial_fit(rows, classes, CLASSES)
    same = {"a": Fraction(2), "b": Fraction(1), "c": HALF}

    def total(row: Any = ()) -> Any:
        """One class's weights differ from another's, so each class of the second attribute is written out."""
        known = [*numbered(rows, classes), *row]
        first = reference.total(known_of(known, 0), [reference.Counted(same, same)], [Fraction(1)] * 3, [HALF])
        included = Fraction(1)
        for k in range(3):
            weights = dict(zip("xy", map(Fraction, by_class[k].tolist()), strict=True))
            of_class = [(0, values, w) for j, values, w in known_of(known, 1) if j == k]
            included *= reference.marginal(of_class, (True,), [reference.Counted(weights, weights)], [Fraction(1)])
        mean = {"x": Fraction(3), "y": Fraction(5)}
        all_rows = [(0, values, w) for _, values, w in known_of(known, 1)]
        excluded = reference.marginal(all_rows, (False,), [reference.Counted(mean, mean)], [Fraction(1)])
        return first * (included + excluded) / 2

    joints = [float(total([(k, ("b", "y"), Fraction(1))]) / total()) for k in range(3)]
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([["b", "y"]])[0]), joints, rtol=1e-12)


def known_of(rows: list[Any], i: int) -> list[Any]:
    return [(k, (values[i],), w) for k, values, w in rows]


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
        assert declared.relevance_[a] != undeclared.relevance_[a]


def test_an_unseen_value_by_the_sum_over_all_subsets() -> None:
    rows, classes = table(10, 6, 2, gaps=0.0)
    model = SubsetAveragedBayes().partial_fit(rows, classes, CLASSES)
    attributes = [counted(sorted({row[0] for row in rows}), Fraction(1)), counted(("x", "y", "new"), Fraction(1))]
    known = numbered(rows, classes)
    joints = [reference.joint(known, (k, ("a", "new")), attributes, [Fraction(1)] * 3, [HALF] * 2) for k in range(3)]
    found = np.exp(model.predict_joint_log_proba([["a", "new"]])[0])
    np.testing.assert_allclose(found, [float(joint) for joint in joints], rtol=1e-12)


@pytest.mark.parametrize("strategy", [Student(), Student(2.0, 3.0, mean=0.5, scale=2.0)])
def test_numbers_by_the_sum_over_all_subsets(strategy: Student) -> None:
    rows, classes = table(14, 7, 5)
    model = SubsetAveragedBayes(numeric=strategy, schema=SCHEMA).partial_fit(rows, classes, CLASSES)
    attributes: list[Any] = [counted(values, Fraction(1)) for values in DOMAINS]
    for i in (3, 4):
        known_values = [row[i] for row in rows if row[i] is not None]
        own = reference.Normal.of(known_values)
        if strategy.mean is not None:
            own = reference.Normal(0.5, 2.0, 2.0, 3.0)
        attributes.append(own)
    known, mus, inclusion = numbered(rows, classes), [Fraction(1)] * 3, [HALF] * 5
    assert model.log_evidence_ == pytest.approx(math.log(reference.total(known, attributes, mus, inclusion)), rel=1e-12)
    np.testing.assert_allclose(model.relevance_, reference.relevance(known, attributes, mus, inclusion), rtol=1e-10)
    for query in (["a", "x", "p", 1.5, -0.5], [None, "y", "q", None, 30.0]):
        joints = [reference.joint(known, (k, tuple(query)), attributes, mus, inclusion) for k in range(3)]
        np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([query])[0]), joints, rtol=1e-10)


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
        {},
        {"prior": "bdeu", "missing": "value"},
        {"prior": 0.2, "class_prior": {"no": 1.0, "perhaps": 2.0, "yes": 0.1}, "inclusion": {2: 0.9, 4: 0.0, 0: 1.0}},
        {"numeric": Student(0.5, 2.0, mean=1.0)},
        {"numeric": {3: Student(scale=2.0)}, "missing": "value"},
    ],
    ids=str,
)
def test_leaving_out_is_a_fit_without(parameters: dict[str, Any], weighted: str | None) -> None:
    rows, classes = table(25, 8, 5, gaps=0.2)
    rows[3][2], rows[7][0] = "only here", "only there"
    weights = None if weighted is None else np.arange(1.0, 26.0) / (1 if weighted == "whole" else 7)
    model = SubsetAveragedBayes(**parameters).fit(rows, classes, weights)
    expected = refitted(model, rows, classes, weights)
    np.testing.assert_allclose(model.loo_predict_proba(), expected, rtol=1e-10, atol=1e-14)


def test_leaving_out_with_few_rows() -> None:
    rows, classes = [["a", 1.0], ["b", 2.0], ["b", 2.0], [None, None]], ["no", "yes", "yes", "no"]
    model = SubsetAveragedBayes().fit(rows, classes)
    np.testing.assert_allclose(model.loo_predict_proba(), refitted(model, rows, classes, None), rtol=1e-10)
    two = SubsetAveragedBayes().fit(rows[:2], classes[:2])
    np.testing.assert_allclose(two.loo_predict_proba(), refitted(two, rows[:2], classes[:2], None), rtol=1e-10)
    with pytest.raises(TooFewRowsError):
        SubsetAveragedBayes().fit(rows[:1], classes[:1]).loo_predict_proba()


def test_leaving_out_an_outlier() -> None:
    X = np.array([[1.0], [1.5], [0.5], [2.0], [1e8], [1.25]])
    model = SubsetAveragedBayes().fit(X, [0, 0, 1, 1, 0, 1])
    expected = refitted(model, X.tolist(), [0, 0, 1, 1, 0, 1], None)
    np.testing.assert_allclose(model.loo_predict_proba(), expected, rtol=1e-10)


def test_leaving_out_of_given_bins_and_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    from priorcase.bayes import subset_loo
    from priorcase.bayes.discretise import CutPoints

    rows, classes = table(30, 9, 5)
    weights = np.random.default_rng(0).random(30)
    model = SubsetAveragedBayes(numeric={3: CutPoints((1.0, 3.0))}).fit(rows, classes, weights)
    whole = model.loo_predict_proba()
    np.testing.assert_allclose(whole, refitted(model, rows, classes, weights), rtol=1e-10)
    monkeypatch.setattr(subset_loo, "_NUMBERS_AT_ONCE", 7)
    assert model.loo_predict_proba().tobytes() == whole.tobytes()


# -- what it means


def test_planted_attributes_are_found() -> None:
    random = np.random.default_rng(11)
    classes = random.integers(0, 2, 400)
    X = np.empty((400, 5), dtype=object)
    X[:, 0] = np.where(random.random(400) < 0.8, classes, 1 - classes).astype(str)
    X[:, 1] = random.choice(["u", "v", "w"], 400)
    X[:, 2] = classes + random.normal(0, 1, 400)
    X[:, 3] = random.normal(0, 1, 400)
    X[:, 4] = random.normal(0, 1 + 2 * classes, 400)
    model = SubsetAveragedBayes().fit(X, classes)
    relevance = model.relevance_
    assert (relevance[[0, 2, 4]] > 0.999).all()
    assert (relevance[[1, 3]] < 0.1).all()
    assert list(model.relevance_table()) == [0, 1, 2, 3, 4]
    assert model.relevance_table()[1] == relevance[1]


def test_inclusion_at_its_ends() -> None:
    rows, classes = table(30, 12, 5)
    plain = NaiveBayes().fit(rows, classes)
    everything = SubsetAveragedBayes(inclusion=1.0).fit(rows, classes)
    assert everything.log_evidence_ == pytest.approx(plain.log_evidence_, rel=1e-14)
    queries = [*rows, ["new", None, "p", 100.0, -3.0]]
    np.testing.assert_allclose(
        everything.predict_joint_log_proba(queries), plain.predict_joint_log_proba(queries), rtol=1e-14
    )
    np.testing.assert_allclose(everything.loo_predict_proba(), plain.loo_predict_proba(), rtol=1e-12)
    assert everything.relevance_.tolist() == [1.0] * 5
    nothing = SubsetAveragedBayes(inclusion=0.0).fit(rows, classes)
    shares = (nothing.class_count_ + 1.0) / (30 + 3)
    np.testing.assert_allclose(nothing.predict_proba(queries), np.tile(shares, (31, 1)), rtol=1e-12)
    assert nothing.relevance_.tolist() == [0.0] * 5


def test_near_certainty_leaves_room_for_doubt() -> None:
    """Relevance rounds to 1, yet far away the density of all classes together still counts."""
    random = np.random.default_rng(0)
    classes = np.repeat([0, 1], 200)
    X = (1000.0 * classes + random.normal(0, 1, 400))[:, np.newaxis]
    model = SubsetAveragedBayes().fit(X, classes)
    assert model.relevance_.tolist() == [1.0]
    odds = model.relevance_table().log_odds[0]
    assert 100 < odds < 10_000
    joint = model.predict_joint_log_proba([[1e7]])[0]
    plain = NaiveBayes().fit(X, classes)
    assert (joint >= plain.predict_joint_log_proba([[1e7]])[0] - 1e-9).all()
    assert np.isfinite(joint).all()


def test_attributes_that_say_nothing_keep_their_prior_probability() -> None:
    X = [["a", None, 3.0, None, "u"], ["a", None, 3.0, None, "v"], ["a", None, 3.0, None, "u"]]
    kinds = {1: Nominal(), 3: Nominal(values=("p", "q"))}
    model = SubsetAveragedBayes(inclusion=0.3, schema=kinds).fit(X, ["no", "yes", "no"])
    np.testing.assert_allclose(model.relevance_[:4], 0.3)
    assert model.relevance_[4] > 0.3
    assert np.isfinite(model.predict_proba([["b", "new", 7.0, "p", "w"]])).all()


def test_one_class_and_a_class_without_rows() -> None:
    rows, _ = table(8, 13)
    one = SubsetAveragedBayes().fit(rows, ["yes"] * 8)
    np.testing.assert_array_equal(one.predict_proba(rows), np.ones((8, 1)))
    np.testing.assert_allclose(one.relevance_, 0.5)
    declared = SubsetAveragedBayes(schema=SCHEMA).partial_fit(rows, ["yes"] * 8, ["no", "yes"])
    np.testing.assert_allclose(declared.relevance_, 0.5)
    np.testing.assert_allclose(declared.loo_predict_proba().sum(axis=1), 1.0)


def test_the_automatic_weight_has_the_largest_sum() -> None:
    rows, classes = table(60, 14, 5)
    chosen = SubsetAveragedBayes(prior="auto").fit(rows, classes)
    assert isinstance(chosen.prior_, Dirichlet)
    best = chosen.log_evidence_
    for weight in (0.5, 0.9, 1.1, 2.0):
        other = SubsetAveragedBayes(prior=chosen.prior_.weight * weight).fit(rows, classes)
        assert other.log_evidence_ < best


@pytest.mark.parametrize("prior", [1e-100, 1e-3, 1e100])
def test_any_weight_gives_probabilities(prior: float) -> None:
    rows, classes = table(40, 15, 5)
    model = SubsetAveragedBayes(prior=prior).fit(rows, classes)
    assert ((model.relevance_ >= 0) & (model.relevance_ <= 1)).all()
    for found in (model.predict_proba([*rows, ["new", "new", None, 1e9, 0.0]]), model.loo_predict_proba()):
        np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_many_rows_and_columns_do_not_overflow() -> None:
    random = np.random.default_rng(2)
    X, y = random.integers(0, 3, (20_000, 30)).astype(str), random.integers(0, 4, 20_000)
    X[:, 0] = y.astype(str)
    model = SubsetAveragedBayes().fit(X, y)
    assert model.relevance_[0] == 1.0
    assert (model.relevance_[1:] < 0.01).all()
    np.testing.assert_allclose(model.loo_predict_proba().sum(axis=1), 1.0)


# -- laws


@given(row_lists(min_size=2, max_size=10), st.integers(0, 100))
def test_the_order_of_the_attributes_only_permutes(rows: list[list[Any]], seed: int) -> None:
    classes = labels(len(rows), seed)
    schema = {0: Numeric(), 1: Nominal(), 2: Nominal()}
    model = SubsetAveragedBayes(schema=schema).fit(rows, classes)
    order = np.random.default_rng(seed).permutation(3).tolist()
    turned = [[row[a] for a in order] for row in rows]
    kinds = {i: schema[a] for i, a in enumerate(order)}
    other = SubsetAveragedBayes(schema=kinds).fit(turned, classes)
    assert other.relevance_.tobytes() == model.relevance_[order].tobytes()
    assert ((model.relevance_ >= 0) & (model.relevance_ <= 1)).all()
    np.testing.assert_allclose(other.predict_proba(turned), model.predict_proba(rows), rtol=1e-12)
    assert other.log_evidence_ == pytest.approx(model.log_evidence_, rel=1e-12)


@given(row_lists(min_size=2, max_size=12), st.integers(0, 100), st.booleans())
def test_however_the_rows_came(rows: list[list[Any]], seed: int, weighted: bool) -> None:
    random = np.random.default_rng(seed)
    classes, weights = labels(len(rows), seed), random.random(len(rows)) + 0.1 if weighted else np.ones(len(rows))
    schema = {0: Numeric(), 1: Nominal(), 2: Nominal()}
    extra, extra_classes = mixed_rows(5, seed), labels(5, seed + 1)
    new = lambda: SubsetAveragedBayes(prior=0.3, schema=schema)  # noqa: E731 - three models alike
    fresh = new().fit(rows, classes, weights)
    came = new().fit([row[:3] for row in extra], extra_classes, random.random(5) + 0.1 if weighted else None)
    came.partial_fit(rows[: len(rows) // 2], classes[: len(rows) // 2], sample_weight=weights[: len(rows) // 2])
    rest = new().fit(rows[len(rows) // 2 :], classes[len(rows) // 2 :], weights[len(rows) // 2 :])
    came.merge(rest).forget(range(5))
    for model in (came, pickle.loads(pickle.dumps(came))):
        assert model.relevance_.tobytes() == fresh.relevance_.tobytes()
        assert model.log_evidence_ == fresh.log_evidence_
        assert model.predict_joint_log_proba(rows).tobytes() == fresh.predict_joint_log_proba(rows).tobytes()
        assert model.loo_predict_proba().tobytes() == fresh.loo_predict_proba().tobytes()
    backwards = new().fit(rows[::-1], classes[::-1], weights[::-1])
    assert backwards.relevance_.tobytes() == fresh.relevance_.tobytes()
    assert backwards.loo_predict_proba()[::-1].tobytes() == fresh.loo_predict_proba().tobytes()


def test_weights_are_repetitions() -> None:
    rows, classes = table(25, 16, 5)
    times = np.random.default_rng(1).integers(1, 4, 25)
    weighted = SubsetAveragedBayes().fit(rows, classes, times)
    repeated = SubsetAveragedBayes().fit(np.repeat(np.array(rows, object), times, axis=0), np.repeat(classes, times))
    assert weighted.relevance_.tobytes() == repeated.relevance_.tobytes()
    assert weighted.predict_joint_log_proba(rows).tobytes() == repeated.predict_joint_log_proba(rows).tobytes()


# -- contract


@parametrize_with_checks([SubsetAveragedBayes(), SubsetAveragedBayes(prior="auto", inclusion=0.2, numeric="mdl")])
def test_sklearn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("check", [*mixed_checks(SubsetAveragedBayes())])
def test_mixed_checks(check: Callable[[Any, str], None], kind: str) -> None:
    check(SubsetAveragedBayes(), kind)


# -- words


def test_the_table_of_relevance() -> None:
    model = SubsetAveragedBayes().fit([["a", "x"], ["a", "x"], ["b", "x"], ["b", "x"]], [0, 0, 1, 1])
    table = model.relevance_table()
    assert repr(table) == "attribute  matters  log-odds\n0           0.7692     +1.20\n1           0.5000     +0.00"
    assert dict(table) == {0: table[0], 1: 0.5}
    assert len(table) == 2
    assert "<td>0.7692</td>" in table._repr_html_()
    with pytest.raises(KeyError):
        table["size"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"inclusion": 1.5}, "inclusion=1.5; expected a number from 0 to 1, one for each attribute, or a mapping"),
        ({"inclusion": -0.1}, "inclusion=-0.1; expected a number from 0 to 1"),
        ({"inclusion": np.nan}, "inclusion=nan; expected a number from 0 to 1"),
        ({"inclusion": None}, "inclusion=None; expected a number from 0 to 1"),
        ({"inclusion": True}, "inclusion=True; expected a number from 0 to 1"),
        ({"inclusion": "half"}, "inclusion='half'; expected a number from 0 to 1"),
        ({"inclusion": [0.5]}, "inclusion=[0.5]; expected 2 numbers from 0 to 1, one for each attribute.\nHint: 0.5 "),
        ({"inclusion": [0.5, 2.0]}, "expected 2 numbers from 0 to 1, one for each attribute."),
        ({"inclusion": ["a", "b"]}, "expected 2 numbers from 0 to 1, one for each attribute."),
        ({"inclusion": {0: 2.0}}, "inclusion[0]=2.0; expected a number from 0 to 1.\nHint: 0.5 makes all subsets"),
        ({"inclusion": {"size": 0.5}}, "inclusion with 'size', which is no column"),
        ({"numeric": "gaussian"}, "numeric='gaussian'; expected 'student' or a way to cut numbers into bins.\nHint: "),
        ({"numeric": "kernel"}, "subsets count by marginal likelihoods, which 'gaussian' and 'kernel' do not have."),
        ({"numeric": {0: "kernel"}}, "numeric={0: 'kernel'}; expected 'student' or a way to cut numbers into bins."),
        ({"numeric": "bins"}, "numeric='bins'; expected a strategy for numeric columns"),
        ({"missing": "skip"}, "missing='skip'; expected 'ignore' or 'value'."),
        ({"prior": 0.0}, "prior=0.0; expected"),
        ({"prior": "flat"}, "prior='flat'; expected"),
        ({"class_prior": [1.0]}, "class_prior"),
    ],
    ids=str,
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    model = SubsetAveragedBayes(**parameters)
    with pytest.raises(PriorcaseError) as caught:
        model.fit([[1.0, 2.0], [2.0, 3.0]], ["a", "b"])
    assert message in str(caught.value)
    assert "SubsetAveragedBayes.fit got " in str(caught.value)
    assert not hasattr(model, "n_features_in_")


def test_a_refused_row_changes_nothing() -> None:
    model = SubsetAveragedBayes(prior={0: {"a": 1.0, "b": 2.0}}).fit([["a"], ["b"]], ["no", "yes"])
    before = model.relevance_
    with pytest.raises(PriorcaseError, match="partial_fit"):
        model.partial_fit([["c"]], ["no"])
    assert model.relevance_.tobytes() == before.tobytes()
    with pytest.raises(ParameterError, match="other="):
        model.merge(model)
    with pytest.raises(TooFewRowsError):
        _ = model.forget([0, 1]).relevance_
