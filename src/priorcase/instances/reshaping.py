"""The same rows with other attributes, for learners whose attributes come and go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from priorcase.instances.instances import Instances
from priorcase.instances.stores import NumberStore, Store, make_store
from priorcase.schema import Coded, Kind, Schema


def reshaped(instances: Instances, schema: Schema, sources: Sequence[int | None]) -> Instances:
    """The rows with the attributes of another schema, as instances of their own; ids, targets and weights stay.

    Parameters
    ----------
    instances
        The rows, which are left as they are.
    schema
        The attributes they shall have.
    sources
        For each of them which attribute it is now; None for one that is missing in every row.

    Examples
    --------
    >>> from priorcase.schema import Nominal, Numeric
    >>> schema = Schema(("age", "colour"), (Numeric(), Nominal()))
    >>> instances = Instances(schema)
    >>> _ = instances.append(schema.read([[31, "red"], [45, "blue"]]))
    >>> wider = Schema(("colour", "size"), (Nominal(), Numeric()))
    >>> reshaped(instances, wider, [1, None]).decode([0, 1])
    [('red', None), ('blue', None)]
    """
    chosen = instances.subset(instances.ids)
    stores = chosen._attributes
    chosen.schema = schema
    chosen._attributes = [
        _missing(kind, len(chosen)) if source is None else stores[source]
        for kind, source in zip(schema.kinds, sources, strict=True)
    ]
    return chosen


def _missing(kind: Kind, rows: int) -> Store:
    """A column that is missing in every row."""
    store = make_store(kind)
    if isinstance(store, NumberStore):
        store.commit(np.full(rows, np.nan))
    else:
        store.commit(store.prepare(Coded(np.full(rows, -1, np.int8), ()), ""))
    return store
