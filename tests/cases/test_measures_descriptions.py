"""Measures written down, and read again."""

from __future__ import annotations

import json

import numpy as np
import pytest

from priorcase.cases import (
    MVDM,
    Blend,
    Containment,
    EditDistance,
    ExponentialSimilarity,
    GaussianSimilarity,
    GraphSimilarity,
    LevelSimilarity,
    Linear,
    OneSided,
    Recency,
    Season,
    SimilarityTable,
    TfIdf,
    Threshold,
)
from priorcase.cases.measures import describe, from_description
from priorcase.cases.measures.choosing import NAMES


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


def test_numbers_of_measures_are_plain():
    assert json.dumps(describe(Containment())) == '{"measure": "Containment"}'
    assert json.dumps(describe(Linear(np.int64(3)))) == '{"measure": "Linear", "range": 3, "log": false}'


def test_files_may_hold_earlier_names():
    for name, measure in {"Exponential": ExponentialSimilarity(2), "Levels": LevelSimilarity({"a": 0.5})}.items():
        assert from_description({**describe(measure), "measure": name}) == measure
