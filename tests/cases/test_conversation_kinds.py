"""What is asked about attributes of each kind: values, cuts, words, members, branches."""

import datetime
import json

import numpy as np
import pytest

from priorcase.cases import Conversation, Graph
from priorcase.cases.conversation.candidates import Mentions, words_of
from priorcase.cases.conversation.questions import branches_of
from priorcase.cases.table import CaseTable
from priorcase.schema import Date, Nominal, Numeric, Ordinal, Set, Taxonomy, Text


def table_of(attributes: dict, rows: list, outcomes: dict | None = None) -> CaseTable:
    """Cases of values and solution, ids from 1."""
    return CaseTable.of(
        attributes,
        [
            (i, values, None if solution is None else json.dumps(solution), (outcomes or {}).get(i))
            for i, (values, solution) in enumerate(rows, 1)
        ],
    )


def test_cuts_are_asked_and_narrowed():
    rows = [({"miles": miles}, "cheap" if 20 <= miles < 60 else "dear") for miles in range(0, 100, 10)]
    talk = Conversation(table_of({"miles": Numeric()}, rows))
    question = talk.next_question()
    assert (question.kind, question.about) == ("cut", 50)
    assert str(question) == "miles <= 50? (yes: 6 cases, no: 4 cases)"
    talk.tell("miles", "yes")
    assert talk.candidates[:6].tolist() == [1, 2, 3, 4, 5, 6]
    assert str(talk.next_question()) == "miles <= 10? (yes: 2 cases, no: 4 cases)"
    talk.tell("miles", False)
    assert talk.answer().solution == "cheap"
    assert talk.next_question() is None
    assert [(line.question, line.answer) for line in talk.transcript.lines] == [
        ("miles <= 50?", "yes"),
        ("miles <= 10?", "no"),
    ]
    talk.tell("miles", 90)
    assert talk.known == {"miles": 90}
    assert talk.candidates[0] == 10


def test_dates_are_cut_too():
    rows = [({"opened": f"2024-05-{day:02d}"}, "x" if day < 10 else "y") for day in (1, 5, 9, 12, 20)]
    talk = Conversation(table_of({"opened": Date()}, rows))
    assert str(talk.next_question()) == "opened <= 2024-05-09? (yes: 3 cases, no: 2 cases)"
    assert talk.next_question().about == datetime.date(2024, 5, 9)
    talk.tell("opened", True)
    assert talk.answer().solution == "x"
    talk.tell("opened", datetime.date(2024, 5, 21))
    assert talk.candidates[0] == 5


MESSAGES = [
    ({"message": "The printer is offline again", "light": "red"}, "plug it in"),
    ({"message": "printer shows offline", "light": "red"}, "plug it in"),
    ({"message": "paper jam in tray two", "light": "red"}, "open the tray"),
    ({"message": "another paper jam", "light": None}, "open the tray"),
    ({"message": None, "light": "off"}, "plug it in"),
]
HELP = {"message": Text(), "light": Nominal()}


def test_free_text_comes_first_and_words_later():
    talk = Conversation(table_of(HELP, MESSAGES))
    question = talk.next_question()
    assert (question.kind, question.gain, question.choices, question.unknown) == ("text", None, (), 1)
    assert str(question) == "message, in your own words?"
    talk.tell("message", "my printer says it is offline")
    assert talk.answer().solution == "plug it in"
    assert talk.candidates[0] in (1, 2)
    later = Conversation(table_of(HELP, MESSAGES), {"light": "red"})
    assert str(later.next_question()) == "does message mention 'jam'? (yes: 2 cases, no: 2 cases)"
    later.tell("message", "No")
    assert later.answer().solution == "plug it in"
    assert later.transcript.lines[-1].answer == "no"


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan")])
def test_missing_values_skip_an_attribute(missing):
    told, skipped = (Conversation(table_of(HELP, MESSAGES)) for _ in range(2))
    told.tell("message", missing)
    skipped.skip("message")
    assert told.transcript == skipped.transcript
    assert told.next_question() == skipped.next_question()
    assert told.answer().probabilities == skipped.answer().probabilities


def test_skipped_text_is_not_asked_again():
    talk = Conversation(table_of(HELP, MESSAGES))
    talk.skip("message")
    assert talk.next_question().attribute == "light"
    talk.skip("light")
    assert talk.next_question() is None
    assert talk.reason == "no informative question is left"
    assert talk.answer().probabilities == pytest.approx({"plug it in": 3 / 6, "open the tray": 2 / 6})
    talk.tell("message", "paper jam")  # may still be told
    assert talk.answer().solution == "open the tray"


def test_members_of_sets_are_asked_for():
    rows = [
        ({"tags": ("wifi", "slow")}, "x"),
        ({"tags": ("slow",)}, "y"),
        ({"tags": ("wifi",)}, "x"),
        ({"tags": ()}, "y"),
    ]
    talk = Conversation(table_of({"tags": Set()}, rows))
    assert str(talk.next_question()) == "does tags include 'wifi'? (yes: 2 cases, no: 2 cases)"
    talk.tell("tags", True)
    assert talk.candidates[:2].tolist() == [1, 3]
    talk.tell("tags", {"slow"})
    assert talk.candidates[0] == 2


DEVICE = Taxonomy({"device": {"printer": ["laser", "inkjet"], "network": {"router": ["wifi"], "switch": None}}})


def test_taxonomies_are_asked_from_the_top():
    nodes = ["laser", "inkjet", "wifi", "switch", "printer", None]
    rows = [({"device": node}, f"fix {node}") for node in nodes]
    talk = Conversation(table_of({"device": DEVICE}, rows), confidence=0.95)
    assert str(talk.next_question()) == "device? (printer: 3 cases, network: 2 cases)"
    talk.tell("device", "network")
    assert {3, 4} <= set(talk.candidates.tolist())
    assert talk.answer().probabilities["fix wifi"] == talk.answer().probabilities["fix switch"]
    assert str(talk.next_question()) == "device? (router: 1 case, switch: 1 case)"
    talk.tell("device", "router")
    assert talk.answer().solution == "fix wifi"
    assert talk.known == {"device": "router"}
    assert talk.next_question() is None


def test_levels_of_an_order_are_listed_in_it():
    rows = [({"grade": grade}, grade) for grade in ("high", "low", "low", "mid")]
    question = Conversation(table_of({"grade": Ordinal(("low", "mid", "high"))}, rows)).next_question()
    assert [choice.answer for choice in question.choices] == ["low", "mid", "high"]


def test_numbers_as_solutions_are_grouped():
    rows = [({"make": make}, price) for make, price in [("A", 1000), ("A", 1080), ("A", 5000), ("B", 5100)]]
    talk = Conversation(table_of({"make": Nominal()}, rows), tolerance=100, confidence=0.9)
    assert talk.answer().probabilities == {1040.0: 0.4, 5050.0: 0.4}
    talk.tell("make", "B")
    assert 5050 < talk.answer().solution < 5100  # the case with that make counts more
    exact = Conversation(table_of({"make": Nominal()}, rows), tolerance=0)
    assert len(exact.answer().candidates) == 4


def test_graphs_are_never_asked_and_columns_without_values_do_no_harm():
    rows = [({"a": 1, "g": None, "n": None, "t": None}, "x"), ({"a": 2, "g": None, "n": None, "t": None}, "y")]
    attributes = {"g": Graph(), "n": Numeric(), "t": Text(), "a": Nominal(), "s": Set()}
    talk = Conversation(table_of(attributes, rows))
    assert talk.next_question().attribute == "a"
    assert [question.attribute for question in talk.questions() if question.gain] == ["a"]
    talk.tell("n", 5)
    talk.tell("t", "words")
    talk.tell("s", {"a"})
    assert talk.answer().probabilities == pytest.approx({"x": 1 / 3, "y": 1 / 3})


def test_words_in_two_cases_or_more_are_counted():
    table = table_of({"t": Text()}, [({"t": "paper jam"}, "x"), ({"t": "Paper!"}, "x"), ({"t": None}, "y")])
    mentions = Mentions.of(table.column("t"))
    assert mentions.terms == ("paper",)
    assert mentions.having("paper").tolist() == [True, True]
    assert words_of("a an the the") == ["the"]


def test_members_that_only_look_alike_are_told_apart():
    table = table_of({"s": Set()}, [({"s": (True, 1, "1")}, "x"), ({"s": (True, "1")}, "y"), ({"s": (1,)}, "y")])
    mentions = Mentions.of(table.column("s"))
    assert [repr(term) for term in mentions.terms] == ["True", "1", "'1'"]
    assert np.array([mentions.having(term) for term in mentions.terms]).tolist() == [
        [True, True, False],
        [True, False, True],
        [True, True, False],
    ]


def test_branches_part_below_what_is_known():
    tree = Taxonomy({"printer": {"laser": ["x", "y"], "inkjet": None}})
    assert branches_of(tree, ["printer", "x", "y"], above="printer") == {"x": "x", "y": "y"}
    assert branches_of(tree, ["printer", "x", "y"]) == {"x": "laser", "y": "laser"}
    assert branches_of(tree, ["x", "inkjet"], above="inkjet") == {}


def test_numbers_of_a_group_are_averaged_by_weight():
    rows = [({"make": "A"}, 1000), ({"make": "A"}, 1090)]
    talk = Conversation(table_of({"make": Nominal()}, rows, {1: "0.8"}), tolerance=100)
    assert talk.answer().solution == pytest.approx(1050)


def test_what_was_answered_is_not_asked_again_when_contradicted_cases_come_back():
    """After a yes and a value that contradicts it, both sides count alike again."""
    rows = [({"miles": i, "colour": "red" if i <= 5 else "blue"}, "x" if i <= 5 else "y") for i in range(1, 11)]
    talk = Conversation(table_of({"miles": Numeric(), "colour": Nominal()}, rows), {}, confidence=0.9)
    assert talk.next_question().about == 5
    talk.tell("miles", "yes")
    talk.tell("colour", "blue")
    assert len(talk.candidates) == 10
    assert talk.next_question() is None
    words = [
        ({"note": "noisy fan" if i < 3 else "no light", "colour": "red" if i < 3 else "blue"}, "xy"[i < 3])
        for i in range(6)
    ]
    talk = Conversation(table_of({"colour": Nominal(), "note": Text()}, words), {"colour": "green"})
    assert talk.next_question().about == "fan"
    talk.tell("note", "yes")
    talk.tell("colour", "blue")
    assert len(talk.candidates) == 6
    assert talk.next_question().about != "fan"
