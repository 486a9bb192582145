"""The same bits from naive Bayes for any number of threads, batch, container, path through the core and class count."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from bayes_tables import COLOUR, KINDS, labels, table
from reference.naive_bayes import Model

from priorcase.bayes import NaiveBayes, additive
from priorcase.schema import Nominal

NAMES = ["colour", "flag", "code", "grade", "size", "age", "score"]
NAMED = dict(zip(NAMES, KINDS.values(), strict=True))
MODELS: list[dict[str, Any]] = [
    {},
    {"predictive": "map", "zero_policy": "cap100", "numeric": "kmeans", "missing": "value"},
    {"predictive": "sc", "numeric": "kernel"},
    {"predictive": "map", "numeric": {"age": "gaussian", "score": "mdl"}},
]


def frame(rows: list[list[Any]], **dtypes: str) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=NAMES, dtype=object).astype({"age": float, "score": float})
    return made.astype(dtypes)  # type: ignore[arg-type]  # names of types


def answers(model: Any, queries: Any) -> list[bytes]:
    asked = (model.predict_joint_log_proba, model.predict_log_proba, model.predict_proba)
    return [*(ask(queries).tobytes() for ask in asked), model.predict(queries).tobytes()]


@pytest.mark.parametrize("parameters", MODELS)
def test_threads_batches_and_paths(parameters: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 300 if parameters.get("numeric") == "kernel" else 2000  # which takes a sum over all rows for each query
    rows, y = table(n), labels(n)
    queries = frame(table(3000, seed=5, new=True))
    model = NaiveBayes(schema=NAMED, n_jobs=1, **parameters).fit(frame(rows), y)
    expected, loo = answers(model, queries), model.loo_predict_proba()
    for threads in (2, 4):
        again = NaiveBayes(schema=NAMED, n_jobs=threads, **parameters).fit(frame(rows), y)
        assert answers(again, queries) == expected
        np.testing.assert_array_equal(again.loo_predict_proba(), loo)
        model.set_params(n_jobs=threads)
        assert answers(model, queries) == expected
    swapped = queries[NAMES[::-1]]
    assert answers(model, swapped) == expected
    assert additive._FEW_CELLS < 3000 * 7  # so far one translation for each column
    for few in (0, 10**9):
        monkeypatch.setattr(additive, "_FEW_CELLS", few)
        assert answers(model, queries) == expected
        parts = [queries[start : start + 700] for start in range(0, 3000, 700)]
        for ask in (model.predict_joint_log_proba, model.predict_log_proba, model.predict_proba):
            whole = ask(queries)
            np.testing.assert_array_equal(np.concatenate([ask(part) for part in parts]), whole)
            single = np.concatenate([ask(queries[i : i + 1]) for i in range(20)])
            np.testing.assert_array_equal(single, whole[:20])
            lists = np.concatenate([ask([row]) for row in table(20, seed=5, new=True)])
            np.testing.assert_array_equal(lists, whole[:20])


@pytest.mark.parametrize(
    ("parameters", "n"),
    [*((one, 40) for one in MODELS), *((one, 2900) for one in MODELS[:2])],  # few cells, and many
)
def test_containers(parameters: Any, n: int) -> None:
    rows, y, queries = table(n), labels(n), table(n, seed=5, new=True)
    kinds = {**NAMED, "grade": Nominal()}
    given, parameters = parameters, {**parameters, "schema": kinds}

    def made(rows: list[list[Any]]) -> list[Any]:
        plain = frame(rows)
        coded = plain.astype(dict.fromkeys(("colour", "code", "grade", "size"), "category"))
        columns = {name: [row[a] for row in rows] for a, name in enumerate(NAMES)}
        objects = plain.to_numpy(dtype=object)
        return [plain, coded, pl.DataFrame(columns), pa.table(columns), objects, np.asfortranarray(objects)]

    expected = None
    for training, asked in zip(made(rows), made(queries), strict=True):
        if isinstance(training, np.ndarray):
            parameters = {**given, "schema": dict(enumerate(kinds.values()))}
            if isinstance(numeric := given.get("numeric"), dict):
                parameters["numeric"] = {5: numeric.get("age", "student"), 6: numeric.get("score", "student")}
        model = NaiveBayes(**parameters).fit(training, y)
        found = [*answers(model, asked), model.loo_predict_proba().tobytes()]
        expected = expected or found
        assert found == expected, type(training)


def test_numbers_in_any_layout() -> None:
    random = np.random.default_rng(0)
    numbers, y = random.normal(size=(3000, 8)), random.integers(0, 4, 3000)
    model = NaiveBayes().fit(numbers, y)
    expected = answers(model, numbers)
    for other in (np.asfortranarray(numbers), numbers.astype(">f8"), np.repeat(numbers, 2, axis=0)[::2]):
        assert answers(model, other) == expected
        assert answers(NaiveBayes().fit(other, y), numbers) == expected
    assert answers(model, pd.DataFrame(numbers)) == expected
    assert answers(model, numbers[::-1]) == answers(model, numbers[::-1].copy())


def test_text_in_any_layout() -> None:
    random = np.random.default_rng(1)
    text = random.choice(["a", "bb", "", "cccé", "\U0001f600", "nan"], (4000, 6))
    y = random.integers(0, 3, 4000)
    plain = NaiveBayes().fit(text.tolist(), y)
    expected = answers(plain, text.tolist())
    for other in (
        text,
        text.astype(">U9"),
        np.asfortranarray(text),
        text.astype(object),
        np.repeat(text, 2, 1)[:, ::2],
    ):
        model = NaiveBayes().fit(other, y)
        assert model.digest() == plain.digest()
        assert answers(model, other) == answers(plain, other) == expected


@pytest.mark.parametrize(
    ("predictive", "n_classes"),
    [
        *(("evidence", n) for n in (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100)),
        *product(["map", "sc"], [1, 2, 5, 8, 17]),  # the sum over the classes is the same
    ],
)
def test_any_number_of_classes(predictive: Any, n_classes: int) -> None:
    random = np.random.default_rng(n_classes)
    rows = [[str(a), str(b), float(x)] for a, b, x in random.integers(0, 5, (n_classes + 16, 3))]
    y = random.integers(0, n_classes, len(rows)).tolist()
    y[:n_classes] = range(n_classes)
    model = NaiveBayes(predictive, numeric="student").fit(rows, y)
    slow = Model(rows, y, range(n_classes), predictive=predictive, densities={2: "student"})
    some = 4 if n_classes < 20 else 1  # the reference is slow
    queries = [*rows[:some], ["new", None, 2.5]]
    expected = np.array([slow.log_probabilities(row) for row in queries])
    np.testing.assert_allclose(model.predict_log_proba(queries), expected, rtol=1e-9, atol=1e-11)
    left_out = np.array([slow.without(i).log_probabilities(rows[i]) for i in range(some)])
    np.testing.assert_allclose(model.loo_predict_proba()[:some], np.exp(left_out), rtol=1e-9)


def test_many_values_need_wider_codes() -> None:
    for n in (120, 130, 40_000):
        rows, y = [[f"v{i}", f"w{i % 7}"] for i in range(n)], [i % 3 for i in range(n)]
        model = NaiveBayes().fit(rows, y)
        grown = NaiveBayes().fit(rows[:50], y[:50]).partial_fit(rows[50:], y[50:])
        assert answers(grown, rows) == answers(model, rows)
        halves = [model.predict_joint_log_proba(part) for part in (rows[: n // 2], rows[n // 2 :])]
        np.testing.assert_array_equal(np.concatenate(halves), model.predict_joint_log_proba(rows))
        np.testing.assert_array_equal(grown.loo_predict_proba(), model.loo_predict_proba())


def test_values_renamed() -> None:
    rows, y = table(80), labels(80)
    names = {"red": "9", "green": "", "blue": "violet", "violet": "red", None: None}
    renamed = [[names[row[COLOUR]], *row[1:]] for row in rows]
    queries = table(20, seed=5, new=True)
    other = [[names[row[COLOUR]], *row[1:]] for row in queries]
    assert answers(NaiveBayes(schema=KINDS).fit(renamed, y), other) == answers(
        NaiveBayes(schema=KINDS).fit(rows, y), queries
    )
