"""The most similar cases of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from priorcase._typing import BoolArray
from priorcase.cases import kinds
from priorcase.cases.case import Case
from priorcase.cases.errors import unknown_attributes
from priorcase.cases.kinds import Stored
from priorcase.cases.retrieval.cache import MeasureCache
from priorcase.cases.retrieval.comparing import Comparer
from priorcase.cases.retrieval.diversity import bound, diverse
from priorcase.cases.retrieval.parameters import (
    allowed,
    check_count,
    check_diversity,
    check_unknown,
    measures_of,
    weights_of,
)
from priorcase.cases.retrieval.result import Retrieval
from priorcase.cases.scoring import Unknown, best_cases
from priorcase.cases.table import CaseTable, Snapshot
from priorcase.exceptions import CaseBaseError, listed
from priorcase.learning.estimator import thread_count

LookUp: TypeAlias = Callable[[Sequence[int], Snapshot], Sequence[Case]]
"""From ids, and what the table knew of them, to cases."""


def retrieve(
    table: CaseTable,
    query: Mapping[str, Stored],
    k: int = 5,
    *,
    weights: Mapping[str, float] | None = None,
    measures: Mapping[str, object] | None = None,
    where: Mapping[str, object] | BoolArray | None = None,
    diversity: float = 0.0,
    unknown: Unknown = "different",
    n_jobs: int | None = None,
    cache: MeasureCache | None = None,
    look_up: LookUp | None = None,
) -> Retrieval:
    """The k cases most similar to a query, each with the share of every attribute in its similarity.

    ``similarity = sum_a w_a s_a / sum_a w_a`` over the attributes that the query knows, with local similarities s_a in
    [0, 1]. Of equally similar cases the oldest come first.

    Parameters
    ----------
    table
        The cases; retired ones are never retrieved.
    query
        Stored values by attribute, some or all; None, or left out: not known. Values that no case has are allowed.
    k
        How many; fewer where fewer may be retrieved.
    weights
        By attribute, numbers >= 0; attributes not named have weight 1. Those of `learn_weights` will do.
    measures
        Local similarities by attribute, or their names, or functions of two values; attributes not named have the usual
        one of their kind.
    where
        What cases must have: conditions by name, or a boolean for each case.
    diversity
        From 0 (the most similar) to 1: how much cases shall differ from each other, see `diverse`. Cases then come in
        the order in which they were chosen.
    unknown
        What it means where a case lacks a value that the query has: ``"different"``: they are not alike, s = 0;
        ``"ignore"``: the attribute does not count for that case.
    n_jobs
        Threads; None for all cores. The answer is the same for any number.
    cache
        Where prepared measures are kept between queries.
    look_up
        Gives cases with all that is known of them, when somebody first looks at them; None: what the table knows.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> rows = [
    ...     (1, {"age": 3, "make": "A"}, '"clean it"', None),
    ...     (2, {"age": 9, "make": "B"}, '"replace it"', None),
    ...     (3, {"age": 5}, '"oil it"', None),
    ... ]
    >>> table = CaseTable.of({"age": Numeric(), "make": Nominal()}, rows)
    >>> found = retrieve(table, {"age": 3, "make": "B"}, 2)
    >>> found.ids, found.solutions
    ((1, 2), ('clean it', 'replace it'))
    >>> found[0].shares["make"]
    Share(similarity=0.0, weight=1.0, contribution=0.0)
    """
    k = check_count("k", k)
    diversity = check_diversity(diversity)
    ignore = check_unknown(unknown) == "ignore"
    threads = thread_count(n_jobs)
    comparer = Comparer(
        table,
        weights_of(table.attributes, weights),
        measures_of(table.attributes, measures),
        MeasureCache() if cache is None else cache,
    )
    mask = allowed(table, where)
    found = comparer.compare(_known(table, query, comparer.weights))
    wanted = min(k if diversity == 0.0 else bound(k), len(table))
    positions, similarities = best_cases(
        found.codes, found.tables, found.weights, mask=mask, k=wanted, unknown=unknown, n_threads=threads
    )
    if diversity > 0.0:
        chosen = diverse(comparer, positions, similarities, k, diversity, unknown)
        positions, similarities = positions[chosen], similarities[chosen]
    ids = tuple(table.ids[positions].tolist())
    return Retrieval(
        query={name: kinds.shown(table.attributes[name], query[name]) for name in found.names},
        ids=ids,
        similarities=similarities,
        local=found.local(positions),
        weights=found.weights,
        load=partial(look_up or _from_table, ids, table.snapshot(positions)),
        ignore=ignore,
        among=int(np.count_nonzero(mask)),
        diversity=diversity,
    )


def _known(table: CaseTable, query: Mapping[str, Stored], weights: Mapping[str, float]) -> dict[str, Stored]:
    """What is known of a query; an error where nothing is, or nothing that counts."""
    if unknown := [name for name in query if name not in table.attributes]:
        raise unknown_attributes(unknown, table.attributes)
    known: dict[str, Stored] = {name: value for name, value in query.items() if value is not None}
    if not known:
        raise CaseBaseError(
            "got a query in which nothing is known; expected a value of at least one attribute. The attributes are "
            f"{listed(list(table.attributes), limit=12)}."
        )
    if not any(weights[name] for name in known):
        raise CaseBaseError(
            f"knows only {listed(list(known))} of the query, and the weights of these are 0. Give one of them a weight "
            "above 0, or tell more of the query."
        )
    return known


def _from_table(ids: Sequence[int], snapshot: Snapshot) -> list[Case]:
    """Cases as far as the table knows them."""
    return [Case(*shown, id=id) for id, shown in zip(ids, snapshot.shown(), strict=True)]
