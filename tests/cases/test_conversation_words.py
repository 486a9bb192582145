"""What conversations refuse, and how they say so; nothing is changed by it."""

import pytest

from priorcase.cases import Conversation
from priorcase.cases.table import CaseTable
from priorcase.exceptions import (
    CaseBaseError,
    ParameterError,
)
from priorcase.schema import Nominal, Numeric, Text

ATTRIBUTES = {"miles": Numeric(), "fuel": Nominal(), "note": Text()}


def cars() -> CaseTable:
    rows = [(i, {"miles": i * 10, "fuel": "gas" if i % 2 else "oil"}, f'"{"ab"[i > 3]}"', None) for i in range(1, 7)]
    return CaseTable.of(ATTRIBUTES, rows)


@pytest.mark.parametrize(
    ("parameter", "value", "words"),
    [
        ("floor", 0, "floor must be"),
        ("floor", 1.0, "floor must be"),
        ("confidence", 1.2, "confidence must be"),
        ("least_gain", -1, "least_gain must be"),
        ("least_gain", float("nan"), "least_gain must be"),
    ],
)
def test_parameters_are_checked(parameter, value, words):
    with pytest.raises(ParameterError, match=words):
        Conversation(cars(), **{parameter: value})


def test_a_base_without_solutions_has_nothing_to_ask_for():
    failed = CaseTable.of(ATTRIBUTES, [(1, {"miles": 1}, '"a"', "false"), (2, {"miles": 1}, None, None)])
    words = "no case with a solution that worked"
    for table in (failed, CaseTable.of(ATTRIBUTES, [])):
        with pytest.raises(CaseBaseError, match=words):
            Conversation(table)


def test_numbers_need_a_tolerance():
    table = CaseTable.of(ATTRIBUTES, [(1, {"miles": 1}, "3", None)])
    with pytest.raises(ParameterError, match="tolerance is required, since all solutions are numbers"):
        Conversation(table)
    with pytest.raises(ParameterError, match="tolerance"):
        Conversation(cars(), tolerance=1)


def test_queries_are_checked():
    with pytest.raises(CaseBaseError, match=r"\['miles'\] as a case"):
        Conversation(cars(), ["miles"])
    with pytest.raises(CaseBaseError, match="attribute 'mile'"):
        Conversation(cars(), {"mile": 3})
    with pytest.raises(CaseBaseError, match="'many' for 'miles'"):
        Conversation(cars(), {"miles": "many"})
    assert Conversation(cars(), {"miles": None}).known == {}


def test_answers_are_checked_and_refused_ones_leave_no_trace():
    talk = Conversation(cars())
    before = (talk.candidates.tolist(), talk.next_question(), len(talk.transcript))
    with pytest.raises(CaseBaseError, match="attribute 'fule'"):
        talk.tell("fule", "gas")
    with pytest.raises(CaseBaseError, match="attribute 7"):
        talk.skip(7)
    with pytest.raises(CaseBaseError, match="'perhaps' for 'miles'"):
        talk.tell("miles", "perhaps")
    with pytest.raises(CaseBaseError, match=r"Conversation\.back: there is no answer to undo"):
        talk.back()
    words = r"tell: got True for 'note', but the open question is 'miles <= 30\?'\. Pass the"
    with pytest.raises(CaseBaseError, match=words):
        talk.tell("note", True)
    assert (talk.candidates.tolist(), talk.next_question(), len(talk.transcript)) == before
    talk.tell("miles", 20)
    talk.skip("fuel")
    with pytest.raises(CaseBaseError, match="False for 'miles', but "):
        talk.tell("miles", False)


def test_what_was_given_at_the_beginning_is_not_taken_back():
    talk = Conversation(cars(), {"fuel": "gas"})
    talk.tell("miles", None)
    talk.back()
    with pytest.raises(CaseBaseError, match="start a new conversation"):
        talk.back()
    assert talk.known == {"fuel": "gas"}


def test_control_characters_are_escaped_where_they_are_printed():
    rows = [(i, {"a\x1b": f"\x1b[2J{i}"}, f'"\\u001b[{i}m"', None) for i in range(2)]
    talk = Conversation(CaseTable.of({"a\x1b": Nominal()}, rows))
    talk.next_question()
    for shown in (talk, talk.next_question(), talk.questions(), talk.transcript, talk.answer()):
        assert "\x1b" not in repr(shown)
        assert "\x1b" not in str(shown)
