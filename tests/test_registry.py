"""The registry: every learner under one name, made, fitted and written as command-line options."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest

import priorcase as pc
from priorcase.exceptions import ParameterError
from priorcase.registry import BASELINE, LEARNERS, find, find_by_class, flags

X, JOB = pc.load_repairs()
KM = np.asarray(X["km_since_service"], dtype=float)
KNOWN = np.flatnonzero(~np.isnan(KM))
PAIRS = [(name, task) for name, one in LEARNERS.items() for task in one.tasks]


@pytest.mark.parametrize(("name", "task"), PAIRS)
def test_every_learner_can_be_made_fitted_found_again_and_saved(name: str, task: str, tmp_path: Path) -> None:
    learner = find(name)
    frame = X if task == "classify" else X.iloc[KNOWN]
    y = JOB if task == "classify" else KM[KNOWN]
    model = learner.make(task).fit(frame, y)  # type: ignore[arg-type]
    assert len(model.predict(frame[:3])) == 3
    assert find_by_class(model) is learner
    assert name == BASELINE or (text := flags(learner.make(task))) == f"--learner {name}", text  # type: ignore[arg-type]
    assert learner.summary.endswith(".")
    if name != BASELINE:
        other = pc.load(model.save(tmp_path / "model.priorcase"))
        assert (other.digest(), list(other.predict(frame))) == (model.digest(), list(model.predict(frame)))


def test_flags_make_the_same_estimator() -> None:
    model = pc.NaiveBayes("map", numeric="equal width?", prior=2.0)
    words = shlex.split(flags(model) or "")
    assert words == [
        *("--learner", "naive_bayes", "--set", "predictive=map"),
        *("--set", "prior=2.0", "--set", "numeric=equal width?"),
    ]
    assert flags(pc.KNNClassifier(distance=pc.Distance())) is None
    assert flags(object()) is None


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: find("naive_bays"), "naive_bayes"),
        (lambda: find("zzz"), "tree_averaged_bayes"),
        (lambda: find("aode").make("regress"), "numbers"),
        (lambda: find("knn").make("classify", n_neigbors=3), "n_neighbors"),
    ],
)
def test_mistakes_say_what_to_do(call: object, word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        call()  # type: ignore[operator]
