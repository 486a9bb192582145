"""The compiled election gives what the tally in NumPy gives, ties included."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from priorcase._core import elect
from priorcase.neighbors.votes import TIES, Poll, Ties, _counted, class_votes
from priorcase.search.index import NeighborList

VOTES = st.sampled_from([1.0, 1.0, 2.0, 0.5, 0.25, 1e-12, 3.0])


@st.composite
def polls(draw: Any) -> tuple[NeighborList, np.ndarray, np.ndarray, np.ndarray]:
    """NeighborList of some queries, their votes, the classes of the stored rows, and how many rows each class has."""
    n_classes = draw(st.sampled_from([1, 2, 3, 70]))
    codes = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=4, max_size=12)))
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=6))
    rows = np.array([draw(st.integers(0, codes.size - 1)) for _ in range(sum(lengths))])
    distances = np.array([draw(st.sampled_from([0.0, 1.0, 1.5])) for _ in range(sum(lengths))])
    votes = np.array([draw(VOTES) for _ in range(sum(lengths))])
    weights = np.array([draw(st.sampled_from([1.0, 2.0])) for _ in range(n_classes)])
    return NeighborList(np.concatenate([[0], np.cumsum(lengths)]), rows, distances), votes, codes, weights


@pytest.mark.parametrize("ties", get_args(Ties))
@given(poll=polls())
@settings(max_examples=50)
def test_elected_as_tallied(ties: Ties, poll: Any) -> None:
    voters, votes, codes, weights = poll
    number = TIES[ties]
    classes = codes[voters.rows]
    elected, n_open = elect(voters.indptr, classes, votes, voters.distances, weights.size, weights, number)
    polled = Poll(0, len(voters), voters, votes)
    stored: Any = SimpleNamespace(labels=np.arange(weights.size), codes=codes, weights=weights)
    tally = class_votes(polled, stored)
    chosen, open_ = _counted(polled, ties, stored, None, None)
    chosen = chosen.copy()
    chosen[open_] = -1
    assert elected.tolist() == chosen.tolist()
    assert n_open == len(open_)
    uncounted, n_open = elect(voters.indptr, classes, votes, voters.distances, weights.size, None, number)
    if ties == "majority":
        chosen[(tally == tally.max(axis=1, keepdims=True)).sum(axis=1) > 1] = -1
    assert uncounted.tolist() == chosen.tolist()
    assert n_open == (chosen < 0).sum()


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"indptr": np.array([0, 0, 2])}, "every list must have a voter"),
        ({"indptr": np.array([1, 2])}, "the first list must start at 0"),
        ({"indptr": np.array([0, 3])}, "the last list must end at the last entry"),
        ({"indptr": np.empty(0, np.int64)}, "the first list must start at 0"),
        ({"votes": np.ones(1)}, "one class and distance per vote"),
        ({"classes": np.array([0, 2])}, "no such class"),
        ({"classes": np.array([0, -1])}, "no such class"),
        ({"class_weights": np.ones(3)}, "one weight per class"),
    ],
)
def test_lists_that_do_not_fit_are_refused(broken: dict[str, Any], message: str) -> None:
    given = {
        "indptr": np.array([0, 2]),
        "classes": np.array([0, 1]),
        "votes": np.ones(2),
        "distances": np.ones(2),
        "n_classes": 2,
        "class_weights": np.ones(2),
        "ties": 0,
    }
    with pytest.raises(ValueError, match=message):
        elect(**(given | broken))
