"""Built-in tables: bicycle repairs, penguins, loans, rental flats, and help desk tickets."""

from __future__ import annotations

import csv
import datetime
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from priorcase._grids import TextResult
from priorcase._typing import AnyArray
from priorcase.datasets.columns import Backend, NamedColumns, check_backend
from priorcase.exceptions import prefix_errors
from priorcase.schema import Circular, Date, Kind, Nominal, Numeric, Ordinal, Text

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
PENGUINS: dict[str, Kind] = {
    "island": Nominal(),
    "bill_length_mm": Numeric(),
    "bill_depth_mm": Numeric(),
    "flipper_length_mm": Numeric(),
    "body_mass_g": Numeric(),
    "sex": Nominal(),
    "year": Numeric(),
}
LOANS: dict[str, Kind] = {
    "income": Numeric(),
    "amount": Numeric(),
    "age": Numeric(),
    "years_employed": Numeric(),
    "purpose": Nominal(),
    "housing": Nominal(),
    "grade": Ordinal(("E", "D", "C", "B", "A")),
    "guarantor": Nominal(),
    "applied": Date(),
}
FLATS: dict[str, Kind] = {
    "metres": Numeric(),
    "rooms": Numeric(),
    "floor": Numeric(),
    "district": Nominal(),
    "condition": Ordinal(("poor", "fair", "good", "renovated")),
    "year_built": Numeric(),
    "listed": Date(),
    "heading": Circular(360),
    "note": Text(),
}

TABLES: dict[str, tuple[dict[str, Kind], str]] = {
    "repairs": (REPAIRS, "job"),
    "penguins": (PENGUINS, "species"),
    "loans": (LOANS, "repaid"),
    "flats": (FLATS, "rent"),
}
"""The kinds of the columns and the target of each table."""

_BOOLEANS = {"electric", "outdoors", "guarantor"}


@prefix_errors
def load_repairs(frame: Backend = "pandas") -> tuple[Any, AnyArray]:
    """Load 96 visits to a bicycle workshop: nine mixed columns with missing values; the target is the job booked.

    ================  =======  ===================================================================
    column            kind     meaning
    ================  =======  ===================================================================
    bike              nominal  city, trekking, road, mountain, cargo or folding
    age_years         numeric  age of the bicycle
    km_since_service  numeric  distance since the last visit
    load_kg           numeric  weight of rider and luggage
    electric          boolean  whether the bicycle has a motor
    outdoors          boolean  whether it is left outdoors at night
    chain             ordinal  wear of the chain: fresh < used < worn < stretched
    brakes            ordinal  feel of the brakes: firm < soft < weak
    noise             nominal  what the customer hears: quiet, click, creak, grind or squeal
    job               target   tune-up, brakes, drivetrain or wheel
    ================  =======  ===================================================================

    Five percent of the values are missing. The table was generated for this library by ``tools/make_tables.py`` and
    has its license.

    Parameters
    ----------
    frame
        The library of the returned frame: ``"pandas"`` (with ordinal columns as ordered categoricals), ``"polars"`` or
        ``"pyarrow"``.

    Returns
    -------
    X, y
        The columns and the target.

    Examples
    --------
    >>> X, y = load_repairs()
    >>> X.shape, y[:3]
    ((96, 9), array(['tune-up', 'brakes', 'wheel'], dtype=object))
    """
    return _load("repairs", frame)


@prefix_errors
def load_penguins(frame: Backend = "pandas") -> tuple[Any, AnyArray]:
    """Load the Palmer penguins: 344 penguins of three species, measured in Antarctica from 2007 to 2009.

    =================  =======  ==================================
    column             kind     meaning
    =================  =======  ==================================
    island             nominal  Biscoe, Dream or Torgersen
    bill_length_mm     numeric  length of the bill
    bill_depth_mm      numeric  depth of the bill
    flipper_length_mm  numeric  length of the flipper
    body_mass_g        numeric  body mass
    sex                nominal  female or male
    year               numeric  year of the study
    species            target   Adelie, Chinstrap or Gentoo
    =================  =======  ==================================

    Two penguins were not measured, and the sex of eleven is missing. The data were collected by Kristen Gorman and
    the Palmer Station Long Term Ecological Research program [1]_, and are in the public domain (CC0 1.0).

    Parameters
    ----------
    frame
        See `load_repairs`.

    Returns
    -------
    X, y
        The columns and the target.

    References
    ----------
    .. [1] K. B. Gorman, T. D. Williams and W. R. Fraser, "Ecological sexual dimorphism and environmental variability
           within a community of Antarctic penguins (genus Pygoscelis)", PLoS ONE 9(3): e90081, 2014.

    Examples
    --------
    >>> X, y = load_penguins()
    >>> X[["island", "bill_length_mm", "sex"]].head(4)
          island  bill_length_mm     sex
    0  Torgersen            39.1    male
    1  Torgersen            39.5  female
    2  Torgersen            40.3  female
    3  Torgersen             NaN     NaN
    """
    return _load("penguins", frame)


@prefix_errors
def load_loans(frame: Backend = "pandas") -> tuple[Any, AnyArray]:
    """Load 600 loan applications: nine mixed columns with missing values; the target is whether the loan was repaid.

    ==============  =======  ==================================================
    column          kind     meaning
    ==============  =======  ==================================================
    income          numeric  net income per month, in euros
    amount          numeric  amount of the loan, in euros
    age             numeric  age of the applicant, in years
    years_employed  numeric  years with the present employer
    purpose         nominal  car, furniture, renovation, business or education
    housing         nominal  own, rent or family
    grade           ordinal  credit grade: E < D < C < B < A
    guarantor       boolean  whether somebody else guarantees the loan
    applied         date     day of the application, in 2023 or 2024
    repaid          target   yes or no
    ==============  =======  ==================================================

    The rows are sorted by the date of the application. Income, years_employed, housing, grade and guarantor have
    missing values. About 85% of the outcomes can be predicted. Twelve outcomes are wrong on purpose, in the rows
    98, 100, 164, 173, 195, 353, 411, 433, 486, 491, 514 and 583, counted from 0. The table was generated for this
    library by ``tools/make_tables.py`` and has its license.

    Parameters
    ----------
    frame
        See `load_repairs`.

    Returns
    -------
    X, y
        The columns and the target.

    Examples
    --------
    >>> X, y = load_loans()
    >>> X[["income", "amount", "grade", "guarantor", "applied"]].head(3)
       income   amount grade  guarantor    applied
    0  1370.0   3100.0     C      False 2023-01-02
    1   990.0  14100.0     D      False 2023-01-02
    2  2470.0   6500.0     D       True 2023-01-04
    >>> y[:3]
    array(['yes', 'no', 'yes'], dtype=object)
    """
    return _load("loans", frame)


@prefix_errors
def load_flats(frame: Backend = "pandas") -> tuple[Any, AnyArray]:
    """Load 400 rental flats: nine mixed columns with missing values; the target is the rent.

    ==========  ========  =================================================================
    column      kind      meaning
    ==========  ========  =================================================================
    metres      numeric   area in square meters
    rooms       numeric   number of rooms
    floor       numeric   floor, 0 for the ground floor
    district    nominal   centre, riverside, hillside, university, station or harbour
    condition   ordinal   poor < fair < good < renovated
    year_built  numeric   year of construction
    listed      date      day of the advertisement, in 2024
    heading     circular  compass direction of the windows in degrees, 180 for south
    note        text      a few words of the advertisement
    rent        target    rent per month, in euros
    ==========  ========  =================================================================

    The rows are sorted by the date of the advertisement. Metres, floor, condition, year_built, heading and note have
    missing values. A frame cannot declare that heading is circular and that note is text: pass
    ``schema={"heading": pc.Circular(360), "note": pc.Text()}`` to an estimator. The table was generated for this
    library by ``tools/make_tables.py`` and has its license.

    Parameters
    ----------
    frame
        See `load_repairs`.

    Returns
    -------
    X, y
        The columns, and the target as a float array.

    Examples
    --------
    >>> X, y = load_flats()
    >>> X[["metres", "district", "condition", "heading", "note"]].head(3)
       metres    district condition  heading             note
    0    71.0  university      good    135.0      busy street
    1    57.0     harbour      fair    240.0  quiet courtyard
    2    85.0  university      good    145.0    large balcony
    >>> y[:3]
    array([ 910.,  575., 1280.])
    """
    return _load("flats", frame)


def _load(name: str, frame: Backend) -> tuple[Any, AnyArray]:
    """Return the columns of a built-in table as a frame, and its target."""
    check_backend(frame, "frame")
    X, y = read_builtin(name)
    return X.frame(frame), y


def read_builtin(name: str) -> tuple[NamedColumns, AnyArray]:
    """Return the columns of a built-in table with their kinds, and its target."""
    kinds, target = TABLES[name]
    fields: dict[str, list[Any]] = {**_fields(f"{name}.csv")}
    for label in _BOOLEANS & fields.keys():
        fields[label] = [None if field is None else field == "yes" for field in fields[label]]
    for label, kind in kinds.items():
        if isinstance(kind, Numeric) and not isinstance(kind, Date):
            fields[label] = [None if field is None else float(field) for field in fields[label]]
    y = np.array(fields[target], dtype=np.float64 if target == "rent" else object)
    return NamedColumns.of(fields, kinds), y


def _fields(file: str) -> dict[str, list[str | None]]:
    """Return the fields of a built-in table by column, with None for empty fields."""
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
"""Possible topics of a ticket."""

URGENCIES = ("low", "normal", "high")
"""Levels of urgency of a ticket, lowest first."""


@dataclass(frozen=True, repr=False)
class HelpDesk(TextResult):
    """Help desk tickets (one mapping per ticket), the taxonomy of areas, and the urgency levels in order."""

    tickets: list[dict[str, Any]]
    areas: dict[str, Any]
    urgencies: tuple[str, ...]

    def __repr__(self) -> str:
        return f"HelpDesk: {len(self.tickets)} tickets"


def load_help_desk() -> HelpDesk:
    """Load 69 help desk tickets about printers, networks and accounts.

    ========  ========  ======================================================
    name      kind      meaning
    ========  ========  ======================================================
    ticket    key       number of the ticket
    area      taxonomy  topic, a leaf of ``areas``
    system    nominal   windows, macos, linux or phone
    place     nominal   office or home
    people    numeric   number of people affected
    urgency   ordinal   low < normal < high
    signs     set       symptoms
    opened    date      when the ticket was opened
    message   text      text written by the user
    solution  solution  what was done
    outcome   outcome   whether the solution helped
    ========  ========  ======================================================

    The tickets were written by hand for this library and do not describe real people.

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
