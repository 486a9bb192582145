"""KNNTransformer: shaped like scikit-learn's, usable where precomputed graphs are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import DBSCAN
from sklearn.manifold import TSNE
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from tables import labels, mixed_rows

from priorcase.exceptions import ParameterError
from priorcase.neighbors import KNNClassifier, KNNTransformer


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_graph_is_scikit_learns(mode: Any) -> None:
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(60, 3)), rng.normal(size=(10, 3))
    ours = KNNTransformer(4, mode=mode, distance="euclidean")
    theirs = KNeighborsTransformer(n_neighbors=4, mode=mode, algorithm="brute")
    for mine, other in (
        (ours.fit_transform(X), theirs.fit_transform(X)),
        (ours.transform(X), theirs.transform(X)),
        (ours.transform(Q), theirs.transform(Q)),
    ):
        assert sparse.issparse(mine)
        assert mine.format == "csr"
        assert mine.shape == other.shape
        np.testing.assert_array_equal(mine.indptr, other.indptr)
        np.testing.assert_array_equal(mine.indices, other.indices)
        np.testing.assert_allclose(mine.data, other.data, atol=1e-7)
    assert ours.get_feature_names_out().tolist()[:2] == ["knntransformer0", "knntransformer1"]


def test_rows_are_sorted_by_distance() -> None:
    graph = KNNTransformer(6).fit_transform(mixed_rows(40))
    assert (np.diff(graph.data.reshape(40, 7), axis=1) >= 0).all()


def test_own_entry_comes_first_also_with_gaps() -> None:
    X = [[None, "a"], [1.0, "a"], [2.0, None]]
    graph = KNNTransformer(1).fit_transform(X)
    assert graph.indices.reshape(3, 2)[:, 0].tolist() == [0, 1, 2]
    assert graph.data.reshape(3, 2)[:, 0].tolist() == [0, 0, 0]


def test_feeds_dbscan_tsne_and_knn() -> None:
    X = [[float(i % 5), "red"] for i in range(30)] + [[i % 5 + 95.0, "blue"] for i in range(30)]
    found = make_pipeline(KNNTransformer(20), DBSCAN(eps=1.0, metric="precomputed")).fit_predict(X)
    assert set(found[:30]) == {0}
    assert set(found[30:]) == {1}
    graph = KNNTransformer(30).fit_transform(X)
    places = TSNE(perplexity=5, metric="precomputed", init="random", random_state=0, max_iter=250).fit_transform(graph)
    assert places.shape == (60, 2)
    y = np.repeat([0, 1], 30)
    model = make_pipeline(KNNTransformer(8), KNeighborsClassifier(5, metric="precomputed")).fit(X, y)
    assert model.score(X, y) == 1.0


def test_classes_for_distances_made_from_them() -> None:
    X, y = mixed_rows(30), labels(30)
    graph = KNNTransformer(3, distance="mvdm").fit(X, y).transform(X)
    expected = KNNClassifier(4, distance="mvdm").fit(X, y).kneighbors_graph(X, mode="distance")
    assert (graph != expected).nnz == 0
    with pytest.raises(ParameterError, match="there is no target"):
        KNNTransformer(distance="mvdm").fit(X)
    assert KNNTransformer(2).fit(X, np.random.default_rng(0).normal(size=30)).n_samples_fit_ == 30


def test_columns_are_the_stored_rows_in_id_order() -> None:
    X, y = mixed_rows(12), labels(12)
    model = KNNClassifier(2).fit(X, y).forget([0, 5])
    graph = model.kneighbors_graph(mode="distance")
    fresh = (
        KNNClassifier(2).fit([X[i] for i in model.ids_], [y[i] for i in model.ids_]).kneighbors_graph(mode="distance")
    )
    assert graph.shape == (10, 10)
    np.testing.assert_array_equal(graph.toarray(), fresh.toarray())
    assert model.kneighbors_graph(X, 3).sum() == 36
