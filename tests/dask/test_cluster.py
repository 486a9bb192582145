"""A cluster of two worker processes: the same answers, also where a worker dies, and what travels."""

import os
import pickle
import signal
import threading
import time
from contextlib import contextmanager

import dask
import dask.dataframe as dd
import numpy as np
import pytest
from distributed import Client, LocalCluster, wait
from numpy.testing import assert_array_equal
from partitioned_tables import mixed

import priorcase as pc
import priorcase.dask
from priorcase.dask.neighbors import Found, Queries
from priorcase.exceptions import SchemaMismatchError

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask warns of a busy machine


@contextmanager
def two_workers():
    config = {"distributed.scheduler.allowed-failures": 10, "distributed.admin.log-length": 10}
    with dask.config.set(config):
        cluster = LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=None
        )
        with cluster, Client(cluster) as client:
            yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture(scope="module")
def table():
    X, y, _ = mixed(400, 1)
    return X.assign(y=y)


def pid_of_first(client):
    return next(iter(client.run(os.getpid, on_error="ignore").values()))  # a worker killed before may still be listed


def test_same_answers(client, table):
    X, queries = table.drop(columns="y"), mixed(30, 2)[0]
    frame = dd.from_pandas(table, npartitions=5)
    one = pc.KNNClassifier(5).fit(X, table["y"])
    many = pc.dask.fit(pc.KNNClassifier(5), frame, "y")
    wait(many.parts)
    assert_array_equal(pc.dask.predict_proba(many, queries), one.predict_proba(queries))
    assert_array_equal(pc.dask.loo_predict_proba(many).compute(), one.loo_predict_proba())
    assert_array_equal(pc.dask.kneighbors(many, queries)[1], one.kneighbors(queries)[1])
    bayes = pc.dask.fit(pc.NaiveBayes(), frame, "y")
    assert bayes.digest() == pc.NaiveBayes().fit(X, table["y"]).digest()
    lazy = dd.from_pandas(queries, npartitions=2)
    assert_array_equal(pc.dask.predict_proba(bayes, lazy).compute(), bayes.predict_proba(queries))


def slowly(frame):
    time.sleep(0.2)
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("model", [pc.KNNClassifier(5), pc.NaiveBayes()])
def test_a_worker_dies_in_mid_fit(client, table, model):
    X, queries = table.drop(columns="y"), mixed(30, 4)[0]
    expected = model.fit(X, table["y"]).predict_proba(queries)
    frame = dd.from_pandas(table, npartitions=4).map_partitions(slowly, meta=table.iloc[:0])
    victim = pid_of_first(client)
    killer = threading.Timer(0.3, os.kill, (victim, signal.SIGKILL))
    killer.start()
    many = pc.dask.fit(model, frame, "y")
    killer.join()
    assert_array_equal(pc.dask.predict_proba(many, queries), expected)


STACK = pc.StackedClassifier({"knn": pc.KNNClassifier(5), "bayes": pc.NaiveBayes()}, folds=3)
TUNED = pc.KNNClassifierCV({"n_neighbors": (1, 3, 9), "distance": ("heom", "hvdm", "robust")})
COMPARED = {"aode": pc.AODE(), "knn": pc.KNNClassifier(3)}
SPREAD = {
    "stack": lambda frame, queries: pc.dask.fit(STACK, frame, "y").predict_proba(queries).tobytes(),
    "tuned": lambda frame, queries: pc.dask.fit(TUNED, frame, "y").predict_proba(queries).tobytes(),
    "compare": lambda frame, _: pc.dask.compare(COMPARED, frame, "y", splits=8, progress=False).values().tobytes(),
    "tune": lambda frame, _: str(
        pc.dask.tune(pc.KNNClassifier(), frame, "y", candidates={"n_neighbors": [1, 9]}, nested=None, progress=False)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("work", SPREAD)
def test_a_worker_dies_while_members_or_candidates_are_fitted(work):
    """Whenever it dies, between what it is sent and what it returns."""
    X, y, _ = mixed(3000, 1)
    frame, queries = dd.from_pandas(X.assign(y=y), npartitions=4), mixed(20, 2)[0]
    with two_workers() as client:
        start = time.perf_counter()
        expected = SPREAD[work](frame, queries)
        took = time.perf_counter() - start
        killer = threading.Timer(0.4 * took, os.kill, (pid_of_first(client), signal.SIGKILL))
        killer.start()
        assert SPREAD[work](frame, queries) == expected
        killer.join()


@pytest.mark.parametrize("model", [pc.KNNClassifier(5), pc.NaiveBayes(), STACK, TUNED], ids=lambda m: type(m).__name__)
def test_an_error_of_a_worker_is_one_of_ours(client, table, model):
    frame = dd.from_pandas(table, npartitions=2).map_partitions(
        lambda part: part.assign(number="text") if part.index[0] else part, meta=table.iloc[:0], enforce_metadata=False
    )
    with pytest.raises(SchemaMismatchError, match="fit: column 'number' is text in partition 1"):
        pc.dask.fit(model, frame, "y")


def test_a_client_that_goes_away_leaves_nothing(client, table):
    with Client(client.scheduler.address) as other:
        many = pc.dask.fit(pc.KNNClassifier(5), dd.from_pandas(table, npartitions=3), "y")
        wait(many.parts)
        assert len(other.who_has()) >= 3
        del many
    deadline = time.monotonic() + 10
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)) == 0


def test_what_travels(table):
    """Bytes for each query and partition: its cells there, k neighbors back; nothing grows with the rows."""
    with dask.config.set(scheduler="synchronous"):
        queries, k = mixed(100, 5)[0], 10
        many = pc.dask.fit(pc.KNNClassifier(k, ties="first"), dd.from_pandas(table, npartitions=4), "y")
        (asked,) = dask.compute(many.queries(queries))
        (found,) = dask.compute(many.near(dask.delayed(asked, traverse=False), k, ties=False, weighted=False))
        assert isinstance(asked, Queries)
        assert isinstance(found, Found)
        there, back = len(pickle.dumps(asked)) / 100, len(pickle.dumps(found)) / 100
        assert there <= 8 * len(queries.columns) + 10
        assert back <= k * (8 + 8 + 1) + 8 + 10
        assert found.nbytes <= 100 * (k * 17 + 8) + 8


def test_tune(client, table):
    X, y = table.drop(columns="y"), table["y"]
    frame = dd.from_pandas(table, npartitions=3)
    options = {
        "candidates": {"n_neighbors": [1, 3, 9], "distance": ["robust", "hvdm"]},
        "nested": None,
        "progress": False,
    }
    found = pc.dask.tune(pc.KNNClassifier(), frame, "y", **options)
    expected = pc.tune(pc.KNNClassifier(), X, y, **options)
    assert str(found) == str(expected)
    assert_array_equal(found.best.predict_proba(X), expected.best.predict_proba(X))


def test_tune_with_weights_and_threads(table):
    """Without a client, threads do the work."""
    X, y, w = table.drop(columns="y"), table["y"], np.arange(len(table)) % 3 + 1.0
    options = {"candidates": {"n_neighbors": [1, 9]}, "nested": None, "progress": False}
    frame = dd.from_pandas(table.assign(w=w), npartitions=3)
    found = pc.dask.tune(pc.KNNClassifier(), frame, "y", sample_weight="w", **options)
    assert str(found) == str(pc.tune(pc.KNNClassifier(), X, y, sample_weight=w, **options))
    found = pc.dask.compare({"bayes": pc.NaiveBayes()}, frame, "y", splits=2, progress=False)
    assert 0 < found.mean("bayes", "accuracy") <= 1


@pytest.mark.slow
def test_members_of_a_stack(client, table):
    X, y = table.drop(columns="y"), table["y"]
    members = {"knn": pc.KNNClassifier(5), "bayes": pc.NaiveBayes(), "tuned": pc.KNNClassifierCV()}
    expected = pc.StackedClassifier(members, folds=3).fit(X, y)
    found = pc.dask.fit(pc.StackedClassifier(members, folds=3), dd.from_pandas(table, npartitions=3), "y")
    assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_compare(client, table):
    X, y = table.drop(columns="y"), table["y"]
    learners = {"knn": pc.KNNClassifier(5), "bayes": pc.NaiveBayes()}
    found = pc.dask.compare(learners, dd.from_pandas(table, npartitions=3), "y", splits=3, progress=False)
    expected = pc.evaluation.compare(learners, X, y, splits=3, progress=False)
    for score in ("accuracy", "log_score", "brier"):
        for name in learners:
            assert found.mean(name, score) == expected.mean(name, score)
    assert np.isfinite(found.mean("knn", "accuracy"))


@pytest.mark.slow
def test_a_worker_dies_between_queries(client, table):
    """The last test of the cluster, which would start another worker for the next one."""
    queries = mixed(30, 3)[0]
    many = pc.dask.fit(pc.KNNClassifier(5), dd.from_pandas(table, npartitions=5), "y")
    before = pc.dask.predict_proba(many, queries)
    os.kill(pid_of_first(client), signal.SIGKILL)
    assert_array_equal(pc.dask.predict_proba(many, queries), before)
