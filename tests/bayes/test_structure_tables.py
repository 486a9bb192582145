"""Which attributes depend on which, as tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from structured import table

import priorcase as pc
from priorcase.bayes import BDeu


def frame(n: int = 80) -> tuple[pd.DataFrame, list[str]]:
    rows, classes = table(1, n)
    return pd.DataFrame(rows, columns=["a", "東京", "c", "d"]), classes


def test_edges_by_label_in_either_order() -> None:
    X, y = frame()
    model = pc.TreeAveragedBayes().fit(X, y)
    edges = model.edge_table()
    assert len(edges) == 6
    assert sum(edges.values()) == pytest.approx(3.0)
    for i, u in enumerate(X):
        for j, v in enumerate(X):
            if i != j:
                assert edges[u, v] == model.edge_probabilities_[i, j]
    for wrong in (("a", "e"), "a", 0, ("a",)):
        with pytest.raises(KeyError):
            edges[wrong]  # type: ignore[index]


def test_a_gain_is_what_an_edge_adds_to_the_evidence() -> None:
    X, y = frame()
    columns = X[["a", "d"]]
    edges = pc.TreeAveragedBayes(BDeu(2)).fit(columns, y).edge_table()
    both = pc.TreeAveragedBayes(BDeu(2)).fit(columns, y).log_evidence_
    # Without an edge: a table of two columns one of which has a single value is naive Bayes.
    naive = pc.SuperParentAveragedBayes(BDeu(2)).fit(columns, y)
    assert edges.gains[0] == pytest.approx(both - naive.log_evidence_ - np.log(3 * naive.naive_probability_), rel=1e-9)


def test_the_tree_alone_has_the_probabilities_over_all_trees() -> None:
    X, y = frame()
    all_edges, model = pc.TreeAveragedBayes().fit(X, y).edge_table(), pc.TreeAugmentedBayes().fit(X, y)
    edges = model.edge_table()
    assert list(edges) == model.tree_
    assert dict(edges) == {pair: all_edges[pair] for pair in model.tree_}


def test_super_parents_by_label() -> None:
    X, y = frame()
    model = pc.SuperParentAveragedBayes().fit(X, y)
    parents = model.super_parent_table()
    assert list(parents) == [*X.columns, None]
    assert [parents[name] for name in X] == model.super_parent_probabilities_.tolist()
    assert parents[None] == model.naive_probability_
    logs = parents.gains - np.logaddexp.reduce(parents.gains)
    np.testing.assert_allclose(parents.probabilities, np.exp(logs), rtol=1e-12)


def test_prints_with_the_most_probable_first() -> None:
    X, y = frame()
    lines = repr(pc.TreeAveragedBayes().fit(X, y).edge_table()).splitlines()
    assert lines[0] == "attribute  other  probability    gain"
    shares = [float(line.split()[2]) for line in lines[1:]]
    assert shares == sorted(shares, reverse=True)
    parents = pc.SuperParentAveragedBayes().fit(X, y).super_parent_table()
    assert "(naive Bayes)" in repr(parents)
    assert "<caption>Probability of each super-parent</caption>" in parents._repr_html_()


def test_many_edges_are_not_all_printed() -> None:
    random = np.random.default_rng(0)
    edges = (
        pc.TreeAveragedBayes().fit(random.integers(0, 2, (30, 10)).astype(str), random.integers(0, 2, 30)).edge_table()
    )
    lines = repr(edges).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "... and 25 more; frame() returns all"
    assert len(edges.frame()["gain"]) == 45


def test_frames_of_the_library_that_was_used() -> None:
    X, y = frame()
    framed = pc.TreeAveragedBayes().fit(X, y).edge_table().frame()
    assert isinstance(framed, pd.DataFrame)
    assert framed.columns.tolist() == ["attribute", "other", "probability", "gain"]
    assert framed["probability"].is_monotonic_decreasing
    parents = pc.SuperParentAveragedBayes().fit(pl.from_pandas(X), y).super_parent_table().frame()
    assert isinstance(parents, pl.DataFrame)
    assert sorted(parents["super_parent"]) == sorted([*X.columns, "(naive Bayes)"])
    plain = pc.SuperParentAveragedBayes().fit(X.to_numpy(), y).super_parent_table().frame()
    assert set(plain["super_parent"]) == {0, 1, 2, 3, "(naive Bayes)"}
    assert plain["gain"].dtype == float


def test_relevance_has_a_frame_too() -> None:
    from priorcase.bayes import Relevance

    framed = Relevance(("age", "size"), np.array([0.25, 0.9]), np.array([-1.1, 2.2]), "pandas").frame()
    assert framed["attribute"].tolist() == ["size", "age"]
    assert framed.columns.tolist() == ["attribute", "probability", "log_odds"]
