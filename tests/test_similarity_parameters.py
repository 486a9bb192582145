"""Parameters of differences, distances and kernels: what is refused and in which words; NumPy's numbers are numbers."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from building import LEVELS, encode, store

from priorcase.exceptions import DistanceError
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.similarity import (
    Absolute,
    Discretised,
    Distance,
    Interpolated,
    InversePower,
    Levels,
    Overlap,
    ValueDifference,
    ValueTable,
    Windowed,
    cosine,
    hvdm,
    ivdm,
    minkowski,
    mvdm,
    vdm,
)

HINT = re.compile(r".+ got .+; expected .+\.\nHint: .+\.")


def refusal(make):
    """The message of the DistanceError that ``make`` raises: who got what, what was expected, what to do."""
    with pytest.raises(DistanceError) as caught:
        make()
    assert HINT.fullmatch(str(caught.value)), str(caught.value)
    return str(caught.value)


# -- Wrong types -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "quantiles", [3, "ab", ("a", "b"), (0.1,), (0.1, 0.5, 0.9), (0.1, None), (math.nan, 1.0), None]
)
def test_quantiles_are_two_numbers(quantiles):
    message = refusal(lambda: Absolute("robust", quantiles=quantiles))
    assert f"Absolute got quantiles={quantiles!r}; expected two increasing numbers between 0 and 1" in message


@pytest.mark.parametrize("quantiles", [np.array(0.5), np.array([[0.1, 0.9]])])
def test_quantiles_in_arrays_of_other_shapes(quantiles):
    with pytest.raises(DistanceError, match=r"expected two increasing numbers between 0 and 1"):
        Absolute("robust", quantiles=quantiles)


@pytest.mark.parametrize("attributes", [3, None, "size", [("size", Overlap())], Overlap()])
def test_attributes_are_a_mapping(attributes):
    message = refusal(lambda: Distance(attributes=attributes))
    assert "Distance got attributes=" in message
    assert "expected a mapping from columns to differences" in message


@pytest.mark.parametrize("value", ["no", 1, 0, None, 1.0, (), "True"])
@pytest.mark.parametrize(
    ("owner", "parameter"),
    [
        (Absolute, "cap"),
        (Absolute, "widen"),
        (Distance, "root"),
        (Distance, "mean"),
        (Distance, "unit_length"),
    ],
)
def test_switches_are_true_or_false(owner, parameter, value):
    message = refusal(lambda: owner(**{parameter: value}))
    assert f"{owner.__name__} got {parameter}={value!r}; expected True or False" in message


@pytest.mark.parametrize("value", [["range"], np.array(["range", "std"]), None, 3, {}])
@pytest.mark.parametrize(
    ("owner", "parameter"),
    [
        (Absolute, "scaling"),
        (ValueDifference, "norm"),
        (ValueDifference, "unseen"),
        (Discretised, "empty"),
        (Distance, "missing"),
        (hvdm, "normalisation"),
    ],
)
def test_options_are_names(owner, parameter, value):
    with pytest.raises(DistanceError, match=rf"{owner.__name__} got {parameter}=.*; expected one of '"):
        owner(**{parameter: value})


@pytest.mark.parametrize(
    "value", ["2", None, math.nan, math.inf, 0, True, 10**400, np.array(2.0), 2j, np.timedelta64(2)]
)
@pytest.mark.parametrize(
    ("owner", "parameter"),
    [
        (Absolute, "factor"),
        (ValueDifference, "exponent"),
        (Discretised, "exponent"),
        (Distance, "power"),
        (minkowski, "p"),
        (mvdm, "k"),
        (mvdm, "r"),
    ],
)
def test_numbers_are_numbers(owner, parameter, value):
    with pytest.raises(DistanceError, match=rf"{owner.__name__} got {parameter}=.*; expected a finite number"):
        owner(**{parameter: value})


@pytest.mark.parametrize("bins", ["5", 5.0, 0, True, 10**30, np.float64(5), np.array([5])])
@pytest.mark.parametrize("owner", [Discretised, Interpolated, Windowed])
def test_bins_are_whole(owner, bins):
    with pytest.raises(DistanceError, match=rf"{owner.__name__} got bins=.*; expected None or a whole number >= 1"):
        owner(bins=bins)


@pytest.mark.parametrize("cost", ["1", None, -1, math.nan, True])
def test_the_cost_of_sharing_nothing_is_a_number(cost):
    message = refusal(lambda: Distance(missing="skip", nothing_shared=cost))
    assert f"Distance got nothing_shared={cost!r}; expected a number >= 0" in message


@pytest.mark.parametrize("positions", ["012", ("0", "1"), (False, True), (-1.7e308, 1.7e308), (0, 1e-310), np.array(1)])
def test_positions_lie_on_a_line(positions):
    with pytest.raises(DistanceError, match=r"Levels got positions=.*; expected increasing finite numbers"):
        Levels(positions)


@pytest.mark.parametrize(
    ("values", "matrix", "message"),
    [
        (3, [[0]], r"ValueTable got values=3; expected several values"),
        ("a", [[0]], r"values='a'; expected several values"),
        (([],), [[0]], r"expected values that can be hashed"),
        (("a", None), [[0, 1], [1, 0]], r"with a gap; expected none: the distance's missing= says what a gap costs"),
        (("a", math.nan), [[0, 1], [1, 0]], r"with a gap"),
        (("a", "b"), 3, r"a matrix of shape \(\)"),
        (("a", "b"), [["0", "1"], ["1", "0"]], r"not made of rows of numbers"),
        (("a", "b"), [[0, 1j], [1, 0]], r"not made of rows of numbers"),
        (("a", "b"), [[0, 10**400], [1, 0]], r"not made of rows of numbers"),
    ],
)
def test_value_tables_are_square_and_of_numbers(values, matrix, message):
    with pytest.raises(DistanceError, match=message) as caught:
        ValueTable(values, matrix)
    assert "Hint: for example ValueTable((" in str(caught.value)


def test_differences_are_given_by_keyword():
    with pytest.raises(TypeError, match="positional"):
        Distance(Absolute(), Overlap(), Levels())  # type: ignore[misc]


def test_a_scale_beyond_float64_is_refused():
    instances = store([Numeric()], [[0], [1e10]])
    with pytest.raises(DistanceError, match=r"column 0 has numbers so large that their scale is infinite"):
        Distance(numeric=Absolute(factor=1e300)).fit(instances)


# -- Options without effect --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaling", ["range", "std", "none"])
def test_quantiles_are_for_robust_scaling_only(scaling):
    message = refusal(lambda: Absolute(scaling, quantiles=(0.1, 0.9)))
    assert "Absolute got quantiles=(0.1, 0.9); expected none unless scaling='robust'" in message


def test_a_stretched_range_needs_no_cap():
    assert "Absolute got cap=True; expected False with widen=True" in refusal(lambda: Absolute(widen=True, cap=True))


@pytest.mark.parametrize(("part", "other"), [("nominal", ValueDifference()), ("ordinal", Overlap())])
def test_vectors_have_only_numbers_to_compare(part, other):
    message = refusal(lambda: Distance(numeric=Absolute("none"), unit_length=True, **{part: other}))
    assert f"Distance got {part}={other!r}; expected" in message
    assert "with unit_length=True" in message


@pytest.mark.parametrize("missing", ["maximal", "aha", "symbol", "ignore"])
def test_sharing_is_for_skipped_gaps_only(missing):
    assert "mean=True; expected False" in refusal(lambda: Distance(missing=missing, mean=True))
    assert "nothing_shared=1.0; expected inf" in refusal(lambda: Distance(missing=missing, nothing_shared=1.0))


# -- NumPy's numbers ---------------------------------------------------------------------------------------------------

TWICE = {
    "minkowski, int64": (minkowski(np.int64(3)), minkowski(3)),
    "minkowski, float32": (minkowski(np.float32(1.5)), minkowski(1.5)),
    "minkowski, float64": (minkowski(np.float64(2.5)), minkowski(2.5)),
    "minkowski, longdouble": (minkowski(np.longdouble(2.5)), minkowski(2.5)),
    "mvdm": (mvdm(np.uint8(2), np.int16(1), np.int64(4)), mvdm(2, 1, 4)),
    "vdm": (vdm(np.int64(5)), vdm(5)),
    "ivdm": (ivdm(np.int64(5)), ivdm(5)),
    "factor": (Absolute(factor=np.int8(4)), Absolute(factor=4)),
    "quantiles": (Absolute("robust", quantiles=np.array([0.25, 1])), Absolute("robust", quantiles=(0.25, 1.0))),
    "switches": (Absolute(np.str_("range"), cap=np.True_), Absolute("range", cap=True)),
    "positions": (Levels(np.array([0, 1, 5])), Levels((0.0, 1.0, 5.0))),
    "exponent": (ValueDifference(np.int64(2), "root"), ValueDifference(2, "root")),
    "bins": (Windowed(np.uint16(7)), Windowed(7)),
    "kernel": (InversePower(np.int64(2)), InversePower(2)),
    "kernel, float32": (InversePower(np.float32(0.5)), InversePower(0.5)),
    "sharing": (
        Distance(missing="skip", mean=np.True_, nothing_shared=np.float32(0.5), root=np.False_),
        Distance(missing="skip", mean=True, nothing_shared=0.5, root=False),
    ),
    "attributes": (Distance(attributes={np.int64(0): Overlap()}), Distance(attributes={0: Overlap()})),
    "table": (ValueTable(np.array([1, 2]), np.eye(2) == 0), ValueTable((1, 2), [[0, 1], [1, 0]])),
}


@pytest.mark.parametrize("name", TWICE)
def test_numpys_numbers_make_the_same_value(name):
    one, other = TWICE[name]
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert "np." not in repr(one)


def test_columns_may_be_named_by_numpys_numbers():
    instances = store((Numeric(), Nominal(), Ordinal(LEVELS)), [[0, "a", "low"], [10, "b", "top"]])
    distance = Distance(attributes={np.int64(0): Absolute("none"), np.uint8(2): Overlap()}, power=np.int64(1))
    costs = distance.fit(instances).costs(encode(instances, [[4, "a", "high"]])[0], instances.cells())
    assert costs.tolist() == [5.0, 8.0]


def test_whole_powers_of_numpy_reach_the_core():
    instances = store([Numeric()], [[0], [2]])
    for distance in (minkowski(np.int64(3)), cosine()):
        assert distance.fit(instances).plan() is not None
    weights = InversePower(np.int64(2))(np.array([2.0]))
    assert weights.tolist() == [0.25]
