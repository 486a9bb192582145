"""The example of the help desk runs from end to end, and says what its page says."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import priorcase as pc

ROOT = Path(__file__).resolve().parents[1]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["help_desk.py", *arguments])
    runpy.run_path(str(ROOT / "examples" / "help_desk.py"), run_name="__main__")


def test_it_goes_around_the_cycle_and_leaves_a_base_and_pictures(tmp_path, monkeypatch, capsys):
    run(monkeypatch, str(tmp_path / "desk"))
    plt.close("all")
    said = capsys.readouterr().out
    for line in (
        "learned, same tickets (optimistic) first  85%   among three  95%",
        "learned, other tickets             first  73%   among three  92%",
        "vote: clean the pick-up rollers, probability 0.579",
        "rule 'by post': replace the toner -> replace the toner; the part comes by post",
        "critic 'restart': restart the floor switch -> try another cable",
        "Not kept: the case base already proposes 'clean the pick-up rollers'.",
        "Kept as case 70: the case base would have proposed 'restart the floor switch'.",
        "answer: set up the second factor again",
        "1 forgotten; its words in the file before: True, after: False",
        "forgotten clean: 69 cases",
    ):
        assert line in said
    pictures = sorted(path.name for path in (tmp_path / "desk").glob("*.png"))
    assert pictures == ["help_desk.png", "help_desk_competence.png", "help_desk_weights.png"]
    with pc.CaseBase.open(tmp_path / "desk" / "help_desk.cases", readonly=True) as base:
        assert len(base) == 69
        assert base.verify()
        assert [case.solution for case in base.find(where={"key": "P-05"})] == ["replace the separation pad"]


def test_the_pictures_of_the_page_are_there():
    for name in ("help_desk", "help_desk_weights", "help_desk_competence"):
        assert (ROOT / "docs" / "cases" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert f"cases/{name}.png" in (ROOT / "docs" / "guide" / "help_desk.md").read_text(encoding="utf-8")


def test_without_a_folder_nothing_is_left(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(monkeypatch)
    assert "answer: set up the second factor again" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
