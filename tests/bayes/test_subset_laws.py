"""The average over all subsets of the attributes: what it means, its laws, its contract and its words."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import subsets as reference
from subset_tables import DOMAINS, SCHEMA, counted, table
from tables import labels, mixed_rows, row_lists

from priorcase.bayes import BDeu, Dirichlet, MEstimate, NaiveBayes, SubsetAveragedBayes
from priorcase.exceptions import ParameterError, PriorcaseError, TooFewRowsError
from priorcase.schema import Nominal, Numeric

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
    relevance = model.relevance_.probabilities
    assert (relevance[[0, 2, 4]] > 0.999).all()
    assert (relevance[[1, 3]] < 0.1).all()
    assert list(model.relevance_) == [0, 1, 2, 3, 4]
    assert model.relevance_[1] == relevance[1]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("rows", [100, 400])
def test_noise_does_not_matter_however_many_values_it_has(rows: int, n_classes: int) -> None:
    found = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        y = random.permutation(np.arange(rows) % n_classes)
        columns = [random.integers(0, n, rows).astype(str) for n in (2, 5, 20, 100, 400)]
        columns += [np.arange(rows).astype(str), random.normal(size=rows), random.integers(1, 6, rows).astype(float)]
        told = y + n_classes * random.integers(0, 5, rows)
        told[: rows // 10] = random.integers(0, 5 * n_classes, rows // 10)
        columns += [told.astype(str), y + random.normal(size=rows) / 2]
        X = np.array(columns, dtype=object).T
        schema = {a: Numeric() if a in (6, 7, 9) else Nominal() for a in range(10)}
        found.append(SubsetAveragedBayes(schema=schema).fit(X, y).relevance_.probabilities)
    relevance = np.mean(found, axis=0)
    assert (relevance[:8] < 0.1).all()
    assert (relevance[8:] > 0.9).all()


@pytest.mark.parametrize("prior", [0.1, 1.0, 10.0, BDeu(1.0), MEstimate(1.0)], ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_values_that_all_differ_speak_for_no_structure(prior: Any, n_classes: int) -> None:
    """With classes of equal size no shared prior speaks against such a column; weak ones, as BDeu's, speak for it."""
    y = np.arange(400) % n_classes
    X = [[str(i)] for i in range(400)]
    model = SubsetAveragedBayes(prior=prior, inclusion=0.5, schema={0: Nominal()}).fit(X, y)
    assert model.relevance_.probabilities[0] > 0.5
    if isinstance(prior, float) and prior >= 1.0:
        assert model.relevance_.probabilities[0] < 0.6
    if isinstance(prior, BDeu):
        assert model.relevance_.probabilities[0] > 0.9


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
    assert everything.relevance_.probabilities.tolist() == [1.0] * 5
    nothing = SubsetAveragedBayes(inclusion=0.0).fit(rows, classes)
    shares = (nothing.class_count_ + 1.0) / (30 + 3)
    np.testing.assert_allclose(nothing.predict_proba(queries), np.tile(shares, (31, 1)), rtol=1e-12)
    assert nothing.relevance_.probabilities.tolist() == [0.0] * 5


def test_near_certainty_leaves_room_for_doubt() -> None:
    """Relevance rounds to 1, yet far away the density of all classes together still counts."""
    random = np.random.default_rng(0)
    classes = np.repeat([0, 1], 200)
    X = (1000.0 * classes + random.normal(0, 1, 400))[:, np.newaxis]
    model = SubsetAveragedBayes(numeric="student").fit(X, classes)
    assert model.relevance_.probabilities.tolist() == [1.0]
    odds = model.relevance_.log_odds[0]
    assert 100 < odds < 10_000
    joint = model.predict_joint_log_proba([[1e7]])[0]
    plain = NaiveBayes(numeric="student").fit(X, classes)
    assert (joint >= plain.predict_joint_log_proba([[1e7]])[0] - 1e-9).all()
    assert np.isfinite(joint).all()


def test_attributes_that_say_nothing_keep_their_prior_probability() -> None:
    X = [["a", None, 3.0, None, "u"], ["a", None, 3.0, None, "v"], ["a", None, 3.0, None, "u"]]
    kinds = {1: Nominal(), 3: Nominal(values=("p", "q"))}
    model = SubsetAveragedBayes(inclusion=0.3, schema=kinds).fit(X, ["no", "yes", "no"])
    np.testing.assert_allclose(model.relevance_.probabilities[:4], 0.3)
    assert model.relevance_.probabilities[4] > 0.3
    assert np.isfinite(model.predict_proba([["b", "new", 7.0, "p", "w"]])).all()


def test_one_class_and_a_class_without_rows() -> None:
    rows, _ = table(8, 13)
    one = SubsetAveragedBayes().fit(rows, ["yes"] * 8)
    np.testing.assert_array_equal(one.predict_proba(rows), np.ones((8, 1)))
    np.testing.assert_allclose(one.relevance_.probabilities, 0.05)
    declared = SubsetAveragedBayes(schema=SCHEMA).partial_fit(rows, ["yes"] * 8, ["no", "yes"])
    known = [(0, tuple(row), Fraction(1)) for row in rows]
    attributes = [counted(own, Fraction(1), 2) for own in DOMAINS]
    expected = reference.relevance(known, attributes, [Fraction(1)] * 2, [Fraction(1, 20)] * 3)
    np.testing.assert_allclose(declared.relevance_.probabilities, [float(r) for r in expected])
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
    assert ((model.relevance_.probabilities >= 0) & (model.relevance_.probabilities <= 1)).all()
    for found in (model.predict_proba([*rows, ["new", "new", None, 1e9, 0.0]]), model.loo_predict_proba()):
        np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_many_rows_and_columns_do_not_overflow() -> None:
    random = np.random.default_rng(2)
    X, y = random.integers(0, 3, (20_000, 30)).astype(str), random.integers(0, 4, 20_000)
    X[:, 0] = y.astype(str)
    model = SubsetAveragedBayes().fit(X, y)
    assert model.relevance_.probabilities[0] == 1.0
    assert (model.relevance_.probabilities[1:] < 0.01).all()
    np.testing.assert_allclose(model.loo_predict_proba().sum(axis=1), 1.0)


def test_contributions_add_up() -> None:
    rows, classes = table(40, 18, 5)
    model = SubsetAveragedBayes().fit(rows, classes)
    found = model.contributions(rows)
    np.testing.assert_allclose(found.contributions.sum(axis=1), found.total, rtol=1e-12, atol=1e-12)
    logs = np.sort(model.predict_log_proba(rows), axis=1)
    np.testing.assert_allclose(found.total, logs[:, -1] - logs[:, -2], rtol=1e-12, atol=1e-12)
    out = SubsetAveragedBayes(inclusion={2: 0.0}).fit(rows, classes).contributions(rows)
    np.testing.assert_allclose(out.contributions[:, 3], 0.0, atol=1e-12)


# -- laws


@settings(max_examples=25)
@given(row_lists(min_size=2, max_size=10), st.integers(0, 100))
def test_the_order_of_the_attributes_only_permutes(rows: list[list[Any]], seed: int) -> None:
    classes = labels(len(rows), seed)
    schema = {0: Numeric(), 1: Nominal(), 2: Nominal()}
    model = SubsetAveragedBayes(schema=schema).fit(rows, classes)
    order = np.random.default_rng(seed).permutation(3).tolist()
    turned = [[row[a] for a in order] for row in rows]
    kinds = {i: schema[a] for i, a in enumerate(order)}
    other = SubsetAveragedBayes(schema=kinds).fit(turned, classes)
    assert other.relevance_.probabilities.tobytes() == model.relevance_.probabilities[order].tobytes()
    assert ((model.relevance_.probabilities >= 0) & (model.relevance_.probabilities <= 1)).all()
    np.testing.assert_allclose(other.predict_proba(turned), model.predict_proba(rows), rtol=1e-12)
    assert other.log_evidence_ == pytest.approx(model.log_evidence_, rel=1e-12)


@settings(max_examples=25)
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
        assert model.relevance_.probabilities.tobytes() == fresh.relevance_.probabilities.tobytes()
        assert model.log_evidence_ == fresh.log_evidence_
        assert model.predict_joint_log_proba(rows).tobytes() == fresh.predict_joint_log_proba(rows).tobytes()
        assert model.loo_predict_proba().tobytes() == fresh.loo_predict_proba().tobytes()
    backwards = new().fit(rows[::-1], classes[::-1], weights[::-1])
    # Moments are added up in the order of the rows, so another order may round differently.
    np.testing.assert_allclose(backwards.relevance_.probabilities, fresh.relevance_.probabilities, rtol=1e-12)
    np.testing.assert_allclose(backwards.loo_predict_proba()[::-1], fresh.loo_predict_proba(), rtol=1e-12)


def test_weights_are_repetitions() -> None:
    rows, classes = table(25, 16, 5)
    times = np.random.default_rng(1).integers(1, 4, 25)
    weighted = SubsetAveragedBayes().fit(rows, classes, times)
    repeated = SubsetAveragedBayes().fit(np.repeat(np.array(rows, object), times, axis=0), np.repeat(classes, times))
    assert weighted.relevance_.probabilities.tobytes() == repeated.relevance_.probabilities.tobytes()
    expected = repeated.predict_joint_log_proba(rows)
    np.testing.assert_allclose(weighted.predict_joint_log_proba(rows), expected, rtol=1e-12)


# -- words


def test_the_table_of_relevance() -> None:
    X, y = [["a", "x"], ["a", "x"], ["b", "x"], ["b", "x"]], [0, 0, 1, 1]
    model = SubsetAveragedBayes(inclusion=0.5).fit(X, y)
    table = model.relevance_
    assert repr(table).splitlines() == [
        "attribute  probability  log-odds",
        "0               0.7216     +0.95",
        "1               0.5000     +0.00",
    ]
    assert dict(table) == {0: table[0], 1: 0.5}
    assert len(table) == 2
    assert ">0.7216</td>" in table._repr_html_()
    with pytest.raises(KeyError):
        table["size"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"inclusion": 1.5},
        {"numeric": "bins"},
        {"missing": "skip"},
        {"prior": 0.0},
        {"prior": "flat"},
        {"class_prior": [1.0]},
    ],
    ids=str,
)
def test_a_refused_parameter_leaves_no_trace(parameters: dict[str, Any]) -> None:
    model = SubsetAveragedBayes(**parameters)
    with pytest.raises(PriorcaseError, match=rf"SubsetAveragedBayes\.fit.*{next(iter(parameters))}"):
        model.fit([[1.0, 2.0], [2.0, 3.0]], ["a", "b"])
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize("half", [np.float64(0.5), np.float32(0.5), np.array([0.5, 0.5]), {0: np.float16(0.5), 1: 0.5}])
def test_numpy_numbers_are_numbers(half: Any) -> None:
    X, y = [[1.0, "a"], [2.0, "b"], [3.0, "a"]], ["no", "no", "yes"]
    expected = SubsetAveragedBayes(inclusion=0.5, prior=2).fit(X, y).predict_proba(X)
    found = SubsetAveragedBayes(inclusion=half, prior=np.float64(2)).fit(X, y).predict_proba(X)
    assert found.tobytes() == expected.tobytes()


def test_a_refused_row_changes_nothing() -> None:
    model = SubsetAveragedBayes(prior={0: {"a": 1.0, "b": 2.0}}).fit([["a"], ["b"]], ["no", "yes"])
    before = model.relevance_.probabilities
    with pytest.raises(PriorcaseError, match="partial_fit"):
        model.partial_fit([["c"]], ["no"])
    assert model.relevance_.probabilities.tobytes() == before.tobytes()
    with pytest.raises(ParameterError, match="merge: other must be another"):
        model.merge(model)
    with pytest.raises(TooFewRowsError):
        _ = model.forget([0, 1]).relevance_.probabilities
