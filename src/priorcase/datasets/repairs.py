"""A built-in table: what bicycles came to a workshop with, and what was done to them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, overload

import numpy as np

from priorcase._typing import AnyArray
from priorcase.datasets.columns import Backend, NamedColumns, check_backend
from priorcase.datasets.delimited import read_text
from priorcase.exceptions import prefix_errors
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

__all__ = ["REPAIRS", "load_repairs"]

REPAIRS: dict[str, Kind] = {
    "bike": Nominal(),
    "age_years": Numeric(),
    "km_since_service": Numeric(),
    "load_kg": Numeric(),
    "electric": Nominal(),
    "outdoors": Nominal(),
    "chain": Ordinal(("fresh", "used", "worn", "stretched")),
    "brakes": Ordinal(("firm", "soft", "weak")),
    "noise": Nominal(),
}
"""What the columns of the table mean."""

_TRUTH = {"yes": True, "no": False, None: None}


@overload
@prefix_errors
def load_repairs(frame: None = None) -> tuple[NamedColumns, AnyArray]: ...
@overload
@prefix_errors
def load_repairs(frame: Backend) -> tuple[Any, AnyArray]: ...
@prefix_errors
def load_repairs(frame: Backend | None = None) -> tuple[Any, AnyArray]:
    """Ninety-six visits to a bicycle workshop: nine mixed columns with gaps, and the job that was booked.

    ================  =======  ===================================================================
    column            kind     meaning
    ================  =======  ===================================================================
    bike              nominal  city, trekking, road, mountain, cargo or folding
    age_years         numeric  age of the bicycle
    km_since_service  numeric  distance since the last visit
    load_kg           numeric  rider and luggage
    electric          boolean  has a motor
    outdoors          boolean  is left outdoors at night
    chain             ordinal  wear of the chain: fresh < used < worn < stretched
    brakes            ordinal  feel of the brakes: firm < soft < weak
    noise             nominal  what the customer hears: quiet, click, creak, grind or squeal
    job               target   tune-up, brakes, drivetrain or wheel
    ================  =======  ===================================================================

    One field in twenty is missing. The table was made for this library, by the story in ``_make_repairs.py`` beside it;
    no real customer is in it.

    Parameters
    ----------
    frame
        The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None: :class:`NamedColumns`,
        which needs none.

    Returns
    -------
    X, y
        The nine columns and the jobs.

    Examples
    --------
    >>> X, y = load_repairs()
    >>> len(X), X.names[:3], y[:2]
    (96, ('bike', 'age_years', 'km_since_service'), array(['tune-up', 'brakes'], dtype=object))
    """
    if frame is not None:
        check_backend(frame, "frame")
    with files("priorcase.datasets").joinpath("repairs.csv").open("rb") as stream:
        text = read_text(stream, name="repairs.csv")
    columns = {name: text.values(name, kind) for name, kind in REPAIRS.items()}
    for name in ("electric", "outdoors"):
        columns[name] = np.array([_TRUTH[field] for field in text.column(name)], dtype=object)
    table = NamedColumns.of(columns, REPAIRS)
    return table if frame is None else table.frame(frame), text.values("job", Nominal())
