"""Learners kept with a case base: asked for again, after a case was forgotten, and damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import priorcase as pc
from priorcase.cases import CaseBase
from priorcase.exceptions import CaseBaseError, ParameterError


def filled(path: Path) -> CaseBase:
    base = CaseBase.open(path, {"age": "numeric", "make": "nominal", "tags": "set", "message": "text"})
    cases = [{"age": i, "make": "ab"[i % 2], "tags": {f"t{i % 3}"}, "message": "so"} for i in range(20)]
    base.add_many(cases, solution=["oil it" if i < 10 else "swap it" for i in range(20)])
    return base


@pytest.mark.parametrize("learner", [pc.KNNClassifier(1), pc.NaiveBayes(), pc.IB3(random_state=0)])
def test_a_kept_learner_is_the_same_when_the_base_is_opened_again(tmp_path: Path, learner: object) -> None:
    path = tmp_path / "cases.priorcase"
    queries: list[dict[str, Any]] = [{"age": 3}, {"age": 15, "make": "b"}, {"tags": {"t1"}}]
    with filled(path) as base:
        expected = base.fit(learner, name="it").predict_proba(queries).tolist()
    with CaseBase.open(path, readonly=True) as base:
        assert base.learner("it").predict_proba(queries).tolist() == expected
        assert base.verify()
        (kept,) = base.learners()
        assert (kept.name, kept.recipe.cases, kept.changes, kept.learned) == ("it", 20, 0, True)


def test_what_was_learned_goes_with_a_forgotten_case(tmp_path: Path) -> None:
    path = tmp_path / "cases.priorcase"
    with filled(path) as base:
        id = base.add({"age": 99, "make": "heliotrope", "tags": {"zugzwang"}}, solution="flummox it")
        base.fit(pc.KNNClassifier(1), name="near")
        assert b"heliotrope" in path.read_bytes()
        base.forget(id)
        for word in (b"heliotrope", b"zugzwang", b"flummox"):
            assert word not in path.read_bytes()
        assert [each.learned for each in base.learners()] == [False]
        again, fresh = base.learner("near"), base.fit(pc.KNNClassifier(1))
        assert again.digest == fresh.digest
        assert again.predict({"age": 99}).tolist() == ["swap it"]
        assert "flummox it" not in again.learner.classes_


def test_queries_are_frames_or_mappings(tmp_path: Path) -> None:
    with filled(tmp_path / "cases.priorcase") as base:
        learner = base.fit(pc.KNNClassifier(1))
        frame = pd.DataFrame({"age": [3.0, None], "make": ["a", "b"]})
        assert learner.predict(frame).tolist() == learner.predict([{"age": 3, "make": "a"}, {"make": "b"}]).tolist()
        for wrong in (3, None, "age", [3]):
            with pytest.raises(CaseBaseError, match="expected a"):
                learner.predict(wrong)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match=r"CaseBase\.fit: target must be .*KNNClassifier learns from targets"):
            base.fit(pc.KNNClassifier(1), target=None)
        with pytest.raises(ParameterError, match="attributes must be a list"):
            base.fit(pc.KNNClassifier(1), attributes=3)  # type: ignore[arg-type]
