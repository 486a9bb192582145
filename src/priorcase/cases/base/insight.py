"""What the cases of a base are worth, and how to ask and design with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priorcase.cases.base.cycle import Cycle
from priorcase.cases.conversation import Conversation
from priorcase.cases.designs import Designs, FunctionGraph, design
from priorcase.cases.kinds import Graph
from priorcase.cases.retain import Competence, Duplicates, Likeness, competence, near_duplicates
from priorcase.cases.reuse import Success
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, listed


class Insight(Cycle):
    """Competence, near-duplicates, conversations, designs."""

    def competence(self, *, k: int = 5, tolerance: float | None = None, success: Success = "outcome") -> Competence:
        """What each case solves (its coverage) and who solves it (its reachability).

        Parameters
        ----------
        k
            How many others solve a case at most.
        tolerance
            How far apart the numbers of two cases may lie that solve each other: needed where solutions are numbers.
        success
            How outcomes tell whether a solution worked, as for `retain`.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1}, {"age": 2}, {"age": 9}], solution=["oil it", "oil it", "swap it"])
        ...     base.competence().counts["pivotal"]
        1
        """
        with self._reading() as table:
            likeness = self._likeness(table)
            return competence(table, likeness=likeness, k=k, tolerance=tolerance, success=success)

    def near_duplicates(self, threshold: float = 0.95, *, tolerance: float | None = None) -> Duplicates:
        """All pairs of cases that are at least so similar, and whether their solutions agree.

        Parameters
        ----------
        threshold
            From which similarity on a pair is listed.
        tolerance
            How far apart two numbers may lie that agree; None: solutions agree where they are equal.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1}, {"age": 1}, {"age": 9}])
        ...     base.near_duplicates().groups
        [[1, 2]]
        """
        with self._reading() as table:
            likeness = self._likeness(table)
            return near_duplicates(table, likeness=likeness, threshold=threshold, tolerance=tolerance)

    def converse(
        self,
        query: Mapping[str, Any] | None = None,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, Any] | None = None,
        where: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Conversation:
        """A conversation that asks the most informative question next, until the answer is clear.

        Parameters
        ----------
        query
            What is known already.
        weights, measures, where
            As for `retrieve`.
        **options
            Of `priorcase.cases.Conversation`: ``confidence``, ``floor``, ``least_gain``, ``tolerance`` and
            ``success``.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"light": "on", "fix": "cable"}, {"light": "off", "fix": "power"}], solution="fix")
        ...     talk = base.converse()
        ...     talk.next_question().attribute
        'light'
        """
        with self._reading() as table:
            weights, measures = self._preferred(weights, measures)
            if where is not None:
                table = table.only(self._meeting(where))
            return Conversation(table, query, weights=weights, measures=measures, cache=self._cache, **options)

    def design(self, function: FunctionGraph | str, *, attribute: str | None = None, **options: Any) -> Designs:
        """Designs for a wanted function, put together from the functions of cases (CADET).

        Parameters
        ----------
        function
            The wanted function: a graph, or its text (``"C +> Q"``).
        attribute
            The attribute that holds the function of a case; None where there is only one graph.
        **options
            Of `priorcase.cases.design`: ``elaborate``, ``limit``, ``compatible``, ...

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary({"function": "graph"}) as base:
        ...     _ = base.add({"function": "C +> Q"}, solution="regulated valve")
        ...     _ = base.add({"function": "Q1 +> Q3; Q2 +> Q3"}, solution="T-junction pipe")
        ...     found = base.design("A +> X; B +> X")
        >>> found[0].complete
        True
        """
        attributes = self.attributes
        graphs = [name for name, kind in attributes.items() if isinstance(kind, Graph)]
        if attribute is None and len(graphs) == 1:
            attribute = graphs[0]
        if attribute not in graphs:
            given = f"got attribute={attribute!r}" if attribute is not None else "got no attribute"
            remedy = f"Those that do: {listed(graphs)}." if graphs else "Declare one as 'graph'."
            raise CaseBaseError(f"{given}; expected one that holds graphs. {remedy}")
        cases = [case for case in self.find() if not case.retired]
        return design(function, cases, attribute=attribute, **options)

    def _likeness(self, table: CaseTable) -> Likeness:
        weights, measures = self._preferred(None, None)
        return Likeness(table, weights=weights, measures=measures, cache=self._cache)
