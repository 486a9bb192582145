"""Worker processes that die: failures with a reason, and what is finished stays."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from typing import Any

import joblib
import numpy as np
import pytest
from curve_learners import Killed
from sklearn.dummy import DummyClassifier

from priorcase.evaluation import compare, learning_curve, noise_curve, prequential, running

X = np.arange(24.0)[:, np.newaxis]
Y = np.array(["a", "b"] * 12)
REASON = (
    "EvaluationError: the worker process died by SIGKILL: out of memory, or a crash in compiled code. Use a smaller "
    "n_jobs to save memory, or run without n_jobs to see the crash."
)


@pytest.fixture
def _pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool that breaks as joblib's does, at once and in this process, where a learner is one that would be killed."""

    def run(calls: list[Any]) -> Any:
        for function, (number, work, piece), _ in calls:
            if isinstance(getattr(piece[0], "learner", None), Killed):
                raise BrokenProcessPool("The exit codes of the workers are {SIGKILL(-9)}")
            yield function(number, work, piece)

    monkeypatch.setattr(running, "_parallel", lambda n_jobs: run)


def test_a_dead_process_is_a_failure_of_its_splits_alone() -> None:
    splits = [(np.arange(start, 24), np.arange(start)) for start in range(1, 3)]
    learners = {"guess": DummyClassifier(), "killed": Killed(upto=1.0)}
    with joblib.parallel_config(backend="loky"):
        found = compare(learners, X, Y, splits=splits, scores="accuracy", n_jobs=2)
    alone = compare({"guess": DummyClassifier()}, X, Y, splits=splits, scores="accuracy")
    assert found.complete
    assert found.values()[0].tolist() == alone.values()[0].tolist()
    assert np.isnan(found.values()[1]).tolist() == [True, False]
    assert found.failures == {"killed": REASON}
    assert f"  killed failed on 1 of 2 splits: {REASON[:60]}" in str(found)


@pytest.mark.usefixtures("_pool")
@pytest.mark.parametrize(
    "evaluate",
    [
        lambda learners: compare(learners, X, Y),
        lambda learners: compare(learners, X, Y, splits="loo"),
        lambda learners: compare(learners, X, Y, splits="prequential"),
        lambda learners: prequential(learners, X, Y),
        lambda learners: learning_curve(learners, X, Y, sizes=[5, 9], repeats=2),
        lambda learners: noise_curve(learners, X, Y, levels=[0.1], repeats=2),
    ],
    ids=["folds", "loo", "in order", "prequential", "learning", "noise"],
)
def test_every_way_to_evaluate_goes_on(evaluate: Any) -> None:
    found = evaluate({"guess": DummyClassifier(), "killed": Killed()})
    assert found.complete
    assert found.failures == {"killed": REASON}


@pytest.mark.usefixtures("_pool")
def test_growing_curves_go_on() -> None:
    class Growing(Killed):
        partial_fit = Killed.fit

    found = learning_curve({"killed": Growing()}, X, Y, sizes=[5, 9], repeats=1, grow="partial_fit")
    assert found.failures == {"killed": REASON}
    assert len(found.cells) == 2


@pytest.mark.usefixtures("_pool")
def test_all_others_are_finished_in_their_order() -> None:
    learners = {f"guess {n}": DummyClassifier() for n in range(7)}
    learners = {"killed": Killed()} | learners | {"killed, too": Killed()}
    found = compare(learners, X, Y, splits=3, scores="accuracy")
    assert [cell.learner for cell in found.cells] == [*learners] * 3
    assert list(found.failures) == ["killed", "killed, too"]
