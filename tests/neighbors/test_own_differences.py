"""Every learner takes differences that Python computes, and answers as with the compiled ones."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import priorcase as pc
from priorcase import concepts, reduction
from priorcase.evaluation import ConformalClassifier
from priorcase.neighbors import KNNTransformer
from priorcase.relevance import LeaveOneOutWeights
from priorcase.selection import AttributeSelector
from priorcase.similarity import Absolute, computed

LEVELS = ("low", "mid", "high")
SCHEMA: Any = {"size": pc.Ordinal(LEVELS)}
LOW, HIGH = -3.0, 3.0


def differs(query: Any, stored: Any) -> float:
    return float(query != stored)


def numbers(query: float, stored: float) -> float:
    return abs(query - stored) / (HIGH - LOW)


def levels(query: str, stored: str) -> float:
    return abs(LEVELS.index(query) - LEVELS.index(stored)) / 2


SLOW = pc.Distance(attributes={"number": numbers, "name": differs, "size": levels})
FAST = pc.Distance(attributes={"number": Absolute("none", factor=HIGH - LOW)})


def table(seed: int, n: int, names: int) -> Any:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"number": np.clip(np.round(random.normal(size=n), 1), LOW, HIGH)})
    frame["plain"] = random.integers(0, 4, n) / 4.0
    frame["name"] = [f"name {code}" for code in random.integers(0, names, n)]
    frame["size"] = [LEVELS[code] for code in random.integers(0, 3, n)]
    gaps = random.random(frame.shape) < 0.08
    return frame.astype(object).mask(gaps, None).astype({"number": float, "plain": float})


X, QUERIES = table(1, 90, 40), table(2, 25, 80)
Y, Z = np.random.default_rng(3).choice(["a", "b", "c"], 90), np.random.default_rng(4).normal(size=90)


def knn(distance: Any, **given: Any) -> Any:
    return pc.KNNClassifier(3, distance=distance, schema=SCHEMA, **given)


def tuned(distance: Any, y: Any, kind: Any, **given: Any) -> Any:
    candidates = {"n_neighbors": [1, 3, 7], "vote": ["uniform", "inverse_square", "gaussian"], "distance": [distance]}
    return pc.tune(kind(distance=distance, schema=SCHEMA), X, y, candidates=candidates, **given)


def concept(kind: Any, distance: Any, **given: Any) -> Any:
    return kind(distance=distance, schema=SCHEMA, random_state=0, **given)


ASKED: dict[str, Callable[[Any], Any]] = {
    "all rows": lambda d: pc.KNNRegressor("all", distance=d, vote="inverse_square", schema=SCHEMA).fit(X, Z).predict(X),
    "k by leave-one-out": lambda d: pc.KNNRegressor("loo", distance=d, schema=SCHEMA).fit(X, Z).loo_scores_,
    "one query": lambda d: [knn(d).fit(X, Y).predict(QUERIES[i : i + 1]).tolist() for i in range(4)],
    "leave-one-out": lambda d: knn(d).fit(X, Y).loo_predict_proba(relearn=True),
    "prequential": lambda d: knn(d).fit(X[:50], Y[:50]).prequential(X[50:], Y[50:]).predictions,
    "weights of queries": lambda d: knn(d, attribute_weights=LeaveOneOutWeights(local=True)).fit(X, Y).predict_proba(X),
    "tune": lambda d: tuned(d, Y, pc.KNNClassifier).best.predict_proba(QUERIES),
    "nested tune": lambda d: tuned(d, Z, pc.KNNRegressor, nested=3).nested_score,
    "threads": lambda d: knn(d, n_jobs=3).fit(X, Y).predict_proba(QUERIES),
    "IB2 in parts": lambda d: (
        concept(concepts.IB2, d).partial_fit(X[:45], Y[:45]).partial_fit(X[45:], Y[45:]).predict(X)
    ),
    "IB2 precedents": lambda d: concept(concepts.IB2, d).fit(X, Y).precedents(QUERIES).contributions,
    "IB1 forgets": lambda d: concept(concepts.IB1, d).fit(X, Y).forget([1, 5, 60]).predict(QUERIES),
    "IB3 replays": lambda d: concept(concepts.IB3, d, history="replay").fit(X, Y).forget([1, 5]).predict(QUERIES),
    "IB3 pickled": lambda d: pickle.loads(pickle.dumps(concept(concepts.IB3, d).fit(X, Y))).predict(QUERIES),
    "local regression": lambda d: pc.LocallyWeightedRegressor(distance=d, schema=SCHEMA).fit(X, Z).predict(QUERIES),
    "local classes": lambda d: pc.LocallyWeightedClassifier(distance=d, schema=SCHEMA).fit(X, Y).predict_proba(QUERIES),
    "transformer": lambda d: KNNTransformer(3, distance=d, schema=SCHEMA).fit(X).transform(QUERIES).toarray(),
    "selection": lambda d: AttributeSelector(knn(d)).fit(X, Y).support_,
    "conformal": lambda d: str(ConformalClassifier(knn(d)).fit(X, Y).predict_set(QUERIES)),
}
for method in ("relief", "gain_ratio", "mutual_information", "loo", "bayes"):
    ASKED[f"weights by {method}"] = lambda d, m=method: knn(d, attribute_weights=m).fit(X, Y).attribute_weights_.weights  # type: ignore[misc]
for name in ("CNN", "RNN", "ENN", "RENN", "AllKNN", "DROP1", "DROP2", "DROP3", "DROP4", "DROP5", "ICF"):
    ASKED[name] = lambda d, r=name: (  # type: ignore[misc]
        getattr(reduction, r)(distance=d, schema=SCHEMA, n_jobs=2).fit(X, Y).sample_indices_
    )
for learner in (concepts.IB1, concepts.IB2, concepts.IB3):
    ASKED[learner.__name__] = lambda d, i=learner: concept(i, d, n_jobs=2).fit(X, Y).predict(QUERIES)  # type: ignore[misc]
for centers in ("random", "stratified", "all"):
    ASKED[f"{centers} centers"] = lambda d, c=centers: (  # type: ignore[misc]
        pc.RBFNetworkRegressor(distance=d, centers=c, random_state=0, schema=SCHEMA).fit(X, Z).predict(QUERIES)
    )


@pytest.mark.parametrize("tabled", [5, 1000])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")
def test_answers_as_the_compiled_differences_do(asked: str, tabled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computed, "TABLED", tabled)
    monkeypatch.setattr(computed, "ENTRIES", 2000)
    found, expected = ASKED[asked](SLOW), ASKED[asked](FAST)
    if np.asarray(expected).dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    else:
        np.testing.assert_array_equal(found, expected)


def test_centres_of_clusters_are_no_stored_numbers() -> None:
    with pytest.raises(pc.exceptions.ParameterError, match="compares stored rows only"):
        pc.RBFNetworkRegressor(5, distance=SLOW, schema=SCHEMA).fit(X, Z).predict(QUERIES)


def test_whole_rows_take_part_in_reduction_tuning_and_local_models() -> None:
    random = np.random.default_rng(9)
    rows, y, z = random.normal(size=(80, 3)), random.choice(["a", "b"], 80), random.normal(size=80)

    def maximum(x: Any, q: Any) -> float:
        return float(np.abs(x - q).max())

    def answers(distance: Any, X: Any, queries: Any) -> list[Any]:
        candidates = {"n_neighbors": [1, 3, 7], "vote": ["uniform", "gaussian"], "distance": [distance]}
        return [
            reduction.DROP3(distance=distance).fit(X, y).sample_indices_.tolist(),
            reduction.ICF(distance=distance, n_jobs=2).fit(X, y).sample_indices_.tolist(),
            pc.tune(pc.KNNClassifier(distance=distance), X, y, candidates=candidates).best.predict(queries).tolist(),
            pc.KNNRegressor("loo", distance=distance).fit(X, z).predict(queries).tolist(),
            KNNTransformer(3, distance=distance).fit(X).transform(queries).toarray().tolist(),
        ]

    queries = rows[:10] + 0.1
    named = answers("chebyshev", rows, queries)
    assert named == answers(maximum, rows, queries)
    assert named == answers("precomputed", cdist(rows, rows, "chebyshev"), cdist(queries, rows, "chebyshev"))
    local = [pc.LocallyWeightedRegressor(distance=d).fit(rows, z).predict(queries) for d in ("chebyshev", maximum)]
    np.testing.assert_array_equal(*local)


def test_growing_ranges_and_python_differences_learn_together() -> None:
    near = pc.Distance(numeric=Absolute("range", widen=True), missing="aha")
    for kind in (concepts.IB4, concepts.IB5):
        model = kind(schema={"text": pc.Text()}, random_state=0)
        texts = [f"{'red' if i % 2 else 'blue'} thing number {i}" for i in range(40)]
        frame = pd.DataFrame({"text": texts, "n": np.arange(40) % 7})
        model.partial_fit(frame[:20], ["r" if i % 2 else "b" for i in range(20)])
        model.partial_fit(frame[20:], ["r" if i % 2 else "b" for i in range(20, 40)])
        queries = pd.DataFrame({"text": ["red thing", "one more blue thing"], "n": [3, 3]})
        assert model.predict(queries).tolist() == ["r", "b"]
    assert near == pc.similarity.ib()
