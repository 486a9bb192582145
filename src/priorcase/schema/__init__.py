"""What a column means: numeric, ordinal or nominal; known, unseen or missing."""

from priorcase.schema.columns import Coded, ReadColumn
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.schema import CategoricalFeatures, Schema, Table

__all__ = ["CategoricalFeatures", "Coded", "Kind", "Nominal", "Numeric", "Ordinal", "ReadColumn", "Schema", "Table"]
