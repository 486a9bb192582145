"""The reducers keep the rows that plain loops over all distances keep."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import reduction as slow
from reference.differences import costs as numpy_costs
from reference.search import settled
from tables import labels as random_labels
from tables import mixed_rows, row_lists

from priorcase.exceptions import TooFewRowsError
from priorcase.instances import Instances
from priorcase.reduction import CNN, DROP1, DROP2, DROP3, DROP4, DROP5, ENN, ICF, RENN, RNN, AllKNN
from priorcase.schema import Nominal, Numeric, Schema
from priorcase.similarity import resolve

SCHEMA = {2: Nominal(), 1: Nominal()}
DISTANCES = ["heom", "hvdm", "mvdm", "vdm", "gower", "ib", "ivdm"]


def costs_of(rows: list[list[Any]], labels: list[Any], distance: str, weights: list[float] | None = None) -> Any:
    """Distances between all rows, in plain NumPy."""
    kinds = [Numeric(), Nominal(), Nominal(), Numeric()][: len(rows[0])]
    numbers = isinstance(labels[0], float)
    instances = Instances(Schema(None, tuple(kinds)), Schema(None, (Numeric() if numbers else Nominal(),)))
    table, targets = np.array(rows, dtype=object), np.array([[label] for label in labels], dtype=object)
    instances.append(instances.schema.read(table), instances.targets.read(targets))
    fitted = resolve(distance).fit(instances, 0)
    cells = fitted.prepare(instances.cells())
    given = None if weights is None else np.array(weights)
    # As in searches: costs of which only the last digits differ may have the same root, and tie.
    return [settled(fitted, numpy_costs(fitted, cell, cells, given)).tolist() for cell in cells]


def told(rows: list[list[Any]], seed: int) -> list[str]:
    """Classes that a column tells most of the time, so that there is something to reduce."""
    noise = random_labels(len(rows), seed)
    tells = {0.0: "a", 1.0: "a", 2.0: "b", 3.0: "b", 4.0: "c", 5.0: "c"}
    rng = np.random.default_rng(seed)
    return [other if rng.random() < 0.3 else tells.get(row[0], other) for row, other in zip(rows, noise, strict=True)]


# Each with the slow version of itself.
ALL: list[tuple[Any, Any]] = [
    (ENN(), lambda d, y: slow.enn(d, y, 3)),
    (ENN(1), lambda d, y: slow.enn(d, y, 1)),
    (ENN(4, ties="nearest"), lambda d, y: slow.enn(d, y, 4, ties="nearest")),
    (ENN(2, kind_sel="all"), lambda d, y: slow.enn(d, y, 2, kind_sel="all")),
    (RENN(), lambda d, y: slow.renn(d, y, 3)[0]),
    (RENN(2, ties="nearest"), lambda d, y: slow.renn(d, y, 2, ties="nearest")[0]),
    (AllKNN(), lambda d, y: slow.all_knn(d, y, 3)),
    (AllKNN(4, ties="nearest"), lambda d, y: slow.all_knn(d, y, 4, ties="nearest")),
    (AllKNN(3, successive=True), lambda d, y: slow.all_knn(d, y, 3, successive=True)),
    (CNN(), lambda d, y: slow.cnn(d, y)[0]),
    (RNN(), slow.rnn),
    (DROP1(), lambda d, y: slow.drop1(d, y, 3)),
    (DROP2(), lambda d, y: slow.drop2(d, y, 3)),
    (DROP2(1), lambda d, y: slow.drop2(d, y, 1)),
    (DROP3(), lambda d, y: slow.drop3(d, y, 3)),
    (DROP3(2, ties="nearest"), lambda d, y: slow.drop3(d, y, 2, ties="nearest")),
    (DROP4(), lambda d, y: slow.drop4(d, y, 3)),
    (DROP5(), lambda d, y: slow.drop5(d, y, 3)),
    (DROP5(2, repeat=False), lambda d, y: slow.drop5(d, y, 2, repeat=False)),
    (ICF(), lambda d, y: slow.icf(d, y, 3)[0]),
]
IDS = [repr(reducer) for reducer, _ in ALL]


def reduced(reducer: Any, rows: list[list[Any]], labels: list[Any], **changed: Any) -> list[int]:
    """Positions of the rows kept; none where nothing would be left."""
    try:
        return reducer.set_params(schema=SCHEMA, **changed).fit(rows, labels).sample_indices_.tolist()
    except TooFewRowsError:
        return []


@cache
def mixed(distance: str, seed: int) -> tuple[list[list[Any]], list[str], Any]:
    """Rows with gaps, ties and equal rows, their classes and the costs between them."""
    rows = mixed_rows(36, seed)
    rows += rows[:4]
    labels = told(rows, seed)
    return rows, labels, costs_of(rows, labels, distance)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(("reducer", "obvious"), ALL, ids=IDS)
def test_mixed_tables_with_gaps_ties_and_equal_rows(reducer: Any, obvious: Any, distance: str) -> None:
    for seed in range(2):
        rows, labels, costs = mixed(distance, seed)
        expected = obvious(costs, labels)
        assert expected, "a case that tells nothing"
        assert reduced(reducer, rows, labels, distance=distance) == expected


@pytest.mark.parametrize(("reducer", "obvious"), ALL, ids=IDS)
def test_tables_of_few_different_rows(reducer: Any, obvious: Any) -> None:
    # Some with gaps, which are at some distance from their equals and from themselves.
    rows = [mixed_rows(7, seed=1)[i] for i in np.random.default_rng(1).integers(0, 7, 60).tolist()]
    labels = told(rows, 1)
    expected = obvious(costs_of(rows, labels, "heom"), labels)
    assert expected, "a case that tells nothing"
    assert reduced(reducer, rows, labels, distance="heom") == expected


@pytest.mark.parametrize(("reducer", "obvious"), ALL, ids=IDS)
@settings(max_examples=15)
@given(data=st.data())
def test_any_small_table(reducer: Any, obvious: Any, data: st.DataObject) -> None:
    rows = data.draw(row_lists(min_size=5, max_size=12))
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=len(rows), max_size=len(rows)))
    labels[:2] = "a", "b"
    assert reduced(reducer, rows, labels, distance="heom") == obvious(costs_of(rows, labels, "heom"), labels)


@pytest.mark.parametrize(("reducer", "obvious"), ALL, ids=IDS)
def test_attribute_weights(reducer: Any, obvious: Any) -> None:
    rows = mixed_rows(40, seed=7)
    labels, weights = told(rows, 7), [2.0, 0.5, 0.0, 1.0]
    expected = obvious(costs_of(rows, labels, "heom", weights), labels)
    assert reduced(reducer, rows, labels, distance="heom", attribute_weights=weights) == expected
    reducer.set_params(attribute_weights=None)


@pytest.mark.parametrize("reducer", [RENN(), CNN(), ICF()], ids=repr)
def test_passes_are_counted(reducer: Any) -> None:
    rows = mixed_rows(60, seed=3)
    labels = told(rows, 3)
    costs = costs_of(rows, labels, "heom")
    passes = {"RENN": slow.renn(costs, labels, 3), "CNN": slow.cnn(costs, labels), "ICF": slow.icf(costs, labels, 3)}
    assert reducer.set_params(schema=SCHEMA).fit(rows, labels).n_iter_ == passes[type(reducer).__name__][1] > 1


# -- targets that are numbers


def numbers_of(rows: list[list[Any]], seed: int) -> list[float]:
    """Numbers that a column tells roughly, some of them far off."""
    rng = np.random.default_rng(seed)
    far = rng.random(len(rows)) < 0.1
    return [
        round((row[0] or 0.0) + float(rng.normal()) / 4 + 20.0 * bool(off), 2) + 0.001
        for row, off in zip(rows, far, strict=True)
    ]


@cache
def mixed_numbers(distance: str, seed: int) -> tuple[list[list[Any]], list[float], Any]:
    """Rows, numbers to tell and the costs between the rows."""
    rows = mixed_rows(40, seed)
    numbers = numbers_of(rows, seed)
    return rows, numbers, costs_of(rows, numbers, distance)


@pytest.mark.parametrize("distance", ["heom", "gower", "ib"])
@pytest.mark.parametrize("alpha", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_numbers_as_targets(k: int, alpha: float, distance: str) -> None:
    for seed in range(2):
        rows, numbers, costs = mixed_numbers(distance, seed)
        edited = slow.enn_numbers(costs, numbers, k, alpha)
        changed = {"distance": distance, "alpha": alpha, "n_neighbors": k}
        assert reduced(ENN(), rows, numbers, **changed) == edited
        assert reduced(DROP3(), rows, numbers, **changed) == (
            slow.drop3_numbers(costs, numbers, k, alpha) if edited else []
        )


@pytest.mark.parametrize("k", [1, 2])
def test_of_equal_numbers_two_rows_stay(k: int) -> None:
    # Nobody errs without any one of the others, until the last two: alone, a row would have nobody to be told by.
    rows, numbers = [[1.0], [2.0], [3.0], [4.5]], [1.5] * 4
    assert DROP3(k).fit(rows, numbers).sample_indices_.tolist() == [2, 3]
    assert slow.drop3_numbers(costs_of(rows, numbers, "heom"), numbers, k, 5.0) == [2, 3]


def test_whole_numbers_are_classes_unless_said_otherwise() -> None:
    X = [[value] for value in range(12)]
    y = [0, 1] * 6
    assert ENN().fit(X, [0] * 6 + [1] * 6).classes_.tolist() == [0, 1]
    said = ENN(target="numbers").fit(X, y)
    assert "classes_" not in vars(said)
    assert said.sample_indices_.tolist() == ENN(target="numbers").fit(X, [float(v) for v in y]).sample_indices_.tolist()
    assert ENN().fit(X, [0.0] * 6 + [1.0] * 6).classes_.tolist() == [0.0, 1.0]


def test_a_fit_to_numbers_forgets_the_classes_of_an_earlier_one() -> None:
    X = [[value] for value in range(12)]
    reducer = ENN().fit(X, ["a"] * 6 + ["b"] * 6)
    assert reducer.classes_.tolist() == ["a", "b"]
    assert "classes_" not in vars(reducer.fit(X, [value / 2 for value in range(12)]))
