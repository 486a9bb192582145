"""What rules and critics look at beside the solution."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from priorcase.cases.kinds import CaseKind
from priorcase.cases.reuse.sources import SourceCase


@dataclass(frozen=True)
class Situation:
    """The query and the case that a solution comes from.

    Parameters
    ----------
    query
        What the query knows.
    case
        The case.
    kinds
        What the attributes are; None where only their values say so.
    """

    query: Mapping[str, Any]
    case: SourceCase
    kinds: Mapping[str, CaseKind] | None

    def copied(self) -> tuple[dict[str, Any], SourceCase]:
        """The query and the case as copies that a user's function may change."""
        return copy.deepcopy(dict(self.query)), self.case.copied()
