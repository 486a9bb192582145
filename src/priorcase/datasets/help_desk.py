"""A built-in case base: what people asked a help desk, and what was done about it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from priorcase.datasets.delimited import read_text

__all__ = ["HelpDesk", "load_help_desk"]

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
    """Tickets of a help desk.

    Attributes
    ----------
    tickets
        One mapping for each ticket; None where something is not known.
    areas
        The taxonomy of their areas: printers, networks, accounts.
    urgencies
        The order of their urgencies.
    """

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
    with files("priorcase.datasets").joinpath("help_desk.csv").open("rb") as stream:
        table = read_text(stream, name="help_desk.csv")
    columns: dict[str, list[Any]] = {name: list(table.column(name)) for name in table.names}
    columns["people"] = [int(field) for field in columns["people"]]
    columns["signs"] = [frozenset(field.split(";")) for field in columns["signs"]]
    columns["opened"] = [datetime.date.fromisoformat(field) for field in columns["opened"]]
    columns["outcome"] = [field == "yes" for field in columns["outcome"]]
    tickets = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return HelpDesk(tickets, AREAS, URGENCIES)
