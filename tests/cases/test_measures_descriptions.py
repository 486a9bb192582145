"""Measures written down, and read again; descriptions of nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from priorcase.cases.measures import (
    MVDM,
    Blend,
    Containment,
    EditDistance,
    Embedding,
    ExponentialSimilarity,
    GaussianSimilarity,
    GraphSimilarity,
    LevelSimilarity,
    Linear,
    OneSided,
    Own,
    Recency,
    Season,
    SimilarityTable,
    TfIdf,
    Threshold,
    describe,
    from_description,
)
from priorcase.cases.measures.choosing import NAMES
from priorcase.exceptions import ParameterError


def near(asked, stored):
    return 1 / (1 + abs(asked - stored))


WRITTEN = [
    *NAMES.values(),
    Linear(range=2.5, log=True),
    OneSided("more", 3),
    Threshold(0.5),
    ExponentialSimilarity(2),
    GaussianSimilarity(0.1, log=True),
    Recency(30),
    Season(),
    MVDM(2, "prior"),
    SimilarityTable({("a", 1): 0.5, (True, "b"): 1}, symmetric=False, otherwise=0.25),
    LevelSimilarity({"a": 0.5}, 1, "any"),
    TfIdf("words", (1, 2), ["the", "a"], True),
    EditDistance(False),
    GraphSimilarity("query", 10),
    Blend({TfIdf(): 2, Blend([EditDistance(), SimilarityTable({(1, 2): 0.5})]): 0.5}),
]


@pytest.mark.parametrize("measure", WRITTEN, ids=str)
def test_measures_are_written_down_and_read_again(measure):
    text = json.dumps(describe(measure), allow_nan=False)
    again = from_description(json.loads(text))
    assert (again, repr(again), hash(again)) == (measure, repr(measure), hash(measure))


@pytest.mark.parametrize("measure", [Own(near), Embedding(near, name="n"), Blend([TfIdf(), Own(near)])])
def test_code_cannot_be_written_down(measure):
    inner = Own(near) if isinstance(measure, Blend) else measure
    with pytest.raises(ParameterError) as caught:
        describe(measure)
    assert (
        f"{inner!r} holds a function or a model, which cannot be written down. "
        "Give it again as measures={attribute: ...} wherever it is used."
    ) in str(caught.value)


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ("linear", "it names no measure"),
        ({"range": 3}, "it names no measure"),
        ({"measure": 3}, "it names no measure"),
        ({"measure": "Own"}, "there is no measure 'Own'"),
        ({"measure": "Linear", "width": 3}, "Linear has no parameter 'width'"),
        ({"measure": "Linear", "range": -3}, "range must be"),
        ({"measure": "Threshold"}, "Threshold lacks parameters or has malformed ones"),
        ({"measure": "SimilarityTable"}, "SimilarityTable lacks parameters or has malformed ones"),
        ({"measure": "SimilarityTable", "pairs": [["a", "b"]]}, "SimilarityTable lacks parameters or has malformed ones"),
        ({"measure": "SimilarityTable", "pairs": [[["a"], "b", 1]]}, "SimilarityTable lacks parameters or has malformed ones"),
        ({"measure": "Blend", "measures": 3}, "Blend lacks parameters or has malformed ones"),
        ({"measure": "TfIdf", "ngrams": 3}, "TfIdf lacks parameters or has malformed ones"),
        (
            {"measure": "TfIdf", "ngrams": [2, 1]},
            "ngrams must be",
        ),
    ],
)
def test_descriptions_of_nothing(found, problem):
    with pytest.raises(ParameterError) as caught:
        from_description(found)
    assert problem in str(caught.value)


def test_a_bad_part_of_a_blend_is_named():
    found = {"measure": "Blend", "measures": [[{"measure": "Nothing"}, 1]]}
    with pytest.raises(ParameterError, match=r"\{'measure': 'Nothing'\}: there is no measure"):
        from_description(found)


def test_numbers_of_measures_are_plain():
    assert json.dumps(describe(Containment())) == '{"measure": "Containment"}'
    assert json.dumps(describe(Linear(np.int64(3)))) == '{"measure": "Linear", "range": 3, "log": false}'
