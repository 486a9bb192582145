"""Retrieved cases that no solution can be made from, and functions that say nothing of use about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from priorcase.exceptions.base import compose, failure, listed, misspelt, named, quoted
from priorcase.exceptions.cases import CaseBaseError


class ReuseError(CaseBaseError):
    """No solution can be made of the retrieved cases in the way that was asked for."""

    @classmethod
    def empty(cls) -> Self:
        """Nothing was retrieved."""
        problem = "got no retrieved cases; expected at least one."
        return cls(compose(problem, hint="ask with fewer conditions (where=), or add cases first."))

    @classmethod
    def not_a_retrieval(cls, found: object) -> Self:
        """Something that retrieve did not return."""
        problem = f"got {quoted(found)}; expected retrieved cases."
        return cls(compose(problem, hint="pass what retrieve(query) returned."))

    @classmethod
    def no_solutions(cls, cases: int) -> Self:
        """Nothing that was retrieved has a solution."""
        which = "the only retrieved case has no" if cases == 1 else f"none of {cases} retrieved cases has a"
        problem = f"{which} solution."
        return cls(compose(problem, hint="retrieve more cases (k=), or add solutions with revise(id, solution=...)."))

    @classmethod
    def mixed(cls, first: Mapping[str, int]) -> Self:
        """Solutions of several kinds."""
        told = ", ".join(f"{kind} (case {id})" for kind, id in first.items())
        problem = f"got solutions of several kinds: {told}; expected one kind."
        return cls(compose(problem, hint="method='copy' takes the most similar case alone."))

    @classmethod
    def not_numbers(cls, method: str, kind: str, solution: object) -> Self:
        """A mean of what is no number."""
        problem = f"got method={method!r} and {kind} solutions such as {quoted(solution)}; expected numbers."
        return cls(compose(problem, hint="method='vote' goes with any solution, method='compose' with mappings."))

    @classmethod
    def no_parts(cls, kind: str, solution: object) -> Self:
        """A composition of what has no parts."""
        problem = f"got method='compose' and {kind} solutions such as {quoted(solution)}; expected mappings."
        return cls(compose(problem, hint="store solutions as mappings from parts to values, or take method='copy'."))

    @classmethod
    def unknown_part(cls, part: str, parts: Sequence[str]) -> Self:
        """A part that no case has."""
        problem = f"got parts with {part!r}, which no retrieved case that worked has; there are {listed(parts)}."
        return cls(compose(problem, hint=misspelt([part], parts) or "retrieve more cases (k=), or leave the part out."))

    @classmethod
    def no_weight(cls, method: str, cases: int) -> Self:
        """Cases that all count nothing."""
        which = "the retrieved case weighs" if cases == 1 else f"all {cases} retrieved cases weigh"
        problem = f"got method={method!r}, and {which} nothing: no similarity, or all failed."
        return cls(compose(problem, hint="weights='uniform' and success=None let every case count."))

    @classmethod
    def nothing_to_fit(cls, cases: int) -> Self:
        """No attribute that a local fit could use."""
        problem = f"got method='local', and no attribute of the query differs between the {cases} cases."
        if cases == 1:
            problem = "got method='local' and one case, which no line can be laid through."
        hint = "take method='mean'; a fit needs numeric, ordinal, nominal or date attributes that the query knows."
        return cls(compose(problem, hint=hint))

    @classmethod
    def too_few_cases(cls, cases: int, effective: float, names: Sequence[str]) -> Self:
        """A local fit that leaves no degree of freedom."""
        by = f"fit {named('attribute', names)}" if names else "estimate a spread"
        several = f"{cases} case{'s' * (cases != 1)} (worth {effective:.3g})"
        problem = f"got method='local' with {several}, too few to {by}."
        hint = "retrieve more cases (k=), name fewer attributes (using=), or take method='mean'."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_fitted(cls, name: str, kind: str) -> Self:
        """An attribute that a local fit cannot use."""
        expected = "numeric, ordinal, nominal or date ones"
        problem = f"got using with {name!r}, which is of kind {kind}; expected {expected}."
        return cls(compose(problem, hint="leave it out: it counts in the similarity, which weighs the cases."))

    @classmethod
    def unread_outcome(cls, outcome: object, id: int) -> Self:
        """An outcome that does not say whether the solution worked."""
        problem = (
            f"got outcome {quoted(outcome)} of case {id}; "
            "expected True, False, a number from 0 to 1 or None to tell whether its solution worked."
        )
        hint = "pass success=, a function from an outcome to one of these; success=None lets every case count."
        return cls(compose(problem, hint=hint))

    @classmethod
    def not_a_degree(cls, found: object, id: int) -> Self:
        """A success function that returned no degree of success."""
        problem = f"success returned {quoted(found)} for case {id}; expected True, False or a number from 0 to 1."
        return cls(compose(problem, hint="for example success=lambda outcome: outcome == 'solved'."))

    @classmethod
    def raised(cls, owner: str, error: Exception) -> Self:
        """A user's function that failed."""
        problem = f"the function of {owner} raised {failure(error)}"
        return cls(compose(problem, hint="the traceback above this one shows where."))

    @classmethod
    def not_a_verdict(cls, owner: str, found: object, *, expected: str) -> Self:
        """A user's function that returned something else than what it was asked."""
        problem = f"the function of {owner} returned {quoted(found)}; expected {expected}."
        return cls(compose(problem, hint="every way through the function must end in a return."))

    @classmethod
    def not_a_solution(cls, owner: str, found: object) -> Self:
        """A change that leaves no solution."""
        problem = f"{owner} made {quoted(found)} of the solution; expected a solution that JSON can write down."
        return cls(
            compose(problem, hint="return texts, numbers, booleans, or lists and mappings of them, and not None.")
        )

    @classmethod
    def cannot_change(cls, owner: str, wanted: str, kind: str) -> Self:
        """A rule that changes another kind of solution."""
        problem = f"{owner} changes {wanted}, and the solution is a {kind}."
        return cls(compose(problem, hint="let its then be a function of the solution, the query and the case."))

    @classmethod
    def adapted(cls, method: str, rules: int) -> Self:
        """Rules for a method that changes nothing."""
        problem = f"got method={method!r}, which changes nothing, and {rules} rule{'s' * (rules != 1)}."
        return cls(compose(problem, hint="method='copy' starts from the same case and lets rules change its solution."))

    @classmethod
    def options(cls, names: Sequence[str], method: str, known: Sequence[str]) -> Self:
        """Options that the method does not have."""
        problem = f"got {named('option', names)} with method={method}, which has no such option."
        otherwise = f"it has {listed(known, limit=12)}." if known else "give options to the object itself."
        return cls(compose(problem, hint=misspelt(names, known) or otherwise))

    @classmethod
    def not_a_query(cls, query: object) -> Self:
        """A query that is no mapping."""
        problem = f"got {quoted(query)} as the query; expected a mapping from attributes to values."
        return cls(compose(problem, hint="for example {'device': 'printer', 'age': 3}."))

    @classmethod
    def nothing_to_draw(cls, method: str) -> Self:
        """A proposal without probabilities or numbers."""
        problem = f"has nothing to draw: a proposal by {method!r} has neither probabilities nor a spread."
        return cls(compose(problem, hint="print it, or draw the retrieval that it comes from."))
