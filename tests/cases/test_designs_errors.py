"""What designs refuse: one clear error each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from priorcase.cases import FunctionGraph, design, graph_similarity, plumbing
from priorcase.cases.designs import matches
from priorcase.exceptions import ParameterError

ARC: Any = FunctionGraph.parse("A +> B")


class Wrong:
    """A rule that gives graphs in place of rewritings."""

    def rewritings(self, graph: FunctionGraph, fresh: str) -> list[FunctionGraph]:
        return [graph]


def designed(query: str = "A +> B", cases: Any = None, **options: Any) -> Callable[[], Any]:
    return lambda: design(query, {"step": FunctionGraph.parse("a +> b")} if cases is None else cases, **options)


def matched(case: Any = ARC, query: Any = ARC, **options: Any) -> Callable[[], Any]:
    return lambda: matches(case, query, **options)


ERRORS: list[tuple[Callable[[], Any], str]] = [
    # graphs
    (lambda: FunctionGraph([]), "got no arcs"),
    (lambda: FunctionGraph.parse(" ; \n"), "got no arcs"),
    (lambda: FunctionGraph("A +> B"), "got 'A +> B'"),
    (lambda: FunctionGraph(3), "got 3"),
    (lambda: FunctionGraph.of(3), "FunctionGraph.of: got 3"),
    (lambda: FunctionGraph.of({"arc": []}), "FunctionGraph.of: got {'arc': []}; expected"),
    (lambda: FunctionGraph(["A+B"]), "got 'A+B' as an arc"),
    (lambda: FunctionGraph([("A", "B")]), "got ('A', 'B') as an arc"),
    (lambda: FunctionGraph([("A", "0", "B")]), "got the sign '0' from 'A' to 'B'"),
    (lambda: FunctionGraph([("A", None, "B")]), "got the sign None from 'A' to 'B'"),
    (lambda: FunctionGraph([("", "+", "B")]), "got '' as a variable"),
    (lambda: FunctionGraph([("A;", "+", "B")]), "none of ; : , > and neither starts nor ends with a space, + or -."),
    (lambda: FunctionGraph.parse("A --> B"), "got 'A -' as a variable"),
    (lambda: FunctionGraph.parse("A ++> B"), "got 'A +' as a variable"),
    (lambda: FunctionGraph.parse("A +> -B"), "got '-B' as a variable"),
    (lambda: FunctionGraph([(1, "+", "B")]), "got 1 as a variable"),
    (lambda: FunctionGraph([("A\ud800", "+", "B")]), "as a variable"),
    (lambda: FunctionGraph([("A" * 201, "+", "B")]), "expected a printable string of 1 to 200 characters"),
    (lambda: FunctionGraph([("A", "+", "A")]), "got an arc from 'A' to itself"),
    (lambda: FunctionGraph.parse("A +> B; A -> B"), "got both '+' and '-' from 'A' to 'B'"),
    (
        lambda: FunctionGraph([("A", "+", "B")], ["A"]),
        "got labels=['A']",
    ),
    (
        lambda: FunctionGraph([("A", "+", "B")], {"C": "flow"}),
        "got a label for 'C', which is not on any arc",
    ),
    (lambda: FunctionGraph([("A", "+", "B")], {"A": None}), "got None as the label of 'A'"),
    (lambda: FunctionGraph([("A", "+", "B")], {1: "flow"}), "got 1 as a variable"),
    (
        lambda: FunctionGraph.parse("flow: A; heat: A; A +> B"),
        "got the labels 'flow' and 'heat' for 'A'",
    ),
    (
        lambda: FunctionGraph.parse("A => B"),
        "FunctionGraph.parse: cannot read 'A => B'",
    ),
    (lambda: FunctionGraph.parse("A +> "), "cannot read 'A +>'"),
    (lambda: FunctionGraph.parse("A"), "cannot read 'A'"),
    (lambda: FunctionGraph.parse("flow: A,; A +> B"), "cannot read 'flow: A,'"),
    (lambda: FunctionGraph.parse("flow: A +> B"), "cannot read 'flow: A +> B'"),
    (lambda: FunctionGraph.parse(None), "FunctionGraph.parse: got None"),
    (lambda: FunctionGraph.from_json(b"{}"), "FunctionGraph.from_json: got b'{}'"),
    (
        lambda: FunctionGraph.from_json("{"),
        "it is not JSON",
    ),
    (lambda: FunctionGraph.from_json("[" * 100_000), "not a function graph: it nests too deeply. Pass the result of"),
    (
        lambda: FunctionGraph.from_json("[]"),
        "not a function graph: it is not an object with a list 'arcs'",
    ),
    (lambda: FunctionGraph.from_json('{"arcs":[]}'), "it is not an object with a list 'arcs' and an entry 'labels'"),
    (lambda: FunctionGraph.from_json('{"arcs":{},"labels":{}}'), "it is not an object with a list 'arcs'"),
    (lambda: FunctionGraph.from_json('{"arcs":[],"arcs":[],"labels":{}}'), "the name 'arcs' occurs more than once"),
    (lambda: FunctionGraph.from_json('{"arcs":[],"labels":{}}'), "got no arcs"),
    (lambda: FunctionGraph.from_json('{"arcs":[["A","+","B"]],"labels":[]}'), "got labels=[]"),
    (lambda: FunctionGraph.parse("A +> B").sign("A", "C"), "got 'C', which is not a variable"),
    (
        lambda: FunctionGraph.parse("A +> B").sign("B", "A"),
        "got a path with no arc from 'B' to 'A'",
    ),
    (
        lambda: FunctionGraph([(f"v{i}", "+", f"v{i + 1}") for i in range(300)]),
        "got a graph of 301 variables",
    ),
    (
        lambda: FunctionGraph([(f"v{i}", "+", f"v{j}") for i in range(60) for j in range(60) if i != j]),
        "got a graph of 3,540 arcs",
    ),
    # matching
    (matched("A +> B"), "case must be"),
    (matched(query=None), "query must be"),
    (matched(free=-1), "free must be"),
    (matched(limit=0), "limit must be"),
    (matched(steps=0), "steps must be"),
    (matched(seconds=0), "seconds must be"),
    (matched(seconds=float("nan")), "seconds must be"),
    (lambda: graph_similarity(1, ARC), "case must be"),  # type: ignore[arg-type]
    (lambda: graph_similarity(ARC, 1), "query must be"),  # type: ignore[arg-type]
    (lambda: graph_similarity(ARC, ARC, steps=0), "steps must be"),
    # designs
    (designed("A"), "cannot read 'A'"),
    (designed(cases=3), "cases must be"),
    (designed(cases="valve"), "cases must be"),
    (designed(cases=[3]), "3 among the cases"),
    (designed(elaborate=-1), "elaborate must be"),
    (designed(free=0.5), "free must be"),
    (designed(share=1), "share"),
    (designed(limit=0), "limit must be"),
    (designed(compatible=1), "compatible must be"),
    (designed("A +> B +> C", compatible=lambda a, b: None), "returned None"),
    (designed("E -> Q", plumbing(), rules=[Wrong()]), "rules must return Rewritings"),
    (designed("E -> Q", plumbing(), rules=[3]), "rules must be"),
]


@pytest.mark.parametrize(("call", "words"), ERRORS)
def test_errors(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ParameterError) as caught:
        call()
    assert words in str(caught.value)
