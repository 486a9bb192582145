"""Errors of differences, distances, kernels and searches: the call, the class, and a telling word."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest
from building import LEVELS, store

from priorcase.exceptions import NumericRangeError, ParameterError, QueryIndexError, UnknownIdError
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.search import Index, Neighbors
from priorcase.similarity import (
    Absolute,
    Discretized,
    Distance,
    Gaussian,
    Interpolated,
    InversePower,
    Levels,
    Overlap,
    ValueDifference,
    ValueTable,
    Windowed,
    cosine,
    euclidean,
    heom,
    hvdm,
    ivdm,
    minkowski,
    mvdm,
    resolve,
    resolve_kernel,
)

NO_NUMBERS = ["2", None, math.nan, math.inf, 0, True, 10**400, np.array(2.0), 2j, np.timedelta64(2, "s")]
NO_BINS = ["5", 5.0, 0, True, 10**30, np.float64(5), np.array([5])]
NO_NAMES = [["range"], np.array(["range", "std"]), None, 3, {}, "nope"]
NO_SWITCHES = ["no", 2, None, 1.0, (), "True"]

# The parameter that the message names, what it is a parameter of, and values that are refused.
PARAMETERS = [
    *[
        (owner, name, value)
        for owner, name in [(Absolute, "factor"), (ValueDifference, "exponent")]
        for value in NO_NUMBERS
    ],
    *[(owner, name, value) for owner, name in [(Discretized, "exponent"), (Distance, "power")] for value in NO_NUMBERS],
    *[(owner, name, value) for owner, name in [(minkowski, "p"), (mvdm, "k"), (mvdm, "r")] for value in NO_NUMBERS],
    *[(owner, name, value) for owner, name in [(Gaussian, "width"), (InversePower, "p")] for value in NO_NUMBERS],
    *[(owner, "bins", value) for owner in (Discretized, Interpolated, Windowed) for value in NO_BINS],
    *[(Absolute, "scaling", value) for value in NO_NAMES],
    *[(ValueDifference, name, value) for name in ("norm", "unseen") for value in NO_NAMES],
    *[(Discretized, name, value) for name in ("norm", "empty") for value in [*NO_NAMES, "weighted"]],
    *[(Distance, "missing", value) for value in NO_NAMES],
    *[(hvdm, "normalization", value) for value in NO_NAMES],
    *[(Absolute, name, value) for name in ("cap", "widen") for value in NO_SWITCHES],
    *[(Distance, name, value) for name in ("root", "mean", "unit_length") for value in NO_SWITCHES],
    *[(Distance, "attributes", value) for value in (3, None, "size", [("size", Overlap())], Overlap())],
    *[(Levels, "positions", value) for value in ((0, 2, 1), (0, 0, 1), (0, math.inf), (), ("a", "b"), 3, "012")],
    *[(Levels, "positions", value) for value in ((False, True), (-1.7e308, 1.7e308), (0, 1e-310), np.array(1))],
]


@pytest.mark.parametrize(("owner", "name", "value"), PARAMETERS)
def test_parameters(owner, name, value):
    with pytest.raises(ParameterError, match=name) as caught:
        owner(**{name: value})
    assert owner.__name__ in str(caught.value)
    assert " must be " in str(caught.value)


QUANTILES = [
    3,
    "ab",
    ("a", "b"),
    (0.1,),
    (0.1, 0.5, 0.9),
    (0.1, None),
    (math.nan, 1.0),
    None,
    np.array(0.5),
    (0.9, 0.1),
]
NO_COSTS = ["1", None, -1, math.nan, True]
VECTORS = {"numeric": Absolute("none"), "unit_length": True}
TABLE = [[0, 1], [1, 0]]

# A call and a telling word.
STRATEGIES = {
    **{f"quantiles {i}": (partial(Absolute, "robust", quantiles=q), "two increasing") for i, q in enumerate(QUANTILES)},
    **{f"cost {c!r}": (partial(Distance, missing="skip", nothing_shared=c), "nothing_shared") for c in NO_COSTS},
    "quantiles without robust": (lambda: Absolute("std", quantiles=(0.1, 0.9)), "scaling='robust'"),
    "widen a deviation": (lambda: Absolute("std", widen=True), "scaling='range'"),
    "widen a factor": (lambda: Absolute(factor=2, widen=True), "factor=1"),
    "widen and cap": (lambda: Absolute(widen=True, cap=True), "no effect"),
    "exponent of a root": (lambda: ValueDifference(1, "root"), "'exponent' of .* must be 2 with norm='root'"),
    "exponent of intervals": (lambda: Discretized(5, 1, "class_root"), "norm='class_root'"),
    "mean": (lambda: Distance(mean=True), "mean .* missing='skip'"),
    "nothing shared": (lambda: Distance(nothing_shared=1.0), "nothing_shared .* missing='skip'"),
    "a name as a difference": (lambda: Distance(numeric="range"), r"numeric .*Absolute\(\)"),
    "a class as a difference": (lambda: Distance(nominal=Overlap), "nominal"),
    "a number as a difference": (lambda: Distance(attributes={"size": 2}), r"attributes\['size'\]"),
    "vectors of scaled numbers": (lambda: Distance(unit_length=True), r"Absolute\('none'\)"),
    "vectors of values": (lambda: Distance(nominal=ValueDifference(), **VECTORS), "nominal"),
    "vectors of levels": (lambda: Distance(ordinal=Overlap(), **VECTORS), "ordinal"),
    "one value": (lambda: ValueTable(3, [[0]]), "distinct values.* got 3"),
    "a string": (lambda: ValueTable("a", [[0]]), "distinct values"),
    "values without a hash": (lambda: ValueTable(([],), [[0]]), "hashable"),
    "a missing value": (lambda: ValueTable(("a", None), TABLE), "missing"),
    "a NaN value": (lambda: ValueTable(("a", math.nan), TABLE), "missing"),
    "a value twice": (lambda: ValueTable(("a", "a"), TABLE), "distinct"),
    "no matrix": (lambda: ValueTable(("a", "b"), 3), "square"),
    "not square": (lambda: ValueTable(("a", "b"), [[0, 1]]), "square matrix of numbers, 2 by 2"),
    "no values": (lambda: ValueTable((), []), "distinct values"),
    "ragged": (lambda: ValueTable(("a", "b"), [[0, 1], [1]]), "square"),
    "texts": (lambda: ValueTable(("a", "b"), [["0", "1"], ["1", "0"]]), "numbers"),
    "complex": (lambda: ValueTable(("a", "b"), [[0, 1j], [1, 0]]), "numbers"),
    "too large": (lambda: ValueTable(("a", "b"), [[0, 10**400], [1, 0]]), "numbers"),
    "negative": (lambda: ValueTable(("a", "b"), [[0, -1], [1, 0]]), ">= 0"),
    "NaN": (lambda: ValueTable(("a", "b"), [[0, math.nan], [1, 0]]), "finite"),
    "diagonal": (lambda: ValueTable(("a", "b"), [[0.5, 1], [1, 0]]), "diagonal"),
    "unknown distance": (
        lambda: resolve("nearness"),
        "distance must be a Distance, a function of two rows or one of 'braycurtis'",
    ),
    "misspelt distance": (lambda: resolve("euclidian"), "Did you mean 'euclidean'"),
    "no distance": (lambda: resolve(3), "got 3"),
    "unknown kernel": (lambda: resolve_kernel("cosine"), "one of 'gaussian', 'tricube'"),
    "misspelt kernel": (lambda: resolve_kernel("tricub"), "Did you mean 'tricube'"),
    "a class as a kernel": (lambda: resolve_kernel(Gaussian), "an instance such as Tricube()"),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_strategies(name):
    call, word = STRATEGIES[name]
    with pytest.raises(ParameterError, match=word):
        call()


HUGE, TINY = [[1e308], [-1e308]], [[0.0], [1e-200], [3e-200]]
NAMED = store((Numeric(), Nominal()), [[1, "a"]], names=("size", "colour"))
COLOURS = ValueTable(("red", "blue"), TABLE)

# A distance, what it is fitted to, the class of the error and a telling word.
FITS = {
    "levels of numbers": (Distance(numeric=Levels()), NAMED, ParameterError, "column 'size' is numeric"),
    "numbers of values": (Distance(attributes={"colour": Absolute()}), NAMED, ParameterError, "'colour' is nominal"),
    "vectors of values": (cosine(), NAMED, ParameterError, "column 'colour' is nominal"),
    "vectors of other differences": (
        Distance(numeric=Absolute("none"), unit_length=True, attributes={0: Overlap()}),
        store([Numeric()], [[1]]),
        ParameterError,
        "compared by Overlap",
    ),
    "aha without a range": (
        Distance(numeric=Absolute("std"), missing="aha"),
        store([Numeric()], [[1], [2]]),
        ParameterError,
        r"Absolute\('range'\)",
    ),
    "levels": (Distance(ordinal=Levels((0, 1))), store([Ordinal(LEVELS)], [["low"]]), ParameterError, "4 numbers"),
    "a stored value": (
        Distance(nominal=COLOURS),
        store([Nominal()], [["green"]]),
        ParameterError,
        "'green' of column 0",
    ),
    "a declared value": (
        Distance(nominal=COLOURS),
        store([Nominal(("red", "green"))], [["red"]]),
        ParameterError,
        "'green'",
    ),
    "unknown column": (Distance(attributes={"weight": Overlap()}), NAMED, ParameterError, "weight"),
    "one column twice": (Distance(attributes={"size": Overlap(), 0: Absolute()}), NAMED, ParameterError, "same column"),
    "range": (heom(), store([Numeric()], HUGE), NumericRangeError, "range is infinite"),
    "deviation": (euclidean("std"), store([Numeric()], HUGE), NumericRangeError, "standard deviation is infinite"),
    "small deviation": (euclidean("std"), store([Numeric()], TINY), NumericRangeError, "standard deviation is 0"),
    "scale": (
        Distance(numeric=Absolute(factor=1e300)),
        store([Numeric()], [[0], [1e10]]),
        NumericRangeError,
        "scale is infinite|distances between them are 0",
    ),
    "curve": (ivdm(), store([Numeric()], [[-1.7e308], [0.0]], ["a", "b"]), NumericRangeError, "intervals"),
    "unscaled numbers": (euclidean(), store([Numeric()], TINY), NumericRangeError, "column 0 .* are 0"),
    "a large factor": (
        Distance(numeric=Absolute(factor=1e200)),
        store([Numeric()], [[0], [1]]),
        NumericRangeError,
        "are 0",
    ),
    **{
        f"{name} of {what}": (resolve(name), rows, ParameterError, word)
        for name in ("hvdm", "vdm", "mvdm", "dvdm", "ivdm", "wvdm")
        for what, rows, word in (
            ("numbers", store([Nominal()], [["a"]], [1.5], target=Numeric()), "the target is numeric"),
            ("nothing", store([Nominal()], [["a"]]), "there is no target"),
        )
    },
}


@pytest.mark.parametrize("name", FITS)
def test_fits(name):
    distance, instances, error, word = FITS[name]
    with pytest.raises(error, match=word):
        distance.fit(instances)


def test_no_target_where_there_is_one():
    with pytest.raises(ParameterError, match="there is no target"):
        mvdm().fit(store([Nominal()], [["a"]], ["x"]), target=None)


# Arguments of a search for three queries over two columns, and a telling word.
SEARCHES = [
    *[({"k": k}, "k must be") for k in (0, 1.5, "2", True, None)],
    *[({"radius": radius}, "radius must be .* 3 queries") for radius in (np.nan, "far", None, [1.0, 2.0], [[1.0]] * 2)],
    ({"algorithm": "ball_tree"}, "algorithm must be"),
    ({"algorithm": "exhaustive"}, "algorithm"),
    ({"algorithm": "trees"}, "Did you mean 'tree'"),
    ({"weights": [1.0, -1.0]}, "weights must be 2 finite"),
    ({"weights": [1.0]}, "weights"),
    ({"weights": "heavy"}, "weights"),
    ({"exclude": [1]}, "exclude must contain 3 ids"),
    ({"exclude": ["a"] * 3}, "exclude"),
    ({"threads": 0}, "threads"),
    ({"threads": "2"}, "threads"),
    ({"queries": [[1.0, 2.0, 3.0]]}, "queries .* 2 columns"),
    ({"queries": "cells"}, "queries"),
]


@pytest.mark.parametrize(("wrong", "word"), SEARCHES)
def test_searches(wrong, word):
    instances = store([Numeric(), Numeric()], [[0, 1], [2, 3]])
    fitted = heom().fit(instances)
    index, asked = Index(instances, fitted), {"queries": np.zeros((3, 2))} | wrong
    if "radius" not in wrong:
        with pytest.raises(ParameterError, match=word):
            index.kneighbors(fitted, **{"k": 1} | asked)
    if "k" not in wrong:
        with pytest.raises(ParameterError, match=word):
            index.within(fitted, **{"radius": 1.0} | asked)


CHANGES = [
    ("remove", [1, 1], "more than once"),
    ("remove", [1, 5000], "5000 are not in the index"),
    ("append", [1], "are in the index already"),
    ("append", ["a"], "list of integers"),
]


@pytest.mark.parametrize(("change", "ids", "word"), CHANGES)
def test_wrong_ids_change_nothing(change, ids, word):
    instances = store([Numeric()], [[float(i)] for i in range(1000)])
    fitted = heom().fit(instances)
    index = Index(instances, fitted)
    before = index.kneighbors(fitted, instances.cells(slice(0, 9)), 4)
    with pytest.raises(UnknownIdError, match=word):
        getattr(index, change)(ids)
    assert len(index) == 1000
    assert index.kneighbors(fitted, instances.cells(slice(0, 9)), 4) == before


def test_a_distance_that_does_not_know_the_values():
    instances = store([Nominal()], [["a"], ["b"]], ["x", "y"])
    fitted = mvdm().fit(instances, 0)
    index = Index(instances, fitted)
    more = instances.schema.read([["c"]])
    index.append(instances.append(more, instances.targets.read([["x"]])))
    with pytest.raises(ParameterError, match="fitted before some of the stored values"):
        index.kneighbors(fitted, instances.cells(), 1)


def test_results():
    found = Neighbors(np.array([0, 1, 1]), np.array([5]), np.array([0.0]), np.array([0.0]))
    with pytest.raises(QueryIndexError, match="query 2 does not exist; there are 2 queries"):
        found[2]
    with pytest.raises(ParameterError, match="at most 0, the number of rows found for query 1"):
        found.rectangular(1)
    for k in (-1, 1.0, "1", True):
        with pytest.raises(ParameterError, match=re.escape(repr(k))):
            found.rectangular(k)


def test_infinite_distances():
    instances = store([Numeric(), Numeric()], [[0, None], [1, None]])
    fitted = euclidean().fit(instances)
    far, rows = np.array([[1e200, np.nan]] * 2), instances.cells()
    with pytest.raises(NumericRangeError, match=r"query 7 has .* row 1 is infinite"):
        fitted.check_finite(np.array([0.0, math.inf]), far, rows, names=(np.array([7, 7]), np.array([0, 1])))
    fitted.check_finite(np.full(2, math.inf), np.array([[np.nan, 1.0]] * 2), rows)  # by rule: nothing is shared
    fitted.check_finite(np.full(2, math.inf), far, rows, np.array([0.0, 1.0]))
