"""One state of an estimator at a time: whatever interrupts a change, and whoever reads meanwhile."""

from __future__ import annotations

import copy
import io
import os
import pickle
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from interruptions import check_interrupted, raised_at, run
from sklearn.base import clone
from tables import labels, mixed_rows

import priorcase as pc
from priorcase.instances import Instances
from priorcase.learning.state import Memory
from priorcase.schema import Nominal, Numeric, Schema

X, Y = mixed_rows(300), labels(300)
NUMBERS = [[float(value) for value in row] for row in np.random.default_rng(5).normal(size=(300, 3))]
HEIGHTS = [row[0] + row[1] ** 2 for row in NUMBERS]

CLASSIFIERS: list[Any] = [
    pc.KNNClassifier(3, n_jobs=1),
    pc.KNNClassifier(3, distance="hvdm", attribute_weights="bayes", n_jobs=1),
    pc.NaiveBayes(n_jobs=1),
    pc.SubsetAveragedBayes(n_jobs=1),
    pc.TreeAveragedBayes(n_jobs=1),
    pc.TreeAugmentedBayes(n_jobs=1),
    pc.SuperParentAveragedBayes(n_jobs=1),
    pc.AODE(n_jobs=1),
    pc.LocallyWeightedClassifier(n_jobs=1),
    pc.RBFNetworkClassifier(4, random_state=0, n_jobs=1),
    pc.IB1(n_jobs=1),
    pc.IB2(history="replay", n_jobs=1),
    pc.IB3(random_state=0, history="replay", n_jobs=1),
    pc.IB4(random_state=0, history="replay", n_jobs=1),
    pc.IB5(random_state=0, history="replay", n_jobs=1),
    pc.PEBLS(n_jobs=1),
]
REGRESSORS: list[Any] = [
    pc.KNNRegressor(3, n_jobs=1),
    pc.LocallyWeightedRegressor(n_jobs=1),
    pc.RBFNetworkRegressor(4, random_state=0, n_jobs=1),
]
CHANGES = [
    (model, change)
    for model in [*CLASSIFIERS, *REGRESSORS]
    for change in ("partial_fit", "forget", "merge", "restore")
    if (hasattr(model, change) if change != "restore" else type(model) in (pc.KNNClassifier, pc.NaiveBayes, pc.IB1))
]
# One of each set of learners whose changes take the same lines: those of a subset are those of naive Bayes, and so on.
OWN_LINES = [CLASSIFIERS[i] for i in (0, 1, 2, 4, 9, 10, 14, 15)] + REGRESSORS[:1]

pytestmark = pytest.mark.filterwarnings("ignore::priorcase.exceptions.FarQueryWarning")


def check_change(model: Any, change: str, step: int) -> None:
    """An error at any line of a change leaves the state before or after it, from which the learner goes on."""
    rows, targets = (NUMBERS, HEIGHTS) if model in REGRESSORS else (X, Y)
    start = clone(model).partial_fit(rows[:30], targets[:30])
    other = clone(model).fit(rows[40:55], targets[40:55])
    others = other.digest()

    def ready() -> Any:
        estimator = copy.deepcopy(start)
        estimator.predict(rows[:2])  # so that everything that is made lazily is there to be kept in step
        return estimator

    def apply(estimator: Any) -> None:
        if change == "partial_fit":
            estimator.partial_fit(rows[30:33], targets[30:33])
        elif change == "forget":
            estimator.forget(estimator.ids_[:1])
        elif change == "merge":
            estimator.merge(other)
        else:
            estimator.__setstate__(copy.deepcopy(pickle.loads(pickle.dumps(other))).__getstate__())

    def go_on(estimator: Any) -> tuple[str, list[Any]]:
        estimator.partial_fit(rows[60:62], targets[60:62])
        return estimator.digest(), estimator.predict(rows[:20]).tolist()

    whole = copy.deepcopy(start)
    apply(whole)
    before, after = start.digest(), whole.digest()
    expected = {before: go_on(copy.deepcopy(start)), after: go_on(copy.deepcopy(whole))}
    assert len(expected) == 2

    def made(torn: Any) -> bool:
        digest = torn.digest()
        assert digest in expected
        assert go_on(torn) == expected[digest]
        assert change != "merge" or other.digest() == others
        return digest == after

    check_interrupted(ready, apply, made, step, least=20)


@pytest.mark.parametrize(
    ("model", "change", "step"),
    [
        pytest.param(model, change, step, marks=marks)
        for model, change in CHANGES
        for step, marks in (
            ((29, ()), (1, pytest.mark.slow)) if model in OWN_LINES else ((97, ()), (29, pytest.mark.slow))
        )
    ],
    ids=str,
)
def test_an_error_at_any_line_leaves_the_state_before_or_after(model: Any, change: str, step: int) -> None:
    check_change(model, change, step)


def test_an_interrupt_at_any_line_of_instances() -> None:
    schema, target = Schema(("a", "b"), (Numeric(), Nominal())), Schema(None, (Nominal(),))
    rows = [[1.0, "u"], [2.0, "v"], [None, "w"]]

    def stored() -> Instances:
        instances = Instances(schema, target)
        instances.append(schema.read(rows), target.read([["p"], ["q"], ["p"]]))
        instances.remove([1])
        return instances

    changes: list[Callable[[Instances], Any]] = [
        lambda found: found.append(schema.read([[5.0, "x"], [6.0, "u"]]), target.read([["r"], ["p"]]), [2.0, 1.0]),
        lambda found: found.append(schema.read([[5.0, "u"]]), target.read([["p"]])),
        lambda found: found.remove([0]),
    ]
    for change in changes:
        before, whole = stored().digest(), stored()
        change(whole)
        for line in range(1, 400):
            torn = stored()
            with raised_at(line) as reached, suppress(KeyboardInterrupt):
                change(torn)
            assert torn.digest() in (before, whole.digest()), line
            if torn.digest() == before:
                change(torn)
            assert torn.digest() == whole.digest(), line
            if len(reached) < line:
                break


def test_forks_of_instances_do_not_show_each_others_changes() -> None:
    schema = Schema(("a", "b"), (Numeric(), Nominal()))
    rng = np.random.default_rng(3)

    def drawn(n: int) -> list[list[Any]]:
        return [[float(rng.integers(9)), str(rng.choice(list("uvwxyz")))] for _ in range(n)]

    def fresh(rows: list[Any]) -> str:
        instances = Instances(schema)
        if rows:
            instances.append(schema.read(rows))
        return instances.digest()

    known: list[tuple[Instances, list[Any], list[int]]] = [(Instances(schema), [], [])]
    for _ in range(300):
        instances, rows, ids = known[rng.integers(len(known))]
        instances = instances.fork()
        if rows and rng.random() < 0.4:
            gone = sorted(rng.choice(len(rows), size=rng.integers(1, len(rows) + 1), replace=False).tolist())
            instances.remove([ids[i] for i in gone])
            rows, ids = ([x for i, x in enumerate(part) if i not in gone] for part in (rows, ids))
        else:
            new = drawn(int(rng.integers(1, 4)))
            rows, ids = rows + new, ids + instances.append(schema.read(new)).tolist()
        known.append((instances, rows, ids))
    for instances, rows, ids in known:
        assert instances.digest() == fresh(rows)
        assert instances.ids.tolist() == ids
        values = instances.values(1)
        counted = {values[code]: n for code, n in enumerate(instances.value_counts(1).tolist()) if n}
        assert counted == {value: sum(row[1] == value for row in rows) for value in {row[1] for row in rows}}


@pytest.mark.parametrize(
    "model",
    [
        pc.KNNClassifier(3, distance="hvdm", prior=1.0, n_jobs=1),
        pc.KNNClassifier("sqrt", vote="gaussian", n_jobs=1),
        pc.KNNRegressor("all", vote="inverse_square", n_jobs=1),
        pc.NaiveBayes(n_jobs=1),
        pc.IB1(n_jobs=1),
    ],
    ids=str,
)
def test_readers_beside_a_writer(model: Any) -> None:
    model = clone(model)
    targets = list(range(300)) if isinstance(model, pc.KNNRegressor) else Y
    model.fit(X[:100], targets[:100])
    rng, answers = np.random.default_rng(0), [0, 0, 0]
    enough = threading.Event()

    def write() -> None:
        while not enough.is_set():
            at = int(rng.integers(0, 290))
            model.partial_fit(X[at : at + 5], targets[at : at + 5])
            model.forget(rng.permutation(model.ids_)[:5])

    def read(reader: int) -> Callable[[], None]:
        def ask() -> None:
            while not enough.is_set():
                assert len(model.predict(X[:20])) == 20
                if hasattr(model, "kneighbors"):
                    distances, ids = model.kneighbors(X[:5], 4)
                    assert distances.shape == ids.shape == (5, 4)
                assert model.n_samples_fit_ in (100, 105)
                model.digest()
                answers[reader] += 1
                if min(answers) >= 5:  # every reader gets its answers, however busy the writer is
                    enough.set()

        return ask

    run(write, *(read(i) for i in range(3)))
    assert min(answers) >= 5
    kept = model._memory.instances
    assert len(kept) in (100, 105)
    rows = [list(row) for row in kept.decode(np.arange(len(kept)))]
    values = kept.target_values()
    stored = kept.target() if isinstance(model, pc.KNNRegressor) else [values[code] for code in kept.target()]
    fresh = clone(model).fit(rows, stored)
    assert model.digest() == fresh.digest()
    np.testing.assert_array_equal(model.predict(X), fresh.predict(X))


def test_readers_after_forgetting_see_one_number_of_rows() -> None:
    rng = np.random.default_rng(0)
    model = pc.KNNClassifier(1).fit(rng.random((60_000, 2)), rng.integers(0, 2, 60_000))
    model.forget(np.arange(2_000))
    found: list[int] = []
    run(*(lambda: found.extend((model.n_samples_fit_, model.ids_.size)) for _ in range(8)))
    assert set(found) == {58_000}


def test_a_vote_may_read_its_estimator_in_another_thread_while_a_writer_waits() -> None:
    asked, writing = threading.Event(), threading.Event()

    def vote(distances: Any) -> Any:
        if not asked.is_set():
            asked.set()
            writer.start()
            writing.wait(300)
            reader = threading.Thread(target=lambda: model.predict([[1.0]]), daemon=True)
            reader.start()
            reader.join(300)
            assert not reader.is_alive()
        return distances + 1

    def write() -> None:
        writing.set()
        model.partial_fit([[3.0]], [3.0])

    writer = threading.Thread(target=write, daemon=True)
    model = pc.KNNRegressor(1, vote=vote).fit([[1.0], [2.0]], [1.0, 2.0])
    run(lambda: model.predict([[1.0]]))
    writer.join(300)
    assert model.n_samples_fit_ == 3


def test_a_vote_may_change_its_estimator() -> None:
    def forgetful(distances: Any) -> Any:
        if model.n_samples_fit_ == 2:
            model.forget([0])
        return distances + 1

    model = pc.KNNRegressor(1, vote=forgetful).fit([[1.0], [2.0]], [1.0, 2.0])
    assert model.predict([[1.0]]).tolist() == [1.0]  # the answer is that of the state when it was asked
    assert model.predict([[1.0]]).tolist() == [2.0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("model", [pc.KNNClassifier(3, n_jobs=1), pc.NaiveBayes(n_jobs=1)], ids=str)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_while_others_read_and_write(model: Any) -> None:
    model = clone(model).fit(X[:200], Y[:200])
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            model.predict(X[:50])

    def write() -> None:
        while not done.is_set():
            model.partial_fit(X[200:203], Y[200:203])
            model.forget(model.ids_[-3:])

    threads = [threading.Thread(target=task, daemon=True) for task in (read, read, write)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(12):
            child = os.fork()
            if child == 0:
                signal.alarm(300)  # ends a child that hangs
                model.partial_fit(X[210:215], Y[210:215])
                fine = len(model.predict(X[:5])) == 5
                os._exit(0 if fine else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        for thread in threads:
            thread.join(300)


def test_copies_share_rows_and_go_their_own_ways() -> None:
    for model in CLASSIFIERS:
        start = clone(model).fit(X[:60], Y[:60])
        before = start.digest()
        for copied in (copy.copy(start), copy.deepcopy(start), pickle.loads(pickle.dumps(start))):
            copied.partial_fit(X[60:70], Y[60:70])
            assert start.digest() == before, model
            whole = clone(model).partial_fit(X[:60], Y[:60]).partial_fit(X[60:70], Y[60:70])
            assert copied.digest() == whole.digest(), model
            np.testing.assert_array_equal(copied.predict(X[:30]), whole.predict(X[:30]))
        start.partial_fit(X[60:70], Y[60:70])
        assert start.digest() == whole.digest(), model


class Meddling(pickle.Pickler):
    """A pickler that comes to the rows of a model, and then something happens to the model."""

    def __init__(self, file: io.BytesIO, meddle: Callable[[], object]) -> None:
        super().__init__(file)
        self.meddle: Callable[[], object] | None = meddle

    def persistent_id(self, obj: object) -> None:
        if isinstance(obj, Instances) and self.meddle is not None:
            meddle, self.meddle = self.meddle, None
            meddle()


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_a_pickle_is_that_of_one_state(model: Any) -> None:
    """Rows that another thread stores meanwhile are all in it or none, and the model goes on unharmed."""
    model = clone(model).partial_fit(X[:100], Y[:100])
    before, file = model.digest(), io.BytesIO()
    meddling = Meddling(file, lambda: model.partial_fit(X[100:200], Y[100:200]))
    meddling.dump(model)
    assert meddling.meddle is None
    pickled = pickle.loads(file.getvalue())
    assert pickled.digest() == before
    whole = clone(model).partial_fit(X[:100], Y[:100]).partial_fit(X[100:200], Y[100:200])
    for other in (pickled.partial_fit(X[100:200], Y[100:200]), model):
        assert other.digest() == whole.digest()
        assert other.predict(X).tolist() == whole.predict(X).tolist()


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_pickling_copies_no_rows(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = clone(model).fit(X, Y)
    copies: list[Any] = []
    for owner, name in ((copy, "deepcopy"), (Instances, "__deepcopy__"), (Memory, "__deepcopy__")):
        monkeypatch.setattr(owner, name, lambda *args: copies.append(args))
    pickled, copied = pickle.dumps(model), copy.copy(model)
    monkeypatch.undo()
    assert not copies
    assert pickle.loads(pickled).digest() == copied.digest() == model.digest()
    ours, theirs = model._memory.instances._rows.columns, copied._memory.instances._rows.columns
    assert all(one.data is other.data for one, other in zip(ours, theirs, strict=True))


def test_parameters_set_while_another_thread_learns_are_kept() -> None:
    inside, done = threading.Event(), threading.Event()

    class Slow(pc.KNNClassifier):
        def _check_rows(self) -> None:
            if inside.is_set() or not hasattr(self, "waits"):
                return
            inside.set()
            done.wait(0.2)

    model = Slow(3, n_jobs=2).fit(X[:50], Y[:50])
    model.waits = True

    def set_() -> None:
        assert inside.wait(300)
        model.set_params(n_jobs=1, n_neighbors=5)
        done.set()

    run(lambda: model.partial_fit(X[50:60], Y[50:60]), set_)
    assert (model.n_jobs, model.n_neighbors, model.n_samples_fit_) == (1, 5, 60)


def test_a_stream_of_single_rows_does_not_copy_the_columns() -> None:
    rng = np.random.default_rng(0)
    model = pc.KNNClassifier(1, n_jobs=1).fit(rng.random((50_000, 5)), rng.integers(0, 2, 50_000))
    model.partial_fit(rng.random((1, 5)), [0])  # makes room behind the rows
    columns = [column.data for column in model._memory.instances._rows.columns]
    for _ in range(100):
        model.partial_fit(rng.random((1, 5)), [1])
    assert all(now.data is then for now, then in zip(model._memory.instances._rows.columns, columns, strict=True))
