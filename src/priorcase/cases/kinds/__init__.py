"""What an attribute of a case may be, and how its values are stored and shown."""

from priorcase.cases.kinds.kinds import (
    CaseKind,
    Date,
    Graph,
    Set,
    Taxonomy,
    Text,
    as_kind,
    describe,
    from_description,
    kind_name,
)
from priorcase.cases.kinds.values import (
    Stored,
    check,
    check_plain,
    days,
    infer,
    ordered,
    plain_shown,
    shown,
    written,
)

__all__ = [
    "CaseKind",
    "Date",
    "Graph",
    "Set",
    "Stored",
    "Taxonomy",
    "Text",
    "as_kind",
    "check",
    "check_plain",
    "days",
    "describe",
    "from_description",
    "infer",
    "kind_name",
    "ordered",
    "plain_shown",
    "shown",
    "written",
]
