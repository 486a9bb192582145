"""What an attribute of a case may be, and how its values are stored and shown."""

from priorcase.reasoning.kinds.checking import CaseKind, Stored, check, kind_name, shown
from priorcase.reasoning.kinds.dates import Date, days
from priorcase.reasoning.kinds.descriptions import as_kind, describe, from_description
from priorcase.reasoning.kinds.graphs import Graph
from priorcase.reasoning.kinds.inference import infer
from priorcase.reasoning.kinds.plain_values import check_plain, plain_shown, written
from priorcase.reasoning.kinds.sets import Set
from priorcase.reasoning.kinds.taxonomy import Taxonomy
from priorcase.reasoning.kinds.text import Text

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
