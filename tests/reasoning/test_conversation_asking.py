"""Conversations: who remains, what is asked next, and what comes of it."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import information_gain as slow

from priorcase.reasoning.conversation import Choice, Conversation
from priorcase.reasoning.conversation.candidates import Candidates
from priorcase.reasoning.kinds import Set
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
