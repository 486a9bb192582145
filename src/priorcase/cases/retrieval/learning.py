"""Weights with which cases tell each other's solutions best."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from priorcase._parameters import check_flag, is_whole
from priorcase._typing import BoolArray, IdArray
from priorcase.cases.retrieval.cache import MeasureCache
from priorcase.cases.retrieval.comparing import Comparer
from priorcase.cases.retrieval.learned import Weights
from priorcase.cases.retrieval.left_out import LeftOut
from priorcase.cases.retrieval.parameters import check_count, check_unknown, fixed_weights, measures_of
from priorcase.cases.retrieval.searching import Search
from priorcase.cases.retrieval.targets import check_target, solved, target_of
from priorcase.cases.reuse.success import Success
from priorcase.cases.scoring import Unknown
from priorcase.cases.table import CaseTable
from priorcase.exceptions import CaseBaseError, ParameterError, quoted
from priorcase.learning.estimator import thread_count

_FEWEST = 3


def learn_weights(
    table: CaseTable,
    *,
    k: int = 5,
    target: str = "solution",
    measures: Mapping[str, object] | None = None,
    fixed: Mapping[str, float] | None = None,
    success: Success = "outcome",
    sample: int = 2000,
    seed: int = 0,
    unknown: Unknown = "different",
    n_jobs: int | None = None,
    cache: MeasureCache | None = None,
    progress: bool = True,
) -> Weights:
    """Weights of the attributes with which the k most similar others tell each case's solution best.

    Each solved case is left out in turn and told by the k others most similar to it: by a vote weighted by similarity,
    whose log loss counts, or where solutions are numbers by a weighted mean, whose squared error does. The weights are
    sought among 0, 1/4, 1/2, 1, 2 and 4: from equal weights, and from those attributes alone that tell something by
    themselves, the changes of single weights that help are made together as far as that helps more, until no change
    helps. Attributes then get weight 0 whose absence makes the loss larger by no more than one standard error of the
    difference, as long as the loss stays below that of equal weights; and those that could as well have one and the
    same value in all cases, whose weight only makes votes and means flatter. Where there were such, the printed table
    says how well the same cases tell solutions if all of them count the same, as with ``reuse(weights="uniform")``.

    Votes of k cases tell solutions badly that fewer than k cases have: where most are so rare, the printed table says
    so, and a smaller k does better.

    Measures that learn from solutions, such as MVDM, have seen the solution of the case that is left out: their
    attributes are overrated where values are rare.

    Parameters
    ----------
    table
        The cases; retired ones and those without a solution are left aside, or with one that failed.
    k
        How many cases tell each.
    target
        What they tell: ``"solution"``, ``"outcome"`` or an attribute that is a number or a name, which then has no part
        in comparisons.
    measures
        As for retrieval.
    fixed
        Weights that stay as given, by attribute, while the others are learned; 0 leaves an attribute out of every
        comparison.
    success
        How outcomes are read, as in `reuse`: a solution failed whose outcome says no more than 1/2; None lets every
        case count. Only where solutions are told.
    sample
        Of more cases than this so many are drawn, which tell each other.
    seed
        Which are drawn; the same seed gives the same weights.
    unknown
        As for retrieval.
    n_jobs
        Threads; None for all cores. The weights are the same for any number.
    cache
        Where prepared measures are kept.
    progress
        Whether a bar is shown on a terminal.
    """
    k = check_count("k", k)
    target = check_target(table, target)
    sample = check_count("sample", sample, least=_FEWEST, usual=2000)
    if not is_whole(seed) or seed < 0:
        raise ParameterError(
            f"seed must be a whole number >= 0, got {quoted(seed)}. The same seed gives the same weights."
        )
    check_unknown(unknown)
    shown = check_flag("progress", progress, hint="False shows no bar.")
    threads = thread_count(n_jobs)
    found = measures_of(table.attributes, measures)
    names = [name for name in table.attributes if name != target]
    if not names:
        raise CaseBaseError(
            f"has no attribute beside {target!r} to tell it by. Declare more attributes, or tell the solution."
        )
    kept = fixed_weights(table.attributes, names, fixed)
    able = solved(table, target, success)
    positions, of_cases = _drawn(table, target, able, sample, int(seed))
    told = target_of(table, target, positions, min(k, len(positions) - 1))
    comparer = Comparer(table, dict.fromkeys(table.attributes, 1.0), found, MeasureCache() if cache is None else cache)
    left_out = LeftOut(comparer, names, positions, told, k=k, unknown=unknown, threads=threads)
    search = Search(left_out, fixed=np.array([kept.get(name, math.nan) for name in names]), shown=shown)
    weights, loss, without = search.best()
    return Weights(
        names=tuple(names),
        weights=tuple(weights.tolist()),
        without=tuple(math.nan if math.isinf(each) else each for each in without.tolist()),
        loss_before=search.equal,
        loss_after=loss,
        loss_of_guess=search.guess,
        loss=told.name,
        target=target,
        k=k,
        cases=len(positions),
        of_cases=of_cases,
        seed=int(seed),
        loss_uniform=search.uniform,
        fixed=tuple(kept),
        rare=told.rare(k),
    )


def _drawn(table: CaseTable, target: str, able: BoolArray, sample: int, seed: int) -> tuple[IdArray, int]:
    """The cases that tell each other, and how many they were drawn from."""
    positions = np.flatnonzero(able)
    if len(positions) < _FEWEST:
        found = len(positions)
        failed = int(np.count_nonzero((table.column(target).codes >= 0) & ~table.retired)) - len(positions)
        worked = f" that worked, and {failed} that failed" if failed else ""
        raise CaseBaseError(
            f"found {found} case{'s' * (found != 1)} with a known {target}{worked}; expected at least 3. Weights are "
            "learned by telling each case from the others; add cases first."
        )
    if len(positions) <= sample:
        return positions, len(positions)
    return np.sort(np.random.default_rng(seed).choice(positions, sample, replace=False)), len(positions)
