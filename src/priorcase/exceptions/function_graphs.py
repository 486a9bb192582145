"""Qualitative function graphs that are none, and searches in them that were asked for wrongly."""

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import PriorcaseError, compose, quoted

_EXAMPLE = "for example FunctionGraph.parse('Q1 +> Q3; Q2 +> Q3; flow: Q1, Q2, Q3')."


class FunctionGraphError(PriorcaseError, ValueError):
    """Something was given as a qualitative function graph that is none."""

    @classmethod
    def empty(cls) -> Self:
        """No arc at all."""
        return cls(compose("got no arcs; expected at least one.", hint=_EXAMPLE))

    @classmethod
    def not_a_graph(cls, value: object) -> Self:
        """Neither a graph nor anything that one can be made of."""
        problem = f"got {quoted(value)}; expected a FunctionGraph, its text, or a list of arcs."
        return cls(compose(problem, hint=_EXAMPLE))

    @classmethod
    def not_an_arc(cls, value: object) -> Self:
        """Something among the arcs that is no arc."""
        problem = f"got {quoted(value)} as an arc; expected three texts: source, sign, target."
        return cls(compose(problem, hint="for example ('Q1', '+', 'Q3')."))

    @classmethod
    def unknown_sign(cls, sign: object, source: str, target: str) -> Self:
        """A sign that is neither plus nor minus."""
        problem = f"got the sign {quoted(sign)} from {quoted(source)} to {quoted(target)}; expected '+' or '-'."
        return cls(compose(problem, hint="'+': the target increases with the source; '-': it decreases."))

    @classmethod
    def bad_name(cls, what: str, name: object) -> Self:
        """A variable or a label that cannot be written down."""
        problem = f"got {quoted(name)} as {what}; expected a printable text of 1 to 200 characters"
        problem += " without any of ; : , > and without spaces, + or - at its ends."
        return cls(compose(problem, hint="short names as 'Q1' or 'T hot' read best."))

    @classmethod
    def loop(cls, name: str) -> Self:
        """An arc from a variable to itself."""
        problem = f"got an arc from {quoted(name)} to itself; expected two different variables."
        return cls(compose(problem, hint="feedback goes through another variable: 'T -> heat; heat +> T'."))

    @classmethod
    def both_signs(cls, source: str, target: str) -> Self:
        """Two arcs between the same variables with different signs."""
        problem = f"got both '+' and '-' from {quoted(source)} to {quoted(target)}; expected one sign."
        return cls(compose(problem, hint="where both hold, put a variable between them: 'A +> x; x -> B'."))

    @classmethod
    def not_labels(cls, value: object) -> Self:
        """Labels that are no mapping."""
        problem = f"got labels={quoted(value)}; expected a mapping of variables to quantities."
        return cls(compose(problem, hint="for example {'Q1': 'flow'}."))

    @classmethod
    def dangling_label(cls, name: str) -> Self:
        """A label of a variable that no arc mentions."""
        problem = f"got a label for {quoted(name)}, which is on no arc; expected the graph's variables."
        return cls(compose(problem, hint="correct the name, or leave the label out."))

    @classmethod
    def two_labels(cls, name: str, first: str, second: str) -> Self:
        """Two labels for one variable."""
        problem = f"got the labels {quoted(first)} and {quoted(second)} for {quoted(name)}; expected one."
        return cls(compose(problem, hint="a variable is one quantity; use two variables."))

    @classmethod
    def unreadable(cls, part: str) -> Self:
        """A part of a graph's text that is neither an arc nor a label."""
        problem = f"cannot read {quoted(part)}; expected arcs 'A +> B' and 'A -> B' or labels 'flow: A, B'."
        return cls(compose(problem, hint="separate them by ';' or by new lines."))

    @classmethod
    def not_text(cls, value: object) -> Self:
        """Something else where a text was due."""
        problem = f"got {quoted(value)}; expected a text."
        return cls(compose(problem, hint="FunctionGraph(arcs) takes a list of arcs."))

    @classmethod
    def not_json(cls, reason: str) -> Self:
        """A text that is no JSON of a graph."""
        problem = f"got a text that is no function graph: {reason}."
        return cls(compose(problem, hint="""to_json() writes {"arcs":[["Q1","+","Q3"]],"labels":{"Q1":"flow"}}."""))

    @classmethod
    def no_variable(cls, name: object, variables: Iterable[str]) -> Self:
        """A variable that the graph does not have."""
        problem = f"got {quoted(name)}, which is no variable of the graph; it has {', '.join(variables)}."
        return cls(compose(problem, hint="names are case-sensitive."))

    @classmethod
    def no_arc(cls, source: str, target: str) -> Self:
        """A step of a path that is no arc."""
        problem = f"got a path from {quoted(source)} to {quoted(target)}, between which there is no arc."
        return cls(compose(problem, hint="influences() says what influences what, over any number of arcs."))

    @classmethod
    def not_a_fragment(cls, value: object) -> Self:
        """Something among the cases that holds no graph."""
        problem = f"got {quoted(value)} among the cases; expected Fragments, or mappings with a function graph."
        return cls(compose(problem, hint="Fragment('regulated valve', FunctionGraph.parse('C +> Q'))."))

    @classmethod
    def too_many(cls, what: str, number: int, most: int) -> Self:
        """A graph of more variables or arcs than can be searched."""
        problem = f"got a graph of {number:,} {what}; expected at most {most:,}."
        return cls(compose(problem, hint="a function graph says what a device does, in some ten variables."))
