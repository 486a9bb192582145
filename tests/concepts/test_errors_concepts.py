"""Errors of the concept learners: what is refused, by which class, and a telling word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from concept_tables import SCHEMA, named, queries, stream
from sklearn.exceptions import NotFittedError

from priorcase.concepts import IB1, IB2, IB3, IB4, IB5, PEBLS
from priorcase.exceptions import (
    ForgettingError,
    NotAvailableError,
    NumericRangeError,
    ParameterError,
    PriorcaseError,
    SchemaError,
    SchemaMismatchError,
    TargetError,
    TooFewRowsError,
    UnknownIdError,
)
from priorcase.schema import Nominal

ALL = [IB1, IB2, IB3, IB4, IB5]
X, Y = stream(20)
FLAGS = pd.DataFrame({"night": [0, 1] * 10, "large": [1, 1, 0, 0] * 5})
ROWS, CLASSES = [["a", 1.0], ["b", 2.0], ["a", 3.0], ["b", 4.0]], ["p", "q", "p", "q"]


def flagged(learner: Any = None) -> Any:
    return (learner or IB4(schema=SCHEMA, random_state=0)).fit(X, FLAGS)


PARAMETERS = [
    (IB1(ties="last"), "ties"),
    (IB1(shuffle="yes"), "shuffle"),
    (IB1(history="all"), "history"),
    (IB1(history="reply"), "Did you mean 'replay'"),
    (IB1(history=1), "history"),
    (IB2(per_class=1), "per_class"),
    (IB2(window=0), "window"),
    (IB2(window=2.5), "window"),
    (IB2(window=2**63), "window"),
    (IB2(window=True), "window"),
    (IB2(distance="eucledian"), "euclidean"),
    (IB1(distance=2), "distance"),
    (IB3(random_state="x"), "random_state"),
    (IB3(random_state=-1), "random_state"),
    (IB3(accept=1.0), "accept"),
    (IB3(accept=np.float64(1.5)), "accept"),
    (IB3(drop=0.2), "drop"),
    (IB3(drop=np.float32(np.nan)), "drop"),
    (IB3(decay=0), "decay"),
    (IB3(decay=1.5), "decay"),
    (IB4(weight_power=3), "weight_power"),
    (IB5(missing="skip"), "missing"),
    (IB1(n_jobs=0), "n_jobs"),
    (IB1(schema=3), "schema"),
    (PEBLS(n_neighbors=0), "n_neighbors"),
    (PEBLS(exponent=0.5), "exponent"),
    (PEBLS(power=np.inf), "power"),
    (PEBLS(power=1024), "power=1024"),
    (PEBLS(weighting="onepass"), "Did you mean 'one_pass'"),
    (PEBLS(passes=0), "passes"),
    (PEBLS(weighting="one_pass", passes=2), "passes must be 1 unless weighting='multi_pass'"),
    (PEBLS(inherit="no"), "inherit"),
    (PEBLS(inherit=False, weighting=None), "inherit must be True unless weighting='one_pass'"),
    (PEBLS(bins=0), "bins"),
    (PEBLS(unseen="far"), "unseen"),
    (PEBLS(ties="random"), "ties"),
    (PEBLS(attribute_weights=[1, -1]), "attribute_weights"),
    (PEBLS(attribute_weights=[0, 0]), "attribute_weights"),
    (PEBLS(attribute_weights=[1]), "attribute_weights"),
    (PEBLS(attribute_weights=[1, np.nan]), "attribute_weights"),
    (PEBLS(attribute_weights=["1", "2"]), "attribute_weights"),
    (PEBLS(attribute_weights=5), "attribute_weights"),
    (PEBLS(attribute_weights="bayes"), "attribute_weights"),
    (PEBLS(attribute_weights={7: 2.0}), "7"),
    (PEBLS(n_jobs=0), "n_jobs"),
]


@pytest.mark.parametrize(
    ("learner", "word"), PARAMETERS, ids=lambda value: "" if isinstance(value, str) else named(value)
)
def test_parameters(learner: Any, word: str) -> None:
    with pytest.raises(PriorcaseError, match=word) as caught:
        learner.fit(ROWS, CLASSES)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{type(learner).__name__}.fit: ")
    assert not hasattr(learner, "classes_")


TARGETS = [
    (None, "requires y to be passed|y is None"),
    (Y[:5], "inconsistent numbers of samples: X has 20 and y has 5"),
    ([0.5] * 20, "Unknown label type: continuous"),
    ([None] * 20, "missing|NaN"),
    (["a"] * 10 + [1] * 10, "mix"),
]


@pytest.mark.parametrize("learner", [*ALL, PEBLS])
@pytest.mark.parametrize(("y", "word"), TARGETS)
def test_targets(learner: Any, y: Any, word: str) -> None:
    model = learner(schema=SCHEMA)
    with pytest.raises(TargetError, match=word):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


CALLS: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    # y
    ("several columns", lambda: flagged(IB3()), TargetError, "per_class=True"),
    ("no indicator", lambda: IB4(schema=SCHEMA).fit(X, FLAGS + 1), TargetError, "0 and 1"),
    ("no indicator of words", lambda: IB4().fit(X[:2], [["no", "yes"]] * 2), TargetError, "collection|0 and 1"),
    ("flat after columns", lambda: flagged().partial_fit(X, Y), TargetError, "same form"),
    ("columns after flat", lambda: IB4(schema=SCHEMA).fit(X, Y).partial_fit(X, FLAGS), TargetError, "same form"),
    ("fewer columns", lambda: flagged().partial_fit(X, FLAGS[["night"]]), TargetError, "1 columns"),
    ("other columns", lambda: flagged().score(X, FLAGS.rename(columns={"night": "day"})), TargetError, "'day'"),
    ("flat truth", lambda: flagged().score(X, Y), TargetError, "same form"),
    ("lists of labels", lambda: flagged().score(X[:2], [["night"], ["large", "night"]]), TargetError, "collection"),
    ("classes beside columns", lambda: flagged().partial_fit(X, FLAGS, classes=["a"]), TargetError, "'night'"),
    ("duplicate columns", lambda: IB4().fit(X, FLAGS.set_axis(["a", "a"], axis=1)), TargetError, "'a'"),
    (
        "duplicate columns of an Arrow table",
        lambda: IB4().fit(X, pa.table([pa.array(FLAGS["night"])] * 2, names=["a", "a"])),
        TargetError,
        "'a'",
    ),
    ("duplicate columns, one description", lambda: IB3().fit(X, FLAGS.set_axis(["a", "a"], axis=1)), TargetError, "2"),
    ("several classes of a distance", lambda: flagged(IB1(per_class=True, distance="mvdm")), TargetError, "distance="),
    ("labels of another sort", lambda: IB1(schema=SCHEMA).fit(X, Y).partial_fit(X[:1], [1]), TargetError, "numbers"),
    ("columns for PEBLS", lambda: PEBLS().fit(ROWS, [["p", "x"]] * 4), TargetError, "2 columns"),
    (
        "undeclared class",
        lambda: PEBLS().partial_fit(ROWS, CLASSES, classes=["p", "q"]).partial_fit(ROWS[:1], ["s"]),
        TargetError,
        "'s'",
    ),
    # X
    ("no rows", lambda: IB2().fit(np.empty((0, 3)), []), SchemaError, r"0 sample\(s\)"),
    ("no columns", lambda: IB2().fit(np.empty((3, 0)), [1, 2, 3]), SchemaError, r"0 feature\(s\)"),
    (
        "undeclared value",
        lambda: IB2(schema={0: Nominal(("red",))}).fit([["red"]], ["a"]).partial_fit([["green"]], ["a"]),
        SchemaMismatchError,
        "'green'",
    ),
    (
        "infinite distance",
        lambda: IB1(distance="euclidean").fit([[1e200], [-1e200]], ["a", "b"]).predict([[1e200], [0.0]]),
        NumericRangeError,
        "query 1",
    ),
    # questions
    ("claims", lambda: IB3(schema=SCHEMA).fit(X, Y).claims(queries(2)), ParameterError, "per_class=True"),
    ("precedents", lambda: flagged().precedents(queries(2)), TargetError, "multi-label"),
    ("history", lambda: IB3(schema=SCHEMA).fit(X, Y).history_, NotAvailableError, "history=True"),
    ("forget", lambda: IB3(schema=SCHEMA).fit(X, Y).forget([0]), ForgettingError, "replay"),
    ("forget from a window", lambda: IB1(schema=SCHEMA, window=5).fit(X, Y).forget([19]), ForgettingError, "window"),
    ("unknown id", lambda: IB1(schema=SCHEMA).fit(X, Y).forget([3, 99]), UnknownIdError, "99"),
    ("not an id", lambda: IB1(schema=SCHEMA).fit(X, Y).forget(["5"]), UnknownIdError, "integers"),
    (
        "all forgotten",
        lambda: IB1(schema=SCHEMA).fit(X, Y).forget(range(20)).predict(X),
        TooFewRowsError,
        "partial_fit",
    ),
    ("too few exemplars", lambda: PEBLS(5).fit(ROWS, CLASSES).predict(ROWS), TooFewRowsError, "n_neighbors = 5"),
    ("own neighbors", lambda: PEBLS().fit(ROWS, CLASSES).kneighbors(n_neighbors=4), TooFewRowsError, "n_neighbors <"),
    ("one exemplar", lambda: PEBLS().fit([["a"]], ["p"]).suspects(), TooFewRowsError, "n_samples_fit = 1"),
    ("no suspects", lambda: PEBLS().fit(ROWS, CLASSES).suspects(0), ParameterError, "n must be"),
    ("half a suspect", lambda: PEBLS().fit(ROWS, CLASSES).suspects(2.5), ParameterError, "n must be"),  # type: ignore
    ("unknown attribute", lambda: PEBLS().fit(ROWS, CLASSES).value_differences("colour"), ParameterError, "'colour'"),
    ("unknown symbol", lambda: PEBLS().fit(ROWS, CLASSES).value_differences(0)["a", "c"], ParameterError, "'c'"),
    ("not fitted", lambda: PEBLS().suspects(), NotFittedError, "not fitted"),
    ("not fitted", lambda: IB3().digest(), NotFittedError, "not fitted"),
]


@pytest.mark.parametrize(("call", "error", "word"), [row[1:] for row in CALLS], ids=[row[0] for row in CALLS])
def test_calls(call: Callable[[], Any], error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        call()


@pytest.mark.parametrize("learner", ALL)
def test_numbers_too_large_for_a_range(learner: Any) -> None:
    with pytest.raises(NumericRangeError, match="column 0"):
        learner().fit([[-1e308], [1e308]], ["a", "b"])
    model = learner(random_state=0).partial_fit([[-1e308], [0.0]], ["a", "b"])
    with pytest.raises(NumericRangeError, match="column 0"):
        model.partial_fit([[1e308]], ["a"])
    with pytest.raises(NumericRangeError, match="predict: column 0"):
        model.predict([[1.5e308]])
    assert model.n_seen_ == 2
    assert model.predict([[0.0]]).tolist() == ["b"]


def test_weights_are_no_option() -> None:
    """The published algorithms count every instance once."""
    with pytest.raises(TypeError, match="sample_weight"):
        IB1().fit(X, Y, sample_weight=[1.0] * 20)  # type: ignore[call-arg]


def test_rows_that_pebls_refuses_leave_everything_as_it_was() -> None:
    model = PEBLS().fit(ROWS, CLASSES)
    before = model.digest(), model.exemplars_["used"].tolist(), model.predict(ROWS).tolist()
    refused: list[tuple[Any, Any, type[PriorcaseError]]] = [
        ([], [], SchemaError),
        ([["a"]], ["p"], SchemaMismatchError),
        ([["a", "text"]], ["p"], SchemaMismatchError),
        ([[3.5, 1.0]], ["p"], SchemaMismatchError),
        ([["a", np.inf]], ["p"], SchemaError),
        ([["a", 1.0]], ["p", "q"], TargetError),
        ([["a", 1.0]], [7], TargetError),
        ([["a", 1.7e308], ["a", -1.7e308]], ["p", "q"], PriorcaseError),
    ]
    for rows, y, error in refused:
        with pytest.raises(error):
            model.partial_fit(rows, y)
        assert (model.digest(), model.exemplars_["used"].tolist(), model.predict(ROWS).tolist()) == before
    assert model.partial_fit([["c", 9.0]], ["p"]).ids_.tolist() == [0, 1, 2, 3, 4]


def test_a_power_that_grows_too_large_with_the_rows_is_refused() -> None:
    model = PEBLS(power=1020, attribute_weights=[1.0, 0.0]).fit(ROWS, CLASSES)
    with pytest.raises(ParameterError, match="power=1020"):
        model.partial_fit(ROWS * 3, CLASSES * 3)
    assert model.n_samples_fit_ == 4
