"""Conversations: who remains, what is asked next, and what comes of it."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import information_gain as slow

from priorcase.cases import Conversation
from priorcase.cases.conversation import Choice
from priorcase.cases.conversation.candidates import Candidates, Step
from priorcase.cases.conversation.questions import Questions
from priorcase.cases.retain import Solutions
from priorcase.cases.scoring import Likeness
from priorcase.cases.table import CaseTable
from priorcase.schema import Nominal, Numeric, Ordinal, Set

SUNNY = Step("outlook", "told", "sunny")
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


def candidates_of(table: CaseTable, floor: float = 0.1) -> Candidates:
    return Candidates(Likeness(table), Solutions.exactly(table), np.ones(len(table)), floor)


def gains(talk: Conversation) -> dict:
    return {question.attribute: question.gain for question in talk.questions()}


def test_the_published_tree_is_asked_for():
    talk = Conversation(tennis())
    assert list(gains(talk)) == ["outlook", "humidity", "wind", "temperature"]
    assert list(gains(talk).values()) == pytest.approx([0.2467, 0.1518, 0.0481, 0.0292], abs=1e-4)
    assert talk.next_question().choices == (Choice("sunny", 5), Choice("rain", 5), Choice("overcast", 4))
    talk.tell("outlook", "sunny")
    assert talk.candidates[:5].tolist() == [1, 2, 8, 9, 11]
    assert "outlook" not in gains(talk)
    alone = np.isin(np.arange(1, 15), [1, 2, 8, 9, 11]).astype(float)
    candidates = candidates_of(tennis())
    branch = {q.attribute: q.gain for q in Questions(candidates, alone, (SUNNY,)).all()}
    assert branch == pytest.approx({"humidity": 0.971, "temperature": 0.571, "wind": 0.020}, abs=5e-4)
    talk.tell("humidity", "high")
    assert talk.answer().solution == "no"
    talk.back()
    talk.back()
    assert talk.answer().solution == "yes"
    talk.tell("outlook", "overcast")
    assert talk.answer().solution == "yes"
    assert talk.candidates[:4].tolist() == [3, 7, 12, 13]


def test_at_first_solutions_are_as_probable_as_they_are_frequent():
    answer = Conversation(tennis()).answer()
    assert answer.probabilities == pytest.approx({"yes": 9 / 15, "no": 5 / 15})  # one case more for none of these
    assert answer.unseen == pytest.approx(1 / 15)


def test_a_wrong_answer_loses_nothing_for_good():
    talk = Conversation(tennis())
    talk.tell("outlook", "overcast")
    before = talk.answer().probabilities
    talk.tell("temperature", "snow")  # a value that no case has speaks for none of them
    assert talk.answer().probabilities == before
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


@settings(max_examples=30)
@given(ROWS, VALUES)
def test_gains_are_those_of_slow_loops(rows, query):
    table = table_of(MIXED, rows)
    told = {name: value for name, value in query.items() if value is not None and name in ("colour", "size")}
    talk = Conversation(table, told, floor=0.25)
    candidates = candidates_of(table, 0.25)
    weights = candidates.weights(tuple(Step(name, "told", value) for name, value in told.items())).tolist()
    weights = [weight if weight > 0.25 * max(weights) * (1 + 1e-9) else 0.0 for weight in weights]
    order = sorted((i for i, weight in enumerate(weights) if weight), key=lambda i: (-weights[i], i))
    assert talk.candidates.tolist() == [i + 1 for i in order]
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
    tags = [tag for tag in "abc" if any(tag in members for members in sets if members)]
    _, expected = slow.best_mention(exact, sets, solutions, tags)
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


def test_ties_go_to_the_first_attribute_and_weightless_ones_are_not_asked():
    rows = [({"a": i % 2, "b": i % 2}, "xy"[i % 2]) for i in range(4)]
    table = table_of({"a": Nominal(), "b": Nominal()}, rows)
    assert Conversation(table).next_question().attribute == "a"
    assert Conversation(table, weights={"a": 0}).next_question().attribute == "b"
    assert [q.attribute for q in Conversation(table, weights={"a": 0}).questions()] == ["b"]
    heavy = Conversation(table_of({"a": Nominal(), "b": Nominal()}, [({"a": 0, "b": 1}, "x"), ({"a": 1, "b": 0}, "y")]))
    heavy.tell("a", 0)
    heavy.tell("b", 0)
    assert heavy.answer().probabilities == {"x": 0.3, "y": 0.3}  # 3/4 each, and 1 for none of these
    uneven = Conversation(
        table_of({"a": Nominal(), "b": Nominal()}, [({"a": 0, "b": 1}, "x"), ({"a": 1, "b": 0}, "y")]),
        {"a": 0, "b": 0},
        weights={"a": 3, "b": 1},
        floor=0.25,
    )
    # a speaks for x by 3/2 to 1/2; b, which weighs a third, for y.
    x, y = 1.5 * 0.5 ** (1 / 3), 0.5 * 1.5 ** (1 / 3)
    assert uneven.answer().probabilities == pytest.approx({"x": x / (x + y + 1), "y": y / (x + y + 1)})


def test_failed_retired_and_unsolved_cases_take_no_part():
    rows = [({"a": 1}, "x"), ({"a": 1}, "y"), ({"a": 1}, None), ({"a": 1}, "z"), ({"a": 1}, "x")]
    rows += [({"a": 1}, "w")]
    table = table_of({"a": Nominal()}, rows, {2: "false", 5: "0.6", 6: "0.5"})
    table.retire([4])
    talk = Conversation(table)
    assert talk.candidates.tolist() == [1, 5]
    assert talk.settled
    assert [source.weight for source in talk.answer().sources] == pytest.approx([1 / 1.6, 0.6 / 1.6])
    assert talk.answer().confidence == pytest.approx(1.6 / 2.6)


def test_later_changes_of_the_table_do_not_reach_a_conversation():
    table = tennis()
    talk = Conversation(table)
    table.remove([1, 2])
    table.append([(20, {"outlook": "sunny"}, '"never"', None)])
    talk.tell("outlook", "sunny")
    assert talk.candidates[:5].tolist() == [1, 2, 8, 9, 11]
    assert len(talk.candidates) == 14
    assert set(talk.answer().probabilities) == {"yes", "no"}


def test_conversations_print():
    talk = Conversation(tennis(), confidence=0.7)
    assert repr(talk).startswith("Conversation: 14 candidates, 'yes' 60%; next: outlook? (sunny: 5 cases")
    talk.tell("outlook", "overcast")
    said = f"one solution is {talk.answer().confidence:.0%} probable"
    assert repr(talk) == f"Conversation: 14 candidates, 'yes' {talk.answer().confidence:.0%}; {said}"
    lines = str(talk.transcript).splitlines()
    assert lines[0] == f"conversation, {said}"
    assert lines[2].split() == ["1", "outlook?", "overcast", "14", "yes", f"{talk.answer().confidence:.0%}"]
    assert list(talk.transcript.frame("pandas").columns) == [
        "question",
        "answer",
        "candidates",
        "solution",
        "probability",
    ]
    assert said in str(talk.answer())
    assert talk.answer().how == "Vote of all cases, weighted by 1 answer; 14 cases remain"
    given_first = Conversation(tennis(), {"outlook": "sunny"})
    assert given_first.transcript.lines[0].question == "outlook"
    given_first.skip("wind")
    assert given_first.transcript.lines[1].answer == "(skipped)"


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


def test_rounding_keeps_nobody_who_is_just_the_floor_behind():
    """Products in another order may differ in the last bit."""
    candidates = candidates_of(tennis(), 0.05)
    rng = np.random.default_rng(0)
    for x, y in rng.random((200, 2)):
        weights = np.array([x * y, x * 0.05 * y])
        assert np.count_nonzero(candidates.remaining(weights)) == 1


def test_many_cases_that_are_far_behind_may_still_hold_the_answer():
    """One case is like the query, but a hundred others of another solution count more together."""
    rows = [({"a": "1", "b": "1"}, "x"), ({"a": "1", "b": "2"}, "x")] + [({"a": "2", "b": "2"}, "y")] * 100
    talk = Conversation(table_of({"a": Nominal(), "b": Nominal()}, rows), {"b": "1"}, floor=0.9)
    assert talk.candidates.tolist() == [1]
    assert talk.answer().solution == "y"
    assert len(talk.answer().candidates[0].cases) == 100
