"""What an attribute of a case may be, and how its values are stored and shown."""

from priorcase.cases.kinds.checking import CaseKind, Stored, check, kind_name, shown
from priorcase.cases.kinds.dates import Date, days
from priorcase.cases.kinds.descriptions import as_kind, describe, from_description
from priorcase.cases.kinds.graphs import Graph
from priorcase.cases.kinds.inference import infer
from priorcase.cases.kinds.plain_values import check_plain, plain_shown, written
from priorcase.cases.kinds.sets import Set
from priorcase.cases.kinds.taxonomy import Taxonomy
from priorcase.cases.kinds.text import Text

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
    "plain_shown",
    "shown",
    "written",
]
