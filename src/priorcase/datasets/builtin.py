"""Built-in tables: visits to a bicycle workshop, and the tickets of a help desk."""

from __future__ import annotations

import csv
import datetime
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, overload

import numpy as np

from priorcase._typing import AnyArray
from priorcase.datasets.columns import Backend, NamedColumns, check_backend
from priorcase.exceptions import prefix_errors
from priorcase.schema import Kind, Nominal, Numeric, Ordinal

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

    One field in twenty is missing. The table was generated for this library; no real customer is in it.

    Parameters
    ----------
    frame
        The library whose frame to return: ``"pandas"``, ``"polars"`` or ``"pyarrow"``. None for `NamedColumns`.

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
    fields = _fields("repairs.csv")
    columns: dict[str, list[Any]] = {name: fields[name] for name in REPAIRS}
    for name, kind in REPAIRS.items():
        if isinstance(kind, Numeric):
            columns[name] = [None if field is None else float(field) for field in fields[name]]
    for name in ("electric", "outdoors"):
        columns[name] = [_TRUTH[field] for field in fields[name]]
    table = NamedColumns.of(columns, REPAIRS)
    return table if frame is None else table.frame(frame), np.array(fields["job"], dtype=object)


def _fields(file: str) -> dict[str, list[str | None]]:
    """The fields of a built-in table by column, None for empty ones."""
    text = files("priorcase.datasets").joinpath(file).read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    return {name: [row[at] or None for row in rows] for at, name in enumerate(header)}


AREAS: dict[str, Any] = {
    "it": {
        "printer": ["laser printer", "inkjet printer", "label printer", "scanner"],
        "network": ["wi-fi", "wired", "vpn", "name service"],
        "account": ["password", "sign-in", "mailbox", "permissions"],
    }
}
"""What a ticket may be about."""

URGENCIES = ("low", "normal", "high")
"""How urgent a ticket may be, from the least."""


@dataclass(frozen=True, repr=False)
class HelpDesk:
    """Tickets of a help desk: a mapping for each, None for unknown; the taxonomy of areas, the order of urgencies."""

    tickets: list[dict[str, Any]]
    areas: dict[str, Any]
    urgencies: tuple[str, ...]

    def __repr__(self) -> str:
        return f"HelpDesk: {len(self.tickets)} tickets"


def load_help_desk() -> HelpDesk:
    """Sixty-nine tickets of a help desk: printers, networks, accounts.

    ========  ========  ======================================================
    name      kind      meaning
    ========  ========  ======================================================
    ticket    key       number of the ticket
    area      taxonomy  what it is about, a leaf of ``areas``
    system    nominal   windows, macos, linux or phone
    place     nominal   office or home
    people    numeric   how many are affected
    urgency   ordinal   low < normal < high
    signs     set       what can be seen
    opened    date      when it was opened
    message   text      what the person wrote
    solution  solution  what was done
    outcome   outcome   whether that helped
    ========  ========  ======================================================

    The tickets were written for this library; no real person is in them.

    Examples
    --------
    >>> desk = load_help_desk()
    >>> desk, desk.tickets[0]["solution"]
    (HelpDesk: 69 tickets, 'clean the pick-up rollers')
    """
    columns: dict[str, list[Any]] = {**_fields("help_desk.csv")}
    columns["people"] = [int(field) for field in columns["people"]]
    columns["signs"] = [frozenset(field.split(";")) for field in columns["signs"]]
    columns["opened"] = [datetime.date.fromisoformat(field) for field in columns["opened"]]
    columns["outcome"] = [field == "yes" for field in columns["outcome"]]
    tickets = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return HelpDesk(tickets, AREAS, URGENCIES)
