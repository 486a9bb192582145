"""What holds for every measure: from 0 to 1, like itself, the same after changes, and nobody's data touched."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, fields

import hypothesis.strategies as st
import numpy as np
import pytest
from cases.measure_columns import table_of
from hypothesis import given, settings

from priorcase.cases import (
    MVDM,
    Blend,
    Containment,
    Dice,
    EditDistance,
    Embedding,
    Equality,
    EqualText,
    ExponentialSimilarity,
    FunctionGraph,
    GaussianSimilarity,
    Graph,
    GraphSimilarity,
    Jaccard,
    LevelSimilarity,
    Linear,
    LocalSimilarity,
    OneSided,
    Own,
    PathLength,
    Ranks,
    Recency,
    Season,
    SetOverlap,
    SimilarityTable,
    TfIdf,
    Threshold,
    WuPalmer,
)
from priorcase.cases.kinds import kind_name
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text

GRAPHS = ["A +> B", "A -> B", "A +> B; B +> C; flow: A", "x -> y; x +> z; heat: z"]
VALUES = {
    Numeric(): [0, 1, -5, 2.5, 1e300, -1e300, 1e-300, 7],
    Ordinal(("low", "middle", "high")): ["low", "middle", "high"],
    Nominal(): ["red", "Red", "blue", 1, True, 0, 2.5, "a b"],
    Taxonomy({"a": {"b": ["c", "d"], "e": ["f"]}, "g": ["h"]}): list("abcdefgh"),
    Set(): [(), ("a",), ("a", "b"), ("b", "c", "d"), ("a", "b", "c")],
    Date(): ["2024-02-29", "2024-02-29T12:00:00", "1999-12-31", "2024-05-01T10:00:00+02:00"],
    Text(): ["", "paper jam", "Paper jam", "jam in the paper tray", "!!", "tray 2", "tray tray"],
    Graph(): [FunctionGraph.parse(text).to_json() for text in GRAPHS],
}


def lengths(texts):
    return [[len(text), 1.0, text.count("a")] for text in texts]


def same(asked, stored):
    return asked == stored


EVERYWHERE = [Equality(), Own(same)]
MEASURES = {
    "numeric": [
        *(Linear(), Linear(2.5), Linear(log=True), OneSided("less"), OneSided("more", 3), OneSided("less", log=True)),
        *(
            Threshold(1),
            ExponentialSimilarity(3),
            GaussianSimilarity(3),
            GaussianSimilarity(1e-5, log=True),
            Blend([Linear(), Threshold(2)]),
        ),
    ],
    "ordinal": [
        Ranks(),
        OneSided("more"),
        Threshold(1),
        ExponentialSimilarity(2),
        MVDM(),
        SimilarityTable({("low", "high"): 0.5}),
    ],
    "nominal": [
        *(
            MVDM(),
            MVDM(2),
            MVDM(1, "prior"),
            MVDM(2, "prior"),
            SimilarityTable({("red", "blue"): 0.3, (1, "red"): 0.1}),
        ),
        *(TfIdf(), EditDistance(), EqualText(), Embedding(lengths), Blend({MVDM(): 0.3, Equality(): 0.6})),
    ],
    "taxonomy": [
        *(
            WuPalmer(),
            WuPalmer("any"),
            PathLength(),
            PathLength("any"),
            LevelSimilarity(),
            LevelSimilarity({"b": 0.3}, 0.5, "any"),
        ),
        *(MVDM(), SimilarityTable({("a", "b"): 0.5}), EditDistance(), Embedding(lengths)),
    ],
    "set": [Jaccard(), Dice(), Containment(), SetOverlap(), Blend([Jaccard(), Containment()])],
    "date": [
        Linear(),
        Linear(30),
        OneSided("more"),
        Threshold(1),
        ExponentialSimilarity(30),
        GaussianSimilarity(30),
        Recency(30),
        Season(),
    ],
    "text": [
        *(TfIdf(), TfIdf("characters", (2, 3)), EditDistance(), EditDistance(False), EqualText(), Embedding(lengths)),
        Blend({TfIdf(): 2, EditDistance(): 1, EqualText(): 0.1}),
    ],
    "graph": [GraphSimilarity(), GraphSimilarity("query")],
}
PAIRS = [(kind, measure) for kind in VALUES for measure in [*MEASURES[kind_name(kind)], *EVERYWHERE]]
EACH = pytest.mark.parametrize(("kind", "measure"), PAIRS, ids=[f"{kind_name(k)}-{m}" for k, m in PAIRS])


def draw_cases(draw, kind):
    value = st.sampled_from(VALUES[kind]) | st.none()
    cases = draw(st.lists(st.tuples(value, st.sampled_from(["fix", "swap", None])), max_size=7))
    return [value for value, _ in cases], [solution for _, solution in cases]


@EACH
@settings(max_examples=6)
@given(st.data())
def test_laws(kind, measure, data):
    """From 0 to 1, 1 for the same value, and carried over to a changed table equal to a fresh one, to the bit."""
    table = table_of(kind, *draw_cases(data.draw, kind))
    carried = measure.prepare(table.column("a"), table.column("solution"))
    again = pickle.loads(pickle.dumps(measure)) if not isinstance(measure, Own) else measure
    for change in data.draw(st.lists(st.sampled_from(["append", "remove", "replace"]), min_size=1, max_size=3)):
        value = data.draw(st.sampled_from(VALUES[kind]) | st.none())
        if change == "append" or not len(table):
            table.append([(int(table.ids.max(initial=0)) + 1, {"a": value}, '"fix"', None)])
        elif change == "remove":
            table.remove([int(data.draw(st.sampled_from(table.ids.tolist())))])
        else:
            table.replace([(int(data.draw(st.sampled_from(table.ids.tolist()))), {"a": value}, '"wait"', None)])
        column, solutions = table.column("a"), table.column("solution")
        carried = measure.prepare(column, solutions, carried)
        fresh = again.prepare(column, solutions)
        for query in VALUES[kind]:
            found = carried.similarities(query)
            assert np.array_equal(found, fresh.similarities(query))
            assert (found.dtype, found.shape) == (np.float64, (len(column.values),))
            assert np.all((found >= 0) & (found <= 1))
            if (place := column.place(query)) >= 0:
                assert found[place] == 1.0


@EACH
def test_answers_are_new_arrays_and_columns_stay_as_they_are(kind, measure):
    values = VALUES[kind]
    table = table_of(
        kind, [*values, None, values[0]], ["fix", "swap"] * (len(values) // 2 + 1) + ["fix"] * (len(values) % 2)
    )
    column, solutions = table.column("a"), table.column("solution")
    before = pickle.dumps((column.codes, column.values, column.counts))
    numbers = column.numbers().copy() if kind_name(kind) in {"numeric", "ordinal", "date"} else None
    prepared = measure.prepare(column, solutions)
    first = [prepared.similarities(value).copy() for value in values]
    for value in values:
        prepared.similarities(value)[:] = -1.0
    for value, expected in zip(values, first, strict=True):
        assert np.array_equal(prepared.similarities(value), expected)
    assert pickle.dumps((column.codes, column.values, column.counts)) == before
    assert numbers is None or np.array_equal(column.numbers(), numbers)


@EACH
def test_measures_are_frozen_values(kind, measure):
    assert isinstance(measure, LocalSimilarity)
    assert kind_name(kind) in measure.accepts
    assert measure == pickle.loads(pickle.dumps(measure))
    assert hash(measure) == hash(pickle.loads(pickle.dumps(measure)))
    for field in fields(measure):
        with pytest.raises(FrozenInstanceError):
            setattr(measure, field.name, None)
