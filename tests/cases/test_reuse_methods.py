"""Copies, votes and means equal their formulas in fractions, and obey the laws that these have."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from reference.case_reuse import Row, averaged, copied, found, reuse, voted, weights
from scipy import stats

from priorcase.cases import Copy, Mean, Null, Proposal, Rule, Vote
from priorcase.cases.reuse.sources import effective, weigh
from priorcase.exceptions import CaseBaseError

HOW = ["similarity", "uniform", "inverse_square"]

# Eighths are exact as floats, so that ties in fractions are ties in floats.
similarities = st.integers(0, 8).map(lambda n: Fraction(n, 8))
degrees = st.integers(0, 4).map(lambda n: Fraction(n, 4))


def rows(solutions: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Row]]:
    """Cases with distinct ids in any order."""
    case = st.tuples(similarities, solutions, degrees)
    listed = st.lists(case, min_size=1, max_size=9)
    return listed.flatmap(
        lambda cases: st.permutations(range(1, len(cases) + 1)).map(
            lambda ids: [(id, *case) for id, case in zip(ids, cases, strict=True)]
        )
    )


TEXTS = rows(st.sampled_from(["a", "bb", "ccc", "d"]))
NUMBERS = rows(st.integers(-20, 20))


def asked(rows: list[Row], method: Any, **options: Any) -> Proposal:
    cases = [(id, float(s), solution, float(u)) for id, s, solution, u in rows]
    return reuse(found(*cases), {}, method, **options)


@given(st.lists(similarities, min_size=1, max_size=8), st.sampled_from(HOW))
def test_weights_are_those_of_the_definition(given_ones: list[Fraction], how: Any) -> None:
    expected = weights(given_ones, how)
    assert weigh([float(s) for s in given_ones], how) == pytest.approx([float(w) for w in expected], rel=1e-14)


def test_a_similarity_that_should_be_one_counts_as_one() -> None:
    assert weigh([1 - 1e-15, 0.9], "inverse_square") == [1.0, 0.0]
    assert weigh([1 - 1e-6, 1 - 2e-6], "inverse_square") == pytest.approx([1.0, 0.25], rel=1e-9)


@given(TEXTS)
def test_copy_is_the_most_similar_case_that_did_not_fail(given_rows: list[Row]) -> None:
    proposal = asked(given_rows, "copy")
    assert proposal.solution == copied(given_rows)
    assert proposal.abstains == (copied(given_rows) is None)
    assert asked(given_rows, "null").solution == proposal.solution


@settings(max_examples=40)
@given(TEXTS, st.sampled_from(HOW), st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
def test_vote_equals_the_formula(given_rows: list[Row], how: str, prior: Fraction) -> None:
    proposal = asked(given_rows, "vote", weights=how, prior=float(prior))
    if not any(row[1] for row in given_rows):
        assert proposal.abstains
        return
    expected, unseen = voted(given_rows, how, prior)
    assert proposal.probabilities == pytest.approx({solution: float(p) for solution, p in expected.items()}, rel=1e-12)
    assert proposal.unseen == pytest.approx(float(unseen), rel=1e-12)
    if how != "inverse_square":  # in eighths sums are exact, and so are ties
        best = max(expected.values())
        voting = [row for row in given_rows if expected[row[2]] == best]
        speaks = any(voted(given_rows, how, Fraction(0))[0].values())
        nearest = min(voting, key=lambda row: (-row[1], row[0]))
        assert proposal.solution == (nearest[2] if speaks else None)


@given(TEXTS, st.sampled_from(HOW), st.sampled_from([0.0, 0.5, 1.0]))
def test_probabilities_add_up_to_one(given_rows: list[Row], how: str, prior: float) -> None:
    proposal = asked(given_rows, Vote(weights=how, prior=prior))  # type: ignore[arg-type]
    total = math.fsum([*proposal.probabilities.values(), proposal.unseen])
    assert total == pytest.approx(1.0, abs=1e-12) or (proposal.abstains and total == 0.0)
    if not proposal.abstains:
        assert math.fsum(source.weight for source in proposal.sources) == pytest.approx(1.0, abs=1e-12)
        assert proposal.confidence == max(proposal.probabilities.values())


@given(TEXTS, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_changes_nothing(given_rows: list[Row], chance: Any) -> None:
    mixed = list(given_rows)
    chance.shuffle(mixed)
    for method in ("copy", "vote"):
        assert asked(given_rows, method) == asked(mixed, method)
    numbers = [(id, s, len(text), Fraction(1)) for id, s, text, _ in mixed]
    assert asked(numbers, "mean", weights="uniform") == asked(sorted(numbers), "mean", weights="uniform")


@given(TEXTS, st.sampled_from([0.5, 0.25]))
def test_the_scale_of_similarities_changes_no_vote_without_a_prior(given_rows: list[Row], scale: float) -> None:
    smaller = [(id, s * Fraction(scale), solution, u) for id, s, solution, u in given_rows]
    assert asked(given_rows, "vote").probabilities == asked(smaller, "vote").probabilities


@given(TEXTS, st.sampled_from(["similarity", "uniform"]))
def test_a_vote_of_one_case_is_a_copy(given_rows: list[Row], how: str) -> None:
    case = [(1, Fraction(3, 4), *given_rows[0][2:])]
    assert asked(case, "vote", weights=how).solution == asked(case, "copy").solution


@given(NUMBERS, st.sampled_from(HOW))
def test_mean_equals_the_formula(given_rows: list[Row], how: str) -> None:
    weight = weights([row[1] for row in given_rows], how)
    if not any(row[1] for row in given_rows):
        assert asked(given_rows, "mean", weights=how).abstains
        return
    if not any(w * row[3] for w, row in zip(weight, given_rows, strict=True)):
        with pytest.raises(CaseBaseError, match="weight 0, since the similarity is 0 or the solution failed"):
            asked(given_rows, "mean", weights=how)
        return
    proposal = asked(given_rows, "mean", weights=how)
    mean, variance, n = averaged(given_rows, how)
    assert proposal.solution == pytest.approx(float(mean), rel=1e-12, abs=1e-12)
    if variance is None:
        assert proposal.spread is None
        assert proposal.interval is None
        return
    spread = proposal.spread
    assert spread is not None
    assert spread.effective == pytest.approx(float(n), rel=1e-12)
    assert spread.deviation == pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-9)
    assert spread.standard_error == pytest.approx(math.sqrt(variance / n), rel=1e-9, abs=1e-9)
    half = stats.t.ppf(0.975, float(n) - 1) * math.sqrt(variance * (1 + 1 / n)) if variance else 0.0
    assert spread.interval == pytest.approx((float(mean) - half, float(mean) + half), rel=1e-8, abs=1e-8)


@given(NUMBERS, st.sampled_from([1, 2, 4]))
def test_means_move_and_stretch_with_their_numbers(given_rows: list[Row], factor: int) -> None:
    before = [(id, s + Fraction(1, 8), y, Fraction(1)) for id, s, y, _ in given_rows]
    after = [(id, s, factor * y + 3, u) for id, s, y, u in before]
    one, other = asked(before, "mean"), asked(after, "mean")
    assert other.solution == pytest.approx(factor * one.solution + 3, rel=1e-12, abs=1e-9)
    if one.spread is not None and other.spread is not None:
        assert other.spread.deviation == pytest.approx(factor * one.spread.deviation, rel=1e-9, abs=1e-9)


def test_effective_numbers_do_not_overflow() -> None:
    assert effective([1e200, 1e200, 1e200]) == pytest.approx(3.0)
    assert effective([1e-200, 1e-200]) == pytest.approx(2.0)


# -- worked by hand


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("method", ["auto", "copy", "null", "vote", "mean", "local"])
def test_nothing_is_proposed_where_no_case_has_anything_in_common_with_the_query(method: Any, how: str) -> None:
    cases = found((1, 0.0, 3, None, {"a": 1}), (2, 0.0, 3, True, {"a": 2}), (3, 0.0, 4, None, {"a": 3}))
    options = {"weights": how} if method in ("vote", "mean", "local") else {}
    proposal = reuse(cases, {"a": 9}, method, **options)
    assert proposal.abstains
    assert proposal.confidence is None
    assert proposal.notes[-1] == "no retrieved case has anything in common with the query"
    assert proposal.how == "No retrieved case has anything in common with the query"
    assert str(proposal).splitlines()[0].endswith(": nothing is proposed")
    assert "no retrieved case has anything in common with the query" in str(proposal)


def test_no_case_without_similarity_is_copied_where_the_others_failed() -> None:
    proposal = reuse(found((1, 0.9, "a", False), (2, 0.0, "b", True)), {}, "copy")
    assert proposal.abstains
    assert proposal.how == "All cases with anything in common with the query failed"
    assert proposal.notes == ("1 case that failed was ignored",)


def test_three_of_three_is_not_certain_with_a_prior() -> None:
    cases = found((1, 1.0, "reboot"), (2, 1.0, "reboot"), (3, 1.0, "reboot"))
    assert reuse(cases, {}, "vote").probabilities == {"reboot": 1.0}
    proposal = reuse(cases, {}, "vote", prior=1)
    assert proposal.probabilities == {"reboot": 4 / 5}
    assert proposal.unseen == 1 / 5


def test_failures_speak_against_their_solution() -> None:
    # reboot: 0.75 + 0.5 for it, 1 against it; swap: 0.5 for it.
    cases = found((1, 1.0, "reboot", False), (2, 0.75, "reboot", True), (3, 0.5, "reboot"), (4, 0.5, "swap", True))
    proposal = reuse(cases, {}, "vote")
    assert proposal.solution == "swap"
    assert proposal.probabilities == {"swap": 2 / 3, "reboot": 1 / 3}
    reboot = next(c for c in proposal.candidates if c.solution == "reboot")
    assert (reboot.support, reboot.against, reboot.cases) == (1.25, 1.0, (1, 2, 3))
    assert reuse(cases, {}, "vote", success=None).solution == "reboot"
    assert reuse(cases, {}, "copy").sources[0].id == 2
    assert reuse(cases, {}, "copy", success=None).sources[0].id == 1


def test_nothing_is_proposed_where_all_failed() -> None:
    cases = found((1, 0.9, "reboot", False), (2, 0.8, "swap", 0.25))
    for method in ("copy", "null", "vote"):
        proposal = reuse(cases, {}, method)  # type: ignore[arg-type]
        assert proposal.abstains
        assert proposal.confidence is None
        assert proposal.sources == ()
    assert reuse(cases, {}, "vote", prior=1).abstains


def test_outcomes_of_other_kinds_are_read_by_a_function() -> None:
    cases = found((1, 0.9, "reboot", "came back the next day"), (2, 0.8, "swap", "solved"))
    proposal = reuse(cases, {}, "vote", success=lambda outcome: outcome == "solved")
    assert proposal.probabilities == {"swap": 1.0, "reboot": 0.0}


def test_equal_solutions_are_one_however_they_are_written() -> None:
    mappings = found((1, 0.5, {"a": 1, "b": 2}), (2, 0.25, {"b": 2.0, "a": 1}), (3, 0.25, {"a": 1, "b": 3}))
    assert reuse(mappings, {}, "vote").probabilities == {'{"a":1,"b":2}': 0.75, '{"a":1,"b":3}': 0.25}
    assert reuse(found((1, 0.5, 1), (2, 0.5, 1.0)), {}, "vote").probabilities == {1: 1.0}


def test_auto_says_what_it_took() -> None:
    texts = found((1, 0.9, "a"), (2, 0.8, "b"), (3, 0.7, "b"))
    assert reuse(texts, {}).method == "vote"
    assert reuse(texts, {}).notes == ("3 similar cases have 2 distinct solutions, so they vote",)
    assert reuse(texts[:2], {}).method == "copy"
    assert reuse(texts[:2], {}).notes == (
        "No solution occurs twice among the similar cases, so the solution of the most similar case is copied",
    )
    assert reuse(texts[:1], {}).notes == ("The solution of the only similar case is copied",)
    assert reuse(found((1, 0.9, True), (2, 0.8, True)), {}).probabilities == {True: 1.0}
    assert reuse(found((1, 0.9, 10), (2, 0.3, 20)), {}).solution == pytest.approx(12.5)
    assert reuse(found((1, 0.9, 10), (2, 0.3, 20)), {}).notes == ("Solutions are numbers, so their mean is used",)
    assert reuse(found((1, 0.9, {"a": 1}), (2, 0.3, {"a": 1})), {}).notes == (
        "Solutions are mappings, so the solution of the most similar case is copied",
    )


def test_cases_without_a_solution_are_skipped_and_counted() -> None:
    proposal = reuse(found((1, 0.9, None), (2, 0.8, "swap"), (3, 0.1, None)), {}, "copy")
    assert proposal.solution == "swap"
    assert proposal.notes == ("2 retrieved cases have no solution",)


def test_methods_may_be_given_as_objects() -> None:
    cases = found((1, 0.9, 10), (2, 0.3, 20))
    assert reuse(cases, {}, Mean(weights="uniform")).solution == 15
    assert reuse(cases, {}, Vote()) == reuse(cases, {}, "vote")
    assert reuse(cases, {}, Copy()) == reuse(cases, {}, "copy")
    assert reuse(cases, {}, Null()) == reuse(cases, {}, "null")


# -- where rounding could decide


@pytest.mark.parametrize(("similarity", "degree"), [(0.7, 0.3), (0.6, 0.1), (0.8, 0.2)])
def test_what_cancels_out_is_no_vote(similarity: float, degree: float) -> None:
    cases = found((1, similarity, "a", degree), (2, similarity, "a", round(1 - degree, 1)))
    assert reuse(cases, {}, "vote").abstains


def test_equal_votes_are_decided_by_similarity_and_not_by_rounding() -> None:
    # 0.1 + 0.2 is a little more than 0.3, as floats.
    cases = found((1, 0.3, "near"), (2, 0.2, "far"), (3, 0.1, "far"))
    assert reuse(cases, {}, "vote").solution == "near"


def test_cases_that_weigh_next_to_nothing_make_no_spread() -> None:
    proposal = reuse(found((1, 1.0, 10), (2, 1e-20, 90)), {}, "mean")
    assert proposal.solution == 10
    assert proposal.spread is None
    assert reuse(found((1, 1.0, 10), (2, 1e-7, 90)), {}, "mean").spread is None
    nearly = reuse(found((1, 1.0, 10), (2, 1e-3, 90)), {}, "mean")
    assert nearly.spread is not None
    assert not any(math.isnan(end) for end in nearly.spread.interval)


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_numbers_of_any_size_have_a_mean(scale: float) -> None:
    proposal = reuse(found((1, 0.5, 2 * scale), (2, 0.5, 4 * scale)), {}, "mean")
    assert proposal.solution == pytest.approx(3 * scale)
    assert proposal.spread is not None
    assert proposal.spread.deviation == pytest.approx(math.sqrt(2) * scale)


def test_methods_of_ones_own() -> None:
    class Longest:
        name, adapts = "longest", True

        def check(self) -> None:
            pass

        def propose(self, sources: Any, query: Any) -> Proposal:
            return Proposal(max((case.solution for case in sources.cases), key=len), self.name, "The longest text")

    proposal = reuse(found((1, 0.5, "ab"), (2, 0.4, "abc")), {}, Longest(), rules=Rule({}, ("c", "d")))
    assert (proposal.solution, proposal.method, proposal.steps[0].before) == ("abd", "longest", "abc")


def test_whole_numbers_vote_together_however_they_are_written() -> None:
    proposal = reuse(found((1, 0.5, 5, None), (2, 0.75, 7, None), (3, 0.5, 5.0, None)), {}, "vote")
    assert proposal.solution == 5
    assert proposal.probabilities == {5: 4 / 7, 7: 3 / 7}
    assert [source.id for source in proposal.sources] == [1, 3]


@pytest.mark.parametrize("prior", [1e200, 1e308])
def test_a_prior_outweighs_all_cases(prior: float) -> None:
    proposal = reuse(found((1, 1.0, "a", None), (2, 1.0, "b", None)), {}, "vote", prior=prior)
    assert [*proposal.probabilities.values(), proposal.unseen] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
