"""Zero policies: what an impossible class gets, what nothing possible gives, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from priorcase.bayes import Cap, KeepZeros, ParamFloor
from priorcase.bayes.additive import normalise, resolve_zero_policy

INF = math.inf
POLICIES = [KeepZeros(), Cap(), Cap(20), ParamFloor(), None]

joints = st.tuples(st.integers(0, 6), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.one_of(st.floats(-1e4, 50), st.just(-INF)))
)


# -- By hand -----------------------------------------------------------------------------------------------------------


def test_possible_classes_share_by_their_joint_probability():
    for policy in POLICIES:
        assert np.exp(normalise(np.log([[0.01, 0.03], [0.2, 0.2]]), policy)) == pytest.approx(
            np.array([[0.25, 0.75], [0.5, 0.5]])
        )


def test_an_impossible_class():
    joint = np.array([[-3.0, -INF, -3.0]])
    half = math.log(0.5)
    assert normalise(joint)[0] == pytest.approx([half, -INF, half])
    assert normalise(joint, KeepZeros())[0] == pytest.approx([half, -INF, half])
    assert normalise(joint, Cap())[0] == pytest.approx([half, -100.0, half])
    assert normalise(joint, Cap(20))[0] == pytest.approx([half, -20.0, half])


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_possible_is_nothing_known(policy):
    """Each class gets 1/K, beside rows where something is possible (Kontkanen et al. 1998, behind Table 1)."""
    found = normalise(np.array([[-INF] * 4, [-1.0, -1.0, -1.0, -1.0], [-INF, 0.0, -INF, -INF]]), policy)
    assert found[:2] == pytest.approx(np.full((2, 4), -math.log(4)))
    assert found[2, 1] == pytest.approx(0.0, abs=1e-8)


def test_only_exact_zeros_are_capped():
    found = normalise(np.array([[0.0, -150.0, -INF]]), Cap())
    assert found[0] == pytest.approx([0.0, -150.0, -100.0])


def test_a_floor_raises_single_parameters():
    parameters = np.array([[0.0, 0.5, 0.5], [1e-5, 1e-4, 1.0]])
    assert ParamFloor().parameters(parameters).tolist() == [[1e-4, 0.5, 0.5], [1e-4, 1e-4, 1.0]]
    assert ParamFloor(0.2).parameters(parameters).tolist() == [[0.2, 0.5, 0.5], [0.2, 0.2, 1.0]]
    for policy in (KeepZeros(), Cap()):
        assert policy.parameters(parameters).tolist() == parameters.tolist()
    assert parameters[0, 0] == 0.0


def test_one_class_and_no_rows():
    assert normalise(np.array([[-7.0], [-INF]])).tolist() == [[0.0], [0.0]]
    assert normalise(np.empty((0, 3)), Cap()).shape == (0, 3)


# -- Laws --------------------------------------------------------------------------------------------------------------


@given(joints)
def test_probabilities_sum_to_1_under_every_policy(joint):
    for policy in POLICIES:
        found = normalise(joint, policy)
        assert np.exp(found).sum(axis=1) == pytest.approx(np.ones(len(joint)), abs=1e-12)
        assert (found <= 1e-12).all()


@given(joints)
def test_one_row_or_many_the_same_bits(joint):
    for policy in POLICIES:
        together = normalise(joint, policy)
        assert all(normalise(joint[i : i + 1], policy)[0].tolist() == together[i].tolist() for i in range(len(joint)))
        assert normalise(np.asfortranarray(joint), policy).tolist() == together.tolist()


@given(joints, st.floats(-1e3, 1e3))
def test_a_factor_common_to_all_classes_changes_nothing(joint, shift):
    for policy in POLICIES:
        assert normalise(joint + shift, policy) == pytest.approx(normalise(joint, policy), rel=1e-9, abs=1e-9)


@given(joints)
def test_the_order_of_possible_classes_stays(joint):
    found = normalise(joint)
    for row, result in zip(joint, found, strict=True):
        if row.size and np.isfinite(row).any():
            assert result[row.argmax()] == result.max()
            assert np.isneginf(result).tolist() == np.isneginf(row).tolist()


def test_the_input_stays_as_it_is():
    joint = np.array([[-1.0, -INF], [-INF, -INF]])
    before = joint.copy()
    for policy in POLICIES:
        normalise(joint, policy)
        assert joint.tolist() == before.tolist()


# -- Names and words ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "policy"),
    [("-inf", KeepZeros()), ("cap100", Cap(100)), ("param_floor", ParamFloor(1e-4)), (Cap(30), Cap(np.float32(30)))],
)
def test_resolve_zero_policy(spec, policy):
    found = resolve_zero_policy(spec)
    assert found == policy
    assert isinstance(found, KeepZeros)
    assert hash(found) == hash(policy)


def test_policies_print_themselves():
    assert [repr(p) for p in POLICIES[:4]] == [
        "KeepZeros()",
        "Cap(nats=100.0)",
        "Cap(nats=20.0)",
        "ParamFloor(floor=0.0001)",
    ]
