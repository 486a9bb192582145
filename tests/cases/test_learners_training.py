"""Cases as the table that a learner is fitted to, and questions as rows of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from priorcase.cases import Graph
from priorcase.cases.kinds import CaseKind
from priorcase.cases.table import CaseTable
from priorcase.cases.training import Layout, TrainingTable, training_table
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Schema, Set, Taxonomy, Text

KINDS: dict[str, CaseKind] = {
    "age": Numeric(),
    "size": Ordinal(("S", "M", "L")),
    "colour": Nominal(),
    "code": Nominal(),
    "fuel": Nominal(("gas", "oil")),
    "bought": Date(),
    "device": Taxonomy({"device": ["printer", "router"]}),
    "tags": Set(),
    "words": Text(),
    "how": Graph(),
}
ROWS: list[Any] = [
    (1, {"age": 3, "size": "L", "colour": "red", "code": 7, "fuel": "oil", "bought": "2024-05-01"}, '"fix"', "1"),
    (2, {"age": 2.5, "device": "router", "tags": ("a", "b"), "words": "it squeaks"}, None, "2"),
    (5, {"size": "S", "colour": "blue", "code": 9, "bought": "2024-05-02T12:00:00", "tags": ()}, '"swap"', "2"),
    (6, {"device": "printer", "tags": ("b", 1, True), "how": '{"arcs":[],"labels":{}}'}, '"fix"', None),
]


def table(rows: Any = ROWS, kinds: Any = KINDS) -> CaseTable:
    return CaseTable.of(kinds, rows)


def plain(made: TrainingTable) -> dict[str, list[Any]]:
    """The columns of X with their values, None where missing."""
    found = {}
    for name, column in zip(made.X.names or (), made.X.columns, strict=True):
        coded = column.coded()
        found[str(name)] = [None if code < 0 else coded.values[code] for code in coded.codes.tolist()]
    return found


def test_each_kind_becomes_its_columns() -> None:
    made = training_table(table())
    assert plain(made) == {
        "age": [3, None, None],
        "size": ["L", "S", None],
        "colour": ["red", "blue", None],
        "code": [7, 9, None],
        "fuel": ["oil", None, None],
        "bought": [date(2024, 5, 1), datetime(2024, 5, 2, 12), None],
        "device": [None, None, "printer"],
        "tags": [None, frozenset(), frozenset({"b", 1})],
        "words": [None, None, None],
    }
    assert made.ids.tolist() == [1, 5, 6]
    assert made.y is not None
    assert made.y.tolist() == ["fix", "swap", "fix"]
    assert made.left_out == ("how",)
    assert (made.without_target, made.retired) == (1, 0)
    kinds = Schema.infer(made.X).kinds
    assert kinds[:5] == (Numeric(), Ordinal(("S", "M", "L")), Nominal(), Nominal(), Nominal(("gas", "oil")))
    assert kinds[5:] == (KINDS["bought"], KINDS["device"], KINDS["tags"], KINDS["words"])


def test_rows_can_be_taken_and_seen_as_an_array() -> None:
    X = training_table(table(), ["age", "colour"]).X
    assert np.asarray(X).tolist() == [[3, "red"], [None, "blue"], [None, None]]
    assert np.asarray(X[1:]).tolist() == np.asarray(X.take(np.array([1, 2]))).tolist() == [[None, "blue"], [None, None]]
    assert X.shape == (3, 2)
    assert len(X[:2]) == 2
    assert repr(X) == "CaseRows: 3 rows of age, colour"


def test_questions_have_the_same_layout() -> None:
    made = training_table(table(), ["age", "size", "bought", "tags", "device", "colour"])
    asked = made.layout.queries(
        [
            {"age": 4, "size": "M", "tags": {"b", "z"}, "colour": "green", "words": "ignored", "fuel": "gas"},
            {"bought": datetime(2024, 5, 1, 6), "device": "router"},
        ],
    )
    assert asked.names == made.X.names
    found = dict(zip(asked.names or (), asked.columns, strict=True))
    assert found["bought"].coded().tolist()[1] == datetime(2024, 5, 1, 6)
    read: Any = Schema.infer(made.X).read(asked).columns
    assert read[1].tolist()[0] == 1.0
    assert np.isnan(read[0][1])


def test_a_layout_can_be_written_down() -> None:
    layout = training_table(table()).layout
    assert Layout.from_description(layout.describe()) == layout


def test_targets_of_every_sort() -> None:
    def y(target: str, rows: Any = ROWS) -> Any:
        found = training_table(table(rows), ["device"], target).y
        assert found is not None
        return found

    assert y("outcome").tolist() == [1, 2, 2]
    assert y("outcome").dtype == np.int64
    assert y("age").tolist() == [3.0, 2.5]
    assert y("age").dtype == np.float64
    assert y("size").tolist() == ["L", "S"]
    assert y("bought").tolist() == [date(2024, 5, 1).toordinal(), date(2024, 5, 1).toordinal() + 1.5]
    truths = y("solution", [(1, {}, "true", None), (2, {}, "false", None)])
    assert truths.dtype == bool
    made = training_table(table(), None, None)
    assert made.y is None
    assert made.ids.tolist() == [1, 2, 5, 6]
    assert "size" not in training_table(table(), None, "size").layout.attributes


def test_retired_cases_and_others_than_asked_for_are_left_out() -> None:
    cases = table()
    cases.retire([5])
    made = training_table(cases)
    assert made.ids.tolist() == [1, 6]
    assert made.retired == 1
    assert training_table(table(), ids=[5, 99, 6]).ids.tolist() == [5, 6]


def test_the_digest_is_that_of_the_content() -> None:
    first = training_table(table()).digest()
    assert training_table(table([*ROWS[:1], (2, {}, None, None), *ROWS[2:]])).digest() == first  # it has no target
    cases = table([*ROWS, (9, {"colour": "pink"}, '"fix"', None)])
    assert training_table(cases).digest() != first
    cases.remove([9])
    assert training_table(cases).digest() == first
    assert training_table(table([*ROWS[:3], (6, ROWS[3][1], '"swap"', None)])).digest() != first


GRAPHS = CaseTable.of({"how": Graph(), "age": Numeric()}, [(1, {"age": 1}, None, None)])
MIXED = [(1, {"age": 1}, '"fix"', None), (2, {"age": 1}, "3", None)]


@pytest.mark.parametrize(
    ("call", "error", "word"),
    [
        (lambda: training_table(GRAPHS, target="age"), CaseBaseError, "found no attribute to learn from"),
        (lambda: training_table(table(ROWS[1:2])), CaseBaseError, "the only case does not have the target"),
        (lambda: training_table(table([])), CaseBaseError, "the case base has no cases"),
        (lambda: training_table(table(MIXED)), CaseBaseError, "values such as 'fix', 3"),
        (lambda: training_table(table([(1, {"age": 1}, '["fix"]', None)])), CaseBaseError, r"values such as \['fix'\]"),
        (lambda: training_table(table(), ["size"], "size"), ParameterError, "names without the target"),
        (lambda: training_table(table(), [], "size"), ParameterError, "list of distinct names"),
        (lambda: training_table(table()).layout.queries([{"agee": 3}]), CaseBaseError, "attribute 'agee', unknown"),
        (lambda: training_table(table()).layout.queries([{"age": "old"}]), CaseBaseError, "'old' for 'age'"),
    ],
)
def test_refused(call: Callable[[], object], error: type[Exception], word: str) -> None:
    with pytest.raises(error, match=word):
        call()
