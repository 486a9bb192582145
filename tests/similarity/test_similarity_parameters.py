"""Parameters of differences, distances and kernels: NumPy's numbers are numbers, and presets are made once."""

from __future__ import annotations

import numpy as np
import pytest
from building import LEVELS, encode, store

from priorcase.neighbors import KNNClassifier
from priorcase.schema import Nominal, Numeric, Ordinal
from priorcase.similarity import (
    Absolute,
    Distance,
    InversePower,
    Levels,
    Overlap,
    ValueDifference,
    ValueTable,
    Windowed,
    cosine,
    ivdm,
    minkowski,
    mvdm,
    resolve,
    vdm,
)


def test_differences_are_given_by_keyword():
    with pytest.raises(TypeError, match="positional"):
        Distance(Absolute(), Overlap(), Levels())  # type: ignore[misc]


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


def test_a_preset_is_made_and_checked_once(monkeypatch):
    resolve("heom")
    made = []
    monkeypatch.setattr(Distance, "__post_init__", lambda self: made.append(self))
    assert resolve("heom") is resolve("heom")
    assert KNNClassifier(1, distance="heom").fit([[0.0], [1.0]], [0, 1]).predict([[0.2]]).tolist() == [0]
    assert made == []
