"""What a column means: numeric, ordinal or nominal; known, unseen or missing."""

from priorcase.schema.choice import CategoricalFeatures
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.schema import Schema
from priorcase.schema.table import ReadColumn, Table
from priorcase.schema.values import Coded

__all__ = ["CategoricalFeatures", "Coded", "Kind", "Nominal", "Numeric", "Ordinal", "ReadColumn", "Schema", "Table"]
