"""The head of an exported file: its format, and the attributes with their kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from priorcase.cases import kinds
from priorcase.cases.exchange.records import FORMAT
from priorcase.cases.kinds import CaseKind
from priorcase.exceptions import CaseBaseError

__all__ = ["MARK", "head_of", "read_head"]

MARK = "priorcase cases"


def head_of(attributes: Mapping[str, CaseKind]) -> dict[str, Any]:
    """The head as plain values.

    Examples
    --------
    >>> from priorcase.schema import Numeric
    >>> head_of({"age": Numeric()})
    {'priorcase cases': 1, 'attributes': [['age', {'kind': 'numeric'}]]}
    """
    return {MARK: FORMAT, "attributes": [[name, kinds.describe(kind)] for name, kind in attributes.items()]}


def read_head(found: Mapping[str, Any], source: str) -> dict[str, CaseKind] | None:
    """The attributes that a head tells of; None where it is no head."""
    if MARK not in found:
        return None
    if found[MARK] != FORMAT:
        raise CaseBaseError(
            f"{source} holds cases in format {found[MARK]!r}; this priorcase reads format {FORMAT}. Update priorcase, "
            "or export the cases as CSV."
        )
    try:
        attributes = {name: kinds.from_description(kind) for name, kind in found["attributes"]}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CaseBaseError(
            f"{source} tells of cases in a way that cannot be read: it declares attributes of no kind. Was it edited? "
            "Export the cases again; nothing was imported."
        ) from error
    if len(attributes) != len(found["attributes"]) or not all(isinstance(name, str) for name in attributes):
        raise CaseBaseError(
            f"{source} tells of cases in a way that cannot be read: it declares an attribute twice, or without a name. "
            "Was it edited? Export the cases again; nothing was imported."
        )
    return attributes
