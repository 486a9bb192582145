"""``priorcase cases ask`` and ``forget`` on a terminal: questions, answers, and every way to leave."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from case_files import at_terminal, make_desk

import priorcase as pc
from priorcase.cli.cases import forget

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals here")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_desk(tmp_path_factory.mktemp("desk") / "desk.cases")


@pytest.fixture
def desk(made: Path) -> Iterator[pc.CaseBase]:
    with pc.CaseBase.open(made, readonly=True) as base:
        yield base


def test_answers_settle_a_conversation_and_wrong_ones_are_asked_again(made: Path, desk: pc.CaseBase) -> None:
    keys = ["the paper jams all the time\n", "?\n", "4\n", "pri\n", "signs=paper jam\n"]
    seen, code = at_terminal(["cases", "ask", made, "--confidence", "0.3"], keys)
    talk = desk.converse(confidence=0.3)
    talk.tell("message", "the paper jams all the time")
    left, question = len(talk.candidates), talk.next_question()
    assert question is not None
    choices = [f"   {n}  {choice.answer}  ({choice.cases} cases)" for n, choice in enumerate(question.choices, 1)]
    talk.tell("area", "printer")
    assert not talk.settled
    talk.tell("signs", {"paper jam"})
    assert talk.settled
    assert code == 0
    assert "\x1b" not in seen
    for part in (
        f"message, in your own words?\n> the paper jams all the time\n{left} cases left: ",
        "\n".join(["area?", *choices, "> ?\n"]),
        f"  The answer gives {question.gain:.2f} bits of information about the solution on average, "
        f"{question.ratio:.2f} for each bit of the answer's entropy",
        "> 4\n  '4' is not a value of 'area'. It has 'it', 'printer', ",
        "> pri\n",
        "> signs=paper jam\n",
        f"\n{talk.answer()}\n\nsupporting cases\n  id  key ",
        " P-03 ",
    ):
        assert part in seen
    assert seen.count("> ") == len(keys)


def test_ctrl_c_leaves_without_an_answer(made: Path) -> None:
    seen, code = at_terminal(["cases", "ask", made], ["\n", "\x03"])
    assert code == 130
    assert seen.endswith("priorcase: interrupted\n")
    assert "area?" in seen
    assert "confidence" not in seen


@pytest.mark.parametrize(("line", "agreed"), [("Yes\n", True), ("no\n", False), ("\n", False), ("", False)])
def test_only_a_yes_is_a_yes(
    desk: pc.CaseBase, monkeypatch: pytest.MonkeyPatch, made: Path, line: str, agreed: bool
) -> None:
    """A terminal in name only: its lines come from a text."""
    stream = io.StringIO(line)
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stream)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    called: list[list[int]] = []

    def note(_: pc.CaseBase, ids: list[int], **__: object) -> int:
        called.append(ids)
        return len(ids)

    monkeypatch.setattr(pc.CaseBase, "forget", note)
    assert forget.callback is not None
    with click.Context(forget):
        forget.callback(
            file=str(made), ids=("P-03", "3"), where=(), yes=False, by=None, why=None, as_json=False, out=None
        )
    assert called == ([[3]] if agreed else [])


# The rest of the conversation, without a terminal of its own -------------------------------------------------------


def heard(base: pc.CaseBase, lines: list[str | None], **options: Any) -> tuple[list[str], Any]:
    """What is said to some lines, and the conversation."""
    from priorcase.cli.conversation import Talk

    said: list[str] = []
    talk = base.converse(**options)
    waiting = iter(lines)

    def read(prompt: str) -> str | None:
        line = next(waiting)
        said.append(f"{prompt}{line}")
        return line

    Talk(base, talk, read, said.append).run()
    assert next(waiting, "none") == "none"
    return said, talk


def test_enter_skips_and_back_takes_back(desk: pc.CaseBase) -> None:
    said, talk = heard(desk, ["", "network", "back", "back", "back", "vpn is slow", "", None])
    assert [line.question for line in talk.transcript.lines] == ["message, in your own words?", "area?"]
    assert [line.answer for line in talk.transcript.lines] == ["vpn is slow", "(skipped)"]
    assert sum("no answer to undo" in line for line in said) == 1
    assert said[-1] == ""


def test_anything_may_be_told_by_name(desk: pc.CaseBase) -> None:
    _, talk = heard(desk, ["area=vpn", "place = home", "people=3", "quit"], confidence=1.0)
    assert talk.known == {"area": "vpn", "place": "home", "people": 3}
    _, talk = heard(desk, ["x = y is all it prints", None], confidence=1.0)
    assert talk.known == {"message": "x = y is all it prints"}
    said, _ = heard(desk, ["", "aera=vpn", "people=many", None])
    assert any("no attribute 'aera'. Did you mean 'area'?" in line for line in said)
    assert any(line.startswith("  got 'many' for 'people'; expected a number. Omit") for line in said)


def test_yes_and_no_questions() -> None:
    rows: list[dict[str, Any]] = [
        {"age": n, "signs": ["jam"] if n % 2 else ["dirt", "jam"], "say": "yes"} for n in range(8)
    ]
    with pc.CaseBase.temporary() as base:
        base.add_many(rows, solution=["old" if row["age"] > 3 else "new" for row in rows])
        said, talk = heard(base, ["perhaps", "N"])
        assert "\nage <= 3? (yes: 4 cases, no: 4 cases; or its value)" in said
        assert any(line.startswith("  got 'perhaps' for 'age'; expected a number") for line in said)
        assert talk.answer().solution == "old"
        _, talk = heard(base, ["2"])
        assert talk.known == {"age": 2}
    with pc.CaseBase.temporary() as base:
        base.add_many([{"signs": row["signs"]} for row in rows], solution=[len(r["signs"]) == 1 for r in rows])
        said, talk = heard(base, ["dirt", "y"])
        assert "  answer yes or no, or set the value with signs=..." in said
        assert talk.answer().solution is False


def test_values_that_are_numbers_have_letters() -> None:
    with pc.CaseBase.temporary({"doors": "nominal"}) as base:
        base.add_many([{"doors": doors} for doors in (2, 4, 5)], solution=["two", "four", "five"])
        for line, solution in (("2", "two"), ("b", "four"), ("5", "five")):
            said, talk = heard(base, [line])
            assert said[1] == "\ndoors?\n   a  2  (1 case)\n   b  4  (1 case)\n   c  5  (1 case)"
            assert talk.answer().solution == solution


def test_a_value_that_no_case_has_is_asked_again_unless_meant() -> None:
    with pc.CaseBase.temporary({"make": "nominal"}) as base:
        makes = [f"make {chr(97 + n)}" for n in range(15)]
        base.add_many([{"make": make} for make in makes], solution=makes)
        said, talk = heard(base, ["mke c", "audi", "make o"])
        assert "      and 3 more; type a name" in said[1]
        assert said[2:6] == [
            "> mke c",
            "  'mke c' is not one of the choices; did you mean 'make c'? '=mke c' enters this value anyway.",
            "> audi",
            "  'audi' is not one of the choices; answer with a number, or press Enter to skip. '=audi' enters this "
            "value anyway.",
        ]
        assert talk.answer().solution == "make o"
        _, talk = heard(base, ["=audi"])
        assert talk.known == {"make": "audi"}


def test_numbers_as_solutions_are_grouped_by_a_twentieth_of_their_range(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from priorcase.cli import conversation

    with pc.CaseBase.temporary() as base:
        base.add_many([{"age": n} for n in (1, 2, 8, 9)], solution=[1000, 1090, 100, 0])
        lines = iter(["yes"])
        monkeypatch.setattr(conversation, "terminal_line", lambda prompt: next(lines))
        settings: dict[str, Any] = {"k": 5, "confidence": 0.8, "tolerance": None, "explain": True}
        conversation.converse(base, {}, weights={"age": 2.0}, where={}, **settings)
        shown = capsys.readouterr().out
        assert "4 cases left: 1045 " in shown
        assert "vote: 1045, probability " in shown
        assert "1  age <= 2?  yes" in shown


def test_outcomes_that_are_not_understood_are_noted(capsys: pytest.CaptureFixture[str]) -> None:
    from priorcase.cli import conversation

    with pc.CaseBase.temporary() as base:
        base.add_many(
            [{"age": 1}, {"age": 9}, {"age": 9}], solution=["oil", "swap", "look"], outcome=["ja", "yes", "no"]
        )
        settings: dict[str, Any] = {"k": 5, "confidence": 0.1, "tolerance": None, "explain": False}
        conversation.converse(base, {"age": 9}, weights=None, where={}, **settings)
    told = capsys.readouterr()
    assert "0 to 1: 'ja'\n" in told.err
    assert "\nvote: swap, " in told.out
    assert "look" not in told.out
