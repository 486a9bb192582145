"""Circular numbers in the case base: declared, stored, compared, found, exchanged, asked for and learned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st

import priorcase as pc
from priorcase.cases import CaseBase, above, between
from priorcase.cases.kinds import describe, from_description
from priorcase.cases.measures import CircularSimilarity, similarities
from priorcase.exceptions import CaseBaseError, ParameterError

WIND = {"wind": pc.Circular(360), "told": pc.Text(analyzer="words"), "day": pc.Date(("elapsed", "weekday"))}
NUMBERS = st.floats(-1e4, 1e4)


def filled(path: Path) -> CaseBase:
    base = CaseBase.open(path, WIND)
    for i, wind in enumerate([0, 10, 90, 180, 350, None]):
        values = {"wind": wind, "told": f"sails number {i}", "day": f"2024-05-{i + 1:02}"}
        base.add(
            {name: value for name, value in values.items() if value is not None}, solution="reef" if i < 3 else "go"
        )
    return base


def test_the_nearest_case_may_be_on_the_other_side_of_the_turn(tmp_path: Path) -> None:
    with filled(tmp_path / "winds.cases") as base:
        found = base.retrieve({"wind": 355}, k=2)
        assert sorted(match.case["wind"] for match in found) == [0, 350]
        assert found[0].similarity == pytest.approx(1 - 2 * 5 / 360)
        assert len(list(base.find(where={"wind": above(90)}))) == 2
        assert len(list(base.find(where={"wind": between(5, 95)}))) == 2
    with CaseBase.open(tmp_path / "winds.cases") as again:
        assert again.attributes == WIND
        with pytest.raises(CaseBaseError, match="expected a number"):
            again.add({"wind": "north"})


@given(NUMBERS, NUMBERS, st.floats(0.5, 1e3))
def test_similarity_is_symmetric_and_the_same_after_a_turn(a: float, b: float, period: float) -> None:
    kind = pc.Circular(period)
    (there,) = similarities(a, [b], kind, CircularSimilarity()).values()
    (back,) = similarities(b, [a], kind, CircularSimilarity()).values()
    (turned,) = similarities(a + period, [b], kind, CircularSimilarity()).values()
    assert -1e-9 <= there <= 1
    assert there == pytest.approx(back, abs=1e-6)
    assert there == pytest.approx(turned, abs=1e-6)


def test_other_measures_do_not_compare_circular_numbers(tmp_path: Path) -> None:
    with filled(tmp_path / "winds.cases") as base, pytest.raises(ParameterError, match="which is circular"):
        base.retrieve({"wind": 1}, measures={"wind": "linear"})


def test_kinds_are_written_down_with_all_they_say() -> None:
    for kind in (*WIND.values(), pc.Date(), pc.Text(longest=9), pc.Circular(24)):
        assert from_description(describe(kind)) == kind


@pytest.mark.parametrize("name", ["winds.jsonl", "winds.csv", "winds.parquet"])
def test_files_keep_circular_numbers(tmp_path: Path, name: str) -> None:
    with filled(tmp_path / "winds.cases") as base:
        base.export(tmp_path / name)
        with CaseBase.open(tmp_path / "other.cases", WIND) as other:
            other.import_(tmp_path / name)
            assert [case["wind"] for case in other] == [case["wind"] for case in base]


def test_a_conversation_asks_where_to_cut(tmp_path: Path) -> None:
    with filled(tmp_path / "winds.cases") as base:
        talk = base.converse()
        talk.tell("wind", 358)
        assert talk.candidates.size


def test_learners_of_cases_compare_them_as_retrieval_does(tmp_path: Path) -> None:
    with filled(tmp_path / "winds.cases") as base:
        fitted = base.fit(pc.KNNClassifier(1), attributes=["wind"])
        assert fitted.learner.schema_.kinds == (pc.Circular(360),)
        assert fitted.cases(fitted.learner.kneighbors(fitted.rows({"wind": 354}))[1]).tolist() == [[5]]
        everything = base.fit(pc.KNNClassifier(1))
        assert everything.learner.schema_.kinds == tuple(WIND.values())
        assert everything.predict({"wind": 352, "told": "sails number 4", "day": "2024-05-05"}).tolist() == ["go"]


def test_the_command_line_declares_them(tmp_path: Path) -> None:
    file = str(tmp_path / "winds.cases")
    assert run("cases", "new", file, "--attribute", "wind=circular:360").exit_code == 0
    assert run("cases", "add", file, "wind=350", "--solution", "go").exit_code == 0
    with CaseBase.open(file) as base:
        assert base.attributes == {"wind": pc.Circular(360)}
        assert np.isclose(base.retrieve({"wind": 10}, k=1)[0].similarity, 1 - 2 * 20 / 360)
