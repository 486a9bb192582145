"""Type aliases that several modules use."""

from collections.abc import Hashable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.signedinteger[Any]]
IdArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

Name: TypeAlias = Hashable
"""A column label: a string in most frames, an integer or a tuple in some pandas frames."""

Value: TypeAlias = Hashable
"""A nominal or ordinal value."""

Content: TypeAlias = Literal["any", "text", "numbers", "booleans", "dates", "nothing"]
"""Type of the values of an attribute: ``any`` if they are mixed, ``nothing`` if all are missing."""

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow", "modin", "cudf"]
"""Name of a data frame library."""
