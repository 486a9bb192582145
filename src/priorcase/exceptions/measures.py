"""Local similarities that are none, or not for these attributes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from priorcase.exceptions.base import PriorcaseError, advice, compose, failure, listed, quoted


class MeasureError(PriorcaseError, ValueError):
    """A local similarity that is not defined, or not for this attribute."""

    @classmethod
    def wrong_kind(
        cls, measure: object, attribute: str, kind: str, accepts: Iterable[str], names: Iterable[str]
    ) -> Self:
        """A measure for an attribute of a kind that it cannot compare."""
        able = " and ".join(accepts) or "no"
        problem = (
            f"{quoted(measure)} was asked to compare attribute {attribute!r}, which is {kind}; "
            f"it compares {able} attributes."
        )
        return cls(
            compose(problem, hint=f"for {kind} attributes take {listed(names, limit=99)} or a function of two values.")
        )

    @classmethod
    def unknown_name(cls, name: object, attribute: str, kind: str, names: Iterable[str]) -> Self:
        """A name that stands for no measure of this kind."""
        names = list(names)
        problem = (
            f"measure {quoted(name)} of attribute {attribute!r} is not known; "
            f"expected one for {kind} attributes: {listed(names, limit=99)}."
        )
        hint = "a measure with options is written out, such as Linear(range=10)."
        return cls(compose(problem, hint=advice(name, names, otherwise=hint)))

    @classmethod
    def not_a_measure(cls, given: object, attribute: str) -> Self:
        """Something that measures nothing."""
        problem = (
            f"{quoted(given)} was given as the measure of attribute {attribute!r}; "
            "expected a measure, the name of one, or a function of two values."
        )
        hint = "for example 'tfidf', TfIdf(), or lambda asked, stored: 1.0 if asked == stored else 0.0."
        if isinstance(given, type):
            hint = f"write {given.__name__}() with its parentheses."
        return cls(compose(problem, hint=hint))

    @classmethod
    def no_solutions(cls, measure: object, attribute: str) -> Self:
        """A measure that counts solutions where there are none to count."""
        problem = f"{quoted(measure)} compares the values of {attribute!r} by their solutions, and was given none."
        return cls(compose(problem, hint="take a measure that needs no solutions, such as Equality()."))

    @classmethod
    def log_of(cls, measure: object, attribute: str, kind: str) -> Self:
        """A logarithm of something that has none."""
        problem = (
            f"{quoted(measure)} has log=True, and attribute {attribute!r} is {kind}; only numbers have a logarithm."
        )
        return cls(compose(problem, hint="leave log out."))

    @classmethod
    def pair(cls, owner: str, problem: str) -> Self:
        """A table of similarities that is none."""
        hint = "for example Table({('red', 'orange'): 0.8}): two different values, and their similarity from 0 to 1."
        return cls(compose(f"{owner} got {problem}.", hint=hint))

    @classmethod
    def unknown_nodes(cls, owner: str, attribute: str, nodes: Iterable[str], known: Iterable[str]) -> Self:
        """Weights for nodes that a taxonomy has not."""
        nodes, known = list(nodes), list(known)
        problem = f"{owner} has weights for {listed(nodes)}, which the taxonomy of {attribute!r} has not."
        return cls(compose(problem, hint=advice(nodes[0], known, otherwise=f"its nodes are {listed(known)}.")))

    @classmethod
    def not_a_similarity(cls, function: object, attribute: str, asked: object, stored: object, found: object) -> Self:
        """A user's function that returned no similarity."""
        problem = (
            f"{quoted(function)} returned {quoted(found)} for {quoted(asked)} and {quoted(stored)} "
            f"of attribute {attribute!r}; expected a number from 0 to 1."
        )
        return cls(compose(problem, hint="1 is as alike as can be, 0 not at all; for example 1 / (1 + difference)."))

    @classmethod
    def raised(cls, measure: object, attribute: str, values: str, error: Exception) -> Self:
        """A user's function or model that failed."""
        problem = f"{quoted(measure)} raised {failure(error)} for {values} of attribute {attribute!r}."
        return cls(compose(problem, hint="the traceback above this one shows where."))

    @classmethod
    def embedding(cls, model: object, attribute: str, n_texts: int, problem: str) -> Self:
        """A model whose answer is no table of vectors."""
        texts = f"{n_texts} text{'s' * (n_texts != 1)}"
        problem = f"the model of {quoted(model)} returned {problem} for {texts} of attribute {attribute!r}"
        expected = "expected a table of finite numbers: one row for each text, always as many columns"
        hint = "a model is a function from a list of texts to a 2-d array, or has .encode that is one."
        return cls(compose(f"{problem}; {expected}.", hint=hint))

    @classmethod
    def not_written(cls, measure: object) -> Self:
        """A measure made of code, which cannot be written down."""
        problem = f"{quoted(measure)} holds a function or a model, which cannot be written down."
        return cls(compose(problem, hint="give it again as measures={attribute: ...} wherever it is used."))

    @classmethod
    def not_described(cls, found: object, problem: str) -> Self:
        """A description that describes no measure."""
        hint = "descriptions are what describe(measure) returns, such as {'measure': 'Linear', 'range': 10}."
        return cls(compose(f"from_description got {quoted(found)}: {problem}.", hint=hint))
