"""Which kind each column gets: what its type stands for, and what the user says."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from priorcase._typing import AnyArray, Name
from priorcase.exceptions import ParameterError
from priorcase.schema.keys import position, positions
from priorcase.schema.kinds import Kind, Nominal, Numeric, Ordinal
from priorcase.schema.sources import Source

CategoricalFeatures: TypeAlias = Literal["from_dtype"] | Sequence[Any] | AnyArray | None
"""``"from_dtype"``, None, or a mask, positions or names of the nominal columns."""


def choose_kinds(
    source: Source, categorical_features: CategoricalFeatures, declared: Mapping[Name, Kind], *, parameter: str
) -> tuple[Kind, ...]:
    """A kind for each column; ``declared`` ones win. ``parameter`` is what messages call them."""
    kinds = [column.kind() for column in source.columns]
    if not (isinstance(categorical_features, str) and categorical_features == "from_dtype"):
        nominal = _positions(source, categorical_features)
        for a, column in enumerate(source.columns):
            if a in nominal:
                kinds[a] = Nominal(content="any" if column.content == "nothing" else column.content)
            elif not isinstance(kinds[a], Ordinal):
                kinds[a] = Numeric()
    found = positions(declared, source.names, len(source.columns), parameter=parameter)
    for a, kind in zip(found, declared.values(), strict=True):
        kinds[a] = kind
    return tuple(kinds)


def _positions(source: Source, chosen: CategoricalFeatures) -> set[int]:
    """The columns that ``categorical_features`` points at."""
    if chosen is None:
        return set()
    if (
        isinstance(chosen, str)
        or not isinstance(chosen, Iterable)
        or (isinstance(chosen, np.ndarray) and chosen.ndim != 1)
    ):
        expected = "'from_dtype', None, or a list of column positions or names, or a mask"
        hint = "a single column is a list of one: [0] or ['colour']."
        raise ParameterError.wrong("categorical_features", chosen, expected=expected, hint=hint)
    keys = chosen.tolist() if isinstance(chosen, np.ndarray) else list(chosen)
    if keys and all(isinstance(key, (bool, np.bool_)) for key in keys):
        if len(keys) != len(source.columns):
            expected = f"a mask of {len(source.columns)} booleans, one for each column"
            raise ParameterError.wrong("categorical_features", chosen, expected=expected, hint="or name the columns.")
        return {a for a, key in enumerate(keys) if key}
    names, n = source.names, len(source.columns)
    return {position(key, names, n, parameter="categorical_features") for key in keys}
