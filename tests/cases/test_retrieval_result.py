"""Retrieved cases print, explain, frame and draw themselves."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from reference.case_retrieval import VALUES, mixed_table

from priorcase.cases import Case, Retrieval
from priorcase.cases.retrieval import retrieve
from priorcase.cases.table import CaseTable, Snapshot
from priorcase.exceptions import ParameterError, QueryIndexError
from priorcase.schema import Nominal, Numeric

mpl.use("Agg")

ROWS: Any = [
    (1, {"age": 2, "make": "A", "colour": "red"}, '"clean it"', '"fine"'),
    (2, {"age": 6, "make": "B"}, '"swap"', None),
    (5, {"age": 10, "colour": "blue"}, None, None),
]
TABLE = CaseTable.of({"age": Numeric(), "make": Nominal(), "colour": Nominal()}, ROWS)
NONE = np.zeros(3, dtype=np.bool_)
FULL: dict[str, Any] = {name: values[2] for name, values in VALUES.items()}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def example(**options: Any) -> Retrieval:
    return retrieve(TABLE, {"age": 4, "make": "B"}, 3, weights={"make": 3}, **options)


def test_it_prints_as_a_table() -> None:
    assert repr(example()) == (
        "the 3 most similar of 3 cases\n"
        "     id  similarity  solution  outcome  age  make\n"
        "  query                                 4    B\n"
        "      2       0.938  swap      -        6    =\n"
        "      1       0.188  clean it  fine     2    A\n"
        "      5       0.062  -         -        10   -\n"
        "  = as in the query"
    )
    assert "<caption>the 3 most similar of 3 cases</caption>" in example()._repr_html_()
    assert example().markdown().startswith("**the 3 most similar of 3 cases**")


def test_it_says_how_cases_were_chosen_and_what_is_not_shown() -> None:
    assert repr(example(diversity=0.5)).startswith("3 of 3 cases, similar to the query and different from each other\n")
    assert repr(example(where=NONE)) == (
        "no case to retrieve\n     id  similarity  age  make\n  query              4    B"
    )
    many = retrieve(mixed_table(60, 0), FULL, 25)
    assert repr(many).endswith("= as in the query; cases not shown: 5")
    assert len(repr(many).splitlines()) == 1 + 1 + 1 + 20 + 1
    assert repr(example()[:1]).startswith("the most similar of 3 cases")


def test_attributes_of_weight_0_fill_neither_table_nor_legend() -> None:
    found = retrieve(TABLE, {"age": 4, "make": "B", "colour": "red"}, 3, weights={"age": 0, "colour": 0})
    shown = repr(found).splitlines()
    assert shown[1].split() == ["id", "similarity", "solution", "outcome", "make"]
    assert shown[-1] == "  = as in the query; attributes with weight 0, not shown: 2"
    ax = found.plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["make"]
    assert ax.get_title() == "similar to make=B"
    assert found.explain(0).names[0] == "make"
    assert set(found[0].contributions) == {"age", "make", "colour"}


def test_tables_stay_narrow_and_show_the_heaviest_attributes() -> None:
    names = [f"a rather long attribute {i}" for i in range(20)]
    row = {name: f"a rather long value {name}" for name in names}
    table = CaseTable.of(dict.fromkeys(names, Nominal()), [(1, row, '"replace all that can be replaced"', "true")])
    shown = repr(retrieve(table, row, weights={names[7]: 3, names[2]: 2, names[9]: 4})).splitlines()
    assert max(map(len, shown)) <= 128
    assert shown[1].endswith("outcome  a rathe…bute 0  a rathe…bute 2  a rathe…bute 7  a rathe…bute 9")
    assert shown[-1] == "  = as in the query; attributes not shown: 16"


def test_long_names_are_cut_where_they_tell_apart() -> None:
    names = [f"a very long attribute {i}" for i in range(3)]
    table = CaseTable.of({name: Nominal() for name in names}, [(1, dict.fromkeys(names, "x"), None, None)])
    header = repr(retrieve(table, dict.fromkeys(names, "x"))).splitlines()[1].split("  ")
    assert len(set(header[-3:])) == 3


def test_values_of_another_type_are_not_the_same() -> None:
    table = CaseTable.of({"make": Nominal()}, [(1, {"make": True}, None, None), (2, {"make": 1}, None, None)])
    lines = repr(retrieve(table, {"make": 1}, 2)).splitlines()
    assert [line.split() for line in lines[3:5]] == [["2", "1.000", "="], ["1", "0.000", "True"]]


def test_it_is_a_sequence() -> None:
    found = example()
    assert isinstance(found, Sequence)
    assert [match.id for match in found] == [2, 1, 5] == list(found.ids)
    assert found[-1].id == 5
    assert found[1:].ids == (1, 5)
    assert found[1:].similarities.tolist() == found.similarities.tolist()[1:]
    assert found[0] in found
    assert next(reversed(found)).id == 5
    with pytest.raises(QueryIndexError, match="match 3 does not exist; there are 3 matches"):
        found[3]
    with pytest.raises(ParameterError, match="an integer or a slice"):
        found["1"]  # type: ignore[call-overload]


@pytest.mark.parametrize("size", [1e308, 5e-324])
@pytest.mark.parametrize("unknown", ["different", "ignore"])
def test_shares_add_up_whatever_the_scale_of_the_weights(size: float, unknown: Any) -> None:
    query = {"age": 4, "make": "B", "colour": "blue"}
    found = retrieve(TABLE, query, weights=dict.fromkeys(TABLE.attributes, size), unknown=unknown)
    assert found.contributions.tolist() == retrieve(TABLE, query, unknown=unknown).contributions.tolist()
    assert found.contributions.sum(axis=1) == pytest.approx(found.similarities)


def test_it_cannot_be_changed() -> None:
    found = example()
    for array in (found.similarities, found.local, found.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0
    with pytest.raises(AttributeError):
        found.ids = ()  # type: ignore[misc]


def test_it_explains_itself() -> None:
    explanation = example().explain()
    assert repr(explanation) == (
        "case 2: similarity 0.938\n"
        "  attribute  query  case  similarity  weight  contribution\n"
        "  make       B      B          1.000       3         0.750\n"
        "  age        4      6          0.750       1         0.188"
    )
    assert repr(example(unknown="ignore").explain(1)) == (
        "case 5: similarity 0.250\n"
        "  attribute  query  case  similarity  weight  contribution\n"
        "  age        4      10         0.250       1         0.250\n"
        "  make       B      -              -       3         0.000"
    )
    assert sum(explanation.frame()["contribution"]) == pytest.approx(explanation.similarity)
    assert explanation.frame("polars").columns == ["attribute", "query", "case", "similarity", "weight", "contribution"]
    with pytest.raises(QueryIndexError, match="match 0 does not exist; there are 0 matches"):
        example(where=NONE).explain()


def test_frames_of_a_library_that_is_none() -> None:
    for result in (example(), example().explain()):
        with pytest.raises(ParameterError, match="backend"):
            result.frame("panda")  # type: ignore[arg-type]


def test_cases_may_come_from_elsewhere() -> None:
    asked: list[list[int]] = []

    def look_up(ids: Sequence[int], _: Snapshot) -> list[Case]:
        asked.append(list(ids))
        return [Case({"age": id, "make": "x", "colour": None}, solution="told", id=id, key=f"k{id}") for id in ids]

    found = example(look_up=look_up)
    assert found.ids == (2, 1, 5)
    assert not asked  # nobody has looked at a case yet
    assert found[0].similarity == found.similarities[0]
    assert asked == [[2, 1, 5]]
    assert found.solutions == ("told",) * 3
    assert [case.key for case in found.cases] == ["k2", "k1", "k5"]
    assert len(asked) == 1
    assert [case.key for case in pickle.loads(pickle.dumps(example())).cases] == [None] * 3


def test_frames() -> None:
    frame = example().frame()
    assert isinstance(frame, pd.DataFrame)
    names = ["id", "similarity", "solution", "outcome", "age", "make", "colour"]
    names += ["similarity of age", "similarity of make", "contribution of age", "contribution of make"]
    assert frame.columns.tolist() == names
    assert frame["id"].tolist() == [2, 1, 5]
    assert frame["contribution of make"].tolist() == [0.75, 0.0, 0.0]
    assert math.isnan(frame["similarity of make"][2])
    mixed = retrieve(mixed_table(30, 0), FULL, 30).frame("polars")
    assert isinstance(mixed, pl.DataFrame)
    assert mixed.height == 30
    assert example(where=NONE).frame().shape == (0, 10)


def test_it_draws_the_shares() -> None:
    found = example()
    ax = found.plot()
    ends: dict[float, float] = {}
    for bar in ax.patches:
        ends[round(bar.get_y(), 6)] = bar.get_x() + bar.get_width()
    np.testing.assert_allclose(list(ends.values()), found.similarities)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["case 2: swap", "case 1: clean it", "case 5"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["age", "make"]
    assert ax.get_title() == "similar to age=4, make=B"
    given = pyplot.figure().subplots()
    assert found.plot(given) is given
    assert example(where=NONE).plot() is not None


def test_small_shares_of_many_attributes_are_drawn_as_one() -> None:
    names = [f"a{i}" for i in range(12)]
    rows: Any = [(1, dict.fromkeys(names, "x"), None, None)]
    table = CaseTable.of({name: Nominal() for name in names}, rows)
    ax = retrieve(table, dict.fromkeys(names, "x"), weights={"a11": 9}).plot()
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["a0", "a1", "a2", "a3", "a4", "a5", "a11", "5 others"]
    assert max(bar.get_x() + bar.get_width() for bar in ax.patches) == pytest.approx(1.0)
