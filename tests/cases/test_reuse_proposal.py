"""Proposals print, explain, tabulate and draw what they were made from."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from reference.case_reuse import found, reuse

from priorcase.cases import Critic, Proposal, Rule
from priorcase.cases.reuse import Difference
from priorcase.exceptions import CaseBaseError, ParameterError
from priorcase.schema import Date, Nominal, Numeric, Set

CASES = found(
    (12, 0.9, "restart the spooler", True, {"os": "windows", "pages": 30}),
    (7, 0.6, "restart the spooler", None, {"os": "linux"}),
    (3, 0.5, "reinstall the driver", 0.75, {"os": "linux", "pages": 80}),
    (4, 0.4, None, None, {"os": "linux"}),
)
QUERY = {"os": "linux", "pages": 120}


def voted(**options: Any) -> Proposal:
    return reuse(CASES, QUERY, "vote", prior=1, **options)


def test_a_vote_prints() -> None:
    rules = [Rule({"os": ("windows", "linux")}, ("the spooler", "cups"), name="linux", why="no spooler there")]
    critics = [Critic(lambda solution, query: "needs a password" if "restart" in solution else None, name="rights")]
    proposal = voted(rules=rules, critics=critics)
    assert str(proposal) == (
        "vote: restart cups, probability 0.526\n"
        "  solution              probability    for  against  cases\n"
        "  restart the spooler         0.526  1.500    0.000  12, 7\n"
        "  reinstall the driver        0.263  0.375    0.125  3\n"
        "  none of these               0.211\n"
        "  1 retrieved case has no solution\n"
        "\n"
        "changes\n"
        "  by          before               after         why\n"
        "  rule linux  restart the spooler  restart cups  no spooler there\n"
        "\n"
        "differences from case 12\n"
        "  attribute  case     query  change\n"
        "  os         windows  linux\n"
        "  pages      30       120    +90\n"
        "\n"
        "problems\n"
        "  problem\n"
        "  needs a password (critic 'rights')"
    )
    assert repr(proposal) == str(proposal)
    assert "<caption>vote: restart cups, probability 0.526</caption>" in proposal._repr_html_()
    assert "| restart the spooler | 0.526 | 1.500 | 0.000 | 12, 7 |" in proposal.markdown()
    assert proposal.explain() == (
        "vote: restart cups, probability 0.526\n"
        "The vote of 3 cases, weights 'similarity', prior 1.\n"
        "  restart the spooler: probability 0.526; 1.5 for it (cases 12, 7).\n"
        "  reinstall the driver: probability 0.263; 0.375 for it, 0.125 against it (case 3).\n"
        "  none of these: probability 0.211.\n"
        "The query differs from case 12 in:\n"
        "  os: windows in the case, linux in the query.\n"
        "  pages: 30 in the case, 120 in the query (+90).\n"
        "Changed by:\n"
        "  rule 'linux': restart the spooler -> restart cups; no spooler there.\n"
        "Problems:\n"
        "  needs a password (critic 'rights').\n"
        "Notes:\n"
        "  1 retrieved case has no solution."
    )


def test_copies_print_with_their_case() -> None:
    assert str(reuse(CASES[1:2], {"os": "linux"}, "copy")) == (
        "copy: restart the spooler, confidence 0.600\n"
        "  case  similarity  weight  solution\n"
        "     7       0.600   1.000  restart the spooler"
    )
    assert reuse(CASES[1:2], {"os": "linux"}, "null").how == "The solution of case 7, the most similar one, unchanged"


def test_numbers_print_with_their_interval() -> None:
    proposal = reuse(found((1, 0.5, 10), (2, 0.5, 14)), {}, "mean")
    assert str(proposal) == (
        "mean: 12 (-32.0156 to 56.0156)\n"
        "  case  similarity  weight  solution\n"
        "     1       0.500   0.500  10\n"
        "     2       0.500   0.500  14"
    )
    assert "95% interval -32.0156 to 56.0156, deviation 2.828, 2 effective cases." in proposal.explain()
    assert str(reuse(found((1, 0.5, 10)), {}, "mean")).startswith("mean: 10\n")


def test_compositions_print_their_parts() -> None:
    cases = found((1, 0.5, {"pump": "P1"}), (2, 0.4, {"pump": "P2", "pipe": 30}))
    proposal = reuse(cases, {}, "compose")
    assert str(proposal) == (
        'compose: {"pipe":30,"pump":"P1"}, confidence 0.400\n'
        "  part  case  similarity  weight  solution\n"
        "  pipe     2       0.400   1.000  30\n"
        "  pump     1       0.500   1.000  P1"
    )
    assert "\n  pump: P1 (case 1, similarity 0.500)." in proposal.explain()


def test_nothing_proposed_prints() -> None:
    cases = found((1, 0.5, "a", False))
    assert str(reuse(cases, {}, "vote")).splitlines()[0] == "vote: nothing is proposed"
    assert "no solution has more votes for it than against it." in reuse(cases, {}, "vote").explain()
    for method in ("copy", "auto"):  # what auto would have done is not said of a solution that is not proposed
        assert str(reuse(cases, {}, method)) == "copy: nothing is proposed\n  1 case that failed was ignored"


def test_votes_are_probabilities_only_with_a_prior() -> None:
    cases = found((1, 0.5, "a"), (2, 0.5, "a"))
    assert str(reuse(cases, {})) == (
        "vote: a, share of the votes 1.000\n"
        "  solution  share of the votes  for  against  cases\n"
        "  a                      1.000    1        0  1, 2\n"
        "  All 2 similar cases have the same solution"
    )
    assert "\n  a: share of the votes 1.000; 1 for it (cases 1, 2)." in reuse(cases, {}).explain()
    assert str(reuse(cases, {}, "vote", prior=1)).startswith("vote: a, probability 0.667\n")


def test_notes_are_joined_without_periods() -> None:
    cases = found((1, 0.9, "a", False), (2, 0.5, "b"))
    assert str(reuse(cases, {})).splitlines()[-1] == (
        "  No solution occurs twice among the similar cases, so the solution of the most similar case is copied; "
        "1 case that failed was ignored"
    )


def test_long_lists_are_cut() -> None:
    many = reuse(found(*[(i, 0.5, f"solution {i}") for i in range(30)]), {}, "vote")
    assert "\n  and 20 more" in str(many)
    assert len(str(many).splitlines()) == 13


def test_differences_say_how() -> None:
    kinds = {"tags": Set(), "day": Date(), "age": Numeric(), "os": Nominal()}
    case = {"tags": frozenset({"a", "b"}), "day": datetime.date(2024, 1, 1), "age": 3, "os": None}
    cases = found(
        (1, 0.5, "x", None, case),
        local={1: {"tags": (0.5, 1.0), "day": (0.2, 2.0), "age": (1.0, 1.0), "os": (None, 1.0)}},
    )
    query = {"age": 3.0, "os": "mac", "tags": {"b", "c"}, "day": "2024-01-11"}
    proposal = reuse(cases, query, kinds=kinds)
    assert [str(difference) for difference in proposal.differences] == [
        "day: 2024-01-01 in the case, 2024-01-11 in the query (+10 days)",
        "os: missing in the case, mac in the query",
        "tags: {a, b} in the case, {b, c} in the query (+c -a)",
    ]
    assert proposal.differences[0] == Difference("day", datetime.date(2024, 1, 1), datetime.date(2024, 1, 11), 0.2)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames(backend: Any) -> None:
    pytest.importorskip(backend)
    proposal = voted(rules=[Rule({}, ("the", "a"))])
    for of, lines in (("sources", 2), ("candidates", 2), ("steps", 1), ("differences", 2)):
        frame = proposal.frame(of, backend)  # type: ignore[arg-type]
        assert frame.shape[0] == lines
    composed = reuse(found((1, 0.5, {"pump": ["P1", 2]})), {}, "compose").frame(backend=backend)
    assert composed.shape == (1, 6)


def test_frames_have_what_was_there() -> None:
    pytest.importorskip("pandas")
    proposal = voted()
    sources = proposal.frame()
    assert sources["id"].tolist() == [12, 7]
    assert sources["weight"].tolist() == pytest.approx([0.6, 0.4])
    candidates = proposal.frame("candidates")
    assert candidates["cases"].tolist() == ["12, 7", "3"]
    assert candidates["probability"].tolist() == list(proposal.probabilities.values())
    with pytest.raises(ParameterError, match="of"):
        proposal.frame("source")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="backend"):
        proposal.frame(backend="panda")  # type: ignore[arg-type]


def test_votes_are_drawn_as_bars() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    proposal = voted()
    ax = proposal.plot()
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([*proposal.probabilities.values(), proposal.unseen])
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "none of these"
    many = reuse(found(*[(i, 0.5, f"solution {i}") for i in range(30)]), {}, "vote").plot()
    assert [label.get_text() for label in many.get_yticklabels()][-1] == "18 others"
    assert sum(bar.get_width() for bar in many.patches) == pytest.approx(1.0)
    pyplot.close("all")


def test_numbers_are_drawn_over_similarity() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    cases = found((1, 0.9, 10), (2, 0.6, 14), (3, 0.6, 12))
    own = pyplot.subplots()[1]
    assert reuse(cases, {}, "mean", rules=[Rule({}, "about a dozen")]).plot(own) is own
    points = own.collections[0].get_offsets().tolist()
    assert sorted(points) == [[0.6, 12.0], [0.6, 14.0], [0.9, 10.0]]
    assert reuse(cases[:1], {}, "mean").plot() is not None
    pyplot.close("all")


def test_what_has_no_picture_says_so() -> None:
    with pytest.raises(CaseBaseError) as raised:
        reuse(CASES, QUERY, "copy").plot()
    assert "Proposal.plot: a proposal by 'copy' has neither probabilities nor a spread to plot" in str(raised.value)


def test_attributes_of_weight_0_are_no_differences() -> None:
    local: Any = {1: {"room": (0.0, 0.0), "age": (0.5, 1.0)}}
    cases = found((1, 0.5, "fix", None, {"room": "A", "age": 3, "floor": 1}), local=local)
    proposal = reuse(cases, {"room": "B", "age": 5, "floor": 2}, "copy")
    # The floor was not compared at all: nothing says that it does not matter.
    assert [difference.attribute for difference in proposal.differences] == ["age", "floor"]


def test_differences_of_large_sets_are_told_in_short() -> None:
    asked, held = frozenset(f"new {i}" for i in range(3000)), frozenset({"old"})
    told = str(Difference("tags", held, asked))
    assert told.endswith("(+new 0 +new 1 +new 10 +new 100 +new 1000 +new 1001 and 2995 more)")
    assert len(told) < 200
