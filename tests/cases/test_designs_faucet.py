"""The water faucet (Mitchell 1997, section 8.5 and figure 8.3, after Sycara et al. 1992).

The text says: the output flow of a T-junction pipe increases with its input flows, and so for temperatures; a faucet
has flows Qc (cold), Qh (hot) and Qm (mixed), temperatures Tc, Th and Tm, and two controls, Ct for temperature and Cf
for flow, which influence Qc and Qh and thereby indirectly Qm and Tm. The signs of the controls are not in the text;
those here are the ones that a faucet must have: more flow opens both, more warmth opens the hot one and closes the
cold one. How the flows act on Tm is only implied; both readings are tested. No valve is described in the text; ours is
a control that raises a flow.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from priorcase.cases import Designs, Fragment, FunctionGraph, design, plumbing
from priorcase.cases.designs import matches

FAUCET = FunctionGraph.parse(
    """
    Cf +> Qc; Cf +> Qh; Ct -> Qc; Ct +> Qh
    Qc +> Qm; Qh +> Qm
    Tc +> Tm; Th +> Tm
    flow: Qc, Qh, Qm
    temperature: Tc, Th, Tm
    control: Cf, Ct
    """
)
MIXING = FunctionGraph.of(f"{FAUCET}\nQh +> Tm; Qc -> Tm")


@cache
def designed(query: FunctionGraph) -> Designs:
    return design(query, plumbing())


def test_the_t_junction_is_found_in_the_faucet() -> None:
    junction = next(fragment for fragment in plumbing() if fragment.name == "T-junction pipe")
    assert junction.function.variables == ("Q1", "Q2", "Q3", "T1", "T2", "T3")
    found = matches(junction.function, FAUCET)
    assert [str(match) for match in found] == ["Q1 = Qc, Q2 = Qh, Q3 = Qm, T1 = Tc, T2 = Th, T3 = Tm"]


def test_without_elaboration_one_arc_is_left() -> None:
    found = design(FAUCET, plumbing(), elaborate=0)
    assert not found
    assert found.partial is not None
    assert [str(arc) for arc in found.partial.missing] == ["Ct -> Qc"]


def test_the_t_junction_and_regulated_valves_are_combined() -> None:
    found = designed(FAUCET)
    assert str(found[0]).splitlines() == [
        "design: 6 pieces, 1 rewriting",
        "  arc       realized by        as",
        "  Qc +> Qm  1 T-junction pipe  Q1 +> Q3",
        "  Qh +> Qm  1 T-junction pipe  Q2 +> Q3",
        "  Tc +> Tm  1 T-junction pipe  T1 +> T3",
        "  Th +> Tm  1 T-junction pipe  T2 +> T3",
        "  Cf +> Qc  2 regulated valve  C +> Q",
        "  Cf +> Qh  3 regulated valve  C +> Q",
        "  Ct +> Qh  4 regulated valve  C +> Q",
        "  x1 +> Qc  5 regulated valve  C +> Q",
        "  Ct -> x1  6 reversing lever  C1 -> C2",
        "  Ct -> Qc becomes Ct -> x1 +> Qc",
        "  x1 is a control",
    ]
    assert found[0].connections["Qc"] == ("Q1 of 1 T-junction pipe", "Q of 2 regulated valve", "Q of 5 regulated valve")
    assert not found.cut


def test_wrong_fragments_are_backed_out_of_on_the_way() -> None:
    found = designed(FAUCET)
    assert found.backtracks > 0
    # A straight pipe matches a part of the junction; a pressure or a flow cannot stand where the lever moves something.
    assert "T-junction pipe and straight pipe: both would realize Qc +> Qm" in found.conflicts
    assert "straight pipe and reversing lever: x1 would be both flow and control" in found.conflicts


def test_the_influences_of_the_design_are_those_of_the_faucet() -> None:
    best = designed(FAUCET)[0]
    between = {pair: signs for pair, signs in best.graph.influences().items() if "x1" not in pair}
    assert between == FAUCET.influences()
    assert best.graph.influences()["Ct", "Qm"] == {
        "+",
        "-",
    }  # one valve opens, the other closes


def test_flows_that_act_on_the_temperature_take_a_mixing_chamber_too() -> None:
    found = design(MIXING, plumbing(), elaborate=1)
    names = [piece.fragment.name for piece in found[0].pieces]
    assert names == ["T-junction pipe", "mixing chamber", *["regulated valve"] * 4, "reversing lever"]
    assert MIXING.influences()["Ct", "Tm"] == {"+"}
    # The heat exchanger would realize the same two arcs and one of the junction's: it is backed out of.
    assert any(text.startswith("T-junction pipe and heat exchanger: both would realize") for text in found.conflicts)


def test_a_tap_that_does_both_spares_the_rewriting() -> None:
    tap = Fragment("dividing tap", FunctionGraph.parse("C +> Q1; C -> Q2; control: C; flow: Q1, Q2"))
    found = design(FAUCET, [*plumbing(), tap])
    assert [piece.fragment.name for piece in found[0].pieces] == [
        "T-junction pipe",
        "dividing tap",
        *["regulated valve"] * 2,
    ]
    assert found[0].steps == ()


def test_two_straight_pipes_are_no_junction_where_the_user_says_so() -> None:
    found = design(FAUCET, plumbing(), limit=3, elaborate=1)
    assert any(piece.fragment.name == "straight pipe" for one in found for piece in one.pieces)

    def one_pipe_to_a_place(piece: object, other: object) -> bool:
        pipes = [each for each in (piece, other) if each.fragment.name == "straight pipe"]  # type: ignore[attr-defined]
        return len(pipes) < 2

    found = design(FAUCET, plumbing(), limit=3, elaborate=1, compatible=one_pipe_to_a_place)
    assert found[0].pieces[0].fragment.name == "T-junction pipe"
    assert not any(piece.fragment.name == "straight pipe" for one in found for piece in one.pieces)


@pytest.mark.parametrize("turned", [True, False])
def test_the_order_of_fragments_and_arcs_does_not_change_the_best_design(turned: bool) -> None:
    library = plumbing()[::-1] if turned else plumbing()
    found = design(FunctionGraph(FAUCET.arcs[::-1], FAUCET.labels), library, limit=1)
    assert {(piece.fragment.name, piece.arcs) for piece in found[0].pieces} == {
        (piece.fragment.name, piece.arcs) for piece in design(FAUCET, plumbing(), limit=1)[0].pieces
    }


def test_the_seed_of_hashes_changes_nothing() -> None:
    code = "from priorcase.cases.designs import *; import sys; "
    code += "found = design(sys.argv[1], plumbing(), elaborate=1); "
    code += "print(found, found.frame('polars').rows(), found.conflicts)"
    other = {**os.environ, "PYTHONHASHSEED": "1"}
    command = [sys.executable, "-c", code, str(MIXING)]
    printed = subprocess.run(command, env=other, capture_output=True, text=True, check=True).stdout
    found = design(MIXING, plumbing(), elaborate=1)
    assert printed == f"{found} {found.frame('polars').rows()} {found.conflicts}\n"
