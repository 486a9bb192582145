"""Whether the query, or the change from the case to it, meets a rule's condition."""

from __future__ import annotations

from typing import Any

from priorcase.cases.conditions import mask
from priorcase.cases.kinds import check, check_plain, infer
from priorcase.cases.reuse.situation import Situation
from priorcase.cases.table import CaseTable


def meets(name: str, given: Any, at: Situation, solution: Any) -> bool:
    """Whether a condition of a rule holds.

    Parameters
    ----------
    name
        An attribute, or ``"solution"``.
    given
        A condition on the query's value, or a pair of conditions: on the case's value and on the query's.
    at
        The query and the case.
    solution
        The solution as it is.
    """
    if name == "solution":
        text = check_plain(solution, what="solution")
        return bool(mask(CaseTable.of({}, [(1, {}, text, None)]), {name: given})[0])
    if isinstance(given, tuple) and len(given) == 2:
        return _holds(name, given[0], at.case.get(name), at) and _holds(name, given[1], at.query.get(name), at)
    return _holds(name, given, at.query.get(name), at)


def _holds(name: str, given: Any, value: Any, at: Situation) -> bool:
    if given is ...:
        return True
    both = (at.query.get(name), at.case.get(name))
    kind = infer(both) if at.kinds is None else at.kinds[name]
    stored = check(kind, value, attribute=name)
    table = CaseTable.of({name: kind}, [(1, {name: stored}, None, None)])
    return bool(mask(table, {name: given})[0])
