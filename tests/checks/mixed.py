"""The checks. Each takes an unfitted estimator and the name of a container, and fails by an AssertionError."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from checks.containers import CONTAINERS, NAMES, Rows, classes, has_names, numbers, select, training_rows
from priorcase.exceptions import PriorcaseError, SchemaMismatchError

Check = Callable[[Any, str], None]

ROWS = training_rows()
QUERIES = [*training_rows(12, seed=1), [None] * len(NAMES), [200.0, -5.0, "violet", True, "Z"]]


def mixed_checks(estimator: Any) -> Iterator[Check]:
    """The checks that apply to an estimator."""
    yield check_mixed_containers_agree
    yield check_mixed_input_is_left_alone
    yield check_mixed_state_is_its_own
    yield check_mixed_gaps_and_unseen_values
    yield check_mixed_one_by_one
    yield check_mixed_columns_by_name
    yield check_mixed_wrong_kinds_are_refused
    yield check_mixed_renamed_values
    yield check_mixed_dull_columns
    yield check_mixed_pickle
    yield check_mixed_row_order
    if hasattr(estimator, "predict_proba"):
        yield check_mixed_probabilities
    if hasattr(estimator, "partial_fit"):
        yield check_mixed_partial_fit
        yield check_mixed_failed_partial_fit
    if hasattr(estimator, "forget"):
        yield check_mixed_forget
    if hasattr(estimator, "merge"):
        yield check_mixed_merge


def targets(estimator: Any, rows: Rows) -> Any:
    """What the estimator learns from the rows; classes also where it needs no target, for distances made from them."""
    return numbers(rows) if is_regressor(estimator) else classes(rows)


def fitted(estimator: Any, table: Any, rows: Rows) -> Any:
    return clone(estimator).fit(table, targets(estimator, rows))


def answers(estimator: Any, table: Any) -> Any:
    """Everything the estimator says about some queries, as one array."""
    if hasattr(estimator, "transform"):
        return estimator.transform(table).toarray()
    said = [np.asarray(estimator.predict_proba(table))] if hasattr(estimator, "predict_proba") else []
    predicted = np.asarray(estimator.predict(table))
    if is_classifier(estimator):
        predicted = np.searchsorted(estimator.classes_, predicted)
    return np.column_stack([*said, predicted.astype(float)])


@cache
def shared(estimator: Any, kind: str) -> Any:
    """The estimator fitted to the rows, once for all checks; those that change it take a copy."""
    return fitted(estimator, CONTAINERS[kind](ROWS), ROWS)


@cache
def said(estimator: Any, kind: str) -> Any:
    """What it answers to the queries."""
    return answers(shared(estimator, kind), CONTAINERS[kind](QUERIES))


def check_mixed_containers_agree(estimator: Any, kind: str) -> None:
    """The same rows in another container are the same rows, at fit and at predict."""
    model = shared(estimator, kind)
    np.testing.assert_array_equal(said(estimator, kind), said(estimator, "lists"))
    assert model.n_features_in_ == len(NAMES)
    assert hasattr(model, "feature_names_in_") == has_names(kind)


def check_mixed_input_is_left_alone(estimator: Any, kind: str) -> None:
    """Neither fit nor predict changes what it is given."""
    table, queries = CONTAINERS[kind](ROWS), CONTAINERS[kind](QUERIES)
    before = copy.deepcopy(table), copy.deepcopy(queries)
    answers(fitted(estimator, table, ROWS), queries)
    for now, then in zip((table, queries), before, strict=True):
        same = now.equals(then) if hasattr(now, "equals") else repr(now) == repr(then)
        assert same, f"a {kind} table was changed"


def check_mixed_state_is_its_own(estimator: Any, kind: str) -> None:
    """Changing the training table afterwards changes no answer."""
    table, queries = CONTAINERS[kind](ROWS), CONTAINERS[kind](QUERIES)
    model = fitted(estimator, table, ROWS)
    expected = answers(model, queries)
    if kind == "objects":
        table[:] = table[::-1].copy()
    elif kind == "lists":
        for row in table:
            row[:] = [0.0, 0.0, "red", True, "A"]
    elif kind.startswith("pandas"):
        table["age"] = 0.0
        table.loc[:, "income"] = 0.0
    else:
        return  # immutable
    np.testing.assert_array_equal(answers(model, queries), expected)


def check_mixed_gaps_and_unseen_values(estimator: Any, kind: str) -> None:
    """Rows of gaps only and values never seen get an answer without NaN."""
    assert not np.isnan(said(estimator, kind)).any()


def check_mixed_one_by_one(estimator: Any, kind: str) -> None:
    """A query gets the same bits alone and in a batch."""
    model = shared(estimator, kind)
    asked = [0, 1, 2, 3, len(QUERIES) - 2, len(QUERIES) - 1]
    alone = np.concatenate([answers(model, CONTAINERS[kind]([QUERIES[i]])) for i in asked])
    np.testing.assert_array_equal(alone, said(estimator, kind)[asked])


def check_mixed_columns_by_name(estimator: Any, kind: str) -> None:
    """Columns are matched by name, in any order; a missing or an extra one is an error that names it."""
    if not has_names(kind):
        return
    queries, model = CONTAINERS[kind](QUERIES), shared(estimator, kind)
    np.testing.assert_array_equal(answers(model, select(queries, NAMES[::-1])), said(estimator, kind))
    with pytest.raises(SchemaMismatchError, match="colour"):
        answers(model, select(queries, [name for name in NAMES if name != "colour"]))
    narrow = fitted(estimator, select(CONTAINERS[kind](ROWS), NAMES[:2]), ROWS)
    with pytest.raises(SchemaMismatchError, match="grade"):
        answers(narrow, queries)


def check_mixed_wrong_kinds_are_refused(estimator: Any, kind: str) -> None:
    """Numbers where text was fitted are a mistake, and so is the reverse; the estimator goes on as before."""
    model = shared(estimator, kind)
    for wrong in ([[1.0, 1.0, 3.5, True, "A"]], [["x", 1.0, "red", True, "A"]]):
        with pytest.raises(SchemaMismatchError, match="here but was"):
            answers(model, wrong)
    np.testing.assert_array_equal(answers(model, CONTAINERS[kind](QUERIES)), said(estimator, kind))


def check_mixed_renamed_values(estimator: Any, kind: str) -> None:
    """Other names for the nominal values give the same answers."""
    names = {"red": "zinc", "green": "amber", "blue": "moss", "violet": "pitch", None: None}

    def renamed(rows: Rows) -> Any:
        return CONTAINERS[kind]([[*row[:2], names[row[2]], *row[3:]] for row in rows])

    other = answers(fitted(estimator, renamed(ROWS), ROWS), renamed(QUERIES))
    np.testing.assert_array_equal(other, said(estimator, kind))


def check_mixed_dull_columns(estimator: Any, kind: str) -> None:
    """A constant column and a column of gaps are columns like any other."""
    dull = [[*row[:1], 7.0, None, *row[3:]] for row in ROWS]
    model = fitted(estimator, CONTAINERS[kind](dull), ROWS)
    assert not np.isnan(answers(model, CONTAINERS[kind](dull))).any()


def check_mixed_pickle(estimator: Any, kind: str) -> None:
    """A pickled and a copied estimator give the same answers."""
    model, queries = shared(estimator, kind), CONTAINERS[kind](QUERIES)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(answers(other, queries), said(estimator, kind))


def check_mixed_row_order(estimator: Any, kind: str) -> None:
    """The order of the rows changes nothing but ties; here there are none."""
    rows = training_rows(gaps=0.0)
    order = np.random.default_rng(2).permutation(len(rows))
    turned = [rows[i] for i in order]
    queries = CONTAINERS[kind](training_rows(10, seed=3, gaps=0.0))
    straight = answers(fitted(estimator, CONTAINERS[kind](rows), rows), queries)
    other = answers(fitted(estimator, CONTAINERS[kind](turned), turned), queries)
    if hasattr(estimator, "transform"):
        straight = straight[:, order]
    np.testing.assert_allclose(other, straight, rtol=1e-9, atol=1e-12)


def check_mixed_probabilities(estimator: Any, kind: str) -> None:
    """Probabilities lie between 0 and 1 and sum to 1."""
    model = shared(estimator, kind)
    proba = model.predict_proba(CONTAINERS[kind](QUERIES))
    assert proba.shape == (len(QUERIES), len(model.classes_))
    assert ((proba >= 0) & (proba <= 1)).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)


def check_mixed_partial_fit(estimator: Any, kind: str) -> None:
    """Rows learned in parts are learned as if at once."""
    grown = clone(estimator)
    for start in range(0, len(ROWS), 25):
        part = ROWS[start : start + 25]
        grown.partial_fit(CONTAINERS[kind](part), targets(estimator, part))
    np.testing.assert_array_equal(answers(grown, CONTAINERS[kind](QUERIES)), said(estimator, kind))
    if hasattr(grown, "digest"):
        assert grown.digest() == shared(estimator, kind).digest()


def check_mixed_failed_partial_fit(estimator: Any, kind: str) -> None:
    """Rows that are refused leave the estimator as it was."""
    model = copy.deepcopy(shared(estimator, kind))
    for X, y in (
        (ROWS[:3], targets(estimator, ROWS[:2])),
        ([row[:4] for row in ROWS[:3]], targets(estimator, ROWS[:3])),
    ):
        with pytest.raises(PriorcaseError):
            model.partial_fit(X, y)
    np.testing.assert_array_equal(answers(model, CONTAINERS[kind](QUERIES)), said(estimator, kind))


def check_mixed_forget(estimator: Any, kind: str) -> None:
    """Forgotten rows leave no trace."""
    model = copy.deepcopy(shared(estimator, kind))
    model.forget(model.ids_[::3])
    left = [row for i, row in enumerate(ROWS) if i % 3]
    fresh = fitted(estimator, CONTAINERS[kind](left), left)
    assert model.digest() == fresh.digest()
    np.testing.assert_array_equal(answers(model, CONTAINERS[kind](QUERIES)), answers(fresh, CONTAINERS[kind](QUERIES)))


def check_mixed_merge(estimator: Any, kind: str) -> None:
    """Two models merged are one fit on both tables."""
    halves = [fitted(estimator, CONTAINERS[kind](part), part) for part in (ROWS[:25], ROWS[25:])]
    merged = halves[0].merge(halves[1])
    assert merged.digest() == shared(estimator, kind).digest()
    np.testing.assert_array_equal(answers(merged, CONTAINERS[kind](QUERIES)), said(estimator, kind))
