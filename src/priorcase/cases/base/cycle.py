"""The cycle: retrieve, reuse, revise, retain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from priorcase.cases.base import checked
from priorcase.cases.base.preferences import Preferences
from priorcase.cases.retain import Likeness, Policy, Retained, decide
from priorcase.cases.retrieval import Retrieval, retrieve
from priorcase.cases.reuse import Critic, Proposal, Rule, Success, reuse
from priorcase.cases.scoring import Unknown


class Cycle(Preferences):
    """Reasoning from cases."""

    def retrieve(
        self,
        query: Mapping[str, Any],
        k: int = 5,
        *,
        weights: Mapping[str, float] | None = None,
        measures: Mapping[str, Any] | None = None,
        where: Mapping[str, Any] | None = None,
        diversity: float = 0.0,
        unknown: Unknown = "different",
        n_jobs: int | None = None,
    ) -> Retrieval:
        """The k cases most similar to a query, each with the share of every attribute in its similarity.

        ``similarity = sum_a w_a s_a / sum_a w_a`` over the attributes that the query knows, with local similarities
        s_a from 0 to 1. Of equally similar cases the oldest come first.

        Parameters
        ----------
        query
            Attribute -> value: some or all, with values that no case may have.
        k
            How many; fewer where fewer may be retrieved.
        weights
            By attribute, numbers >= 0; attributes not named have weight 1. None: those that `prefer` keeps, else all 1.
        measures
            How values are compared, by attribute: a local similarity of `priorcase.cases`, its name (``"tfidf"``,
            ``"edit"``, ``"mvdm"``, ...), or a function of two values. Attributes not named: as `prefer` keeps, else as
            is usual for their kind.
        where
            What cases must have: conditions as in `find`.
        diversity
            From 0, the most similar cases, to 1: how much those retrieved shall differ from each other.
        unknown
            What it means where a case lacks a value that the query has: ``"different"``: not alike at all;
            ``"ignore"``: the attribute does not count for that case.
        n_jobs
            Threads; None for all cores.

        Returns
        -------
        Retrieval
            The cases, most similar first; it prints as a table, and ``explain(i)`` shows why.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary({"message": "text", "age": "numeric"}) as base:
        ...     _ = base.add({"message": "paper jam in tray 2", "age": 3}, solution="clean the rollers")
        ...     _ = base.add({"message": "stripes on the page", "age": 1}, solution="clean the print head")
        ...     found = base.retrieve({"message": "a jam again"}, k=1)
        >>> found.solutions
        ('clean the rollers',)
        """
        with self._reading() as table:
            asked = checked.check_case(query, table.attributes)
            mask = None if where is None else self._meeting(where)
            weights, measures = self._preferred(weights, measures)
            return retrieve(
                table,
                asked,
                k,
                weights=weights,
                measures=measures,
                where=mask,
                diversity=diversity,
                unknown=unknown,
                n_jobs=n_jobs,
                cache=self._cache,
                look_up=self._look_up,
            )

    def reuse(
        self,
        found: Retrieval | Mapping[str, Any],
        method: Any = "auto",
        *,
        k: int = 5,
        rules: Iterable[Rule] | Rule = (),
        critics: Iterable[Critic] | Critic = (),
        rounds: int = 10,
        **options: Any,
    ) -> Proposal:
        """A solution for a query, made from those of similar cases.

        Parameters
        ----------
        found
            What `retrieve` found; or a query, for which the k most similar cases are retrieved first.
        method
            ``"copy"``, ``"null"``, ``"vote"``, ``"mean"``, ``"local"``, ``"compose"`` or ``"auto"``; see
            `priorcase.cases.reuse`.
        k
            How many cases to retrieve for a query.
        rules
            ``Rule(when, then)``: each fires once, in order, where its condition holds.
        critics
            ``Critic(finds, repairs)``: asked until none finds anything that is repaired.
        rounds
            How often all critics are asked at most.
        **options
            Parameters of the method, such as ``prior=1`` of a vote.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add_many([{"age": 1, "price": 900}, {"age": 3, "price": 500}], solution="price")
        ...     base.reuse({"age": 2}, "mean").solution
        700.0
        """
        if not isinstance(found, Retrieval):
            found = self.retrieve(found, k)
        kinds = self.attributes
        return reuse(found, found.query, method, rules=rules, critics=critics, rounds=rounds, kinds=kinds, **options)

    def retain(
        self,
        case: Mapping[str, Any],
        *,
        solution: Any,
        outcome: Any = None,
        key: str | None = None,
        note: str | None = None,
        by: str | None = None,
        why: str | None = None,
        policy: Policy = "if_wrong",
        k: int = 1,
        tolerance: float | None = None,
        threshold: float = 0.95,
        success: Success = "outcome",
    ) -> Retained:
        """Keep a solved case where it is worth keeping.

        Parameters
        ----------
        case, solution, outcome, key, note, by, why
            As for `add`; a solution is needed.
        policy
            ``"if_wrong"``: only if the base, asked now, would have answered otherwise (IB2), or, of a solution that
            failed, the same. ``"if_new"``: unless a
            case with the same solution is at least ``threshold`` similar. ``"records"``: always, but cases that spoke
            get that into their records, and those whose record is significantly bad are retired (IB3). ``"always"``.
        k
            How many cases are asked.
        tolerance
            How far off a number may be and still be right; needed where solutions are numbers.
        threshold
            From which similarity on two cases are near-duplicates.
        success
            How outcomes tell whether a solution worked: ``"outcome"`` for booleans and numbers from 0 to 1, where more
            than 1/2 means yes; a function of the outcome; None where outcomes do not count.

        Returns
        -------
        Retained
            Whether it was kept and why, near-duplicates, and whom it retired.

        Examples
        --------
        >>> import priorcase as pc
        >>> with pc.CaseBase.temporary() as base:
        ...     _ = base.add({"sign": "paper jam"}, solution="clean the rollers")
        ...     base.retain({"sign": "paper jam"}, solution="clean the rollers")
        Not kept: the base already answers 'clean the rollers'.
        """
        by, why = self._who(by, why)
        with self._writing() as transaction:
            attributes = self._table.attributes or self._learned(transaction, [case])
            new = checked.new_case(case, attributes, solution, outcome, key, note)
            weights, measures = self._preferred(None, None)
            table = self._table if self._table.attributes else type(self._table)(attributes)
            decision = decide(
                table,
                new.values,
                new.solution,
                new.outcome,
                policy=policy,
                likeness=Likeness(table, weights=weights, measures=measures, cache=self._cache),
                k=k,
                tolerance=tolerance,
                threshold=threshold,
                records=self._uses() if policy == "records" else None,
                success=success,
            )
            id = self._insert(transaction, [new], by=by, why=why)[0] if decision.keep else None
            # Steps of other cases say nothing of the new one: who added it and why is forgotten with it.
            for right in (True, False):
                spoke = [trial.id for trial in decision.trials if trial.right is right]
                if spoke:
                    transaction.writer.record_use(spoke, helped=right)
            if decision.retire:
                transaction.writer.retire(decision.retire, why="its record of use is poor")
        return decision.done(id)
