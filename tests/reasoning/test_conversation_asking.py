"""Conversations: who remains, what is asked next, and what comes of it."""

import datetime
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import information_gain as slow

from priorcase.reasoning.conversation import Choice, Conversation
from priorcase.reasoning.conversation.branches import branches_of
from priorcase.reasoning.conversation.candidates import Candidates
from priorcase.reasoning.conversation.mentions import Mentions, words_of
from priorcase.reasoning.kinds import Date, Graph, Set, Taxonomy, Text
from priorcase.reasoning.retain import Likeness
from priorcase.reasoning.table import CaseTable
from priorcase.schema import Nominal, Numeric, Ordinal

DAY = ("outlook", "temperature", "humidity", "wind")


def table_of(attributes: dict, rows: list, outcomes: dict | None = None) -> CaseTable:
    """Cases of values and solution, ids from 1."""
    return CaseTable.of(
        attributes,
        [
            (i, values, None if solution is None else json.dumps(solution), (outcomes or {}).get(i))
            for i, (values, solution) in enumerate(rows, 1)
        ],
    )


def tennis() -> CaseTable:
    rows = [(dict(zip(DAY, day[:4], strict=True)), day[4]) for day in slow.SATURDAYS]
    return table_of({name: Nominal() for name in DAY}, rows)


def gains(talk: Conversation) -> dict:
    return {question.attribute: question.gain for question in talk.questions()}


def test_the_published_tree_is_asked_for():
    talk = Conversation(tennis())
    assert list(gains(talk)) == ["outlook", "humidity", "wind", "temperature"]
    assert list(gains(talk).values()) == pytest.approx([0.2467, 0.1518, 0.0481, 0.0292], abs=1e-4)
    assert talk.next_question().choices == (Choice("sunny", 5), Choice("rain", 5), Choice("overcast", 4))
    talk.tell("outlook", "sunny")
    assert talk.candidates.tolist() == [1, 2, 8, 9, 11]
    assert gains(talk) == pytest.approx({"humidity": 0.971, "temperature": 0.571, "wind": 0.020}, abs=5e-4)
    talk.tell("humidity", "high")
    assert talk.settled
    assert talk.answer().solution == "no"
    assert talk.answer().probabilities == {"no": 1.0}
    talk.back()
    talk.back()
    talk.tell("outlook", "overcast")
    assert talk.reason == "one solution holds 100% of the weight"
    assert talk.answer().solution == "yes"


def test_a_wrong_answer_loses_nothing_for_good():
    talk = Conversation(tennis())
    talk.tell("outlook", "overcast")
    assert set(talk.candidates.tolist()) == {3, 7, 12, 13}
    talk.tell("temperature", "snow")  # a value that no case has contradicts all alike
    assert set(talk.candidates.tolist()) == {3, 7, 12, 13}
    talk.tell("humidity", "high")
    talk.tell("wind", "weak")
    assert talk.candidates[0] == 3
    talk.tell("outlook", "sunny")  # a value replaces what was said before
    assert talk.known["outlook"] == "sunny"
    assert set(talk.candidates[:2].tolist()) == {1, 8}


MIXED = {
    "colour": Nominal(),
    "size": Numeric(),
    "tags": Set(),
    "grade": Ordinal(("low", "mid", "high")),
}
VALUES = st.fixed_dictionaries(
    {
        "colour": st.sampled_from([None, "red", "blue"]),
        "size": st.sampled_from([None, 1, 2, 4]),
        "tags": st.sampled_from([None, (), ("a",), ("a", "b"), ("b", "c")]),
        "grade": st.sampled_from([None, "low", "mid", "high"]),
    }
)
ROWS = st.lists(st.tuples(VALUES, st.sampled_from(["x", "y", "z"])), min_size=1, max_size=12)


def slow_weights(table: CaseTable, told: dict, floor: float) -> list:
    """How much each case counts, one loop after the other."""
    like = Likeness(table)
    found = [1.0] * len(table)
    for name, value in told.items():
        known = [i for i in range(len(table)) if table.values(i)[name] is not None]
        if not known:
            continue
        similarities = {i: like.by_case(name, value)[i] for i in known}
        most = max(similarities.values())
        factors = {i: max(floor, s / most if most else s) for i, s in similarities.items()}
        mean = sum(factors.values()) / len(factors)
        found = [weight * factors.get(i, mean) for i, weight in enumerate(found)]
    return [weight if weight > floor * max(found) * (1 + 1e-9) else 0.0 for weight in found]


@settings(max_examples=60)
@given(ROWS, VALUES)
def test_weights_and_gains_are_those_of_slow_loops(rows, query):
    table = table_of(MIXED, rows)
    told = {name: value for name, value in query.items() if value is not None and name in ("colour", "size")}
    talk = Conversation(table, told, floor=0.25)
    weights = slow_weights(table, told, 0.25)
    order = sorted((i for i, weight in enumerate(weights) if weight), key=lambda i: (-weights[i], i))
    assert set(talk.candidates.tolist()) == {i + 1 for i in order}
    total = sum(weights)
    shares = {label: sum(w for w, row in zip(weights, rows, strict=True) if row[1] == label) / total for label in "xyz"}
    assert talk.answer().probabilities == pytest.approx({k: v for k, v in shares.items() if v})
    exact = [Fraction(weight) for weight in weights]
    solutions = [row[1] for row in rows]
    found = gains(talk)
    for name in ("colour", "grade"):
        if name not in told:
            values = [row[0][name] for row in rows]
            assert found[name] == pytest.approx(slow.gain(exact, values, solutions), abs=1e-9)
    if "size" not in told:
        _, expected = slow.best_cut(exact, [row[0]["size"] for row in rows], solutions)
        assert found.get("size", 0.0) == pytest.approx(expected, abs=1e-9)
    sets = [None if row[0]["tags"] is None else frozenset(row[0]["tags"]) for row in rows]
    twice = [tag for tag in "abc" if sum(tag in members for members in sets if members) >= 2]
    _, expected = slow.best_mention(exact, sets, solutions, twice)
    assert found.get("tags", 0.0) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40)
@given(ROWS, VALUES, st.permutations(list(MIXED)))
def test_the_order_of_answers_changes_nothing(rows, query, order):
    table = table_of(MIXED, rows)
    first, second = Conversation(table), Conversation(table)
    for name in MIXED:
        first.tell(name, query[name])
    for name in order:
        second.tell(name, query[name])
    assert first.candidates.tolist() == second.candidates.tolist()
    assert first.answer().probabilities == second.answer().probabilities
    assert first.next_question() is second.next_question() is None
    assert first.settled


@settings(max_examples=40)
@given(ROWS, st.data())
def test_every_conversation_ends_and_back_goes_back(rows, data):
    talk = Conversation(table_of(MIXED, rows), confidence=1.0, least_gain=0.0)
    states, said = [], 0
    while (question := talk.next_question()) is not None:
        states.append((talk.candidates.tolist(), talk.answer().probabilities, question))
        if data.draw(st.integers(0, 5)) == 0:
            talk.skip(question.attribute)
        else:
            talk.tell(question.attribute, data.draw(st.sampled_from(question.choices)).answer)
        said += 1
        assert said < 40
    assert talk.settled
    assert len(talk.transcript) == said
    for state in reversed(states):
        talk.back()
        assert (talk.candidates.tolist(), talk.answer().probabilities, talk.next_question()) == state


def test_cuts_are_asked_and_narrowed():
    rows = [({"miles": miles}, "cheap" if 20 <= miles < 60 else "dear") for miles in range(0, 100, 10)]
    talk = Conversation(table_of({"miles": Numeric()}, rows))
    question = talk.next_question()
    assert (question.kind, question.about) == ("cut", 50)
    assert str(question) == "miles <= 50? (yes: 6 cases, no: 4 cases)"
    talk.tell("miles", "yes")
    assert talk.candidates.tolist() == [1, 2, 3, 4, 5, 6]
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


def test_skipped_text_is_not_asked_again():
    talk = Conversation(table_of(HELP, MESSAGES))
    talk.skip("message")
    assert talk.next_question().attribute == "light"
    talk.skip("light")
    assert talk.next_question() is None
    assert talk.reason == "no question is left that would tell more"
    assert talk.answer().probabilities == pytest.approx({"plug it in": 0.6, "open the tray": 0.4})
    talk.tell("message", "paper")  # may still be told
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
    assert talk.candidates.tolist() == [1, 3]
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
    question = Conversation(table_of({"grade": MIXED["grade"]}, rows)).next_question()
    assert [choice.answer for choice in question.choices] == ["low", "mid", "high"]


def test_numbers_as_solutions_are_grouped():
    rows = [({"make": make}, price) for make, price in [("A", 1000), ("A", 1080), ("A", 5000), ("B", 5100)]]
    talk = Conversation(table_of({"make": Nominal()}, rows), tolerance=100, confidence=0.9)
    assert talk.answer().probabilities == {1040.0: 0.5, 5050.0: 0.5}
    talk.tell("make", "B")
    assert talk.answer().solution == 5100
    exact = Conversation(table_of({"make": Nominal()}, rows), tolerance=0)
    assert len(exact.answer().candidates) == 4


def test_ties_go_to_the_first_attribute_and_weightless_ones_are_not_asked():
    rows = [({"a": i % 2, "b": i % 2}, "xy"[i % 2]) for i in range(4)]
    table = table_of({"a": Nominal(), "b": Nominal()}, rows)
    assert Conversation(table).next_question().attribute == "a"
    assert Conversation(table, weights={"a": 0}).next_question().attribute == "b"
    assert [q.attribute for q in Conversation(table, weights={"a": 0}).questions()] == ["b"]
    heavy = Conversation(table_of({"a": Nominal(), "b": Nominal()}, [({"a": 0, "b": 1}, "x"), ({"a": 1, "b": 0}, "y")]))
    heavy.tell("a", 0)
    heavy.tell("b", 0)
    assert heavy.answer().probabilities == {"x": 0.5, "y": 0.5}
    uneven = Conversation(
        table_of({"a": Nominal(), "b": Nominal()}, [({"a": 0, "b": 1}, "x"), ({"a": 1, "b": 0}, "y")]),
        {"a": 0, "b": 0},
        weights={"a": 3, "b": 1},
        floor=0.25,
    )
    # 0.25 ** (1 / 2) for x against 0.25 ** (3 / 2) for y: y is just a whole floor behind, and is gone.
    assert uneven.answer().probabilities == {"x": 1.0}


def test_graphs_are_never_asked_and_columns_without_values_do_no_harm():
    rows = [({"a": 1, "g": None, "n": None, "t": None}, "x"), ({"a": 2, "g": None, "n": None, "t": None}, "y")]
    attributes = {"g": Graph(), "n": Numeric(), "t": Text(), "a": Nominal(), "s": Set()}
    talk = Conversation(table_of(attributes, rows))
    assert talk.next_question().attribute == "a"
    assert [question.attribute for question in talk.questions() if question.gain] == ["a"]
    talk.tell("n", 5)
    talk.tell("t", "words")
    talk.tell("s", {"a"})
    assert talk.answer().probabilities == {"x": 0.5, "y": 0.5}


def test_failed_retired_and_unsolved_cases_take_no_part():
    rows = [({"a": 1}, "x"), ({"a": 1}, "y"), ({"a": 1}, None), ({"a": 1}, "z"), ({"a": 1}, "x")]
    table = table_of({"a": Nominal()}, rows, {2: "false", 5: "0.5"})
    table.retire([4])
    talk = Conversation(table)
    assert talk.candidates.tolist() == [1, 5]
    assert talk.settled
    assert [source.weight for source in talk.answer().sources] == pytest.approx([2 / 3, 1 / 3])


def test_later_changes_of_the_table_do_not_reach_a_conversation():
    table = tennis()
    talk = Conversation(table)
    table.remove([1, 2])
    table.append([(20, {"outlook": "sunny"}, '"never"', None)])
    talk.tell("outlook", "sunny")
    assert talk.candidates.tolist() == [1, 2, 8, 9, 11]
    assert set(talk.answer().probabilities) == {"yes", "no"}


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


def test_conversations_print():
    talk = Conversation(tennis())
    assert repr(talk).startswith("Conversation: 14 candidates, 'yes' 64%; next: outlook? (sunny: 5 cases")
    talk.tell("outlook", "overcast")
    assert repr(talk) == "Conversation: 4 candidates, 'yes' 100%; one solution holds 100% of the weight"
    lines = str(talk.transcript).splitlines()
    assert lines[0] == "conversation, one solution holds 100% of the weight"
    assert lines[2].split() == ["1", "outlook?", "overcast", "4", "yes", "100%"]
    assert list(talk.transcript.frame("pandas").columns) == [
        "question",
        "answer",
        "candidates",
        "solution",
        "probability",
    ]
    assert "one solution holds 100% of the weight" in str(talk.answer())
    given_first = Conversation(tennis(), {"outlook": "sunny"})
    assert given_first.transcript.lines[0].question == "outlook"
    given_first.skip("wind")
    assert given_first.transcript.lines[1].answer == "(skipped)"


def test_branches_part_below_what_is_known():
    tree = Taxonomy({"printer": {"laser": ["x", "y"], "inkjet": None}})
    assert branches_of(tree, ["printer", "x", "y"], above="printer") == {"x": "x", "y": "y"}
    assert branches_of(tree, ["printer", "x", "y"]) == {"x": "laser", "y": "laser"}
    assert branches_of(tree, ["x", "inkjet"], above="inkjet") == {}


def test_numbers_of_a_group_are_averaged_by_weight():
    rows = [({"make": "A"}, 1000), ({"make": "A"}, 1090)]
    talk = Conversation(table_of({"make": Nominal()}, rows, {1: "0.5"}), tolerance=100)
    assert talk.answer().solution == pytest.approx(1060)


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


def test_the_order_of_answers_changes_no_bit():
    rng = np.random.default_rng(5)
    names = list("abcd")
    rows = [(dict(zip(names, rng.normal(size=4).tolist(), strict=True)), f"s{i}") for i in range(40)]
    table = table_of({name: Numeric() for name in names}, rows)
    query = dict(zip(names, rng.normal(size=4).tolist(), strict=True))
    found = []
    for order in itertools.permutations(names):
        talk = Conversation(table)
        for name in order:
            talk.tell(name, query[name])
        found.append(talk.answer().probabilities)
    assert all(each == found[0] for each in found)


def test_rounding_keeps_no_full_contradiction():
    """Two cases that differ by one contradiction: products in another order may differ in the last bit."""
    candidates = Candidates(Likeness(tennis()), np.ones(14), 0.05)
    rng = np.random.default_rng(0)
    for x, y in rng.random((200, 2)):
        weights = np.array([x * y, x * 0.05 * y])
        assert np.count_nonzero(candidates.remaining(weights)) == 1
