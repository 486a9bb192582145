"""Schemas of tables: the kind of each column, and known, unseen and missing values."""

from priorcase.schema.columns import Coded, ReadColumn
from priorcase.schema.kinds import Circular, Date, Kind, Nominal, Numeric, Ordinal, Set, Text
from priorcase.schema.schema import CategoricalFeatures, Schema, Table
from priorcase.schema.taxonomy import Taxonomy
from priorcase.schema.uninformative import Uninformative, uninformative_columns

__all__ = [
    "CategoricalFeatures",
    "Circular",
    "Coded",
    "Date",
    "Kind",
    "Nominal",
    "Numeric",
    "Ordinal",
    "ReadColumn",
    "Schema",
    "Set",
    "Table",
    "Taxonomy",
    "Text",
    "Uninformative",
    "uninformative_columns",
]
