"""Votes, voters and tallies: against the slow reference, and at the edges."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import knn as reference

from priorcase.exceptions import ParameterError
from priorcase.neighbors.votes import (
    FunctionVote,
    InverseSquare,
    KernelVote,
    NeighborList,
    Poll,
    UniformVote,
    class_votes,
    decide,
    means,
    probabilities,
    resolve_vote,
)
from priorcase.similarity import InversePower, Tricube, Uniform, resolve_kernel

KERNELS: dict[str, Callable[[float], float]] = {
    "gaussian": lambda u: float(np.exp(-(u**2))),
    "tricube": lambda u: (1 - u**3) ** 3 if u < 1 else 0.0,
    "epanechnikov": lambda u: 1 - u**2 if u < 1 else 0.0,
    "biweight": lambda u: (1 - u**2) ** 2 if u < 1 else 0.0,
    "triangular": lambda u: 1 - u if u < 1 else 0.0,
    "exponential": lambda u: float(np.exp(-u)),
    "inverse_power": lambda u: 1 / u**2 if u > 0 else float("inf"),
}
# Few different distances, so that ties and exact matches are common.
DISTANCES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 3.0]), min_size=1, max_size=9)


def ranked(distances: list[float], weights: list[float] | None = None) -> NeighborList:
    order = np.lexsort((np.arange(len(distances)), distances))
    near = np.array(distances)[order]
    indptr = np.array([0, len(distances)])
    counts = None if weights is None else np.array(weights, dtype=float)[order]
    return NeighborList(indptr, order, near, counts)


def voters(*lists: list[float], h: float | None = None) -> NeighborList:
    indptr = np.cumsum([0, *map(len, lists)])
    distances = np.concatenate([np.array(part, dtype=float) for part in lists])
    bandwidths = None if h is None else np.full(len(lists), h)
    return NeighborList(indptr, np.arange(distances.size), distances, None, bandwidths)


def poll(*distances: float, votes: Any, counts: list[float] | None = None) -> Poll:
    found = voters(list(distances))
    repeated = None if counts is None else np.array(counts)
    return Poll(0, 1, NeighborList(found.indptr, found.rows, found.distances, repeated), np.asarray(votes, float))


def classes_of(codes: list[int], n: int) -> Any:
    of_rows = np.array(codes)
    return SimpleNamespace(labels=np.arange(n), codes=of_rows, weights=np.ones(n), at=lambda rows: of_rows[rows])


def normalised(votes: Any) -> Any:
    return np.asarray(votes) / np.sum(votes)


@given(
    DISTANCES,
    st.data(),
    st.sampled_from(["majority", "first"]),
    st.sampled_from(["uniform", "inverse_square", *KERNELS]),
)
def test_votes_equal_the_reference(distances: list[float], data: st.DataObject, ties: str, name: str) -> None:
    k = data.draw(st.integers(1, len(distances)))
    vote = resolve_vote(name)
    found = ranked(distances).nearest(k, whole_ties=ties == "majority", bandwidth=vote.needs_bandwidth)
    rows = reference.nearest(distances, k, whole_ties=ties == "majority")
    assert found.rows.tolist() == rows
    expected = reference.votes(distances, rows, k, KERNELS.get(name, name))
    np.testing.assert_allclose(normalised(vote.weigh(found)), normalised(expected), rtol=1e-12)


@given(DISTANCES, st.data(), st.booleans())
def test_weights_count_as_repetitions_on_the_way_to_k(distances: list[float], data: st.DataObject, whole: bool) -> None:
    times = data.draw(st.lists(st.integers(1, 3), min_size=len(distances), max_size=len(distances)))
    k = data.draw(st.integers(1, sum(times)))
    found = ranked(distances, [float(t) for t in times]).nearest(k, whole_ties=whole, bandwidth=True)
    copies = reference.repeated(range(len(distances)), times)
    rows = reference.nearest(reference.repeated(distances, times), k, whole_ties=whole)
    counted = {
        row: float(sum(copies[copy] == row for copy in rows)) for row in dict.fromkeys(copies[copy] for copy in rows)
    }
    assert found.counts is not None
    assert dict(zip(found.rows.tolist(), found.counts.tolist(), strict=True)) == counted
    ordered = sorted(reference.repeated(distances, times))
    h = ordered[k] if k < len(ordered) else ordered[-1] * (1 + 1e-9)
    assert found.bandwidths is not None
    assert found.bandwidths.tolist() == [h]


def test_small_weights_reach_one_despite_rounding() -> None:
    found = ranked([0.1 * i for i in range(12)], [0.1] * 12).nearest(1, whole_ties=False)
    assert found.rows.tolist() == list(range(10))
    assert found.counts is not None
    assert found.counts.sum() == pytest.approx(1.0)


def test_last_row_counts_with_what_is_missing() -> None:
    found = ranked([1.0, 2.0, 3.0], [0.75, 0.75, 5.0]).nearest(1, whole_ties=False)
    assert found.counts is not None
    assert found.counts.tolist() == [0.75, 0.25]
    whole = ranked([1.0, 2.0, 3.0], [0.75, 0.75, 5.0]).nearest(1, whole_ties=True)
    assert whole.counts is not None
    assert whole.counts.tolist() == [0.75, 0.75]


def test_exact_matches_decide_alone() -> None:
    assert InverseSquare().weigh(voters([0.0, 0.0, 1.0])).tolist() == [1, 1, 0]
    assert KernelVote(InversePower(3)).weigh(voters([0.0, 0.0, 1.0], h=2.0)).tolist() == [1, 1, 0]


def test_inverse_square_does_not_overflow() -> None:
    assert InverseSquare().weigh(voters([1e-300, 2e-300])).tolist() == [1, 0.25]
    assert InverseSquare().weigh(voters([5e-324, 1e300])).tolist() == [1, 0]


def test_infinite_distances_have_no_say_unless_all_are_infinite() -> None:
    inf = float("inf")
    for vote in (InverseSquare(), KernelVote(resolve_kernel("gaussian")), KernelVote(Tricube())):
        assert vote.weigh(voters([1.0, inf], h=inf))[1] == 0
        assert vote.weigh(voters([inf, inf], h=inf)).tolist() == [1, 1]
    assert UniformVote().weigh(voters([1.0, inf])).tolist() == [1, 1]


@pytest.mark.parametrize("kernel", [Tricube(), Uniform(), InversePower(2), resolve_kernel("gaussian")])
def test_voters_count_equally_where_the_bandwidth_is_zero(kernel: Any) -> None:
    assert KernelVote(kernel).weigh(voters([0.0, 0.0], h=0.0)).tolist() == [1, 1]


def test_voters_count_equally_where_all_votes_are_zero() -> None:
    assert KernelVote(Tricube()).weigh(voters([2.0, 2.0], [0.0, 1.0], h=2.0)).tolist()[:2] == [1, 1]
    assert FunctionVote(np.zeros_like).weigh(voters([2.0, 3.0])).tolist() == [1, 1]


@pytest.mark.parametrize("scale", [1e-300, 1e308])
def test_extreme_votes_are_rescaled(scale: float) -> None:
    votes = FunctionVote(lambda d: scale / (1 + d)).weigh(voters([0.0, 1.0], [1.0, 3.0]))
    assert votes.tolist() == [1, 0.5, 1, 0.5]


def test_function_is_called_for_each_query_and_cannot_change_distances() -> None:
    asked = []

    def vote(distances: Any) -> Any:
        asked.append(distances.tolist())
        distances[:] = 7
        return [1] * len(distances)

    given_voters = voters([0.1, 0.2], [0.3])
    assert FunctionVote(vote).weigh(given_voters).tolist() == [1, 1, 1]
    assert asked == [[0.1, 0.2], [0.3]]
    assert given_voters.distances.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda d: d[:1], "an array of shape (1,) for distances of shape (2,)"),
        (lambda d: np.array(["a", "b"]), "values of type <U1"),
        (lambda d: d * np.nan, "a vote that is not finite"),
        (lambda d: -d, "a negative vote"),
    ],
)
def test_function_with_bad_votes_is_refused(function: Any, problem: str) -> None:
    with pytest.raises(ParameterError) as caught:
        FunctionVote(function).weigh(voters([1.0, 2.0]))
    assert f"returned {problem}" in str(caught.value)


def test_names_kernels_and_functions() -> None:
    assert resolve_vote("uniform") == UniformVote()
    assert resolve_vote("epanechnikov") == KernelVote(resolve_kernel("epanechnikov"))
    assert resolve_vote(InversePower(3)) == KernelVote(InversePower(3))
    assert resolve_vote(np.exp) == FunctionVote(np.exp)
    assert resolve_vote(InverseSquare()) == InverseSquare()


@pytest.mark.parametrize("vote", ["distance", None, 3, Tricube])
def test_unknown_votes_are_refused(vote: Any) -> None:
    with pytest.raises(ParameterError, match=r"vote must be one of 'uniform', 'inverse_square', 'gaus"):
        resolve_vote(vote)


def test_means_stay_within_the_voters_values() -> None:
    third = np.full((3, 1), 0.1)
    assert means(poll(1.0, 1.0, 1.0, votes=np.ones(3)), third).tolist() == [[0.1]]
    largest = np.full((5, 1), np.finfo(float).max)
    assert means(poll(*[1.0] * 5, votes=np.full(5, 0.2)), largest).tolist() == [[np.finfo(float).max]]
    mixed = np.array([[1.7e308], [-1.7e308]])
    assert abs(means(poll(1.0, 1.0, votes=np.ones(2)), mixed)[0, 0]) <= 1.7e308


def test_prior_is_added_to_votes_rescaled_to_the_number_of_voters() -> None:
    given = poll(1.0, 1.0, 1.0, 1.0, votes=[0.1] * 4), classes_of([0, 0, 0, 1], 2), np.array([1.0, 1.0])
    np.testing.assert_allclose(class_votes(*given), [[4.0, 2.0]])
    np.testing.assert_allclose(probabilities(*given), [[2 / 3, 1 / 3]])


def test_nearest_rule_where_the_tied_classes_have_prior_weight_only() -> None:
    prior = np.array([0.0, 5.0, 5.0])
    assert decide(poll(1.0, votes=[1.0]), "nearest", [classes_of([0], 3)], [prior]).tolist() == [[1]]


@pytest.mark.parametrize(
    ("codes", "counts", "expected"),
    [
        ([1, 0, 0, 1], None, 0),  # tied at four, 0 leads at three
        ([1, 0, 1], [1.0, 2.0, 1.0], 0),  # the same with one row of weight 2
        ([1, 0], [0.5, 0.5], 1),  # never a single leader: the nearest voter decides
    ],
)
def test_reduce_rule_counts_in_units_of_weight(codes: list[int], counts: Any, expected: int) -> None:
    tied = poll(*range(len(codes)), votes=np.ones(len(codes)), counts=counts)
    assert decide(tied, "reduce", [classes_of(codes, 2)], [None]).tolist() == [[expected]]
