"""Tables to work with: a small one that is built in, and those of a user's CSV files."""

from priorcase.datasets.columns import NamedColumns
from priorcase.datasets.reading import MISSING, TextTable, read_text
from priorcase.datasets.repairs import load_repairs

__all__ = ["MISSING", "NamedColumns", "TextTable", "load_repairs", "read_text"]
