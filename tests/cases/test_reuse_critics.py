"""Critics find and repair until nothing is left to repair, and never for ever."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from reference.case_reuse import found, reuse

from priorcase.cases import Critic, Proposal, Rule
from priorcase.cases.reuse import Step


def criticized(solution: Any, *critics: Critic, method: Any = "copy", **options: Any) -> Proposal:
    return reuse(found((1, 1.0, solution)), {"least": 10}, method, critics=critics, **options)


def at_least_ten(solution: Any, query: Any) -> str | None:
    return f"{solution} is below {query['least']}" if solution < query["least"] else None


def fails(*arguments: Any) -> Any:
    raise KeyError("width")


def test_a_critic_that_finds_nothing_changes_nothing() -> None:
    proposal = criticized(12, Critic(at_least_ten, lambda s, q: 99))
    assert (proposal.solution, proposal.steps, proposal.problems, proposal.notes) == (12, (), (), ())


def test_a_problem_without_a_repair_is_reported() -> None:
    proposal = criticized(3, Critic(at_least_ten, name="least"))
    assert proposal.solution == 3
    assert proposal.steps == ()
    assert proposal.problems == ("3 is below 10 (critic 'least')",)


def test_repairs_go_on_until_no_critic_complains() -> None:
    proposal = criticized(7, Critic(at_least_ten, lambda s, q: s + 1, name="least"))
    assert proposal.solution == 10
    assert proposal.steps == (
        Step("critic", "least", "7 is below 10", 7, 8),
        Step("critic", "least", "8 is below 10", 8, 9),
        Step("critic", "least", "9 is below 10", 9, 10),
    )
    assert proposal.problems == ()
    assert proposal.notes == ()


def test_each_critic_sees_what_the_ones_before_left() -> None:
    even = Critic(lambda s, q: f"{s} is odd" if s % 2 else None, lambda s, q: s + 1, name="even")
    tens = Critic(at_least_ten, lambda s, q: s + 2, name="least")
    proposal = criticized(7, tens, even)
    assert [step.name for step in proposal.steps] == ["least", "even"]
    assert proposal.solution == 10


@pytest.mark.parametrize(("rounds", "solution"), [(1, 1), (3, 3), (10, 10)])
def test_the_number_of_rounds_is_a_bound(rounds: int, solution: int) -> None:
    proposal = criticized(0, Critic(lambda s, q: "never enough", lambda s, q: s + 1), rounds=rounds)
    assert proposal.solution == solution
    assert len(proposal.steps) == rounds
    assert proposal.problems == ("never enough (critic '1')",)
    assert proposal.notes == (f"critics were stopped after round {rounds}",)


def test_the_last_round_may_repair_the_last_problem() -> None:
    proposal = criticized(9, Critic(at_least_ten, lambda s, q: s + 1), rounds=1)
    assert (proposal.solution, proposal.problems, proposal.notes) == (10, (), ())


def test_critics_that_undo_each_other_are_stopped() -> None:
    up = Critic(lambda s, q: "too low" if s < 5 else None, lambda s, q: 6, name="up")
    down = Critic(lambda s, q: "too high" if s > 5 else None, lambda s, q: 4, name="down")
    proposal = criticized(4, up, down, rounds=1_000_000)
    assert proposal.solution == 4
    assert len(proposal.steps) == 2
    assert proposal.problems == ("too low (critic 'up')",)
    assert proposal.notes == ("critics undo each other's repairs: stopped after round 1",)


@given(st.dictionaries(st.integers(0, 5), st.integers(0, 5)), st.integers(0, 5))
def test_any_repairs_come_to_an_end(moves: dict[int, int], start: int) -> None:
    critics = [
        Critic(lambda s, q, a=a: "moves" if s == a else None, lambda s, q, b=b: b, name=str(a))
        for a, b in moves.items()
    ]
    proposal = criticized(start, *critics, rounds=10**9)
    assert len(proposal.steps) <= 6 * max(1, len(moves))
    assert bool(proposal.problems) == (proposal.solution in moves)
    here = start
    for step in proposal.steps:
        assert step.before == here
        assert moves[here] == step.after
        here = step.after
    assert here == proposal.solution


def test_a_repair_that_changes_nothing_leaves_the_problem() -> None:
    calls: list[Any] = []
    proposal = criticized(3, Critic(at_least_ten, lambda s, q: calls.append(s) or s))
    assert calls == [3]
    assert proposal.steps == ()
    assert proposal.problems == ("3 is below 10 (critic '1')",)


def test_null_adaptation_reports_and_repairs_nothing() -> None:
    proposal = criticized(3, Critic(at_least_ten, lambda s, q: 10), method="null")
    assert (proposal.solution, proposal.steps) == (3, ())
    assert proposal.problems == ("3 is below 10 (critic '1')",)


def test_rules_come_first() -> None:
    seen: list[Any] = []
    critic = Critic(lambda s, q: seen.append(s))
    assert criticized(3, critic, rules=[Rule({}, 12)]).solution == 12
    assert set(seen) == {12}


def test_nothing_proposed_is_not_criticized() -> None:
    proposal = reuse(found((1, 1.0, "a", False)), {}, "copy", critics=[Critic(fails)], rules=[Rule({}, fails)])
    assert proposal.abstains
    assert proposal.problems == ()


def test_critics_get_copies() -> None:
    def spoil(solution: Any, query: Any) -> Any:
        solution["a"].append(1)
        query["least"] = 0
        return "spoilt" if len(solution["a"]) < 9 else None

    proposal = criticized(
        {"a": []}, Critic(spoil), Critic(lambda s, q: None if q == {"least": 10} else "query changed")
    )
    assert proposal.solution == {"a": []}
    assert proposal.problems == ("spoilt (critic '1')",)


def test_one_critic_need_not_be_in_a_list() -> None:
    proposal = reuse(found((1, 1.0, 3)), {"least": 10}, critics=Critic(at_least_ten))
    assert proposal.problems == ("3.0 is below 10 (critic '1')",)
