"""Priors, class priors and zero policies of naive Bayes, against its slow reference."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bayes_tables import COLOUR, DISCRETE, FLAG, GRADE, KINDS, SIZE, fixed, labels, reference, table

from priorcase.bayes import Auto, BDeu, Cap, Dirichlet, MEstimate, NaiveBayes, ParamFloor, PerAttribute
from priorcase.schema import Nominal
from tests.bayes.test_naive_bayes import compare

X, Y = [[row[a] for a in DISCRETE] for row in table(36)], labels(36)
QUERIES = [*([row[a] for a in DISCRETE] for row in table(14, seed=5, new=True)), [None] * 5]
SCHEMA = {a: KINDS[a] for a in DISCRETE}


def shared(amount: Fraction, by_class: bool) -> Any:
    """So many rows shared out among the values, and among the classes too."""
    return lambda column, values, n_classes, k: [amount / (len(values) * (n_classes if by_class else 1))] * len(values)


SYMMETRIC = {
    0.1: (fixed(Fraction(0.1)), Fraction(0.1)),
    2: (fixed(2), Fraction(2)),
    "jeffreys": (fixed(Fraction(1, 2)), Fraction(1, 2)),
    "laplace": (fixed(1), Fraction(1)),
    "bdeu": (shared(Fraction(1), True), Fraction(1, 3)),
    BDeu(5.0): (shared(Fraction(5), True), Fraction(5, 3)),
    MEstimate(6.0): (shared(Fraction(6), False), Fraction(2)),
    Dirichlet(3.5): (fixed(Fraction(7, 2)), Fraction(7, 2)),
}


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("prior", SYMMETRIC, ids=str)
@pytest.mark.parametrize("predictive", ["evidence", "map"])
def test_priors_of_one_number(predictive: Any, prior: Any, missing: str) -> None:
    if predictive == "map" and (prior == "laplace" or isinstance(prior, MEstimate)):
        return  # refused
    weight, of_class = SYMMETRIC[prior]
    model = NaiveBayes(predictive, prior=prior, missing=missing, schema=SCHEMA).fit(X, Y)
    settings = {"predictive": predictive, "gaps_count": missing == "value", "class_weights": [of_class] * 3}
    slow = reference(X, Y, weight=weight, **settings)
    compare(model, slow, QUERIES)
    assert model.log_evidence_ == pytest.approx(slow.log_evidence(), rel=1e-12)


COLOURS = {"red": 0.5, "green": 2.0, "blue": 1.25, None: 3.0}
RANKS = [0.25, 0.5, 1.0, 2.0]
BY_CLASS = [[1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, 0.5], [4.0, 3.0, 2.0, 1.0]]


def by_attribute(column: int, values: Any, n_classes: int, k: int) -> list[Fraction]:
    """The weights of `PerAttribute` below; a value without one weighs as much as those of the others on average."""
    known: dict[Any, float] = {
        COLOUR: {**COLOURS, "a gap": 3.0},
        SIZE: {**dict(zip(SCHEMA[SIZE].order, RANKS, strict=True)), "a gap": 8.0},
        GRADE: {**dict(zip(SCHEMA[GRADE].values, BY_CLASS[k], strict=True)), "a gap": 1.0},
        FLAG: {True: 0.75, False: 0.75, "a gap": 0.75},
    }.get(column, dict.fromkeys((*values,), 1.5))  # type: ignore[assignment]
    if column == GRADE:
        everyone = [weight for row in BY_CLASS for weight in row]
    else:
        everyone = [known[value] for value in values if value in known]
    return [Fraction(known.get(value, sum(everyone) / max(len(everyone), 1))) for value in values]


@pytest.mark.parametrize("predictive", ["evidence", "map"])
def test_priors_of_attributes_and_values(predictive: Any) -> None:
    given = {COLOUR: COLOURS, SIZE: RANKS, GRADE: BY_CLASS, FLAG: 0.75}
    model = NaiveBayes(predictive, prior=PerAttribute(given, others=1.5), schema=SCHEMA).fit(X, Y)
    assert model.prior_.others == 1.5
    slow = reference(X, Y, predictive=predictive, weight=by_attribute, class_weights=[Fraction(3, 2)] * 3)
    compare(model, slow, QUERIES)
    assert model.log_evidence_ == pytest.approx(slow.log_evidence(), rel=1e-12)


def test_where_gaps_count_they_have_the_last_weight() -> None:
    wider = [[*row, 1.0] for row in BY_CLASS]
    given = {COLOUR: COLOURS, SIZE: [*RANKS, 8.0], GRADE: wider, FLAG: 0.75}
    model = NaiveBayes(prior=PerAttribute(given, others=1.5), missing="value", schema=SCHEMA).fit(X, Y)
    queries = [row for row in QUERIES if row[GRADE] != "Z" and row[SIZE] != "XXL"]
    slow = reference(X, Y, gaps_count=True, weight=by_attribute, class_weights=[Fraction(3, 2)] * 3)
    compare(model, slow, queries)


def test_a_mapping_by_column_name_is_a_prior_for_these_columns() -> None:
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv")})
    model = NaiveBayes(prior={"b": {"u": 2.0, "v": 1.0}}, class_prior=1.0).fit(frame, [0, 0, 1, 1])
    found = np.exp(model.predict_joint_log_proba(frame[:1]))
    np.testing.assert_allclose(found, [[0.5 * 2 / 4 * 4 / 5, 0.5 * 2 / 4 * 2 / 5]])


# -- classes


@pytest.mark.parametrize("predictive", ["evidence", "map"])
@pytest.mark.parametrize(
    ("class_prior", "weights"),
    [
        (None, [2, 2, 2]),
        (0.25, [Fraction(1, 4)] * 3),
        (Dirichlet([1, 2, 3.5]), [1, 2, Fraction(7, 2)]),
        (Dirichlet(np.array([1, 2, 3])), [1, 2, 3]),
        (Dirichlet({"yes": 3, "no": 1, "perhaps": 2, "never": 9}), [1, 2, 3]),
    ],
    ids=str,
)
def test_class_priors(predictive: Any, class_prior: Any, weights: Any) -> None:
    model = NaiveBayes(predictive, prior=2.0, class_prior=class_prior, schema=SCHEMA).fit(X, Y)
    slow = reference(X, Y, predictive=predictive, weight=fixed(2), class_weights=list(map(Fraction, weights)))
    compare(model, slow, QUERIES)


# -- the weight that makes the rows most probable


@pytest.mark.parametrize("class_prior", [None, 1.0])
@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize("seed", range(2))
def test_auto_finds_the_most_probable_weight(seed: int, missing: str, class_prior: Any) -> None:
    rows, y = [[row[a] for a in DISCRETE] for row in table(40, seed)], labels(40, seed + 20)
    y = [row[COLOUR] or "none" if seed % 2 else label for row, label in zip(rows, y, strict=True)]
    settings: dict[str, Any] = {"missing": missing, "class_prior": class_prior, "schema": SCHEMA}
    model = NaiveBayes(prior="auto", **settings).fit(rows, y)
    assert isinstance(model.prior_, Dirichlet)
    chosen = model.prior_.weight
    others = [*np.geomspace(1e-3, 1e3, 13), chosen * 1.01, chosen / 1.01]
    evidences = [NaiveBayes(prior=weight, **settings).fit(rows, y).log_evidence_ for weight in others]
    assert model.log_evidence_ >= max(evidences)
    assert NaiveBayes(prior=chosen, **settings).fit(rows, y).log_evidence_ == model.log_evidence_
    assert NaiveBayes(prior=Auto(), **settings).fit(rows, y).prior_ == model.prior_


def test_auto_follows_the_rows() -> None:
    model = NaiveBayes(prior="auto", schema=SCHEMA).fit(X, Y)
    before = model.prior_
    model.partial_fit(QUERIES[-1:], ["yes"])
    model.partial_fit([row for row in X if row[COLOUR]], [row[COLOUR] for row in X if row[COLOUR]])
    assert model.prior_ != before
    assert model.forget(range(len(X), len(model.ids_))).prior_ == before


# -- zeros

ZEROS = [["x", "u"], ["x", "v"], ["y", "v"]]


def test_zeros_stay_unless_asked_otherwise() -> None:
    model = NaiveBayes("map").fit(ZEROS, ["a", "a", "b"])
    assert model.predict_log_proba([["y", "v"]]).tolist() == [[-math.inf, 0.0]]
    # Both classes are impossible: nothing is known.
    assert model.predict_proba([["y", "u"]]).tolist() == [[0.5, 0.5]]
    assert model.predict_log_proba([["z", None]]).tolist() == [[-math.log(2)] * 2]
    assert model.predict([["y", "u"]]).tolist() == ["a"]
    assert model.predict_joint_log_proba([["y", "u"]]).tolist() == [[-math.inf, -math.inf]]


@pytest.mark.parametrize("missing", ["ignore", "value"])
@pytest.mark.parametrize(("policy", "cap"), [("cap100", 100.0), (Cap(30.0), 30.0), ("-inf", None)])
def test_caps(policy: Any, cap: float | None, missing: str) -> None:
    rows, y = X[:12], Y[:12]
    model = NaiveBayes("map", zero_policy=policy, missing=missing, schema=SCHEMA).fit(rows, y)
    slow = reference(rows, y, predictive="map", gaps_count=missing == "value")
    compare(model, slow, QUERIES, cap)
    assert cap is None or (model.predict_log_proba(QUERIES) == -cap).any()


@pytest.mark.parametrize(("policy", "floor"), [("param_floor", 1e-4), (ParamFloor(0.2), 0.2)])
@pytest.mark.parametrize("prior", [1.0, 0.5])
def test_floors(policy: Any, floor: float, prior: float) -> None:
    rows, y = X[:12], Y[:12]
    model = NaiveBayes("map", prior=prior, zero_policy=policy, schema=SCHEMA).fit(rows, y)
    weights = {"weight": fixed(prior), "class_weights": [Fraction(prior)] * 3}
    compare(model, reference(rows, y, predictive="map", floor=Fraction(floor), **weights), QUERIES)


def test_a_tiny_weight_is_no_zero() -> None:
    model = NaiveBayes("map", schema={0: Nominal()}).fit([["x"], ["y"]], ["a", "b"], sample_weight=[1.0, 1e-20])
    np.testing.assert_allclose(model.predict_proba([[None]]), [[1.0, 1e-20]], rtol=1e-12)


def test_a_declared_class_without_rows() -> None:
    queries = QUERIES[:5]
    for predictive in ("evidence", "map", "sc"):
        model = NaiveBayes(predictive, schema=SCHEMA).partial_fit(X, Y, classes=["no", "nobody", "perhaps", "yes"])  # type: ignore[arg-type]
        compare(model, reference(X, Y, predictive=predictive, labels=model.classes_.tolist()), queries)
    assert model.class_count_[1] == 0
    assert model.classes_.tolist() == ["no", "nobody", "perhaps", "yes"]
