"""Errors of measures: call, class, and words that the message must contain."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from cases.measure_columns import column_of, measured

from priorcase.cases import (
    MVDM,
    Blend,
    EditDistance,
    Embedding,
    ExponentialSimilarity,
    GaussianSimilarity,
    Graph,
    GraphSimilarity,
    Jaccard,
    LevelSimilarity,
    Linear,
    OneSided,
    Own,
    PathLength,
    Ranks,
    Recency,
    SimilarityTable,
    TfIdf,
    Threshold,
    WuPalmer,
)
from priorcase.cases.measures import as_measure, describe, from_description, similarities
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Date, Nominal, Numeric, Set, Taxonomy, Text

DEVICES = Taxonomy({"device": {"printer": {"laser": ["mono", "colour"], "inkjet": None}, "router": None}})


def near(asked, stored):
    return 1 / (1 + abs(asked - stored))


def counts(texts):
    return np.array([[text.count("a"), text.count("b")] for text in texts], dtype=float)


PARAMETERS: list[tuple[Any, dict[str, list[Any]]]] = [
    (Linear, {"range": [0, -1, math.inf, math.nan, "2", True, 10**400], "log": ["yes", 1, None]}),
    (lambda **given: OneSided(**{"better": "less", **given}), {"range": [0, "2"], "log": [0], "better": ["lower"]}),
    (lambda **given: Threshold(**{"tolerance": 1, **given}), {"tolerance": [-1, math.inf, None], "log": ["no"]}),
    (lambda **given: ExponentialSimilarity(**{"scale": 1, **given}), {"scale": [0, -1, math.nan], "log": [2]}),
    (lambda **given: GaussianSimilarity(**{"scale": 1, **given}), {"scale": [0, math.inf, "2"], "log": [2]}),
    (Recency, {"half_life": [0, -1, math.inf, math.nan, "2", True]}),
    (lambda **given: SimilarityTable({}, **given), {"otherwise": [2, "x"], "symmetric": [1]}),
    (MVDM, {"power": [0.5, math.inf, "1"], "unseen": ["zero", None]}),
    (
        TfIdf,
        {
            "analyzer": ["letters"],
            "ngrams": [(0, 1), (2, 1), 2, (1, 2, 3), (1.0, 2), "12", (True, 2)],
            "stop_words": ["the", 3, [1]],
            "fold_accents": [1],
        },
    ),
    (lambda **given: TfIdf("characters", **given), {"stop_words": [["the"]]}),
    (EditDistance, {"ignore_case": ["no"]}),
    (WuPalmer, {"inner": ["all"]}),
    (PathLength, {"inner": [3]}),
    (
        LevelSimilarity,
        {"weights": [["a"], {"a": 2}, {1: 0.5}, {"a": "x"}, {"a": True}], "otherwise": ["level", 2], "inner": ["all"]},
    ),
    (GraphSimilarity, {"steps": [0, 1.5], "of": ["case"]}),
    (Own, {"function": ["near", 3, int]}),
    (lambda **given: Embedding(**{"model": counts, **given}), {"model": ["mini", None, dict], "name": ["", 3]}),
    (
        Blend,
        {"measures": [{}, [], "tfidf", {TfIdf(): 0}, {TfIdf(): -1}, {TfIdf: 1}, [TfIdf], {TfIdf(): "2"}, 3]},
    ),
]
BAD = [(make, name, value) for make, given in PARAMETERS for name, values in given.items() for value in values]


@pytest.mark.parametrize(("make", "name", "value"), BAD)
def test_bad_parameters_are_named(make, name, value):
    with pytest.raises(ParameterError, match=rf"'{name}' of \w+ must "):
        make(**{name: value})


def of_model(answer):
    return lambda: measured(Embedding(answer, name="odd"), Text(), ["a", "b"], "a")


def returning(answer):
    def odd(asked, stored):
        return answer

    return lambda: measured(Own(odd), Numeric(), [3], 4)


def table(pairs):
    return lambda: SimilarityTable(pairs)


def described(found):
    return lambda: from_description(found)


ERRORS: list[tuple[Any, type[Exception], str]] = [
    # choosing a measure
    (lambda: as_measure("jacard", Set(), "tags"), ParameterError, "'jacard' .*'tags'.* mean 'jaccard'"),
    (lambda: as_measure("xyz", Graph(), "works"), ParameterError, r"'xyz' .*'works'.*'graph'.*Linear\(range=10\)"),
    (lambda: as_measure("tfidf", Numeric(), "age"), ParameterError, "'tfidf' cannot compare attribute 'age'.*numeric"),
    (lambda: as_measure(Ranks(), Nominal(), "a"), ParameterError, r"^Ranks\(\) cannot compare .* is nominal"),
    (
        lambda: as_measure(Blend([TfIdf(), Jaccard()]), Numeric(), "a"),
        ParameterError,
        "the measure supports no attributes",
    ),
    (lambda: as_measure(None, Text(), "message"), ParameterError, "got None as the measure of attribute 'message'"),
    (lambda: as_measure(3, Text(), "message"), ParameterError, "got 3 as the measure"),
    (lambda: as_measure(["tfidf"], Text(), "message"), ParameterError, r"got \['tfidf'\] as the measure"),
    (lambda: as_measure(TfIdf, Text(), "message"), ParameterError, r"Pass an instance of TfIdf, not the class\.$"),
    # trying one out
    (lambda: similarities("a", ["a"], "nominal", "mvdm", solutions=[]), ParameterError, "^similarities: solutions"),
    (lambda: similarities(None, ["a"], "nominal"), ParameterError, "query must not be missing"),
    (lambda: similarities("a", ["a"], "nominal", "mvdm"), ParameterError, "'value' by their solutions"),
    (lambda: similarities(3, ["x"], "numeric"), CaseBaseError, "'x' for 'value'"),
    (lambda: MVDM().prepare(column_of(Nominal(), ["a"]), None), ParameterError, r"MVDM\(.*'a' by their solutions"),
    (lambda: measured(Linear(log=True), Date(), ["2024-05-01"], "2024-05-01"), ParameterError, "'a' is date"),
    (lambda: measured(LevelSimilarity({"printr": 1}), DEVICES, [], "mono"), ParameterError, "mean 'printer'"),
    (
        lambda: measured(LevelSimilarity({"x": 1}), Taxonomy({"a": ["b"]}), [], "b"),
        ParameterError,
        "nodes are 'a', 'b'",
    ),
    # tables
    (table(["a", "b"]), ParameterError, r"must be a mapping .* got \['a', 'b'\]"),
    (table({"ab": 1.0}), ParameterError, "must have tuples of two values as keys, .* got 'ab'"),
    (table({("a", "b", "c"): 1.0}), ParameterError, "two values"),
    (table({("a", None): 1.0}), ParameterError, "two values"),
    (table({("a", ("b",)): 1.0}), ParameterError, "two values"),
    (table({("a", "b"): 1.5}), ParameterError, r"\('a', 'b'\) to a number from 0 to 1, got 1.5"),
    (table({("a", "b"): math.nan}), ParameterError, "from 0 to 1, got nan"),
    (table({("a", "b"): True}), ParameterError, "from 0 to 1, got True"),
    (table({("a", "a"): 0.5}), ParameterError, "both values are equal, got 0.5"),
    (
        table({("a", "b"): 0.5, ("b", "a"): 0.6}),
        ParameterError,
        "agree .* 0.6 in one direction and 0.5 in the other",
    ),
    # functions and models of users
    *[(returning(answer), ParameterError, r"Own\(odd\) returned .* for 4 and 3") for answer in (1.5, -0.1, math.nan)],
    *[(returning(answer), ParameterError, r"Own\(odd\) returned .* 0 .* to 1 ") for answer in ("1", None, [1])],
    (
        of_model(lambda texts: counts(texts)[:1]),
        ParameterError,
        r"'odd'\) returned an array of shape \(1, 2\) for 2 texts",
    ),
    (of_model(lambda texts: counts(texts)[:, 0]), ParameterError, r"an array of shape \(2,\)"),
    (of_model(lambda texts: counts(texts)[None]), ParameterError, r"an array of shape \(1, 2, 2\)"),
    (of_model(lambda texts: counts(texts)[:, :0]), ParameterError, r"an array of shape \(2, 0\)"),
    (of_model(lambda texts: counts(texts) * np.nan), ParameterError, "numbers that are not finite"),
    (of_model(lambda texts: counts(texts) + np.inf), ParameterError, "numbers that are not finite"),
    (of_model(lambda texts: [[1.0], [1.0, 2.0]]), ParameterError, "rows of different lengths"),
    (of_model(lambda texts: [["x"], ["y"]]), ParameterError, "an array of <U1"),
    (of_model(lambda texts: None), ParameterError, "an array of object"),
    (
        lambda: measured(Embedding(lambda texts: np.ones((len(texts),) * 2)), Text(), ["a", "b"], "c"),
        ParameterError,
        "returned 1 columns .previously 2. for 1 text of attribute 'a'",
    ),
    # descriptions
    (lambda: describe(Own(near)), ParameterError, r"Own\(near\) contains a function"),
    (lambda: describe(Embedding(counts, name="n")), ParameterError, r"Embedding\(name='n'\) contains"),
    (lambda: describe(Blend([TfIdf(), Own(near)])), ParameterError, r"Own\(near\) contains"),
    (described("linear"), ParameterError, "'linear' does not describe a measure"),
    (described({"range": 3}), ParameterError, "does not describe"),
    (described({"measure": 3}), ParameterError, "does not describe"),
    (described({"measure": "Own"}), ParameterError, "does not describe"),
    (described({"measure": "Linear", "width": 3}), ParameterError, "the parameters do not fit Linear"),
    (described({"measure": "Linear", "range": -3}), ParameterError, "parameter 'range' of Linear must be"),
    (described({"measure": "Threshold"}), ParameterError, "the parameters do not fit Threshold"),
    (described({"measure": "SimilarityTable"}), ParameterError, "the parameters do not fit SimilarityTable"),
    (described({"measure": "SimilarityTable", "pairs": [["a", "b"]]}), ParameterError, "the parameters do not fit"),
    (described({"measure": "SimilarityTable", "pairs": [[["a"], "b", 1]]}), ParameterError, "parameters do not fit"),
    (described({"measure": "Blend", "measures": 3}), ParameterError, "the parameters do not fit"),
    (
        described({"measure": "Blend", "measures": [[{"measure": "None"}, 1]]}),
        ParameterError,
        r"^\{'measure': 'None'\}",
    ),
    (described({"measure": "TfIdf", "ngrams": 3}), ParameterError, "parameter 'ngrams' of TfIdf must be"),
    (described({"measure": "TfIdf", "ngrams": [2, 1]}), ParameterError, "parameter 'ngrams' of TfIdf must be"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
